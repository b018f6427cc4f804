"""Every metric against a slow reference in plain Python, written from the formulas and sharing no
code with the package.

The evidence is taken apart into lists of numbers first: ragged and empty lists, soft, unknown and
    not applicable labels, targets per
query (with zeros, or without a value), cut-offs above the depth, intersections.
"""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.protocols import registry
from fairlead.testing.metrics import options
from fairlead.testing.worlds import NAMES, crossed, small_evidence

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
NAN, INF = math.nan, math.inf


class Plain:
    """One query as plain values."""

    def __init__(self, evidence, q: int) -> None:
        start, stop = int(evidence.ranking.offsets[q]), int(evidence.ranking.offsets[q + 1])
        labelled, rows = evidence.attribute, evidence.ranking.rows[start:stop].tolist()
        at = range(start, stop) if labelled.aligned else rows
        shares = labelled.target.shares.tolist()
        self.shares = [labelled.groups.share[i].tolist() for i in at]
        self.target = shares[q if len(shares) > 1 else 0]
        self.names = list(labelled.groups.names)
        self.scores = evidence.ranking.scores[start:stop].tolist()
        judged = slice(int(evidence.relevant.offsets[q]), int(evidence.relevant.offsets[q + 1]))
        self.relevant = dict(
            zip(
                evidence.relevant.rows[judged].tolist(),
                evidence.relevant.gains[judged].tolist(),
                strict=True,
            )
        )
        self.gains = [self.relevant.get(row, 0.0) for row in rows]

    def shown(self, m) -> list[list[float]]:
        shares = self.shares
        if getattr(m, "over", "all") == "relevant":
            shares = [s for s, gain in zip(shares, self.gains, strict=True) if gain > 0]
        return shares if m.k is None else shares[: m.k]

    def no_target(self) -> bool:
        return any(t != t for t in self.target)


def weight(kind: str, rank: int) -> float:
    return {"none": 1.0, "log2": 1 / math.log2(rank + 1), "trec": 1 / math.log2(max(rank, 2))}[kind]


def divergence(p, q, eps=0.0, smooth="replace", base="e") -> float:
    """sum p ln(p / q) under each published rule for zeros."""
    total = 0.0
    if eps and smooth == "normalise":
        over_p, over_q = sum(x + eps for x in p), sum(x + eps for x in q)
    for a, b in zip(p, q, strict=True):
        front, top, bottom = a, a, b
        if eps:
            if smooth == "replace":
                bottom = b if b > 0 else eps
            elif smooth == "second":
                bottom = b + eps
            elif smooth == "log":
                top, bottom = a + eps, b + eps
            elif smooth == "clip":
                front = top = min(max(a, eps), 1 - eps)
                bottom = min(max(b, eps), 1 - eps)
            elif smooth == "add":
                front = top = a + eps
                bottom = b + eps
            else:
                front = top = (a + eps) / over_p
                bottom = (b + eps) / over_q
        if front > 0:
            total += INF if bottom == 0 else front * math.log(top / bottom)
    return total / math.log(2) if base == "2" else total


def jensen_shannon(p, q, base) -> float:
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (divergence(p, middle, base=base) + divergence(q, middle, base=base)) / 2


def mix(shares, groups, discount="none"):
    """Weighted share of each group in what is known; None where nothing is."""
    mass = [sum(weight(discount, i) * s[g] for i, s in enumerate(shares, 1)) for g in range(groups)]
    return [x / sum(mass) for x in mass] if sum(mass) > 0 else None


def counts(shares, groups):
    return [sum(s[g] for s in shares) for g in range(groups)]


# One function per metric: (settings, query) -> (numerator, denominator)


def prefix_divergence(m, q: Plain):
    shares, above, below = q.shown(m), 0.0, 0.0
    if q.no_target():
        return NAN, 1.0
    for n in range(1, len(shares) + 1):
        prefix = mix(shares[:n], len(q.names))
        if prefix is not None:
            pair = (prefix, q.target) if m.toward == "target" else (q.target, prefix)
            above += weight(m.discount, n) * divergence(*pair, m.eps, m.smooth, m.base)
            below += weight(m.discount, n)
    return (above / below if below else NAN), 1.0


