"""Targets: the group shares a list is measured against, and what happens to unknown labels.

Both are stated choices.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.types import UNKNOWN, Groups, Relevant, Sets
from fairlead.types.arrays import slack_of_rounding
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.ragged import Array

UnknownPolicy = Literal["ignore", "own-group", "spread"]


def uniform(groups: Groups) -> Target:
    """Every group the same share."""
    return Target("uniform", np.full((1, len(groups.names)), 1 / len(groups.names)), groups.names)


def pool(groups: Groups, rows: Sets) -> Target:
    """The known mix of the rows each query ranks over."""
    return _mix("pool", groups, rows)


def relevant(groups: Groups, rows: Relevant) -> Target:
    """The known mix of each query's relevant items; NaN for a query without a labelled one."""
    return _mix("relevant", groups, rows)


def given(
    groups: Groups, queries: tuple[str, ...], shares: Mapping[tuple[str, str], float], *, name: str
) -> Target:
    """Shares stated by the user: ``{(query id or "*", group): share}``.

    A query's own rows win over ``*``. Every group must be named, and every query's shares must sum
    to one.
    """
    for _, group in shares:
        if group not in groups.names:
            raise unknown_name(
                f"group of '{groups.attribute}' in the target {name}", group, groups.names
            )
    stated: dict[str, dict[str, float]] = {}
    for (query, group), share in shares.items():
        stated.setdefault(query, {})[group] = share
    table = {q: _row(groups, stated[q], q, name) for q in ("*", *queries) if q in stated}
    if set(table) == {"*"}:
        return Target(name, table["*"][None], groups.names)
    missing = [q for q in queries if q not in table and "*" not in table]
    if missing:
        raise DataError(
            f"The target {name} has no shares for query '{missing[0]}' ({len(missing)} missing).",
            "Add rows with query *.",
        )
    rows = np.stack([table[q if q in table else "*"] for q in queries])
    return Target(name, rows, groups.names)


def _row(groups: Groups, shares: Mapping[str, float], query: str, name: str) -> Array:
    absent = [g for g in groups.names if g not in shares]
    if absent:
        raise DataError(
            (
                f"The target {name} lacks group '{absent[0]}' of '{groups.attribute}' for "
                f"query '{query}'."
            ),
            "Give every group a share; 0 is allowed.",
        )
    row = np.array([shares[g] for g in groups.names])
    # three decimals or more: with fewer, a sum of .99 is more likely a slip than rounding
    slack = slack_of_rounding(row[None], least=3)[0]
    if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1) <= slack + 1e-9):
        raise DataError(
            (
                f"The target {name} for query '{query}' is {row.tolist()}, which sums to "
                f"{row.sum():.6g}."
            ),
            "Shares lie in [0, 1] and sum to 1.",
        )
    return row if abs(row.sum() - 1) < 1e-6 else row / row.sum()


def _mix(name: str, groups: Groups, rows: Sets) -> Target:
    mass = np.array([groups.mass(rows.of(q))[0] for q in range(len(rows))])
    mass = mass.reshape(len(rows), len(groups.names))
    with np.errstate(invalid="ignore"):
        return Target(name, mass / mass.sum(1, keepdims=True), groups.names)


def with_unknown(
    evidence: Evidence, policy: UnknownPolicy, among: Evidence | None = None
) -> Evidence:
    """The evidence under a policy for unknown labels.

    ``ignore``: distributions are taken over the known mass. ``own-group``: unknown is one more
    group. Its target is its share among the items of the pool (else of the ranking) that the
    attribute applies to; the other targets shrink by it. ``spread``: unknown mass is spread by the
    known mix of the labelled items (missing at random).

    Shares are counted ``among`` the plain candidates where the evidence is a variant of them, so
    that both get the same target.
    """
    if policy not in typing.get_args(UnknownPolicy):
        raise unknown_name("policy for unknown labels", policy, typing.get_args(UnknownPolicy))
    if policy == "ignore":
        return evidence
    rule = _own_group if policy == "own-group" else _spread
    return replace(
        evidence,
        attributes={
            n: rule(a, _mass(a, among or evidence)) for n, a in evidence.attributes.items()
        },
    )


def _mass(labelled: Labelled, evidence: Evidence) -> tuple[Array, float]:
    """Known mass of each group, and unknown mass, among the items of the pool.

    Where the pool is not known, among those of the ranking.
    """
    if labelled.aligned:
        return labelled.groups.mass()
    rows = evidence.ranking.rows if evidence.pool is None else evidence.pool.rows
    return labelled.groups.mass(np.unique(rows))


def _own_group(labelled: Labelled, mass: tuple[Array, float]) -> Labelled:
    groups = labelled.groups
    target = labelled.target
    known_mass, missing = mass
    if not missing:
        return labelled
    # two groups of one name could not be told apart in any table
    if "unknown" in groups.names:
        raise DataError(
            f"'{groups.attribute}' has a group called 'unknown' and unlabelled items besides.",
            "Rename the group, leave its labels empty, or choose another policy.",
        )
    share = missing / (known_mass.sum() + missing)
    unknown_share = np.where(np.isnan(target.shares[:, :1]), np.nan, share)
    names = (*groups.names, "unknown")
    if groups.codes is not None:
        new = replace(
            groups,
            names=names,
            codes=np.where(groups.codes == UNKNOWN, len(groups.names), groups.codes),
        )
    else:
        new = replace(groups, names=names, soft=np.hstack([groups.share, groups.unknown[:, None]]))
    shares = np.hstack([target.shares * (1 - share), unknown_share])
    return replace(labelled, groups=new, target=Target(target.name, shares, names))


def _spread(labelled: Labelled, mass: tuple[Array, float]) -> Labelled:
    groups = labelled.groups
    known_mass, missing = mass
    if not missing:
        return labelled
    if known_mass.sum():
        mix = known_mass / known_mass.sum()
    else:
        mix = np.full(len(known_mass), 1 / len(known_mass))
    soft = groups.share + groups.unknown[:, None] * mix
    return replace(labelled, groups=replace(groups, codes=None, soft=soft))
