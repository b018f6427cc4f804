"""What a query says of an attribute itself.

It may have words for a gender, an age, a skin tone or a people, traits that imply one, and hints
that may.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from fairlead.trigger.reading import Phrase, QueryReading
from fairlead.trigger.scene import PEOPLE, QueryScene

Words = tuple[str, ...]
_YEARS = frozenset(
    (
        "jahre",
        "jahrige",
        "jahriger",
        "jahriges",
        "jahrigen",
        "jahren",
        "anos",
        "ans",
        "岁",
        "歳",
        "才",
        "साल",
        "वर्ष",
        "سنة",
        "عاما",
        "عام",
    )
)
_OLD = frozenset(("old", "age", "alt"))
# Letters that both forms of a word for work begin with
_STEM = 3
_AGE = re.compile(r"\d{1,3}")


def said(scene: QueryScene, attribute: str) -> Words:
    """The words that name a group of the attribute."""
    return _SAID[attribute](scene)


def _gender(scene: QueryScene) -> Words:
    reading = scene.reading
    paired = _paired(reading)
    marks = [
        m
        for m in reading.with_kind("gender")
        if m.first not in scene.describing
        and m.first not in paired
        and not _article_only(reading, m)
        and not _may_be_name(reading, m)
    ]
    marks += [
        m
        for m in reading.with_kind("feminine")
        if not m.has("gender") and m.first not in paired and not _agreeing(scene, m)
    ]
    if scene.persons:
        marks += [
            m for m in reading.with_kind("pronoun") if not m.has("gender") and not m.has("both")
        ]
        marks += _by_grammar(scene)
    return _words(marks)


def _article_only(reading: QueryReading, mark: Phrase) -> bool:
    """Whether the gender is only one reading of a word, and not in the query's language."""
    return mark.has("function") and not any(
        e.kind == "gender" and e.language == reading.language for e in mark.entries
    )


def _agreeing(scene: QueryScene, mark: Phrase) -> bool:
    """Whether a feminine form only describes a thing or agrees with the word before it.

    Examples: una persona jubilada, música gitana.
    """
    reading = scene.reading
    # in languages that put the noun first, an adjective after it agrees with it
    follows = (
        reading.head_first
        and reading.touching(mark.first)
        and not reading.is_grammar(mark.first - 1)
    )
    return mark.first in scene.describing or follows


def _may_be_name(reading: QueryReading, mark: Phrase) -> bool:
    """Whether a word for a group is also a given name, and written as one.

    Marie is an example: it is also the folded form of marié.
    """
    return mark.has("given") and reading.tokens[mark.first].capital and reading.capitals_tell


def _paired(reading: QueryReading) -> frozenset[int]:
    """Both forms of the same work, joined: Lehrerinnen und Lehrer, enfermeros y enfermeras."""
    firsts: set[int] = set()
    people = ("work", "person", "gender", "age", "travel", "skin")
    for mark in reading.with_kind(*people):
        join = reading.at.get(mark.last)
        place = mark.last + 1
        while join is not None and reading.is_grammar(place):
            place += 1
        other = None if join is None or not join.has("and") else reading.at.get(place)
        if (
            other is None
            or not other.has(*people)
            or mark.has("gender", "feminine") == other.has("gender", "feminine")
        ):
            continue
        if reading.tokens[mark.first].text[:_STEM] == reading.tokens[other.first].text[:_STEM]:
            firsts |= {mark.first, other.first}
    return frozenset(firsts)


