"""A road keeps the candidates of the vectors it was asked with, and never gives them to others."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairlead.engine.audits import open_audit
from fairlead.engine.mitigations import mitigation_of
from fairlead.engine.setup import Setup
from fairlead.engine.treatments import Treatment
from fairlead.engine.worlds import galleries_of
from fairlead.protocols import registry
from fairlead.types import Embeddings

BENCHMARK = "phantom(seeds=1)"


def setup(mitigate: Any) -> Setup:
    return Setup(
        model="phantom(dose=1)",
        index="exact",
        groups=None,
        mitigate=tuple(mitigate),
        mitigate_groups=None,
        attribute=("gender",),
        target="uniform",
        metric=(),
        k=8,
        depth=None,
        limit=1_000,
        unknown="ignore",
        null=None,
        interval="studentised",
        trigger=False,
        leave=None,
        leave_out=None,
        seed=0,
    )


def test_vectors_that_are_gone_leave_no_candidates_to_those_that_follow() -> None:
    audited = open_audit(setup(["pbm"]), BENCHMARK)
    engine, asked, reranker = audited.engine, audited.asked, registry.make("reranker", "pbm")
    road, rng = engine.road(asked, audited.vectors, 8), np.random.default_rng(0)
    size = audited.vectors.vectors.shape
    for _ in range(20):
        # No name holds the vectors after the call, so that the next may lie in the same place.
        numbers = rng.standard_normal(size).astype(np.float32)
        treatment = Treatment("one", reranker, Embeddings(numbers), "gender")
        found, _ = road.candidates(treatment)
        fresh, _ = engine.road(asked, audited.vectors, 8).candidates(treatment)
        assert found.ranking.rows.tolist() == fresh.ranking.rows.tolist()
        del treatment


def test_every_projection_of_a_gallery_chooses_from_what_it_finds_itself() -> None:
    names = ("orthogonal", "calibrated", "leace", "inlp", "mi_clip")
    together = {name: mitigation_of(name) for name in names}
    (world,) = galleries_of(setup(()), BENCHMARK, together, repeats=1, held=False).neutral
    for name in names:
        one = {name: mitigation_of(name)}
        (alone,) = galleries_of(setup(()), BENCHMARK, one, repeats=1, held=False).neutral
        rows = world.projected[name].ranking.rows
        assert rows.tolist() == alone.projected[name].ranking.rows.tolist(), name
