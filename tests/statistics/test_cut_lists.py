"""Metrics that look at whole lists say so where lists are cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fairlead
from fairlead.measuring.cuts import cut_note
from fairlead.measuring.score import score
from fairlead.protocols import registry
from fairlead.testing.worlds import ranked
from fairlead.types import Ranking, Relevant, Sets
from fairlead.types.evidence import Evidence


def metric(text):
    return registry.make("metric", text)


def whole() -> Evidence:
    """Two lists of eight items each; the last two of each are relevant, and so is the first."""
    evidence = ranked("FFMFMMFM", "MMFMFFMF")
    relevant = Relevant(np.array([0, 3, 6]), np.array([0, 6, 7, 8, 14, 15]), np.ones(6))
    pool = Sets(np.array([0, 8, 16]), np.arange(16))
    return replace(evidence, relevant=relevant, pool=pool)


def cut(evidence: Evidence, k: int) -> Evidence:
    return evidence.with_ranking(evidence.ranking.head(k))


def test_whole_lists_get_no_note():
    for text in ("NDKL", "NDKL(over=relevant)", "AbsBias", "NDKL@3", "AP"):
        assert cut_note(metric(text), whole()) == ""


def test_metric_of_the_relevant_items_on_a_cut_run_says_which_query_and_what_to_do():
    short = cut(whole(), 7)
    row = score(short, [metric("NDKL(over=relevant)")]).rows[0]
    assert (
        "needs whole lists, and 2 of 2 lists are cut: 'q0' ends at rank 7 of 8, and 1 relevant "
        "item is not in it; store whole lists, or measure at a depth, e.g. "
        "NDKL(over=relevant)@7"
    ) in row.notes
    row = score(whole(), [metric("NDKL(over=relevant)")]).rows[0]
    assert not any("whole lists" in note for note in row.notes)


def test_cut_off_within_the_relevant_items_that_are_there_needs_no_whole_list():
    short = cut(whole(), 7)
    assert cut_note(metric("NDKL(over=relevant)@2"), short) == ""
    assert "2 of 2 lists" in cut_note(metric("NDKL(over=relevant)@3"), short)
    assert cut_note(metric("AbsBias@3"), short) == "" == cut_note(metric("nDCG@3"), short)


def test_cut_that_is_not_known_is_proved_by_judged_items_that_are_not_there():
    unknown = replace(whole(), pool=None)
    assert unknown.left is None
    evidence = replace(unknown, ranking=unknown.ranking.head(7))
    assert evidence.left is None
    assert "1 relevant item is not in it" in cut_note(metric("AbsBias"), evidence)
    assert cut_note(metric("AbsBias"), replace(evidence, relevant=None)) == ""


def test_relevant_items_that_are_all_there_need_no_whole_list():
    evidence = whole()
    first = Relevant(np.array([0, 2, 4]), np.array([0, 1, 8, 9]), np.ones(4))
    short = cut(replace(evidence, relevant=first), 4)
    assert cut_note(metric("NDKL(over=relevant)"), short) == ""
    assert "'q0' ends at rank 4 of 8;" in cut_note(metric("NDKL"), short)


def test_cut_is_carried_by_selection_and_by_shorter_orders():
    stated = replace(whole(), pool=None, cut=np.array([10, 0]))
    assert stated.select(np.array([1, 0])).left.tolist() == [0, 10]
    assert cut(stated, 5).left.tolist() == [13, 3]
    assert stated.on("attribute").left.tolist() == [10, 0]
    assert cut(replace(stated, cut=None), 5).left.tolist() == [3, 3]
    assert replace(stated, cut=None).with_ranking(stated.ranking).left is None
    assert cut(whole(), 5).left.tolist() == [3, 3]
    with pytest.raises(fairlead.DataError, match="Cuts of 1 queries"):
        replace(stated, cut=np.array([1]))


def test_ranking_with_gaps_names_the_query_and_the_rank():
    evidence = whole()
    gaps = Ranking(
        evidence.ranking.offsets,
        evidence.ranking.rows,
        evidence.ranking.scores,
        np.array([*range(1, 9), 1, 2, 3, 5, 6, 7, 8, 9]),
    )
    with pytest.raises(fairlead.DataError, match="ranking of 'q1' has nothing at rank 4"):
        metric("AbsBias@4")(replace(evidence, ranking=gaps))


def test_score_of_a_run_that_is_cut_marks_the_row_and_its_whole_run_does_not(tmp_path):
    rng = np.random.default_rng(0)
    labels = {f"i{n}": {"gender": ("f", "m")[int(rng.random() > 0.4)]} for n in range(60)}
    run = {"q": {f"i{n}": 60.0 - n for n in range(60)}}
    qrels = {"q": dict.fromkeys(list(labels)[::3], 1)}
    ask = {"qrels": qrels, "metric": "NDKL(over=relevant)"}
    short = {"q": dict(list(run["q"].items())[:20])}
    marked = fairlead.score(short, labels, **ask).rows[0].notes
    assert any("ends at rank 20 of 60, and 13 relevant items are not in it" in n for n in marked)
    assert (
        fairlead.score(run, labels, **ask).rows[0].notes
        == fairlead.score(run, labels, qrels=qrels, metric="NDKL(over=relevant)@20").rows[0].notes
    )
