"""Labels with their targets: one way to read what a user states, on every road."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.statistics import targets
from fairlead.store.groups import LABELLED
from fairlead.store.targets import read_target
from fairlead.types import Groups, Relevant, Sets
from fairlead.types.evidence import Labelled, Target

COUNTED = ("uniform", "pool", "relevant")
"""Targets that follow from the labels; every other one is stated, share by share."""
Shares = Mapping[str, Mapping[tuple[str, str], float]]


ANY = "*"
"""Stands for the attribute in shares that name groups alone."""


def is_stated(target: Any) -> bool:
    """Whether a target is stated share by share, not counted or even."""
    return not isinstance(target, str) or target not in COUNTED


def stated_shares(target: Any) -> Shares | None:
    """The shares that a user states, or None where they are to be counted.

    Raises:
        UsageError: For a word that is neither a target nor a file.
    """
    if isinstance(target, Target):
        return None
    if isinstance(target, str) and target in COUNTED:
        return None
    if isinstance(target, str) and not _may_be_file(target):
        near = unknown_name("target", target, COUNTED).hint
        raise UsageError(
            f"There is neither a target nor a file called '{target}'.",
            f"{near} A file has query,attribute,group,share.",
        )
    if isinstance(target, Mapping) and target and all(map(_is_share, target.values())):
        # Shares by group alone: of whichever attribute is measured.
        return {ANY: {("*", str(group)): float(share) for group, share in target.items()}}
    if (
        isinstance(target, Mapping)
        and target
        and all(_are_read(shares) for shares in target.values())
    ):
        return target
    shares: Shares = read_target(target)
    return shares


def shares_of(shares: Shares, attribute: str) -> Mapping[tuple[str, str], float] | None:
    """The shares that are stated of an attribute: by its name, or of any."""
    return shares.get(attribute) or shares.get(ANY)


def labelled(
    groups: Groups,
    target: Any,
    shares: Shares | None,
    *,
    queries: tuple[str, ...],
    pool: Sets,
    relevant: Relevant | None = None,
    aligned: bool = False,
) -> Labelled:
    """The labels of one attribute with their target.

    Args:
        groups: The labels; groups that the target alone names are added, with nobody in them.
        target: As the user gave it.
        shares: What ``stated_shares`` made of it.
        queries: Query ids.
        pool: The rows that ``pool`` counts: the collection, or each query's candidates.
        relevant: Relevant rows of each query, which ``relevant`` counts.
        aligned: Whether there is a label for each entry of the ranking.
    """
    if isinstance(target, Target):
        return Labelled(groups, target, aligned)
    if shares is not None:
        own = shares_of(shares, groups.attribute)
        if own is None:
            raise DataError(
                f"The target {name_of(target)} has no rows for attribute '{groups.attribute}'.",
                f"It has {', '.join(shares)}.",
            )
        groups = with_named(groups, [group for _, group in own])
        return Labelled(groups, targets.given(groups, queries, own, name=name_of(target)), aligned)
    if target == "uniform":
        return Labelled(groups, targets.uniform(groups), aligned)
    if target == "pool":
        return Labelled(groups, targets.pool(groups, pool), aligned)
    if relevant is None:
        raise UsageError(
            "The target 'relevant' needs relevance judgements.", "Give them with --qrels."
        )
    if aligned:
        raise UsageError(
            "The target 'relevant' needs labels of items, not labels that depend on the query.",
            "Give a target file.",
        )
    return Labelled(groups, targets.relevant(groups, relevant), aligned)


def with_named(groups: Groups, named: Sequence[str]) -> Groups:
    """The groups with those a target names but no label does: an absent group must not be
    invisible.
    """
    if groups.names == (LABELLED,):
        # Nobody has a label, so the target alone knows which groups there are.
        return replace(groups, names=tuple(dict.fromkeys(named)))
    extra = tuple(g for g in dict.fromkeys(named) if g not in groups.names)
    missing = [g for g in groups.names if g not in named]
    # Names on both sides without a partner may well mean the same ("woman", "female"): to add them
    # would make a group that nobody is in.
    if extra and missing:
        near = unknown_name(f"group of '{groups.attribute}' in the labels", extra[0], groups.names)
        raise UsageError(
            f"{near.message} The target names it.",
            f"{near.hint} If they mean the same, say so for each: --map {missing[0]}={extra[0]}.",
        )
    if not extra:
        return groups
    soft = groups.soft
    if soft is not None:
        soft = np.hstack([soft, np.zeros((len(groups), len(extra)))])
    return replace(groups, names=(*groups.names, *extra), soft=soft)


def one_group(groups: Groups) -> DataError:
    """The error for an attribute of which only one group is known: any number about it would say
    that all is well.
    """
    return DataError(
        f"Attribute '{groups.attribute}' has one group only ('{groups.names[0]}'), so nothing can "
        "be compared.",
        "Name the missing groups in a target file (query,attribute,group,share).",
    )


def name_of(target: Any) -> str:
    """What a target is called beside every number."""
    if isinstance(target, Target):
        return target.name
    if isinstance(target, (str, Path)):
        return Path(target).name
    return "given"


def _is_share(share: Any) -> bool:
    return isinstance(share, (int, float)) and not isinstance(share, bool)


def _are_read(shares: Any) -> bool:
    """Whether shares are read already: ``{(query, group): share}``, as a study states them."""
    return isinstance(shares, Mapping) and all(isinstance(key, tuple) for key in shares)


def _may_be_file(target: str) -> bool:
    # With an ending it was meant for a file, so the error should speak of files.
    return bool(Path(target).suffix) or Path(target).expanduser().exists()
