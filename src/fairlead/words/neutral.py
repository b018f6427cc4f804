"""Captions without gender: words that name one are rewritten, as the COCO and Flickr30k protocols
need (*a man* becomes *a person*).

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
_ADJECTIVE = "~"
"""Marks a word that falls away before another word; what follows the mark stands where none does.
"""
_NEXT = re.compile(r"\s+([\w'-]+)")
_ARTICLE = re.compile(r"\b(a|an)\s+$", re.IGNORECASE)
_PLURAL = ("men", "women", "boys", "girls", "ladies", "wives")


def neutralised(texts: Sequence[str], language: str = "en") -> tuple[str, ...]:
    """The texts with words that name no gender.

    >>> neutralised(["A woman hands her sons an umbrella.", "Three female doctors and a policeman"])
    ('A person hands their children an umbrella.', 'Three doctors and a police officer')
    """
    if language not in LANGUAGES:
        raise UsageError(
            f"Captions in '{language}' cannot be rewritten.", f"Known: {', '.join(LANGUAGES)}."
        )
    return tuple(_rewritten(text, language) for text in texts)


def _rewritten(text: str, language: str) -> str:
    parts, past = list[str](), 0
    text = text.replace("’", "'")
    for word in found(text, language):
        if word.gender not in (FEMALE, MALE):
            continue
        after = _NEXT.match(text[word.end :])
        new = _neutral(word.text.casefold(), after[1].casefold() if after else "", language)
        before = text[past : word.start]
        if new and (article := _ARTICLE.search(before)):
            kept = article[1][0] + ("n" if new[0] in "aeiou" else "")
            before = before[: article.start()] + kept + before[article.end(1) :]
        past = word.end if new else len(text) - len(text[word.end :].lstrip())
        parts += [before, _cased(new or text[past : past + 1], word.text)]
        past += 0 if new else 1
    return "".join([*parts, text[past:]])


def _cased(new: str, old: str) -> str:
    """A word written as the one it stands for: in capitals, with a capital, or without."""
    return (
        new.upper()
        if old.isupper() and len(old) > 1
        else new[:1].upper() + new[1:]
        if old[:1].isupper()
        else new
    )


def _neutral(word: str, following: str, language: str) -> str:
    """What stands in place of a word; nothing where it falls away."""
    new = _words(language).get(word)
    if new is None:
        stem, plural = _stem(word), word.endswith(_PLURAL) or word in _plurals(language)
        return stem + ("people" if plural else "person")
    if new.startswith(_ADJECTIVE):
        return (
            ""
            if following and following not in bank(language)["function"]
            else new[len(_ADJECTIVE) :]
        )
    if word == "her" and (not following or following in bank(language)["function"]):
        return "them"
    return new


def _stem(word: str) -> str:
    """What stands before ``-man``, ``-woman`` and the like, of a word that is more than that."""
    end = next(
        (
            e
            for e in ("woman", "women", "man", "men")
            if word.endswith(e) and len(word) > len(e) + 2
        ),
        "",
    )
    return word.removesuffix(end) if end else ""


@cache
def _words(language: str) -> dict[str, str]:
    """Every form of a word with its neutral word, plurals with plurals."""
    made: dict[str, str] = {}
    lines = json.loads(
        (files("fairlead.words") / "data" / "neutral.json").read_text(encoding="utf-8")
    )[language]
    for entry in (entry for line in lines for entry in line.split(", ")):
        word, _, new = entry.partition("/")
        made.setdefault(word, new)
        if new.startswith(_ADJECTIVE) or word in _FIXED:
            continue
        many, plural = forms(word, language)[-1], forms(new, language)[-1]
        if many != word:
            made.setdefault(
                many, "people" if plural == "persons" else plural.replace("persons", "people")
            )
    return made


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
