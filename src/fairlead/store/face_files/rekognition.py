"""Amazon Rekognition, DetectFaces: ``FaceDetails`` with boxes, confidences and genders.

The fields are ``BoundingBox``, ``Confidence`` (in percent) and ``Gender``.

``Gender`` is there only where it was asked for (``Attributes=["ALL"]`` or ``["GENDER"]``). The
service returns the 100 largest faces.
"""

from __future__ import annotations

from typing import Any

from fairlead.errors import DataError
from fairlead.store.face_files.faces import (
    ServiceFace,
    area_of,
    gender_of,
    list_of,
    object_of,
    share_of,
)

ASK = 'Ask DetectFaces with Attributes=["ALL"].'
_SIDES = ("Width", "Height")


def read_rekognition(response: Any, place: str) -> list[ServiceFace]:
    """The faces of one response."""
    answer = object_of(response, place, "a response of Rekognition")
    if "FaceDetails" not in answer:
        raise DataError(
            f"{place} is no response of DetectFaces: it has no 'FaceDetails'.",
            "Give the responses as they came.",
        )
    return [
        _face(face, f"{place}, face {number}")
        for number, face in enumerate(list_of(answer["FaceDetails"], place, "'FaceDetails'"), 1)
    ]


def _face(face: Any, place: str) -> ServiceFace:
    face_object = object_of(face, place, "a face")
    gender = object_of(face_object.get("Gender") or {}, place, "'Gender'")
    size = area_of(face_object.get("BoundingBox"), place, _SIDES)
    sure = share_of(gender.get("Confidence"), place, 100)
    return ServiceFace(
        gender_of(gender.get("Value"), place),
        size,
        share_of(face_object.get("Confidence"), place, 100),
        sure,
    )
