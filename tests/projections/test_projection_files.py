"""Fitted projections as files: equal bytes, one model, plain arrays."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from fairlead.engine import projections as projecting
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.protocols import registry
from fairlead.store.projection_file import read_projection
from fairlead.types import Embeddings

MODEL, OTHER = "phantom_ideal(dose=0.8)", "phantom_ideal(dose=0.4)"
BENCHMARK = "phantom(seeds=1,first=30)"
TEXTS = ("a photo of a nurse", "a photo of a pilot")


@pytest.mark.parametrize("spec", sorted(registry.entries("projection")))
def test_file_round_trip_gives_the_same_bytes_and_the_same_vectors(
    spec: str, tmp_path: Path
) -> None:
    encoder = registry.make("encoder", MODEL)
    fitted = projecting.train_projection(
        spec, model=MODEL, collection=BENCHMARK, attribute="gender"
    )
    fitted.write(tmp_path / "one.npz")
    again = projecting.read(tmp_path / "one.npz", encoder, "gender")
    again.write(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    queries = encoder.texts(TEXTS, "query")
    np.testing.assert_array_equal(
        fitted(queries, encoder, TEXTS).vectors, again(queries, encoder, TEXTS).vectors
    )
    card = again.about
    assert card["model"] == {"spec": MODEL, "fingerprint": encoder.fingerprint}
    assert (card["attribute"], card["groups"], card["projection"]) == (
        "gender",
        ["female", "male"],
        spec,
    )
    assert card["samples"] == (
        {"female": 112, "male": 112} if "items" in fitted.projection.needs else {}
    )


def test_file_of_another_model_is_refused_by_fingerprint(tmp_path: Path) -> None:
    projecting.train_projection("orthogonal", model=MODEL, attribute="gender").write(
        tmp_path / "texts.npz"
    )
    with pytest.raises(
        DataError,
        match=r"texts.npz was fitted on vectors of phantom_ideal\(dose=0.8\).*not of phantom_ideal\(dose=0.4\)",
    ):
        projecting.read(tmp_path / "texts.npz", registry.make("encoder", OTHER))


def test_file_for_another_attribute_is_refused(tmp_path: Path) -> None:
    projecting.train_projection("orthogonal", model=MODEL, attribute="gender").write(
        tmp_path / "texts.npz"
    )
    with pytest.raises(UsageError, match=r"fitted for 'gender', and 'skin' is mitigated"):
        projecting.read(tmp_path / "texts.npz", registry.make("encoder", MODEL), "skin")


def spoilt(path: Path, how: str) -> Path:
    """A file that is not what it claims to be."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    about = json.loads(bytes(arrays["about"]))
    place = path.with_name("spoilt.npz")
    if how == "cut":
        place.write_bytes(path.read_bytes()[:200])
        return place
    if how == "text":
        place.write_text("no arrays")
        return place
    if how == "pickled":
        place.write_bytes(pickle.dumps({"about": 1}))
        return place
    if how == "form":
        about["form"] = 99
    elif how == "no model":
        del about["model"]
    elif how == "shape":
        arrays["fitted.on_queries"] = arrays["fitted.on_queries"][:, :3]
    elif how == "not finite":
        arrays["fitted.on_queries"] = np.full_like(arrays["fitted.on_queries"], np.nan)
    elif how == "missing":
        del arrays["fitted.on_queries"]
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(place, **arrays)
    return place


@pytest.mark.parametrize(
    "how", ["cut", "text", "pickled", "form", "no model", "shape", "not finite", "missing"]
)
def test_file_that_is_none_is_refused_in_words(how: str, tmp_path: Path) -> None:
    projecting.train_projection("orthogonal", model=MODEL, attribute="gender").write(
        tmp_path / "texts.npz"
    )
    words = "cannot be read as a projection|is a projection of version 99"
    with pytest.raises(DataError, match=words) as told:
        projecting.read(spoilt(tmp_path / "texts.npz", how), registry.make("encoder", MODEL))
    assert "fairlead train projection" in told.value.hint
    words = str(told.value)
    assert "pickle" not in words and "unsafely" not in words
    assert not re.search(r"(?<!\.)\.\.(?!\.)", words), "two sentences run into each other"


def test_file_that_is_not_there_is_told() -> None:
    with pytest.raises(DataError, match="There is no file"):
        read_projection("nowhere.npz")


def test_items_of_one_group_are_refused(tmp_path: Path) -> None:
    rows = ["item,gender"] + [
        f"{item},female" for item in registry.make("benchmark", BENCHMARK).study().collection.ids
    ]
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    with pytest.raises(DataError, match="one group only"):
        projecting.train_projection(
            "leace",
            model=MODEL,
            collection=BENCHMARK,
            attribute="gender",
            groups=str(tmp_path / "labels.csv"),
        )


def test_labels_may_come_from_an_annotator() -> None:
    fitted = projecting.train_projection(
        "leace", model=MODEL, collection=BENCHMARK, attribute="gender", groups="noisy(accuracy=0.8)"
    )
    assert fitted.about["labels"] == "noisy(accuracy=0.8)"
    assert sum(fitted.about["samples"].values()) == 224 and fitted.about["samples"] != {
        "female": 112,
        "male": 112,
    }


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"spec": "leace"}, "fitted on labelled items"),
        ({"spec": "orthogonal", "attribute": "height"}, "which groups 'height' has"),
        ({"spec": "fitted:x.npz"}, "was fitted already"),
        ({"spec": "leec"}, "no projection called 'leec'"),
        (
            {"spec": "leace", "collection": BENCHMARK, "attribute": "height"},
            "no labelled attribute called 'height'",
        ),
    ],
)
def test_requests_that_cannot_be_met_are_refused_in_words(
    choices: dict[str, str], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        projecting.train_projection(choices.pop("spec"), model=MODEL, **choices)


def test_queries_by_picture_have_no_wordings() -> None:
    encoder = registry.make("encoder", MODEL)
    fitted = projecting.train_projection(
        "bend(nearest=5)", model=MODEL, collection=BENCHMARK, attribute="gender"
    )
    pictures = encoder.images(
        registry.make("benchmark", BENCHMARK).study().collection.images[:2], "query"
    )
    words = encoder.texts(TEXTS[:1], "query")
    both = Embeddings(np.concatenate([words.vectors, pictures.vectors]))
    found = fitted(both, encoder, TEXTS[:1]).vectors
    np.testing.assert_array_equal(found[1:], fitted(pictures, encoder).vectors)
    np.testing.assert_array_equal(found[:1], fitted(words, encoder, TEXTS[:1]).vectors)


def test_unknown_name_offers_the_nearest() -> None:
    assert "leace" in unknown_name("projection", "leac", registry.entries("projection")).hint
