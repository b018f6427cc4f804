"""What annotators see with: references of a collection, vectors that are there already, pictures
where they want them.
"""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from fairlead.commands import search as searches
from fairlead.engine import galleries
from fairlead.engine import sight as seeing
from fairlead.errors import UsageError
from fairlead.protocols import registry


@pytest.fixture
def photos(tmp_path):
    """Pictures with captions, of which some name a gender."""
    for n in range(12):
        Image.new("RGB", (10, 10), (20 * n, 10, 250 - 20 * n)).save(tmp_path / f"{n}.png")
        (tmp_path / f"{n}.txt").write_text(("a woman", "a man", "a tree")[n % 3])
    return tmp_path


def test_seeing_takes_references_and_looks_up_known_vectors(photos, monkeypatch):
    encoder = registry.make("encoder", "phantom")
    gallery = galleries.open_gallery(photos, encoder, cache=photos / "cache")
    annotator = registry.make("annotator", "zeroshot_embedding")
    known = seeing.sight_of_gallery(annotator, photos, encoder, gallery)
    fresh = seeing.sight(annotator, encoder)
    images = gallery.collection.images[::-1]
    np.testing.assert_allclose(
        known.images(images, "item").vectors, fresh.images(images, "item").vectors, atol=1e-5
    )
    assert known.fingerprint == encoder.fingerprint and str(known) == "phantom"
    assert len(fresh.images([], "item")) == 0
    assert known.open(images[0]).size == (10, 10)
    assert (
        fresh.open(registry.make("benchmark", "phantom(seeds=1)").study().collection.images[0]).mode
        == "RGB"
    )


def test_seeing_without_a_model_opens_pictures_only(photos):
    blind = seeing.Seeing()
    assert blind.open(str(photos / "0.png")).mode == "RGB"
    with pytest.raises(UsageError, match="No model was given"):
        blind.images([str(photos / "0.png")], "item")


def test_search_measured_by_captions_names_them_as_source(photos, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(photos / "cache"))
    found = searches.search(
        "a photo of a nurse",
        collection=photos,
        groups="caption",
        mitigate="pbm",
        mitigate_groups="zeroshot_embedding",
        k=4,
    )
    assert found.manifest["labels"]["gender"]["source"] == "caption"
    assert found.manifest["mitigate"]["labels"] == "zeroshot_embedding by phantom"
    with pytest.raises(UsageError, match="It can label: gender"):
        searches.search("x", collection=photos, groups="caption", attribute="age", k=4)


def test_annotator_with_a_model_of_its_own_sees_with_that(photos, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(photos / "cache"))
    spec = 'zeroshot_embedding(model="phantom(dose=1,kind=skin)")'
    found = searches.search(
        "a photo of a nurse", collection=photos, groups=spec, attribute="gender", k=4
    )
    assert found.manifest["labels"]["gender"]["source"].endswith("by phantom(dose=1.0,kind=skin)")
