"""What is left out: one list, read the same everywhere; nothing on it is labelled, shown or
measured, and how much it was is told.
"""

from __future__ import annotations

import csv
import json
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairlead
from fairlead.cli.main import main
from fairlead.commands import annotate as annotating
from fairlead.commands import annotate_compare as comparing
from fairlead.commands import audit as audits
from fairlead.engine.human import answers as human_answers
from fairlead.engine.human import tasks as human_tasks
from fairlead.engine.human import work as human_work
from fairlead.engine.leaving import leaving
from fairlead.engine.narrowing import without
from fairlead.errors import DataError, UsageError
from fairlead.protocols.registry import make
from fairlead.store.leave_out import LeaveOut, entries, left_notes, read_leave_out

RUN = {
    "nurse": {f"n{i}": 20.0 - i for i in range(12)},
    "pilot": {f"p{i}": 20.0 - i for i in range(12)},
    "cook": {f"{'np'[i % 2]}{i}": 20.0 - i for i in range(10)},
}
LABELS = {
    f"{c}{i}": {"gender": "female" if (i * 7 + (c == "n")) % 3 else "male"}
    for c in "np"
    for i in range(14)
}
OUT = ["n1", "p?", "item: n11", "query: COO*"]
GONE = {"n1", "n11", *(f"p{i}" for i in range(10))}


# The list


def test_list_tells_items_from_queries_and_skips_comments():
    told = entries(
        ["# a comment", "", " p3 ", "query: my neighbour*", "ITEM: query.jpg", "\ufeffp4"]
    )
    assert told == [
        ("item", "p3"),
        ("query", "my neighbour*"),
        ("item", "query.jpg"),
        ("item", "p4"),
    ]


def test_list_without_a_folder_also_names_the_last_part_of_an_id():
    out = LeaveOut.of(["p3.jpg", "b/*.png", "q?"])
    assert out.items(["a/p3.jpg", "P3.JPG", "b/x.png", "c/x.png", "deep/q1", "q12"]).tolist() == [
        True,
        True,
        True,
        False,
        True,
        False,
    ]


def test_list_is_the_same_file_for_queries_to_leave_alone():
    assert leaving(["nurse", "query: pilot*", "item: p3"]).lines == ("nurse", "pilot*")


@pytest.mark.parametrize("lines", [["query:"], ["item:  "]])
def test_list_line_that_names_nothing_is_refused(lines):
    with pytest.raises(DataError, match="names no"):
        read_leave_out(lines)


def test_list_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no file"):
        read_leave_out(tmp_path / "nowhere.txt")
    (tmp_path / "picture.txt").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(DataError, match="UTF-8"):
        read_leave_out(tmp_path / "picture.txt")
    for wrong in (7, [1, 2]):
        with pytest.raises(UsageError, match="file or a list"):
            read_leave_out(wrong)


@given(
    st.lists(
        st.text(string.ascii_lowercase + "/.", min_size=1, max_size=6), unique=True, max_size=12
    ),
    st.data(),
)
def test_list_of_exact_names_leaves_out_these_and_counts_lines_that_name_nothing(ids, data):
    named = data.draw(st.lists(st.sampled_from(ids), unique=True)) if ids else []
    out = LeaveOut.of([f"item: {name}" for name in [*named, "zzzzzzzz"]])
    gone = out.items(ids)
    assert all(gone[ids.index(name)] for name in named)
    assert out.left(ids) == {"items": int(gone.sum()), "queries": 0, "unmatched": 1}


def test_notes_say_how_much_was_left_out():
    assert left_notes(None) == []
    assert left_notes({"items": 1, "queries": 0, "unmatched": 0}) == [
        "Left out on request: 1 item and 0 queries."
    ]
    assert "2 lines name nothing" in left_notes({"items": 0, "queries": 0, "unmatched": 2})[1]


# Where it is honoured


def _kept(run):
    return {
        q: {i: s for i, s in items.items() if i not in GONE}
        for q, items in run.items()
        if q != "cook"
    }


def test_score_is_that_of_files_which_never_had_it():
    choices = {
        "metric": ["AbsBias@5", "NDKL@5", "nDCG@5"],
        "qrels": {q: {"n3": 1, "n1": 1, "p11": 1} for q in RUN},
    }
    found = fairlead.score(RUN, LABELS, leave_out=OUT, **choices)
    labels = {item: told for item, told in LABELS.items() if item not in GONE}
    qrels = {q: {"n3": 1, "p11": 1} for q in ("nurse", "pilot")}
    apart = fairlead.score(_kept(RUN), labels, **{**choices, "qrels": qrels})
    assert [row.to_dict() for row in found.rows] == [row.to_dict() for row in apart.rows]
    assert found.queries == ("nurse", "pilot")
    assert found.manifest["left_out"] == {"items": len(GONE), "queries": 1, "unmatched": 0}
    assert any("Left out on request" in note for note in found.warnings)


