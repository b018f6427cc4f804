"""Laws that every metric keeps, one function each; a broken law raises AssertionError.

A plug-in's test makes its metric, some evidence (``fairlead.testing.worlds``) and calls
``all_laws``.
"""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from fairlead.protocols.registry import make
from fairlead.protocols.spec import Value, parse
from fairlead.types import Groups
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.ragged import Array

TOLERANCE = 1e-12


def options(metric: type[Any], names: tuple[str, ...]) -> dict[str, list[Value]]:
    """Values worth trying for each parameter, from its annotation; texts are names of groups."""
    hints = typing.get_type_hints(metric)
    choices = {}
    texts = iter(names)
    for item in dataclasses.fields(metric):
        hint = hints[item.name]
        if typing.get_origin(hint) is Literal:
            choices[item.name] = list(typing.get_args(hint))
        elif hint is bool:
            choices[item.name] = [False, True]
        elif hint is float:
            # smoothing: none at all, and that of Feng and Shah
            choices[item.name] = [item.default, 0.0, 1e-4]
        elif hint is str:
            # the first group must be named, a second one may be left open
            first = not any(hints[n] is str for n in choices)
            choices[item.name] = [next(texts)] if first or item.default else [next(texts), ""]
        elif item.name == "k":
            # the last is longer than any list of the small evidence
            choices[item.name] = [None, 1, 3, 50]
        else:
            choices[item.name] = [item.default]
    return choices


def all_laws(metric: Any, evidence: Evidence) -> None:
    """Every law below, for one metric on one evidence."""
    has_a_text_form(metric)
    stays_in_range(metric, evidence)
    batch_is_one_by_one(metric, evidence)
    order_of_queries_is_free(metric, evidence)
    empty_lists_are_undefined(metric, evidence)
    if "groups" in metric.needs:
        hard_is_soft(metric, evidence)
        order_of_groups_is_free(metric, evidence)
        names_of_groups_are_free(metric, evidence)
        nothing_known_is_undefined(metric, evidence)


def has_a_text_form(metric: Any) -> None:
    """The text form builds an equal, equally hashed metric."""
    again = make("metric", str(metric))
    assert again == metric and hash(again) == hash(metric), (
        f"{metric} is not read back from its text"
    )
    assert str(again) == str(metric) and parse(str(metric)) == metric.spec
    assert again is not metric


def stays_in_range(metric: Any, evidence: Evidence) -> None:
    """Values lie in the declared range; smoothing may pass its ends by the order of eps."""
    numerator, denominator = metric(evidence)
    assert numerator.shape == denominator.shape == (len(evidence),)
    values = value(metric, evidence)
    defined = values[~np.isnan(values)]
    slack = TOLERANCE + getattr(metric, "eps", 0.0) * len(evidence.labels.names)
    low, high = metric.range
    assert ((defined >= low - slack) & (defined <= high + slack)).all(), (
        f"{metric}: {defined} outside {metric.range}"
    )


def batch_is_one_by_one(metric: Any, evidence: Evidence) -> None:
    """A query's value does not depend on the queries beside it."""
    together = np.stack(metric(evidence))
    alone = np.hstack(
        [np.stack(metric(evidence.select(np.array([q])))) for q in range(len(evidence))]
    )
    _same(metric, together, alone)


def order_of_queries_is_free(metric: Any, evidence: Evidence) -> None:
    """Queries in another order give the same values in that order."""
    order = np.arange(len(evidence))[::-1]
    _same(metric, np.stack(metric(evidence))[:, order], np.stack(metric(evidence.select(order))))


def hard_is_soft(metric: Any, evidence: Evidence) -> None:
    """Hard labels written as shares of 0 and 1 give the same values."""
    groups = evidence.attribute.groups
    if groups.hard:
        shares = replace(groups, codes=None, soft=groups.share)
        _same(
            metric,
            np.stack(metric(evidence)),
            np.stack(metric(_with(evidence, shares, evidence.attribute.target))),
        )


def order_of_groups_is_free(metric: Any, evidence: Evidence) -> None:
    """The order in which groups are listed does not matter."""
    labelled = evidence.attribute
    groups = labelled.groups
    order = np.roll(np.arange(len(labelled.groups.names)), 1)[::-1]
    names = tuple(groups.names[g] for g in order)
    if groups.codes is not None:
        # codes -2 and -1 read their own value from the end
        place = np.append(np.argsort(order), [-2, -1])
        moved = replace(groups, names=names, codes=place[groups.codes])
    else:
        moved = replace(groups, names=names, soft=groups.share[:, order])
    target = Target(labelled.target.name, labelled.target.shares[:, order])
    _same(metric, np.stack(metric(evidence)), np.stack(metric(_with(evidence, moved, target))))


def names_of_groups_are_free(metric: Any, evidence: Evidence) -> None:
    """Other names for the groups give the same values, also in the metric's own parameters."""
    groups = evidence.attribute.groups
    new = {name: f"the {name} one" for name in groups.names}
    named = {f.name: getattr(metric, f.name) for f in dataclasses.fields(metric)}
    along = replace(
        metric, **{n: new[v] for n, v in named.items() if isinstance(v, str) and v in new}
    )
    # a target that names its groups would not fit the new names
    target = replace(evidence.attribute.target, groups=None)
    renamed = _with(evidence, replace(groups, names=tuple(new.values())), target)
    _same(metric, np.stack(metric(evidence)), np.stack(along(renamed)))


def empty_lists_are_undefined(metric: Any, evidence: Evidence) -> None:
    """A metric of groups has no value for an empty list, others none without judgements."""
    values = value(metric, evidence)
    if "groups" in metric.needs:
        assert np.isnan(values[evidence.ranking.lengths == 0]).all(), (
            f"{metric} of an empty list is defined"
        )
    elif evidence.relevant is not None:
        assert np.isnan(values[np.diff(evidence.relevant.offsets) == 0]).all(), (
            f"{metric} without relevant items is defined"
        )


def nothing_known_is_undefined(metric: Any, evidence: Evidence) -> None:
    """A list without labels has no value, or 0 where a convention counts unlabelled items."""
    groups = evidence.attribute.groups
    blank = Groups(
        groups.attribute, groups.names, codes=np.full(len(groups), -1), source=groups.source
    )
    values = value(metric, _with(evidence, blank, evidence.attribute.target))
    counted = hasattr(metric, "denominator")
    assert (np.isnan(values) | (values == 0)).all() if counted else np.isnan(values).all(), (
        f"{metric} of unlabelled lists is defined"
    )


def value(metric: Any, evidence: Evidence) -> Array:
    """(queries,) the value of each query: numerator over denominator, NaN where undefined."""
    numerator, denominator = metric(evidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        return typing.cast(Array, numerator / denominator)


def _with(evidence: Evidence, groups: Groups, target: Target) -> Evidence:
    name = next(iter(evidence.attributes))
    return replace(
        evidence, attributes={name: Labelled(groups, target, evidence.attribute.aligned)}
    )


def _same(metric: Any, one: Array, other: Array) -> None:
    np.testing.assert_allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE, err_msg=str(metric))
