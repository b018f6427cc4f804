"""A saved run asked again: every choice that is given is followed or refused, all others are those
it was saved with.
"""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.commands.audit import AuditPlan, audit, save_audit
from fairlead.commands.rerank import rerank
from fairlead.commands.score import score
from fairlead.commands.search import SearchPlan, answered
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.report.saving import save_run
from fairlead.store.saved_run import read_saved

MODEL, WORLD = "phantom(dose=1)", "phantom(seeds=2)"


def rows(result: Any) -> list[tuple[Any, ...]]:
    return [(r.variant, r.metric, r.attribute, r.mean, r.ci, r.p) for r in result.rows]


def lists(result: Any) -> list[list[int]]:
    offsets = result.ranking.offsets
    return [result.ranking.rows[a:b].tolist() for a, b in pairwise(offsets)]


def saved(place: Path, **choices: Any) -> Any:
    choices = {"attribute": "gender", "metric": ("AbsBias@10", "NDKL@10"), "k": 10, **choices}
    found = audit(MODEL, choices.pop("benchmark", WORLD), **choices)
    save_audit(found, place)
    return found


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    groups = registry.make("benchmark", WORLD).study().collection
    gender = groups.groups["gender"]
    path = tmp_path / "labels.csv"
    with path.open("w", newline="") as file:
        names = [gender.names[code] for code in gender.codes]
        csv.writer(file).writerows([["item", "gender"], *zip(groups.ids, names, strict=True)])
    return path


@pytest.mark.parametrize("benchmark", ["phantom:culture(seeds=1)", "phantom:language(seeds=1)"])
def test_score_of_labels_that_depend_on_the_query_gives_the_audits_own_rows(benchmark, tmp_path):
    kind = benchmark.partition(":")[2].partition("(")[0]
    found = audit(f"phantom(dose=1,kind={kind})", benchmark)
    save_audit(found, tmp_path / "run")
    again = score(tmp_path / "run")
    np.testing.assert_equal([r.mean for r in again.rows], [r.mean for r in found.result.rows])
    assert str(rows(again)) == str(rows(found.result))


def test_score_follows_another_target_attribute_and_judgements(tmp_path):
    saved(tmp_path / "run")
    own = score(tmp_path / "run")
    stated = tmp_path / "target.csv"
    stated.write_text("query,attribute,group,share\n*,gender,female,0.9\n*,gender,male,0.1\n")
    other = score(tmp_path / "run", target=stated)
    expected = saved(tmp_path / "other", target=stated).result
    assert rows(other)[1] == rows(expected)[1] != rows(own)[1]
    assert other.manifest["plan"]["target"] == str(stated)
    with pytest.raises(UsageError, match="nonsense"):
        score(tmp_path / "run", attribute="nonsense")
    with pytest.raises(UsageError, match="nofile"):
        score(tmp_path / "run", qrels="nofile.csv")
    judged = tmp_path / "qrels.csv"
    run = read_saved(tmp_path / "run" / "run.parquet")
    first = next(iter(run.lists.values())).rows[0]
    judged.write_text(f"query,item,gain\n{run.queries[0]},{run.items[int(first)]},1\n")
    assert score(tmp_path / "run", qrels=judged, metric="P@10").rows[0].queries == 1


def test_score_can_be_set_back_to_what_is_the_default(tmp_path):
    saved(tmp_path / "run", unknown="own-group", interval="percentile", seed=7)
    plain = saved(tmp_path / "plain")
    again = score(tmp_path / "run", unknown="ignore", interval="studentised", seed=0)
    assert rows(again) == rows(plain.result)
    assert again.manifest["plan"]["seed"] == 0
    assert score(tmp_path / "run").manifest["plan"]["seed"] == 7


def test_score_and_rerank_leave_out_what_a_list_names(tmp_path):
    found = saved(tmp_path / "run", mitigate="levelled")
    run = found.run
    gone = tmp_path / "gone.txt"
    item = run.items[int(run.lists["plain"].rows[0])]
    gone.write_text(f"{item}\nquery: {run.words[1]}\n")
    again = score(tmp_path / "run", leave_out=gone)
    assert {row.queries for row in again.rows} == {len(run.queries) - 1}
    assert again.manifest["left_out"] == {"items": 1, "queries": 1, "unmatched": 0}
    lists = rerank(tmp_path / "run", mitigate="levelled", k=10, leave_out=gone)
    assert lists.decisions[1].rule == "listed"
    with pytest.raises(UsageError, match="nofile"):
        score(tmp_path / "run", leave_out="nofile.txt")


