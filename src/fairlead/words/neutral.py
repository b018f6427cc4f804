"""Captions without gender, as the COCO and Flickr30k protocols need them.

Words that name a gender are rewritten: *a man* becomes *a person*.

Rewriting asks for a query what every picture of the scene answers, so that who is shown is the
model's choice and not the caption's. Words without a neutral word of their own become *person* or
*people*; adjectives fall away. English only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from fairlead.errors import UsageError
from fairlead.words.banks import bank
from fairlead.words.forms import forms
from fairlead.words.gendered import FEMALE, MALE, found

LANGUAGES = ("en",)
# Marks a word that falls away before another word; what follows the mark stands where none does
_ADJECTIVE = "~"
_NEXT = re.compile(r"\s+([\w'-]+)")
_ARTICLE = re.compile(r"\b(a|an)\s+$", re.IGNORECASE)
_PLURAL = ("men", "women", "boys", "girls", "ladies", "wives")


def neutralised(texts: Sequence[str], language: str = "en") -> tuple[str, ...]:
    """The texts with no word left that names a gender.

    >>> neutralised(["A woman hands her sons an umbrella.", "Three female doctors and a policeman"])
    ('A person hands their children an umbrella.', 'Three doctors and a police officer')
    """
    if language not in LANGUAGES:
        raise UsageError(
            f"Captions in '{language}' cannot be rewritten.", f"Known: {', '.join(LANGUAGES)}."
        )
    return tuple(_rewritten(text, language) for text in texts)


def _rewritten(text: str, language: str) -> str:
    parts = list[str]()
    past = 0
    # banks are written with a plain apostrophe
    text = text.replace("’", "'")
    for word in found(text, language):
        if word.gender not in (FEMALE, MALE):
            continue
        following = ""
        if after := _NEXT.match(text[word.end :]):
            following = after[1].casefold()
        new = _neutral(word.text.casefold(), following, language)
        before = text[past : word.start]
        if new and (article := _ARTICLE.search(before)):
            new_article = article[1][0]
            if new[0] in "aeiou":
                new_article += "n"
            before = before[: article.start()] + new_article + before[article.end(1) :]
        past = word.end
        written = new
        if not new:
            # the word falls away, and the next one takes over its capital
            past = len(text) - len(text[word.end :].lstrip())
            written = text[past : past + 1]
        parts += [before, _cased(written, word.text)]
        if not new:
            past += 1
    return "".join([*parts, text[past:]])


def _cased(new: str, old: str) -> str:
    """A word with the capitals of the word it replaces."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    if old[:1].isupper():
        return new[:1].upper() + new[1:]
    return new


def _neutral(word: str, following: str, language: str) -> str:
    """The word that replaces a gendered one, empty where it falls away."""
    new = _words(language).get(word)
    if new is None:
        stem = _stem(word)
        plural = word.endswith(_PLURAL) or word in _plurals(language)
        if plural:
            return stem + "people"
        return stem + "person"
    if new.startswith(_ADJECTIVE):
        if following and following not in bank(language)["function"]:
            return ""
        return new[len(_ADJECTIVE) :]
    if word == "her" and (not following or following in bank(language)["function"]):
        return "them"
    return new


def _stem(word: str) -> str:
    """What stands before ``-man``, ``-woman`` and the like, if that is a word by itself."""
    for end in ("woman", "women", "man", "men"):
        if word.endswith(end) and len(word) > len(end) + 2:
            return word.removesuffix(end)
    return ""


@cache
def _words(language: str) -> dict[str, str]:
    """The neutral word for every form of a word, plurals for plurals."""
    neutral: dict[str, str] = {}
    lines = json.loads(
        (files("fairlead.words") / "data" / "neutral.json").read_text(encoding="utf-8")
    )[language]
    for entry in (entry for line in lines for entry in line.split(", ")):
        word, _, new = entry.partition("/")
        neutral.setdefault(word, new)
        if new.startswith(_ADJECTIVE) or word in _FIXED:
            continue
        many = forms(word, language)[-1]
        plural = forms(new, language)[-1]
        if many != word:
            neutral.setdefault(many, plural.replace("persons", "people"))
    return neutral


_FIXED = (
    "he",
    "she",
    "him",
    "his",
    "her",
    "hers",
    "himself",
    "herself",
    "men",
    "women",
    "ladies",
    "gentlemen",
)


@cache
def _plurals(language: str) -> frozenset[str]:
    return frozenset(
        form
        for g in (FEMALE, MALE)
        for word in bank(language)[f"gender.{g}"]
        for form in forms(word, language)[1:]
    )
