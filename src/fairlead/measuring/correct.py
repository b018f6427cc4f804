"""Correct for label error: every metric of groups measured again on draws of the true labels, given
a sample that people labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.measuring.relabel import Lists, Readings
from fairlead.measuring.score import Settings, stream
from fairlead.protocols import Progress
from fairlead.results.score import Row
from fairlead.statistics.confusion import Confusion, shares_drawn
from fairlead.statistics.correction import ends
from fairlead.statistics.imputation import NOBODY, Imputation, Units
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array
from fairlead.words.counts import agreeing, counted

DRAWS, _EVERY = 400, 4
"""Draws of the true labels, and every how many of them the chance level is taken anew."""


@dataclass(frozen=True, eq=False)
class Sample:
    """What people say of some of the items.

    Attributes:
        truths: For each attribute, (labels,) the true group in the names of the labels,
            ``NOT_APPLICABLE``, or ``UNKNOWN`` where nobody labelled it; one for each label of the
            evidence.
        name: What the sample is called.
        unsure: For each attribute, how many of its items have no answer; they count as not
            labelled.
    """

    truths: Mapping[str, Array]
    name: str = "sample"
    unsure: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Correction:
    """Rows with their corrected values, and what is known of the labeller for each attribute."""

    rows: tuple[Row, ...]
    about: Mapping[str, Mapping[str, Any]]


def correct(
    rows: Sequence[Row],
    evidence: Evidence,
    metrics: Sequence[Any],
    sample: Sample,
    *,
    settings: Settings,
    plain: Evidence | None = None,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> Correction:
    """The rows of ``score`` on this evidence, each with what it would read were the labels true.

    ``corrected`` of a row holds the mean over draws of the true labels (``imputation``), ``ci`` its
    interval over queries and label error, ``lists_ci`` that of label error alone, which is of these
    very lists, and the same of the excess over chance.
    """
    by_name, found, about = {str(m): m for m in metrics}, list(rows), dict[str, Mapping[str, Any]]()
    for done, (name, truth) in enumerate(sample.truths.items()):
        if progress is not None:
            progress(f"label error {name}", done, len(sample.truths))
        lists = Lists(
            name,
            evidence,
            evidence if plain is None else plain,
            settings.seed,
            settings.null,
            settings.unknown,
        )
        own = [
            i
            for i, row in enumerate(rows)
            if row.attribute == name and by_name[row.metric].shape != "roles"
        ]
        for cut in sorted({_cut(by_name[rows[i].metric], lists) for i in own}):
            alike = [i for i in own if _cut(by_name[rows[i].metric], lists) == cut]
            table, corrected = _at(
                lists, truth, cut, [by_name[rows[i].metric] for i in alike], sample, settings, draws
            )
            for i, value in zip(alike, corrected, strict=True):
                found[i] = replace(rows[i], corrected=value)
            about[name] = _about(
                table, sample.name, cut, stream(settings.seed, "precision", name, cut)
            )
    return Correction(tuple(found), about)


def _cut(metric: Any, lists: Lists) -> int:
    """How deep a metric looks: what stands above is the top, whose precision counts."""
    return int(lists.evidence.ranking.lengths.max(initial=1)) if metric.k is None else int(metric.k)


def _at(
    lists: Lists,
    truth: Array,
    cut: int,
    metrics: Sequence[Any],
    sample: Sample,
    settings: Settings,
    draws: int,
) -> tuple[Confusion, list[dict[str, Any]]]:
    """The metrics of one depth, corrected, so that none depends on what else is asked; and what is
    known of the labeller there.
    """
    units, at = units_of(lists, truth, cut)
    if not units.labelled.any():
        raise DataError(
            f"{sample.name} labels nothing that is ranked for '{lists.name}'.",
            "Label items of the lists that are audited.",
        )
    table = confusion_of(units, lists.labelled.groups)
    notes, answers = _notes(units, table, sample.unsure, lists.name), []
    for reading in _readings(
        lists, metrics, units, at, draws, stream(settings.seed, "imputation", lists.name, cut)
    ):
        rng = stream(settings.seed, "corrected", reading.metric, lists.name)
        how = {"rng": rng, "method": settings.interval, "clusters": settings.clusters}
        facts = {"method": "imputation", "sample": table.labelled, "draws": draws, "notes": notes}
        answers.append({**_figures(reading.value(**how), reading.excess(**how)), **facts})
    return table, answers


def _figures(value: tuple[Any, Any, Any], excess: tuple[Any, Any, Any]) -> dict[str, Any]:
    return {
        "mean": value[0],
        "ci": value[1],
        "lists_ci": value[2],
        "excess": excess[0],
        "excess_ci": excess[1],
    }


def units_of(lists: Lists, truth: Array, cut: int) -> tuple[Units, Array]:
    """What is to be labelled, and (units,) the place of each among the labels: all that is ranked,
    in the pool or in the sample.
    """
    ranking, labelled, plain = lists.evidence.ranking, lists.labelled, lists.plain
    size, queries = len(labelled.groups), len(plain)
    query, best = np.full(size, queries), np.full(size, np.iinfo(np.int64).max)
    if labelled.aligned:
        query, best = plain.ranking.query_of.copy(), plain.ranking.ranks.copy()
    else:
        for one in (plain.ranking, ranking):  # the measured lists have the last word
            order = np.argsort(-one.ranks, kind="stable")
            query[one.rows[order]], best[one.rows[order]] = one.query_of[order], one.ranks[order]
        if plain.ranking is not ranking:
            best[np.setdiff1d(plain.ranking.rows, ranking.rows)] = np.iinfo(np.int64).max
    wanted = (query < queries) | (truth != UNKNOWN)
    if plain.pool is not None and not labelled.aligned:
        wanted[plain.pool.rows] = True
    told, groups = predictions_of(labelled.groups), len(labelled.groups.names)
    for said in (
        groups,
        groups + 1,
    ):  # unknown and not applicable stay what they are, unless the sample knows more
        wanted &= (told != said) | (truth[told == said] != UNKNOWN).any()
    at = np.flatnonzero(wanted)
    told, true = told[at], truth[at]
    truths = groups + int((told == groups + 1).any() or (true == NOT_APPLICABLE).any())
    codes = np.where(
        true == NOT_APPLICABLE, groups, np.where(true == UNKNOWN, NOBODY, true)
    ).astype(np.int64)
    return Units(told, codes, query[at], best[at] <= cut, truths, groups + 2, queries), at


def predictions_of(groups: Groups) -> Array:
    """(items,) what the labels say: a group, one more for unknown, two more for not applicable;
    soft labels by their largest share.
    """
    count = len(groups.names)
    if groups.codes is not None:
        return np.where(
            groups.codes == UNKNOWN,
            count,
            np.where(groups.codes == NOT_APPLICABLE, count + 1, groups.codes),
        ).astype(np.int64)
    largest = np.hstack([groups.share, groups.unknown[:, None]]).argmax(1)
    return np.where(groups.not_applicable, count + 1, largest)  # type: ignore[arg-type]


def confusion_of(units: Units, groups: Groups) -> Confusion:
    """The labelled units as a table, at the top of the lists alone where that speaks for itself."""
    at = units.labelled & (units.top if units.apart else True)
    truths = (*groups.names, "not-applicable")[: units.truths]
    predictions = (*groups.names, "unknown", "not-applicable")
    return Confusion.of(
        units.predicted[at], units.truth[at], truths=truths, predictions=predictions
    )


def _readings(
    lists: Lists,
    metrics: Sequence[Any],
    units: Units,
    at: Array,
    draws: int,
    rng: np.random.Generator,
) -> list[Readings]:
    """Every metric on every draw of the true labels."""
    parts: list[list[Any]] = [[] for _ in metrics]
    levels: list[list[Array]] = [[] for _ in metrics]
    groups = len(lists.labelled.groups.names)
    told = predictions_of(lists.labelled.groups)
    codes = np.where(told < groups, told, np.where(told == groups, UNKNOWN, NOT_APPLICABLE))
    for draw, truth in enumerate(Imputation.fit(units, draws, rng).draws(rng)):
        codes[at] = np.where(truth == groups, NOT_APPLICABLE, truth)
        under = lists.under(codes.copy())
        for m, metric in enumerate(metrics):
            parts[m].append(metric(under[0]))
            if draw % _EVERY == 0:
                levels[m].append(lists.chance(metric, under))
    return [Readings.of(m, p, c) for m, p, c in zip(metrics, parts, levels, strict=True)]


def _notes(
    units: Units, table: Confusion, unsure: Mapping[str, int] | None, name: str
) -> tuple[str, ...]:
    """What the reader of a corrected value must know."""
    shown = np.bincount(units.predicted[units.top], minlength=units.predictions)
    notes, inside = list(table.flags(shown)), int((units.labelled & units.top).sum())
    missing = (unsure or {}).get(name, 0)
    if missing:
        words = agreeing(missing, "has no answer and counts", "have no answer and count")
        notes.append(f"{counted(missing, 'item')} of the sample {words} as not labelled")
    if not units.apart and not inside:
        notes.append(
            "nothing in the sample stands at the top of a list: precision there may be "
            "lower than where it was labelled"
        )
    elif not units.apart and inside < units.labelled.sum():
        notes.append(
            "too few labelled items to tell the top of the lists from the rest: their "
            "precision is taken to be one"
        )
    outside = units.query == units.queries
    if outside.any() and not (outside & units.labelled).any():
        notes.append(
            "nothing beyond the lists is labelled: the collection is taken to be like an "
            "average list"
        )
    return tuple(notes)


def _about(table: Confusion, name: str, cut: int, rng: np.random.Generator) -> dict[str, Any]:
    """What is known of the labeller, for the manifest: for each prediction, how often it is right
    and how that is known.
    """
    precision = {}
    for p, prediction in enumerate(table.predictions):
        if prediction not in table.truths or not table.table[p].any():
            continue
        drawn = shares_drawn(table.table[p], 2_000, rng)[:, table.truths.index(prediction)]
        precision[prediction] = {
            "labelled": int(table.table[p].sum()),
            "precision": float(drawn.mean()),
            "ci": list(ends(drawn)),
        }
    return {"sample": name, "labelled": table.labelled, "depth": cut, "predicted": precision}
