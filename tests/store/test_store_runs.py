"""Runs from every form give the same values."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import fairlead
from fairlead.commands.audit import save_audit
from fairlead.errors import UsageError
from fairlead.store import runs
from fairlead.store.runs import Run, read_run

ROWS = [("q2", "b", 0.5), ("q1", "x", 3.0), ("q2", "a", 0.75), ("q1", "y", -1.5), ("q2", "c", 1e-3)]
EXPECTED = {"q2": ["a", "b", "c"], "q1": ["x", "y"]}


def text(
    separator: str, rows: list[tuple[str, str, float]] = ROWS, header: str = "query item score"
) -> str:
    lines = [header.split(), *([q, i, str(s)] for q, i, s in rows)]
    return "".join(separator.join(line) + "\n" for line in lines)


def json_lines(rows: list[tuple[str, str, float]] = ROWS) -> str:
    return "".join(
        f'{{"item": "{i}", "score": {s}, "query": "{q}", "note": [1]}}\n' for q, i, s in rows
    )


def trec(rows: list[tuple[str, str, float]] = ROWS, gap: str = " ") -> str:
    return "".join(gap.join([q, "Q0", i, "0", str(s), "tag"]) + "\n" for q, i, s in rows)


def lists(run: Run) -> dict[str, list[str]]:
    return {query: run.of(query) for query in run.queries}


FILES = {
    "run.csv": text(","),
    "run.CSV": text(","),
    "run.tsv": text("\t"),
    "run.jsonl": json_lines(),
    "run.ndjson": json_lines(),
    "run.json-lines": json_lines(),
    "run.trec": trec(),
    "run.run": trec(gap="\t"),
    "run.txt": trec(gap=" \t  "),
    "other.tsv": trec(gap="\t"),
    "run": trec(),
    "run.results": text(","),
    "table.txt": text("\t"),
    "objects.txt": json_lines(),
    "aliases.csv": text(",", header="query-id Corpus_ID similarity"),
    "blank.csv": text(",").replace("\n", "\n\n"),
    "leading.csv": "\n\n" + text(","),
    "white.csv": text(",").replace("\n", "\n  \n"),
    "words.csv": text(",").replace("query,item,score", "Query ID,Item,SCORE"),
    "windows.csv": text(",").replace("\n", "\r\n"),
    "windows.trec": trec().replace("\n", "\r\n"),
    "blank.trec": "\n \n" + trec().replace("\n", " \n\n"),
    "mark.csv": "\ufeff" + text(","),
    "mark.trec": "\ufeff" + trec(),
    "spaces.csv": text(", "),
    "open.csv": text(",").removesuffix("\n"),
    "plus.trec": trec().replace("3.0", "+3.0"),
}


@pytest.mark.parametrize("name", FILES)
def test_run_file_of_any_form_gives_the_same_lists(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name].encode())
    run = read_run(tmp_path / name)
    assert lists(run) == EXPECTED
    assert run.queries == ("q2", "q1")
    assert run.ranking.scores.dtype == np.float32
    np.testing.assert_array_equal(run.ranking.scores, np.float32([0.75, 0.5, 1e-3, 3, -1.5]))
    assert run.name == name and run.path == tmp_path / name and run.ties == 0


@pytest.mark.parametrize("name", ["run.csv", "run.tsv", "run.jsonl", "run.trec"])
def test_run_file_zipped_is_read_as_if_it_were_not(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(FILES[name].encode()))
    assert lists(read_run(str(tmp_path / f"{name}.gz"))) == EXPECTED


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
def test_run_parquet_of_any_text_type_gives_the_same_lists(tmp_path: Path, kind: str) -> None:
    query, item, score = zip(*ROWS, strict=True)
    columns = {
        "query": pa.array(query),
        "item": pa.array(item),
        "score": pa.array(score, pa.float32()),
    }
    if kind == "large_string":
        columns |= {name: columns[name].cast(pa.large_string()) for name in ("query", "item")}
    if kind == "dictionary":
        unused = pa.array(["never", "a", "b", "c", "x", "y"])
        codes = pa.array([unused.to_pylist().index(i) for i in item], pa.int32())
        columns["item"] = pa.DictionaryArray.from_arrays(codes, unused)
    pq.write_table(pa.table(columns), tmp_path / "run.parquet")
    run = read_run(tmp_path / "run.parquet")
    assert lists(run) == EXPECTED
    assert "never" not in run.items


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_run_with_numbers_for_ids_reads_them_as_text(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    if suffix == ".parquet":
        pq.write_table(
            pa.table({"query": [1, 1, 2], "item": [10, 11, 10], "score": [1, 2, 3]}), path
        )
    else:
        path.write_text(
            '{"query": 1, "item": 10, "score": 1}\n{"query": 1, "item": 11, "score": 2}\n{"query": 2, "item": 10, "score": 3}\n'
        )
    assert lists(read_run(path)) == {"1": ["11", "10"], "2": ["10"]}


def test_run_json_lines_of_mixed_id_types_are_read_slowly_and_well(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text(
        '{"query": "q", "item": "2020-01-01", "score": 1}\n{"query": "q", "item": 7, "score": "2.5"}\n'
    )
    assert lists(read_run(tmp_path / "run.jsonl")) == {"q": ["7", "2020-01-01"]}


def test_run_ids_that_look_like_missing_values_are_ids(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("query,item,score\nNA,null,1\nNA,nan,2\n")
    assert lists(read_run(tmp_path / "run.csv")) == {"NA": ["nan", "null"]}


def test_run_quoted_values_may_hold_separators_and_line_ends(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(
        'query,item,score\n"a photo of a nurse, smiling","x ""1""",1\n"two\nlines",y,2\n'
    )
    assert lists(read_run(tmp_path / "run.csv")) == {
        "a photo of a nurse, smiling": ['x "1"'],
        "two\nlines": ["y"],
    }


