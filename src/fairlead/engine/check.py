"""Look at files before measuring: what they hold, how much is labelled, what cannot work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairlead.results.check import AttributeCheck, CheckResult
from fairlead.statistics.cells import hidden
from fairlead.types.evidence import Evidence


def inspect(
    evidence: Evidence, coverage: Mapping[str, Mapping[str, float]], manifest: Mapping[str, Any]
) -> CheckResult:
    """What the labels hold, attribute by attribute."""
    least = int(manifest["plan"]["least"])
    return CheckResult(
        tuple(
            _attribute(evidence.on(name), name, coverage[name], least)
            for name in evidence.attributes
        ),
        manifest,
    )


def _attribute(
    evidence: Evidence, name: str, coverage: Mapping[str, float], least: int
) -> AttributeCheck:
    labels = evidence.labels
    mass, _ = labels.mass()
    # Codes need no table of shares, which for a large run would be many times their size.
    known = labels.share.sum(1) if labels.codes is None else (labels.codes >= 0).astype(float)
    per_query = np.bincount(evidence.ranking.query_of, known, len(evidence))
    # Where nobody is labelled all shares are 0, not NaN.
    total = max(float(mass.sum()), 1e-300)
    shares = {group: float(m / total) for group, m in zip(labels.names, mass, strict=True)}
    # Shares are of entries, but few people are few people: an item counts once, however many
    # queries rank it. With one group its share is the whole, which tells no number.
    once = np.unique(evidence.ranking.rows, return_index=True)[1]
    few = np.zeros(1, np.bool_)
    if len(labels.names) > 1:
        few = hidden(labels.take(once).mass()[0], least)
    return AttributeCheck(
        name,
        shares,
        coverage,
        int((per_query == 0).sum()),
        frozenset(n for n, low in zip(labels.names, few, strict=True) if low),
    )
