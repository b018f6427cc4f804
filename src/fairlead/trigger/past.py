"""The past: roles that were bound to a group (``founding fathers``, ``samurai``), and times
(``1943``, ``18th century``) beside people.
"""

from __future__ import annotations

import re

from fairlead.trigger.decision import Said
from fairlead.trigger.scene import Scene, is_thing

_YEAR = re.compile(r"(1[0-9]\d\d)(?:s|er|年|年代)?")
LAST_YEAR = 1969
"""Later years are lived memory with archives of their own; earlier ones count as the past."""


def past(scene: Scene) -> Said | None:
    """The rule that sees the past, and the words it saw."""
    found = _roles(scene) or _times(scene)
    if not found:
        return None
    today = [m.words for m in scene.reading.with_kind("revival")]
    return ("past-today", (*found, *today)) if today else ("past", found)


def _roles(scene: Scene) -> tuple[str, ...]:
    return tuple(
        m.words for m in scene.reading.with_kind("role") if m.first not in scene.describing
    )


def _times(scene: Scene) -> tuple[str, ...]:
    """Times count beside people; where nothing else is asked for, they are what is asked for."""
    reading = scene.reading
    times = [m.words for m in reading.with_kind("time") if m.first not in scene.describing]
    for place, token in enumerate(reading.tokens):
        year = _YEAR.fullmatch(token.text)
        after = reading.at.get(place + 1) if reading.touching(place + 1) else None
        if year and int(year[1]) <= LAST_YEAR and not (after is not None and is_thing(after)):
            times.append(token.written)
    if not times or not (scene.persons or not scene.things):
        return ()
    number = not scene.persons and all(
        time.isdigit() for time in times
    )  # without people a number may count anything
    return () if number else tuple(times)
