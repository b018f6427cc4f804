"""Microsoft Azure: faces of the Face service (``faceRectangle``, ``faceAttributes.gender``), or of
Image Analysis (``gender``).

Azure tells no confidence. It stopped telling gender in 2022, so that what there is was asked
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
    own = object_of(face, place, "a face")
    told = object_of(own.get("faceAttributes") or {}, place, "'faceAttributes'").get(
        "gender", own.get("gender")
    )
    return ServiceFace(gender_of(told, place), area_of(own.get("faceRectangle"), place))
