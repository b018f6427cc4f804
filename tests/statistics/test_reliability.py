"""Whether shares mean what they say: against slow references, and on shares whose error is known."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.statistics.reliability import (
    best_temperature,
    calibration_error,
    cross_tempered,
    tempered,
)
from fairlead.statistics.wilson import wilson


def world(temperature: float, seed: int = 0, size: int = 8_000):
    """Shares that are right at temperature 1, made too sure or not sure enough, and true groups."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(size, 3)) * 1.5
    honest = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    truth = (honest.cumsum(1) > rng.random((size, 1))).argmax(1)
    return tempered(honest, temperature), truth


def test_calibration_error_equals_a_slow_count():
    share, truth = world(0.5, size=500)
    total = 0.0
    for b in range(15):
        rows = [
            i
            for i in range(500)
            if b / 15 <= max(share[i]) < (b + 1) / 15 or (b == 14 and max(share[i]) == 1)
        ]
        if rows:
            right = np.mean([np.argmax(share[i]) == truth[i] for i in rows])
            total += len(rows) / 500 * abs(right - np.mean([max(share[i]) for i in rows]))
    assert calibration_error(share, truth) == pytest.approx(total)
    assert np.isnan(calibration_error(np.empty((0, 2)), np.empty(0, int)))


@pytest.mark.parametrize("temperature", [0.4, 1.0, 2.5])
def test_temperature_of_shares_is_found_again(temperature):
    share, truth = world(temperature)
    assert best_temperature(share, truth) == pytest.approx(1 / temperature, rel=0.1)
    before, (after, factor) = calibration_error(share, truth), cross_tempered(share, truth)
    assert factor == pytest.approx(1 / temperature, rel=0.1)
    assert calibration_error(after, truth) < (0.03 if temperature == 1 else 0.5 * before)


def test_tempered_shares_keep_their_order_and_their_sums():
    share = np.array([[0.5, 0.2, 0.1], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    for temperature in (0.3, 1.0, 4.0):
        made = tempered(share, temperature)
        np.testing.assert_allclose(made.sum(1), share.sum(1), atol=1e-12)
        assert made.argmax(1).tolist() == share.argmax(1).tolist()
    np.testing.assert_allclose(tempered(share, 1.0), share, atol=1e-12)


def test_wilson_interval_holds_the_share_as_often_as_it_says():
    rng = np.random.default_rng(0)
    held = [
        low <= 0.82 <= high
        for low, high in (wilson(k / 100, 100) for k in rng.binomial(100, 0.82, 2_000))
    ]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)
    assert all(np.isnan(wilson(0.0, 0)))
    assert wilson(0.0, 10)[0] == pytest.approx(0.0, abs=1e-12) and wilson(1.0, 10)[
        1
    ] == pytest.approx(1.0)
