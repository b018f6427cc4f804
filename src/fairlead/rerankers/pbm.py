"""PBM, post-hoc bias mitigation: rounds of one best item per group, against the best neutral item.

While fewer than k items are in: if the mean score of the best remaining item of every group is
above the score of the best neutral (unknown or not applicable) item, add those items, in score
order; otherwise, also on a tie, add the neutral item. Kong, Yuan, Hao, Henao: Mitigating test-time
bias for fair image retrieval (NeurIPS 2023), Algorithm 1, there for two groups.

Ours: any number of groups, and what becomes of a round that does not fit (``last``):

- ``random``: as many groups as places are left are drawn without replacement (for two groups and
  odd k, the extra image goes to a random group).
- ``neutral``: neutral items fill those places while there are any.
- ``overshoot``: Algorithm 1 as printed. The round is added whole, so that a list of two groups may
  hold k + 1 items.

A group that has run out is left out of further rounds (``exhausted=fill``), or ends the rounds
(``exhausted=stop``): then only neutral items follow and the list may be short. With ``theta``
(their Appendix B) each step is a fair one with probability theta, else the single best remaining
item of any kind.

``variant=released`` is what the authors' code does: no neutral items, groups in turn starting with
``first`` (else as listed), an end as soon as any group ends, cut to k.

A score counts as at most that of the item ranked above it, so that a list whose scores are not
sorted is read in its own order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError, unknown_name
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.queues import END, Queues, queue_up, rerank
from fairlead.rerankers.rounds import fair_steps, mixed_steps
from fairlead.rerankers.single import falling
from fairlead.rerankers.streams import stream_keys, uniforms
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class PBM(DescribedReranker):
    """Rounds of one best item per group; neutral items where they score higher than the round."""

    theta: float = 1.0
    exhausted: Literal["fill", "stop"] = "fill"
    variant: Literal["algorithm", "released"] = "algorithm"
    first: str = ""
    last: Literal["random", "neutral", "overshoot"] = "random"

    name: ClassVar[str] = "pbm"
    summary: ClassVar[str] = (
        "Rounds of one best item per group; neutral items where they score higher than the round."
    )
    source: ClassVar[str] = (
        "Kong, Yuan, Hao, Henao: Mitigating test-time bias for fair image retrieval "
        "(NeurIPS 2023), Algorithm 1"
    )
    blind_spot: ClassVar[str] = (
        "Equal representation only: a stated target is not used. Treats every query as "
        "neutral. Unknown items are exempt, "
        "so a classifier that fails more often on one group hides bias there. Sees one hard "
        "label per item."
    )
    promise: ClassVar[str] = (
        "With theta=1, counts of two groups that have not run out never differ by more "
        "than one; theta=0 is the plain list."
    )
    uses_target: ClassVar[bool] = False
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "theta",
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    )

    def validate(self) -> None:
        if not 0 <= self.theta <= 1:
            raise UsageError(
                f"{self.name}(theta={self.theta}) is not a probability.", "Accepted: 0 to 1."
            )
        chosen = (self.theta, self.exhausted, self.last)
        if self.variant == "released" and chosen != (1, "fill", "random"):
            raise UsageError(
                "pbm(variant=released) has neither theta nor exhausted nor last.",
                "It always interleaves, and stops when a group ends.",
            )
        if self.variant == "algorithm" and self.first:
            raise UsageError(
                "pbm(first=...) belongs to variant=released.",
                "Algorithm 1 orders each round by score.",
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        queues = queue_up(evidence, targeted=False)
        if self.variant == "released":
            order = self._lead(evidence.attribute.groups.names)
            return rerank(
                evidence,
                k,
                lambda a, b, width: _interleaved(queues.part(a, b), order, width),
                columns=len(order),
            )
        scores = np.append(falling(evidence.ranking), -np.inf)
        groups = queues.target.shape[1]
        keys = stream_keys(seed, str(self), evidence.queries)

        def rounds(first: int, last: int, width: int) -> Array:
            part = queues.part(first, last)
            heads = np.concatenate([part.heads(width), part.unknown(width)[:, None]], axis=1)
            values = scores[np.minimum(heads, len(scores) - 1)]
            # The first numbers of a stream choose the groups of a short round, the others decide
            # which steps are fair.
            draws = uniforms(keys[first:last], groups + width)
            fill = self.exhausted == "fill"
            if self.theta == 1 and self.last == "random":
                return fair_steps(heads, values, draws[:, :groups], fill=fill)
            return mixed_steps(heads, values, draws, theta=self.theta, fill=fill, last=self.last)

        return rerank(evidence, k, rounds, columns=6 * (groups + 1))

    def _lead(self, names: tuple[str, ...]) -> list[int]:
        if self.first and self.first not in names:
            raise unknown_name("group to lead pbm(variant=released)", self.first, names)
        return sorted(range(len(names)), key=lambda g: names[g] != self.first)


def _interleaved(queues: Queues, lead: list[int], width: int) -> Array:
    """Groups in turn until one has run out."""
    rounds = np.where(np.arange(width) < queues.sizes[:, :-1].min(axis=1)[:, None], 0, END)
    turns = np.maximum(queues.heads(width)[:, lead], rounds[:, None])
    return turns.transpose(0, 2, 1).reshape(len(queues), -1)[:, :width]
