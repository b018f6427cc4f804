"""Evidence: narrowing, reordering and slicing never change what is said of an entry."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fairlead.types.evidence
from fairlead.errors import DataError, UsageError
from fairlead.protocols.registry import make
from fairlead.statistics.targets import uniform
from fairlead.testing.worlds import small_evidence
from fairlead.types import Groups, Ranking, Relevant, Sets
from fairlead.types.evidence import Evidence, Labelled, Target

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
many = settings(max_examples=1_000 if FULL else 60, deadline=None, derandomize=not FULL)
seeds = st.integers(0, 2**32 - 1)


def told(evidence: Evidence) -> dict[str, list]:
    """All that the evidence says, as plain values per query: (row, score, shares, unknown, gain) in
    order, target, relevant, pool.
    """
    labels, ranking = evidence.labels, evidence.ranking
    found = {}
    for q, name in enumerate(evidence.queries):
        entries = range(ranking.offsets[q], ranking.offsets[q + 1])
        rows = [
            (
                int(ranking.rows[e]),
                float(ranking.scores[e]),
                labels.share[e].tolist(),
                float(labels.unknown[e]),
                float(evidence.gains[e]),
            )
            for e in entries
        ]
        target = evidence.attribute.target.rows(np.array([q]))[0].round(12).tolist()
        relevant = [] if evidence.relevant is None else sorted(evidence.relevant.of(q).tolist())
        pool = None if evidence.pool is None else sorted(evidence.pool.of(q).tolist())
        found[name] = [rows, str(target), relevant, pool]
    return found


@many
@given(seed=seeds, data=st.data())
def test_select_keeps_what_is_said_of_each_query(seed, data):
    evidence = small_evidence(seed)
    chosen = data.draw(st.lists(st.integers(0, len(evidence) - 1), unique=True, max_size=5))
    part = evidence.select(np.array(chosen, np.int64))
    whole = told(evidence)
    assert part.queries == tuple(evidence.queries[q] for q in chosen)
    assert told(part) == {name: whole[name] for name in part.queries}


@many
@given(seed=seeds)
@example(seed=2781)
def test_only_keeps_the_chosen_entries_in_their_order(seed):
    evidence = small_evidence(seed)
    keep = np.random.default_rng(seed).random(len(evidence.ranking.rows)) < 0.5
    whole, part = told(evidence), told(evidence.only(keep))
    for q, name in enumerate(evidence.queries):
        chosen = keep[evidence.ranking.offsets[q] : evidence.ranking.offsets[q + 1]]
        assert part[name][0] == [
            row for row, kept in zip(whole[name][0], chosen, strict=True) if kept
        ]
        assert part[name][1:] == whole[name][1:]


@many
@given(seed=seeds)
def test_with_ranking_takes_labels_along_to_the_new_order(seed):
    evidence = small_evidence(seed)
    rng = np.random.default_rng(seed)
    ranking = evidence.ranking
    entries = [
        rng.permutation(np.arange(ranking.offsets[q], ranking.offsets[q + 1]))[:4]
        for q in range(len(evidence))
    ]
    sizes = np.array([len(e) for e in entries])
    again = evidence.with_ranking(ranking.take(np.concatenate(entries), sizes))
    before, after = told(evidence), told(again)
    for name in evidence.queries:
        by_row = {row[0]: row for row in before[name][0]}
        assert all(row == by_row[row[0]] for row in after[name][0])


def test_with_ranking_of_items_that_were_no_candidates_is_refused_where_labels_depend_on_the_query():
    groups = Groups.of("a", ["x", "y"])
    evidence = Evidence(
        Ranking.of([[0, 1]]), ("q",), {"a": Labelled(groups, uniform(groups), aligned=True)}
    )
    with pytest.raises(DataError, match="no candidates"):
        evidence.with_ranking(Ranking.of([[0, 2]]))


def gathered(evidence: Evidence, k: int | None) -> dict[int, tuple]:
    """Per query: the lists that slices give, without their padding."""
    found = {}
    for lists in evidence.lists(k):
        for i, q in enumerate(lists.queries):
            size = int(lists.lengths[i])
            assert not lists.share[i, size:].any(), "padding has no share"
            found[int(q)] = (
                size,
                lists.share[i, :size].tolist(),
                str(lists.target[i].tolist()),
                lists.names,
            )
    return found


@many
@given(seed=seeds, k=st.none() | st.integers(1, 20), cells=st.sampled_from([1, 2, 7, 40]))
def test_slices_of_any_size_say_the_same(seed, k, cells):
    evidence = small_evidence(seed)
    whole = gathered(evidence, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fairlead.types.evidence, "_SLICE_CELLS", cells)
        slices = list(evidence.lists(k))
        parts = gathered(evidence, k)
    assert parts == whole
    assert sorted(whole) == list(range(len(evidence)))
    wide = 1 if evidence.labels.hard else len(evidence.labels.names)
    assert all(
        len(s.queries) * max(s.width, 1) * wide <= cells or len(s.queries) == 1 for s in slices
    )
    for q, (size, shares, _, _) in whole.items():
        start = evidence.ranking.offsets[q]
        assert size == min(k or 10**9, int(evidence.ranking.lengths[q]))
        assert shares == evidence.labels.share[start : start + size].tolist()


@pytest.mark.parametrize(
    "spec",
    [
        "NDKL",
        "NDKL(over=relevant)@3",
        "PrefixKL@5",
        "AbsBias@3",
        "InfeasibleIndex",
        "AWRF",
        "MinSkew@2",
    ],
)
@settings(max_examples=200 if FULL else 15, deadline=None, derandomize=not FULL)
@given(seed=seeds)
def test_metric_over_tiny_slices_is_the_same(spec, seed):
    evidence, metric = small_evidence(seed), make("metric", spec)
    whole = np.stack(metric(evidence))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fairlead.types.evidence, "_SLICE_CELLS", 5)
        np.testing.assert_allclose(np.stack(metric(evidence)), whole, rtol=1e-12, atol=1e-12)


@many
@given(seed=seeds)
def test_totals_of_lists_are_sums_of_shares(seed):
    for lists in small_evidence(seed).lists():
        weights = np.linspace(1, 0.1, lists.width)
        np.testing.assert_allclose(lists.totals(), lists.share.sum(1), atol=1e-12)
        np.testing.assert_allclose(
            lists.totals(weights), (lists.share * weights[:, None]).sum(1), atol=1e-12
        )


def test_evidence_without_queries_or_entries_works():
    groups = Groups.of("a", [], names=("x", "y"))
    none = Evidence(Ranking.of([]), (), {"a": Labelled(groups, uniform(groups))}, Relevant([0], []))
    empty = Evidence(
        Ranking.of([[], []]),
        ("q", "r"),
        {"a": Labelled(groups, uniform(groups))},
        Relevant([0, 0, 0], []),
    )
    assert list(none.lists()) == [] and len(none.only(np.zeros(0, bool))) == 0
    assert [s.width for s in empty.lists()] == [0]
    for spec in ("NDKL", "NDKL(over=relevant)", "PrefixKL", "AbsBias", "nDCG"):
        assert make("metric", spec)(none)[0].shape == (0,)
        assert np.isnan(make("metric", spec)(empty)[0]).all()


def test_evidence_on_an_unknown_attribute_offers_the_nearest():
    groups = Groups.of("gender", ["f"])
    evidence = Evidence(
        Ranking.of([[0]]),
        ("q",),
        {"gender": Labelled(groups, uniform(groups)), "skin": Labelled(groups, uniform(groups))},
    )
    with pytest.raises(UsageError, match="Did you mean gender"):
        evidence.on("gendr")
    with pytest.raises(DataError, match="evidence on one attribute, got 2"):
        _ = evidence.labels
    assert evidence.on("gender").labels.names == ("f",)


def test_selected_queries_keep_their_own_background():
    groups = Groups.of("a", ["x", "y", "x"])
    evidence = Evidence(
        Ranking.of([[0], [1, 2]]),
        ("q", "r"),
        {"a": Labelled(groups, uniform(groups))},
        background=np.array([0.1, 0.2]),
    )
    assert (
        evidence.select(np.array([1])).background.tolist() == [0.2]
        and evidence.only(np.ones(3, bool)).background is evidence.background
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queries": ("q",)}, "1 query ids for a ranking of 2"),
        ({"relevant": Relevant([0, 1], [0])}, "judgements of 1 queries"),
        ({"pool": Sets([0, 1, 1, 1], [0])}, "Pools of 3 queries"),
        ({"background": np.zeros(3)}, "Background scores of 3 queries"),
        ({"ranking": Ranking.of([[0, 9], [1]])}, "labels 3 items, but the ranking holds row 9"),
    ],
)
def test_evidence_whose_parts_do_not_fit_is_refused(changes, message):
    groups = Groups.of("a", ["x", "y", "x"])
    evidence = Evidence(
        Ranking.of([[0], [1, 2]]), ("q", "r"), {"a": Labelled(groups, uniform(groups))}
    )
    with pytest.raises(DataError, match=message):
        replace(evidence, **changes)


@pytest.mark.parametrize(
    ("labelled", "message"),
    [
        (
            Labelled(Groups.of("a", ["x", "y"]), Target("t", np.ones((3, 2)) / 2)),
            "3 rows for 2 queries",
        ),
        (
            Labelled(
                Groups.of("a", ["x", "y", "x"]), Target("t", np.ones((1, 2)) / 2), aligned=True
            ),
            "labels 3 entries, the ranking has 2",
        ),
    ],
)
def test_evidence_whose_labels_or_target_do_not_fit_is_refused(labelled, message):
    with pytest.raises(DataError, match=message):
        Evidence(Ranking.of([[0], [1]]), ("q", "r"), {"a": labelled})


def test_labels_with_a_target_of_other_groups_are_refused():
    groups = Groups.of("a", ["x", "y"])
    with pytest.raises(DataError, match="3 shares for 2 groups"):
        Labelled(groups, Target("t", np.ones((1, 3)) / 3))
    with pytest.raises(DataError, match="The target t is of x, z, the labels are of x, y"):
        Labelled(groups, Target("t", np.array([[0.4, 0.6]]), ("x", "z")))


def test_labels_in_any_order_of_groups_are_the_same_labels():
    one = Labelled(
        Groups("a", ("y", "x"), codes=np.array([0, 1, -1, -2])), Target("t", np.array([[0.3, 0.7]]))
    )
    other = Labelled(
        Groups("a", ("x", "y"), codes=np.array([1, 0, -1, -2])), Target("t", np.array([[0.7, 0.3]]))
    )
    assert one.groups.names == other.groups.names == other.target.groups == ("x", "y")
    assert one.groups.codes.tolist() == other.groups.codes.tolist() == [1, 0, -1, -2]
    assert one.target.shares.tolist() == other.target.shares.tolist() == [[0.7, 0.3]]


def test_labels_put_beside_the_target_of_others_are_joined_by_name():
    target = Labelled(Groups.of("a", ["x", "y"]), Target("t", np.array([[0.3, 0.7]]))).target
    soft = Groups("a", ("y", "x"), soft=np.array([[0.9, 0.1]]))
    joined = Labelled(soft, target)
    assert joined.groups.share.tolist() == [[0.1, 0.9]]
    assert joined.target.shares.tolist() == [[0.3, 0.7]]


def test_gains_without_judgements_are_refused_and_say_what_to_do():
    with pytest.raises(DataError, match="--qrels"):
        _ = Evidence(Ranking.of([[0]]), ("q",)).gains


@pytest.mark.parametrize("shares", [[0.5, 0.6], [-0.1, 1.1], [np.nan, 1.0], [np.inf, 0.0]])
def test_target_that_is_no_distribution_is_refused(shares):
    with pytest.raises(DataError, match="sum to 1"):
        Target("given", np.array(shares))


def test_target_without_any_value_is_undefined_and_cannot_be_written_to():
    target = Target("relevant", np.array([[np.nan, np.nan], [0.25, 0.75]]))
    assert np.isnan(target.rows(np.array([0]))).all()
    with pytest.raises(ValueError, match="read-only"):
        target.shares[0] = 1
