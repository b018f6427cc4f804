"""How to measure: the settings of every measurement, and its random streams."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairlead.statistics.intervals import Method
from fairlead.statistics.nulls import Kind
from fairlead.statistics.targets import UnknownPolicy
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Settings:
    """How to measure.

    Attributes:
        null: Which null; None chooses by what is known.
        unknown: What becomes of unknown labels.
        interval: How intervals are made.
        clusters: (queries,) cluster of each query, for a cluster bootstrap.
        seed: Seed of every random stream.
        detect: A difference to plan for: rows say how many queries it needs.
        by: Tags of the queries, (queries,) values each: every value gets rows of its own.
    """

    null: Kind | None = None
    unknown: UnknownPolicy = "ignore"
    interval: Method = "studentised"
    clusters: Array | None = None
    seed: int = 0
    detect: float | None = None
    by: Mapping[str, Sequence[str]] = field(default_factory=dict)


DEFAULTS = Settings()


def selected(values: Array | None, queries: Array) -> Array | None:
    """What some queries have of (queries,) values; None where there are no values at all."""
    if values is None:
        return None
    return values[queries]


def stream(seed: int, *about: Any) -> np.random.Generator:
    """A generator that depends on the seed and the question alone, not on what else is asked."""
    # Rows are then the same whether one metric is asked for or all of them.
    question = "|".join(map(str, (seed, *about)))
    # Python's own hash differs from run to run.
    digest = hashlib.blake2b(question.encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