def abs_bias(m, q: Plain):
    shares = q.shown(m)
    n = counts(shares, len(q.names))
    size = len(shares) if m.denominator == "shown" else sum(n)
    return ((max(n) - min(n)) / size if size else NAN), 1.0


def bias(m, q: Plain):
    shares = q.shown(m)
    signs = [1 if g == m.positive else -1 if m.negative in ("", g) else 0 for g in q.names]
    gap = sum(
        weight(m.discount, i) * sign * x
        for i, s in enumerate(shares, 1)
        for sign, x in zip(signs, s, strict=True)
    )
    size = (
        len(shares)
        if m.denominator == "shown"
        else sum(abs(sign) * x for s in shares for sign, x in zip(signs, s, strict=True))
    )
    if not shares:
        return NAN, 1.0
    return (gap / size if size else 0.0), 1.0


def skews(m, q: Plain):
    """Skew of each group by name, leaving out groups with neither share nor target; None where
    undefined.
    """
    shares = q.shown(m)
    share = mix(shares, len(q.names))
    if share is None or q.no_target():
        return None
    known = max(1.0, sum(counts(shares, len(q.names))))
    zero = {"half": 1 / (2 * known), "one": 1 / known, "eps": m.eps, "infinite": 0.0}[m.zero]
    found = {}
    for name, s, t in zip(q.names, share, q.target, strict=True):
        if s == 0 and t == 0:
            continue
        s = s if s > 0 else zero
        found[name] = INF if t == 0 else -INF if s == 0 else math.log(s / t)
    return found


def skew(m, q: Plain):
    value = (skews(m, q) or {}).get(m.group, NAN)
    return (max(value, 0.0) if m.floor and value == value else value), 1.0


def max_skew(m, q: Plain):
    return max((skews(m, q) or {"": NAN}).values()), 1.0


def min_skew(m, q: Plain):
    return min((skews(m, q) or {"": NAN}).values()), 1.0


def infeasible_index(m, q: Plain):
    shares, violated = q.shown(m), 0
    if q.no_target() or not sum(counts(shares, len(q.names))):
        return NAN, 1.0
    for n in range(1, len(shares) + 1):
        held = counts(shares[:n], len(q.names))
        violated += any(
            h + 1e-9 < math.floor(sum(held) * t + 1e-9) for h, t in zip(held, q.target, strict=True)
        )
    return (violated / len(shares) if m.share else float(violated)), 1.0


def from_mix(value):
    def reference(m, q: Plain):
        share = mix(q.shown(m), len(q.names), m.discount)
        return (NAN if share is None or q.no_target() else value(m, share, q.target)), 1.0

    return reference


def exposure(m, q: Plain):
    share = mix(q.shown(m), len(q.names), m.discount)
    return (NAN if share is None else share[q.names.index(m.group)]), 1.0


def exposure_ratio(m, share, target):
    per = [s / t for s, t in zip(share, target, strict=True) if t > 0]
    return min(per) / max(per) if max(per) > 0 else NAN


def self_preference(m, q: Plain):
    if not q.scores:
        return NAN, NAN
    if m.part == "nearer":
        at, pairs = q.names.index, [(i, j) for j in range(len(q.shares)) for i in range(j)]
        cul, non = at(m.cultural), at(m.unrelated)
        first, second = (
            sum(q.shares[i][a] * q.shares[j][b] for i, j in pairs)
            for a, b in ((cul, non), (non, cul))
        )
        return (first, first + second) if first + second else (NAN, NAN)
    winners = [i for i, s in enumerate(q.scores) if s == max(q.scores)] if m.ties == "all" else [0]
    wins = {name: sum(q.shares[i][g] for i in winners) for g, name in enumerate(q.names)}
    if not sum(wins.values()):
        return NAN, NAN
    sem, cul, non = wins[m.semantic], wins[m.cultural], wins[m.unrelated]
    return {
        "sp": (cul, sem),
        "sem": (sem, 1.0),
        "cul": (cul, 1.0),
        "non": (non, 1.0),
        "errors": (cul, cul + non),
    }[m.part]


def judged(value):
    def reference(m, q: Plain):
        gains = q.gains if m.k is None else q.gains[: m.k]
        return (NAN, NAN if value is recall else 1.0) if not q.relevant else value(m, q, gains)

    return reference


def recall(m, q, gains):
    return sum(g > 0 for g in gains), float(len(q.relevant))


