"""Targets and what becomes of unknown labels, against slow references in plain Python."""

from __future__ import annotations

import math
import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import DataError, UsageError
from fairlead.metrics.abs_bias import AbsBias
from fairlead.statistics import targets
from fairlead.testing.worlds import small_evidence
from fairlead.types import Groups, Ranking, Relevant, Sets
from fairlead.types.evidence import Evidence, Labelled, Target

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
many = settings(max_examples=1_000 if FULL else 80, deadline=None, derandomize=not FULL)
seeds = st.integers(0, 2**32 - 1)
GENDER = Groups.of("gender", ["f", "f", "m", None, "not-applicable", "m", "m"])


def test_uniform_target_gives_every_group_the_same():
    assert targets.uniform(GENDER).shares.tolist() == [[0.5, 0.5]]
    assert targets.uniform(GENDER).name == "uniform"


def test_pool_target_is_the_known_mix_of_the_pool():
    shared = targets.pool(GENDER, Sets([0, 7], np.arange(7)))
    np.testing.assert_allclose(shared.shares, [[0.4, 0.6]])
    own = targets.pool(GENDER, Sets([0, 3, 5], [0, 2, 3, 5, 6]))
    np.testing.assert_allclose(own.shares, [[0.5, 0.5], [0.0, 1.0]])
    assert own.name == "pool"


def test_relevant_target_is_undefined_without_a_labelled_relevant_item():
    target = targets.relevant(GENDER, Relevant([0, 1, 3, 3], [0, 3, 4]))
    np.testing.assert_array_equal(target.shares, [[1, 0], [np.nan, np.nan], [np.nan, np.nan]])
    assert targets.relevant(GENDER, Relevant([0], [])).shares.shape == (0, 2)


@many
@given(seed=seeds)
def test_pool_and_relevant_targets_follow_a_slow_reference(seed):
    evidence = small_evidence(seed)
    groups, relevant = evidence.attribute.groups, evidence.relevant
    if evidence.attribute.aligned:
        return
    for q, row in enumerate(targets.relevant(groups, relevant).shares):
        mass = [sum(groups.share[i][g] for i in relevant.of(q)) for g in range(len(groups.names))]
        expected = [m / sum(mass) if sum(mass) else math.nan for m in mass]
        np.testing.assert_allclose(row, expected, atol=1e-12)


def test_given_target_of_all_queries_is_one_row():
    target = targets.given(
        GENDER,
        ("a", "b"),
        {("*", "m"): 0.75, ("*", "f"): 0.25, ("elsewhere", "f"): 7.0},
        name="census.csv",
    )
    assert target.shares.tolist() == [[0.25, 0.75]]
    assert target.name == "census.csv"


def test_given_target_of_one_query_wins_over_the_star():
    shares = {("*", "f"): 0.5, ("*", "m"): 0.5, ("b", "f"): 1.0, ("b", "m"): 0.0}
    assert targets.given(GENDER, ("a", "b"), shares, name="t").shares.tolist() == [
        [0.5, 0.5],
        [1, 0],
    ]


@pytest.mark.parametrize(
    ("shares", "error", "message"),
    [
        (
            {("*", "f"): 0.5, ("*", "mal"): 0.5},
            UsageError,
            "no group of 'gender' in the target t called 'mal'",
        ),
        ({("*", "f"): 1.0}, DataError, r"lacks group 'm' of 'gender' for query '\*'"),
        ({("*", "f"): 0.5, ("*", "m"): 0.6}, DataError, "sums to 1.1"),
        ({("*", "f"): -0.5, ("*", "m"): 1.5}, DataError, r"is \[-0.5, 1.5\]"),
        ({("*", "f"): math.nan, ("*", "m"): 1.0}, DataError, "sums to nan"),
        ({("a", "f"): 0.5, ("a", "m"): 0.5}, DataError, r"no shares for query 'b' \(1 missing\)"),
        ({}, DataError, r"no shares for query 'a' \(2 missing\)"),
    ],
)
def test_given_target_that_is_incomplete_is_refused(shares, error, message):
    with pytest.raises(error, match=message):
        targets.given(GENDER, ("a", "b"), shares, name="t")


def test_given_target_of_many_queries_takes_no_quadratic_time():
    queries = tuple(f"q{i}" for i in range(20_000))
    shares = {(q, g): 0.5 for q in queries for g in ("f", "m")}
    start = time.process_time()
    assert targets.given(GENDER, queries, shares, name="t").shares.shape == (20_000, 2)
    assert time.process_time() - start < 20


# Unknown labels


def labelled(evidence: Evidence) -> list[list[float]]:
    return evidence.attribute.groups.share.tolist()


def test_unknown_ignored_is_the_evidence_itself():
    evidence = small_evidence(3)
    assert targets.with_unknown(evidence, "ignore") is evidence


def looked_at(evidence) -> list[int]:
    """The rows whose labels say how common unknown is: of the pool, else of the ranking; every
    entry where labels depend on the query.
    """
    if evidence.attribute.aligned:
        return list(range(len(evidence.attribute.groups)))
    return sorted(set((evidence.ranking if evidence.pool is None else evidence.pool).rows.tolist()))


