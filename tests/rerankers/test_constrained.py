"""constrained against every list there is, and against the rules it optimises over."""

from __future__ import annotations

from itertools import product
from math import ceil, floor, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.protocols.registry import make
from fairlead.rerankers.constrained import Constrained
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

LAW = settings(max_examples=60, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def drawn(seed: int, size: int, groups: int) -> tuple[Evidence, np.ndarray, np.ndarray, np.ndarray]:
    """One list of hard labels; its codes, target and relevance in [0, 1]."""
    rng = np.random.default_rng(seed)
    codes, target = (
        rng.choice(groups, size, p=rng.dirichlet(np.full(groups, 2.0))),
        rng.dirichlet(np.full(groups, 2.0)),
    )
    scores = np.sort(rng.normal(size=size) ** 3)[::-1].astype(np.float32).astype(float)
    labels = Groups("a", tuple("abcdefgh"[:groups]), codes=codes)
    evidence = Evidence(
        Ranking.of([range(size)], [scores.tolist()]),
        ("q",),
        {"a": Labelled(labels, Target("given", target[None]))},
    )
    return (
        evidence,
        codes,
        evidence.attribute.target.shares[0],
        (scores - scores[-1]) / (scores[0] - scores[-1]),
    )


def kept(groups: list[int], target: np.ndarray, slack: float, bounds: str) -> bool:
    """Whether every prefix of a list of groups keeps to the bounds."""
    for n in range(1, len(groups) + 1):
        for g, t in enumerate(target):
            count = groups[:n].count(g)
            if bounds != "upper" and count < floor(n * max(t - slack, 0) + 1e-9):
                return False
            if bounds != "lower" and count > ceil(n * min(t + slack, 1) - 1e-9):
                return False
    return True


def worth(rows: list[int], relevance: np.ndarray) -> float:
    return sum(relevance[row] / log2(n + 1) for n, row in enumerate(rows, start=1))


def brute(
    codes: np.ndarray, target: np.ndarray, relevance: np.ndarray, k: int, slack: float, bounds: str
) -> float | None:
    """The best list of all that keep to the bounds; a group is served best first, anything else is
    worth less.
    """
    queues = [np.flatnonzero(codes == g).tolist() for g in range(len(target))]
    best = None
    for groups in product(range(len(target)), repeat=k):
        if all(groups.count(g) <= len(queues[g]) for g in range(len(target))) and kept(
            list(groups), target, slack, bounds
        ):
            value = worth([queues[g][groups[:n].count(g)] for n, g in enumerate(groups)], relevance)
            best = value if best is None else max(best, value)
    return best


@LAW
@given(
    SEEDS,
    st.integers(2, 3),
    st.integers(1, 7),
    st.sampled_from([0.0, 0.05, 0.2]),
    st.sampled_from(["both", "lower", "upper"]),
)
def test_constrained_finds_the_best_of_all_lists_that_keep_to_the_bounds(
    seed: int, groups: int, k: int, slack: float, bounds: str
) -> None:
    evidence, codes, target, relevance = drawn(seed, 14, groups)
    best = brute(codes, target, relevance, k, slack, bounds)
    rows = Constrained(slack, bounds)(evidence, k, 0).rows.tolist()  # type: ignore[arg-type]
    assert len(rows) == k
    if best is not None:
        assert kept(codes[rows].tolist(), target, slack, bounds)
        assert worth(rows, relevance) == pytest.approx(best, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(2, 6), st.sampled_from([0.0, 0.1]))
def test_constrained_is_worth_no_less_than_the_heuristics_for_the_same_bounds(
    seed: int, groups: int, slack: float
) -> None:
    evidence, codes, target, relevance = drawn(seed, 150, groups)
    ours = Constrained(slack)(evidence, 40, 0).rows.tolist()
    for name in ("detgreedy", "detcons", "detrelaxed", "detconstsort", "interleave"):
        theirs = make("reranker", name)(evidence, 40, 0).rows.tolist()
        if kept(codes[theirs].tolist(), target, slack, "both"):
            assert kept(codes[ours].tolist(), target, slack, "both")
            assert worth(ours, relevance) >= worth(theirs, relevance) - 1e-9


def test_list_within_the_bounds_stays_as_it_is() -> None:
    assert Constrained()(ranked("FMFMMF"), 6, 0).rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert Constrained(1.0)(ranked("FFFFFM"), 6, 0).rows.tolist() == [0, 1, 2, 3, 4, 5]


def test_short_supply_fills_the_list_with_what_there_is() -> None:
    assert Constrained()(ranked("FFFFFM"), 6, 0).rows.tolist() == [0, 5, 1, 2, 3, 4]
    assert Constrained()(ranked("FFFF"), 3, 0).rows.tolist() == [0, 1, 2]


def test_unknown_items_are_woven_in_by_rank() -> None:
    assert Constrained()(ranked("?FF?MM"), 6, 0).rows.tolist() == [0, 1, 3, 4, 2, 5]


def test_slack_out_of_range_is_refused() -> None:
    with pytest.raises(UsageError, match="not a share"):
        make("reranker", "constrained(slack=-0.1)")
