"""Relevance is measured without labels of groups."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fairlead
from fairlead.errors import UsageError

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 2.0, "c": 1.5, "a": 1}}
QRELS = {"q1": {"a": 2, "c": 1}, "q2": {"c": 1, "d": 1}}
GROUPS = {"a": {"gender": "female"}, "b": {"gender": "male"}, "c": {"gender": "female"}}


def test_score_without_groups_gives_the_rows_of_relevance() -> None:
    alone = fairlead.score(RUN, metric=["nDCG@2", "AP"], qrels=QRELS)
    beside = fairlead.score(RUN, GROUPS, metric=["nDCG@2", "AP"], qrels=QRELS)
    assert [row.to_dict() for row in alone.rows] == [row.to_dict() for row in beside.rows]
    assert alone.manifest["labels"] == {} and "groups" not in alone.manifest["plan"]


def test_score_without_groups_measures_relevance_by_default() -> None:
    assert [row.metric for row in fairlead.score(RUN, qrels=QRELS).rows] == ["nDCG@10", "P@10"]


def test_score_without_groups_refuses_metrics_of_groups() -> None:
    with pytest.raises(UsageError, match="AbsBias@2 needs labels of groups"):
        fairlead.score(RUN, metric=["AbsBias@2", "AP"], qrels=QRELS)


def test_score_without_groups_and_judgements_is_refused() -> None:
    with pytest.raises(UsageError, match="No labels were given"):
        fairlead.score(RUN)


def test_score_leaves_items_out_without_groups() -> None:
    result = fairlead.score(RUN, metric="AP", qrels=QRELS, leave_out=["item: b"])
    assert result.rows[0].mean == pytest.approx((1.0 + 0.5) / 2)


def test_command_score_without_groups_gives_the_answer_of_the_library(
    door: Callable[..., Any], tmp_path: Path
) -> None:
    lines = [f"{q},{i},{x}" for q, items in RUN.items() for i, x in items.items()]
    (tmp_path / "run.csv").write_text("query,item,score\n" + "\n".join(lines) + "\n")
    lines = [f"{q},{i},{x}" for q, items in QRELS.items() for i, x in items.items()]
    (tmp_path / "qrels.csv").write_text("query,item,gain\n" + "\n".join(lines) + "\n")
    files = [tmp_path / "run.csv", "--qrels", tmp_path / "qrels.csv"]
    done = door("score", *files, "--metric", "AP", "--json")
    assert done.code == 0, done.err
    expected = fairlead.score(RUN, metric="AP", qrels=QRELS).to_dict()
    assert done.json["metrics"] == json.loads(json.dumps(expected["metrics"]))
    assert door("score", *files).code == 0
    assert door("score", tmp_path / "run.csv").code == 2
