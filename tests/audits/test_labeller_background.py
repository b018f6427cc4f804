"""``simulate labeller``: rerankers know what a score is worth in the collection."""

from __future__ import annotations

from typing import Any

import numpy as np

import fairlead
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence


class Watching:
    """A reranker that keeps the order and remembers the backgrounds it was shown."""

    name = "watching"
    summary = promise = source = blind_spot = "-"

    def __init__(self) -> None:
        self.backgrounds: list[Any] = []

    def __str__(self) -> str:
        return self.name

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        self.backgrounds.append(evidence.background)
        return evidence.ranking.head(k)


def test_labellers_are_simulated_with_the_background_of_every_other_road() -> None:
    watching = Watching()
    fairlead.simulate.labeller(
        analyses=["threshold"],
        model="phantom_ideal(dose=0.8)",
        benchmark="phantom:skewed",
        labellers=["noisy(soft=true)"],
        mitigate=[watching],
        repeats=1,
    )
    assert watching.backgrounds
    for background in watching.backgrounds:
        assert background is not None and np.isfinite(background).all()
    audited = fairlead.audit(
        "phantom_ideal(dose=0.8)", "phantom:skewed", mitigate="levelled", attribute="gender"
    )
    assert np.isin(watching.backgrounds[0], audited.run.background).all()
