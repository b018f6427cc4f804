"""Reading the word banks: one JSON file a language.

Words are separated by commas within a line, which keeps the files and their changes readable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fairlead.errors import unknown_name
from fairlead.words.forms import forms

Bank = Mapping[str, tuple[str, ...]]
LANGUAGES = ("en", "es", "fr", "de", "zh", "ja", "ar", "hi", "yo")
"""ISO 639-1 codes of the languages that have a bank."""


@cache
def bank(language: str) -> Bank:
    """The sections of a language, each a tuple of words.

    A section that a language does not need is missing.

    >>> "nurse" in bank("en")["work"], bank("es")["head"]
    (True, ('first',))
    """
    if language not in LANGUAGES:
        raise unknown_name("word bank", language, LANGUAGES)
    return _read(language)


@cache
def names() -> Bank:
    """Names of people, known and fictional, given names and surnames, by script.

    >>> "marie curie" in names()["people"]
    True
    """
    return _read("names")


def gender_words(language: str) -> dict[str, tuple[str, ...]]:
    """Every form that names a gender in a language, by gender.

    Pronouns and feminine forms of work are among them.

    Masculine forms of work are left out: many languages use them of everybody.

    >>> words = gender_words("es")
    >>> "enfermera" in words["female"], "enfermero" in words["male"]
    (True, False)
    """
    sections = bank(language)
    by_gender: dict[str, dict[str, None]] = {}
    for section, words in sections.items():
        kind, _, group = section.partition(".")
        if kind in ("gender", "pronouns"):
            by_gender.setdefault(group, {}).update(
                dict.fromkeys(form for word in words for form in forms(word, language))
            )
    # work is written masculine/feminine where a language has both forms
    feminine = [
        word.partition("/")[2]
        for section in ("work", "persons")
        for word in sections.get(section, ())
        if "/" in word
    ]
    by_gender.setdefault("female", {}).update(
        dict.fromkeys(form for word in feminine for form in forms(word, language))
    )
    return {group: tuple(words) for group, words in by_gender.items()}


def _read(name: str) -> Bank:
    text = (files("fairlead.words") / "data" / f"{name}.json").read_text(encoding="utf-8")
    sections = json.loads(text)
    return {
        key: tuple(word for line in _lines(value) for word in line.split(", "))
        for key, value in sections.items()
    }


def _lines(section: str | list[str]) -> list[str]:
    """The lines of a section; a short one is a single text."""
    if isinstance(section, str):
        return [section]
    return section
