"""Small panels: everything lies inside, names cover nothing, and the page holds what it was given."""

from __future__ import annotations

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from fairlead.report.small_panels import (
    Dot,
    Page,
    Panel,
    Rule,
    Scale,
    _labels,
    _placed,
    page,
    scale_of,
)

PLACES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=25)
NAMES = st.lists(st.text("abc ", min_size=1, max_size=30), min_size=25, max_size=25)


def placed(points, names):
    dots = tuple((Dot(x, y, name=name),) for (x, y), name in zip(points, names, strict=True))
    return _placed(Panel("p", "", Scale("x", 0, 1), Scale("y", 0, 1), dots))


@given(PLACES, NAMES)
def test_names_cover_no_dot_and_no_other_name_and_stay_inside(points, names):
    made = placed(points, names[: len(points)])
    boxes = []
    for label in made["labels"]:
        wide = 1.9 * len(label["text"])
        left = label["x"] - {"middle": wide / 2, "start": 1, "end": wide - 1}[label["anchor"]]
        box = (left, label["y"] - 3.25, left + wide, label["y"] + 3.25)
        assert box[0] >= -1e-6 and box[2] <= 100 + 1e-6
        for x, y in ((dot["x"], dot["y"]) for dot in made["dots"]):
            assert not (box[0] < x < box[2] and box[1] < y < box[3])
        for other in boxes:
            assert (
                box[2] <= other[0] + 0.02
                or other[2] <= box[0] + 0.02
                or box[3] <= other[1] + 0.02
                or other[3] <= box[1] + 0.02
            )
        boxes.append(box)


def test_dots_that_stand_apart_all_have_their_names():
    made = placed([(0.2, 0.2), (0.5, 0.8), (0.8, 0.4)], ["nurse", "engineer", "truck driver"])
    assert [label["text"] for label in made["labels"]] == [
        "nurse",
        "engineer",
        "truck driver",
    ] and not _labels([])


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=10), st.booleans())
def test_scale_holds_its_values_in_order_with_ticks_inside(values, log):
    scale = scale_of("x", values, log=log)
    places = [scale.at(v) for v in sorted(values)]
    assert places == sorted(places) and all(0 <= p <= 100 for p in places)
    assert all(0 <= at <= 100 for at, _ in scale.ticks())


def test_scale_without_values_or_with_one_is_still_a_scale():
    assert scale_of("x", []).at(0.5) == 50
    assert (
        0 <= scale_of("x", [3.0]).at(3.0) <= 100
        and 0 <= scale_of("x", [3.0], log=True).at(3.0) <= 100
    )


def test_page_escapes_names_and_draws_lines_rules_and_intervals():
    line = (Dot(0.1, 0.2, y_ci=(0.1, 0.3), words="-0.2 <b>"), Dot(0.6, 0.7, y_ci=(math.nan, 0.9)))
    panel = Panel(
        "<script>",
        "n",
        Scale("x", 0, 1),
        Scale("y", 0, 1),
        (line,),
        (Rule(0.5, "mid"), Rule(0.3, along=False)),
    )
    text = page(
        Page(
            "t",
            "h",
            "l",
            (panel,),
            tables=(("T", ("a", "b"), (("x", "-0.1"),)),),
            notes=("<i>",),
            reading=(("w", "m"),),
        )
    )
    assert (
        "<script>" not in text
        and "&lt;script&gt;" in text
        and "&lt;i&gt;" in text
        and "−0.1" in text
    )
    assert [len(re.findall(f'class="{mark}', text)) for mark in ("step", "cross", "rule")] == [
        1,
        1,
        2,
    ]
