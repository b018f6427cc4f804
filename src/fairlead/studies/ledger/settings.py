"""What the sections of the ledger are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fairlead.statistics.targets import uniform
from fairlead.studies.ledger.rows import LedgerRow
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array

SOURCES = {
    "occupation1": (
        "data/public/gender_labelled_images.csv of github.com/mjskay/gender-in-image-search "
        "(Kay et al. 2015, CC BY 4.0)"
    ),
    "occupation2": (
        "occupations_labels.csv of github.com/AnayMehrotra/Noisy-Fair-Subset-Selection "
        "(Celis & Keswani 2020)"
    ),
}
"""Label files that turn some rows that need data into computed ones, and where to get them."""


@dataclass(frozen=True)
class LedgerSettings:
    """What every section is given.

    That is the runs of each random cell, the seed, and counts from label files the user has
    (``{"occupation1": {"gender": counts}}``).
    """

    runs: int
    seed: int = 0
    labels: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)

    def stream(self, *key: int) -> np.random.Generator:
        """A random stream of one section."""
        # Keyed by section: a row is the same whichever papers are asked for.
        return np.random.default_rng([self.seed, *key])


Section = tuple[str, Callable[[LedgerSettings], list[LedgerRow]]]
"""A name to show while it runs, and the function that makes its rows."""


def listed(
    codes: Array, names: tuple[str, ...], *, copies: int = 1, label: str = "list"
) -> Evidence:
    """Evidence on lists of hard labels, each ranked as it stands, with a uniform target.

    Args:
        codes: (lists, length) group numbers.
        names: The groups.
        copies: How many queries hold each list; their ids differ, so each has a random stream of
            its own.
        label: The beginning of the query ids.
    """
    lists, length = codes.shape
    groups = Groups("group", names, codes=codes.ravel())
    rows = np.repeat(np.arange(lists * length).reshape(lists, length), copies, axis=0)
    offsets = np.arange(lists * copies + 1) * length
    # Falling by one from rank to rank: the order is given, and no two items tie.
    scores = np.tile(-np.arange(length, dtype=np.float32), lists * copies)
    # Rerankers draw by the query's id, so copies of a list are repetitions.
    ids = tuple(f"{label}/{i}/{copy}" for i in range(lists) for copy in range(copies))
    return Evidence(
        Ranking(offsets, rows.ravel(), scores), ids, {"group": Labelled(groups, uniform(groups))}
    )
