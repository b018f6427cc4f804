"""Microsoft Azure: faces of the Face service or of Image Analysis.

The former gives ``faceRectangle`` and ``faceAttributes.gender``, the latter ``gender``.

Azure gives no confidence. It stopped giving gender in 2022, so all such results were asked
before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlead.errors import DataError
from fairlead.store.face_files.faces import ServiceFace, area_of, gender_of, list_of, object_of

ASK = (
    "Only results asked with returnFaceAttributes=gender, before the service stopped telling "
    "it, can be read."
)


def read_azure(response: Any, place: str) -> list[ServiceFace]:
    """The faces of one response."""
    if isinstance(response, Mapping):
        if "faces" not in response:
            raise DataError(
                f"{place} is no response of Azure: it is no list of faces.",
                "Give the responses as they came; [] is no face.",
            )
        response = response["faces"]
    faces = list_of(response, place, "a response of Azure")
    return [_face(face, f"{place}, face {number}") for number, face in enumerate(faces, 1)]


def _face(face: Any, place: str) -> ServiceFace:
    face_object = object_of(face, place, "a face")
    gender = object_of(face_object.get("faceAttributes") or {}, place, "'faceAttributes'").get(
        "gender", face_object.get("gender")
    )
    return ServiceFace(gender_of(gender, place), area_of(face_object.get("faceRectangle"), place))
