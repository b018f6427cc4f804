"""Places on an axis: zero is always there, right is worse, outside values lie on the edge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.report.charts import Axis, forest, strip
from fairlead.results.score import PerQuery

finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(finite, min_size=1, max_size=20), st.booleans())
def test_axis_holds_zero_and_every_value_in_order(values, flip):
    axis = Axis.over(values, flip=flip)
    places = [axis.at(v) for v in sorted([*values, 0.0])]
    assert all(0 <= p <= 100 for p in places)
    assert places == sorted(places, reverse=flip)


@given(st.lists(finite, min_size=1, max_size=20))
def test_axis_ticks_are_few_and_lie_on_the_axis(values):
    ticks = Axis.over(values).ticks
    assert 1 <= len(ticks) <= 8
    assert [at for at, _, _ in ticks] == sorted(at for at, _, _ in ticks)
    assert any(text == "0" for _, text, _ in ticks)


def test_axis_of_nothing_or_of_infinities_is_still_an_axis():
    for values in ([], [math.nan], [math.inf, -math.inf]):
        axis = Axis.over(values)
        assert 0 <= axis.zero <= 100
        assert axis.at(math.inf) == axis.at(1.0)


def test_axis_ticks_are_round():
    assert [text for _, text, _ in Axis.over([-0.13, 0.83]).ticks] == [
        "0",
        "+0.2",
        "+0.4",
        "+0.6",
        "+0.8",
    ]
    assert [text for _, text, _ in Axis.over([-30.0, 170.0]).ticks] == ["0", "+50", "+100", "+150"]


def test_strip_leaves_out_what_is_undefined():
    drawn = strip(Axis.over([1.0]), math.nan, (math.nan, 0.5))
    assert drawn.point is None and drawn.low is None and drawn.high is not None


@pytest.mark.parametrize(
    ("direction", "first"), [("lower", "high"), ("higher", "low"), ("either", "low")]
)
def test_forest_puts_the_worst_first(direction, first):
    part = PerQuery(
        "M",
        "g",
        np.array([0.6, 0.5, -0.7]),
        np.zeros(3),
        np.full(3, 0.5),
        np.full(3, 0.5),
        np.zeros(3),
    )
    drawn = forest(part, ("high", "middle", "low"), direction)
    assert drawn is not None
    assert drawn.marks[0].query == first
    if direction != "either":
        assert drawn.marks[0].at == max(mark.at for mark in drawn.marks)


def test_forest_of_no_chance_level_is_none():
    blank = np.full(2, math.nan)
    assert (
        forest(
            PerQuery("M", "g", np.zeros(2), blank, blank, blank, np.zeros(2)), ("a", "b"), "lower"
        )
        is None
    )
    assert forest(PerQuery("nDCG", None, np.zeros(2)), ("a", "b"), "higher") is None