def test_score_of_a_label_sample_does_not_learn_from_what_is_left_out():
    sample = {
        item: {"gender": "female" if item in GONE else LABELS[item]["gender"]}
        for item in ("n0", "n1", "n2", "n3", "n11", "p11")
    }
    kept = {item: told for item, told in sample.items() if item not in GONE}
    one, other = (
        fairlead.score(RUN, LABELS, leave_out=OUT, metric="AbsBias@5", label_sample=s)
        for s in (sample, kept)
    )
    assert one.rows[0].corrected == other.rows[0].corrected


def test_score_with_everything_left_out_is_refused():
    with pytest.raises(DataError, match=r"Nothing of .* is left"):
        fairlead.score(RUN, LABELS, leave_out=["*"])


def test_rerank_keeps_items_unlabelled_and_queries_untouched():
    labels = {item: {"gender": "female" if int(item[1:]) < 6 else "male"} for item in LABELS}
    unlabelled = {item: told for item, told in labels.items() if item not in ("n0", "n6")}
    apart = {
        r["query"]: r["items"]
        for r in fairlead.rerank(RUN, unlabelled, mitigate="pbm", k=6).to_dict()["results"]
    }
    found = fairlead.rerank(
        RUN, labels, mitigate="pbm", k=6, leave_out=["n0", "n6", "query: pilot"]
    )
    lists = {r["query"]: r["items"] for r in found.to_dict()["results"]}
    assert lists["pilot"] == [f"p{i}" for i in range(6)]
    assert (lists["nurse"], lists["cook"]) == (
        apart["nurse"],
        apart["cook"],
    )  # as if nobody had labelled them: not removed, and unknown
    assert "n0" in lists["nurse"]
    assert found.manifest["left_out"]["items"] == 2


def test_audit_never_sees_what_is_left_out(tmp_path):
    study = make("benchmark", "phantom(seeds=2)").study()
    ids, query = study.collection.ids[::7], study.queries.ids[3]
    found = audits.audit(
        "phantom_ideal(dose=0.5)",
        "phantom(seeds=2)",
        attribute="gender",
        metric="AbsBias@10",
        leave_out=[*ids, f"query: {query}"],
    )
    assert not set(ids) & set(found.study.collection.ids)
    assert query not in found.result.queries
    assert found.result.manifest["left_out"] == {"items": len(ids), "queries": 1, "unmatched": 0}
    audits.save_audit(found, tmp_path / "run")
    again = fairlead.replay(tmp_path / "run")
    assert again.result.to_dict() == found.result.to_dict()


def test_projections_are_not_fitted_on_who_is_left_out():
    model, benchmark = "phantom_ideal(dose=0.5)", "phantom(seeds=2)"
    beside = make("benchmark", benchmark).reference().study().collection
    out = list(beside.ids[:50])
    asks = {"attribute": "gender", "mitigate": "leace", "leave_out": out}
    found = [
        audits.audit(model, benchmark, metric="AbsBias@10", **asks).result.manifest,
        fairlead.search("a photo of a nurse", model=model, collection=benchmark, **asks).manifest,
    ]
    for manifest in found:
        assert sum(manifest["projections"]["leace"]["samples"].values()) == len(beside) - len(out)


@pytest.mark.parametrize("benchmark", ["phantom(seeds=2)", "phantom:culture"])
def test_narrowing_is_that_of_a_slow_reference(benchmark):
    study, rng = make("benchmark", benchmark).study(), np.random.default_rng(5)
    items, queries = (rng.random(len(part)) < 0.1 for part in (study.collection, study.queries))
    found = without(study, items, queries)
    asked, sets = study.queries, study.queries.candidates
    kept = [
        q
        for q in range(len(asked))
        if not queries[q] and not (study.roles and sets is not None and items[sets.of(q)].any())
    ]
    assert found.queries.ids == tuple(asked.ids[q] for q in kept)
    ids = study.collection.ids
    for new, old in list(enumerate(kept))[::11]:
        for part in ("relevant", "candidates"):
            before, after = getattr(asked, part), getattr(found.queries, part)
            if before is not None:
                assert [found.collection.ids[r] for r in after.of(new)] == [
                    ids[r] for r in before.of(old) if not items[r]
                ]
    for name, groups in study.collection.groups.items():
        assert found.collection.groups[name].codes.tolist() == groups.codes[~items].tolist()


