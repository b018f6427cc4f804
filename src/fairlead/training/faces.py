"""Captions of faces made from their labels, in sets with one caption for each value.

Within a set exactly one caption fits a face, so that equal labels are never taken for opposites: "a
photo of a Black woman" is told from the other captions of its set, not from "a photo of a woman".
The words say how people look to annotators, not who they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from fairlead.training.photos import AGES, FacePhotos
from fairlead.types.ragged import Array

TEMPLATES = (
    "a photo of {}",
    "a portrait of {}",
    "a close-up of the face of {}",
    "a picture of {}",
    "{} looking at the camera",
    "the face of {}",
    "{}",
)
"""What captions are put into; more are made than any one prompt needs, so that no wording is
learned by heart.
"""
_NOUNS = (
    ("woman", "man"),
    ("female person", "male person"),
    ("lady", "gentleman"),
    ("female", "male"),
)
_RACES = tuple(
    ("Black", "East Asian", "Indian", latin, "Middle Eastern", "Southeast Asian", "White")
    for latin in ("Latino", "Hispanic")
)
_COARSE = ("young", "middle-aged", "old")
# The coarse age of each of FairFace's (photos.AGES).
_COARSE_OF = np.array([0, 0, 1, 1, 1, 2, 2])
_DECADES = ("teens", "twenties", "thirties", "forties", "fifties", "sixties", "seventies")
_HERS = ("her", "his", "their")


@dataclass(frozen=True, eq=False)
class CaptionSet:
    """Captions of which exactly one fits a face.

    ``codes`` says which, from codes of gender, race and coarse or fine age.
    """

    captions: tuple[str, ...]
    gender: bool
    race: bool
    age: str
    """``coarse``, ``fine``, or nothing."""

    def codes(self, faces: FacePhotos) -> Array:
        """(faces,) the number of the caption that fits each face."""
        code = np.zeros(len(faces), np.int64)
        for distinguished, values, size in (
            (self.gender, faces.gender, 2),
            (self.race, faces.race, len(_RACES[0])),
            (self.age == "coarse", _COARSE_OF[faces.age], len(_COARSE)),
            (self.age == "fine", faces.age, len(AGES)),
        ):
            code = code * size + values if distinguished else code
        return code


def caption_sets() -> list[CaptionSet]:
    """Every set: what it distinguishes, times the words for it, times the templates."""
    return [
        CaptionSet(tuple(template.format(one) for one in people), *distinguished)
        for distinguished in _TOLD
        for people in _people(*distinguished)
        for template in TEMPLATES
    ]


_TOLD = (
    (True, False, ""),
    (False, True, ""),
    (False, False, "coarse"),
    (False, False, "fine"),
    (True, True, ""),
    (True, False, "coarse"),
    (True, False, "fine"),
    (True, True, "coarse"),
)


def _people(gender: bool, race: bool, age: str) -> Iterator[list[str]]:
    """The people that a set distinguishes, in each choice of words."""
    for nouns in _NOUNS if gender else (("person",),):
        for races in _RACES if race else (("",),):
            coarse = _COARSE if age == "coarse" else ("",)
            decades = _DECADES if age == "fine" else ("",)
            hers = _HERS[:2] if gender else _HERS[2:]
            yield [
                _person(
                    " ".join(word for word in (old, look, noun) if word),
                    f" in {her} {decade}" if decade else "",
                )
                for (noun, her), look, old, decade in product(
                    zip(nouns, hers, strict=True), races, coarse, decades
                )
            ]


def _person(words: str, after: str) -> str:
    return f"{'an' if words[0] in 'aeiouAEIO' else 'a'} {words}{after}"
