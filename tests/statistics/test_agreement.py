"""Agreement: published worked examples, an independent reference in exact fractions, intervals that
cover, raters with others.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.statistics.agreement import agreement, krippendorff, with_others
from fairlead.types.answers import Answer, Answers, Task

# K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): sections A, B and C. A row is
# an observer, a column a unit,
# a dot a missing value. The last one is the worked example of the article on the measure in the
# English Wikipedia, three coders.
BINARY = ("0100000010", "1110010000")
NOMINAL = ("aabbdcccedda", "babbbccceddd")
MISSING = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
THREE = (".....34121133.3", "1.213343.......", "..21344.21133.4")


def _counts(rows, size=None):
    size = size or max(map(len, rows))
    values = sorted({v for row in rows for v in row} - {"."})
    return np.array(
        [[sum(len(row) > u and row[u] == v for row in rows) for v in values] for u in range(size)]
    )


def _reference(rows):
    """Alpha by the matrix of coincidences, value pair by value pair, in exact fractions."""
    pairs: dict[tuple[str, str], Fraction] = {}
    for unit in zip(*rows, strict=True):
        said = [v for v in unit if v != "."]
        for a, b in permutations(range(len(said)), 2):
            key = (said[a], said[b])
            pairs[key] = pairs.get(key, Fraction(0)) + Fraction(1, len(said) - 1)
    values = sorted({v for pair in pairs for v in pair})
    margin = {v: sum((pairs.get((v, w), Fraction(0)) for w in values), Fraction(0)) for v in values}
    n = sum(margin.values(), Fraction(0))
    observed = sum(
        (pairs.get((v, w), Fraction(0)) for v in values for w in values if v != w), Fraction(0)
    )
    expected = sum((margin[v] * margin[w] for v in values for w in values if v != w), Fraction(0))
    return None if expected == 0 else 1 - (n - 1) * observed / expected


@pytest.mark.parametrize(
    ("rows", "published"), [(BINARY, 0.095), (NOMINAL, 0.692), (MISSING, 0.743), (THREE, 0.691)]
)
def test_alpha_of_a_published_example_is_the_published_value(rows, published, bar):
    found = krippendorff(_counts(rows))
    assert round(found, 3) == published
    assert found == pytest.approx(float(_reference(rows)), abs=1e-12)
    bar(
        f"Krippendorff's alpha, worked example of {len(rows)} observers and {len(rows[0])} units",
        f"{found:.3f}",
        f"{published} as published",
    )


@given(st.lists(st.lists(st.sampled_from("abc."), min_size=3, max_size=3), min_size=1, max_size=12))
def test_alpha_is_that_of_the_coincidence_matrix(units):
    rows = ["".join(row) for row in zip(*units, strict=True)]
    counts = np.array([[unit.count(v) for v in "abc"] for unit in units])
    exact, found = _reference(rows), krippendorff(counts)
    assert math.isnan(found) if exact is None else found == pytest.approx(float(exact), abs=1e-12)


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=12),
    st.permutations(range(3)),
    st.randoms(),
)
def test_alpha_does_not_depend_on_names_or_order(units, names, mix):
    counts = np.array(units)
    order = list(range(len(counts)))
    mix.shuffle(order)
    assert krippendorff(counts[order][:, list(names)]) == pytest.approx(
        krippendorff(counts), abs=1e-12, nan_ok=True
    )


def test_alpha_items_with_one_answer_change_nothing():
    counts = _counts(MISSING)
    assert krippendorff(np.vstack([counts, np.eye(5, dtype=int)])) == krippendorff(counts)


def test_raw_agreement_counts_pairs_each_item_by_its_answers():
    found = agreement(np.array([[2, 0], [1, 1], [3, 1], [1, 0]]), rng=np.random.default_rng(0))
    # agreeing pairs: 1 of 1, 0 of 1, 3 of 6; weights 2, 2, 4
    assert found.raw == pytest.approx((2 * 1 + 2 * 0 + 4 * 0.5) / 8)
    assert found.items == 3


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ([[1, 0], [0, 1]], "no item has two answers"),
        ([[2, 0], [3, 0]], "every answer says the same"),
    ],
)
def test_alpha_that_is_undefined_says_why(counts, why):
    found = agreement(np.array(counts), rng=np.random.default_rng(0))
    assert math.isnan(found.alpha)
    assert why in found.interval.note


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=1, max_size=6))
def test_interval_of_a_few_items_is_told_without_a_fault(units):
    found = agreement(np.array(units), rng=np.random.default_rng(0), draws=49)
    assert math.isnan(found.interval.low) or found.interval.low <= found.interval.high
    assert found.interval.note


def test_interval_of_full_agreement_is_not_a_point():
    few, many = (
        agreement(np.tile([[3, 0], [0, 3]], (n, 1)), rng=np.random.default_rng(0)) for n in (5, 100)
    )
    assert few.alpha == many.alpha == 1
    assert few.interval.low < 0.7 < 0.95 < many.interval.low < many.interval.high == 1
    assert "unreliable" in few.interval.note


def test_interval_of_alpha_covers_the_truth(count, full, bar):
    trials, worlds = (
        count(60, 500),
        [(2, 0.85, [0.5, 0.5]), (2, 0.85, [0.9, 0.1]), (4, 0.8, [0.25] * 4)],
    )
    for groups, sure, shares in worlds:
        true = krippendorff(_drawn(np.random.default_rng(1), 200_000, groups, sure, shares))
        inside = 0
        for trial in range(trials):
            rng = np.random.default_rng([trial, groups])
            found = agreement(_drawn(rng, 100, groups, sure, shares), rng=rng, draws=499).interval
            inside += found.low <= true <= found.high
        share = inside / trials
        bar(
            f"Interval of alpha over 100 items, {groups} groups at {shares[0]:g}: coverage",
            f"{share:.3f}",
            "> 0.92",
        )
        spread = 3 * math.sqrt(0.05 * 0.95 / trials)
        assert share > 0.92 - (0 if full else spread)


def _drawn(rng, items, groups, sure, shares):
    truth = rng.choice(groups, size=items, p=shares)
    said = np.where(
        rng.random((items, 3)) < sure, truth[:, None], rng.integers(groups, size=(items, 3))
    )
    return np.stack([(said == g).sum(1) for g in range(groups)], axis=1)


def test_rater_with_others_counts_pairs_and_leaves_unsure_out():
    time = datetime(2026, 1, 1, tzinfo=UTC)
    said = [
        ("a", "x", "f"),
        ("a", "y", "f"),
        ("a", "z", "m"),
        ("b", "x", "f"),
        ("b", "y", "unsure"),
        ("b", "z", "m"),
        ("c", "x", "f"),
    ]
    answers = Answers.of(
        Task("gender", ("f", "m")), [Answer(i, "gender", r, v, time) for i, r, v in said]
    )
    agree, pairs = with_others(answers)
    assert dict(zip(answers.raters, zip(agree, pairs, strict=True), strict=True)) == {
        "x": (1, 3),
        "y": (1, 2),
        "z": (0, 3),
    }
