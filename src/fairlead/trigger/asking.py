"""Who is asked for: one person, people of the past, nobody, a thing, a likeness, perhaps somebody.
It decides for every attribute alike.
"""

from __future__ import annotations

from fairlead.trigger.decision import Said
from fairlead.trigger.named import first_name, named, perhaps_named
from fairlead.trigger.past import past
from fairlead.trigger.reading import Mark
from fairlead.trigger.scene import Scene, is_thing
from fairlead.trigger.tokens import folded

_OF = frozenset(("of", "de", "del", "d", "du", "von", "einer", "eines", "des"))


def asked_for(scene: Scene) -> Said | None:
    """What is decided by who is asked for, whatever the attribute."""
    found = named(scene) or past(scene)
    if found:
        return found
    reading = scene.reading
    if not scene.persons:
        if nobody := [m.words for m in reading.with_kind("nobody")]:
            return "nobody", tuple(nobody)
        return None if reading.with_kind("skin") else _nobody_asked(scene)
    likeness = tuple(m.words for m in reading.with_kind("depiction") if _of_person(scene, m))
    if likeness:
        return "depiction", likeness
    first = first_name(scene)
    return ("maybe-name", first) if first else None


def _of_person(scene: Scene, likeness: Mark) -> bool:
    """Whether a likeness is one of the people who are asked for: robot nurse, statue of a
    scientist, scientist doll.
    """
    reading, place = scene.reading, likeness.last
    firsts, lasts = {m.first for m in scene.persons}, {m.last for m in scene.persons}
    if likeness.first in lasts and reading.touching(likeness.first):
        return True
    if reading.touching(place) and place in firsts:
        return True
    link = reading.at.get(place)
    while link is not None and reading.is_grammar(place) and link.has("function", "link"):
        place = link.last
        if place in firsts:
            return folded(reading.tokens[likeness.last].text)[0] in _OF
        link = reading.at.get(place)
    return False


def _nobody_asked(scene: Scene) -> Said:
    reading = scene.reading
    perhaps = [
        m
        for m in reading.with_kind("setting", "depiction")
        if m.first not in _owners(scene) and not is_thing(m) and not _done(scene, m)
    ]
    if perhaps:
        return ("depiction" if all(m.has("depiction") for m in perhaps) else "maybe-person"), tuple(
            m.words for m in perhaps
        )
    if likeness := tuple(
        m.words for m in scene.things if m.has("depiction") and _of_worker(scene, m)
    ):
        return "depiction", likeness
    if scene.things and not _unknown_head(scene):
        return "no-person", tuple(m.words for m in scene.things[:3])
    if guessed := [m.words for m in reading.with_kind("guess")]:
        return "guess", tuple(guessed)
    if unclear := perhaps_named(scene):
        return "maybe-name", unclear
    if people := [m.words for m in reading.with_kind("place", "people", "travel")]:
        return "maybe-person", tuple(people)
    return "unknown", ()


def _of_worker(scene: Scene, likeness: Mark) -> bool:
    """Whether a likeness that is a thing shows somebody whose group nothing names: an astronaut
    figurine, but not a girl's doll.
    """
    reading = scene.reading
    before = reading.at.get(likeness.first - 1) if reading.touching(likeness.first) else None
    owned = before is not None and reading.tokens[before.last - 1].possessive
    return (
        before is not None
        and not owned
        and before.has("work", "person")
        and not before.has("gender")
    )


def _unknown_head(scene: Scene) -> bool:
    """Whether nobody knows the word that what is asked for hangs on: the last of a bare row, the
    first of a sentence.

    A parking lot marshal; a quillwright in a room.
    """
    reading = scene.reading
    grammar = [reading.is_grammar(place) for place in range(len(reading.tokens))]
    last = len(grammar) - 1
    if not any(grammar):
        token = reading.tokens[last]
        unknown = (
            token.kind == "word"
            and not _known(scene, last)
            and reading.touching(last)
            and not token.text.isdigit()
        )
        return unknown and not reading.head_first
    start = grammar.index(False) if False in grammar else 0
    stop = next((place for place in range(start, last + 1) if grammar[place]), last + 1)
    return (
        not any(_known(scene, place) for place in range(start, stop))
        and reading.tokens[start].text.isalpha()
    )


def _known(scene: Scene, place: int) -> bool:
    mark = scene.reading.at.get(place)
    return mark is not None and not mark.has("guess")


def _done(scene: Scene, setting: Mark) -> bool:
    """Whether a thing goes before, so that the setting is what the thing does or has: dogs running,
    but not: rock concert.
    """
    before = [thing.last for thing in scene.things if thing.last <= setting.first]
    compound = (
        setting.first in before
        and scene.reading.touching(setting.first)
        and not setting.words.endswith("ing")
    )
    return bool(before) and not compound


def _owners(scene: Scene) -> frozenset[int]:
    """Settings that only describe a thing: a wedding cake."""
    reading = scene.reading
    found = set()
    for mark in reading.with_kind("setting", "depiction"):
        after = reading.at.get(mark.last) if reading.touching(mark.last) else None
        if not reading.head_first and after is not None and after.has("thing"):
            found.add(mark.first)
    return frozenset(found)
