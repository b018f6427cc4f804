"""The rules every registered reranker keeps, over random evidence: hard, soft, unknown and
not-applicable labels, any targets.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.protocols import registry
from fairlead.testing import reranker_laws
from fairlead.testing import rerankers as laws
from fairlead.testing.rerankers import lists
from fairlead.testing.worlds import coded_lists, drawn_lists
from fairlead.types import NOT_APPLICABLE, UNKNOWN
from fairlead.types.evidence import Evidence

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
LAW = settings(max_examples=500 if FULL else 20, deadline=None)
SETTINGS = {
    "pbm": [
        "pbm",
        "pbm(theta=0.5)",
        "pbm(exhausted=stop)",
        "pbm(theta=0.7,exhausted=stop)",
        "pbm(variant=released)",
    ],
    "epsilon_greedy": ["epsilon_greedy", "epsilon_greedy(epsilon=1,partner=from)"],
    "relevance_swap": ["relevance_swap", "relevance_swap(sensitivity=1,partner=from)"],
    "mmr": ["mmr", "mmr(over=max,diversity=0.9)"],
    "xquad": ["xquad", "xquad(diversity=1,fade=1)"],
    "pm2": ["pm2", "pm2(focus=1)"],
    "constrained": ["constrained", "constrained(slack=0.1,bounds=lower)"],
    "noisy_fair": ["noisy_fair", "noisy_fair(block=2,slack=0.05)"],
    "fair_topk": [
        "fair_topk",
        "fair_topk(adjust=nearest,alpha=0.3)",
        "fair_topk(adjust=none,p=0.5,protected=g0)",
    ],
}
SPECS = [text for name in registry.entries("reranker") for text in SETTINGS.get(name, [name])]
SOLVERS = tuple(
    name for name, entry in registry.entries("reranker").items() if entry.extra is not None
)
"""They look at each list alone, and slowly: they have no kernel that a large batch would meet."""
SHORT = ("exhausted=stop", "variant=released")
RANDOM = ("pbm(theta", "epsilon", "relevance")
SEEDS = st.integers(0, 2**32 - 1)


def plain(evidence: Evidence, k: int) -> list[list[int]]:
    return [rows[:k] for rows in lists(evidence.ranking)]


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS, st.integers(1, 20))
def test_any_evidence_gives_candidates_once_each_and_enough_of_them(
    text: str, seed: int, k: int
) -> None:
    short = any(s in text for s in SHORT)
    reranker = registry.make("reranker", text)
    laws.shows_candidates_once_each(reranker, drawn_lists(seed, 4), k, seed, short=short)


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS, st.integers(1, 20))
def test_batch_equals_one_by_one_in_any_order(text: str, seed: int, k: int) -> None:
    queries = 30  # large enough for the kernels that step through a whole batch
    if text.startswith(SOLVERS):
        queries = 7
    evidence = drawn_lists(seed, queries)
    reranker = registry.make("reranker", text)
    laws.batch_is_one_by_one(reranker, evidence, k, seed, most=min(6, queries // 2))


@pytest.mark.parametrize("text", SPECS)
def test_every_law_that_is_shipped_is_kept(text: str) -> None:
    short = any(s in text for s in SHORT)
    if "protected=g0" in text:
        return  # names a group, and looks at no target
    reranker_laws(registry.make("reranker", text), drawn_lists(7, 4), 5, 7, short=short)


@pytest.mark.parametrize("text", SPECS)
def test_summary_is_a_line(text: str) -> None:
    said = registry.make("reranker", text).summary
    assert said.strip() and "\n" not in said


@pytest.mark.parametrize("label", [UNKNOWN, NOT_APPLICABLE])
@pytest.mark.parametrize("text", SPECS)
def test_lists_without_any_label_survive(text: str, label: int) -> None:
    evidence = coded_lists([[label] * 9, [label] * 3], 3)
    result = lists(registry.make("reranker", text)(evidence, 5, 1))
    if "variant=released" in text:  # the authors' code drops neutral images
        assert result == [[], []]
    elif any(s in text for s in RANDOM):
        assert [len(r) for r in result] == [5, 3]
    else:
        assert result == plain(evidence, 5)


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS, st.integers(1, 20))
def test_query_without_target_keeps_its_plain_list(text: str, seed: int, k: int) -> None:
    reranker = registry.make("reranker", text)
    labels = np.random.default_rng(seed).integers(-2, 3, (2, 12)).tolist()
    evidence = coded_lists(labels, 3, np.array([[np.nan] * 3, [0.2, 0.3, 0.5]]))
    if reranker.uses_target and "protected=g0" not in text:
        assert lists(reranker(evidence, k, seed))[0] == plain(evidence, k)[0]


@pytest.mark.parametrize("text", SPECS)
def test_zero_candidates_and_extreme_k(text: str) -> None:
    reranker = registry.make("reranker", text)
    assert lists(reranker(coded_lists([[], [0, 1, -1], []], 2), 3, 0))[0] == []
    assert lists(reranker(coded_lists([[]], 2), 3, 0)) == [[]]
    assert lists(reranker(coded_lists([], 2), 3, 0)) == []
    evidence = coded_lists([[0, 1, 1, 0, -1, 0, 1, 0]], 2)
    assert len(lists(reranker(evidence, 1, 0))[0]) == 1
    full = lists(reranker(evidence, 8, 0))[0]
    assert full == lists(reranker(evidence, 9, 0))[0] == lists(reranker(evidence, 1000, 0))[0]
    assert sorted(full) == list(range(8)) or any(s in text for s in SHORT)
    with pytest.raises(UsageError, match="k is 0"):
        reranker(evidence, 0, 0)


@pytest.mark.parametrize("text", SPECS)
@pytest.mark.parametrize("share", [[1.0, 0.0], [0.0, 1.0]])
def test_share_of_zero_and_exhausted_group_terminates(text: str, share: list[float]) -> None:
    evidence = coded_lists([[0, 1, 1, 1, 1, 1, 0], [1] * 7], 2, np.array([share]))
    result = lists(registry.make("reranker", text)(evidence, 7, 0))
    assert [sorted(r) for r in result] == [list(range(7)), list(range(7, 14))] or any(
        s in text for s in SHORT
    )


@pytest.mark.parametrize("text", SPECS)
def test_eight_groups_of_which_some_are_absent(text: str) -> None:
    rng = np.random.default_rng(8)
    evidence = coded_lists([rng.integers(0, 8, 80).tolist(), rng.integers(3, 6, 80).tolist()], 8)
    result = lists(registry.make("reranker", text)(evidence, 40, 0))
    assert [len(set(r)) for r in result] == [40, 40] or any(s in text for s in SHORT)


@pytest.mark.parametrize(
    "text", ["epsilon_greedy(epsilon=0)", "relevance_swap(sensitivity=0)", "pbm(theta=0)"]
)
@LAW
@given(SEEDS, st.integers(1, 20))
def test_parameter_at_zero_changes_nothing(text: str, seed: int, k: int) -> None:
    evidence = drawn_lists(seed, 4)
    assert lists(registry.make("reranker", text)(evidence, k, seed)) == plain(evidence, k)


@pytest.mark.parametrize("text", [s for s in SPECS if any(r in s for r in RANDOM)])
def test_another_seed_or_query_id_gives_another_stream(text: str) -> None:
    reranker = registry.make("reranker", text)
    evidence = coded_lists([[0] * 50 + [1] * 50] * 2, 2)
    one, other = lists(reranker(evidence, 100, 0)), lists(reranker(evidence, 100, 1))
    assert one != other
    assert one[0] != [row - 100 for row in one[1]]


@pytest.mark.parametrize("text", SPECS)
@LAW
@given(SEEDS, st.integers(1, 20))
def test_order_within_a_group_stays_unless_random(text: str, seed: int, k: int) -> None:
    if text.startswith(("epsilon", "relevance")):
        return
    labels = np.random.default_rng(seed).integers(-1, 4, (3, 15))
    result = registry.make("reranker", text)(coded_lists(labels.tolist(), 4), k, seed)
    for rows in lists(result):
        for code in range(-1, 4):
            own = [row for row in rows if labels.ravel()[row] == code]
            assert own == sorted(own)
