"""``phantom``: the embedded benchmark: portraits by the SISPI protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from fairlead.errors import UsageError, unknown_name
from fairlead.phantom import captions
from fairlead.phantom.people import OCCUPATIONS, SKIN_GROUPS, Person
from fairlead.phantom.references import refer
from fairlead.phantom.stereotypes import GENDER_PULL, SKIN_PULL
from fairlead.ragged import offsets_of
from fairlead.spec import Configured, Spec
from fairlead.types import Collection, Groups, Queries, Relevant, Study, cross

_WORLDS = ("people",)
_CARD = {
    "name": "The phantom",
    "revision": "1",
    "licence": "Apache-2.0",
    "citation": "fairlead: drawn by its own code",
    "obtain": "ships with fairlead",
    "about": "An instrument of known bias for calibration and demonstration; not evidence about any real model or search.",
}


@dataclass(frozen=True)
class Phantom(Configured):
    """Portraits of every occupation in matched sets: ``seeds`` sets of 8 (2 presentations x 4 skin groups) each.

    A query is "a photo of a nurse"; its relevant items are all portraits of that occupation. ``first`` is the first seed.
    """

    seeds: int = 16
    first: int = 0
    world: str = "people"

    name: ClassVar[str] = "phantom"

    def validate(self) -> None:
        if self.seeds < 1 or self.first < 0:
            raise UsageError(f"{self.name} got seeds={self.seeds}, first={self.first}.", "Give at least one seed, from 0 on.")
        if self.world not in _WORLDS:
            raise unknown_name("world of the phantom", self.world, _WORLDS)

    @classmethod
    def from_spec(cls, spec: Spec) -> Self:
        """``phantom`` is the world of people; an address names another."""
        world = (("world", spec.address),) if spec.address else ()
        return super().from_spec(Spec(spec.name, None, world + spec.args, spec.k))

    def study(self) -> Study:
        """The collection, the queries and the protocol."""
        people = portraits(range(self.first, self.first + self.seeds))
        order = list(OCCUPATIONS)
        collection = collection_of(people)
        rows = [np.flatnonzero([p.occupation == o for p in people]) for o in order]
        relevant = Relevant(offsets_of(np.array([len(r) for r in rows])), np.concatenate(rows))
        tags = {"occupation": tuple(order), "gender_pull": tuple(str(GENDER_PULL[o]) for o in order),
                "skin_pull": tuple(str(SKIN_PULL[o]) for o in order)}  # fmt: skip
        queries = Queries(tuple(order), texts=tuple(captions.query(o) for o in order), relevant=relevant, tags=tags)
        blocks = np.unique([f"{p.occupation}/{p.seed}" for p in people], return_inverse=True)[1]
        metrics = ("NDKL(over=relevant)", "NDKL@20", "AbsBias@20", "nDCG@20", "P@20", "AP")
        return Study(str(self), collection, queries, metrics, k=20, blocks=blocks, card=_CARD)


def portraits(seeds: Sequence[int]) -> list[Person]:
    """Matched sets of eight for every occupation and seed; the tone within a skin group is the seed's."""
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
    return Collection(tuple(p.key for p in people), images=tuple(refer(p) for p in people), groups=groups)
