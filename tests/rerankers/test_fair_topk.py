"""FA*IR reranking against a slow reference, the choice of the protected group, and the published
number.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from fairlead.errors import UsageError
from fairlead.rerankers.fair_topk import FairTopK
from fairlead.rerankers.mtables import Table, adjusted_table
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.ragged import offsets_of

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
NAMES = ("a", "b", "c")


def build(labels: list[list[int]], shares: list[list[float]]) -> Evidence:
    codes = np.array([c for row in labels for c in row], np.int16)
    ranking = Ranking(
        offsets_of(np.array([len(row) for row in labels])),
        np.arange(len(codes)),
        -np.arange(len(codes), dtype=float),
    )
    labelled = Labelled(
        Groups("x", NAMES[: len(shares[0])], codes=codes), Target("given", np.array(shares))
    )
    return Evidence(ranking, tuple(map(str, range(len(labels)))), {"x": labelled})


def slow(labels: list[int], protected: int, table: Table, k: int) -> list[int]:
    """Protected if fewer than the table's row, else the better; unknown goes first where it ranks
    above the choice.
    """
    mine, rest = (
        [i for i, c in enumerate(labels) if c == protected],
        [i for i, c in enumerate(labels) if c not in (protected, -1)],
    )
    unknown, order, served = [i for i, c in enumerate(labels) if c == -1], [], 0
    known = 0
    while len(order) < min(k, len(labels)):
        queue = (
            mine
            if mine
            and (not rest or served < table[min(known, len(table) - 1)] or mine[0] < rest[0])
            else rest
        )
        if unknown and (not queue or unknown[0] < queue[0]):
            order.append(unknown.pop(0))
            continue
        known, served = known + 1, served + (queue is mine)
        order.append(queue.pop(0))
    return order


def slow_most_short(labels: list[int], shares: list[float], k: int) -> int:
    known = [c for c in labels if c >= 0][:k]
    means = [
        np.mean([known[:n].count(g) / n for n in range(1, len(known) + 1)]) if known else 0.0
        for g in range(len(shares))
    ]
    gaps = [m - s for m, s in zip(means, shares, strict=True)]
    return next(g for g, gap in enumerate(gaps) if gap <= min(gaps) + 1e-9)


def prefix_bias(labels: np.ndarray) -> float:
    """Feng & Shah: mean over prefixes of KL(target || prefix), zero shares replaced by 1e-4; two
    equal groups.
    """
    total = 0.0
    for n in range(1, len(labels) + 1):
        for g in (0, 1):
            total += 0.5 * np.log(0.5 / ((labels[:n] == g).mean() or 1e-4))
    return total / len(labels)


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("adjust", ["none", "conservative", "nearest"])
def test_equals_the_slow_reference_with_the_group_chosen_per_list(groups: int, adjust: str) -> None:
    for seed in range(200 if FULL else 12):
        rng = np.random.default_rng(seed)
        labels = [rng.integers(-1, groups, rng.integers(1, 30)).tolist() for _ in range(30)]
        shares = rng.dirichlet(np.full(groups, 3), 30).tolist()
        k = int(rng.integers(1, 35))
        result = FairTopK(adjust=adjust, alpha=0.3)(build(labels, shares), k, 0)  # type: ignore[arg-type]
        for q in range(30):
            protected = slow_most_short(labels[q], shares[q], k)
            table = adjusted_table(min(k, len(labels[q])), shares[q][protected], 0.3, adjust)  # type: ignore[arg-type]
            start = sum(map(len, labels[:q]))
            assert (
                result.rows[result.offsets[q] : result.offsets[q + 1]] - start
            ).tolist() == slow(labels[q], protected, table, k)


@pytest.mark.parametrize("heads", [0, 1], ids=["heavy-headed", "heavy-tailed"])
def test_synthetic_lists_of_feng_and_shah_give_the_published_bias(heads: int) -> None:
    labels = np.repeat([heads, 1 - heads], 100)
    for adjust, bias in (("nearest", 0.1419), ("conservative", 0.1600), ("none", 0.0763)):
        result = FairTopK(adjust=adjust)(build([labels.tolist()], [[0.5, 0.5]]), 200, 0)  # type: ignore[arg-type]
        assert round(prefix_bias(labels[result.rows]), 4) == bias


def test_protecting_the_group_already_ahead_changes_nothing() -> None:
    labels = np.repeat([0, 1], 100).tolist()
    result = FairTopK(p=0.5, protected="a")(build([labels], [[0.5, 0.5]]), 200, 0)
    assert result.rows.tolist() == list(range(200))


def test_named_group_and_share_need_no_target() -> None:
    labels = [[1] * 20 + [0] * 20]
    with_target = FairTopK(p=0.5, protected="a")(build(labels, [[0.5, 0.5]]), 20, 0).rows.tolist()
    without = FairTopK(p=0.5, protected="a")(build(labels, [[np.nan, np.nan]]), 20, 0).rows.tolist()
    assert with_target == without != list(range(20))


def test_unknown_group_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="Did you mean"):
        FairTopK(protected="bb")(build([[0, 1]], [[0.5, 0.5]]), 2, 0)


@pytest.mark.parametrize("wrong", [{"p": 1.5}, {"alpha": 0.0}, {"alpha": 1.0}, {"adjust": "both"}])
def test_impossible_parameters_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="fair_topk"):
        FairTopK(**wrong)  # type: ignore[arg-type]
