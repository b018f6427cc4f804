"""``calibrated``: as ``orthogonal``, and sentences that differ only in the group become alike.

    P = argmin |P - P0|^2 + strength / |S| sum over (i, j) in S of |P z_i - P z_j|^2
      = P0 (I + strength / |S| sum (z_i - z_j)(z_i - z_j)')^-1

P0 is the orthogonal projection. S are pairs of sentences ("a photo of a female doctor", "a photo of
a male doctor") for some ``classes``. Chuang, Jampani, Li, Torralba, Jegelka: vision-language models
via biased prompts (arXiv 2302.00070), Lemma 4.1, with its strength of 1000. P is not symmetric, but
it acts on queries alone, so the stored index stays right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.projections.linear import Linear
from fairlead.projections.orthogonal import Span, projection_of, refuse_bad_texts
from fairlead.projections.reference import Reference
from fairlead.protocols.spec import Configured
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Calibrated(Configured):
    """Queries lose the directions of the groups' prompts, and sentences that differ in the group
    only become alike.

    ``strength`` weighs the sentences; 0 is ``orthogonal``. ``classes`` (``doctor|nurse``) are what
    the sentences name; common occupations by default. ``prompts`` and ``span`` are those of
    ``orthogonal``.
    """

    strength: float = 1000.0
    prompts: str = ""
    classes: str = ""
    span: Span = "prompts"

    name: ClassVar[str] = "calibrated"
    summary: ClassVar[str] = (
        "As orthogonal, and sentences that differ in the group only become alike."
    )
    source: ClassVar[str] = (
        "Chuang et al., vision-language models via biased prompts (arXiv 2302.00070), "
        "calibrated projection"
    )
    blind_spot: ClassVar[str] = (
        "Sees texts only, and those sentences only: what other queries carry stays. A "
        "query that asks for a group is heard less."
    )
    promise: ClassVar[str] = (
        "Queries have unit length; the published objective is at its least. Query alone: exact."
    )
    needs: ClassVar[frozenset[str]] = frozenset({"prompts", "pairs"})
    knob: ClassVar[tuple[str, tuple[float, ...]]] = ("strength", (0.0, 1.0, 10.0, 100.0, 1000.0))

    def validate(self) -> None:
        refuse_bad_texts(self, "prompts")
        if self.classes and "" in [part.strip() for part in self.classes.split("|")]:
            raise UsageError(
                "calibrated(classes=...) has an empty part.", "Write them as doctor|nurse."
            )
        if self.strength < 0:
            raise UsageError(
                f"calibrated(strength={self.strength:g}) is below 0.", "The published one is 1000."
            )

    def fit(self, reference: Reference) -> Linear:
        """The closed form."""
        first = projection_of(reference.texts(self), self.span)
        if reference.pairs is None:
            raise UsageError(
                f"{self} is fitted on sentences for each group, and there are none.",
                'Give classes="doctor|nurse".',
            )
        # with more than two groups every pair of them must become alike
        pairs = combinations(range(reference.pairs.shape[1]), 2)
        gaps = np.concatenate([reference.pairs[:, a] - reference.pairs[:, b] for a, b in pairs])
        weighed = np.eye(len(first)) + self.strength / len(gaps) * gaps.T @ gaps
        # solved for the transposed system: inverting would lose digits at a strength of 1000
        return Linear(np.linalg.solve(weighed, first.T).T, unit=True)  # weighed is symmetric

    def restore(self, arrays: Mapping[str, Array]) -> Linear:
        """The map that a file keeps."""
        return Linear.restored(arrays)
