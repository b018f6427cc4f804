"""Annotators that read what face services answered: Rekognition, Azure, Face++ and Luxand.

No service is asked here. Rules: a picture in which no face was found, about which nothing was
asked, or whose faces say nothing is unknown, never "not applicable": a face that is not found is no
absent person. Faces below ``face`` are none; a gender below ``confident`` says nothing. Where
several faces speak, ``several`` decides: ``agree`` takes what all of them say, else unknown;
``largest`` asks the largest one alone; ``share`` gives every face the same part of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.annotators.asked import cannot
from fairlead.errors import DataError, UsageError
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.store.face_files import azure, facepp, luxand, rekognition
from fairlead.store.face_files.containers import Reader, read_faces
from fairlead.store.face_files.faces import ServiceFace
from fairlead.store.names import rows_of_answers
from fairlead.types import UNKNOWN, Collection, Groups
from fairlead.types.ragged import Array

GENDERS = ("female", "male")


@dataclass(frozen=True)
class _Service(Configured):
    """What all services have in common."""

    path: str
    several: Literal["agree", "largest", "share"] = "agree"

    addressed: ClassVar[str | None] = "path"
    # What a service answered is read from a file; the service itself is never asked.
    reaches: ClassVar[Reach] = Reach()
    needs: ClassVar[frozenset[str]] = frozenset()
    title: ClassVar[str]
    ask: ClassVar[str]
    reader: ClassVar[Reader]

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """Gender alone is read."""
        return ("gender",)

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """The labels of the collection's items."""
        if attribute != "gender":
            raise cannot(self, attribute, self.attributes(collection))
        shares = np.array([self._share(faces) for faces in self._of(collection.ids)]).reshape(-1, 2)
        if self.several == "share":
            return Groups(attribute, GENDERS, soft=shares, source=str(self))
        codes = np.where(shares.max(1, initial=0) > 0, shares.argmax(1), UNKNOWN)
        return Groups(attribute, GENDERS, codes=codes.astype(np.int16), source=str(self))

    def detected(self, collection: Collection) -> Array:
        """(items,) whether a face was found."""
        return np.array(
            [bool(self._seen(faces or ())) for faces in self._of(collection.ids)], np.bool_
        )

    def missing(self, collection: Collection) -> int:
        """How many items the file says nothing about."""
        return sum(faces is None for faces in self._of(collection.ids))

    def _of(self, ids: Sequence[str]) -> list[list[ServiceFace] | None]:
        """The faces of every item; None where the file does not know it."""
        names = list(self._read)
        faces_of: list[list[ServiceFace] | None] = [None] * len(ids)
        first: dict[int, str] = {}
        for name, row in zip(names, rows_of_answers(names, ids), strict=True):
            # A batch may name a picture twice, by its path and by its name; alike answers are one.
            if row >= 0 and self._read[first.setdefault(row, name)] != self._read[name]:
                fault = (
                    f"{self} answers about '{ids[row]}' twice, differently, as '{first[row]}' "
                    f"and as '{name}'."
                )
                raise DataError(fault, "Spell the pictures as the items are spelled.")
            if row >= 0:
                faces_of[row] = self._read[name]
        # A file about other pictures would read as a service that finds no faces.
        if ids and all(faces is None for faces in faces_of):
            raise DataError(
                f"{self} knows none of the items: it has '{names[0]}', they are '{ids[0]}'.",
                "Spell both alike.",
            )
        return faces_of

    @cached_property
    def _read(self) -> dict[str, list[ServiceFace]]:
        answers = read_faces(self.path, type(self).reader)
        faces = [face for of_picture in answers.values() for face in of_picture]
        # Services give gender only where it was asked for: all unknown would look like a bad
        # service.
        if faces and all(face.gender is None for face in faces):
            raise DataError(f"{self}: none of its {len(faces):,} faces has a gender.", self.ask)
        return answers

    def _seen(self, faces: Sequence[ServiceFace]) -> Sequence[ServiceFace]:
        # Only services that say how sure they are have these parameters.
        return [face for face in faces if face.face >= getattr(self, "face", 0)]

    def _share(self, faces: Sequence[ServiceFace] | None) -> tuple[float, float]:
        """What a picture shows, judged by its faces: shares of female and male."""
        visible = self._seen(faces or ())
        if self.several == "largest" and visible:
            visible = [max(visible, key=lambda face: face.size)]
        genders = [
            face.gender
            for face in visible
            if face.gender is not None and face.sure >= getattr(self, "confident", 0)
        ]
        if not genders or (self.several == "agree" and len(set(genders)) > 1):
            return 0.0, 0.0
        return genders.count("female") / len(genders), genders.count("male") / len(genders)

    def validate(self) -> None:
        for name in ("face", "confident"):
            value = getattr(self, name, 0.0)
            if not 0 <= value <= 1:
                raise UsageError(
                    f"{self.name}({name}={value:g}) is no share.", "Give a number between 0 and 1."
                )


@dataclass(frozen=True)
class Rekognition(_Service):
    """What Amazon Rekognition answered: ``rekognition:faces.jsonl``, responses of DetectFaces.

    ``face`` and ``confident``: the least confidence of a face, and of its gender, in [0, 1].
    """

    face: float = 0.0
    confident: float = 0.0

    name: ClassVar[str] = "rekognition"
    title: ClassVar[str] = "Amazon Rekognition"
    ask: ClassVar[str] = rekognition.ASK
    reader: ClassVar[Reader] = rekognition.read_rekognition
    source: ClassVar[str] = "Amazon Rekognition, DetectFaces"
    blind_spot: ClassVar[str] = (
        "Sees faces alone, large frontal ones best; two genders; errs more for some than "
        "for others."
    )


@dataclass(frozen=True)
class Azure(_Service):
    """Answers of Microsoft Azure from when it gave gender: ``azure:faces.jsonl``.

    They are responses of Face or of Image Analysis.
    """

    name: ClassVar[str] = "azure"
    title: ClassVar[str] = "Microsoft Azure"
    ask: ClassVar[str] = azure.ASK
    reader: ClassVar[Reader] = azure.read_azure
    source: ClassVar[str] = "Microsoft Azure, Face and Image Analysis"
    blind_spot: ClassVar[str] = (
        "Sees faces alone; two genders, without saying how sure; withdrawn in 2022, so "
        "nothing new can be asked."
    )


@dataclass(frozen=True)
class FacePP(_Service):
    """What Face++ answered: ``facepp:faces.jsonl``, responses of Detect."""

    name: ClassVar[str] = "facepp"
    title: ClassVar[str] = "Face++"
    ask: ClassVar[str] = facepp.ASK
    reader: ClassVar[Reader] = facepp.read_facepp
    source: ClassVar[str] = "Face++, Detect v3"
    blind_spot: ClassVar[str] = (
        "Sees faces alone, and says something of the five largest only; two genders, "
        "without saying how sure."
    )


@dataclass(frozen=True)
class Luxand(_Service):
    """What Luxand answered: ``luxand:faces.jsonl``, responses of photo/detect.

    ``confident``: the least probability of a gender.
    """

    confident: float = 0.0

    name: ClassVar[str] = "luxand"
    title: ClassVar[str] = "Luxand"
    ask: ClassVar[str] = luxand.ASK
    reader: ClassVar[Reader] = luxand.read_luxand
    source: ClassVar[str] = "Luxand.cloud, photo/detect"
    blind_spot: ClassVar[str] = (
        "Sees faces alone; two genders, with a probability nobody has calibrated."
    )
