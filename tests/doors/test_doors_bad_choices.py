"""Requests that cannot be met: unknown names answered with the nearest, all faults together,
cut-offs, parameters, places.
"""

from __future__ import annotations

import os

import pytest

SCORE = ["score", "run.csv", "--groups", "labels.csv"]
RERANK = ["rerank", "run.csv", "--groups", "labels.csv", "-o", "new.csv"]

BAD = {
    "attribute": (
        [*SCORE, "--attribute", "gendr"],
        ["no attribute in labels.csv called 'gendr'", "Did you mean gender?"],
    ),
    "attribute twice": ([*SCORE, "--attribute", "gender*gender"], ["names an attribute twice"]),
    "metric": ([*SCORE, "--metric", "NDLK@2"], ["no metric called 'NDLK'", "Did you mean NDKL"]),
    "metric in other case": (
        [*SCORE, "--metric", "absbias@2"],
        ["no metric called 'absbias'", "Did you mean AbsBias"],
    ),
    "metric like none": (
        [*SCORE, "--metric", "zzz"],
        ["no metric called 'zzz'", "Known: AP, AWRF"],
    ),
    "reranker": (
        [*RERANK, "--mitigate", "pmb", "-k", "2"],
        ["no reranker called 'pmb'", "Did you mean pm2 or pbm?"],
    ),
    "parameter of a metric": (
        [*SCORE, "--metric", "NDKL(ovr=all)@2"],
        ["no parameter of NDKL called 'ovr'", "Did you mean over?"],
    ),
    "parameter of a reranker": (
        [*RERANK, "--mitigate", "pbm(tetha=1)", "-k", "2"],
        ["no parameter of pbm called 'tetha'", "theta"],
    ),
    "value of a parameter": (
        [*SCORE, "--metric", "NDKL(over=everything)@2"],
        ["'everything'", "Accepted: all, relevant"],
    ),
    "parameter twice": ([*SCORE, "--metric", "NDKL(eps=0,eps=0)@2"], ["eps is given twice"]),
    "cut-off of zero": ([*SCORE, "--metric", "NDKL@0"], ["NDKL@0", "counts from 1"]),
    "cut-off where there is none": (
        [*SCORE, "--metric", "SelfPreference@3"],
        ["SelfPreference takes no @k"],
    ),
    "no spec": ([*SCORE, "--metric", "NDKL@"], ["'NDKL@' is not of the form"]),
    "metric without its group": (
        [*SCORE, "--metric", "Bias@2"],
        ["Bias@2 must name a group", "female, male"],
    ),
    "metric of a group nobody has": (
        [*SCORE, "--metric", "Bias(positive=femal)@2"],
        ["femal", "Groups are gender: female, male"],
    ),
    "relevance without judgements": (
        [*SCORE, "--metric", "nDCG@2"],
        ["nDCG@2 needs relevance judgements", "--qrels"],
    ),
    "relevant items without judgements": (
        [*SCORE, "--metric", "NDKL(over=relevant)@2"],
        ["needs relevance judgements"],
    ),
    "target relevant without judgements": (
        [*SCORE, "--target", "relevant"],
        ["needs relevance judgements"],
    ),
    "null": ([*SCORE, "--null", "chance"], ["'chance' is not one of", "order"]),
    "seed": ([*SCORE, "--seed", "x"], ["'x' is not a valid integer"]),
    "difference of zero": ([*SCORE, "--detect", "0"], ["detect got 0.0", "greater than 0"]),
    "column of matched sets": (
        [*SCORE, "--blocks", "gendre"],
        ["'gendre'", "Did you mean gender?"],
    ),
    "nothing to show": ([*RERANK, "--mitigate", "pbm", "-k", "0"], ["k got 0", "at least one"]),
    "reranker missing": ([*RERANK, "-k", "2"], ["Missing option '--mitigate'"]),
    "labels missing": (["score", "run.csv"], ["No labels were given", "--groups FILE"]),
    "option": ([*SCORE, "--metrc", "NDKL"], ["No such option", "--metric"]),
    "command": (["scroe", "run.csv"], ["no command called 'scroe'", "Did you mean score?"]),
    "list of nothing": (["list", "metric"], ["no kind or name called 'metric'", "metrics"]),
    "paper": (
        ["reproduce", "--paper", "fengshah"],
        ["no paper called 'fengshah'", "Did you mean feng-shah?"],
    ),
    "completion of no shell": (["completion", "tcsh"], ["'tcsh' is not one of"]),
    "suffix of a result": (
        [*SCORE, "-o", "result.pdf"],
        ["result.pdf", "a .html page or a .json file"],
    ),
    "suffix of a ranking": (
        [*RERANK[:-1], "new.pdf", "--mitigate", "pbm", "-k", "2"],
        ["new.pdf", ".parquet"],
    ),
    "ranking nowhere": ([*RERANK[:-2], "--mitigate", "pbm", "-k", "2"], ["Give -o OUT"]),
    "ranking over its own run": (
        [*RERANK[:-1], "run.csv", "--mitigate", "pbm", "-k", "2"],
        ["run.csv is an input", "Choose another path"],
    ),
    "ranking over its labels": (
        [*RERANK[:-1], "./labels.csv", "--mitigate", "pbm", "-k", "2"],
        ["labels.csv is an input"],
    ),
    "result in a foreign folder": (
        [*SCORE, "-o", "foreign"],
        ["foreign is a folder with other things in it"],
    ),
    "page in place of a folder": ([*SCORE, "-o", "page.html"], ["page.html is not a file"]),
    "folder in place of a file": ([*SCORE, "-o", "notes"], ["notes is a file"]),
    "result below a file": (
        [*SCORE, "-o", "run.csv/result.html"],
        ["run.csv/result.html cannot be written"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_choice_says_what_is_accepted_and_writes_nothing(case, desk, door, schema_faults):
    args, fragments = BAD[case]
    folder = desk(notes="mine")
    (folder / "foreign").mkdir()
    (folder / "foreign" / "letter.txt").write_text("mine")
    (folder / "page.html").mkdir()
    before = sorted(folder.rglob("*"))
    told = door(*args)
    assert told.code == 2
    assert told.out == ""
    assert told.err.startswith("error: ")
    for fragment in fragments:
        assert fragment in told.err
    if args[0] != "completion" and case != "ranking nowhere":
        answer = door(*args, "--json")
        assert answer.code == 2
        assert schema_faults("error", answer.json) == []
        assert answer.json["error"]["kind"] == "usage"
    assert sorted(folder.rglob("*")) == before
    assert (folder / "foreign" / "letter.txt").read_text() == "mine"


def test_wrong_metrics_are_told_together(desk, door):
    desk()
    message = door(
        *SCORE, "--metric", "NDLK@2", "--metric", "AbsBios@2", "--metric", "NDKL@0", "--json"
    ).json["error"]["message"]
    assert message.startswith("3 things are wrong:")
    assert all(part in message for part in ("NDLK", "Did you mean NDKL", "AbsBios", "NDKL@0"))


def test_wrong_attributes_of_a_target_are_told_together(desk, door):
    desk(
        labels__csv="item,gender,skin\na,f,x\nb,m,y\nc,f,x\nd,m,y\n",
        target__csv="query,attribute,group,share\n*,age,old,1\n",
    )
    message = door(*SCORE, "--target", "target.csv", "--json").json["error"]["message"]
    assert message.startswith("2 things are wrong:")
    assert "'gender'" in message and "'skin'" in message


def test_cutoff_above_the_depth_is_told_not_hidden(desk, door):
    desk()
    answer = door(*SCORE, "--metric", "NDKL@2", "--metric", "NDKL@50", "--json")
    assert answer.code == 0
    (warning,) = answer.json["manifest"]["warnings"]
    assert (
        warning
        == "2 of 2 queries of run.csv have fewer than k = 50 results (least 3); they are measured as they are."
    )
    assert warning in " ".join(door(*SCORE, "--metric", "NDKL@50").out.split())


def test_rerank_cutoff_above_the_depth_is_told(desk, door):
    folder = desk()
    told = door(*RERANK, "--mitigate", "pbm", "-k", "20")
    assert told.code == 0
    assert "2 of 2 queries have fewer than k = 20 candidates" in told.out
    assert len((folder / "new.csv").read_text().splitlines()) == 7


def test_rerank_of_two_attributes_asks_for_one(desk, door):
    desk(labels__csv="item,gender,skin\na,f,x\nb,m,y\nc,f,x\nd,m,y\n")
    told = door(*RERANK, "--mitigate", "pbm", "-k", "2")
    assert told.code == 2
    assert "gender, skin" in told.err and "--attribute" in told.err


def test_place_is_refused_before_the_files_are_read(desk, door):
    desk()
    assert (
        "suffix names no format"
        in door("score", "none.csv", "--groups", "none.csv", "-o", "x.pdf").err
    )
    assert (
        "suffix names no format"
        in door(
            "rerank",
            "none.csv",
            "--groups",
            "none.csv",
            "--mitigate",
            "pbm",
            "-k",
            1,
            "-o",
            "x.pdf",
        ).err
    )


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_folder_without_permission_is_refused(desk, door):
    folder = desk()
    (folder / "locked").mkdir(mode=0o500)
    told = door(*SCORE, "-o", "locked/result.html")
    assert told.code == 2
    assert "locked/result.html cannot be written: Permission denied" in told.err


def test_place_that_no_system_lets_write_is_refused(desk, door):
    desk()
    if not os.path.isdir("/proc/self"):
        pytest.skip("needs /proc")
    for args in (
        [*SCORE, "-o", "/proc/self/result.html"],
        [*RERANK[:-1], "/proc/self/new.csv", "--mitigate", "pbm", "-k", "2"],
    ):
        told = door(*args)
        assert told.code == 2
        assert "cannot be written" in told.err
