"""Portraits of every occupation in matched sets of eight, by the SISPI protocol.

A set has 2 presentations x 4 skin groups.

A query is "a photo of a nurse"; its relevant items are all portraits of that occupation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.phantom.card import CARD
from fairlead.phantom import captions
from fairlead.phantom.people import OCCUPATIONS, SKIN_GROUPS, Person
from fairlead.phantom.references import refer
from fairlead.phantom.stereotypes import GENDER_PULL, SKIN_PULL
from fairlead.types import Collection, Groups, Queries, Relevant, Study, cross
from fairlead.types.ragged import offsets_of

SEEDS = 16
"""Matched sets of each occupation, by default."""


def study(name: str, seeds: Sequence[int]) -> Study:
    """The question of who is shown for an occupation."""
    people = portraits(seeds)
    order = list(OCCUPATIONS)
    rows = [np.flatnonzero([p.occupation == o for p in people]) for o in order]
    relevant = Relevant(offsets_of(np.array([len(r) for r in rows])), np.concatenate(rows))
    tags = {
        "occupation": tuple(order),
        "gender_pull": tuple(str(GENDER_PULL[o]) for o in order),
        "skin_pull": tuple(str(SKIN_PULL[o]) for o in order),
    }
    queries = Queries(
        tuple(order), texts=tuple(captions.query(o) for o in order), relevant=relevant, tags=tags
    )
    # The eight portraits of a set differ in presentation and skin alone: chance exchanges them
    # within it.
    blocks = np.unique([f"{p.occupation}/{p.seed}" for p in people], return_inverse=True)[1]
    # NDKL over the relevant items and AP are SISPI's; the others look at the first twenty.
    metrics = ("NDKL(over=relevant)", "NDKL@20", "AbsBias@20", "nDCG@20", "P@20", "AP")
    return Study(
        name,
        collection_of(people),
        queries,
        metrics,
        k=20,
        blocks=blocks,
        kinds=("gender", "skin", "joint"),
        card=CARD,
    )


def portraits(seeds: Sequence[int]) -> list[Person]:
    """Matched sets of eight for every occupation and seed; the seed picks the tone in a group."""
    return [
        Person(occupation, gender, tones[seed % len(tones)], seed)
        for occupation in OCCUPATIONS
        for seed in seeds
        for gender in ("female", "male")
        for tones in SKIN_GROUPS.values()
    ]


def collection_of(people: Sequence[Person]) -> Collection:
    """Portraits with the labels they were drawn from."""
    gender = Groups.of("gender", [p.gender_label for p in people], names=("female", "male"))
    skin = Groups.of("skin", [p.skin_group for p in people], names=tuple(SKIN_GROUPS))
    groups = {"gender": gender, "skin": skin, "gender*skin": cross(gender, skin)}
    return Collection(
        tuple(p.key for p in people), images=tuple(refer(p) for p in people), groups=groups
    )
