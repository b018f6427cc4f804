"""Named persons and persons of whom there is one.

Known names, titles before a name, given names, names as they are written, ``my brother's doctor``,
``the mayor of Hamburg``.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairlead.trigger.decision import Said
from fairlead.trigger.reading import Phrase
from fairlead.trigger.scene import PEOPLE, QueryScene, is_thing
from fairlead.trigger.tokens import folded
from fairlead.words import names

# Words between the parts of a name
_PARTICLES = frozenset(
    (
        "de",
        "von",
        "van",
        "da",
        "di",
        "del",
        "la",
        "le",
        "du",
        "d",
        "der",
        "den",
        "bin",
        "ibn",
        "el",
        "al",
    )
)
# People who are asked for in the name of another
_AFTER = frozenset(
    (
        "fan",
        "fans",
        "supporter",
        "supporters",
        "follower",
        "followers",
        "voter",
        "voters",
        "impersonator",
        "impersonators",
        "lookalike",
    )
)
_DEFINITE = "ar"
# Languages without capital letters, whose titles are followed by a name
_HONOURED = ("hi", "yo")


def named(scene: QueryScene) -> Said | None:
    """The rule that sees one particular person, if any, and the words it saw."""
    person = _one_person(scene)
    if person:
        return "one-person", person
    for finder in (_known, _titled, _given, _proper):
        words = finder(scene)
        if words:
            return "name", words
    return None


def first_name(scene: QueryScene) -> tuple[str, ...]:
    """Given names beside people: nurse Maria."""
    reading = scene.reading
    # German writes every noun with a capital
    if not reading.capitals_tell or reading.language == "de":
        return ()
    return tuple(
        m.words
        for m in reading.with_kind("given")
        if reading.tokens[m.first].capital and m.first not in scene.describing
    )


def perhaps_named(scene: QueryScene) -> tuple[str, ...]:
    """A given name or a capitalised word that stands alone.

    It may be a person, a place or a brand.
    """
    reading = scene.reading
    words = [
        m.words
        for m in reading.with_kind("given")
        if reading.tokens[m.first].capital and m.first not in scene.describing
    ]
    known = [m for m in reading.marks if not reading.is_grammar(m.first)]
    if (
        not words
        and not known
        and len(reading.tokens) == 1
        and reading.tokens[0].capital
        and reading.language != "de"
    ):
        words = [reading.tokens[0].written]
    return tuple(words)


def _known(scene: QueryScene) -> tuple[str, ...]:
    reading = scene.reading
    return tuple(
        m.words
        for m in reading.with_kind("name")
        if m.first not in scene.describing
        and not (reading.touching(m.last) and reading.tokens[m.last].text in _AFTER)
        and (m.kinds == {"name"} or (reading.tokens[m.first].capital and reading.capitals_tell))
    )


def _titled(scene: QueryScene) -> tuple[str, ...]:
    reading = scene.reading
    for mark in reading.with_kind("title"):
        place = mark.last
        while (
            place + 1 < len(reading.tokens)
            and reading.tokens[place].text in _PARTICLES
            and not reading.tokens[place].apart
        ):
            place += 1
        if place >= len(reading.tokens):
            continue
        token = reading.tokens[place]
        after = reading.at.get(place)
        if token.apart:
            continue
        name = after is None or after.has("name", "given", "surname")
        written = (
            token.capital
            and (reading.capitals_tell or reading.language == "de")
            and len(token.text) > 1
        )
        honoured = after is None and any(
            e.kind == "title" and e.language in _HONOURED for e in mark.entries
        )
        definite = (
            after is None
            and mark.words.startswith("ال")
            and any(e.language == _DEFINITE for e in mark.entries)
        )
        if name and token.kind == "word" and (written or honoured or definite):
            return (
                " ".join([mark.words, *(t.written for t in reading.tokens[mark.last : place + 1])]),
            )
    return ()


def _given(scene: QueryScene) -> tuple[str, ...]:
    """A given name before a surname, or before a word that is written as a name."""
    reading = scene.reading
    for mark in reading.with_kind("given"):
        place = mark.last
        first = reading.tokens[mark.first]
        if (
            not reading.touching(place)
            or mark.first in scene.describing
            or first.kind != "word"
            or first.possessive
        ):
            continue
        token = reading.tokens[place]
        after = reading.at.get(place)
        if after is not None and (_is_place_word(after) or reading.is_grammar(place)):
            continue
        # words in capitals throughout are shouted, not named
        capital = first.capital and token.capital and not token.written.isupper()
        short = len(reading.tokens) <= 3
        if (
            after is not None
            and after.has("surname", "given")
            and (capital or mark.kinds == {"given"})
        ) or (
            capital
            and (reading.capitals_tell or short)
            and not (after is not None and after.has(*PEOPLE) and not reading.capitals_tell)
        ):
            return (f"{mark.words} {token.written}",)
    return ()


def _proper(scene: QueryScene) -> tuple[str, ...]:
    """Two or more words side by side that no bank knows, all with capitals.

    Only where capitals say something.
    """
    reading = scene.reading
    if reading.language == "de" and not any(m.has("given") for m in reading.marks):
        return ()
    for run in _capital_runs(scene):
        alone = len(run) == sum(
            t.kind == "word" and not reading.is_grammar(i) for i, t in enumerate(reading.tokens)
        )
        apposed = run[-1] + 1 < len(reading.tokens) and reading.tokens[run[-1] + 1].apart
        if len(run) >= 2 and (reading.capitals_tell or alone) and (not scene.persons or apposed):
            after = reading.at.get(run[-1] + 1)
            if after is None or not (reading.touching(run[-1] + 1) and is_thing(after)):
                return (" ".join(reading.tokens[place].written for place in run),)
    return ()


def _capital_runs(scene: QueryScene) -> Iterator[list[int]]:
    reading = scene.reading
    run: list[int] = []
    for place, token in enumerate(reading.tokens):
        mark = reading.at.get(place)
        named = mark is None or mark.guessed or mark.kinds <= {"given", "surname"}
        fits = (
            named
            and token.kind == "word"
            and token.capital
            and not (token.written.isupper() and len(token.written) > 1)
        )
        if not fits or (run and not reading.touching(place)):
            if run:
                yield run
            run = []
        if fits:
            run.append(place)
    if run:
        yield run


def _one_person(scene: QueryScene) -> tuple[str, ...]:
    reading = scene.reading
    # my brother and the like, where a language says it in one phrase
    alone = reading.with_kind("single")
    if alone:
        return (alone[0].words,)
    for mark in reading.with_kind("own"):
        person = _owned(scene, mark)
        if person is not None:
            return (f"{mark.words} {person.words}",)
    for mark in reading.with_kind("given"):
        if (
            reading.tokens[mark.first].possessive
            and reading.tokens[mark.first].capital
            and scene.persons
        ):
            return (f"{mark.words}'s",)
    for mark in reading.with_kind("office"):
        where = _office(scene, mark)
        if where == mark.words:
            return (where,)
        if where:
            return (f"{mark.words} … {where}",)
    return ()


def _owned(scene: QueryScene, own: Phrase) -> Phrase | None:
    """The person who is mine or ours, with at most two words in between."""
    reading = scene.reading
    place = own.last
    for _ in range(3):
        if not reading.touching(place):
            return None
        neighbour = reading.at.get(place)
        if neighbour is not None and neighbour.has("kin", *PEOPLE):
            if neighbour.has("kin") or neighbour.first not in scene.describing:
                return neighbour
            return None
        if neighbour is not None and (is_thing(neighbour) or neighbour.has("split")):
            return None
        place += 1
    return None


def _office(scene: QueryScene, mark: Phrase) -> str:
    """Where an office has one holder, what it is the office of.

    That is a country, which may come before the office, or a name.
    """
    reading = scene.reading
    before = reading.before(mark.first)
    if before is not None and before.has("place", "people") and not before.has("function"):
        if any(e.language in ("zh", "ja", "en") for e in before.entries):
            return before.words
        return ""
    place = mark.last
    link = reading.at.get(place)
    if link is None or folded(link.words)[0] not in (
        "of",
        "de",
        "du",
        "del",
        "von",
        "der",
        "des",
        "d",
    ):
        return ""
    place = link.last
    after = reading.at.get(place)
    while (
        after is not None
        and after.kinds <= {"function", "split", "feminine_articles"}
        and place < len(reading.tokens)
    ):
        place = after.last
        after = reading.at.get(place)
    if place >= len(reading.tokens):
        return ""
    token = reading.tokens[place]
    is_name = (
        token.capital
        and reading.capitals_tell
        and not (after is not None and after.has(*PEOPLE, "setting"))
    )
    if is_name or (after is not None and after.has("place")):
        return token.written
    return ""


def _is_place_word(mark: Phrase) -> bool:
    heads = _heads()
    return mark.words.casefold() in heads or (is_thing(mark) and mark.has("scene"))


def _heads() -> frozenset[str]:
    return frozenset(names()["thing_heads"])
