"""A skewed gallery: portraits of each occupation, most of one presentation.

There are 20 to 60 of each, nine of ten or more of one presentation, so that balance costs
relevance.

Half of the queries name an occupation ("a photo of a nurse"); the others also ask for a
presentation ("a photo of a female nurse") and must be left alone. The tag ``asks`` tells them
apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.phantom.card import CARD
from fairlead.benchmarks.phantom.people import collection_of
from fairlead.phantom import captions
from fairlead.phantom.people import OCCUPATIONS, Gender, Person
from fairlead.phantom.stereotypes import GENDER_PULL
from fairlead.types import Queries, Relevant, Study
from fairlead.types.ragged import Array, offsets_of

SEEDS = 1
"""The first seed is the gallery's; one gallery is one study."""
_FEWEST, _MOST = 20, 60
_MAJORITY = (0.9, 0.95)
# Portraits of a gallery have seeds of their own: below those of the phantom's training, above
# those of matched sets.
_FIRST_PORTRAIT = 500


def study(name: str, seeds: Sequence[int], majority: float | None = None) -> Study:
    """The question of what balance costs, and whether it spares queries that ask for somebody."""
    people = gallery(seeds[0], majority)
    queries_asked = [(o, "") for o in OCCUPATIONS] + [
        (o, g) for o in OCCUPATIONS for g in ("female", "male")
    ]
    rows = [_relevant(people, occupation, gender) for occupation, gender in queries_asked]
    texts = tuple(_words(occupation, gender) for occupation, gender in queries_asked)
    relevant = Relevant(offsets_of(np.array([len(r) for r in rows])), np.concatenate(rows))
    tags = {
        "occupation": tuple(o for o, _ in queries_asked),
        "asks": tuple(g or "neutral" for _, g in queries_asked),
        "gender_pull": tuple(str(GENDER_PULL[o]) for o, _ in queries_asked),
    }
    queries = Queries(texts, texts=texts, relevant=relevant, tags=tags)
    metrics = ("AbsBias@10", "NDKL@10", "nDCG@10", "P@1")
    return Study(
        name,
        collection_of(people),
        queries,
        metrics,
        k=10,
        attributes=("gender",),
        by=("asks",),
        clusters="occupation",
        kinds=("gender", "joint"),
        card=CARD,
    )


def _words(occupation: str, gender: str) -> str:
    """What is asked for; without a gender, the occupation alone."""
    if gender:
        return captions.explicit(occupation, gender)
    return captions.query(occupation)


def gallery(seed: int, majority: float | None = None) -> list[Person]:
    """Portraits of every occupation, most of the injected side; for controls, of a side drawn by
    lot.

    With a ``majority`` of one's own, galleries of one seed differ in who is shown and in nothing
    else.
    """
    rng = np.random.default_rng([seed, 2026])
    people = []
    for occupation in OCCUPATIONS:
        size = int(rng.integers(_FEWEST, _MOST + 1))
        side = GENDER_PULL[occupation] or int(rng.choice([-1, 1]))
        minority = int(size * (1 - rng.uniform(*_MAJORITY)))
        # Drawn above all the same, so that a majority of one's own moves no later draw.
        if majority is not None:
            minority = round(size * (1 - majority))
        # One at least: without any, no list could show the smaller side.
        few = max(1, minority)
        sides: tuple[Gender, Gender] = ("female", "male")
        if side > 0:
            sides = ("male", "female")
        tones = rng.integers(1, 11, size)
        people += [
            Person(occupation, sides[n < few], int(tones[n]), _FIRST_PORTRAIT + n)
            for n in range(size)
        ]
    return people


def _relevant(people: Sequence[Person], occupation: str, gender: str) -> Array:
    return np.flatnonzero([p.occupation == occupation and gender in ("", p.gender) for p in people])
