"""CSV for spreadsheets: no cell is a formula, and our readers give back what was written."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairlead.cli.main import main
from fairlead.engine.human.work import item_fields
from fairlead.report.saving import write_records
from fairlead.store import tables
from fairlead.store.answer_files.choose import read_answers
from fairlead.store.answer_files.mturk import write_mturk
from fairlead.store.answer_files.plain import write_plain
from fairlead.store.answer_files.records import Expected
from fairlead.store.blocks import NotHealthy
from fairlead.store.cells import GuardedCells, plain_cell, write_cells
from fairlead.store.faults import read_checked
from fairlead.store.label_writing import write_candidate_labels, write_labels
from fairlead.store.labels import read_groups
from fairlead.store.queries import read_queries
from fairlead.store.runs import read_run
from fairlead.store.writing import write_ranking
from fairlead.types import Groups, Ranking
from fairlead.types.answers import Answer, Task

SOURCE = Path(__file__).parents[2] / "src" / "fairlead"
FULL = os.environ.get("FAIRLEAD_BARS") == "full"
STARTS = ["=", "+", "-", "@", "\t", "\r", "＝", "'=", "''@", "'\t", "'"]
EVIL = [f"{start}cmd|'/C calc'!A0{n}" for n, start in enumerate(STARTS)]
PLAIN = ["a", "a=b", "x-1", "'tis", "1+1", 'a "b", c', "a\nb", "é@b", "ok"]
IDS = [*EVIL, *PLAIN]

texts = st.builds(
    str.__add__,
    st.sampled_from(["", "'", "=", "-", "'+", "''@", "\t", "\r", "＠", "a"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4),
)
pytestmark = pytest.mark.filterwarnings("ignore::fairlead.store.cells.GuardedCells")
quick = settings(
    max_examples=500 if FULL else 40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def formulas(path: Path, numbers: tuple[str, ...] = ()) -> list[str]:
    """Cells that a spreadsheet would run, as Python's own reader parts them."""
    with path.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream, delimiter="\t" if path.suffix == ".tsv" else ","))
    columns, *rows = lines
    kept = [at for at, name in enumerate(columns) if name not in numbers]
    cells = [*columns, *(row[at] for row in rows for at in kept)]
    return [cell for cell in cells if re.match("[=+\\-@\t\r\n＝＋－＠]", cell)]


@given(st.lists(st.tuples(texts, texts), max_size=4), st.sampled_from(",\t"), st.booleans())
@quick
def test_what_is_written_is_read_by_anybody_and_by_us(rows, separator, quoted):
    stream = io.StringIO(newline="")
    write_cells(stream, ("a", "b"), rows, separator=separator, quoted=quoted)
    stream.seek(0)
    _, *found = csv.reader(stream, delimiter=separator)
    assert [tuple(map(plain_cell, row)) for row in found] == rows


def test_sound_cells_are_written_as_python_writes_them():
    rows = [("a", 1, 0.1, None, True), ("b,c", -1, -0.25, "", 'say "x"'), ("a\nb", 2, 3e-9, "é", 0)]
    ours, theirs = io.StringIO(newline=""), io.StringIO(newline="")
    write_cells(ours, ("v", "w", "x", "y", "z"), rows, end="\r\n")
    csv.writer(theirs).writerows([("v", "w", "x", "y", "z"), *rows])
    assert ours.getvalue() == theirs.getvalue()


# ---------------------------------------------------------------- every writer, and its reader


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize("exact", [False, True], ids=["fast", "exact"])
def test_runs(tmp_path, suffix, exact, monkeypatch):
    path = tmp_path / f"run{suffix}"
    count = len(IDS)
    scores = [-1.0 * n for n in range(count)]
    write_ranking(path, Ranking.of([list(range(count))] * 2, [scores] * 2), EVIL[:2], IDS)
    assert formulas(path, ("score", "plain_score")) == []
    # A score below zero is a number in a spreadsheet too.
    assert ",-3" in path.read_text() or "\t-3" in path.read_text()
    if exact:
        monkeypatch.setattr(tables.blocks, "batches", _stumbles)
    back = read_run(path)
    assert list(back.queries) == EVIL[:2]
    assert [back.of(query) for query in back.queries] == [IDS, IDS]


def _stumbles(*_: Any) -> Any:
    raise NotHealthy("asked to")


@given(source=st.dictionaries(texts.map(str.strip), st.just(1.0), min_size=1))
@quick
def test_fast_and_exact_agree_on_runs(source, tmp_path):
    ids = [name for name in source if name] or ["a"]
    path = tmp_path / "run.csv"
    write_ranking(path, Ranking.of([list(range(len(ids)))], [[0.0] * len(ids)]), ["q"], ids)
    fast = read_run(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables.blocks, "batches", _stumbles)
        exact = read_run(path)
    assert fast.of("q") == exact.of("q") == ids


