"""Parts of ``face`` that need no models: which face is the main one, where a face is cut, tones of
skin, groups of ages.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fairlead.annotators import face_tone
from fairlead.annotators.face_ages import FAIRFACE, bounds_of, shares_of_age
from fairlead.annotators.face_chips import PLACES, chip
from fairlead.annotators.face_detector import Faces, main_face
from fairlead.errors import UsageError
from fairlead.phantom import people
from fairlead.protocols import registry


def faces(*boxes: tuple[float, float, float, float]) -> Faces:
    return Faces(
        np.full(len(boxes), 0.9),
        np.array(boxes, float).reshape(-1, 4),
        np.zeros((len(boxes), 5, 2)),
    )


@pytest.mark.parametrize(
    ("boxes", "row"),
    [
        ([], None),
        ([(0, 0, 50, 60)], 0),
        ([(0, 0, 10, 60)], None),
        ([(0, 0, 40, 40), (100, 0, 160, 60)], 1),
        ([(0, 0, 50, 60), (100, 0, 155, 60)], None),
        ([(n * 60, 0, n * 60 + 50, 60) for n in range(20)], None),
    ],
)
def test_main_face_of_several_is_the_largest_if_clearly_so(boxes, row):
    assert main_face(faces(*boxes), clear=2, smallest=24) == row


def test_chip_of_a_turned_face_has_its_points_in_place():
    angle, scale = np.radians(25), 160.0
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    points = PLACES @ turn.T + [90, 20]
    pixels = np.zeros((240, 260, 3), np.uint8)
    for number, (x, y) in enumerate(points.round().astype(int)):
        pixels[y - 4 : y + 5, x - 4 : x + 5] = 50 * (number + 1)
    square = np.asarray(chip(Image.fromarray(pixels), points, 64))
    for number, (x, y) in enumerate((PLACES * 64).round().astype(int)):
        assert abs(int(square[y, x, 0]) - 50 * (number + 1)) < 15


@pytest.mark.parametrize("number", range(1, 11))
def test_tone_of_a_patch_of_each_monk_tone_is_that_tone(number):
    code = face_tone.TONES[number - 1]
    rng = np.random.default_rng(number)
    pixels = np.array([int(code[at : at + 2], 16) for at in (1, 3, 5)]) + rng.integers(
        -2, 3, (120, 120, 3)
    )
    picture = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    assert face_tone.tone(picture, PLACES * 120, far=30) == number


def test_tone_of_the_lighter_half_is_not_moved_by_shade():
    pixels = np.full((120, 120, 3), (0xD7, 0xBD, 0x96), np.uint8)
    pixels[:, :40] = (0x60, 0x41, 0x34)
    assert face_tone.tone(Image.fromarray(pixels), PLACES * 120, far=30) == 5


@pytest.mark.parametrize(
    "colour", [(128, 128, 128), (40, 40, 40), (250, 250, 250), (20, 220, 40), (40, 60, 230)]
)
def test_tone_of_grey_or_of_no_skin_is_unknown(colour):
    assert face_tone.tone(Image.new("RGB", (100, 100), colour), PLACES * 100, far=30) is None


def test_tone_where_pixels_disagree_is_unknown():
    noise = np.random.default_rng(0).integers(0, 256, (120, 120, 3)).astype(np.uint8)
    assert face_tone.tone(Image.fromarray(noise), PLACES * 120, far=100) is None


def test_tones_and_groups_are_those_of_the_phantom():
    assert people.TONES == face_tone.TONES and people.SKIN_GROUPS == face_tone.GROUPS


def test_lab_of_known_colours_is_as_published():
    found = face_tone.lab(np.array([[255, 255, 255], [0, 0, 0], [255, 0, 0], [0, 0, 255]]))
    np.testing.assert_allclose(
        found, [[100, 0, 0], [0, 0, 0], [53.24, 80.09, 67.20], [32.30, 79.19, -107.86]], atol=0.02
    )


@given(st.floats(0, 80))
def test_shares_of_age_are_shares_and_the_age_lies_in_the_most_likely_or_next_group(age):
    shares = shares_of_age(age, FAIRFACE, calibrated=True)
    hard = shares_of_age(age, FAIRFACE, calibrated=False)
    assert (shares >= 0).all() and shares.sum() == pytest.approx(1) and hard.sum() == 1
    assert age < 10 or abs(int(shares.argmax()) - int(hard.argmax())) <= 1


def test_ages_outside_of_all_groups_are_unknown():
    assert not shares_of_age(70, "18-29|30-44", calibrated=False).any()
    assert shares_of_age(70, "18-29|30-44", calibrated=True).sum() < 0.1
    assert bounds_of("0-17|18-64|65+") == {"0-17": (0, 18), "18-64": (18, 65), "65+": (65, np.inf)}


@pytest.mark.parametrize(
    "ages", ["young|old", "0-17", "20-29|10-19", "0-17|17-30", "30-20|40+", "65+|70+", ""]
)
def test_ages_that_are_no_groups_are_refused(ages):
    with pytest.raises(UsageError, match="ages"):
        registry.make("annotator", f'face(ages="{ages}")')


@pytest.mark.parametrize(
    "choice",
    ["score=2", "confident=-1", "clear=0.5", "smallest=0", "pixels=10", "far=-1", "colour=3"],
)
def test_face_with_impossible_choices_is_refused(choice):
    with pytest.raises(UsageError):
        registry.make("annotator", f"face({choice})")


def test_card_of_face_has_the_tables_of_its_page():
    card = (
        resources.files("fairlead.annotators").joinpath("face_card.md").read_text(encoding="utf-8")
    )
    page = (Path(__file__).parents[2] / "docs" / "face.md").read_text(encoding="utf-8")
    rows = [
        line
        for line in card.splitlines()
        if line.startswith(("| all", "| Black", "| East", "| White", "| Latino"))
    ]
    assert len(rows) == 9 and all(row in page for row in rows)
