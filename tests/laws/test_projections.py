"""The rules every registered projection keeps, over random references."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.indexes.exact import Exact
from fairlead.projections.linear import Linear
from fairlead.projections.reference import Reference
from fairlead.protocols import registry
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
WIDTH = 9


def reference(seed: int) -> Reference:
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(2, 4))
    codes = np.arange(80) % groups
    items = rng.normal(size=(80, WIDTH)) + rng.normal(size=(groups, WIDTH))[codes]
    prompts, pairs = rng.normal(size=(groups, WIDTH)), rng.normal(size=(4, groups, WIDTH))
    return Reference("g", tuple(f"g{n}" for n in range(groups)), items, codes, prompts, pairs)


def asked(seed: int, known: Reference, dtype: type = np.float32) -> tuple[Embeddings, np.ndarray]:
    rng = np.random.default_rng([seed, 1])
    vectors = rng.normal(size=(6, WIDTH))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Embeddings(vectors.astype(dtype)), rng.normal(size=(6, len(known.names), WIDTH))


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS)
def test_fit_and_apply_twice_give_the_same_and_write_into_nothing(text: str, seed: int) -> None:
    known, (queries, variants) = reference(seed), asked(seed, reference(seed))
    given_arrays = [
        *(
            getattr(known, f.name)
            for f in dataclasses.fields(known)
            if f.name not in ("attribute", "names")
        ),
        queries.vectors,
        variants,
    ]
    copies = [array.copy() for array in given_arrays]
    for array in given_arrays:
        array.flags.writeable = False
    first, second = (registry.make("projection", text).fit(known) for _ in range(2))
    np.testing.assert_array_equal(
        first(queries, variants).vectors, second(queries, variants).vectors
    )
    for array, copy in zip(given_arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS)
def test_batch_equals_one_by_one(text: str, seed: int) -> None:
    known, (queries, variants) = reference(seed), asked(seed, reference(seed))
    fitted = registry.make("projection", text).fit(known)
    whole = fitted(queries, variants).vectors
    for row in (3, 0, 5):
        one = fitted(queries.take(np.array([row])), variants[row : row + 1]).vectors
        np.testing.assert_array_equal(one[0], whole[row])
    assert fitted(queries.take(np.array([], int)), variants[:0]).vectors.shape == (0, WIDTH)


@pytest.mark.parametrize("text", SPECS)
@pytest.mark.parametrize(
    ("given_type", "answer"),
    [(np.float16, np.float32), (np.float32, np.float32), (np.float64, np.float64)],
)
def test_numbers_stay_of_their_kind_and_unit_length_where_promised(
    text: str, given_type: type, answer: type
) -> None:
    known = reference(3)
    queries, variants = asked(3, known, given_type)
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
    known = reference(seed)
    queries, _ = asked(seed, known, np.float64)
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
    known = reference(11)
    queries, _ = asked(11, known)
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
    fitted = registry.make("projection", text).fit(reference(seed))
    matrix = np.diag(fitted.on_queries) if fitted.on_queries.ndim == 1 else fitted.on_queries
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-9)
    np.testing.assert_allclose(matrix @ matrix, matrix, atol=1e-9)
    values, vectors = np.linalg.eigh(matrix)
    kept = vectors[:, values > 0.5].T
    assert 0 < len(kept) < WIDTH
    np.testing.assert_allclose(
        fitted(Embeddings(kept)).vectors, kept, atol=1e-9
    )  # orthogonal to what is removed


@pytest.mark.parametrize("text", SPECS)
def test_what_a_file_keeps_gives_the_same_vectors(text: str) -> None:
    known = reference(4)
    queries, variants = asked(4, known)
    projection = registry.make("projection", text)
    fitted = projection.fit(known)
    np.testing.assert_array_equal(
        projection.restore(fitted.arrays())(queries, variants).vectors,
        fitted(queries, variants).vectors,
    )


@pytest.mark.parametrize("text", SPECS)
def test_vectors_of_another_length_are_refused(text: str) -> None:
    fitted = registry.make("projection", text).fit(reference(5))
    with pytest.raises(UsageError, match="fitted on vectors of 9 numbers, got 4"):
        fitted(Embeddings(np.ones((1, 4), np.float32)), np.ones((1, 2, 4)))


@pytest.mark.parametrize("text", SPECS)
def test_spec_round_trips_and_says_what_it_is(text: str) -> None:
    projection = registry.make("projection", text)
    assert registry.make("projection", str(projection)) == projection
    for field in ("summary", "source", "blind_spot", "promise"):
        assert getattr(projection, field).strip() and "\n" not in getattr(projection, field)
    assert projection.needs <= {"items", "prompts", "pairs", "wordings"}
    assert projection.fit(reference(6)).dimensions == WIDTH
    knob, values = getattr(projection, "knob", ("", ()))
    assert not knob or all(
        dataclasses.replace(type(projection)(), **{knob: value}) for value in values
    )


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
