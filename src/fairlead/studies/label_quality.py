"""What the quality of labels does to a mitigated list (Kong et al. 2023, PBM, Appendix A).

A labeller gives every item log odds of two groups. The labeller or the pool is changed in three
ways, and each time the list that a mitigation makes with the labels is measured with the true ones:

- ``noise``: Gaussian noise on the log odds, in units of their own spread, as in their Figure 5
  (there in units of the logits).
- ``threshold``: the log odds are shifted as by another threshold of the probability, from 0 to 1,
  as in their Figure 6.
- ``prevalence`` (ours): the labeller stays, and the share of the larger group among a query's
  relevant items rises.

The bias is AbsBias@k, by the true labels. Intervals are over occupations (clusters of queries),
each in several galleries.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.protocols import Progress
from fairlead.results.label_quality import Finding, Sensitivity, Step
from fairlead.statistics.intervals import interval
from fairlead.statistics.wilson import wilson
from fairlead.studies.sensitivity import ratio_interval, share_of
from fairlead.types import Groups
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.joining import joined
from fairlead.types.ragged import Array

PLAIN, TRUE = "plain", "true labels"
NEAR, FAR, TABLE_3 = (0.9, 1 / 0.9), (0.5, 2.0), 1.1
"""Ratios of sensitivities that count as near 1, beyond which they are extreme, and that of the
paper's supervised classifier.
"""
SAME, SMALL = 0.1, 0.01
"""Differences of bias that count as none: between two lists, and above plain."""
# A share of 0 or 1 has no log odds; this is as far out as they go.
_EDGE = 1e-9


@dataclass(frozen=True, eq=False)
class Graded:
    """One gallery with a labeller's log odds.

    Attributes:
        true: The candidates of every query, with the true labels of one attribute.
        odds: (items,) log odds of the second group against the first; NaN where the labeller says
            nothing.
        clusters: (queries,) queries of one number do not stand for themselves.
        pool: (queries,) share of the larger group among the relevant items.
    """

    true: Evidence
    odds: Array
    clusters: Array
    pool: Array

    @property
    def groups(self) -> Groups:
        """The true labels of the items."""
        return self.true.attribute.groups

    def told(self, odds: Array) -> Groups:
        """What the labeller says with these log odds."""
        with np.errstate(over="ignore"):
            second = 1 / (1 + np.exp(-odds))
        share = np.where(np.isnan(odds)[:, None], 0.0, np.stack([1 - second, second], axis=1))
        return Groups(self.groups.attribute, self.groups.names, soft=share, source="labeller")


def log_odds(groups: Groups) -> Array:
    """(items,) log odds of the second of two groups; NaN where nothing is said."""
    total = groups.share.sum(1)
    second = np.clip(groups.share[:, 1] / np.where(total > 0, total, 1.0), _EDGE, 1 - _EDGE)
    return np.where(total > 0, np.log(second) - np.log(1 - second), math.nan)


def noisy(world: Graded, amount: float, rng: np.random.Generator) -> Array:
    """The log odds with noise of ``amount`` times their spread."""
    # In units of their own spread, so that one amount is as much noise to any labeller.
    drawn = rng.standard_normal(len(world.odds))
    return np.asarray(world.odds + amount * float(np.nanstd(world.odds)) * drawn)


def shifted(world: Graded, threshold: float) -> Array:
    """The log odds of a labeller that says the second group from this probability on."""
    # thresholds of 0 and 1 have no log odds
    edge = min(max(threshold, _EDGE), 1 - _EDGE)
    return np.asarray(world.odds - math.log(edge / (1 - edge)))


@dataclass(frozen=True, eq=False)
class SettingRun:
    """One setting: (queries,) the bias of every method over all galleries, and the confusion of
    what was said.

    Attributes:
        analysis: What is varied.
        value: The setting.
        bias: (queries,) AbsBias by method.
        table: (true groups, said groups) counts; items of which nothing is said are left out.
        pool: Mean share of the larger group among the relevant items.
    """

    analysis: str
    value: float
    bias: Mapping[str, Array]
    table: Array
    pool: float

    @property
    def sensitivity(self) -> tuple[float, float]:
        """Of the first and of the second group."""
        first, second = np.diag(self.table) / np.maximum(self.table.sum(1), 1)
        return float(first), float(second)

    @property
    def ratio(self) -> float:
        """Sensitivity of the second group by that of the first."""
        first, second = self.sensitivity
        if first:
            return second / first
        if second:
            return math.inf
        return math.nan

    @property
    def f1(self) -> float:
        """Mean over the two groups of the harmonic mean of precision and sensitivity."""
        sides = self.table.sum(0) + self.table.sum(1)
        return float(np.mean(2 * np.diag(self.table) / np.maximum(sides, 1)))


def run(
    analysis: str,
    value: float,
    worlds: Sequence[Graded],
    odds: Callable[[int, Graded], Array],
    rerankers: Mapping[str, Any],
    metric: Any,
    *,
    k: int,
    seed: int = 0,
) -> SettingRun:
    """Measure every method at one setting of the labels."""
    bias: dict[str, list[Array]] = {}
    table = np.zeros((2, 2))
    for number, world in enumerate(worlds):
        labels = world.told(odds(number, world))
        table += _confusion(world.groups, labels)
        # plain and true labels stand beside: what can be lost, and what could be gained
        lists = {PLAIN: world.true.ranking.head(k)}
        for name, reranker in rerankers.items():
            lists[name] = reranker(_seen(world.true, labels), k, seed)
            lists[f"{name}, {TRUE}"] = reranker(world.true, k, seed)
        for name, ranking in lists.items():
            numerator, denominator = metric(world.true.with_ranking(ranking))
            bias.setdefault(name, []).append(numerator / denominator)
    pool = float(np.mean(np.concatenate([world.pool for world in worlds])))
    return SettingRun(
        analysis, value, {name: np.concatenate(parts) for name, parts in bias.items()}, table, pool
    )


def runs(
    settings: Sequence[tuple[str, float, Sequence[Graded]]],
    rerankers: Mapping[str, Any],
    metric: Any,
    *,
    k: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[SettingRun]:
    """Every setting of every analysis: its name, its value, and the galleries it is measured on."""
    results = list[SettingRun]()
    for analysis, value, worlds in settings:
        if progress is not None:
            progress("settings", len(results), len(settings))

        def odds(
            number: int, world: Graded, analysis: str = analysis, value: float = value
        ) -> Array:
            # A stream for each gallery and amount: what is added to one setting moves no other.
            if analysis == "noise":
                return noisy(
                    world, value, np.random.default_rng([seed, number, round(1e3 * value)])
                )
            if analysis == "threshold":
                return shifted(world, value)
            return world.odds

        results.append(run(analysis, value, worlds, odds, rerankers, metric, k=k, seed=seed))
    return results


def steps(
    found: Sequence[SettingRun], clusters: Mapping[str, Array], seed: int = 0
) -> tuple[Step, ...]:
    """Every run as rows, one a method, with intervals.

    ``clusters`` are those of the queries of each analysis.
    """
    rows = []
    for one in found:
        cluster_of = clusters[one.analysis]
        for method, values in one.bias.items():
            over = values - one.bias[PLAIN]
            spans = [
                _interval(v, cluster_of, seed, one.analysis, method, low=low)
                for v, low in ((values, 0), (over, -1))
            ]
            rows.append(
                Step(
                    one.analysis,
                    one.value,
                    method,
                    float(values.mean()),
                    spans[0],
                    float(over.mean()),
                    spans[1],
                    one.f1,
                    one.sensitivity,
                    one.ratio,
                    one.pool,
                    len(values),
                )
            )
    return tuple(rows)


def sensitivities(labeller: str, truth: Groups, said: Groups) -> Sensitivity:
    """Group sensitivities and their ratio, as in Table 3 of the paper.

    What is not answered counts as missed. The two are joined by the names of their groups.
    """
    said, _ = joined(said, truth.names, whole=True, whose=labeller)
    codes = _codes(truth)
    answers = _codes(said)
    sizes = [int((codes == g).sum()) for g in (0, 1)]
    hits = [int(((codes == g) & (answers == g)).sum()) for g in (0, 1)]
    answered = [int(((codes == g) & (answers >= 0)).sum()) for g in (0, 1)]
    shares = [share_of(h, n) for h, n in zip(hits, sizes, strict=True)]
    spans = tuple(wilson(s, n) for s, n in zip(shares, sizes, strict=True))
    return Sensitivity(
        labeller,
        truth.names[:2],
        (sizes[0], sizes[1]),
        (shares[0], shares[1]),
        (spans[0], spans[1]),
        (answered[0] / max(sizes[0], 1), answered[1] / max(sizes[1], 1)),
        share_of(shares[1], shares[0]),
        ratio_interval(hits, sizes),
    )


@dataclass(frozen=True, eq=False)
class _Claim:
    """Something to look for in the runs.

    Attributes:
        text: What is claimed.
        source: Where.
        analysis: The analysis that shows it.
        difference: (queries,) the difference of bias that it is about.
        expected: What the difference should be: ``more``, ``no more`` or the ``same``.
    """

    text: str
    source: str
    analysis: str
    difference: Array
    expected: str


def findings(
    found: Sequence[SettingRun], clusters: Mapping[str, Array], method: str, seed: int = 0
) -> tuple[Finding, ...]:
    """What the paper found, and whether these runs show the same, for one method."""
    by = {
        name: [one for one in found if one.analysis == name]
        for name in ("noise", "threshold", "prevalence")
    }
    claims = [
        *_of_noise(by["noise"], method),
        *_of_threshold(by["threshold"], method),
        *_of_prevalence(by["prevalence"], method),
    ]
    rows = []
    for claim in claims:
        mean = float(claim.difference.mean())
        span = _interval(claim.difference, clusters[claim.analysis], seed, claim.text, method)
        holds = _holds(mean, span, claim.expected)
        rows.append(Finding(claim.text, claim.source, method, mean, span, holds))
    return tuple(rows)


def _of_noise(runs: Sequence[SettingRun], method: str) -> list[_Claim]:
    """What noise on the labels does, from the least of it to the most."""
    if len(runs) < 2:
        return []
    first = runs[0].bias
    last = runs[-1].bias
    # Not the last: the claim is of all labels, however bad, and the worst may lie in between.
    worst = max(runs, key=lambda one: float((one.bias[method] - one.bias[PLAIN]).mean())).bias
    figure = ("Figure 5", "noise")
    return [
        _Claim(
            "A worse classifier leaves more bias", *figure, last[method] - first[method], "more"
        ),
        _Claim(
            "With useless labels the bias is that of the plain list",
            *figure,
            last[method] - last[PLAIN],
            "same",
        ),
        _Claim(
            "However bad the labels, the bias is no worse than plain",
            *figure,
            worst[method] - worst[PLAIN],
            "no more",
        ),
    ]


def _of_threshold(runs: Sequence[SettingRun], method: str) -> list[_Claim]:
    """What unequal sensitivities do, where some runs are near equal ones and some far from them."""
    near = [one for one in runs if NEAR[0] <= one.ratio <= NEAR[1]]
    far = [one for one in runs if not FAR[0] <= one.ratio <= FAR[1]]
    if not near or not far:
        return []
    outer, inner = (np.mean([one.bias[method] for one in side], axis=0) for side in (far, near))
    # ratios are compared on the logarithm: 2 is as far from 1 as a half is
    even, uneven = (
        min(near, key=lambda one: abs(math.log(one.ratio / to))).bias for to in (1.0, TABLE_3)
    )
    figure = ("Figure 6", "threshold")
    return [
        _Claim("Extreme ratios of sensitivities leave more bias", *figure, outer - inner, "more"),
        _Claim(
            f"A ratio as in Table 3 ({TABLE_3:g}) leaves about the bias of equal sensitivities",
            *figure,
            uneven[method] - even[method],
            "same",
        ),
    ]


def _of_prevalence(runs: Sequence[SettingRun], method: str) -> list[_Claim]:
    """What a rarer group in the pool does."""
    if len(runs) < 2:
        return []
    rise = runs[-1].bias[method] - runs[0].bias[method]
    claim = "The rarer a group in the pool, the more bias the same labels leave"
    return [_Claim(claim, "ours", "prevalence", rise, "more")]


def _holds(mean: float, span: tuple[float, float], expected: str) -> bool | None:
    """Whether a difference is as expected: ``more``, ``no more`` or the ``same``.

    None where its interval leaves that open.
    """
    low, high = span
    # Where no interval can be made, the mean is judged by itself.
    if math.isnan(low):
        low = high = mean
    if expected == "same":
        if low >= -SAME and high <= SAME:
            return True
        if low > SAME or high < -SAME:
            return False
        return None
    if expected == "no more":
        if high <= SMALL:
            return True
        if low > SMALL:
            return False
        return None
    if low > 0:
        return True
    if high < 0:
        return False
    return None


def _interval(
    values: Array, clusters: Array, seed: int, *about: str, low: float = -1
) -> tuple[float, float]:
    # A stream for each question: no interval depends on what else is asked.
    rng = np.random.default_rng([seed, *"|".join(about).encode()])
    bounds = interval(values, np.ones(len(values)), rng=rng, clusters=clusters, within=(low, 1))
    return bounds.low, bounds.high


def _seen(true: Evidence, labels: Groups) -> Evidence:
    """The candidates with the labels that mitigate."""
    name, labelled = next(iter(true.attributes.items()))
    return replace(true, attributes={name: Labelled(labels, labelled.target)})


def _codes(groups: Groups) -> Array:
    """(items,) the group settled on, -1 where there is none."""
    largest = groups.share.max(1)
    return np.where((largest > 0) & (largest > groups.unknown), groups.share.argmax(1), -1)


def _confusion(truth: Groups, labels: Groups) -> Array:
    true = _codes(truth)
    predicted = _codes(labels)
    # The analyses change what is said, not whether: an item without an answer has none at any
    # setting.
    both = (true >= 0) & (predicted >= 0)
    return np.bincount(true[both] * 2 + predicted[both], minlength=4).reshape(2, 2).astype(float)