def _by_grammar(scene: QueryScene) -> list[Phrase]:
    """Feminine articles or adjectives beside a word for both genders.

    Examples: la dentista, une ministre, estudiante africana.
    """
    reading = scene.reading
    feminine = []
    for mark in scene.persons:
        before = reading.at.get(mark.first - 1)
        if before is None or not reading.touching(mark.first):
            continue
        articles = [e.language for e in before.entries if e.kind == "feminine_articles"]
        # a plural article says nothing: les and los stand before both genders
        plural = mark.words.casefold().endswith(("s", "x"))
        if _for_both(mark, reading) and not plural and reading.language in articles:
            words = f"{before.words} {mark.words}"
            feminine.append(Phrase(before.first, mark.last, mark.entries, words))
    if reading.language != "es":
        return feminine
    for mark in reading.with_kind("colour", "people", "skin"):
        if not mark.words.casefold().endswith(("a", "as")):
            continue
        person = scene.beside_person(mark)
        if person is not None and _for_both(person, reading):
            feminine.append(mark)
    return feminine


def _for_both(mark: Phrase, reading: QueryReading) -> bool:
    """Whether a word for work has one form for both genders."""
    return any(
        e.language == reading.language and (e.group == "epicene" or e.kind == "maybe")
        for e in mark.entries
    )


def _age(scene: QueryScene) -> Words:
    reading = scene.reading
    marks = [m for m in reading.with_kind("age") if m.first not in scene.describing]
    marks += [
        m for m in reading.with_kind("age_adjective") if not m.has("age") and scene.beside_person(m)
    ]
    return (*_words(marks), *_years(reading))


def _years(reading: QueryReading) -> Words:
    """Ages in numbers: 80-year-old, aged 30, 12 ans, 30岁."""
    ages = []
    for place, token in enumerate(reading.tokens):
        if not _AGE.fullmatch(token.text):
            continue
        rest = [t.text for t in reading.tokens[place + 1 : place + 3]]
        before = reading.tokens[place - 1].text if place else ""
        english = rest[:1] in (["year"], ["years"], ["yr"]) and rest[1:] and rest[1] in _OLD
        if before == "aged" or english or (rest and rest[0] in _YEARS):
            ages.append(
                " ".join(
                    [token.written, *(t.written for t in reading.tokens[place + 1 : place + 2])]
                )
            )
    return tuple(ages)


def _skin(scene: QueryScene) -> Words:
    reading = scene.reading
    marks = [m for m in reading.with_kind("skin") if m.first not in scene.describing]
    for mark in reading.with_kind("colour", "people"):
        person = scene.beside_person(mark)
        linked = person is not None and any(
            reading.at[p].has("link") for p in range(mark.last, person.first) if p in reading.at
        )
        if person is not None and not mark.has("skin") and not (linked and person.has("travel")):
            marks.append(mark)
    return _words(marks)


_SAID: dict[str, Callable[[QueryScene], Words]] = {"gender": _gender, "age": _age, "skin": _skin}


def implied(scene: QueryScene, attribute: str) -> Words:
    """Traits that go with one group of the attribute."""
    return _words([m for m in scene.reading.with_kind("trait") if attribute in m.groups("trait")])


def places(scene: QueryScene) -> tuple[Words, bool]:
    """The countries that people are asked for in, and whether they may only visit them."""
    reading = scene.reading
    marks = [m for m in reading.with_kind("place") if not _describes_thing(scene, m)]
    visiting = bool(marks) and all(
        person.has("travel") for person in scene.persons if person.has(*PEOPLE)
    )
    return _words(marks), visiting


def _describes_thing(scene: QueryScene, mark: Phrase) -> bool:
    after = scene.reading.at.get(mark.last)
    return (
        after is not None
        and scene.reading.touching(mark.last)
        and after.has("thing", "scene")
        and not after.has(*PEOPLE)
    )


def hinted(scene: QueryScene, attribute: str) -> Words:
    """Words that often go with one group of the attribute."""
    return _words([m for m in scene.reading.with_kind("hint") if attribute in m.groups("hint")])


def ranged(scene: QueryScene, attribute: str) -> Words:
    """Words that ask for a range."""
    return _words([m for m in scene.reading.with_kind("range") if attribute in m.groups("range")])


def _words(marks: list[Phrase]) -> Words:
    return tuple(m.words for m in sorted(marks, key=lambda m: m.first))