@many
@given(seed=seeds)
def test_unknown_as_own_group_follows_a_slow_reference(seed):
    evidence = small_evidence(seed)
    before, target = evidence.attribute.groups, evidence.attribute.target.shares
    after = targets.with_unknown(evidence, "own-group").attribute
    gaps = [
        0.0 if na else 1 - sum(row)
        for row, na in zip(before.share.tolist(), before.not_applicable, strict=True)
    ]
    missing, rows = [gap if gap > 1e-9 else 0.0 for gap in gaps], looked_at(evidence)
    if sum(missing[r] for r in rows) == 0:
        assert after.groups is before
        return
    assert after.groups.names == (*before.names, "unknown")
    np.testing.assert_allclose(
        after.groups.share,
        [[*row, m] for row, m in zip(before.share.tolist(), missing, strict=True)],
        atol=1e-12,
    )
    assert after.groups.mass()[1] == pytest.approx(0, abs=1e-9)
    unknown, known = sum(missing[r] for r in rows), sum(sum(before.share[r].tolist()) for r in rows)
    share = unknown / (unknown + known)
    expected = [
        [x * (1 - share) for x in row] + [share if row[0] == row[0] else math.nan]
        for row in target.tolist()
    ]
    np.testing.assert_allclose(after.target.shares, expected, atol=1e-12)


@many
@given(seed=seeds)
def test_unknown_spread_follows_a_slow_reference(seed):
    evidence = small_evidence(seed)
    before = evidence.attribute.groups
    after = targets.with_unknown(evidence, "spread").attribute
    rows = looked_at(evidence)
    if sum(before.unknown[r] for r in rows) == 0:
        assert after.groups is before
        return
    mass = [sum(before.share[r, g] for r in rows) for g in range(len(before.names))]
    total = sum(mass)
    mix = [m / total if total else 1 / len(mass) for m in mass]
    expected = [
        row if na else [x + (1 - sum(row)) * m for x, m in zip(row, mix, strict=True)]
        for row, na in zip(before.share.tolist(), before.not_applicable, strict=True)
    ]
    np.testing.assert_allclose(
        after.groups.share, np.array(expected).reshape(-1, len(before.names)), atol=1e-9
    )
    np.testing.assert_array_equal(after.groups.not_applicable, before.not_applicable)
    assert after.target is evidence.attribute.target


def two_of_each(labels) -> Evidence:
    groups = Groups.of("gender", labels, names=("f", "m"))
    return Evidence(
        Ranking.of([range(len(labels))]),
        ("q",),
        {"gender": Labelled(groups, targets.uniform(groups))},
    )


def test_complete_labels_read_the_same_under_every_policy():
    for policy in ("ignore", "own-group", "spread"):
        evidence = targets.with_unknown(two_of_each(["f", "m", "f", "m"]), policy)
        assert AbsBias()(evidence)[0].tolist() == [0.0]


def test_own_group_survives_a_query_without_a_target():
    groups = Groups.of("gender", ["f", None])
    evidence = Evidence(
        Ranking.of([[0], [1]]),
        ("q", "r"),
        {"g": Labelled(groups, Target("relevant", np.array([[1.0], [np.nan]])))},
    )
    shares = targets.with_unknown(evidence, "own-group").attribute.target.shares
    np.testing.assert_array_equal(shares, [[0.5, 0.5], [np.nan, np.nan]])


def test_own_group_beside_a_group_called_unknown_is_refused():
    groups = Groups.of("gender", ["f", "unknown", None])
    evidence = Evidence(
        Ranking.of([[0, 1, 2]]), ("q",), {"gender": Labelled(groups, targets.uniform(groups))}
    )
    with pytest.raises(DataError, match="a group called 'unknown' and unlabelled items besides"):
        targets.with_unknown(evidence, "own-group")


def test_own_group_applied_twice_is_applied_once():
    once = targets.with_unknown(two_of_each(["f", None, "m"]), "own-group")
    twice = targets.with_unknown(once, "own-group")
    assert twice.attribute.groups.names == ("f", "m", "unknown")
    assert twice.attribute.target.shares.tolist() == once.attribute.target.shares.tolist()


def test_misspelt_policy_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="Did you mean own-group"):
        targets.with_unknown(two_of_each(["f"]), "own_group")  # type: ignore[arg-type]


def test_given_target_of_rounded_shares_is_brought_to_one():
    groups = Groups.of("g", ["a", "b", "c"])
    shares = {("*", "a"): 0.333, ("*", "b"): 0.333, ("*", "c"): 0.333}
    np.testing.assert_allclose(targets.given(groups, (), shares, name="t").shares, [[1 / 3] * 3])
    with pytest.raises(DataError, match=r"sums to 0\.99"):
        targets.given(groups, (), dict.fromkeys(shares, 0.33), name="t")


def test_given_target_in_any_order_is_the_same_target():
    groups = Groups.of("g", ["a", "b", "c"])
    shares = {("*", "c"): 0.5, ("*", "a"): 0.2, ("*", "b"): 0.3}
    moved = groups.in_order(("c", "b", "a"))
    one = Labelled(groups, targets.given(groups, (), shares, name="t"))
    other = Labelled(
        moved, targets.given(moved, (), dict(reversed(list(shares.items()))), name="t")
    )
    assert one.target.shares.tolist() == other.target.shares.tolist() == [[0.2, 0.3, 0.5]]
