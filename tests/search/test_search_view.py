"""Answers as people see them: what a mitigation costs, what is unknown, lists that fit the
terminal, and the contact sheet.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fairlead.report import sheet as sheets
from fairlead.report.answer_view import cost, decided, search_view, unnamed
from fairlead.report.sheet import sheet
from fairlead.report.terminal import as_text
from fairlead.results.score import Row
from fairlead.results.search import Cost, Found, QueryAnswer, SearchResult, Variant
from fairlead.trigger.decision import Decision

LABELS = {"gender": {"groups": ["female", "male"], "source": "given", "target": "uniform"}}


def items(labels: list[Any], *, start: int = 0, top: float = 0.9) -> tuple[Found, ...]:
    return tuple(
        Found(
            f"a/rather/long/name/of/a/picture/{start + at}.jpg",
            top - 0.1 * at,
            at + 1,
            {"gender": label},
        )
        for at, label in enumerate(labels)
    )


def row(unknown: float) -> Row:
    return Row(
        "NDKL@4",
        "gender",
        4,
        0.4,
        (0.4, 0.4),
        1,
        0,
        "lower",
        {"kind": "gallery", "mean": 0.3, "sd": 0.1},
        unknown_mass=unknown,
    )


def answer_of(
    plain: list[Any], other: list[Any], *, rule: str = "neutral", unknown: float = 0.0
) -> QueryAnswer:
    ms = {"encode": 5.0, "search": 2.0, "measure": 900.0, "total": 907.0}
    first = Variant("plain", items(plain), (row(unknown),), ms)
    second = Variant(
        "pbm",
        items(other, start=2, top=0.8),
        (row(0.0),),
        {**ms, "rerank": 0.5},
        cost=Cost(2, 0.65, 0.5),
    )
    return QueryAnswer("a nurse", (first, second), Decision.by(rule, "a nurse", "gender"))


def text_of(answer: QueryAnswer, width: int = 132) -> str:
    return as_text(search_view(SearchResult((answer,), {"labels": LABELS, "warnings": []})), width)


def test_view_says_what_a_mitigated_list_costs() -> None:
    text = text_of(answer_of(["male"] * 4, ["male", "female"] * 2))
    assert "pbm: 2 of 4 new, mean score 0.750 to 0.650, lowest 0.500 (plain 0.600)" in text


def test_cost_of_a_list_that_was_left_alone_is_not_told() -> None:
    first, second = answer_of(["male"] * 4, ["male"] * 4).variants
    assert cost(second, first) and not cost(replace(second, left=True), first)


def test_view_times_the_search_without_measuring_and_what_a_mitigation_adds() -> None:
    text = text_of(answer_of(["male"] * 4, ["female"] * 4))
    assert (
        "ms a query" in text
        and " 7.0\n" in text
        and "+0.5\n" in text
        and "90" not in text.split("ms a query")[1]
    )


def test_legend_explains_marks_only_where_they_occur() -> None:
    known = text_of(answer_of(["male"] * 4, ["female"] * 4))
    assert "? unknown" not in known and "- not applicable" not in known
    some = text_of(answer_of(["male", None, "not-applicable", "male"], ["female"] * 4))
    assert "? unknown  - not applicable" in some
    answer = answer_of(["male", {"female": 0.4, "male": 0.3}], ["female"] * 2)
    assert unnamed(answer, "gender", ("female", "male")) == ("unknown", "")


@pytest.mark.parametrize(("share", "told"), [(0.5, False), (0.75, True)])
def test_view_says_where_more_than_half_of_a_list_is_unknown(share: float, told: bool) -> None:
    text = text_of(answer_of(["male", None, None, None], ["female"] * 4, unknown=share))
    assert f"{100 * share:.0f} %" in text
    assert ("More than half of what is shown is of unknown gender (plain 75 %)" in text) is told


def test_view_says_that_the_trigger_is_off_where_something_is_mitigated() -> None:
    answer = answer_of(["male"] * 4, ["female"] * 4, rule="off")
    assert "the trigger is off" in decided(answer)
    assert not decided(replace(answer, variants=answer.variants[:1]))


def test_view_stacks_lists_that_do_not_fit_and_cuts_no_name() -> None:
    answer = answer_of(["male"] * 4, ["female"] * 4)
    answer = replace(
        answer, variants=(*answer.variants, replace(answer.variants[1], name="levelled"))
    )
    wide, narrow = text_of(answer), text_of(answer, 80)
    assert wide.count("rank") == 1 and narrow.count("rank") == 3
    assert "…" not in narrow and max(map(len, narrow.splitlines())) <= 80
    assert narrow.count("/3.jpg") == 3


def test_sheet_tells_cost_and_marks_and_wraps_what_is_too_long() -> None:
    answer = answer_of(["male", None, "not-applicable", "male"], ["female"] * 4)
    page = sheet(SearchResult((answer,), {"labels": LABELS}), lambda reference, size: None)
    block = sheets._Block(answer, {"gender": ("female", "male")}, 128, 5)
    assert [mark for mark, _, _ in block._legend()] == ["F", "M", "?", "–"]
    assert block.said[1] == [
        "NDKL@4 0.40 (chance 0.30)",
        "2 of 4 new, mean score 0.750 to 0.650, lowest 0.500 (plain 0.600)",
    ]
    assert page.height == block.height + 28
    assert (
        isinstance(page, Image.Image) and np.asarray(page)[:, -20:].min() == 255
    )  # nothing runs off the margin