def test_search_saves_no_query_that_is_left_out(tmp_path, labels):
    gone, queries = tmp_path / "gone.txt", tmp_path / "queries.csv"
    queries.write_text("query,text\nq1,a photo of a nurse\nq2,a photo of a judge\n")
    gone.write_text("query: q1\n")
    plan = SearchPlan.of(
        queries=queries, model=MODEL, collection=WORLD, groups=labels, mitigate="detgreedy", k=8,
        attribute="gender", leave_out=gone,
    )  # fmt: skip
    found, run = answered(plan, None, saved=True)
    save_run(run, tmp_path / "run.parquet")
    assert found.manifest["left_out"]["queries"] == 1
    assert {row.queries for row in score(tmp_path / "run.parquet").rows} == {1}
    assert rerank(tmp_path / "run.parquet", mitigate="detgreedy", k=8).queries == ("q2",)


def test_rerank_keeps_the_trigger_and_the_list_of_what_to_leave_alone(tmp_path):
    leave = tmp_path / "leave.txt"
    leave.write_text("*nurse*\n")
    for name, choices in {"off": {"trigger": False}, "leave": {"leave": leave}}.items():
        found = saved(tmp_path / name, mitigate="detgreedy", **choices)
        again = rerank(tmp_path / name, mitigate="detgreedy", k=10)
        expected = found.run.lists["detgreedy"]
        shown = [expected.rows[a : a + 10].tolist() for a in expected.offsets[:-1]]
        assert lists(again) == shown, name


def test_rerank_refuses_a_target_that_only_leaves_a_group_out(tmp_path, labels):
    saved(tmp_path / "run")
    target = tmp_path / "target.csv"
    target.write_text("query,attribute,group,share\n*,gender,female,0\n*,gender,male,1\n")
    for groups in (None, labels):
        with pytest.raises(UsageError, match="leave a group out"):
            rerank(tmp_path / "run", groups, mitigate="detgreedy", k=10, target=target)


def test_score_deeper_than_the_run_was_saved_says_so(tmp_path):
    saved(tmp_path / "run", benchmark="phantom:skewed")
    again = score(tmp_path / "run", metric="AbsBias@100")
    assert any("fewer than k = 100" in note for note in again.manifest["warnings"])


def test_labels_that_changed_since_are_refused(tmp_path, labels):
    saved(tmp_path / "run", groups=labels)
    score(tmp_path / "run")
    text = labels.read_text()
    labels.write_text(
        text.replace(",female", ",x").replace(",male", ",female").replace(",x", ",male")
    )
    with pytest.raises(DataError, match=r"labels\.csv has changed"):
        score(tmp_path / "run")
    assert score(tmp_path / "run", labels).rows


def test_what_a_saved_run_cannot_follow_is_refused(tmp_path, labels):
    saved(tmp_path / "run", mitigate="levelled")
    with pytest.raises(UsageError, match="order in which they were made"):
        score(tmp_path / "run", ties="stable")
    with pytest.raises(UsageError, match="holds plain, levelled"):
        score(tmp_path / "run", labels, against=tmp_path / "run")


def test_labels_given_as_objects_are_asked_for_again(tmp_path):
    study = registry.make("benchmark", WORLD).study()
    saved(tmp_path / "run", benchmark=study)
    with pytest.raises(UsageError, match="given as an object"):
        score(tmp_path / "run")


def test_target_given_as_shares_stands_in_the_manifest(tmp_path):
    shares = {"gender": {"female": 0.4, "male": 0.6}}
    found = saved(tmp_path / "run", target=shares)
    assert found.result.manifest["plan"]["target"] == shares
    assert rows(score(tmp_path / "run")) == rows(found.result)
    flat = audit(MODEL, WORLD, attribute="gender", target=shares["gender"], metric="NDKL@10")
    assert flat.result.rows[0].mean == found.result.rows[1].mean


def test_files_behind_a_run_are_named_with_fingerprints(tmp_path, labels):
    found = saved(tmp_path / "run", groups=labels, mitigate_groups=labels, mitigate="pbm")
    assert {"groups", "mitigate_groups"} <= found.result.manifest["inputs"].keys()
    assert AuditPlan.of(groups=labels).described()["groups"] == str(labels)
