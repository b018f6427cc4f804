"""A face in one form for all services, and the checks that every reader needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairlead.errors import DataError


@dataclass(frozen=True)
class ServiceFace:
    """A face that a service found.

    Attributes:
        gender: Perceived presentation, ``female`` or ``male``; None where the service says nothing.
        size: Its area, in units of the service; for comparison within a picture only.
        face: How sure the service is that it is a face, in [0, 1]; 1 where it does not tell.
        sure: How sure the service is of the gender, in [0, 1]; 1 where it does not tell.
    """

    gender: str | None
    size: float = 0.0
    face: float = 1.0
    sure: float = 1.0


def gender_of(value: Any, place: str) -> str | None:
    """``female`` or ``male``, however a service spells it; None where it says nothing."""
    if value is None or value == "":
        return None
    gender = str(value).strip().casefold()
    if gender not in ("female", "male"):
        raise DataError(
            f"{place}: the gender {value!r} is neither female nor male.",
            "Give the service's results as they came.",
        )
    return gender


def share_of(value: Any, place: str, whole: float = 1.0) -> float:
    """A confidence in [0, 1]; ``whole`` is what the service gives for certain.

    A missing confidence counts as certain.
    """
    if value is None:
        return 1.0
    number = _number(value, place, "confidence") / whole
    if not 0 <= number <= 1:
        raise DataError(
            f"{place}: the confidence {value!r} does not lie between 0 and {whole:g}.",
            "Give the results as they came.",
        )
    return number


def area_of(box: Any, place: str, sides: tuple[str, str] = ("width", "height")) -> float:
    """The area of a rectangle, from its sides or its four edges; 0 where there is none."""
    if not box:
        return 0.0
    box = object_of(box, place, "a rectangle")
    if all(side in box for side in sides):
        return math.prod(_number(box[side], place, side) for side in sides)
    left_edge, top, right, bottom = (
        _number(box.get(side), place, side) for side in ("left", "top", "right", "bottom")
    )
    return (right - left_edge) * (bottom - top)


def object_of(value: Any, place: str, what: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, Mapping):
        raise DataError(
            f"{place}: {what} should be an object, and is {_shown(value)}.",
            "Give the service's results as they came.",
        )
    return value


def list_of(value: Any, place: str, what: str) -> list[Any]:
    """A JSON list."""
    if not isinstance(value, list):
        raise DataError(
            f"{place}: {what} should be a list, and is {_shown(value)}.",
            "Give the service's results as they came.",
        )
    return value


def _number(value: Any, place: str, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise DataError(
            f"{place}: {what} is {_shown(value)}, which is no number.",
            "Give the service's results as they came.",
        )
    return float(value)


def _shown(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    if len(text) <= 40:
        return text
    return f"{text[:39]}…"
