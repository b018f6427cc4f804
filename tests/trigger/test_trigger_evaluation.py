"""The bars: precision of leaving alone on the half that the rules never saw, recall beside it, and
the labelled queries themselves.
"""

from __future__ import annotations

import collections
import csv
import math
from pathlib import Path

import pytest

from fairlead.commands.trigger import evaluated
from fairlead.errors import UsageError
from fairlead.trigger import ATTRIBUTES, Trigger
from fairlead.trigger.evaluation import KINDS, Share, evaluate, labelled
from fairlead.trigger.lexicon import lexicon
from fairlead.trigger.tokens import tokens


@pytest.fixture(scope="module")
def test_half():
    return evaluated(half="test")


def _said(share: Share) -> str:
    low, high = share.interval
    return f"{share.value:.3f} [{low:.3f}, {high:.3f}] of {share.of}"


@pytest.mark.parametrize("part", ["both", "first", "second"])
def test_leave_is_precise_on_explicit_and_named_queries_of_the_test_half(test_half, part, bar):
    found = test_half.parts[part].bar
    bar(
        f"trigger: precision of leave, explicit and named, {part}",
        _said(found.precision),
        ">= 0.97",
    )
    bar(f"trigger: recall of leave, explicit and named, {part}", _said(found.recall), "printed")
    assert found.precision.value >= 0.97


def test_never_silent_and_thousands_a_second(test_half, bar):
    bar("trigger: queries a second", f"{test_half.per_second:,.0f}", "thousands, printed")
    for attribute in ATTRIBUTES:
        told = Trigger()([c.query for c in labelled()], attribute)
        assert all(
            d.decision in ("diversify", "leave", "unsure") and d.reason and d.rule for d in told
        )


def test_labelled_queries_are_many_kinds_and_languages_in_fixed_halves():
    cases = labelled()
    assert len(cases) >= 400 and len({c.query.casefold() for c in cases}) == len(cases)
    counted = collections.Counter(c.kind for c in cases)
    assert all(counted[kind] >= 60 for kind in KINDS) and set(counted) == set(KINDS)
    spoken = collections.Counter(c.language for c in cases)
    assert sum(n >= 50 for n in spoken.values()) >= 5
    halves = [labelled("development"), labelled("test")]
    assert sorted(map(repr, sum(halves, ()))) == sorted(map(repr, cases))
    assert all(len(half) > 0.45 * len(cases) for half in halves)
    assert {c.query: c.half for c in cases}[
        "female CEO"
    ] == "development"  # by a hash: it may never change


def test_labels_of_a_kind_are_of_that_kind():
    for case in labelled():
        wanted = set(dict(case.wanted).values())
        assert case.kind not in ("named", "historical", "non-person") or wanted == {"leave"}, case
        assert case.kind != "neutral" or wanted == {"diversify"}, case
        assert case.kind != "explicit" or "leave" in wanted, case
        assert case.kind != "ambiguous" or "unsure" in wanted, case


def test_most_queries_are_no_copies_of_a_bank():
    known = lexicon()
    copies = [
        c
        for c in labelled()
        if tuple(t.text for t in tokens(c.query)) in known.phrases or c.query in known.unspaced
    ]
    assert len(copies) < 0.2 * len(labelled())


def test_evaluation_counts_each_query_once():
    cases = [c for c in labelled("development") if c.query in ("female CEO", "nurse")]
    found = evaluate(Trigger(), cases)
    assert found.queries == len(cases) and found.right.value == 1.0 and not found.wrong
    assert found.bar.precision.of == found.bar.recall.of == sum(c.kind == "explicit" for c in cases)


def test_share_of_nothing_has_no_value():
    assert math.isnan(Share(0, 0).value) and math.isnan(Share(0, 0).interval[0])
    low, high = Share(50, 50).interval
    assert 0.92 < low < 0.94 and high == pytest.approx(1.0)


def test_half_that_is_none_is_told():
    with pytest.raises(UsageError, match=r"'tests'.*test"):
        labelled("tests")  # type: ignore[arg-type]


def test_fresh_queries_stay_right(bar):
    """Seen by the rules, so no measure: likenesses, words in -er, compounds and traditional
    characters, which the two sets hardly hold.
    """
    with (Path(__file__).parent / "fresh.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    told = Trigger()([row["query"] for row in rows])
    left = [
        row["gender"] == "leave"
        for row, d in zip(rows, told, strict=True)
        if d.decision == "leave" and d.family in ("explicit", "named")
    ]
    right = [d.decision == row["gender"] for row, d in zip(rows, told, strict=True)]
    bar(
        "trigger: fresh queries, precision of leave, explicit and named",
        _said(Share(sum(left), len(left))),
        ">= 0.97",
    )
    bar("trigger: fresh queries, decisions right", _said(Share(sum(right), len(right))), ">= 0.96")
    assert sum(left) >= 0.97 * len(left) and sum(right) >= 0.96 * len(right)
    assert {row["query"] for row in rows}.isdisjoint(c.query for c in labelled())