def test_search_neither_shows_nor_labels_what_is_left_out():
    choices = {
        "collection": "phantom(seeds=2)",
        "model": "phantom_ideal(dose=0.8)",
        "mitigate": "pbm",
        "attribute": "gender",
        "k": 6,
    }
    asked = ("a photo of a nurse", "a photo of a pilot")
    plain = fairlead.search(*asked, **choices)
    first = plain.results[0].variants[0].items[0].id
    found = fairlead.search(*asked, **choices, leave_out=[first, "query: *pilot*"])
    told = found.to_dict()
    assert first not in json.dumps(told["results"])
    nurse, pilot = told["results"]
    assert all(item["groups"] for v in nurse["variants"] for item in v["items"])
    assert all(item["groups"] == {} for v in pilot["variants"] for item in v["items"])
    assert all(v["metrics"] == [] for v in pilot["variants"])
    assert "reach" not in pilot
    assert pilot["variants"][0]["items"] == pilot["variants"][1]["items"]
    assert pilot["trigger"]["rule"] == "listed"
    assert told["manifest"]["left_out"] == {"items": 1, "queries": 1, "unmatched": 0}


def test_annotate_compare_plan_and_import_leave_out_the_same(tmp_path):
    captions = tmp_path / "photos.csv"
    captions.write_text(
        "item,caption\n"
        + "".join(
            f"{item},A {'woman' if n % 2 else 'man'} at work\n" for n, item in enumerate(LABELS)
        )
    )
    made = annotating.annotate(captions, "caption", "gender", leave_out=OUT)
    assert not set(made.collection.ids) & GONE
    made.write(tmp_path / "labels.csv")
    assert (
        not {
            row["item"]
            for row in csv.DictReader((tmp_path / "labels.csv").read_text().splitlines())
        }
        & GONE
    )
    assert made.to_dict()["left_out"] == {"items": len(GONE), "queries": 0, "unmatched": 0}
    store = tmp_path / "labels.db"
    from datetime import UTC, datetime

    now = datetime(2030, 1, 1, tzinfo=UTC)
    human_tasks.define(store, "gender", now, groups=("female", "male"))
    assert not set(human_work.plan(store, "gender", run=RUN, leave_out=OUT).items) & GONE
    answers = tmp_path / "answers.csv"
    answers.write_text("item,attribute,rater,answer\nn0,gender,ann,male\nn1,gender,ann,male\n")
    brought = human_answers.import_answers(store, answers, now, leave_out=OUT)
    assert (brought.new, brought.skipped) == (1, {"left out on request": 1})
    told = comparing.compare(RUN, LABELS, [LABELS], leave_out=["n1", "query: COO*"])
    assert {point.query for point in told.points} == {"nurse", "pilot"}
    assert any("Left out on request" in note for note in told.notes)


def test_doors_take_the_list(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.csv").write_text(
        "query,item,score\n"
        + "".join(f"{q},{i},{s}\n" for q, of in RUN.items() for i, s in of.items())
    )
    (tmp_path / "labels.csv").write_text(
        "item,gender\n" + "".join(f"{i},{of['gender']}\n" for i, of in LABELS.items())
    )
    (tmp_path / "out.txt").write_text("\n".join(OUT))
    for command in (
        ["check"],
        ["score", "--metric", "AbsBias@5"],
        ["rerank", "--mitigate", "pbm", "-k", "5"],
    ):
        with pytest.raises(SystemExit) as left:
            main(
                [
                    command[0],
                    "run.csv",
                    "--groups",
                    "labels.csv",
                    *command[1:],
                    "--leave-out",
                    "out.txt",
                    "--json",
                ]
            )
        assert left.value.code == 0
        manifest = json.loads(capsys.readouterr().out)["manifest"]
        assert manifest["left_out"] == {"items": len(GONE), "queries": 1, "unmatched": 0}
        assert manifest["inputs"]["leave_out"]["name"] == "out.txt"


def test_frontier_never_sees_what_is_left_out_of_any_gallery(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = (
        make("benchmark", f"phantom:skewed(first={number})").study() for number in (0, 1)
    )
    gone = [*first.collection.ids[:40], *second.collection.ids[:40]]
    query = next(
        q
        for q, asks in zip(first.queries.ids, first.queries.tags["asks"], strict=True)
        if asks == "neutral"
    )
    (tmp_path / "out.txt").write_text("\n".join([*gone, f"query: {query}", "nobody.jpg"]))
    asks = [
        "frontier",
        "--repeats",
        "2",
        "--all-queries",
        "-k",
        "3",
        "--mitigate",
        "detgreedy",
        "--json",
    ]
    answers = []
    for more in ([], ["--leave-out", "out.txt"]):
        with pytest.raises(SystemExit) as left:
            main([*asks, *more])
        assert left.value.code == 0
        answers.append(json.loads(capsys.readouterr().out))
    before, after = (answer["manifest"] for answer in answers)
    assert (
        after["left_out"] == {"items": len(set(gone)), "queries": 1, "unmatched": 1}
        and "left_out" not in before
    )
    assert after["queries"] == before["queries"] - 2  # the same query stands in both galleries
    assert (
        after["inputs"]["leave_out"]["name"] == "out.txt"
        and after["plan"]["leave_out"] == "out.txt"
    )
    assert f"Left out on request: {len(set(gone))} items and 1 query." in after["warnings"]
    assert answers[0]["rows"][0]["bias"] != answers[1]["rows"][0]["bias"]
