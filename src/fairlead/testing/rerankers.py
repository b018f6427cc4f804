"""Laws that every reranker keeps, one function each; a broken law raises AssertionError.

A plug-in's test makes its reranker and some evidence (``drawn_lists`` of
``fairlead.testing.worlds``), and calls ``all_laws``.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols import Reranker
from fairlead.protocols.registry import make
from fairlead.testing.worlds import coded_lists
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Ranking
from fairlead.types.evidence import Evidence

_SAID = ("source", "blind_spot", "promise")


def all_laws(
    reranker: Any, evidence: Evidence, k: int, seed: int = 0, *, short: bool = False
) -> None:
    """Every law below, on one evidence.

    Args:
        reranker: The reranker.
        evidence: Candidates with labels and a target.
        k: How many items a list shows.
        seed: Seed of a reranker that draws.
        short: Whether its lists may be shorter than ``k`` though there are candidates.
    """
    has_a_text_form(reranker)
    says_what_it_is(reranker)
    shows_candidates_once_each(reranker, evidence, k, seed, short=short)
    batch_is_one_by_one(reranker, evidence, k, seed)
    survives_any_size(reranker, short=short)
    survives_without_labels(reranker, short=short)
    if reranker.uses_target:
        keeps_lists_without_a_target(reranker, k, seed)


def has_a_text_form(reranker: Any) -> None:
    """The text form builds an equal, equally hashed reranker."""
    again = make("reranker", str(reranker))
    assert again == reranker and hash(again) == hash(reranker), f"{reranker} reads back as {again}"


def says_what_it_is(reranker: Any) -> None:
    """It meets the protocol and says in one line each its source, promise and blind spot."""
    assert isinstance(reranker.uses_target, bool)
    assert isinstance(reranker, Reranker)
    for name in _SAID:
        text = getattr(reranker, name)
        assert text.strip() and "\n" not in text, f"{reranker} does not say its {name}"


def shows_candidates_once_each(
    reranker: Any, evidence: Evidence, k: int, seed: int = 0, *, short: bool = False
) -> None:
    """Only candidates, no repeats, as many as are asked for, with their first-stage scores."""
    result, before = reranker(evidence, k, seed), evidence.ranking
    assert len(result) == len(before)
    for query, (rows, had) in enumerate(zip(lists(result), lists(before), strict=True)):
        assert len(set(rows)) == len(rows) and set(rows) <= set(had)
        # a reranker that may stop early, such as PBM where a group runs out, says so by "short"
        most = min(k, len(had))
        assert len(rows) <= most if short else len(rows) == most
        scores = dict(zip(had, _scores(before, query), strict=True))
        assert [scores[row] for row in rows] == _scores(result, query)


def batch_is_one_by_one(
    reranker: Any, evidence: Evidence, k: int, seed: int = 0, *, most: int = 6
) -> None:
    """A list depends neither on the other queries, nor on their order, nor on the object."""
    whole = lists(reranker(evidence, k, seed))
    order = np.random.default_rng(seed).permutation(len(evidence))
    for query in order[:most]:
        alone = reranker(evidence.select(np.array([query])), k, seed)
        assert lists(alone) == [whole[query]]
    assert lists(reranker(evidence.select(order), k, seed)) == [whole[q] for q in order]
    assert lists(copy.copy(reranker)(evidence, k, seed)) == whole


def keeps_lists_without_a_target(reranker: Any, k: int, seed: int = 0) -> None:
    """A query whose target is not known keeps its plain list."""
    # from "not applicable" on, so that every kind of label is among them
    codes = np.random.default_rng(seed).integers(NOT_APPLICABLE, 3, (2, 12)).tolist()
    target = np.array([[np.nan] * 3, [0.2, 0.3, 0.5]])
    evidence = coded_lists(codes, 3, target)
    assert lists(reranker(evidence, k, seed))[0] == lists(evidence.ranking)[0][:k]


def survives_any_size(reranker: Any, *, short: bool = False) -> None:
    """No candidates give an empty list, more places than candidates show all, k counts from 1."""
    assert lists(reranker(coded_lists([], 2), 3, 0)) == []
    assert lists(reranker(coded_lists([[]], 2), 3, 0)) == [[]]
    assert lists(reranker(coded_lists([[], [0, 1, -1], []], 2), 3, 0))[0] == []
    evidence = coded_lists([[0, 1, 1, 0, -1, 0, 1, 0]], 2)
    assert len(lists(reranker(evidence, 1, 0))[0]) <= 1
    full, more = (lists(reranker(evidence, k, 0))[0] for k in (8, 1000))
    assert full == more
    assert short or sorted(full) == list(range(8))
    message = ""
    try:
        reranker(evidence, 0, 0)
    except UsageError as error:
        message = str(error)
    assert "k is 0" in message, "k = 0 is refused with a UsageError"


def survives_without_labels(reranker: Any, *, short: bool = False) -> None:
    """Lists without any known label, or without any applicable item, come through."""
    for label in (UNKNOWN, NOT_APPLICABLE):
        result = lists(reranker(coded_lists([[label] * 9, [label] * 3], 3), 5, 1))
        assert short or [len(rows) for rows in result] == [5, 3]


def lists(ranking: Ranking) -> list[list[int]]:
    """The rows of each query."""
    ends = zip(ranking.offsets[:-1], ranking.offsets[1:], strict=True)
    return [ranking.rows[start:end].tolist() for start, end in ends]


def _scores(ranking: Ranking, query: int) -> list[float]:
    start, end = ranking.offsets[query : query + 2]
    return [float(score) for score in ranking.scores[start:end]]
