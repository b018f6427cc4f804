"""The rules every registered projection keeps, over random references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.indexes.exact import Exact
from fairlead.projections.linear import Linear
from fairlead.projections.reference import Reference
from fairlead.protocols import registry
from fairlead.testing import projection_laws
from fairlead.testing.projections import WIDTH, small_queries, small_reference
from fairlead.types import Embeddings

LAW = settings(max_examples=12, deadline=None)
SETTINGS = {
    "mi_clip": [
        "mi_clip",
        "mi_clip(dims=5)",
        "mi_clip(dims=3,reading=dropped)",
        "mi_clip(share=0.5)",
    ],
    "orthogonal": ["orthogonal", "orthogonal(span=differences)"],
    "calibrated": ["calibrated", "calibrated(strength=1,span=differences)"],
    "bend": ["bend", "bend(nearest=3,local=differences)", "bend(local=none)"],
    "leace": ["leace", "leace(shrinkage=0.2)"],
    "inlp": ["inlp", "inlp(rounds=2)"],
}
SPECS = [text for name in registry.entries("projection") for text in SETTINGS.get(name, [name])]
ORTHOGONAL = [text for text in SPECS if text.partition("(")[0] in ("mi_clip", "orthogonal", "inlp")]
UNIT = ("orthogonal", "calibrated", "bend")
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS)
def test_every_law_that_is_shipped_is_kept(text: str, seed: int) -> None:
    projection_laws(registry.make("projection", text), seed)


@pytest.mark.parametrize("text", SPECS)
@pytest.mark.parametrize(
    ("given_type", "answer"),
    [(np.float16, np.float32), (np.float32, np.float32), (np.float64, np.float64)],
)
def test_numbers_stay_of_their_kind_and_unit_length_where_promised(
    text: str, given_type: type, answer: type
) -> None:
    known = small_reference(3)
    queries, variants = small_queries(3, known, given_type)
    found = registry.make("projection", text).fit(known)(queries, variants).vectors
    assert found.dtype == answer and found.shape == (6, WIDTH) and np.isfinite(found).all()
    lengths = np.linalg.norm(found, axis=1)
    if text.partition("(")[0] in UNIT:
        np.testing.assert_allclose(lengths, 1, atol=1e-5)
    elif text in ORTHOGONAL:
        assert (lengths <= 1 + 1e-2).all()


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS)
def test_query_alone_ranks_stored_items_as_the_method_ranks_mapped_ones(
    text: str, seed: int
) -> None:
    """Exact: the stored index is used as it is."""
    known = small_reference(seed)
    queries, _ = small_queries(seed, known, np.float64)
    fitted = registry.make("projection", text).fit(known)
    if not isinstance(fitted, Linear):
        assert not hasattr(fitted, "on_items")  # only queries change
        return
    items = Embeddings(np.random.default_rng([seed, 2]).normal(size=(40, WIDTH)))
    stored = fitted(queries).vectors @ items.vectors.T
    mapped = fitted.asked(queries).vectors @ fitted.items(items).vectors.T
    constant = 0.0 if fitted.offset is None else fitted.asked(queries).vectors @ fitted.offset
    np.testing.assert_allclose(stored, (mapped.T - constant).T, atol=1e-9)


def test_query_alone_gives_the_same_ranking_from_an_index() -> None:
    known = small_reference(11)
    queries, _ = small_queries(11, known)
    items = Embeddings(np.random.default_rng(11).normal(size=(200, WIDTH)).astype(np.float32))
    for text in (t for t in SPECS if not t.startswith("bend")):
        fitted = registry.make("projection", text).fit(known)
        stored, built = Exact(), Exact()
        stored.add(items)
        built.add(fitted.items(items))
        np.testing.assert_array_equal(
            stored.search(fitted(queries), 50).rows, built.search(fitted.asked(queries), 50).rows
        )


@pytest.mark.parametrize("text", ORTHOGONAL)
@LAW
@given(SEEDS)
def test_orthogonal_projections_are_symmetric_and_idempotent_and_leave_the_rest_alone(
    text: str, seed: int
) -> None:
    fitted = registry.make("projection", text).fit(small_reference(seed))
    matrix = np.diag(fitted.on_queries) if fitted.on_queries.ndim == 1 else fitted.on_queries
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-9)
    np.testing.assert_allclose(matrix @ matrix, matrix, atol=1e-9)
    values, vectors = np.linalg.eigh(matrix)
    kept = vectors[:, values > 0.5].T
    assert 0 < len(kept) < WIDTH
    np.testing.assert_allclose(
        fitted(Embeddings(kept)).vectors, kept, atol=1e-9
    )  # orthogonal to what is removed


@pytest.mark.parametrize(
    "text",
    ["mi_clip(dims=0)", "mi_clip(share=1)", "mi_clip(dims=3,share=0.5)", "orthogonal(prompts=\"one\")", "orthogonal(prompts=\"a||b\")",
     "calibrated(strength=-1)", "calibrated(classes=\"a||b\")", "bend(nearest=0)", "leace(shrinkage=2)", "inlp(rounds=0)",
     "inlp(penalty=0)"],
)  # fmt: skip
def test_parameters_that_make_no_projection_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        registry.make("projection", text)


@pytest.mark.parametrize("name", sorted(registry.entries("projection")))
def test_material_that_is_missing_is_told(name: str) -> None:
    with pytest.raises(UsageError, match="is fitted on"):
        registry.make("projection", name).fit(Reference("g", ("a", "b")))
