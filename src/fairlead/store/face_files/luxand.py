"""Luxand.cloud, photo/detect: a list of faces with ``rectangle`` and ``gender``.

``gender`` has a ``value`` and a ``probability`` in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
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

ASK = "Ask photo/detect, whose faces have 'gender'."


def read_luxand(response: Any, place: str) -> list[ServiceFace]:
    """The faces of one response."""
    if isinstance(response, Mapping):
        if "faces" not in response:
            message = response.get("message")
            if message:
                fault = f"is an error of Luxand: {message}"
            else:
                fault = "is no response of Luxand: it is no list of faces"
            raise DataError(
                f"{place} {fault}.", "Ask again about that picture, or leave it out; [] is no face."
            )
        response = response["faces"]
    faces = list_of(response, place, "a response of Luxand")
    return [_face(face, f"{place}, face {number}") for number, face in enumerate(faces, 1)]


def _face(face: Any, place: str) -> ServiceFace:
    face_object = object_of(face, place, "a face")
    gender = object_of(face_object.get("gender") or {}, place, "'gender'")
    size = area_of(face_object.get("rectangle"), place)
    sure = share_of(gender.get("probability"), place)
    return ServiceFace(gender_of(gender.get("value"), place), size, sure=sure)
