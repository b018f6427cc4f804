"""What a model is trained on: pictures with groups, captions with their facts, neutral queries.

The material of the phantom is its own world with seeds that neither its training nor any benchmark
uses. One's own is pictures with captions and labels. A part is held out: the card tells what
happens there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fairlead.errors import DataError, unknown_name
from fairlead.phantom import captions
from fairlead.phantom.people import OCCUPATIONS, SKIN_GROUPS
from fairlead.phantom.references import refer
from fairlead.protocols.training import DualTowers
from fairlead.training.world import ANY, Bank, Dose, sample
from fairlead.types.ragged import Array

FIRST_SEED = 2000
"""Galleries have seeds below 1000, the phantom's own training those from 1000 on."""
# The seeds of one training's drawings begin so far from those of the next.
_APART = 100
_SEEDS, _HELD, _CAPTIONS = 8, 2, 8_000
_LEAST_SEEDS, _LEAST_CAPTIONS = 2, 400
_FRAMES = ("a portrait of a {}", "a drawing of a {}", "a picture of a {}")
# The place of each attribute in a meaning of the world.
_PLACES = {"gender": 2, "skin": 3}
# With fewer labelled items, nothing can be learnt about a group.
_LEAST = 8


@dataclass(frozen=True, eq=False)
class TowerMaterial:
    """Pictures, captions and queries, as a model's towers take them.

    Attributes:
        pictures: (items, ...) inputs of the image tower.
        groups: (items,) codes of the group of each, -1 where it is unknown or there is none.
        names: Names of the groups.
        held: (items,) whether an item is held out.
        meaning: (items, facts) what each shows.
        rows: (captions,) the item of each caption.
        tokens: (captions, length) inputs of the text tower.
        says: (captions, facts) what each tells, ``ANY`` where it says nothing.
        neutral: (captions,) whether it is of somebody with a group and does not tell it.
        asked: (queries, length) queries about people that tell no group.
        about: Where it is from, for the card.
    """

    pictures: Tensor
    groups: Tensor
    names: tuple[str, ...]
    held: Tensor
    meaning: Tensor
    rows: Tensor
    tokens: Tensor
    says: Tensor
    neutral: Tensor
    asked: Tensor
    about: dict[str, Any]

    def __post_init__(self) -> None:
        counts = torch.bincount(
            self.groups[(self.groups >= 0) & ~self.held], minlength=len(self.names)
        ).tolist()
        many = [name for name, count in zip(self.names, counts, strict=True) if count >= _LEAST]
        if len(many) < 2:
            counted = (
                ", ".join(f"{name} {count}" for name, count in zip(self.names, counts, strict=True))
                or "none"
            )
            raise DataError(
                (
                    f"Two groups with at least {_LEAST} labelled items each are needed to "
                    f"train against; there are: {counted}."
                ),
                "Give labels of more items, or another --attribute.",
            )

    def captions(self, held: bool) -> Tensor:
        """Numbers of the captions that are held out, or of those to train on."""
        return torch.nonzero(self.held[self.rows] == held).flatten()

    def people(self, held: bool) -> list[Tensor]:
        """Rows of each group's items that are held out, or of those to train on."""
        return [
            torch.nonzero((self.groups == code) & (self.held == held)).flatten()
            for code in range(len(self.names))
        ]

    def true(self, at: Tensor) -> Tensor:
        """(captions, captions) which caption is true of the item of which other."""
        says, meaning = self.says[at], self.meaning[self.rows[at]]
        return ((says[:, None] == meaning[None]) | (says[:, None] == ANY)).all(-1)


def of_world(
    towers: DualTowers, attribute: str, dose: Dose, *, factor: float = 1.0, seed: int = 0
) -> TowerMaterial:
    """The phantom's world with captions of a dose: portraits of every group alike.

    Captions follow the injected stereotypes.

    A ``factor`` below 1 gives a share of it, for a try.
    """
    if attribute not in _PLACES:
        raise unknown_name("attribute of the phantom's world", attribute, _PLACES)
    share = min(1.0, factor)
    seeds = max(_LEAST_SEEDS, round(share * _SEEDS))
    size = max(_LEAST_CAPTIONS, round(share * _CAPTIONS))
    first = FIRST_SEED + _APART * seed
    bank = Bank.of(range(first, first + seeds))
    rng = np.random.default_rng([seed, 7])
    rows, texts, says = sample(bank, dose, size, rng)
    place, person = _PLACES[attribute], bank.meaning[:, 0] == 0
    last = max(1, min(_HELD, seeds // 2))
    held_out = np.array([drawing.seed >= first + seeds - last for drawing in bank.drawings])
    queries = [captions.articled(frame.format(name)) for frame in _FRAMES for name in OCCUPATIONS]
    return TowerMaterial(
        pictures=towers.pictures([refer(drawing) for drawing in bank.drawings]),
        groups=torch.from_numpy(np.where(person, bank.meaning[:, place], -1)),
        names=("female", "male") if attribute == "gender" else tuple(SKIN_GROUPS),
        held=torch.from_numpy(held_out),
        meaning=torch.from_numpy(bank.meaning),
        rows=torch.from_numpy(rows),
        tokens=towers.tokens(texts),
        says=torch.from_numpy(says),
        neutral=torch.from_numpy((says[:, 0] == 0) & (says[:, place] == ANY)),
        asked=towers.tokens(queries),
        about={
            "world": "phantom",
            "dose": dose.people,
            "kind": dose.kind,
            "seeds": [first, first + seeds - 1],
            "held_out_seeds": last,
            "drawings": len(bank.drawings),
            "captions": size,
        },
    )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pictures of one's own, each with a caption and a group.

    Attributes:
        images: As the model's encoder sees them.
        captions: One of each picture.
        codes: (pictures,) the group of each, -1 where it is unknown.
        names: Names of the groups.
        neutral: (pictures,) whether the caption tells no group.
        source: Where they are from.
    """

    images: Sequence[Any]
    captions: Sequence[str]
    codes: Array
    names: tuple[str, ...]
    neutral: Array
    source: str


def of_pairs(towers: DualTowers, pairs: Pairs, *, seed: int = 0) -> TowerMaterial:
    """Pictures of one's own; one in ten is held out, and captions with the same words are equal."""
    size = len(pairs.images)
    held_out = np.random.default_rng([seed, 8]).permutation(size) % 10 == 0
    words = {text: code for code, text in enumerate(dict.fromkeys(pairs.captions))}
    same = torch.tensor([[words[text]] for text in pairs.captions])
    people = np.flatnonzero(pairs.neutral & (pairs.codes >= 0) & ~held_out).tolist()
    queries = list(dict.fromkeys(pairs.captions[row] for row in people))[:256]
    if not queries:
        raise DataError(
            "No caption of the collection is of a labelled person and leaves the group open.",
            "Such captions are mitigated.",
        )
    return TowerMaterial(
        pictures=towers.pictures(pairs.images),
        groups=torch.from_numpy(pairs.codes),
        names=pairs.names,
        held=torch.from_numpy(held_out),
        meaning=same,
        rows=torch.arange(size),
        tokens=towers.tokens(pairs.captions),
        says=same,
        neutral=torch.from_numpy(pairs.neutral & (pairs.codes >= 0)),
        asked=towers.tokens(queries),
        about={"collection": pairs.source, "pictures": size, "held_out": int(held_out.sum())},
    )
