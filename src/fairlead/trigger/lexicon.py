"""The banks of all languages as one lexicon: what a phrase can mean in which language.

It is built once, on first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from fairlead.trigger.characters import simplified
from fairlead.trigger.tokens import folded, tokens
from fairlead.words import LANGUAGES, bank, forms, names

NAMES = "names"
"""The language of names: they belong to none."""
UNSPACED = ("zh", "ja")
_KINDS = {
    "persons": "person",
    "offices": "office",
    "titles": "title",
    "places": "place",
    "settings": "setting",
    "depictions": "depiction",
    "things": "thing",
    "scenes": "scene",
    "compounds": "thing",
    "links": "link",
    "verbs": "verb",
}
_PAIRED = {
    "gender": "gender",
    "pronouns": "pronoun",
    "traits": "trait",
    "hints": "hint",
    "range": "range",
    "age": "age",
    "suffixes": "suffix",
}
_SPECIAL = {
    "age.adjectives": ("age_adjective", ""),
    "skin.people": ("skin", ""),
    "skin.colours": ("colour", ""),
    "skin.peoples": ("people", ""),
    "history.roles": ("role", ""),
    "history.times": ("time", ""),
    "both": ("both", "gender"),
}
_INFLECTED = frozenset(
    (
        "gender",
        "age",
        "skin",
        "person",
        "work",
        "setting",
        "depiction",
        "role",
        "thing",
        "scene",
        "hint",
        "travel",
        "trait",
    )
)
_NAMES = {
    "people": "name",
    "mononyms": "name",
    "fictional": "name",
    "given": "given",
    "surnames": "surname",
    "zh": "name",
    "ja": "name",
    "ar": "name",
    "hi": "name",
    "yo": "name",
}
# Endings of feminine forms, and of the masculine ones beside them in a bank
_FEMININE = {
    "de": (("in", ""), ("innen", "")),
    "es": (("a", "o"), ("as", "os")),
    "fr": (
        ("e", ""),
        ("es", "s"),
        ("euse", "eur"),
        ("euses", "eurs"),
        ("enne", "en"),
        ("ennes", "ens"),
    ),
}
# Sections of people whose gender is told by the form alone: Rentnerin, jubilada, retraitée
_BY_FORM = ("age.child", "age.young", "age.middle", "age.old", "skin.people", "travel", "persons")
# Sections that are read elsewhere: they name nothing by themselves
_NO_WORDS = ("head", "suffix_exceptions", "human", "traditional")
_ENDINGS = ("person", "female", "male", "thing", "guess")
_UNSPACED = re.compile(r"[\u3005-\u9fff]")
_SIMPLE = re.compile(r"[a-z]+")


class Meaning(NamedTuple):
    """One meaning of a phrase."""

    language: str
    kind: str
    group: str = ""


@dataclass(eq=False)
class Lexicon:
    """Phrases by their tokens, single words again by themselves, and words of unspaced writing."""

    phrases: dict[tuple[str, ...], dict[Meaning, None]] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)
    unspaced: dict[str, dict[Meaning, None]] = field(default_factory=dict)
    longest_unspaced: int = 1
    suffixes: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    prefixes: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    exceptions: dict[str, frozenset[str]] = field(default_factory=dict)
    words: dict[str, tuple[Meaning, ...]] = field(default_factory=dict)

    def add(self, phrase: str, entry: Meaning) -> None:
        """Add one meaning of a phrase."""
        if (entry.language in UNSPACED or entry.language == NAMES) and _UNSPACED.match(phrase):
            self.unspaced.setdefault(phrase, {})[entry] = None
            self.longest_unspaced = max(self.longest_unspaced, len(phrase))
            return
        key = (phrase,) if _SIMPLE.fullmatch(phrase) else tuple(t.text for t in tokens(phrase))
        if key:
            self.phrases.setdefault(key, {})[entry] = None
            self.longest[key[0]] = max(self.longest.get(key[0], 1), len(key))

    def of_characters(self, text: str) -> tuple[Meaning, ...]:
        """What a word of unspaced writing can mean.

        It is looked up as it is written, then in common characters.
        """
        return tuple(self.unspaced.get(text) or self.unspaced.get(simplified(text)) or ())


@cache
def lexicon() -> Lexicon:
    """The one lexicon."""
    result = Lexicon()
    for language in LANGUAGES:
        for section, words in bank(language).items():
            for entry, word in _entries(language, section, words):
                result.add(word, entry)
            if section not in _BY_FORM:
                continue
            for word in _feminine(language, words):
                result.add(word, Meaning(language, "feminine", "female"))
        _add_endings(result, language)
    for section, kind in _NAMES.items():
        for word in names()[section]:
            result.add(word, Meaning(NAMES, kind))
    result.words = {
        key[0]: tuple(entries) for key, entries in result.phrases.items() if len(key) == 1
    }
    return result


def _entries(language: str, section: str, words: tuple[str, ...]) -> Iterator[tuple[Meaning, str]]:
    if section in _NO_WORDS or section.startswith(("suffixes", "prefixes")):
        return
    first, _, group = section.partition(".")
    kind, group = _SPECIAL.get(section) or (
        (_PAIRED[first], group) if first in _PAIRED else (_KINDS.get(section, section), "")
    )
    for word in words:
        masculine, _, feminine = (
            word.partition("/") if kind in ("work", "person") else (word, "", "")
        )
        if kind == "work" and not feminine and language in ("es", "fr"):
            epicene = "epicene"
        else:
            epicene = group
        inflected = kind in _INFLECTED or (kind == "people" and language in ("es", "fr"))
        for form in forms(masculine, language) if inflected else (masculine,):
            yield Meaning(language, kind, epicene if kind == "work" else group), form
        if feminine:
            for form in forms(feminine, language):
                yield Meaning(language, "gender", "female"), form
                yield Meaning(language, kind, f"of {masculine}"), form
            for form in forms(masculine, language):
                yield Meaning(language, kind, f"of {masculine}"), form
        if (
            kind == "people"
            and language == "en"
            and not word.endswith(("s", "sh", "se", "ch", "men"))
        ):
            yield Meaning(language, "skin", ""), forms(word, "en")[-1]
        # as typed where the letters are missing
        if language == "de" and any(c in word for c in "äöü"):
            for typed in {
                form.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
                for form in (masculine, feminine)
                if form
            }:
                yield Meaning(language, kind, group), typed


def _feminine(language: str, words: tuple[str, ...]) -> Iterator[str]:
    """The feminine forms in a section that also holds the masculine ones."""
    for word in words:
        for feminine, masculine in _FEMININE.get(language, ()):
            # an ending alone proves nothing: the masculine form must be listed too
            if word.endswith(feminine) and word.removesuffix(feminine) + masculine in words:
                yield word


def _add_endings(result: Lexicon, language: str) -> None:
    sections = bank(language)
    endings = {
        form: kind
        for kind in _ENDINGS
        for word in sections.get(f"suffixes.{kind}", ())
        for form in forms(word, language)
    }
    result.suffixes[language] = tuple(
        sorted(
            ((folded(word)[0], kind) for word, kind in endings.items()),
            key=lambda pair: -len(pair[0]),
        )
    )
    before = [
        (folded(word)[0], group)
        for group in ("female", "male")
        for word in sections.get(f"prefixes.{group}", ())
    ]
    result.prefixes[language] = tuple(sorted(before, key=lambda pair: -len(pair[0])))
    words = [
        form for word in sections.get("suffix_exceptions", ()) for form in forms(word, language)
    ]
    result.exceptions[language] = frozenset(folded(word)[0] for word in words)
