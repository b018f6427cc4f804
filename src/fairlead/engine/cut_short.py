"""Lists whose search was cut at a time limit: where that is known from, and how it is said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from fairlead.protocols.reranker import CutShort, Reranker, TimedReranker
from fairlead.trigger.decision import Decision
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence

_TIMED: dict[type, bool] = {}


def ordered(
    reranker: Reranker, evidence: Evidence, k: int, seed: int
) -> tuple[Ranking, tuple[CutShort, ...]]:
    """The lists of a reranker, and which of them it cut at its time limit."""
    timed = _timed(reranker)
    if timed is None:
        return reranker(evidence, k, seed), ()
    return timed.timed(evidence, k, seed)


def _timed(reranker: Reranker) -> TimedReranker | None:
    """The reranker, where its class has a time limit."""
    # Asking a protocol takes as long as ordering a short list, so each class is asked once.
    kind = type(reranker)
    if kind not in _TIMED:
        _TIMED[kind] = isinstance(reranker, TimedReranker)
    return cast(TimedReranker, reranker) if _TIMED[kind] else None


def cut_notes(name: str, cuts: Sequence[CutShort], queries: int) -> list[str]:
    """What a reader must know of lists whose search was cut."""
    if not cuts:
        return []
    # a service that asks for one list has no need of words
    from fairlead.words.counts import part_of

    note = f"{name} ran out of time in {part_of(len(cuts), queries, 'query')}: {_shown(cuts)}."
    return [f"{note} Give it more seconds to find better ones."]


def decision_on_cut(decision: Decision, name: str, cut: CutShort) -> Decision:
    """The same decision, saying that the list it led to was cut."""
    return replace(decision, reason=f"{decision.reason} {name} ran out of time: {_shown([cut])}.")


def _shown(cuts: Sequence[CutShort]) -> str:
    """What is shown in place of the best lists."""
    gaps = [cut.gap for cut in cuts if math.isfinite(cut.gap)]
    shown = []
    if gaps:
        shown.append(
            "the best found so far is shown, of a relevance at most "
            f"{100 * max(gaps):.2g} % below the best there can be"
        )
    if len(gaps) < len(cuts):
        shown.append("the plain list is shown where nothing was found")
    return ", and ".join(shown)
