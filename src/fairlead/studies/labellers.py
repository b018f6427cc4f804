"""Compare labellers with people, query by query, as Feng and Shah (2022) compare face services.

For the first items of a query, x is the share of items with a detected face, or with an answer
where a labeller finds no faces. y is the normalised difference of a group's ratio, ``(r - h) / h``,
with ``r`` the group's share among the labeller's answers and ``h`` its share among the people's.
The paper's normaliser cannot be read from its text; ours is the people's ratio, and the plain
difference is given too.

Ours: the difference is split in two, exactly. ``unseen`` is the people's ratio among the answered
items less that among all: whom the labeller leaves out. ``wrong`` is the labeller's ratio less the
people's among the same items: whom it takes for somebody else. Chance is a labeller that is always
right and answers as often, about items drawn by lot: luck alone makes it differ too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.results.score import plain
from fairlead.results.tabular import Tabular
from fairlead.statistics.cells import SMALLEST, limit
from fairlead.statistics.intervals import interval
from fairlead.statistics.multiplicity import benjamini_hochberg
from fairlead.statistics.wilson import wilson
from fairlead.studies.sensitivity import share_of
from fairlead.types import Groups, Sets
from fairlead.types.joining import joined
from fairlead.types.ragged import Array
from fairlead.words.counts import agreeing, part_of

DRAWS = 1_000
"""Resamples of a query's items, and lots drawn for chance."""
_MOST_UNDEFINED = 0.05
_TAILS = (0.025, 0.975)
_NOTHING = (math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Labeller:
    """Somebody to compare.

    Attributes:
        name: What to call it.
        groups: Its labels of the items.
        detected: (items,) whether it found a face; None for one that does not look for faces.
        notes: What else to say of it.
        aligned: Whether the labels are of the entries of the lists, not of the items.
    """

    name: str
    groups: Groups
    detected: Array | None = None
    notes: tuple[str, ...] = ()
    aligned: bool = False

    def rows_of(self, lists: Sets, query: int) -> Array:
        """Which of its labels are those of a query's list."""
        if self.aligned:
            return np.arange(lists.offsets[query], lists.offsets[query + 1])
        return lists.of(query)

    def source_of(self, rows: Array) -> str:
        """Who gave the labels of some rows."""
        if self.groups.given_by is None:
            return self.groups.source
        counts = self.groups.labels_by_source(rows)
        return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


@dataclass(frozen=True)
class LabellerPoint:
    """One labeller on one query.

    Shares are of the query's items, ratios of the answers. NaN is undefined.
    """

    labeller: str
    query: str
    items: int
    detected: float
    detected_ci: tuple[float, float]
    answered: float
    ratio: float
    human: float
    difference: float
    unseen: float
    wrong: float
    normalised: float
    normalised_ci: tuple[float, float]
    chance: float
    p: float
    source: str = ""


@dataclass(frozen=True)
class Summary:
    """One labeller over all queries.

    Attributes:
        labeller: Its name.
        source: Who says so.
        queries: Queries in which the normalised difference is defined.
        undefined: Queries in which it is not.
        detected: Mean share of items with a face, or an answer, and its interval over queries.
        off: Mean absolute normalised difference, its interval over queries, and what chance gives.
        p: How often chance alone is so far off; ``q`` is p corrected for the number of labellers.
        signed: Mean normalised difference: above 0 the group is over-reported.
        trusted: Queries with at least the threshold detected.
        worst: The largest absolute normalised difference among those; NaN where there are none.
        against: Mean absolute normalised difference less that of the first labeller, in the same
            queries.
    """

    labeller: str
    source: str
    queries: int
    undefined: int
    detected: float
    detected_ci: tuple[float, float]
    off: float
    off_ci: tuple[float, float]
    chance: float
    p: float
    q: float
    signed: float
    signed_ci: tuple[float, float]
    trusted: int
    worst: float
    against: float
    against_ci: tuple[float, float]


@dataclass(frozen=True)
class Comparison(Tabular):
    """Labellers compared with people: a summary of each, and a point for each query."""

    attribute: str
    group: str
    human: str
    k: int
    threshold: float
    labellers: tuple[Summary, ...]
    points: tuple[LabellerPoint, ...]
    notes: tuple[str, ...] = field(default=())

    def of(self, labeller: str) -> tuple[LabellerPoint, ...]:
        """The points of one labeller."""
        return tuple(point for point in self.points if point.labeller == labeller)

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        about = {
            name: getattr(self, name) for name in ("attribute", "group", "human", "k", "threshold")
        }
        return {**about, **self.tables(), "notes": list(self.notes)}

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """``labellers`` and ``points``."""
        return {
            name: [plain(asdict(row)) for row in getattr(self, name)]
            for name in ("labellers", "points")
        }


@dataclass(frozen=True, eq=False)
class _Lots:
    """One labeller on one query: the point, and what chance gives.

    ``lots`` are (draws,) absolute normalised differences.
    """

    point: LabellerPoint
    lots: Array


def compare_labellers(
    queries: Sequence[str],
    lists: Sets,
    human: Groups,
    labellers: Sequence[Labeller],
    *,
    k: int,
    group: str | None = None,
    threshold: float = 0.5,
    least: int = SMALLEST,
    seed: int = 0,
) -> Comparison:
    """Hold every labeller against people on every query.

    Args:
        queries: The queries.
        lists: The rows of the first ``k`` items of each.
        human: What people say of the items.
        labellers: Whom to compare; the others are held against the first.
        k: How many items of a query were looked at.
        group: The group whose ratio is compared; by default the first that people name.
        threshold: The share of detected items from which on a query is trusted; .5 in the paper.
        least: Queries with fewer items that people labelled are left out; 0 takes all.
        seed: Seed of every random choice.

    Raises:
        DataError: Where no query has enough items that people labelled, or a labeller has other
            groups.
        UsageError: For a group that people do not name, or two labellers of one name.
    """
    human = human.by_name
    place = _group(human, group)
    shares, notes = _shares(_apart(labellers), human)
    # an item that people could not label says nothing of a labeller
    judged = human.share.sum(1) > 0
    needed = max(limit(least), 1)
    judged_queries = [q for q in range(len(lists)) if judged[lists.of(q)].sum() >= needed]
    if not judged_queries:
        raise DataError(
            f"No query has {needed} items that people labelled.", "Label more of the ranked items."
        )
    by_labeller: list[list[_Lots]] = [[] for _ in labellers]
    for q in judged_queries:
        rows = lists.of(q)
        parts = [
            _Part(labeller, share[labeller.rows_of(lists, q)], labeller.rows_of(lists, q))
            for labeller, share in zip(labellers, shares, strict=True)
        ]
        # a stream for each query: leaving one out moves no other
        rng = np.random.default_rng([seed, q])
        answers = _query(queries[q], rows, human.share[rows], place, parts, rng)
        for lots, answer in zip(by_labeller, answers, strict=True):
            lots.append(answer)
    rng = np.random.default_rng([seed, len(lists)])
    return Comparison(
        human.attribute,
        human.names[place],
        human.source,
        k,
        threshold,
        labellers=_summaries(labellers, by_labeller, threshold, rng),
        points=tuple(answer.point for lots in by_labeller for answer in lots),
        notes=notes + _notes(labellers, len(lists) - len(judged_queries), len(lists), needed),
    )


def _shares(labellers: Sequence[Labeller], human: Groups) -> tuple[list[Array], tuple[str, ...]]:
    """(items, groups of people) shares of each labeller, and notes on how groups are spelt.

    Groups are joined by name: labellers list them in any order.
    """
    shares = list[Array]()
    notes = list[str]()
    for labeller in labellers:
        labels, spelling = joined(
            labeller.groups, human.names, whose=labeller.name, others="what people say"
        )
        shares.append(labels.share)
        notes += spelling
    return shares, tuple(notes)


def _notes(labellers: Sequence[Labeller], few: int, queries: int, needed: int) -> tuple[str, ...]:
    """How many queries are left out and why, then what there is to say of each labeller."""
    notes = [f"{labeller.name}: {note}" for labeller in labellers for note in labeller.notes]
    if few:
        out = f"{part_of(few, queries, 'query')} {agreeing(few, 'is', 'are')} left out"
        their = agreeing(few, "its", "their")
        notes.insert(0, f"{out}: people labelled fewer than {needed} of {their} items.")
    return tuple(notes)


def _summaries(
    labellers: Sequence[Labeller],
    by_labeller: Sequence[Sequence[_Lots]],
    threshold: float,
    rng: np.random.Generator,
) -> tuple[Summary, ...]:
    """A summary of every labeller, with p corrected for their number."""
    rows = [
        _summary(labeller, lots, by_labeller[0], threshold, rng)
        for labeller, lots in zip(labellers, by_labeller, strict=True)
    ]
    corrected = benjamini_hochberg(np.array([row.p for row in rows]))
    return tuple(replace(row, q=float(q)) for row, q in zip(rows, corrected, strict=True))


@dataclass(frozen=True, eq=False)
class _Part:
    """One labeller's shares of the items of one query."""

    labeller: Labeller
    share: Array
    rows: Array


def _group(human: Groups, group: str | None) -> int:
    if group is None:
        return 0
    places = {name.casefold(): place for place, name in enumerate(human.names)}
    if group.casefold() not in places:
        raise unknown_name(f"group of '{human.attribute}'", group, human.names)
    return places[group.casefold()]


def _apart(labellers: Sequence[Labeller]) -> Sequence[Labeller]:
    """The labellers, after a check that their names differ."""
    names = [labeller.name for labeller in labellers]
    if len(set(names)) < len(names):
        raise UsageError(
            f"Two labellers are called {next(n for n in names if names.count(n) > 1)}.",
            "Give each once.",
        )
    return labellers


def _query(
    query: str,
    rows: Array,
    human: Array,
    place: int,
    parts: Sequence[_Part],
    rng: np.random.Generator,
) -> list[_Lots]:
    """Every labeller on one query: all are resampled together, so that they can be compared."""
    sides = [
        np.stack([share[:, place], share.sum(1)], axis=1)
        for share in (human, *(part.share for part in parts))
    ]
    # items that are alike to all are drawn together
    kinds, counts = np.unique(np.hstack(sides), axis=0, return_counts=True)
    resampled = rng.multinomial(len(rows), counts / len(rows), size=DRAWS) @ kinds
    base = _ratio(resampled[:, 0], resampled[:, 1])
    answers = []
    for number, (part, side) in enumerate(zip(parts, sides[1:], strict=True), start=1):
        drawn = _ratio(resampled[:, 2 * number], resampled[:, 2 * number + 1])
        point = _point(part.labeller, query, rows, sides[0], side)
        lots = _lots(sides[0], side[:, 1], point.human, rng)
        chance = _chance([lots])
        answers.append(
            _Lots(
                replace(
                    point,
                    normalised_ci=_ends((drawn - base) / _positive(base)),
                    chance=float(chance.mean()),
                    p=_p(abs(point.normalised), chance),
                    source=part.labeller.source_of(part.rows),
                ),
                lots,
            )
        )
    return answers


def _point(
    labeller: Labeller, query: str, rows: Array, human: Array, labels: Array
) -> LabellerPoint:
    """The point of a labeller, without what is drawn.

    Both sides are (items, 2) shares of the group and of all groups.
    """
    size = len(rows)
    answered = labels[:, 1]
    # Who looks for no faces sees what it answers about.
    seen = answered > 0 if labeller.detected is None else labeller.detected[rows]
    h = float(_ratio(*human.sum(0)))
    r = float(_ratio(*labels.sum(0)))
    among = float(_ratio(*(answered @ human)))
    share = float(seen.mean())
    return LabellerPoint(
        labeller.name,
        query,
        size,
        share,
        wilson(share, size),
        float(answered.mean()),
        ratio=r,
        human=h,
        difference=r - h,
        unseen=among - h,
        wrong=r - among,
        normalised=share_of(r - h, h),
        normalised_ci=_NOTHING,
        chance=math.nan,
        p=math.nan,
    )


def _lots(human: Array, answered: Array, ratio: float, rng: np.random.Generator) -> Array:
    """(draws,) how far off a labeller is that is always right.

    Its answers are about judged items drawn by lot.
    """
    judged = human[:, 1] > 0
    true = human[judged]
    weights = answered[judged]
    if (
        np.isin(weights, (0, 1)).all()
        and (true[:, 1] == 1).all()
        and np.isin(true[:, 0], (0, 1)).all()
    ):
        # Of hard labels the same law, without shuffling them a thousand times.
        size = int(weights.sum())
        group = int(true[:, 0].sum())
        shares = _ratio(
            rng.hypergeometric(group, len(true) - group, size, size=DRAWS), np.array(size)
        )
    else:
        sums = rng.permuted(np.broadcast_to(weights, (DRAWS, len(true))), axis=1) @ true
        shares = _ratio(sums[:, 0], sums[:, 1])
    return np.asarray(np.abs(shares - ratio) / _positive(np.array(ratio)))


def _summary(
    labeller: Labeller,
    lots_of: Sequence[_Lots],
    first: Sequence[_Lots],
    threshold: float,
    rng: np.random.Generator,
) -> Summary:
    detected = np.array([one.point.detected for one in lots_of])
    signed = np.array([one.point.normalised for one in lots_of])
    off = np.abs(signed)
    defined = ~np.isnan(off)
    trusted = off[(detected >= threshold) & defined]
    chance = _chance([lots_of[number].lots for number in np.flatnonzero(defined).tolist()])
    # every interval draws from the same stream, so their order is part of the result
    against, against_ci = math.nan, _NOTHING
    if lots_of is not first:
        leading = np.array([abs(one.point.normalised) for one in first])
        against, against_ci = _mean(off - leading, (-math.inf, math.inf), rng)
    over, over_ci = _mean(signed, (-1, math.inf), rng)
    seen, seen_ci = _mean(detected, (0, 1), rng)
    mean, off_ci = _mean(off, (0, math.inf), rng)
    return Summary(
        labeller=labeller.name,
        source=labeller.groups.source,
        queries=int(defined.sum()),
        undefined=int((~defined).sum()),
        detected=seen,
        detected_ci=seen_ci,
        off=mean,
        off_ci=off_ci,
        chance=float(chance.mean()),
        p=_p(mean, chance),
        q=math.nan,
        signed=over,
        signed_ci=over_ci,
        trusted=len(trusted),
        worst=max(trusted.tolist(), default=math.nan),
        against=against,
        against_ci=against_ci,
    )


def _chance(lots: Sequence[Array]) -> Array:
    """(draws,) mean over queries of what lots give; NaN where one of them is undefined."""
    if not lots or not np.isfinite(lots).all():
        return np.array([math.nan])
    return np.array(lots).mean(0)


def _p(value: float, lots: Array) -> float:
    """How often lots are as far off; the value counts as one of them, so that p is never 0."""
    if math.isnan(value + lots.mean()):
        return math.nan
    # The same fraction may be reached by sums in another order, and must count as equal.
    return float((1 + (lots >= value - 1e-12).sum()) / (1 + DRAWS))


def _mean(
    values: Array, within: tuple[float, float], rng: np.random.Generator
) -> tuple[float, tuple[float, float]]:
    """The mean of what is defined, and its interval over queries."""
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan, _NOTHING
    bounds = interval(known, np.ones(len(known)), rng=rng, within=within)
    return float(known.mean()), (bounds.low, bounds.high)


def _ratio(part: Array, whole: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(part, whole))


def _positive(values: Array) -> Array:
    """The values, NaN where they are 0."""
    return np.where(values > 0, values, math.nan)


def _ends(drawn: Array) -> tuple[float, float]:
    """The interval of resamples; none where too many of them are undefined."""
    known = drawn[np.isfinite(drawn)]
    if len(known) < (1 - _MOST_UNDEFINED) * len(drawn):
        return _NOTHING
    low, high = np.quantile(known, _TAILS)
    return float(low), float(high)
