"""A frontier in a terminal and as a page: what is said of bounds, of the trigger, of two measures
of bias, and where things are drawn.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from fairlead.report.frontier_page import frontier_page
from fairlead.report.frontier_view import frontier_view, level_words
from fairlead.report.small_panels import page
from fairlead.results.frontier import Curve, Explicit, FrontierResult, Gap, Level, Point, Verdict

NAN = (math.nan, math.nan)
BOUNDS = {
    name: [(0.2, 0.6), (0.5, 0.9), (0.8, 1.0)]
    for name in ("same labels", "in hindsight", "true labels")
}


def point(method: str, knob: str, value: float, bias: float, relevance: float) -> Point:
    means = {"AbsBias": bias, "NDKL_excess": bias / 2, "nDCG": relevance, "P@1": 1.0}
    spans = {
        "AbsBias": (bias - 0.1, bias + 0.05),
        "NDKL_excess": NAN,
        "nDCG": (relevance - 0.2, relevance),
        "P@1": NAN,
    }
    return Point(method, knob, value, means, spans, 0.1)


def gap(value: float, low: float, high: float, difference: float = 0.1) -> Gap:
    return Gap("pbm", value, 0.6, 0.8, difference, (low, high), dict.fromkeys(BOUNDS, 0.95))


def asked(row: Point) -> Explicit:
    return Explicit(row.method, row.knob, row.value, "nDCG", 0.9, 0.7, 0.7, NAN)


ROWS = (
    point("plain", "", math.nan, 0.9, 1.0),
    point("pbm", "theta", 0.5, 0.7, 0.9),
    point("pbm", "theta", 1.0, 0.6, 0.8),
    point("levelled(price=1)", "", math.nan, 0.5, 0.95),
)
WHY = "AbsBias is not shown to fall: -0.100 [-0.200, +0.010]."
VERDICTS = tuple(
    Verdict(
        row.method,
        row.knob,
        row.value,
        at == 0,
        () if at == 0 else (WHY,),
        -0.1,
        (-0.2, 0.01),
        0.0,
        NAN,
        1.0,
    )
    for at, row in enumerate(ROWS[1:])
)
RESULT = FrontierResult(
    rows=ROWS,
    curves=(
        Curve("plain", 0.9, 1.0),
        Curve("pbm", 0.6, 0.9),
        Curve("levelled(price=1)", 0.5, 0.95),
    ),
    gaps=(gap(0.5, 0.05, 0.2), gap(1.0, 0.01, 0.2)),
    bounds=BOUNDS,
    chance=0.25,
    explicit=tuple(asked(row) for row in ROWS),
    level=Level(0.35, 1.0, "pbm", 0.6, 0.8, 0.9, 0.7, dict.fromkeys(BOUNDS, 0.65)),
    verdicts=VERDICTS,
    ndkl_gaps=(gap(0.5, -0.1, 0.1), gap(1.0, -0.2, -0.1, -0.15)),
    manifest={
        "plan": {"trigger": True, "tolerance": 0.05, "explicit_tolerance": 0.02},
        "intervals": "studentised",
        "queries": 55,
    },
)
OFF = replace(RESULT, manifest={**RESULT.manifest, "plan": {"trigger": False}})
MANY_GROUPS = replace(
    RESULT, bounds={}, gaps=tuple(replace(g, bounds={}) for g in RESULT.gaps), level=replace(RESULT.level, bounds={})
)  # fmt: skip


def printed(result: FrontierResult) -> str:
    console = Console(file=StringIO(), width=160)
    console.print(frontier_view(result, checked=True))
    return re.sub(r"\s+", " ", console.file.getvalue())


def drawn(result: FrontierResult) -> str:
    return page(frontier_page(result)).replace("&#39;", "'").split("<body>")[1]


@pytest.mark.parametrize("shown", [printed, drawn])
def test_bounds_are_called_the_best_of_lists_that_take_each_group_from_the_top_and_nothing_more(
    shown,
):
    text = shown(RESULT)
    assert (
        "best of lists that take each group's items from the top" in text and "in hindsight" in text
    )
    assert "passes over doubtful labels" in text
    assert not re.search("best that (can|could) be had|could be had", text)


@pytest.mark.parametrize("shown", [printed, drawn])
def test_without_bounds_nothing_is_said_of_them(shown):
    text = shown(MANY_GROUPS)
    assert not re.search("same labels(?! \\()|hindsight|recovered|, \\.|true labels", text)
    assert "levelled keeps nDCG 0.700. pbm reads nDCG 0.800" in text


def test_level_leaves_out_a_bound_that_does_not_reach_it():
    level = replace(RESULT.level, bounds={"same labels": math.nan, "true labels": 0.9})
    assert "the best keep 0.900 with true labels." in level_words(level)


def test_view_without_the_trigger_has_no_column_for_it():
    on, off = printed(RESULT), printed(OFF)
    assert "with the trigger kept without the trigger" in on
    assert "with the trigger" not in off and "plain without the trigger kept" in off
    assert "keep, without the trigger" in drawn(OFF) and "keep, without the trigger" not in drawn(
        RESULT
    )


def test_headline_speaks_of_both_measures_and_of_what_is_less():
    said = frontier_page(RESULT).headline
    assert (
        said
        == "At equal AbsBias levelled keeps more nDCG than 2 of 2 settings of other methods; at equal NDKL less than 1 of 2"
    )
    none = replace(RESULT, gaps=(gap(0.5, -0.1, 0.1),), ndkl_gaps=(gap(0.5, -0.1, 0.1),))
    said = frontier_page(none).headline
    start, rest = said.split("; ")
    assert (
        start
        == "At equal AbsBias no difference in nDCG is shown between levelled and 1 setting of other methods"
    )
    assert rest == "at equal NDKL no difference is shown"
    far = replace(RESULT, ndkl_gaps=(gap(0.5, math.nan, math.nan, math.nan), gap(1.0, -0.2, 0.1)))
    assert "levelled does not reach the NDKL of 1 of 2 settings." in frontier_page(far).lead
    assert "than 0" not in drawn(RESULT) + drawn(none)


def test_method_with_one_setting_is_a_dot_and_bounds_are_two_kinds_of_line():
    made = frontier_page(RESULT)
    first = made.panels[0]
    assert sorted(len(line) for line in first.lines if line[0].colour in (0, 1)) == [1, 3]
    assert {line[0].colour for line in first.lines} == {0, 1, "bound", "ideal", "ink"}
    assert ("1 round full", "levelled(price=1)") in made.legend and {"bound", "ideal"} <= {
        colour for colour, _ in made.legend
    }


def test_page_has_intervals_verdicts_and_how_intervals_are_made():
    text = drawn(RESULT)
    assert (
        "0.700<small>[0.600, 0.750]</small>" in text
        and "pbm theta=0.5: AbsBias 0.700 [0.600, 0.750], nDCG 0.900 [0.700, 0.900]" in text
    )
    assert (
        "may it be switched on?" in text
        and "AbsBias is not shown to fall" in text
        and "95 % intervals: studentised" in text
    )
    assert 'class="scroll" tabindex="0"' in text


def test_chance_is_written_where_it_covers_no_dot():
    from fairlead.report.small_panels import Dot, Panel, Rule, Scale, _placed

    scales = Scale("x", 0, 1), Scale("y", 0, 1)
    for at, low, expected in ((0.1, 0.02, 5.0), (0.1, 0.98, 96.0)):
        panel = Panel(
            "p", "", *scales, ((Dot(at + 0.03, low),),), (Rule(at, "chance", along=False),)
        )
        (rule,) = _placed(panel)["rules"]
        assert rule["y"] == expected and rule["right"]
    panel = Panel("p", "", *scales, ((Dot(0.5, 0.5),),), (Rule(0.99, "chance", along=False),))
    assert not _placed(panel)["rules"][0]["right"]
