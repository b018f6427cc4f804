"""FA*IR's tables: exact failure probability, the two adjustments, published values."""

from __future__ import annotations

import os
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from fairlead.rerankers.mtables import adjusted_alpha, adjusted_table, failure_probability, mtable

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
GRID = [
    (k, p, alpha)
    for k in (1, 2, 5, 10, 20, 40)
    for p in (0.02, 0.25, 0.4, 0.5, 0.7, 0.98)
    for alpha in (0.01, 0.05, 0.1, 0.5)
]
GRID += (
    [(k, p, 0.1) for k in (100, 200, 400) for p in (0.1, 0.5, 0.9)] if FULL else [(200, 0.5, 0.1)]
)


def exact_cdf(j: int, i: int, p: Fraction) -> Fraction:
    return sum((comb(i, c) * p**c * (1 - p) ** (i - c) for c in range(j + 1)), Fraction(0))


def exact_failure(table: tuple[int, ...], p: Fraction) -> Fraction:
    """Every state by hand, in fractions."""
    states = {0: Fraction(1)}
    for m in table:
        new: dict[int, Fraction] = {}
        for count, mass in states.items():
            new[count] = new.get(count, Fraction(0)) + mass * (1 - p)
            new[count + 1] = new.get(count + 1, Fraction(0)) + mass * p
        states = {c: mass for c, mass in new.items() if c >= m}
    return 1 - sum(states.values())


def all_tables(k: int, p: Fraction) -> list[tuple[int, ...]]:
    """Every m-table there is for k and p, from the smallest up: one per distinct value of the
    distribution function.
    """
    cdf = {(i, j): exact_cdf(j, i, p) for i in range(1, k + 1) for j in range(i + 1)}
    levels = sorted(set(cdf.values()))
    return [
        tuple(next(j for j in range(i + 1) if cdf[i, j] >= level) for i in range(1, k + 1))
        for level in levels
    ]


@pytest.mark.parametrize(("k", "p", "alpha"), GRID)
def test_table_equals_binomial_quantiles(k: int, p: float, alpha: float) -> None:
    if k > 40:
        assert (
            list(mtable(k, p, alpha))
            == binom.ppf(alpha, np.arange(1, k + 1), p).astype(int).tolist()
        )
    else:  # scipy itself rounds P(Bin(35, .5) <= 17) = .5 the wrong way
        share, level = Fraction(str(p)), Fraction(str(alpha))
        assert list(mtable(k, p, alpha)) == [
            next(j for j in range(i + 1) if exact_cdf(j, i, share) >= level)
            for i in range(1, k + 1)
        ]


@pytest.mark.parametrize(
    ("k", "p"),
    [
        (1, Fraction(1, 2)),
        (4, Fraction(1, 3)),
        (7, Fraction(1, 2)),
        (9, Fraction(2, 5)),
        (10, Fraction(3, 4)),
    ],
)
@pytest.mark.parametrize(
    "alpha", [Fraction(1, 100), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)]
)
def test_adjustments_equal_a_search_through_all_tables(
    k: int, p: Fraction, alpha: Fraction
) -> None:
    tables = all_tables(k, p)
    fails = [exact_failure(t, p) for t in tables]
    assert fails == sorted(fails)
    last = max(i for i, f in enumerate(fails) if f <= alpha)
    got = adjusted_table(k, float(p), float(alpha), "conservative")
    assert got == tables[last]
    assert failure_probability(got, float(p)) == pytest.approx(float(fails[last]), abs=1e-13)
    usual = tables.index(
        mtable(k, float(p), float(alpha))
    )  # nearest never goes above the level itself
    near = (
        last
        if fails[last] == alpha
        else min(range(usual + 1), key=lambda i: (abs(fails[i] - alpha), i))
    )
    assert fails[tables.index(adjusted_table(k, float(p), float(alpha), "nearest"))] == fails[near]


