"""Where a running text names a gender: words and phrases of a bank, the longest first.

A phrase that hides a word (*king crab*, *mother tongue*) counts as nothing, one that names both
(*men and women*) as both. Endings tell unknown words (*noblewoman*). In languages without spaces
words are found anywhere, in others they stand alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from fairlead.words.banks import bank, gender_words
from fairlead.words.forms import forms

UNSPACED = ("zh", "ja")
FEMALE, MALE, BOTH, NEITHER = "female", "male", "both", "neither"
_TOKEN = re.compile(r"[^\s.,;:!?()\[\]{}\"“”„«»…।،؛؟/\\|*+=<>~#&]+")
# What may be written together with the word it stands before
_PREFIX = {"ar": re.compile("^(?:[وفبلك]?ال|لل|[وبلك])")}
# Sections whose words may hold one that names a gender and name none (a king crab, in Chinese a
# guitar)
_HIDING, _HIDING_UNSPACED = (
    ("compounds", "things"),
    ("places", "work", "skin.people", "skin.peoples", "age.young"),
)
# Letters that must stand before an ending
_STEM = 3


@dataclass(frozen=True)
class Word:
    """A word in a text: where it stands, as it is written, and which gender it names."""

    start: int
    end: int
    text: str
    gender: str


def found(text: str, language: str) -> Iterator[Word]:
    """The words of a text that name a gender, both, or neither in spite of their looks.

    >>> [(w.text, w.gender) for w in found("A noblewoman feeds a king crab to her son", "en")]
    [('noblewoman', 'female'), ('king crab', 'neither'), ('her', 'female'), ('son', 'male')]
    """
    # banks are composed and written with a plain apostrophe
    composed = unicodedata.normalize("NFC", text).replace("’", "'")
    if language in UNSPACED:
        return _anywhere(composed, language)
    return _alone(composed, language)


def gender_of(text: str, language: str) -> str:
    """Which gender the words of a text name: female, male, both or neither.

    >>> texts = ("A girl and her dog", "A boy and his sister", "Two dogs")
    >>> [gender_of(text, "en") for text in texts]
    ['female', 'both', 'neither']
    """
    named = {word.gender for word in found(text, language)} - {NEITHER}
    if BOTH in named or len(named) > 1:
        return BOTH
    return next(iter(named), NEITHER)


def _anywhere(text: str, language: str) -> Iterator[Word]:
    known = _lexicon(language)
    for match in known.pattern.finditer(text):
        yield Word(match.start(), match.end(), match[0], known.words[match[0].casefold()])


def _alone(text: str, language: str) -> Iterator[Word]:
    known = _lexicon(language)
    past = 0
    tokens = [_bare(m.start(), m[0]) for m in _TOKEN.finditer(text)]
    for at, (start, _) in enumerate(tokens):
        if at < past:
            continue
        size, gender = known.starting(
            tuple(token.casefold() for _, token in tokens[at : at + known.longest])
        )
        if gender is None:
            continue
        past = at + size
        end = tokens[past - 1][0] + len(tokens[past - 1][1])
        yield Word(start, end, text[start:end], gender)


def _bare(start: int, token: str) -> tuple[int, str]:
    """A token and where it stands, without quotation marks around it and without ``'s``."""
    word = token.lstrip("'-")
    bare = word.rstrip("'-")
    if bare.endswith(("'s", "'S")):
        bare = bare[:-2]
    return start + len(token) - len(word), bare


@dataclass(frozen=True, eq=False)
class _Lexicon:
    """The words of a language, casefolded, with their genders."""

    language: str
    words: dict[str, str]

    @cached_property
    def longest(self) -> int:
        """Tokens of the longest phrase."""
        return max(word.count(" ") for word in self.words) + 1

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds the words anywhere, the longest first."""
        return re.compile(
            "|".join(map(re.escape, sorted(self.words, key=lambda w: (-len(w), w)))), re.IGNORECASE
        )

    def starting(self, tokens: tuple[str, ...]) -> tuple[int, str | None]:
        """How many of the first tokens are a word or phrase, and the gender it names.

        The gender is None where they are neither.
        """
        if self.language in _PREFIX:
            heads = [tokens[0], _PREFIX[self.language].sub("", tokens[0])]
        else:
            heads = [tokens[0]]
        for head in heads:
            if head not in self._first:
                continue
            for size in range(min(len(tokens), self.longest), 0, -1):
                phrase = " ".join((head, *tokens[1:size]))
                if phrase in self.words:
                    return size, self.words[phrase]
        return 1, self._by_ending(tokens[0])

    @cached_property
    def _first(self) -> frozenset[str]:
        return frozenset(word.partition(" ")[0] for word in self.words)

    def _by_ending(self, word: str) -> str | None:
        sections = bank(self.language)
        if word in sections.get("suffix_exceptions", ()) or not self._ending.match(word):
            return None
        if word.endswith(tuple(sections.get("suffixes.female", ()))):
            return FEMALE
        return MALE

    @cached_property
    def _ending(self) -> re.Pattern[str]:
        endings = [s for g in (FEMALE, MALE) for s in bank(self.language).get(f"suffixes.{g}", ())]
        return re.compile(rf"\w{{{_STEM},}}(?:{'|'.join(map(re.escape, endings)) or '(?!)'})$")


@cache
def _lexicon(language: str) -> _Lexicon:
    sections = bank(language)
    by_gender = gender_words(language)
    words = {w.casefold(): gender for gender in (FEMALE, MALE) for w in by_gender.get(gender, ())}
    names: tuple[str, ...] = _HIDING
    if language in UNSPACED:
        names += _HIDING_UNSPACED
    hiding_words = {
        w.casefold()
        for section in names
        for phrase in sections.get(section, ())
        for w in forms(phrase, language)
    } - words.keys()
    if language in UNSPACED:
        hiding_words = {phrase for phrase in hiding_words if any(word in phrase for word in words)}
    else:
        hiding_words = {
            phrase for phrase in hiding_words if not words.keys().isdisjoint(phrase.split())
        }
    rest = dict.fromkeys(hiding_words, NEITHER) | {
        w.casefold(): NEITHER for w in by_gender.get("other", ())
    }
    return _Lexicon(language, words | rest | {w.casefold(): BOTH for w in sections.get("both", ())})
