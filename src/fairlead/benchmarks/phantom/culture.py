"""A word and three pictures: does its meaning win, or the culture of its language?

Forced choice after Saengsuksiran et al. (arXiv 2510.26861). A query is the bare word for a thing in
a language. Its candidates are ``sem`` (that thing in another culture), ``cul`` (another thing in
the language's own culture) and ``non`` (that other thing in that other culture). So ``sem`` and
``non`` differ in the thing only, ``cul`` and ``non`` in the culture only: a model without a link
between language and culture cannot tell these two apart, which is what the null of roles exchanges.
For one thing and seed every culture's picture is ``cul`` once and ``non`` once over the ten
languages, so that no culture is favoured by looking striking. Trials with the same word are one
cluster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.phantom.card import CARD
from fairlead.phantom import languages
from fairlead.phantom.references import refer
from fairlead.phantom.streams import Stream
from fairlead.phantom.things import CONCEPTS, CULTURES, Thing
from fairlead.types import Collection, Groups, Queries, Relevant, Sets, Study

SEEDS = 4
"""Trials of each word, by default."""
ROLES = ("sem", "cul", "non")


def study(name: str, seeds: Sequence[int]) -> Study:
    """The question of what a word finds: its meaning, or its culture."""
    trials_asked = [
        (concept, seed, culture) for concept in CONCEPTS for seed in seeds for culture in CULTURES
    ]
    trials = [triplet(*what) for what in trials_asked]
    things = [
        Thing(concept, culture, seed)
        for concept in CONCEPTS
        for culture in CULTURES
        for seed in seeds
    ]
    place = {thing: row for row, thing in enumerate(things)}
    # Always sem, cul, non: the roles below are given by place.
    candidates = Sets(
        3 * np.arange(len(trials) + 1),
        np.array([place[thing] for trial in trials for thing in trial]),
    )
    queries = _queries(trials_asked, candidates)
    culture_groups = Groups.of(
        "culture", [thing.culture for thing in things], names=tuple(CULTURES)
    )
    collection = Collection(
        tuple(thing.key for thing in things),
        images=tuple(refer(thing) for thing in things),
        groups={"culture": culture_groups},
    )
    metrics = (
        "SelfPreference",
        *(f"SelfPreference(part={part})" for part in ("sem", "cul", "non", "errors", "nearer")),
    )
    return Study(
        name,
        collection,
        queries,
        metrics,
        k=3,
        roles={"role": Groups("role", ROLES, codes=np.tile(np.arange(3), len(trials)))},
        attributes=("role",),
        by=("language",),
        clusters="word",
        kinds=("culture",),
        card=CARD,
    )


def _queries(trials: Sequence[tuple[str, int, str]], candidates: Sets) -> Queries:
    """The bare word of each trial: a concept, a seed, and the culture whose language asks."""
    spoken = [CULTURES[culture].language for _, _, culture in trials]
    words = tuple(
        languages.query(concept, language)
        for (concept, _, _), language in zip(trials, spoken, strict=True)
    )
    return Queries(
        tuple(
            f"{concept}/{language}/{seed}"
            for (concept, seed, _), language in zip(trials, spoken, strict=True)
        ),
        texts=words,
        # Every third: the first candidate of each trial means what the word says.
        relevant=Relevant(np.arange(len(trials) + 1), candidates.rows[::3]),
        candidates=candidates,
        tags={
            "language": tuple(spoken),
            "concept": tuple(concept for concept, _, _ in trials),
            "word": words,
        },
    )


def triplet(concept: str, seed: int, culture: str) -> tuple[Thing, Thing, Thing]:
    """The candidates of a thing's word: same meaning, same culture, neither.

    The word is in the language of a culture.
    """
    # Drawn by thing and seed, not by language: all languages of a thing face the same other thing,
    # so that no culture is favoured.
    draw = Stream(f"triplet/{concept}/{seed}")
    cultures = tuple(CULTURES)
    other = draw.pick("other thing", tuple(c for c in CONCEPTS if c != concept))
    # the same step round the cultures for every language
    step = draw.between("other culture", 1, len(cultures) - 1)
    elsewhere = cultures[(cultures.index(culture) + step) % len(cultures)]
    return (
        Thing(concept, elsewhere, seed),
        Thing(other, culture, seed),
        Thing(other, elsewhere, seed),
    )
