"""Plans of what to label next: what is promised comes true, and labels bring more certainty than
labels by lot.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.statistics.raters import DawidSkene
from fairlead.statistics.sampling import Known, _expected, choose
from fairlead.types import Ranking
from fairlead.types.answers import Answers, Task

PLANS = ("interval", "top", "disputed", "random")


def _nothing(items, values=3):
    return Known(np.zeros((items, values)), np.zeros(items, np.int64), np.zeros(items), 0.85)


@st.composite
def situations(draw):
    items = draw(st.integers(1, 15))
    lists = draw(
        st.lists(
            st.lists(st.integers(0, items - 1), unique=True, max_size=items), min_size=1, max_size=4
        )
    )
    given = np.array(draw(st.lists(st.integers(0, 4), min_size=items, max_size=items)))
    raw = np.array(
        draw(
            st.lists(
                st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=items, max_size=items
            )
        )
    )
    share = raw / np.maximum(raw.sum(1, keepdims=True), 1) * (given > 0)[:, None]
    return Ranking.of(lists), Known(share, given, np.zeros(items), draw(st.floats(0.5, 0.99)))


@given(situations(), st.sampled_from(PLANS), st.none() | st.integers(0, 20), st.integers(1, 4))
def test_plan_keeps_the_budget_and_asks_for_each_item_once(situation, by, budget, raters):
    lists, known = situation
    found = choose(lists, known, raters=raters, budget=budget, by=by, rng=np.random.default_rng(0))
    assert len(set(found.rows.tolist())) == len(found.rows)
    assert set(found.rows.tolist()) <= set(lists.rows.tolist())
    assert budget is None or found.labels.sum() <= budget
    assert (found.labels == np.maximum(raters - known.given[found.rows], 1)).all()
    assert (found.after <= found.before + 1e-9).all()
    again = choose(lists, known, raters=raters, budget=budget, by=by, rng=np.random.default_rng(0))
    assert found.rows.tolist() == again.rows.tolist()


@pytest.mark.parametrize("by", PLANS)
def test_plan_without_a_budget_asks_for_all_that_is_missing(by):
    lists = Ranking.of([[0, 1, 2], [2, 3], [5]])
    known = _nothing(6)
    known.given[3] = 3
    known.share[3] = (0.98, 0.02, 0)
    found = choose(lists, known, raters=3, budget=None, by=by, rng=np.random.default_rng(0))
    assert sorted(found.rows.tolist()) == [0, 1, 2, 5]


def test_plan_spreads_first_labels_over_the_queries():
    lists = Ranking.of([list(range(10 * q, 10 * q + 10)) for q in range(8)])
    found = choose(
        lists, _nothing(80), raters=1, budget=24, by="interval", rng=np.random.default_rng(0)
    )
    assert np.bincount(found.rows // 10).tolist() == [3] * 8


def test_plan_goes_where_groups_are_mixed_and_raters_differ():
    lists = Ranking.of([list(range(10 * q, 10 * q + 10)) for q in range(2)])
    known = _nothing(20)
    known.given[:5], known.given[10:15] = 3, 3
    known.share[:5] = (0.99, 0.01, 0)
    known.share[10:15] = (0.5, 0.5, 0)
    mixed = choose(lists, known, raters=3, budget=9, by="interval", rng=np.random.default_rng(0))
    assert (mixed.rows >= 10).all()
    assert (
        choose(
            lists, known, raters=3, budget=5, by="disputed", rng=np.random.default_rng(0)
        ).rows.min()
        >= 10
    )


def test_plan_top_takes_the_best_rank_an_item_has_anywhere():
    lists = Ranking.of([[0, 1, 2], [3, 2, 4]])
    found = choose(lists, _nothing(5), raters=1, budget=4, by="top", rng=np.random.default_rng(0))
    assert set(found.rows[:2].tolist()) == {0, 3}
    assert set(found.rows[2:].tolist()) == {1, 2}


def test_plan_item_that_many_lists_share_narrows_all_of_them():
    lists = Ranking.of([[0, 1], [0, 2], [0, 3]])
    found = choose(
        lists, _nothing(4), raters=1, budget=1, by="interval", rng=np.random.default_rng(0)
    )
    assert (found.after < found.before).sum() == (3 if found.rows.tolist() == [0] else 1)


def test_plan_of_no_items_is_empty():
    found = choose(
        Ranking.of([[]]),
        _nothing(0),
        raters=3,
        budget=None,
        by="interval",
        rng=np.random.default_rng(0),
    )
    assert (len(found.rows), found.before.tolist()) == (0, [0.0])


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(any),
    st.integers(5, 9),
    st.integers(0, 3),
)
def test_expected_variance_is_that_of_all_answers_there_can_be(weights, tenths, answers):
    groups, right = len(weights), Fraction(tenths, 10)
    prior = [Fraction(w, sum(weights)) for w in weights]
    wrong = (1 - right) / (groups - 1)
    exact = [Fraction(0)] * groups
    for said in itertools.product(range(groups), repeat=answers):
        joint = [
            p * math.prod((right if s == g else wrong for s in said), start=Fraction(1))
            for g, p in enumerate(prior)
        ]
        heard = sum(joint, Fraction(0))
        for g in range(groups):
            exact[g] += joint[g] * (1 - joint[g] / heard) if heard else 0
    found = _expected(np.array([[float(p) for p in prior]]), float(right), answers)[0]
    assert found == pytest.approx([float(e) for e in exact], abs=1e-12)


# In simulation


def _world(rng, queries=12, k=30):
    """Lists of other shares each, some of them mixed, most of them not; raters who err."""
    shares = rng.choice([0.02, 0.05, 0.1, 0.5, 0.6], size=queries)
    truth = (rng.random((queries, k)) < shares[:, None]).astype(np.int64).reshape(-1)
    return (
        Ranking.of(np.arange(queries * k).reshape(queries, k).tolist()),
        truth,
        rng.uniform(0.85, 0.97, 10),
    )


def _label(rng, truth, right, chosen, labels, so_far):
    """Answers to what a plan chose, added to those there are."""
    item = np.repeat(chosen, labels)
    rater = (
        np.concatenate([rng.choice(len(right), n, replace=False) for n in labels])
        if len(labels)
        else np.empty(0, np.int64)
    )
    value = np.where(rng.random(len(item)) < right[rater], truth[item], 1 - truth[item])
    return [np.concatenate([a, b]) for a, b in zip(so_far, (item, rater, value), strict=True)]


def _errors(seed, by, rounds=4, budget=120):
    rng = np.random.default_rng(seed)
    lists, truth, right = _world(rng)
    answers, known = [np.empty(0, np.int64)] * 3, _nothing(len(truth))
    for _ in range(rounds):
        found = choose(lists, known, raters=3, budget=budget, by=by, rng=rng)
        answers = _label(rng, truth, right, found.rows, found.labels, answers)
        panel = Answers(
            Task("g", ("a", "b")),
            tuple(map(str, range(len(truth)))),
            tuple(map(str, range(10))),
            *answers,
        )
        consensus = DawidSkene()(panel)
        known = Known(consensus.share, panel.given, panel.unsure / np.maximum(panel.given, 1), 0.9)
    last = choose(lists, known, raters=3, budget=0, by=by, rng=rng)
    rows = lists.rows.reshape(len(lists), -1)
    seen = known.given[rows] > 0
    guess = (known.share[rows, 1] * seen).sum(1) / np.maximum(seen.sum(1), 1)
    guess = np.where(seen, known.share[rows, 1], guess[:, None]).mean(1)
    return np.abs(guess - truth[rows].mean(1)), last.before


def test_plan_by_interval_leaves_less_error_than_by_lot(count, bar):
    pairs = np.array(
        [
            [_errors([s, 1], by)[0].max() for by in ("interval", "random")]
            for s in range(count(30, 200))
        ]
    )
    gain = pairs[:, 1] - pairs[:, 0]
    plan, lot = pairs.mean(0)
    bar(
        "Plan by interval against by lot, 480 labels: error of the worst query's share",
        f"{plan:.3f} against {lot:.3f}",
        "less (paired)",
    )
    assert gain.mean() - 1.96 * gain.std(ddof=1) / math.sqrt(len(gain)) > 0


def test_interval_that_a_plan_states_holds_the_truth(count, bar):
    found = [_errors([s, 2], "interval") for s in range(count(16, 100))]
    share = float(np.mean([(far <= half + 1e-9).mean() for far, half in found]))
    bar("Plan: stated interval of a query's share covers it", f"{share:.3f}", "> 0.90")
    assert share > 0.90
