"""PBM against a slow reference with the algorithm's own steps; ties, odd k, running out, the
released variant.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from fairlead.errors import UsageError
from fairlead.rerankers.pbm import PBM
from fairlead.rerankers.queues import END
from fairlead.rerankers.rounds import fair_steps, mixed_steps
from fairlead.rerankers.streams import stream_keys, uniforms
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

FULL = os.environ.get("FAIRLEAD_BARS") == "full"


def build(labels: list[int], scores: list[float], groups: int = 2, query: str = "q") -> Evidence:
    names = tuple(f"g{g}" for g in range(groups))
    labelled = Labelled(
        Groups("x", names, codes=np.array(labels)),
        Target("uniform", np.full((1, groups), 1 / groups)),
    )
    return Evidence(Ranking.of([range(len(labels))], [scores]), (query,), {"x": labelled})


def slow(
    pbm: PBM, labels: list[int], scores: list[float], groups: int, k: int, seed: int
) -> list[int]:
    """Algorithm 1 on sets; number g of the stream orders the groups of a short round, number groups
    + step decides on a fair step.
    """
    draws = uniforms(stream_keys(seed, str(pbm), ["q"]), groups + k)[0]
    left = set(range(len(labels)))
    order: list[int] = []
    for step in range(k):
        tops = {
            g: min(i for i in left if labels[i] == g)
            for g in range(groups)
            if any(labels[i] == g for i in left)
        }
        neutral = min((i for i in left if labels[i] < 0), default=None)
        if len(order) >= k or not left:
            break
        if draws[groups + step] >= pbm.theta:
            new = [min(left)]
        else:
            pair = (
                np.mean([float(scores[i]) for i in tops.values()])
                if tops and (pbm.exhausted == "fill" or len(tops) == groups)
                else -np.inf
            )
            if pair > (-np.inf if neutral is None else scores[neutral]):
                room = k - len(order)
                new = sorted(tops[g] for g in sorted(tops, key=lambda g: draws[g])[:room])
            elif neutral is not None:
                new = [neutral]
            else:
                break
        order += new
        left -= set(new)
    return order


@pytest.mark.parametrize("theta", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("exhausted", ["fill", "stop"])
def test_equals_the_slow_reference(theta: float, exhausted: str) -> None:
    pbm = PBM(theta=theta, exhausted=exhausted)  # type: ignore[arg-type]
    for seed in range(2000 if FULL else 150):
        rng = np.random.default_rng(seed)
        groups, size = int(rng.integers(1, 6)), int(rng.integers(0, 25))
        labels = rng.choice(
            np.arange(-2, groups), size, p=rng.dirichlet(np.ones(groups + 2))
        ).tolist()
        scores = np.sort(rng.integers(0, 9, size) / 4)[::-1].tolist()
        k = int(rng.integers(1, 28))
        assert pbm(build(labels, scores, groups), k, seed).rows.tolist() == slow(
            pbm, labels, scores, groups, k, seed
        )


def literal(labels: list[int], scores: list[float], k: int) -> list[int]:
    """Algorithm 1 as printed, for two groups: the list is as long as the last step makes it."""
    left, shown = list(range(len(labels))), list[int]()
    while len(shown) < k:
        tops = [next((i for i in left if labels[i] == g), None) for g in (0, 1)]
        neutral = next((i for i in left if labels[i] < 0), None)
        if None not in tops and (
            neutral is None or (scores[tops[0]] + scores[tops[1]]) / 2 > scores[neutral]
        ):
            step = sorted(tops)
        elif neutral is not None:
            step = [neutral]
        else:
            break
        shown += step
        left = [i for i in left if i not in step]
    return shown


def drawn(seed: int) -> tuple[list[int], list[float]]:
    rng = np.random.default_rng(seed)
    labels = rng.choice([-2, -1, 0, 1], 60, p=[0.2, 0.1, 0.3, 0.4]).tolist()
    return labels, np.sort(rng.integers(0, 30, 60) / 4)[::-1].tolist()


@pytest.mark.parametrize("k", [1, 10, 11, 20])
def test_overshoot_is_algorithm_1_as_printed_and_leaves_no_bias(k: int) -> None:
    over = 0
    for seed in range(300 if FULL else 60):
        labels, scores = drawn(seed)
        rows = PBM(last="overshoot")(build(labels, scores), k, 0).rows.tolist()
        assert rows == literal(labels, scores, k)
        over += len(rows) > k
        assert sum(labels[i] == 0 for i in rows) == sum(labels[i] == 1 for i in rows)
    assert over


def test_last_place_of_neutral_items_leaves_no_bias_and_k_items() -> None:
    for seed in range(60):
        labels, scores = drawn(seed)
        rows = PBM(last="neutral")(build(labels, scores), 11, 0).rows.tolist()
        whole, printed = (
            PBM()(build(labels, scores), 11, 0).rows.tolist(),
            literal(labels, scores, 11),
        )
        assert len(rows) == 11
        assert sum(labels[i] == 0 for i in rows) == sum(labels[i] == 1 for i in rows)
        assert rows == whole if len(printed) == 11 else rows[:10] == whole[:10]
    alone = PBM(last="neutral")(build([0, 1, 0, 1, 0, 1], [6.0, 5, 4, 3, 2, 1]), 3, 0).rows
    assert len(alone) == 3  # without neutral items a group is drawn


def test_overshoot_of_many_groups_adds_the_whole_round() -> None:
    labels = [0, 1, 2, 3] * 9
    evidence = build(labels, [float(s) for s in range(36, 0, -1)], 4)
    assert PBM(last="overshoot")(evidence, 6, 0).rows.tolist() == list(range(8))
    assert PBM(last="overshoot", theta=0.5)(evidence, 6, 0).lengths[0] <= 9


@pytest.mark.parametrize("fill", [True, False])
def test_fair_steps_at_once_equal_mixed_steps_that_are_all_fair(fill: bool) -> None:
    rng = np.random.default_rng(2)
    for _ in range(300 if FULL else 30):
        groups, width = int(rng.integers(1, 6)), int(rng.integers(1, 12))
        sizes = rng.integers(0, width + 2, (20, groups + 1, 1))
        heads = np.where(
            np.arange(width) < sizes,
            rng.random((20, (groups + 1) * width)).argsort(1).reshape(20, -1, width),
            END,
        )
        heads.sort(axis=2)
        values = np.where(heads < END, np.round(9 - 9 * heads / ((groups + 1) * width)), -np.inf)
        draws = rng.random((20, groups + width))
        assert (
            fair_steps(heads, values, draws[:, :groups], fill=fill)
            == mixed_steps(heads, values, draws, theta=1, fill=fill)
        ).all()


def test_tie_between_pair_and_neutral_goes_to_the_neutral_item() -> None:
    labels, scores = [0, -1, 1], [3.0, 2.0, 1.0]
    assert PBM()(build(labels, scores), 3, 0).rows.tolist() == [1, 0, 2]
    assert PBM()(build(labels, [3.0, 1.9, 1.0]), 3, 0).rows.tolist() == [0, 2, 1]


def test_odd_k_gives_the_extra_place_to_a_random_group_by_query() -> None:
    last = [
        PBM()(build([0, 1] * 9, list(range(18, 0, -1)), query=f"q{q}"), 5, 0).rows[-1] % 2
        for q in range(400)
    ]
    assert 0.4 < np.mean(last) < 0.6


def test_short_round_draws_every_group_equally_often_and_never_twice() -> None:
    shown = np.zeros(4)
    for q in range(400):
        extra = (
            PBM()(build([0, 1, 2, 3] * 9, list(range(36, 0, -1)), 4, f"q{q}"), 6, 0).rows[4:] % 4
        )
        assert len(set(extra.tolist())) == 2
        shown[extra] += 1
    assert (np.abs(shown / 400 - 0.5) < 0.1).all()


def test_group_that_runs_out_fills_by_score_or_stops() -> None:
    labels = [0, 0, 1, 0, 0, -1, 0, 0]
    scores = [8.0, 7, 6, 5, 4, 3, 2, 1]
    assert PBM()(build(labels, scores), 7, 0).rows.tolist() == [0, 2, 1, 3, 4, 5, 6]
    assert PBM(exhausted="stop")(build(labels, scores), 7, 0).rows.tolist() == [0, 2, 5]


def test_released_variant_interleaves_from_the_first_group_and_ends_with_the_shorter() -> None:
    evidence = build([1, -1, 1, 0, 1, 0, -1], [7.0, 6, 5, 4, 3, 2, 1])
    assert PBM(variant="released")(evidence, 9, 0).rows.tolist() == [3, 0, 5, 2]
    assert PBM(variant="released", first="g1")(evidence, 9, 0).rows.tolist() == [0, 3, 2, 5]
    assert PBM(variant="released", first="g1")(evidence, 3, 0).rows.tolist() == [0, 3, 2]
    with pytest.raises(UsageError, match="no group to lead"):
        PBM(variant="released", first="male")(evidence, 3, 0)


def test_unsorted_scores_are_read_in_the_order_of_the_list() -> None:
    labels = [0, -1, 1, -1, 0, 1]
    sorted_down = PBM()(build(labels, [3.0, 3, 1, 1, 1, 1]), 6, 0).rows.tolist()
    assert PBM()(build(labels, [3.0, 5, 1, 9, 2, 1]), 6, 0).rows.tolist() == sorted_down


@pytest.mark.parametrize(
    "wrong",
    [
        {"theta": 1.1},
        {"theta": -1},
        {"first": "g0"},
        {"variant": "released", "theta": 0.5},
        {"exhausted": "go"},
        {"last": "none"},
        {"variant": "released", "last": "neutral"},
    ],
)
def test_impossible_parameters_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="pbm"):
        PBM(**wrong)  # type: ignore[arg-type]
