"""What rerankers share: hard groups from soft labels, queues, streams, slices."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.protocols import registry
from fairlead.rerankers import queues as shared
from fairlead.rerankers.bounds import deadlines, releases, violations
from fairlead.rerankers.merge import dense
from fairlead.rerankers.queues import hard_codes, queue_up
from fairlead.rerankers.streams import integers, stream_keys, uniforms
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target


def soft(shares: list[list[float]], absent: list[bool] | None = None) -> Evidence:
    groups = Groups(
        "x",
        ("a", "b", "c"),
        soft=np.array(shares),
        not_applicable=None if absent is None else np.array(absent),
    )
    target = Target("uniform", np.full((1, 3), 1 / 3))
    return Evidence(Ranking.of([range(len(shares))]), ("q",), {"x": Labelled(groups, target)})


def test_soft_labels_act_through_the_most_probable_group() -> None:
    shares = [
        [0.2, 0.5, 0.3],
        [0.4, 0.4, 0.2],
        [0.3, 0.1, 0.1],
        [0.5, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 1],
    ]
    evidence = soft(shares, [False] * 5 + [True, False])
    assert hard_codes(evidence).tolist() == [1, 0, -1, 0, -1, -1, 2]


def test_soft_labels_give_the_same_order_as_their_hard_groups() -> None:
    rng = np.random.default_rng(0)
    evidence = soft(rng.dirichlet(np.ones(4), 50)[:, 1:].tolist())
    codes = hard_codes(evidence)
    hard = Labelled(Groups("x", ("a", "b", "c"), codes=codes), evidence.attribute.target)
    for name in registry.entries("reranker"):
        reranker = registry.make("reranker", name)
        if getattr(
            reranker, "reads_shares", False
        ):  # it counts expected members, which soft labels are for
            continue
        twin = Evidence(evidence.ranking, evidence.queries, {"x": hard})
        assert reranker(evidence, 30, 3).rows.tolist() == reranker(twin, 30, 3).rows.tolist()


def test_queues_hold_each_group_best_first_with_unknown_last() -> None:
    labels = np.array([1, 0, -1, 1, 0, -2, 0])
    groups = Groups("x", ("a", "b"), codes=labels)
    evidence = Evidence(
        Ranking.of([[0, 1, 2, 3], [], [4, 5, 6]]),
        ("1", "2", "3"),
        {"x": Labelled(groups, Target("u", np.full((1, 2), 0.5)))},
    )
    queues = queue_up(evidence)
    end = shared.END
    assert queues.heads(2).tolist() == [
        [[1, end], [0, 3]],
        [[end, end], [end, end]],
        [[4, 6], [end, end]],
    ]
    assert queues.unknown(2).tolist() == [[2, end], [end, end], [5, end]]


def test_streams_do_not_depend_on_the_batch_and_separate_all_parts() -> None:
    keys = stream_keys(3, "pbm", ["a", "b", "é"])
    assert stream_keys(3, "pbm", ["b"])[0] == keys[1]
    assert (uniforms(keys, 10)[:, :4] == uniforms(keys, 4)).all()
    others = [
        stream_keys(4, "pbm", ["a"])[0],
        stream_keys(3, "pbm2", ["a"])[0],
        stream_keys(3, "pb", ["m|a"])[0],
        *keys,
    ]
    assert len({int(k) for k in others}) == len(others)


def test_streams_are_pinned_for_ever() -> None:
    assert uniforms(np.array([0], np.uint64), 2)[0].tolist() == [
        0.8833108082136426,
        0.43152799704850997,
    ]  # splitmix64 of seed 0


def test_streams_are_uniform_and_uncorrelated() -> None:
    draws = uniforms(stream_keys(0, "x", [f"q{i}" for i in range(500)]), 200)
    counts = np.bincount(integers(draws.ravel(), np.array(50)), minlength=50)
    assert ((counts - 2000) ** 2 / 2000).sum() < 49 + 5 * np.sqrt(98)
    for a, b in ((draws[:, :-1], draws[:, 1:]), (draws[:-1], draws[1:])):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 5 / np.sqrt(a.size)
    assert draws.min() >= 0
    assert draws.max() < 1


def test_deadlines_and_releases_are_the_first_steps_of_floor_and_ceiling() -> None:
    for share in (0.1, 0.3, 1 / 3, 0.7, 1.0, 0.123):
        n = np.arange(1, 400)
        low, high = np.floor(n * share + 1e-9), np.ceil(n * share - 1e-9)
        for j in range(30):
            assert deadlines(np.array([share]), 30)[0, j] == n[low > j][0]
            assert releases(np.array([share]), 30)[0, j] == n[high > j][0]
    assert np.isinf(deadlines(np.array([0.0]), 3)).all()
    assert np.isinf(releases(np.array([0.0]), 3)).all()


def test_dense_priorities_keep_floating_ties_and_put_infinity_last() -> None:
    values = np.array([[[0.1 + 0.2, 1.0, np.inf], [0.3, 0.5, np.inf]]])
    assert dense(values).tolist() == [[[0, 2, 3], [0, 1, 3]]]


def test_violations_count_labelled_items_and_skip_queries_without_target() -> None:
    groups = Groups("x", ("a", "b"), codes=np.array([0, -1, 0, 1, 0, 0, 0]))
    target = Target("given", np.array([[0.5, 0.5], [np.nan, np.nan]]))
    evidence = Evidence(
        Ranking.of([[0, 1, 2, 3], [4, 5, 6]]), ("1", "2"), {"x": Labelled(groups, target)}
    )
    assert [v.tolist() for v in violations(evidence)] == [[3], []]
    assert [v.tolist() for v in violations(evidence, 2)] == [[], []]


@pytest.mark.parametrize("name", sorted(registry.entries("reranker")))
def test_slices_of_a_batch_give_the_same_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    groups = Groups("x", ("a", "b", "c"), codes=rng.integers(-1, 3, 400))
    target = Target("given", rng.dirichlet(np.ones(3), 60))
    rows = [rng.permutation(400)[: rng.integers(0, 40)] for _ in range(60)]
    evidence = Evidence(
        Ranking.of(rows), tuple(map(str, range(60))), {"x": Labelled(groups, target)}
    )
    reranker = registry.make("reranker", name)
    whole = reranker(evidence, 20, 0)
    monkeypatch.setattr(shared, "_CELLS", 2000)
    sliced = reranker(evidence, 20, 0)
    assert (whole.rows == sliced.rows).all()
    assert (whole.offsets == sliced.offsets).all()
