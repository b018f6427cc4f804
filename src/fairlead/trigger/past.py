"""The past: roles that were bound to a group, and times beside people.

Roles are ``founding fathers`` or ``samurai``, times ``1943`` or ``18th century``.
"""

from __future__ import annotations

import re

from fairlead.trigger.decision import Said
from fairlead.trigger.scene import QueryScene, is_thing

_YEAR = re.compile(r"(1[0-9]\d\d)(?:s|er|年|年代)?")
LAST_YEAR = 1969
"""Later years are lived memory with archives of their own; earlier ones count as the past."""


def past(scene: QueryScene) -> Said | None:
    """The rule for the past, if it applies, and the words it saw."""
    words = _roles(scene) or _times(scene)
    if not words:
        return None
    today = [m.words for m in scene.reading.with_kind("revival")]
    if today:
        return ("past-today", (*words, *today))
    return ("past", words)


def _roles(scene: QueryScene) -> tuple[str, ...]:
    return tuple(
        m.words for m in scene.reading.with_kind("role") if m.first not in scene.describing
    )


def _times(scene: QueryScene) -> tuple[str, ...]:
    """Times beside people, or where nothing but a time is asked for."""
    reading = scene.reading
    # a time that describes a thing is of the thing: a 1930s car
    times = [m.words for m in reading.with_kind("time") if m.first not in scene.describing]
    for place, token in enumerate(reading.tokens):
        year = _YEAR.fullmatch(token.text)
        after = reading.here(place + 1)
        if year and int(year[1]) <= LAST_YEAR and not (after is not None and is_thing(after)):
            times.append(token.written)
    if not times or not (scene.persons or not scene.things):
        return ()
    # without people a number may count anything
    if not scene.persons and all(time.isdigit() for time in times):
        return ()
    return tuple(times)