def precision(m, q, gains):
    size = m.k or len(gains)
    return (sum(g > 0 for g in gains) / size if size else NAN), 1.0


def hit(m, q, gains):
    return float(any(gains)), 1.0


def mrr(m, q, gains):
    return next((1 / i for i, g in enumerate(gains, 1) if g > 0), 0.0), 1.0


def average_precision(m, q, gains):
    return sum(sum(g > 0 for g in gains[:i]) / i for i, g in enumerate(gains, 1) if g > 0) / len(
        q.relevant
    ), 1.0


def ndcg(m, q, gains):
    def worth(ordered):
        return sum(
            (g if m.gain == "linear" else 2**g - 1) * weight(m.discount, i)
            for i, g in enumerate(ordered, 1)
        )

    return worth(gains) / worth(sorted(q.relevant.values(), reverse=True)[: m.k]), 1.0


REFERENCES = {
    "NDKL": prefix_divergence,
    "PrefixKL": prefix_divergence,
    "AbsBias": abs_bias,
    "Bias": bias,
    "Skew": skew,
    "MaxSkew": max_skew,
    "MinSkew": min_skew,
    "InfeasibleIndex": infeasible_index,
    "LBKL": from_mix(lambda m, q, p: divergence(p, q, m.eps, m.smooth, m.base)),
    "DLBKL": from_mix(lambda m, q, p: divergence(p, q, m.eps, m.smooth, m.base)),
    "SelfPreference": self_preference,
    "AWRF": from_mix(lambda m, q, t: 1 - jensen_shannon(q, t, m.base)),
    "JS": from_mix(lambda m, q, t: jensen_shannon(q, t, m.base)),
    "TV": from_mix(lambda m, q, t: sum(abs(a - b) for a, b in zip(q, t, strict=True)) / 2),
    "Exposure": exposure,
    "ExposureRatio": from_mix(exposure_ratio),
    "Recall": judged(recall),
    "P": judged(precision),
    "Hit": judged(hit),
    "MRR": judged(mrr),
    "AP": judged(average_precision),
    "nDCG": judged(ndcg),
}


def test_every_registered_metric_has_a_reference():
    assert set(REFERENCES) == {
        name
        for name, entry in registry.entries("metric").items()
        if entry.path.startswith("fairlead.")
    }


def agree(name: str, evidence, data) -> None:
    metric_class = registry.load("metric", name)
    choices = options(metric_class, tuple(evidence.labels.names))
    metric = metric_class(
        **data.draw(st.fixed_dictionaries({f: st.sampled_from(v) for f, v in choices.items()}))
    )
    expected = np.array(
        [REFERENCES[name](metric, Plain(evidence, q)) for q in range(len(evidence))]
    ).T
    np.testing.assert_allclose(
        np.stack(metric(evidence)), expected, rtol=1e-11, atol=1e-12, err_msg=str(metric)
    )


@pytest.mark.parametrize("name", REFERENCES)
@settings(max_examples=500 if FULL else 50, deadline=None, derandomize=not FULL)
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_metric_agrees_with_its_slow_reference(name, seed, data):
    agree(name, small_evidence(seed, least_groups=3), data)


@pytest.mark.parametrize(
    "name", [n for n in REFERENCES if n not in ("Recall", "P", "Hit", "MRR", "AP", "nDCG")]
)
@settings(max_examples=200 if FULL else 20, deadline=None, derandomize=not FULL)
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_metric_of_an_intersection_agrees_with_its_slow_reference(name, seed, data):
    agree(name, crossed(small_evidence(seed, least_groups=2, most_groups=4), seed), data)


@pytest.mark.parametrize(
    "name",
    [
        "NDKL",
        "PrefixKL",
        "AbsBias",
        "MaxSkew",
        "InfeasibleIndex",
        "LBKL",
        "AWRF",
        "JS",
        "TV",
        "ExposureRatio",
    ],
)
@settings(max_examples=200 if FULL else 15, deadline=None, derandomize=not FULL)
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_metric_of_one_or_two_groups_agrees_with_its_slow_reference(name, seed, data):
    evidence = small_evidence(seed, least_groups=1, most_groups=2)
    assert set(evidence.labels.names) <= set(NAMES[:2])
    agree(name, evidence, data)