@pytest.mark.parametrize(("k", "p", "alpha"), GRID)
def test_conservative_fails_at_most_alpha_and_the_next_larger_exceeds_it(
    k: int, p: float, alpha: float
) -> None:
    table = adjusted_table(k, p, alpha, "conservative")
    assert failure_probability(table, p) <= alpha
    rows = np.arange(1, k + 1)
    level = binom.cdf(table, rows, p).min()  # just above it, some row grows
    larger = tuple(
        np.where(
            binom.cdf(table, rows, p) <= level * (1 + 1e-9), np.array(table) + 1, table
        ).tolist()
    )
    assert level > 1 - 1e-12 or failure_probability(larger, p) > alpha


@pytest.mark.parametrize(("k", "p", "alpha"), [(10, 0.5, 0.1), (40, 0.4, 0.05), (20, 0.25, 0.1)])
def test_failure_probability_agrees_with_simulation(k: int, p: float, alpha: float) -> None:
    table = np.array(mtable(k, p, alpha))
    draws = np.random.default_rng(7).random((200_000, k)) < p
    simulated = (draws.cumsum(1) < table).any(1).mean()
    exact = failure_probability(table.tolist(), p)
    assert abs(simulated - exact) < 4 * np.sqrt(exact * (1 - exact) / 200_000)


def test_nearest_reproduces_the_table_of_feng_and_shah() -> None:
    table = adjusted_table(200, 0.5, 0.1, "nearest")
    assert table[:30] == (
        0,
        0,
        0,
        0,
        0,
        1,
        1,
        1,
        1,
        2,
        2,
        2,
        3,
        3,
        3,
        4,
        4,
        5,
        5,
        5,
        6,
        6,
        6,
        7,
        7,
        8,
        8,
        8,
        9,
        9,
    )
    assert failure_probability(table, 0.5) == pytest.approx(0.10068271601260048, abs=1e-12)
    assert adjusted_alpha(200, 0.5, 0.1, "nearest") == pytest.approx(1 / 64, abs=1e-9)
    assert adjusted_alpha(200, 0.5, 0.1, "nearest") > 1 / 64
    assert mtable(200, 0.5, adjusted_alpha(200, 0.5, 0.1, "nearest")) == table


def test_unadjusted_table_of_the_published_readme_and_its_true_failure_probability() -> None:
    table = mtable(20, 0.25, 0.1)
    assert table == (0,) * 8 + (1,) * 6 + (2,) * 5 + (3,)
    assert failure_probability(table, 0.25) == pytest.approx(0.146887188699111, abs=1e-12)
    assert failure_probability(table[:19], 0.25) == pytest.approx(
        0.11517506930977106, abs=1e-12
    )  # what it reports instead


@pytest.mark.parametrize(("p", "table"), [(0.0, (0, 0, 0)), (1.0, (1, 2, 3))])
def test_certain_shares_give_certain_tables(p: float, table: tuple[int, ...]) -> None:
    for adjust in ("none", "conservative", "nearest"):
        assert adjusted_table(3, p, 0.1, adjust) == table  # type: ignore[arg-type]
        assert failure_probability(table, p) == 0


def all_states(table: tuple[int, ...], p: float) -> float:
    """The failure probability with every state followed, likely or not."""
    mass = np.zeros(len(table) + 2)
    mass[0], lost, least = 1.0, 0.0, 0
    for i, m in enumerate(table, start=1):
        gained = mass[least : i + 1] * p
        mass[least : i + 1] *= 1 - p
        mass[least + 1 : i + 2] += gained
        if m > least:
            lost += float(mass[least:m].sum())
            mass[least:m] = 0.0
            least = m
    return lost


@pytest.mark.parametrize("k", [1, 7, 60, 900])
@pytest.mark.parametrize("p", [0.001, 0.2, 0.5, 0.93, 1.0])
@pytest.mark.parametrize("alpha", [1e-12, 0.01, 0.4])
def test_unlikely_states_change_no_digit(k: int, p: float, alpha: float) -> None:
    table = mtable(k, p, alpha)
    assert failure_probability(table, p) == all_states(table, p)
