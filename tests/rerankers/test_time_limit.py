"""A time limit on programs: one that is not reached changes nothing; where it is reached, a whole
list is shown, the bound holds, and it is said.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

import fairlead
from fairlead.errors import UsageError
from fairlead.protocols.registry import entries, make
from fairlead.protocols.reranker import TimedReranker
from fairlead.rerankers import noisy_fair
from fairlead.rerankers.deadline import Deadline, OutOfTimeError
from fairlead.rerankers.exposure_lp import mixture
from fairlead.rerankers.noisy_fair import Blocks
from fairlead.rerankers.selection import select
from fairlead.rerankers.single import SingleLists
from fairlead.testing.rerankers import shows_candidates_once_each
from fairlead.testing.worlds import drawn_lists
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

TIMED = [name for name in entries("reranker") if isinstance(make("reranker", name), TimedReranker)]
NOW = 1e-9
"""Seconds after which no search has found anything."""


def drawn(seed: int, size: int, groups: int, k: int) -> SingleLists:
    rng = np.random.default_rng(seed)
    relevance = np.sort(rng.random(size))[::-1]
    relevance = (relevance - relevance[-1]) / (relevance[0] - relevance[-1])
    shares = rng.dirichlet(rng.dirichlet(np.full(groups, 2.0)), size)
    return SingleLists(relevance, shares, np.full(groups, 1 / groups), k, 0, False)


def soft_lists(queries: int, size: int) -> Evidence:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.array([2.0, 0.5, 0.3]), queries * size)
    labels = Groups("x", ("a", "b", "c"), soft=shares)
    scores = np.sort(rng.random((queries, size)))[:, ::-1]
    ranking = Ranking(np.arange(queries + 1) * size, np.arange(queries * size), scores.ravel())
    target = Target("uniform", np.full((1, 3), 1 / 3))
    ids = tuple(f"q{q}" for q in range(queries))
    return Evidence(ranking, ids, {"x": Labelled(labels, target)})


def limited(name: str, seconds: float):
    return make("reranker", f"{name}(seconds={seconds})")


def test_all_that_solve_programs_have_a_limit() -> None:
    assert set(TIMED) == {"exposure_lp", "fairexpec", "mopr", "noisy_fair"}


@pytest.mark.parametrize("name", TIMED)
def test_a_limit_that_is_not_reached_changes_nothing(name: str) -> None:
    for seed in range(8):
        evidence = drawn_lists(seed, 3)
        plain, told = make("reranker", name)(evidence, 8, seed), limited(name, 1000)
        found, cuts = told.timed(evidence, 8, seed)
        assert found.rows.tolist() == plain.rows.tolist()
        assert cuts == ()


@pytest.mark.parametrize("name", TIMED)
def test_a_cut_list_is_whole_and_is_told(name: str) -> None:
    evidence = soft_lists(3, 24)
    one = limited(name, NOW)
    shows_candidates_once_each(one, evidence, 8)
    _, cuts = one.timed(evidence, 8, 0)
    assert cuts
    assert all(cut.gap >= -1e-6 for cut in cuts)
    assert {cut.query for cut in cuts} <= set(range(len(evidence)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("seconds", [NOW, 0.005, 0.02])
def test_bounds_of_cut_searches_hold(seed: int, seconds: float) -> None:
    case = drawn(seed, 150, 4, 30)
    best = select(case, case.excess, 1.5)
    found = select(case, case.excess, 1.5, Deadline.after(seconds))
    assert found.bound >= min(best.value, best.bound) - 1e-6 and found.gap >= 0
    assert len(np.unique(found.places)) == case.k
    exposed = mixture(case, 0.01, Deadline.after(seconds))
    assert exposed.bound >= mixture(case, 0.01).value - 1e-6
    assert exposed.weights.sum() == pytest.approx(1)


class Rounds(Deadline):
    """Lets so many programs be solved, and no more."""

    def __init__(self, rounds: int) -> None:
        super().__init__(time.monotonic() + 1000)
        self.left = rounds

    @property
    def options(self) -> dict[str, float]:
        self.left -= 1
        if self.left >= 0:
            return {}
        self.end = time.monotonic()
        return {"time_limit": 0.0}


def test_what_earlier_rounds_found_is_kept_with_a_bound_that_holds() -> None:
    for seed in range(40):
        case = drawn(seed, 200, 4, 10)
        blocks = Blocks.of(case, 2, 0.0)
        whole = noisy_fair.solved(blocks)[2]
        deadline = Rounds(1)
        _, shares, first = noisy_fair.solved(blocks, deadline)
        assert shares.sum(0) == pytest.approx(blocks.sizes)
        assert first.value <= whole.value + 1e-6 <= first.bound + 2e-6
        if deadline.cut:
            return
    pytest.fail("every program was solved in one round")


def test_without_any_answer_there_is_none() -> None:
    with pytest.raises(OutOfTimeError):
        noisy_fair.solved(Blocks.of(drawn(0, 200, 3, 20), 5, 0.0), Deadline.after(NOW))


@pytest.mark.parametrize("seed", range(6))
def test_large_programs_are_written_shorter_and_are_worth_the_same(seed: int, monkeypatch) -> None:
    slack = (0.0, 0.03)[seed % 2]
    blocks = Blocks.of(drawn(seed, 200, 2 + seed % 3, 40), 10, slack)
    _, _, full = noisy_fair.solved(blocks)
    monkeypatch.setattr(noisy_fair, "_FULL_CELLS", 0)
    _, shares, short = noisy_fair.solved(blocks)
    assert short.value == pytest.approx(full.value, abs=1e-6)
    assert short.bound == pytest.approx(full.bound, abs=1e-5)
    assert shares.sum(0) == pytest.approx(blocks.sizes)


RUN = {f"q{q}": {f"i{q}-{n}": float(30 - n) for n in range(30)} for q in range(2)}
LABELS = {
    item: {"gender": "a" if n % 5 else "b"} for n, item in enumerate(i for of in RUN.values() for i in of)
}  # fmt: skip


def test_what_was_cut_stands_in_the_manifest_and_in_a_decision() -> None:
    text = f"noisy_fair(seconds={NOW})"
    made = fairlead.rerank(RUN, groups=LABELS, mitigate=text, k=10)
    notes = [note for note in made.manifest["warnings"] if "ran out of time in 2 of 2" in note]
    assert len(notes) == 1 and "plain list" in notes[0]
    calm = fairlead.rerank(RUN, groups=LABELS, mitigate="noisy_fair(seconds=1000)", k=10)
    assert not [note for note in calm.manifest["warnings"] if "ran out of time" in note]
    one = fairlead.Mitigator.of(text, attribute="gender", groups=("a", "b"), k=10)
    answer = one(list(RUN["q0"]), list(RUN["q0"].values()), ["ab"[n % 5 == 0] for n in range(30)])
    assert "ran out of time" in answer.decision.reason


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("seconds", ["0", "-1"])
def test_no_time_is_refused(name: str, seconds: str) -> None:
    with pytest.raises(UsageError, match="leaves no time"):
        make("reranker", f"{name}(seconds={seconds})")
