"""Correct for label error, given a sample that people labelled.

Every metric of groups is measured again on draws of the true labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.measuring.relabel import Readings, Relabelling
from fairlead.measuring.settings import Settings, stream
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
    """Rows with their corrected values, and facts about the labeller for each attribute."""

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
    by_name = {str(m): m for m in metrics}
    corrected_rows = list(rows)
    about = dict[str, Mapping[str, Any]]()
    for done, (name, truth) in enumerate(sample.truths.items()):
        if progress is not None:
            progress(f"label error {name}", done, len(sample.truths))
        lists = Relabelling.of(name, evidence, plain, settings)
        numbers = [
            i
            for i, row in enumerate(rows)
            if row.attribute == name and by_name[row.metric].shape != "roles"
        ]
        # one fit for each depth: precision at the top differs from precision further down
        for cut in sorted({_cut(by_name[rows[i].metric], lists) for i in numbers}):
            alike = [i for i in numbers if _cut(by_name[rows[i].metric], lists) == cut]
            table, corrected = _at(
                lists, truth, cut, [by_name[rows[i].metric] for i in alike], sample, settings, draws
            )
            for i, value in zip(alike, corrected, strict=True):
                corrected_rows[i] = replace(rows[i], corrected=value)
            about[name] = _about(
                table, sample.name, cut, stream(settings.seed, "precision", name, cut)
            )
    return Correction(tuple(corrected_rows), about)


def _cut(metric: Any, lists: Relabelling) -> int:
    """How deep a metric looks.

    What stands above the cut is the top, whose precision counts.
    """
    if metric.k is None:
        return int(lists.evidence.ranking.lengths.max(initial=1))
    return int(metric.k)


def _at(
    lists: Relabelling,
    truth: Array,
    cut: int,
    metrics: Sequence[Any],
    sample: Sample,
    settings: Settings,
    draws: int,
) -> tuple[Confusion, list[dict[str, Any]]]:
    """The metrics of one depth, corrected, and the confusion of the labeller there.

    Depths are apart so that no metric depends on what else is measured.
    """
    units, places = units_of(lists, truth, cut)
    if not units.labelled.any():
        raise DataError(
            f"{sample.name} labels nothing that is ranked for '{lists.name}'.",
            "Label items of the lists that are audited.",
        )
    table = confusion_of(units, lists.labelled.groups)
    notes = _notes(units, table, sample.unsure, lists.name)
    answers = []
    for reading in _readings(
        lists, metrics, units, places, draws, stream(settings.seed, "imputation", lists.name, cut)
    ):
        rng = stream(settings.seed, "corrected", reading.metric, lists.name)
        interval_settings = {"rng": rng, "method": settings.interval, "clusters": settings.clusters}
        facts = {"method": "imputation", "sample": table.labelled, "draws": draws, "notes": notes}
        answers.append(
            {
                **_figures(reading.value(**interval_settings), reading.excess(**interval_settings)),
                **facts,
            }
        )
    return table, answers


def _figures(value: tuple[Any, Any, Any], excess: tuple[Any, Any, Any]) -> dict[str, Any]:
    return {
        "mean": value[0],
        "ci": value[1],
        "lists_ci": value[2],
        "excess": excess[0],
        "excess_ci": excess[1],
    }


def units_of(lists: Relabelling, truth: Array, cut: int) -> tuple[Units, Array]:
    """What is to be labelled, and (units,) the place of each among the labels.

    Units are everything that is ranked, in the pool or in the sample.
    """
    ranking = lists.evidence.ranking
    labelled = lists.labelled
    plain = lists.plain
    size = len(labelled.groups)
    queries = len(plain)
    query = np.full(size, queries)
    best = np.full(size, np.iinfo(np.int64).max)
    if labelled.aligned:
        query = plain.ranking.query_of.copy()
        best = plain.ranking.ranks.copy()
    else:
        # The measured lists have the last word.
        for one in (plain.ranking, ranking):
            # Last written, first ranked: of an item in several lists its best place counts.
            order = np.argsort(-one.ranks, kind="stable")
            query[one.rows[order]], best[one.rows[order]] = one.query_of[order], one.ranks[order]
        # What a mitigation took out of the lists stands at the top of none of them.
        if plain.ranking is not ranking:
            best[np.setdiff1d(plain.ranking.rows, ranking.rows)] = np.iinfo(np.int64).max
    wanted = (query < queries) | (truth != UNKNOWN)
    if plain.pool is not None and not labelled.aligned:
        wanted[plain.pool.rows] = True
    predicted = predictions_of(labelled.groups)
    groups = len(labelled.groups.names)
    # unknown and not applicable stay what they are, unless the sample knows more
    for missing in (groups, groups + 1):
        wanted &= (predicted != missing) | (truth[predicted == missing] != UNKNOWN).any()
    places = np.flatnonzero(wanted)
    predicted = predicted[places]
    true = truth[places]
    # not applicable is a truth only where somebody says so
    truths = groups + int((predicted == groups + 1).any() or (true == NOT_APPLICABLE).any())
    codes = np.where(
        true == NOT_APPLICABLE, groups, np.where(true == UNKNOWN, NOBODY, true)
    ).astype(np.int64)
    return Units(
        predicted, codes, query[places], best[places] <= cut, truths, groups + 2, queries
    ), places


def predictions_of(groups: Groups) -> Array:
    """(items,) what the labels say, as codes; soft labels by their largest share.

    Codes are the groups, one more for unknown and two more for not applicable.
    """
    count = len(groups.names)
    if groups.codes is not None:
        return np.where(
            groups.codes == UNKNOWN,
            count,
            np.where(groups.codes == NOT_APPLICABLE, count + 1, groups.codes),
        ).astype(np.int64)
    # unknown competes with the groups, so that a vague label predicts nothing
    largest = np.hstack([groups.share, groups.unknown[:, None]]).argmax(1)
    return np.where(groups.not_applicable, count + 1, largest)  # type: ignore[arg-type]


def confusion_of(units: Units, groups: Groups) -> Confusion:
    """The labelled units as a table.

    It holds the top of the lists alone where that has enough labels of its own.
    """
    at = units.labelled
    if units.apart:
        at = at & units.top
    truths = (*groups.names, "not-applicable")[: units.truths]
    predictions = (*groups.names, "unknown", "not-applicable")
    return Confusion.of(
        units.predicted[at], units.truth[at], truths=truths, predictions=predictions
    )


def _readings(
    lists: Relabelling,
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
    predicted = predictions_of(lists.labelled.groups)
    codes = np.where(
        predicted < groups, predicted, np.where(predicted == groups, UNKNOWN, NOT_APPLICABLE)
    )
    for draw, truth in enumerate(Imputation.fit(units, draws, rng).draws(rng)):
        codes[at] = np.where(truth == groups, NOT_APPLICABLE, truth)
        under = lists.under(codes.copy())
        for m, metric in enumerate(metrics):
            parts[m].append(metric(under[0]))
            # chance levels cost far more than values and hardly move between draws
            if draw % _EVERY == 0:
                levels[m].append(lists.chance(metric, under))
    return [Readings.of(m, p, c) for m, p, c in zip(metrics, parts, levels, strict=True)]


def _notes(
    units: Units, table: Confusion, unsure: Mapping[str, int] | None, name: str
) -> tuple[str, ...]:
    """What the reader of a corrected value must know."""
    shown = np.bincount(units.predicted[units.top], minlength=units.predictions)
    notes = list(table.flags(shown))
    inside = int((units.labelled & units.top).sum())
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
    """What the manifest says of the labeller.

    It says for each prediction how often it is right, and how that is known.
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
