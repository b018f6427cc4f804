"""Face++, Detect v3: ``faces`` with ``face_rectangle`` and ``attributes.gender.value``.

Face++ tells no confidence of the gender, and attributes of the five largest faces alone: further
ones are found, and say nothing.
"""

from __future__ import annotations

from typing import Any

from fairlead.errors import DataError
from fairlead.store.face_files.faces import ServiceFace, area_of, gender_of, list_of, object_of

ASK = "Ask Detect with return_attributes=gender."


def read_facepp(response: Any, place: str) -> list[ServiceFace]:
    """The faces of one response."""
    answer = object_of(response, place, "a response of Face++")
    if "faces" not in answer:
        message = answer.get("error_message")
        if message:
            fault = f"is an error of Face++: {message}"
        else:
            fault = "is no response of Face++ Detect: it has no 'faces'"
        raise DataError(f"{place} {fault}.", "Ask again about that picture, or leave it out.")
    return [
        _face(face, f"{place}, face {number}")
        for number, face in enumerate(list_of(answer["faces"], place, "'faces'"), 1)
    ]


def _face(face: Any, place: str) -> ServiceFace:
    face_object = object_of(face, place, "a face")
    attributes = object_of(face_object.get("attributes") or {}, place, "'attributes'")
    gender = object_of(attributes.get("gender") or {}, place, "'gender'")
    return ServiceFace(
        gender_of(gender.get("value"), place), area_of(face_object.get("face_rectangle"), place)
    )
