"""Sums over many lists in slices: the same to the last digit as in one go, within bounded memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from fairlead.statistics import distributions
from fairlead.statistics.distributions import Distribution


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("lists", [3, 700, 5_000])
@pytest.mark.parametrize("draws", [1, 64, 999])
def test_slices_give_the_numbers_of_one_go(exact, lists, draws, monkeypatch) -> None:
    rng = np.random.default_rng(lists)
    values, weights = np.sort(rng.random(1_500)), None
    if exact:
        weights = rng.dirichlet(np.ones(len(values)))
    one = Distribution(values, weights, centre=None if exact else 0.5)

    def summed() -> list[float]:
        return one.sums(lists, draws, np.random.default_rng(7)).tolist()

    monkeypatch.setattr(distributions, "_SUM_CELLS", 1 << 40)
    whole = summed()
    monkeypatch.setattr(distributions, "_SUM_CELLS", 1)
    assert summed() == whole
    assert len(whole) == draws


def test_sums_of_many_lists_take_little_memory() -> None:
    one = Distribution(np.sort(np.random.default_rng(0).random(50_000)))
    tracemalloc.start()
    one.sums(40_000, 700, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # in one go: 700 x 40,000 places, and as many values
    assert peak < 150e6
