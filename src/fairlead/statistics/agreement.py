"""How far raters agree: raw agreement, and Krippendorff's alpha, which compares it with chance.

For nominal values, let n_uc be the number of raters who said c of item u, m_u the answers to u
(items with one answer form no pairs and are left out), n_c the sum of n_uc over items and n the sum
of m_u:

    D_o = 1/n sum_u (m_u^2 - sum_c n_uc^2) / (m_u - 1)      the disagreement that is observed
    D_e = (n^2 - sum_c n_c^2) / (n (n - 1))                 that of answers paired at random
    alpha = 1 - D_o / D_e                                   raw agreement = 1 - D_o

There may be any number of raters, and any answer may be missing. Source: K. Krippendorff, Computing
Krippendorff's Alpha-Reliability (2011). The interval is a bootstrap over items, corrected for bias
and skew (BCa; B. Efron 1987), because items and not answers are the sampling unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fairlead.statistics.intervals import Interval
from fairlead.types.answers import Answers
from fairlead.types.ragged import Array
from fairlead.words.counts import counted

FEW_ITEMS, FEW_OTHERS = 20, 5
"""Below so many items with two answers, or items with any answer but the commonest, the interval of
alpha says too little.
"""
_CELLS = 1 << 22
_TAIL = 0.025
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Agreement:
    """How far raters agree; NaN where nothing can be said.

    Attributes:
        alpha: Krippendorff's alpha: 1 is full agreement, 0 what chance gives.
        interval: Its 95 % interval, items resampled.
        raw: Share of pairs of answers that agree, each item weighted by its answers.
        items: Items with two answers or more, which are all that count.
    """

    alpha: float
    interval: Interval
    raw: float
    items: int


def krippendorff(counts: Array) -> float:
    """Krippendorff's alpha for nominal values, NaN where it is undefined.

    ``counts`` are (items, values) counts of answers.

    >>> first = np.array([1, 0, 1, 2, 2, 1, 2, 2, 1, 2])
    >>> round(krippendorff(np.stack([first, 2 - first], axis=1)), 3)
    0.095
    """
    parts = _parts(counts)
    return float(_alphas(np.ones((1, len(parts))), parts)[0])


def agreement(counts: Array, *, rng: np.random.Generator, draws: int = 1_999) -> Agreement:
    """Raw agreement and alpha with its interval, from (items, values) counts of answers."""
    parts = _parts(counts)
    items = len(parts)
    if not items:
        none = Interval(math.nan, math.nan, "undefined: no item has two answers")
        return Agreement(math.nan, none, math.nan, 0)
    alpha = float(_alphas(np.ones((1, items)), parts)[0])
    raw = 1 - float(parts[:, 0].sum() / parts[:, 1].sum())
    return Agreement(alpha, _interval(parts, alpha, rng, draws), raw, items)


def with_others(answers: Answers) -> tuple[Array, Array]:
    """For each rater, the pairs with other raters' answers that agree, and all such pairs.

    Unsure answers form no pairs.
    """
    sure = answers.sure
    same = np.zeros(len(answers), np.int64)
    same[sure] = answers.counts[answers.item[sure], answers.value[sure]] - 1
    others = answers.counts.sum(1)[answers.item] - 1
    agree = np.bincount(answers.rater[sure], same[sure], len(answers.raters)).astype(np.int64)
    return agree, np.bincount(answers.rater[sure], others[sure], len(answers.raters)).astype(
        np.int64
    )


def _parts(counts: Array) -> Array:
    """(items, 2 + values) disagreement, answers, and answers of each value.

    Only items with two answers or more are in it.
    """
    paired_counts = np.asarray(counts, np.float64)[np.asarray(counts).sum(1) >= 2]
    answers = paired_counts.sum(1)
    return np.column_stack(
        [(answers**2 - (paired_counts**2).sum(1)) / (answers - 1), answers, paired_counts]
    )


def _alphas(weights: Array, parts: Array) -> Array:
    """(rows,) alpha when each item counts as often as its weight.

    NaN where every answer says the same.
    """
    return _of_sums(weights @ parts)


def _of_sums(sums: Array) -> Array:
    disagreement = sums[:, 0]
    n = sums[:, 1]
    each = sums[:, 2:]
    chance = n**2 - (each**2).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(chance > 0, 1 - (n - 1) * disagreement / chance, np.nan)


def _interval(parts: Array, alpha: float, rng: np.random.Generator, draws: int) -> Interval:
    items = len(parts)
    if math.isnan(alpha):
        return Interval(math.nan, math.nan, "undefined: every answer says the same")
    if items < 2:
        return Interval(math.nan, math.nan, "undefined: only one item has two answers")
    commonest = 2 + int(parts[:, 2:].sum(0).argmax())
    # alpha rests on the few items that do not say what nearly all say
    others = int((parts[:, commonest] < parts[:, 1]).sum())
    if items < FEW_ITEMS:
        note = f"unreliable: only {counted(items, 'item')} with two answers"
    else:
        note = ""
    note = note or (
        f"unreliable: all but {counted(others, 'item')} have one answer only, the same"
        if others < FEW_OTHERS
        else ""
    )
    if parts[:, 0].sum() == 0:
        return Interval(
            _low_of_perfect(parts),
            1.0,
            note or "no two answers differ, so the interval is that of a share never seen",
        )
    # items answered alike are drawn together
    kinds, times = np.unique(parts, axis=0, return_counts=True)
    chunk = max(1, _CELLS // len(kinds))
    sizes = (min(chunk, draws - start) for start in range(0, draws, chunk))
    alphas = np.concatenate(
        [_alphas(rng.multinomial(items, times / items, size=size), kinds) for size in sizes]
    )
    alphas = alphas[~np.isnan(alphas)]
    low, high = np.quantile(alphas, _levels(kinds, times, alpha, alphas))
    return Interval(float(low), float(high), note)


def _levels(kinds: Array, times: Array, alpha: float, alphas: Array) -> list[float]:
    """The two levels of the bootstrap's alphas that make the interval.

    They are moved for its bias, and for its skew as the jackknife shows it.
    """
    below = (np.sum(alphas < alpha) + 0.5 * np.sum(alphas == alpha)) / len(alphas)
    bias = _NORMAL.inv_cdf(float(np.clip(below, 1 / len(alphas), 1 - 1 / len(alphas))))
    left_out = _of_sums(times @ kinds - kinds)
    defined = ~np.isnan(left_out)
    left_out = left_out[defined]
    times = times[defined]
    # the jackknife: what alpha would be without each item
    away = times @ left_out / max(int(times.sum()), 1) - left_out
    spread = float(times @ away**2) ** 1.5
    skew = float(times @ away**3) / (6 * spread) if spread > 0 else 0.0
    points = [bias + _NORMAL.inv_cdf(tail) for tail in (_TAIL, 1 - _TAIL)]
    return [_NORMAL.cdf(bias + point / max(1 - skew * point, 1e-6)) for point in points]


def _low_of_perfect(parts: Array) -> float:
    """The lowest alpha that full agreement still allows.

    With a chance of 2.5 %, this many items with one dissenting answer were missed by luck.
    """
    items = len(parts)
    n = parts[:, 1].sum()
    missed = 1 - _TAIL ** (1 / items)
    chance = n**2 - (parts[:, 2:].sum(0) ** 2).sum()
    # one dissenter among m answers adds 2 (m - 1) / (m - 1)
    return float(1 - (n - 1) * 2 * items * missed / chance)
