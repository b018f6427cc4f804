"""The manifest: how a result came about, written from the values that were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairlead import __version__
from fairlead.results.score import ScoreResult
from fairlead.types import Groups
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

MADE_BY = {"fairlead": __version__}
"""How every manifest begins: by this a folder is known as ours, and by which version of us."""


def manifest(
    command: str,
    plan: Mapping[str, Any],
    evidence: Evidence,
    *,
    scores: ScoreResult | None = None,
    coverage: Mapping[str, Mapping[str, float]] | None = None,
    warnings: Sequence[str] = (),
    ties: float = 0.0,
    **more: Any,
) -> dict[str, Any]:
    """How a result came about: enough to repeat it.

    Args:
        command: The verb.
        plan: The plan as text.
        evidence: The plain lists as they were measured: labels, sources and targets are read off.
        scores: What was measured; the kinds of chance levels are read off its rows.
        coverage: How much of the lists each attribute labels, where a file says so.
        warnings: What a reader must know, each once.
        ties: Share of entries tied with a neighbour.
        **more: What else this command has to say. None is left out, except under ``mitigate``,
            where it says that nothing was mitigated.
    """
    said = {name: one for name, one in more.items() if one is not None or name == "mitigate"}
    nulls = _nulls(scores)
    return {
        **MADE_BY,
        "command": command,
        "plan": dict(plan),
        "run": lists_of(evidence.ranking.lengths, ties),
        "labels": {
            name: _labels(one.groups, one.target.name, (coverage or {}).get(name))
            for name, one in evidence.attributes.items()
        },
        "null": nulls,
        "collection_known": evidence.pool is not None,
        "warnings": list(dict.fromkeys([*warnings, *_other_null(plan.get("null"), nulls)])),
        **said,
    }


def lists_of(lengths: Array, ties: float = 0.0) -> dict[str, Any]:
    """How many lists there are, and how long they are."""
    depth: dict[str, float] = {"min": 0, "median": 0.0, "max": 0}
    if len(lengths):
        depth = {
            "min": int(lengths.min()),
            "median": float(np.median(lengths)),
            "max": int(lengths.max()),
        }
    return {"queries": len(lengths), "entries": int(lengths.sum()), "ties": ties, "depth": depth}


def _labels(groups: Groups, target: str, coverage: Mapping[str, float] | None) -> dict[str, Any]:
    """What the labels of an attribute are, who gave them, and how much they cover."""
    assert groups.not_applicable is not None
    # Of labels made here the coverage is counted; nothing can be missing that nobody listed.
    unknown, absent = 0.0, 0.0
    if len(groups):
        unknown = float(groups.unknown.mean())
        absent = float(groups.not_applicable.mean())
    own = {
        "known": 1 - unknown - absent,
        "unknown": unknown,
        "not_applicable": absent,
        "missing": 0.0,
    }
    return {
        "coverage": dict(coverage or own),
        "groups": list(groups.names),
        "target": target,
        "source": groups.source,
    }


def _other_null(asked: str | None, nulls: Mapping[str, str]) -> list[str]:
    """A note where chance was drawn otherwise than it was asked for."""
    # Asked for one kind and told another, a reader would quote the wrong one.
    kinds = sorted(set(nulls.values()) - {asked})
    if asked is None or not kinds:
        return []
    return [
        f"Chance is '{', '.join(kinds)}', not '{asked}' as asked: with matched sets, or labels "
        "that depend on the query, it is drawn within the lists."
    ]


def _nulls(scores: ScoreResult | None) -> dict[str, str]:
    """Which chance level each metric was held against; rows of one metric share it."""
    if scores is None:
        return {}
    return {
        f"{row.metric} on {row.attribute}": str(row.null["kind"])
        for row in scores.rows
        if row.null is not None
    }
