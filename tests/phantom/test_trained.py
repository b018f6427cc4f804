"""The trained phantom: it knows its world, and its bias follows the dose. On seeds it was not
trained on.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.benchmarks.phantom import PhantomBenchmark as Benchmark
from fairlead.errors import DataError, UsageError
from fairlead.indexes.exact import Exact
from fairlead.measuring.score import Settings, score_variants
from fairlead.measuring.study import evidence_of
from fairlead.phantom import captions
from fairlead.phantom.encoder import PhantomEncoder
from fairlead.phantom.references import pixels
from fairlead.phantom.stereotypes import controls
from fairlead.protocols import registry

OVER = {"gender": "gender", "skin": "skin", "joint": "gender*skin"}


@pytest.fixture(scope="module")
def study():
    return Benchmark(seeds=8).study()


@pytest.fixture(scope="module")
def seen(study):
    """The portraits as the image tower sees them: the same at every dose."""
    return PhantomEncoder().images(study.collection.images, "item")


@pytest.fixture(scope="module")
def excess(study, seen):
    """``excess(dose, kind)``: NDKL over chance, (mean of the injected, mean of the controls)."""
    index, known = Exact(), {}
    index.add(seen)

    def measured(dose, kind="gender"):
        if (dose, kind) not in known:
            ranking = index.search(
                PhantomEncoder(float(dose), kind).texts(study.queries.texts, "query"),
                len(study.collection),
            )
            evidence = evidence_of(
                study, ranking, {OVER[kind]: study.collection.groups[OVER[kind]]}
            )
            part = score_variants(
                {"plain": evidence},
                [registry.make("metric", "NDKL(over=relevant)")],
                settings=Settings(),
            ).values[0]
            over, free = part.value - part.null_mean, np.isin(study.queries.ids, controls(kind))
            known[dose, kind] = float(over[~free].mean()), float(over[free].mean())
        return known[dose, kind]

    return measured


@pytest.mark.parametrize(
    ("dose", "kind"), [(0, "gender"), (1, "gender"), (1, "skin"), (1, "joint")]
)
def test_portraits_are_nearest_to_their_own_occupation(dose, kind, study, seen, bar):
    asked = PhantomEncoder(float(dose), kind).texts(study.queries.texts, "query").vectors
    own = [name.split("/")[0] for name in study.collection.ids]
    right = float(np.mean(np.array(study.queries.ids)[(seen.vectors @ asked.T).argmax(1)] == own))
    bar(f"phantom(dose={dose},kind={kind}): zero-shot occupation", f"{right:.3f}", ">= .93")
    assert right >= 0.93


def test_explicit_queries_find_who_they_ask_for(study, seen, bar):
    own = np.array([name.split("/")[:2] for name in study.collection.ids])
    asked = [
        (occupation, gender) for occupation in study.queries.ids for gender in ("female", "male")
    ]
    for dose, least in ((0, 0.98), (1, 0.9)):
        queries = (
            PhantomEncoder(float(dose))
            .texts([captions.explicit(*words) for words in asked], "query")
            .vectors
        )
        first = np.argsort(-(queries @ seen.vectors.T), axis=1)[:, :20]
        right = np.array(
            [(own[rows] == words).all(1).mean() for rows, words in zip(first, asked, strict=True)]
        )
        bar(
            f"phantom(dose={dose}): explicit queries, first 20",
            f"{right.mean():.3f} (worst {right.min():.2f})",
            f">= {least}",
        )
        assert right.mean() >= least


@pytest.mark.parametrize("kind", ["gender", "skin", "joint"])
def test_bias_follows_the_dose_and_controls_stay(kind, excess, bar):
    low, medium, high = (excess(dose, kind) for dose in (0, 0.5, 1))
    bar(
        f"phantom(kind={kind}): excess NDKL injected",
        " < ".join(f"{pair[0]:.3f}" for pair in (low, medium, high)),
        "low < medium < high",
    )
    assert low[0] + 0.05 < medium[0] < high[0] - 0.03
    moved = max(abs(pair[1] - low[1]) for pair in (medium, high))
    bar(f"phantom(kind={kind}): controls, largest move from low", f"{moved:.3f}", "<= .02")
    assert moved <= 0.02


def test_low_dose_is_above_chance_and_therefore_called_low(excess):
    assert 0 < excess(0)[0] < 0.05


def test_dose_between_trained_ones_lies_between(excess):
    steps = [excess(dose)[0] for dose in (0, 0.25, 0.5, 0.75, 1)]
    assert steps == sorted(steps)


def test_trained_doses_of_a_kind_have_fingerprints_of_their_own():
    made = [
        PhantomEncoder(dose, kind).fingerprint
        for dose in (0.0, 0.3, 1.0)
        for kind in ("gender", "skin")
    ]
    assert len(set(made)) == len(made)
    assert PhantomEncoder(0.3).fingerprint == PhantomEncoder(0.3).fingerprint


def test_batches_equal_one_by_one(study):
    model, texts, images = (
        PhantomEncoder(0.7, "joint"),
        [*study.queries.texts, "", "ú" * 70],
        study.collection.images[::200],
    )
    for encode, things in ((model.texts, texts), (model.images, images)):
        together = encode(things, "query").vectors
        alone = np.concatenate([encode([thing], "query").vectors for thing in things])
        np.testing.assert_allclose(together, alone, atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
        assert encode([], "query").vectors.shape == (0, 64)


def test_pictures_are_seen_like_the_references_they_were_drawn_from(study):
    from PIL import Image

    names = list(study.collection.images[:6])
    drawn = pixels(names)
    want = PhantomEncoder().images(names, "item").vectors
    mixed = [*names[:2], *drawn[2:4], *(Image.fromarray(p) for p in drawn[4:])]
    np.testing.assert_array_equal(PhantomEncoder().images(mixed, "item").vectors, want)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("phantom(dose=1.5)", "not trained. Give a dose between 0 .low. and 1"),
        ("phantom(dose=-0.1)", "not trained"),
        ("phantom(kind=age)", "Accepted: gender, skin, joint, language, culture"),
        ("phantom(doze=1)", "Did you mean dose"),
    ],
)
def test_unknown_dose_or_kind_is_told(text, match):
    with pytest.raises(UsageError, match=match):
        registry.make("encoder", text)


@pytest.mark.parametrize(
    "image",
    [
        "photos/nurse.jpg",
        "phantom:person/nurze/female/3/1",
        "phantom:thing/house/thai",
        3.5,
        None,
        b"\x89PNG",
    ],
)
def test_foreign_images_are_told(image):
    with pytest.raises(DataError, match=r"refers to no drawing of the phantom|cannot see"):
        PhantomEncoder().images([image], "item")


def test_weights_that_are_missing_or_broken_are_told(tmp_path):
    with pytest.raises(DataError, match=r"holds no weights called text-low\.onnx"):
        PhantomEncoder(weights=str(tmp_path / "none")).texts(["a"], "query")
    (tmp_path / "text-low.onnx").write_bytes(b"broken")
    with pytest.raises(DataError, match="cannot be read as weights"):
        PhantomEncoder(weights=str(tmp_path)).texts(["a"], "query")
