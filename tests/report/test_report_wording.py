"""Numbers as people read them, and the sentence to remember: never more than the numbers say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fairlead.report.wording import (
    bounds,
    change,
    headline,
    notes_of,
    number,
    percent,
    probability,
    reading,
    signed,
)
from fairlead.results.score import PairedRow, PerQuery, Row, ScoreResult
from fairlead.words.counts import counted

NULL = {"kind": "gallery", "mean": 0.2, "sd": 0.05}


def _row(**changes: object) -> Row:
    facts: dict[str, object] = {
        "metric": "AbsBias@10", "attribute": "gender", "k": 10, "mean": 0.4, "ci": (0.3, 0.5), "queries": 24, "undefined": 0,
        "direction": "lower", "null": NULL, "excess": 0.2, "excess_ci": (0.1, 0.3), "p": 0.001, "q": 0.002, "unknown_mass": 0.0,
    }  # fmt: skip
    return Row(**(facts | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "plain", "with_sign"),
    [
        (0.1234, "0.123", "+0.123"),
        (-0.1234, "-0.123", "-0.123"),
        (-0.0001, "0.000", "0.000"),
        (0.0, "0.000", "0.000"),
        (1234.5, "1,234", "+1,234"),
        (-1234.5, "-1,234", "-1,234"),
        (math.inf, "∞", "+∞"),
        (-math.inf, "-∞", "-∞"),
        (math.nan, "–", "–"),
        (None, "–", "–"),
    ],
)
def test_numbers_for_people(value, plain, with_sign):
    assert number(value) == plain
    assert signed(value) == with_sign


def test_other_figures_for_people():
    assert bounds((0.1, 0.25)) == "[0.100, 0.250]"
    assert bounds((math.nan, 0.2)) == bounds(None) == "–"
    assert [probability(p) for p in (0.0002, 0.001, 0.5, math.nan, None)] == [
        "<.001",
        "0.001",
        "0.500",
        "–",
        "–",
    ]
    assert [percent(s) for s in (0.0, 0.046, 1.0, math.nan)] == ["0 %", "5 %", "100 %", "–"]
    assert [counted(n, "query") for n in (0, 1, 2000)] == ["0 queries", "1 query", "2,000 queries"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "worse than chance"),
        ({"q": 0.2}, "at chance"),
        ({"q": math.nan}, "at chance"),
        ({"q": 1.0, "excess": -0.1, "excess_ci": (-0.2, -0.05)}, "closer than chance"),
        ({"q": 1.0, "excess": -0.1, "excess_ci": (-0.2, -0.05), "queries": 3}, "at chance"),
        (
            {"q": 1.0, "excess": -0.1, "excess_ci": (-0.2, -0.05), "unknown_mass": 0.8},
            "mostly unknown",
        ),
        ({"unknown_mass": 0.8}, "worse than chance"),
        (
            {"direction": "higher", "q": 1.0, "excess": 0.1, "excess_ci": (0.05, 0.2)},
            "closer than chance",
        ),
        (
            {"direction": "higher", "q": 1.0, "excess": -0.1, "excess_ci": (-0.2, -0.05)},
            "at chance",
        ),
        ({"direction": "either"}, "above chance"),
        ({"direction": "either", "excess": -0.2}, "below chance"),
        ({"direction": "either", "q": 0.5, "excess_ci": (-0.2, -0.05)}, "at chance"),
        ({"null": NULL | {"degenerate": True}, "p": math.nan, "q": math.nan}, "no chance level"),
        ({"mean": math.nan, "q": math.nan}, "undefined"),
    ],
)
def test_reading_says_no_more_than_the_row(changes, words):
    reads = reading(_row(**changes))
    assert reads is not None
    assert reads.words == words


def test_reading_of_relevance_is_none():
    assert reading(_row(attribute=None, null=None)) is None


def _values(found: int, queries: int = 24, **changes: object) -> PerQuery:
    q = np.where(np.arange(queries) < found, 0.01, 0.5)
    facts: dict[str, object] = {"metric": "AbsBias@10", "attribute": "gender"}
    return PerQuery(
        value=np.full(queries, 0.4),
        null_mean=np.full(queries, 0.2),
        p=q,
        q=q,
        unknown_mass=q * 0,
        **(facts | changes),
    )  # type: ignore[arg-type]


def _result(*rows: Row, found: int = 5, **rest: object) -> ScoreResult:
    return ScoreResult(rows, (_values(found),), tuple(f"q{i}" for i in range(24)), **rest)  # type: ignore[arg-type]


def test_headline_counts_the_queries_that_stand_out():
    expected = "AbsBias@10 on gender is 0.400 where chance gives 0.200: worse than chance in 5 of 24 queries."
    assert headline(_result(_row())) == expected


def test_headline_without_a_query_that_stands_out_says_so():
    assert "over 24 queries together, though no single query stands out" in headline(
        _result(_row(), found=0)
    )


def test_headline_of_one_query_gives_q():
    one = ScoreResult((_row(queries=1, q=0.0001),), (_values(1, 1),), ("q",))
    assert headline(one).endswith("worse than chance (q < .001).")


def test_headline_takes_the_row_furthest_from_chance():
    strong = _row(metric="TV@10", excess=0.4)
    assert headline(_result(_row(), strong)).startswith("TV@10")
    quiet = _row(metric="JS@10", excess=0.9, q=0.4)
    assert headline(_result(_row(), quiet)).startswith("AbsBias@10")


def test_headline_of_a_signed_metric_does_not_call_it_worse():
    text = headline(_result(_row(direction="either", excess=-0.2)))
    assert "below chance over all, and 5 of 24 queries differ from it" in text


def test_headline_where_nothing_is_seen_does_not_promise_absence():
    text = headline(_result(_row(q=0.4, excess=0.01, excess_ci=(-0.05, 0.07)), found=0))
    assert text.startswith(
        "Nothing measured on gender is worse than chance over 24 queries, but an excess of 0.070"
    )
    assert text.endswith("(AbsBias@10 on gender) cannot be ruled out.")


def test_headline_where_everything_is_closer_says_so():
    text = headline(_result(_row(q=1.0, excess=-0.1, excess_ci=(-0.2, -0.05)), found=0))
    assert text == "Every measure on gender is closer to its ideal than chance, over 24 queries."


def test_headline_without_a_chance_level_says_nothing_else():
    assert "No chance level could be taken for gender" in headline(
        _result(_row(null=NULL | {"degenerate": True}, q=math.nan, p=math.nan))
    )


def test_headline_names_at_most_a_few_attributes():
    rows = [_row(attribute=a, q=0.4) for a in ("a", "b", "c", "d", "e")]
    assert "a, b, c and 2 more" in headline(_result(*rows, found=0))


def test_headline_of_relevance_alone():
    text = headline(ScoreResult((_row(metric="nDCG@10", attribute=None, null=None),), (), ("q",)))
    assert text == "nDCG@10 is 0.400 [0.300, 0.500]."


def _pair(**changes: object) -> PairedRow:
    facts: dict[str, object] = {
        "metric": "AbsBias@10", "attribute": "gender", "k": 10, "first": 0.1, "second": 0.4, "difference": -0.3, "ci": (-0.4, -0.2),
        "p": 0.001, "queries": 24, "direction": "lower",
    }  # fmt: skip
    return PairedRow(**(facts | changes))  # type: ignore[arg-type]


def test_change_tells_what_variants_do_to_groups_and_to_relevance():
    pairs = (
        _pair(variant="pbm"),
        _pair(variant="detgreedy", first=0.2),
        _pair(metric="nDCG@10", attribute=None, first=0.8, second=0.9, variant="pbm"),
    )
    text = change(_result(_row(variant="plain"), paired=pairs))
    assert (
        text
        == "AbsBias@10 on gender goes from 0.400 to 0.100 by pbm and 0.200 by detgreedy. nDCG@10 goes from 0.900 to 0.800 by pbm."
    )


def test_change_against_a_second_run_has_its_interval():
    text = change(_result(_row(), paired=(_pair(),)))
    assert (
        text == "Against the second run, AbsBias@10 on gender differs by -0.300 [-0.400, -0.200]."
    )
    assert change(_result(_row())) == ""


def test_notes_are_told_once_with_all_they_are_said_of():
    rows = [_row(attribute=a, notes=("few",)) for a in ("a", "b", "c", "d", "e", "a")]
    assert notes_of(rows) == {
        "few": "AbsBias@10 · a, AbsBias@10 · b, AbsBias@10 · c, AbsBias@10 · d and 1 more"
    }
    assert notes_of([_pair(notes=("few",))]) == {"few": "difference of AbsBias@10 · gender"}
