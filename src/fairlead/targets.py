"""Targets: the group shares a list is measured against, and what becomes of unknown labels. Both are stated choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.evidence import Evidence, Labelled, Target
from fairlead.ragged import Array
from fairlead.types import UNKNOWN, Groups, Relevant, Sets

UnknownPolicy = Literal["ignore", "own-group", "spread"]


def uniform(groups: Groups) -> Target:
    """Every group the same share."""
    return Target("uniform", np.full((1, len(groups.names)), 1 / len(groups.names)))


def pool(groups: Groups, rows: Sets) -> Target:
    """The known mix of the rows each query ranks over."""
    return _mix("pool", groups, rows)


def relevant(groups: Groups, rows: Relevant) -> Target:
    """The known mix of each query's relevant items; NaN for a query without a labelled one."""
    return _mix("relevant", groups, rows)


def given(groups: Groups, queries: tuple[str, ...], shares: Mapping[tuple[str, str], float], *, name: str) -> Target:
    """Shares stated by the user: ``{(query id or "*", group): share}``; a query's own rows win over ``*``.

    Every group must be named, every query's shares must sum to one.
    """
    for _, group in shares:
        if group not in groups.names:
            raise unknown_name(f"group of '{groups.attribute}' in the target {name}", group, groups.names)
    wanted = [q for q in {q for q, _ in shares} if q == "*" or q in set(queries)]
    table = {q: _row(groups, {g: s for (p, g), s in shares.items() if p == q}, q, name) for q in wanted}
    if set(table) == {"*"}:
        return Target(name, table["*"][None])
    missing = [q for q in queries if q not in table and "*" not in table]
    if missing:
        raise DataError(f"The target {name} has no shares for query '{missing[0]}' ({len(missing)} missing).", "Add rows with query *.")
    return Target(name, np.stack([table[q if q in table else "*"] for q in queries]))


def _row(groups: Groups, shares: Mapping[str, float], query: str, name: str) -> Array:
    absent = [g for g in groups.names if g not in shares]
    if absent:
        raise DataError(
            f"The target {name} lacks group '{absent[0]}' of '{groups.attribute}' for query '{query}'.",
            "Give every group a share; 0 is allowed.",
        )
    row = np.array([shares[g] for g in groups.names])
    if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1) < 1e-6):
        raise DataError(f"The target {name} for query '{query}' sums to {row.sum():.6g}.", "Shares lie in [0, 1] and sum to 1.")
    return row


def _mix(name: str, groups: Groups, rows: Sets) -> Target:
    mass = np.stack([groups.mass(rows.of(q))[0] for q in range(len(rows))])
    with np.errstate(invalid="ignore"):
        return Target(name, mass / mass.sum(1, keepdims=True))


def with_unknown(evidence: Evidence, policy: UnknownPolicy) -> Evidence:
    """The evidence under a policy for unknown labels.

    ``ignore``: distributions are taken over the known mass. ``own-group``: unknown is one more group whose target is its share
    among the labelled items. ``spread``: unknown mass is spread by the known mix of the labelled items (missing at random).
    """
    if policy == "ignore":
        return evidence
    rule = _own_group if policy == "own-group" else _spread
    return replace(evidence, attributes={n: rule(a, evidence) for n, a in evidence.attributes.items()})


def _own_group(labelled: Labelled, evidence: Evidence) -> Labelled:
    groups = labelled.groups
    if "unknown" in groups.names:
        return labelled
    names = (*groups.names, "unknown")
    known, missing = groups.mass()
    share = missing / max(known.sum() + missing, 1e-300)
    old = labelled.target
    shares = np.hstack([old.shares * (1 - share), np.full((len(old.shares), 1), share)])
    if groups.codes is not None:
        new = replace(groups, names=names, codes=np.where(groups.codes == UNKNOWN, len(groups.names), groups.codes))
    else:
        new = replace(groups, names=names, soft=np.hstack([groups.share, groups.unknown[:, None]]))
    return replace(labelled, groups=new, target=Target(old.name, shares))


def _spread(labelled: Labelled, evidence: Evidence) -> Labelled:
    groups = labelled.groups
    known, missing = groups.mass()
    if not missing:
        return labelled
    mix = known / known.sum() if known.sum() else np.full(len(known), 1 / len(known))
    soft = groups.share + groups.unknown[:, None] * mix
    return replace(labelled, groups=replace(groups, codes=None, soft=soft))