def test_labels(tmp_path):
    groups = Groups("=race", ("+a", "-b"), codes=np.arange(len(IDS)) % 2)
    soft = Groups("@gender", ("f", "m"), soft=np.full((len(IDS), 2), 0.5))
    path = tmp_path / "labels.csv"
    write_labels(path, {"=race": (IDS, groups), "@gender": (IDS, soft)})
    assert formulas(path) == []
    run = read_run({"q": {name: -float(n) for n, name in enumerate(IDS)}})
    back = read_groups(path, run, ["@gender"])
    assert back.attributes["@gender"].names == ("f", "m")
    assert tables.read_table(path, _every).any["=race"].to_pylist()[:2] == ["+a", "-b"]
    names = tables.read_table(path, lambda header: {"item": "id"}).ids["item"][0]
    assert sorted(names) == sorted(IDS)


def _every(header: tables.Header) -> dict[str, Any]:
    return dict.fromkeys(header.columns, "any")


def test_labels_of_candidates(tmp_path):
    path = tmp_path / "labels.csv"
    pairs = [(EVIL[0], item) for item in IDS]
    groups = Groups("gender", ("=a", "b"), codes=np.arange(len(IDS)) % 2)
    write_candidate_labels(path, pairs, groups)
    assert formulas(path) == []
    kinds: dict[str, Any] = {"query": "id", "item": "id"}
    table = tables.read_table(path, lambda header: kinds)
    (queries, query), (items, item) = table.ids.values()
    assert [(queries[int(q)], items[int(i)]) for q, i in zip(query, item, strict=True)] == pairs


@pytest.mark.parametrize("form", ["answers", "mturk"])
def test_answers(tmp_path, form):
    path = tmp_path / "answers.csv"
    trimmed = [name for name in IDS if name.isprintable()]
    answers = [
        Answer(item, "=sex", f"@rater{n}", "-a", datetime(2024, 1, 2, tzinfo=UTC), id=f"+{n}")
        for n, item in enumerate(trimmed)
    ]
    if form == "mturk":
        write_mturk(path, answers, {"=sex": 0.05})
    else:
        write_plain(path, answers)
    assert formulas(path) == []
    tasks = {"=sex": Task("=sex", ("-a", "b"))}
    read = read_answers(path, Expected(tasks, datetime.now(UTC)))
    assert [(a.item, a.rater, a.answer, a.attribute) for a in read.answers] == [
        (a.item, a.rater, a.answer, a.attribute) for a in answers
    ]


def test_records_and_checked_tables(tmp_path):
    path = tmp_path / "per_query.csv"
    trimmed = [name.strip() for name in IDS]
    write_records(path, [{"query": name, "value": -0.5} for name in trimmed])
    assert formulas(path, ("value",)) == []
    assert [one.cells["query"] for one in read_checked(path).records] == trimmed
    assert list(read_queries(path).ids) == trimmed


@pytest.mark.parametrize("form", [".jsonl", ".parquet", ".trec"])
def test_formats_for_programs_hold_ids_as_they_are(tmp_path, form):
    path, ids = tmp_path / f"run{form}", ["=a", "-b", "'=c", "@d"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_ranking(path, Ranking.of([[0, 1, 2, 3]], [[4.0, 3.0, 2.0, 1.0]]), ["+q"], ids)
    assert read_run(path).of("+q") == ids


def test_door_says_so_and_the_command_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run = [{"query": f"={q}", "item": f"-{i}", "score": 9 - i} for q in range(2) for i in range(6)]
    labels = [{"item": f"-{i}", "gender": "+ab"[i % 2 :]} for i in range(6)]
    Path("run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in run))
    Path("labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels))
    given = ["--groups", "labels.jsonl"]
    with pytest.raises(SystemExit) as left:
        main(["rerank", "run.jsonl", *given, "--mitigate", "pbm", "-k", "3", "-o", "o.csv"])
    shown = capsys.readouterr()
    assert left.value.code == 0
    assert shown.err.startswith("! Cells that begin like a formula (= + - @) stand behind an apost")
    assert formulas(Path("o.csv"), ("plain_score",)) == []
    # What was written joins what was never in a spreadsheet.
    with pytest.raises(SystemExit) as left:
        main(["check", "o.csv", *given, "--min-coverage", "1"])
    assert left.value.code == 0


def test_programs_are_warned_too(tmp_path):
    with pytest.warns(GuardedCells, match="apostrophe"):
        write_records(tmp_path / "a.csv", [{"query": "=1"}])


def test_work_for_people(tmp_path):
    path = tmp_path / "items.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        write_cells(stream, ("item", "=url"), [("=a", "+b")])
    assert item_fields(path) == {"=a": {"=url": "+b"}}


def test_cells_are_written_in_one_place():
    places = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"csv\.(Dict)?[wW]rite|to_csv|write_csv", path.read_text("utf-8"))
    }
    assert places == set()
