"""What an unknown word means, judged by its parts.

It is judged by its ending, by a group it begins with, and by the known word it is made of.

    glassblow|er    a guess: people, things and places end so     guess
    cheese|monger   only people end so                            person
    Damen|mannschaft, girl|boss   a group before a known word     female
    Fenster|bauer, Küchen|messer  made of a known word (German)   person, thing

Endings that people share with things and places say nothing alone. They count where a word beside
them is said of people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from fairlead.trigger.characters import simplified
from fairlead.trigger.lexicon import Lexicon, Meaning
from fairlead.trigger.tokens import Token, folded
from fairlead.words import LANGUAGES, bank

SPACED = ("en", "de", "es", "fr")
"""Languages whose endings tell what an unknown word is, likeliest first."""
# The language that writes words together
_MADE_OF = "de"
_PEOPLE = ("gender", "work", "person", "age")
# Letters of a word that is judged, before an ending, and before a known word
_SHORTEST, _STEM, _BEFORE = 5, 2, 3
# Letters of the known word that an unknown one is made of: short ones are there by chance
_TAIL = {"gender": 5, "work": 5, "person": 5, "thing": 6}
# Letters fewer where the query is surely in the language: a speedskater is no Kater
_SURELY = 2
# Letters of what follows a group
_AFTER_GROUP = 4


def told_by_ending(token: Token, spoken: Sequence[str], words: Lexicon) -> tuple[Meaning, ...]:
    """What an unknown word can mean, in the languages the query may be in.

    It is empty where the ending does not tell.
    """
    if token.kind == "cjk":
        kind = next(
            (k for code in ("zh", "ja") for s, k in words.suffixes[code] if token.text.endswith(s)),
            None,
        )
        kind = kind or next(
            (k for s, k in words.suffixes["zh"] if simplified(token.text).endswith(s)), None
        )
        return _entries("zh", kind, inclusive=False)
    if token.kind != "word":
        return ()
    kinds = [
        (code, kind)
        for code in spoken
        if (kind := _ending(words, token.text, code, len(spoken) == 1))
    ]
    guessed = next(
        (pair for pair in kinds if pair[1] == "guess" and not _excepted(token.text, words)),
        ("en", None),
    )
    sure = next((pair for pair in kinds if pair[1] != "guess"), guessed)
    return _entries(*sure, inclusive=token.inclusive)


def vouched(place: int, found: Sequence[Token], near: Iterable[frozenset[str]]) -> bool:
    """Whether something says that a guessed word is a person.

    That is a group beside it, or a word that is only said of people.
    """
    if any(kinds & {"gender", "skin", "people", "age", "trait"} for kinds in near):
        return True
    return any(token.text in _human() for at, token in enumerate(found) if at != place)


@cache
def _human() -> frozenset[str]:
    return frozenset(
        folded(word)[0] for language in LANGUAGES for word in bank(language).get("human", ())
    )


def _entries(code: str, kind: str | None, *, inclusive: bool) -> tuple[Meaning, ...]:
    if kind is None:
        return ()
    if kind in ("thing", "guess"):
        return (Meaning(code, kind),)
    work = Meaning(code, "work")
    if kind in ("female", "male") and not inclusive:
        return (work, Meaning(code, "gender", kind))
    return (work,)


def _excepted(word: str, words: Lexicon) -> bool:
    """Whether a bank says of a word that it is not what its ending tells."""
    return any(word in words.exceptions[code] for code in SPACED)


@lru_cache(maxsize=65536)
def _ending(words: Lexicon, word: str, language: str, surely: bool) -> str | None:
    if len(word) < _SHORTEST or word in words.exceptions[language]:
        return None
    by_group = _after_group(words, word, language)
    if by_group is not None:
        return by_group
    by_suffix = _by_suffix(words, word, language, _STEM)
    if by_suffix is None and language == _MADE_OF:
        return _made_of(words, word, _SURELY * surely)
    return by_suffix


def _by_suffix(words: Lexicon, word: str, language: str, stem: int) -> str | None:
    return next(
        (
            kind
            for suffix, kind in words.suffixes[language]
            if word.endswith(suffix) and len(word) - len(suffix) >= stem
        ),
        None,
    )


def _after_group(words: Lexicon, word: str, language: str) -> str | None:
    """A group before a known word: a thing is for the group (Damenschuhe), people and what they do
    are of it (Damenmannschaft).
    """
    for prefix, group in words.prefixes[language]:
        rest = word.removeprefix(prefix)
        if rest == word or len(rest) < _AFTER_GROUP:
            continue
        kinds = {entry.kind for entry in words.words.get(rest, ()) if entry.language == language}
        if kinds & {*_PEOPLE, "setting"}:
            return group
        if kinds & {"thing", "scene"}:
            return "thing"
        kind = _by_suffix(words, rest, language, 0)
        if kind == "thing":
            return kind
        if kind is not None and kind != "guess":
            return group
    return None


def _made_of(words: Lexicon, word: str, fewer: int) -> str | None:
    """What the longest known word at the end of a word is."""
    for start in range(_BEFORE, len(word) - min(_TAIL.values()) + fewer + 1):
        known = [entry for entry in words.words.get(word[start:], ()) if entry.language == _MADE_OF]
        fits = [
            entry
            for entry in known
            if len(word) - start >= _TAIL.get(entry.kind, len(word)) - fewer
        ]
        if fits:
            gender = next(
                (
                    entry.group
                    for entry in fits
                    if entry.kind == "gender" and entry.group in ("female", "male")
                ),
                None,
            )
            return gender or ("person" if any(entry.kind != "thing" for entry in fits) else "thing")
    return None
