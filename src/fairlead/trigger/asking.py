"""Who is asked for: this decides for every attribute alike.

It may be one person, people of the past, nobody, a thing, a likeness, or perhaps somebody.
"""

from __future__ import annotations

from fairlead.trigger.decision import Said
from fairlead.trigger.named import first_name, named, perhaps_named
from fairlead.trigger.past import past
from fairlead.trigger.reading import Phrase
from fairlead.trigger.scene import QueryScene, is_thing
from fairlead.trigger.tokens import folded

_OF = frozenset(("of", "de", "del", "d", "du", "von", "einer", "eines", "des"))


def asked_for(scene: QueryScene) -> Said | None:
    """The decision that follows from who is asked for, whatever the attribute."""
    rule = named(scene) or past(scene)
    if rule:
        return rule
    reading = scene.reading
    # without a person the query may still be about people: a wedding, hands, a statue
    if not scene.persons:
        if nobody := [m.words for m in reading.with_kind("nobody")]:
            return "nobody", tuple(nobody)
        if reading.with_kind("skin"):
            return None
        return _nobody_asked(scene)
    # a robot in the picture changes nothing; a robot nurse does
    likeness = tuple(m.words for m in reading.with_kind("depiction") if _of_person(scene, m))
    if likeness:
        return "depiction", likeness
    if names := first_name(scene):
        return "maybe-name", names
    return None


def _of_person(scene: QueryScene, likeness: Phrase) -> bool:
    """Whether a likeness is of one of the people asked for.

    Examples: robot nurse, statue of a scientist, scientist doll.
    """
    reading = scene.reading
    place = likeness.last
    firsts = {m.first for m in scene.persons}
    lasts = {m.last for m in scene.persons}
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


def _nobody_asked(scene: QueryScene) -> Said:
    reading = scene.reading
    perhaps = [
        m
        for m in reading.with_kind("setting", "depiction")
        if m.first not in _owners(scene) and not is_thing(m) and not _done(scene, m)
    ]
    if perhaps:
        words = tuple(m.words for m in perhaps)
        if all(m.has("depiction") for m in perhaps):
            return "depiction", words
        return "maybe-person", words
    if likeness := tuple(
        m.words for m in scene.things if m.has("depiction") and _of_worker(scene, m)
    ):
        return "depiction", likeness
    # a thing decides only if the main word is known: in parking lot marshal it is not
    if scene.things and not _unknown_head(scene):
        return "no-person", tuple(m.words for m in scene.things[:3])
    if guessed := [m.words for m in reading.with_kind("guess")]:
        return "guess", tuple(guessed)
    if unclear := perhaps_named(scene):
        return "maybe-name", unclear
    if people := [m.words for m in reading.with_kind("place", "people", "travel")]:
        return "maybe-person", tuple(people)
    return "unknown", ()


def _of_worker(scene: QueryScene, likeness: Phrase) -> bool:
    """Whether a likeness that is a thing shows somebody whose group nothing names.

    An astronaut figurine does, a girl's doll does not.
    """
    reading = scene.reading
    before = reading.before(likeness.first)
    owned = before is not None and reading.tokens[before.last - 1].possessive
    return (
        before is not None
        and not owned
        and before.has("work", "person")
        and not before.has("gender")
    )


def _unknown_head(scene: QueryScene) -> bool:
    """Whether no bank knows the main word of the query.

    That is the last word of a bare row (a parking lot marshal), the first of a sentence (a
    quillwright in a room).
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
    start = 0
    if False in grammar:
        start = grammar.index(False)
    stop = next((place for place in range(start, last + 1) if grammar[place]), last + 1)
    return (
        not any(_known(scene, place) for place in range(start, stop))
        and reading.tokens[start].text.isalpha()
    )


def _known(scene: QueryScene, place: int) -> bool:
    mark = scene.reading.at.get(place)
    return mark is not None and not mark.has("guess")


def _done(scene: QueryScene, setting: Phrase) -> bool:
    """Whether a setting is what a thing before it does or has.

    So in dogs running, but not in rock concert.
    """
    before = [thing.last for thing in scene.things if thing.last <= setting.first]
    compound = (
        setting.first in before
        and scene.reading.touching(setting.first)
        and not setting.words.endswith("ing")
    )
    return bool(before) and not compound


def _owners(scene: QueryScene) -> frozenset[int]:
    """Settings that only describe a thing: a wedding cake."""
    reading = scene.reading
    owned = set()
    for mark in reading.with_kind("setting", "depiction"):
        after = reading.here(mark.last)
        if not reading.head_first and after is not None and after.has("thing"):
            owned.add(mark.first)
    return frozenset(owned)
