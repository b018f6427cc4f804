"""What rerank says of targets that candidates cannot meet, and of attributes with one group."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.engine.live import whole_lists
from fairlead.engine.mitigate import MadeLists
from fairlead.engine.reranks import result_of
from fairlead.engine.treatments import treated
from fairlead.protocols.registry import entries, make
from fairlead.testing.worlds import ranked
from fairlead.trigger.decision import Decision


def rerank(evidence, reranker, k, seed, *, decisions=()):
    """The result of lists as the engine makes them."""
    decided = tuple(decisions) or tuple(Decision.by("off", q, "gender") for q in evidence.queries)
    plain = evidence.ranking
    shown, _ = treated(evidence, reranker, plain, decided, k=k, seed=seed)
    lists = MadeLists(plain, {str(reranker): shown}, {}, decided, evidence, whole_lists(plain))
    return result_of(lists, reranker, k)


AIMING = sorted(name for name in entries("reranker") if make("reranker", name).uses_target)


@pytest.mark.parametrize("name", AIMING)
def test_target_out_of_reach_is_told_with_how_far_it_can_be_met(name: str) -> None:
    result = rerank(ranked("FFFFFFFFFM", "FMFMFMFMFM", "FFFFFFFF"), make("reranker", name), 8, 0)
    said = [note for note in result.notes if "cannot meet the target" in note]
    assert len(said) == 1
    assert "In 2 of 3 queries" in said[0]
    assert "'q2': it has 0 of the 4 'M' items" in said[0]
    assert "at best 50 % of the list" in said[0]
    assert [len(x) for x in np.split(result.ranking.rows, result.ranking.offsets[1:-1])] == [
        8,
        8,
        8,
    ]


def test_target_within_reach_and_less_than_an_item_short_are_not_told() -> None:
    assert not [
        n
        for n in rerank(ranked("FMFMFFFF"), make("reranker", "constrained"), 5, 0).notes
        if "cannot" in n
    ]
    assert not [
        n
        for n in rerank(ranked("FFFFFFFFFM"), make("reranker", "mmr"), 8, 0).notes
        if "cannot" in n
    ]


def test_lists_shorter_than_k_are_held_to_their_own_length() -> None:
    assert not rerank(ranked("FMFM"), make("reranker", "fairexpec"), 100, 0).notes


@pytest.mark.parametrize("name", AIMING)
def test_prefix_bound_is_told_by_those_alone_who_promise_it(name: str) -> None:
    said = [
        n
        for n in rerank(
            ranked("FFFFFFFFFM", "FMFMFMFMFM", "FFFFFFFF"), make("reranker", name), 8, 0
        ).notes
        if "floor(n t)" in n
    ]
    assert bool(said) == ("floor(n t)" in make("reranker", name).promise)


def test_decision_to_leave_keeps_the_plain_list_and_says_nothing_of_its_supply() -> None:
    evidence, decisions = (
        ranked("FFFFFFFFFM", "FFFFFMMMMM"),
        [Decision.by(rule, "q", "gender") for rule in ("explicit", "neutral")],
    )
    left = rerank(evidence, make("reranker", "detgreedy"), 8, 0, decisions=decisions)
    every = rerank(evidence, make("reranker", "detgreedy"), 8, 0)
    assert left.ranking.rows[:8].tolist() == evidence.ranking.rows[:8].tolist() and left.left == 1
    assert (
        left.ranking.rows[8:].tolist()
        == every.ranking.rows[8:].tolist()
        != evidence.ranking.rows[10:18].tolist()
    )
    assert not left.notes and left.violated == 0 < every.violated


@pytest.mark.parametrize("name", sorted(entries("reranker")))
def test_one_group_only_is_told_and_nothing_breaks(name: str) -> None:
    result = rerank(ranked("FF?F-F", "", names="F"), make("reranker", name), 4, 0)
    assert "'attribute' has one group only: there is nothing to balance." in result.notes
    assert result.ranking.lengths.tolist() == [4, 0]
