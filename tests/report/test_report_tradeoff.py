"""Relevance against bias: where variants lie, what leads to them, and that nobody needs colour or
eyes to read it.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.report.score_page import score_page
from fairlead.report.tradeoff import MOST, _box, _labels, fields
from fairlead.results.score import Row, ScoreResult

NULL = {"kind": "order", "mean": 0.1, "sd": 0.01}
shares = st.floats(0, 1, allow_nan=False)
names = st.text("abcdefgh(=,)_1", min_size=1, max_size=40)


def bias(
    variant: str,
    mean: float,
    metric: str = "AbsBias@20",
    direction: str = "lower",
    width: float = 0.05,
) -> Row:
    return Row(metric, "gender", 20, mean, (mean - width, mean + width), 24, 0, direction, NULL, mean - 0.1, (-0.1, 0.1), 0.5, 0.5, 0.0,
               "uniform", "label", variant=variant)  # fmt: skip


def use(variant: str, mean: float, width: float = 0.02, metric: str = "nDCG@20") -> Row:
    return Row(
        metric, None, 20, mean, (mean - width, mean + width), 24, 0, "higher", variant=variant
    )


def result(*rows: Row) -> ScoreResult:
    return ScoreResult(rows, (), ("a", "b"))


@pytest.fixture
def three() -> ScoreResult:
    biases = [bias("plain", 0.5), bias("pbm", 0.12), bias("fair_topk", 0.3)]
    return result(*biases, use("plain", 0.9), use("pbm", 0.8), use("fair_topk", 0.95))


def test_right_is_worse_and_up_is_more_relevant(three: ScoreResult) -> None:
    (field,) = fields(three)
    plain, pbm, topk = field.dots
    assert pbm.x < topk.x < plain.x and topk.y < plain.y < pbm.y
    assert field.chance is not None and field.chance < pbm.x and field.chance_text == "0.100"
    assert [d.plain for d in field.dots] == [True, False, False] and [
        d.arrow for d in field.dots
    ] == [False, True, True]
    assert all(
        d.across[0] < d.x < d.across[1] and d.along[1] < d.y < d.along[0] for d in field.dots
    )


def test_metric_that_is_better_when_higher_is_turned_round() -> None:
    rows = [
        bias("plain", 0.6, "AWRF@20", "higher"),
        bias("pbm", 0.9, "AWRF@20", "higher"),
        use("plain", 0.9),
        use("pbm", 0.9),
    ]
    (field,) = fields(result(*rows))
    assert field.dots[1].x < field.dots[0].x
    assert [at for at, _ in field.across] == sorted((at for at, _ in field.across), reverse=True)


def test_no_chart_without_variants_relevance_or_an_unsigned_measure(three: ScoreResult) -> None:
    assert fields(replace(three, rows=tuple(r for r in three.rows if r.variant == "plain"))) == []
    assert fields(replace(three, rows=tuple(r for r in three.rows if r.attribute))) == []
    assert fields(replace(three, rows=tuple(r for r in three.rows if not r.attribute))) == []
    assert (
        fields(result(*(replace(r, direction="either") if r.attribute else r for r in three.rows)))
        == []
    )
    assert fields(result(*(replace(r, tag="language=thai") for r in three.rows))) == []


def test_variant_without_a_number_is_left_out_and_one_without_an_interval_has_no_cross(
    three: ScoreResult,
) -> None:
    rows = [
        replace(r, mean=math.nan)
        if (r.variant, r.attribute) == ("fair_topk", None)
        else replace(r, ci=(math.nan,) * 2)
        for r in three.rows
    ]
    (field,) = fields(result(*rows))
    assert [d.name for d in field.dots] == ["plain", "pbm"]
    assert all(d.across is None and d.along is None for d in field.dots)


def test_variants_in_the_same_place_share_a_label() -> None:
    rows = [
        bias("plain", 0.5),
        *(bias(v, 0.1) for v in ("pbm", "detgreedy")),
        *(use(v, 1.0) for v in ("plain", "pbm", "detgreedy")),
    ]
    (field,) = fields(result(*rows))
    assert [d.label.text for d in field.dots] == ["plain", "pbm, detgreedy", ""]


def test_equal_relevance_is_no_cliff() -> None:
    rows = [bias("plain", 0.5), bias("pbm", 0.1), use("plain", 1.0, 0.0), use("pbm", 0.999, 0.0)]
    (field,) = fields(result(*rows))
    assert abs(field.dots[0].y - field.dots[1].y) < 2
    assert field.along[-1][1] == "1.00"


@given(st.lists(st.tuples(names, shares, shares), min_size=2, max_size=6, unique_by=lambda v: v[0]))
def test_every_dot_lies_in_the_field_and_has_a_name(
    variants: list[tuple[str, float, float]],
) -> None:
    rows = [bias(n, b) for n, b, _ in variants] + [use(n, u) for n, _, u in variants]
    (field,) = fields(result(*rows))
    assert all(0 <= d.x <= 100 and 0 <= d.y <= 100 for d in field.dots)
    written = ", ".join(d.label.text for d in field.dots)
    assert all(n[:29] in written for n, _, _ in variants)
    assert all(n in field.words for n, _, _ in variants)


def test_names_do_not_cover_each_other_where_there_is_room() -> None:
    places = [(80.0, 30.0), (20.0, 30.0), (22.0, 33.0), (50.0, 70.0), (52.0, 66.0)]
    labels = _labels(["plain", "pbm", "detgreedy", "fair_topk", "interleave"], places)
    boxes = [_box(label.x, label.y, 2.5 * len(label.text), label.anchor) for label in labels]
    for i, (a, b, c, d) in enumerate(boxes):
        assert not any(a < g and e < c and b < h and f < d for e, f, g, h in boxes[:i])


def test_page_draws_the_chart_with_title_words_and_shapes(three: ScoreResult) -> None:
    page = score_page(three)
    assert page.count('role="img"') == 1
    label = re.search(r'aria-labelledby="([\w-]+) ([\w-]+)"', page)
    assert label and all(page.count(f'id="{name}"') == 1 for name in label.groups())
    assert (
        "pbm: AbsBias@20 0.120 [0.070, 0.170], nDCG@20 0.800 [0.780, 0.820]" in page
        and "Chance of AbsBias@20: 0.100" in page
    )
    assert (
        page.count('class="dot quiet first"') == 1
        and page.count('marker-end="url(#trade-head-1)"') == 2
    )
    for name in ("plain", "pbm", "fair_topk"):
        assert re.search(rf'<text class="name"[^>]*>{name}</text>', page)


def test_page_draws_a_few_of_many_measures_and_says_so(three: ScoreResult) -> None:
    many = [
        replace(r, metric=f"TV@{k}") for k in range(1, MOST + 3) for r in three.rows if r.attribute
    ]
    page = score_page(result(*many, *(r for r in three.rows if not r.attribute)))
    assert (
        page.count('role="img"') == MOST
        and f"The first {MOST} of {MOST + 2} measures are drawn" in page
    )


def test_page_escapes_names_of_variants(three: ScoreResult) -> None:
    evil = '<script>"x"'
    page = score_page(
        result(*(replace(r, variant=evil) if r.variant == "pbm" else r for r in three.rows))
    )
    assert "<script>" not in page
