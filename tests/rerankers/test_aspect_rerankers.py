"""mmr, xquad and pm2 against their formulas, one item and one group at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.protocols import Reranker
from fairlead.protocols.registry import make
from fairlead.rerankers.mmr import MMR
from fairlead.rerankers.pm2 import PM2
from fairlead.rerankers.xquad import XQuAD
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

LAW = settings(max_examples=40, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def drawn(
    seed: int, size: int = 25, groups: int = 3
) -> tuple[Evidence, list[float], list[list[float]], list[float]]:
    """One list with soft labels, its relevance in [0, 1], its shares and a target."""
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.normal(size=size).astype(np.float32))[::-1].astype(float)
    shares = rng.dirichlet(np.full(groups, 0.4), size) * rng.choice([1.0, 0.6], (size, 1))
    target = rng.dirichlet(np.ones(groups))
    labels = Groups("a", tuple("abcdefgh"[:groups]), soft=shares)
    evidence = Evidence(
        Ranking.of([range(size)], [scores.tolist()]),
        ("q",),
        {"a": Labelled(labels, Target("given", target[None]))},
    )
    relevance = (scores - scores[-1]) / (scores[0] - scores[-1])
    return (
        evidence,
        relevance.tolist(),
        labels.share.tolist(),
        evidence.attribute.target.shares[0].tolist(),
    )


def shown(reranker: Reranker, evidence: Evidence, k: int) -> list[int]:
    return reranker(evidence, k, 0).rows.tolist()


def slow_mmr(
    relevance: list[float], shares: list[list[float]], k: int, diversity: float, over: str
) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < k:
        best, at = -math.inf, -1
        for i in range(len(relevance)):
            if i not in chosen:
                like = [
                    sum(a * b for a, b in zip(shares[i], shares[j], strict=True)) for j in chosen
                ] or [0.0]
                value = (1 - diversity) * relevance[i] - diversity * (
                    max(like) if over == "max" else sum(like) / len(like)
                )
                if value > best + 1e-12:
                    best, at = value, i
        chosen.append(at)
    return chosen


def slow_xquad(
    relevance: list[float],
    shares: list[list[float]],
    target: list[float],
    k: int,
    diversity: float,
    fade: float,
) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < k:
        best, at = -math.inf, -1
        for i in range(len(relevance)):
            if i not in chosen:
                asked = [
                    t * shares[i][g] * math.prod(1 - fade * shares[j][g] for j in chosen)
                    for g, t in enumerate(target)
                ]
                value = (1 - diversity) * relevance[i] + diversity * sum(asked)
                if value > best + 1e-12:
                    best, at = value, i
        chosen.append(at)
    return chosen


def slow_pm2(
    relevance: list[float], shares: list[list[float]], target: list[float], k: int, focus: float
) -> list[int]:
    claims = [[max(r, 1e-9) * s for s in row] for r, row in zip(relevance, shares, strict=True)]
    chosen: list[int] = []
    seats = [0.0] * len(target)
    while len(chosen) < k:
        rest = [i for i in range(len(relevance)) if i not in chosen]
        owed = [
            t / (2 * s + 1) if any(claims[i][g] > 0 for i in rest) else 0.0
            for g, (t, s) in enumerate(zip(target, seats, strict=True))
        ]
        turn = owed.index(max(owed))

        def value(i: int, owed: list[float] = owed, turn: int = turn) -> float:
            others = sum(owed[g] * claims[i][g] for g in range(len(owed)) if g != turn)
            return focus * owed[turn] * claims[i][turn] + (1 - focus) * others

        at = max(rest, key=lambda i: (value(i), -i))
        chosen.append(at)
        seats = [s + c / sum(claims[at]) for s, c in zip(seats, claims[at], strict=True)]
    return chosen


@pytest.mark.parametrize("over", ["mean", "max"])
@LAW
@given(SEEDS, st.integers(1, 25), st.floats(0, 1))
def test_mmr_equals_its_formula(over: str, seed: int, k: int, diversity: float) -> None:
    evidence, relevance, shares, _ = drawn(seed)
    assert shown(MMR(diversity, over), evidence, k) == slow_mmr(
        relevance, shares, k, diversity, over
    )  # type: ignore[arg-type]


@LAW
@given(SEEDS, st.integers(1, 25), st.floats(0, 1), st.sampled_from([0.05, 0.1, 0.7, 1.0]))
def test_xquad_equals_its_formula(seed: int, k: int, diversity: float, fade: float) -> None:
    evidence, relevance, shares, target = drawn(seed)
    assert shown(XQuAD(diversity, fade), evidence, k) == slow_xquad(
        relevance, shares, target, k, diversity, fade
    )


@LAW
@given(SEEDS, st.integers(1, 25), st.floats(0.05, 0.95))
def test_pm2_equals_its_formula(seed: int, k: int, focus: float) -> None:
    evidence, relevance, shares, target = drawn(seed)
    assert shown(PM2(focus), evidence, k) == slow_pm2(relevance, shares, target, k, focus)


def sainte_lague(target: list[float], supply: list[int], k: int) -> list[int]:
    seats = [0] * len(target)
    for _ in range(min(k, sum(supply))):
        owed = [
            t / (2 * s + 1) if s < n else -1 for t, s, n in zip(target, seats, supply, strict=True)
        ]
        seats[owed.index(max(owed))] += 1
    return seats


@LAW
@given(SEEDS, st.integers(1, 40))
def test_pm2_with_full_focus_and_hard_labels_follows_sainte_lague_at_every_prefix(
    seed: int, k: int
) -> None:
    rng = np.random.default_rng(seed)
    codes, target = rng.choice(3, 40, p=[0.7, 0.2, 0.1]), rng.dirichlet(np.ones(3))
    labels = Groups("a", ("a", "b", "c"), codes=codes)
    evidence = Evidence(
        Ranking.of([range(40)]), ("q",), {"a": Labelled(labels, Target("given", target[None]))}
    )
    rows, supply = shown(PM2(focus=1), evidence, k), np.bincount(codes, minlength=3).tolist()
    for n in range(1, k + 1):
        assert np.bincount(codes[rows[:n]], minlength=3).tolist() == sainte_lague(
            target.tolist(), supply, n
        )


@pytest.mark.parametrize(
    "text", ["mmr(diversity=0)", "mmr(diversity=0,over=max)", "xquad(diversity=0)"]
)
@LAW
@given(SEEDS, st.integers(1, 25))
def test_diversity_of_zero_is_the_plain_list(text: str, seed: int, k: int) -> None:
    assert shown(make("reranker", text), drawn(seed)[0], k) == list(range(k))


def test_mmr_over_max_counts_a_group_once_and_over_mean_goes_on() -> None:
    evidence = ranked("FFFFFFFFMMMM")
    assert shown(MMR(0.6, "max"), evidence, 6) == [
        0,
        8,
        1,
        2,
        3,
        4,
    ]  # one of each, then the plain order
    assert sum(row >= 8 for row in shown(MMR(0.9, "mean"), evidence, 6)) == 3


def test_xquad_with_full_fade_is_satisfied_by_one_of_each() -> None:
    evidence = ranked("FFFFFFFFMMMM")
    assert shown(XQuAD(0.8, 1.0), evidence, 6) == [0, 8, 1, 2, 3, 4]
    assert sum(row >= 8 for row in shown(XQuAD(0.98, 0.1), evidence, 6)) == 3


@pytest.mark.parametrize("text", ["mmr", "xquad", "pm2"])
def test_one_group_only_leaves_the_plain_list(text: str) -> None:
    assert shown(make("reranker", text), ranked("F?FF-F", names="F"), 5) == [0, 1, 2, 3, 4]


def test_pm2_weaves_in_what_has_no_claim_by_rank() -> None:
    assert shown(PM2(), ranked("F?F?MM"), 6) == [0, 1, 3, 4, 2, 5]


def test_scores_that_rise_are_read_in_the_order_of_the_list() -> None:
    risen = ranked("FFFFMMMM", scores=[[1.0, 0.9, 5.0, 0.8, 0.7, 0.6, 9.0, 0.1]])
    level = ranked("FFFFMMMM", scores=[[1.0, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.1]])
    for text in ("mmr", "xquad", "pm2"):
        assert shown(make("reranker", text), risen, 8) == shown(make("reranker", text), level, 8)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mmr(diversity=2)", "not a weight"),
        ("xquad(fade=0)", "not a share"),
        ("xquad(diversity=-1)", "not a weight"),
        ("pm2(focus=1.5)", "not a weight"),
    ],
)
def test_values_out_of_range_are_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make("reranker", text)
