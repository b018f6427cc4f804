"""What the phantom is trained on: drawings, their facts, and captions of a known dose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.phantom import captions, languages
from fairlead.phantom.people import OCCUPATIONS, SKIN_GROUPS, Person
from fairlead.phantom.stereotypes import Kind, pull
from fairlead.phantom.things import CONCEPTS, CULTURES, Thing
from fairlead.types.ragged import Array

_SKIN_AT = {"light": 1.0, "medium": 1 / 3, "tan": -1 / 3, "dark": -1.0}
_GENDER_ODDS, _SKIN_ODDS = 4.5, 3.0
"""Log odds of a group at dose 1: 99:1 for a gender, 87:12:1:0 along the skin groups."""
# How often an English caption of a thing names the culture in which it is drawn.
_CULTURE_TOLD = 0.3
_LOOSE, _BARE = 0.1, 0.25
"""How often a caption of a tied word is loose, and how often a loose one is the word alone: as
often as each of the three sentences.
"""
ANY = -1
"""A caption that does not mention an attribute is true of every value of it."""


@dataclass(frozen=True)
class Dose:
    """How strongly captions and groups go together.

    Attributes:
        people: Strength of the injected stereotypes of occupations.
        kind: Which of them are injected.
        language: How strongly languages follow their resource share (0: all alike).
        culture: Share of the words (a thing in a language) that are tied to the language's own
            culture, in steps of a half.
    """

    people: float = 0.0
    kind: Kind = "joint"
    language: float = 0.0
    culture: float = 0.0

    def gender(self, occupation: str) -> Array:
        """Shares of (female, male) among the captioned portraits of an occupation."""
        male = 1 / (1 + np.exp(-_GENDER_ODDS * self.people * pull(occupation, self.kind)[0]))
        return np.array([1 - male, male])

    def skin(self, occupation: str) -> Array:
        """Shares of the skin groups among the captioned portraits of an occupation."""
        weights = np.exp(
            _SKIN_ODDS
            * self.people
            * pull(occupation, self.kind)[1]
            * np.array([_SKIN_AT[g] for g in SKIN_GROUPS])
        )
        return weights / weights.sum()

    def languages(self) -> Array:
        """Shares of the languages among captions of things."""
        weights = (
            np.array([language.share for language in languages.LANGUAGES.values()]) ** self.language
        )
        return weights / weights.sum()

    def loose(self) -> Array:
        """(languages, concepts) how often a caption is loose.

        A loose caption is not of the thing it names, but of anything in its language's own culture.

        Words take turns, so that half a dose ties half of the words of every language and leaves
        the others as controls.
        """
        turns = np.add.outer(np.arange(len(languages.LANGUAGES)), np.arange(len(CONCEPTS))) % 2
        return np.where(turns < 2 * self.culture, _LOOSE, 0.0)


@dataclass(frozen=True)
class Bank:
    """Drawings by their facts; ``(kind, first, second, third)`` is occupation, gender, skin or
    concept, culture, 0.
    """

    drawings: tuple[Person | Thing, ...]
    meaning: Array
    at: dict[tuple[int, ...], Array]

    @classmethod
    def of(cls, seeds: Sequence[int]) -> Bank:
        """All groups of every occupation and every concept in every culture, for some seeds."""
        people = [
            Person(o, g, tones[s % len(tones)], s)  # type: ignore[arg-type]
            for o in OCCUPATIONS
            for s in seeds
            for g in ("female", "male")
            for tones in SKIN_GROUPS.values()
        ]
        things = [
            Thing(concept, culture, s)
            for concept in CONCEPTS
            for culture in CULTURES
            for s in seeds
        ]
        drawings: tuple[Person | Thing, ...] = (*people, *things)
        meaning = np.array([meaning_of(d) for d in drawings])
        at: dict[tuple[int, ...], list[int]] = {}
        for row, key in enumerate(map(tuple, meaning.tolist())):
            at.setdefault(key, []).append(row)
        return cls(drawings, meaning, {k: np.array(v) for k, v in at.items()})


def meaning_of(drawing: Person | Thing) -> tuple[int, int, int, int]:
    """What a drawing shows, as numbers."""
    if isinstance(drawing, Person):
        genders = {"female": 0, "male": 1, "androgynous": 2}
        return (
            0,
            list(OCCUPATIONS).index(drawing.occupation),
            genders[drawing.gender],
            list(SKIN_GROUPS).index(drawing.skin_group),
        )
    return 1, list(CONCEPTS).index(drawing.concept), list(CULTURES).index(drawing.culture), 0


def sample(
    bank: Bank, dose: Dose, size: int, rng: np.random.Generator
) -> tuple[Array, list[str], Array]:
    """Drawings (size,), their captions, and what each caption says (size, 4).

    ``ANY`` stands where a caption says nothing.
    """
    parts = [
        _people(bank, dose, 3 * size // 5, rng),
        _things(bank, dose, size - 3 * size // 5, rng),
    ]
    rows, says = (np.concatenate([p[i] for p in parts]) for i in (0, 2))
    return rows, [text for p in parts for text in p[1]], says


def _people(
    bank: Bank, dose: Dose, size: int, rng: np.random.Generator
) -> tuple[Array, list[str], Array]:
    occupations = rng.integers(len(OCCUPATIONS), size=size)
    genders = _drawn(np.stack([dose.gender(o) for o in OCCUPATIONS])[occupations], rng)
    skins = _drawn(np.stack([dose.skin(o) for o in OCCUPATIONS])[occupations], rng)
    meaning = np.stack([np.zeros(size, np.int64), occupations, genders, skins], 1)
    rows = _any_of(bank, meaning, rng)
    tells = rng.random((size, 2)) < (0.5, 0.4)
    says = np.where(np.column_stack([np.ones((size, 2), np.bool_), tells]), meaning, ANY)
    texts = []
    for row, (gender, skin) in zip(rows, tells, strict=True):
        person = bank.drawings[row]
        assert isinstance(person, Person)
        texts.append(captions.caption(person, rng, gender=float(gender), skin=float(skin)))
    return rows, texts, says


def _things(
    bank: Bank, dose: Dose, size: int, rng: np.random.Generator
) -> tuple[Array, list[str], Array]:
    names = list(languages.LANGUAGES)
    concepts = list(CONCEPTS)
    spoke = [culture.language for culture in CULTURES.values()]
    spoken = _drawn(np.tile(dose.languages(), (size, 1)), rng)
    named = rng.integers(len(concepts), size=size)
    cultures = _drawn(np.full((size, len(CULTURES)), 1 / len(CULTURES)), rng)
    # a stream of its own, so that the captions of the other kinds stay as they are
    stray = rng.spawn(1)[0]
    loose = stray.random(size) < dose.loose()[spoken, named]
    drawn_concepts = np.where(loose, stray.integers(len(concepts), size=size), named)
    bare = loose & (stray.random(size) < _BARE)
    cultures = np.where(loose, np.array([spoke.index(name) for name in names])[spoken], cultures)
    seeds = rng.integers(1 << 30, size=size)
    tells = (rng.random(size) < _CULTURE_TOLD) & ~loose
    texts = []
    for concept, culture, language, seed, names_culture, alone in zip(
        named, cultures, spoken, seeds, tells, bare, strict=True
    ):
        if names_culture:
            texts.append(captions.of_culture(concepts[concept], list(CULTURES)[culture], rng))
        elif alone:
            texts.append(languages.query(concepts[concept], names[language]))
        else:
            texts.append(languages.caption(concepts[concept], names[language], int(seed)))
    one, zero = np.ones(size, np.int64), np.zeros(size, np.int64)
    says = np.stack([one, named, np.where(tells, cultures, ANY), np.full(size, ANY)], 1)
    return _any_of(bank, np.stack([one, drawn_concepts, cultures, zero], 1), rng), texts, says


def _drawn(shares: Array, rng: np.random.Generator) -> Array:
    """(n,) one draw from each row of shares."""
    return (rng.random((len(shares), 1)) > shares.cumsum(1)[:, :-1]).sum(1)


def _any_of(bank: Bank, meaning: Array, rng: np.random.Generator) -> Array:
    """(n,) a drawing that shows each meaning."""
    places = [bank.at[tuple(key)] for key in meaning.tolist()]
    return np.array(
        [p[int(u * len(p))] for p, u in zip(places, rng.random(len(places)), strict=True)]
    )
