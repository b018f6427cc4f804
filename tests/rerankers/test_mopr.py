"""mopr against all sets there are, over several attributes and their intersections."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.protocols.registry import make
from fairlead.rerankers.fairexpec import FairExpec
from fairlead.rerankers.mopr import MOPR, families
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking, cross
from fairlead.types.evidence import Evidence, Labelled, Target

LAW = settings(max_examples=25, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def two(seed: int, size: int, *, soft: bool) -> tuple[Groups, Groups, np.ndarray]:
    """Two attributes and falling scores."""
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.normal(size=size).astype(np.float32))[::-1].astype(float)
    if soft:
        return (
            Groups("g", ("f", "m"), soft=rng.dirichlet([0.5, 0.5], size)),
            Groups("s", ("x", "y", "z"), soft=rng.dirichlet([0.5] * 3, size)),
            scores,
        )
    return (
        Groups("g", ("f", "m"), codes=rng.integers(0, 2, size)),
        Groups("s", ("x", "y", "z"), codes=rng.integers(-1, 3, size)),
        scores,
    )


def evidence_of(labels: dict[str, Groups], scores: np.ndarray) -> Evidence:
    uniform = {
        n: Labelled(g, Target("uniform", np.full((1, len(g.names)), 1 / len(g.names))))
        for n, g in labels.items()
    }
    return Evidence(Ranking.of([range(len(scores))], [scores.tolist()]), ("q",), uniform)


def off(rows: list[int], g: Groups, s: Groups) -> float:
    """How far a list is off, group by group and intersection by intersection, from even shares of
    what is labelled in both.
    """
    both = [
        [a * b for a in ra for b in rb] for ra, rb in zip(g.share[rows], s.share[rows], strict=True)
    ]
    cells = [sum(row[c] for row in both) for c in range(len(g.names) * len(s.names))]
    total, wide = sum(cells), len(s.names)
    worst = max(abs(c - total / len(cells)) for c in cells)
    for i in range(len(g.names)):
        worst = max(worst, abs(sum(cells[i * wide : (i + 1) * wide]) - total / len(g.names)))
    for j in range(wide):
        worst = max(worst, abs(sum(cells[j::wide]) - total / wide))
    return worst


@pytest.mark.parametrize("soft", [True, False])
@LAW
@given(SEEDS, st.integers(1, 5), st.sampled_from([0.001, 0.1, 0.3]))
def test_mopr_finds_what_a_search_of_all_sets_finds(
    soft: bool, seed: int, k: int, rho: float
) -> None:
    g, s, scores = two(seed, 10, soft=soft)
    found = MOPR(rho)(evidence_of({"g*s": cross(g, s)}, scores), k, 0).rows.tolist()
    sets = [list(places) for places in combinations(range(10), k)]
    misses = [max(rho * k, off(places, g, s)) for places in sets]
    best = max(
        scores[places].sum()
        for places, miss in zip(sets, misses, strict=True)
        if miss <= min(misses) + 1e-7
    )
    assert off(found, g, s) <= min(misses) + 1e-6
    assert scores[found].sum() == pytest.approx(best, abs=1e-5)


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(1, 10))
def test_several_attributes_give_the_list_of_their_intersection(seed: int, k: int) -> None:
    g, s, scores = two(seed, 20, soft=bool(seed % 2))
    apart = MOPR()(evidence_of({"g": g, "s": s}, scores), k, 0).rows.tolist()
    assert apart == MOPR()(evidence_of({"g*s": cross(g, s)}, scores), k, 0).rows.tolist()


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(1, 10), st.sampled_from([0.001, 0.1]))
def test_one_attribute_is_fairexpec(seed: int, k: int, rho: float) -> None:
    _, s, scores = two(seed, 20, soft=bool(seed % 2))
    evidence = evidence_of({"s": s}, scores)
    assert MOPR(rho)(evidence, k, 0).rows.tolist() == FairExpec(rho)(evidence, k, 0).rows.tolist()


def test_factors_are_held_to_although_their_intersections_are_within_bounds() -> None:
    """Each intersection may be off by one item, which adds up to two for a factor: that is not
    allowed.
    """
    g, s = Groups.of("g", list("ffffffmm")), Groups.of("s", list("xyxyxyxy"))
    evidence = evidence_of({"g*s": cross(g, s)}, np.arange(8.0)[::-1])
    shown = MOPR(0.25)(evidence, 4, 0).rows.tolist()
    assert off(shown, g, s) <= 1
    assert shown == [0, 1, 2, 6]


def test_sets_are_the_groups_and_the_groups_of_their_factors() -> None:
    assert families(("a", "b")).tolist() == [[1, 0], [0, 1]]
    assert families(("a*x", "a*y", "b*x", "b*y")).shape == (4, 8)
    assert families(("a*x", "a*y", "b*x", "b*y"))[:, 4:].tolist() == [
        [1, 0, 1, 0],
        [1, 0, 0, 1],
        [0, 1, 1, 0],
        [0, 1, 0, 1],
    ]


def test_one_group_only_leaves_the_plain_list_and_rho_out_of_range_is_refused() -> None:
    assert MOPR()(ranked("F?FF", names="F"), 3, 0).rows.tolist() == [0, 1, 2]
    with pytest.raises(UsageError, match="not a share"):
        make("reranker", "mopr(rho=2)")