def test_run_with_ranks_only_is_ordered_by_them() -> None:
    run = read_run({"query": ["q", "q", "q"], "item": ["a", "b", "c"], "rank": [3, 1, 2]})
    assert run.of("q") == ["b", "c", "a"]
    assert run.rank_given and run.ranking.positions is None
    np.testing.assert_array_equal(run.ranking.scores, [-1, -2, -3])


def test_run_ranks_decide_between_equal_scores() -> None:
    columns = {
        "query": ["q"] * 4,
        "item": list("abcd"),
        "score": [1, 1, 1, 2],
        "rank": [4, 2, 3, 1],
    }
    for seed in range(5):
        run = read_run(columns, seed=seed)
        assert run.of("q") == ["d", "b", "c", "a"]
    assert run.ties == 0.75


@pytest.mark.parametrize("first", [0, 1])
def test_run_ranks_with_gaps_are_kept_as_positions(first: int) -> None:
    columns = {
        "query": ["q", "q", "r"],
        "item": ["a", "b", "a"],
        "score": [2, 1, 5],
        "rank": [first, first + 6, first + 1],
    }
    run = read_run(columns)
    assert run.ranking.positions is not None
    assert run.ranking.ranks.tolist() == [1, 7, 2]


def test_run_ranks_from_zero_without_gaps_are_plain() -> None:
    run = read_run({"query": ["q", "q"], "item": ["a", "b"], "score": [2, 1], "rank": [0, 1]})
    assert run.ranking.positions is None


def test_trec_run_without_its_suffix_may_hold_ids_that_look_like_another_format(
    tmp_path: Path,
) -> None:
    for query in ("{", "PAR1", "a,b"):
        (tmp_path / "run.txt").write_text(f"{query} Q0 a 1 0.5 t\n")
        assert read_run(tmp_path / "run.txt").queries == (query,)


def test_trec_run_score_decides_against_its_rank(tmp_path: Path) -> None:
    (tmp_path / "a.trec").write_text("q Q0 a 1 0.1 t\nq Q0 b 2 0.9 t\nq Q0 c 3 0.5 t\n")
    assert read_run(tmp_path / "a.trec").of("q") == ["b", "c", "a"]


def test_trec_run_rank_decides_between_equal_scores(tmp_path: Path) -> None:
    (tmp_path / "a.trec").write_text("q Q0 a 3 0.5 t\nq Q0 b 1 0.5 t\nq Q0 c 2 0.5 t\n")
    run = read_run(tmp_path / "a.trec")
    assert run.of("q") == ["b", "c", "a"] and run.ties == 1.0


def test_run_order_is_by_the_full_score_not_by_its_stored_32_bits() -> None:
    run = read_run({"q": {"a": 1.0, "b": 1.0 + 1e-12, "c": 1.0 + 2e-12}})
    assert run.of("q") == ["c", "b", "a"] and run.ties == 0


def test_run_given_as_a_run_is_returned_as_it_is() -> None:
    run = read_run({"q": {"a": 1}})
    assert read_run(run) is run


def test_run_reports_progress_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(text(","))
    calls: list[tuple[str, int, int]] = []
    read_run(
        tmp_path / "run.csv", progress=lambda label, done, total: calls.append((label, done, total))
    )
    size = (tmp_path / "run.csv").stat().st_size
    assert calls[-1] == ("reading run.csv", size, size)


def test_run_ties_word_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match=r"ties got 'random'\. Accepted: hash, stable\."):
        read_run({"q": {"a": 1}}, ties="random")  # type: ignore[arg-type]


def test_run_longer_than_a_block_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairlead.store import sound

    monkeypatch.setattr(sound, "_BLOCK", 64)
    rows = [(f"q{n % 7}", f"item-{n}", float(n)) for n in range(500)]
    for name, content in {
        "a.csv": text(",", rows),
        "a.trec": trec(rows),
        "a.jsonl": json_lines(rows),
    }.items():
        (tmp_path / name).write_text(content)
        run = read_run(tmp_path / name)
        assert {q: run.of(q) for q in run.queries} == {
            f"q{k}": [f"item-{n}" for n in range(499, -1, -1) if n % 7 == k] for k in range(7)
        }


def test_store_modules_load_without_arrow() -> None:
    names = [p.stem for p in Path(runs.__file__).parent.glob("*.py") if p.stem != "__init__"]
    imports = "".join(f"import fairlead.store.{name}\n" for name in names)
    code = f"import sys\n{imports}sys.exit('pyarrow' in sys.modules or 'pandas' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_run_of_a_saved_audit_is_its_plain_lists(tmp_path: Path) -> None:
    audit = fairlead.audit("phantom_ideal(dose=1)", "phantom(seeds=1)", mitigate="pbm")
    save_audit(audit, tmp_path / "audit")
    folder, file = read_run(tmp_path / "audit"), read_run(tmp_path / "audit" / "run.parquet")
    assert lists(folder) == lists(file)
    plain = audit.rankings["plain"]
    for number, query in enumerate(folder.queries):
        start, stop = plain.offsets[number : number + 2]
        ids = [audit.run.items[row] for row in plain.rows[start:stop]]
        assert folder.of(query) == ids
