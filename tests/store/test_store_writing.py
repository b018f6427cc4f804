"""Rankings written and read back; files and folders that appear whole or not at all."""

import json
import os
import re
import stat
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import DataError, UsageError
from fairlead.store import writing
from fairlead.store.ours import sign
from fairlead.store.runs import Run, read_run
from fairlead.store.writing import atomic, atomic_folder, write_ranking
from fairlead.types import Ranking

# Ids that begin like a formula are guarded in CSV, which tests/trust/test_cells.py looks at.
pytestmark = pytest.mark.filterwarnings("ignore::fairlead.store.cells.GuardedCells")
EXAMPLES = 200 if os.environ.get("FAIRLEAD_BARS") == "full" else 25
SUFFIXES = [".trec", ".run", ".txt", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"]
names = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=5)
free_names = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5
).filter(lambda t: t == t.strip())


def lists(run: Run) -> dict[str, list[str]]:
    return {query: run.of(query) for query in run.queries}


def rerank(source: dict[str, dict[str, float]], seed: int) -> Run:
    """A run whose lists are in an order that contradicts their scores."""
    run = read_run(source)
    rng = np.random.default_rng(seed)
    parts = zip(run.ranking.offsets[:-1], run.ranking.offsets[1:], strict=True)
    order = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in parts])
    return Run(run.ranking.take(order, run.ranking.lengths), run.queries, run.items)


def round_trip(run: Run, suffix: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"out{suffix}"
        write_ranking(path, run.ranking, run.queries, run.items)
        assert os.listdir(folder) == [path.name]
        return read_run(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(
    source=st.dictionaries(
        names, st.dictionaries(names, st.floats(-10, 10, width=32), min_size=1), min_size=1
    ),
    seed=st.integers(0, 99),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_ranking_written_and_read_back_has_the_same_order(
    suffix: str, source: dict[str, dict[str, float]], seed: int
) -> None:
    run = rerank(source, seed)
    back = round_trip(run, suffix)
    assert lists(back) == lists(run) and back.queries == run.queries and back.ties == 0


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
@given(
    source=st.dictionaries(
        free_names,
        st.dictionaries(free_names, st.floats(-10, 10, width=32), min_size=1),
        min_size=1,
    )
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_ranking_with_any_text_for_ids_survives_tables(
    suffix: str, source: dict[str, dict[str, float]]
) -> None:
    run = rerank(source, 0)
    assert lists(round_trip(run, suffix)) == lists(run)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_ranking_in_chunks_is_written_whole(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_CHUNK", 7)
    run = rerank({f"q{n}": {f"i{k}": float(k) for k in range(n + 1)} for n in range(12)}, 1)
    assert lists(round_trip(run, suffix)) == lists(run)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_ranking_positions_survive(suffix: str) -> None:
    run = Run(
        Ranking(np.array([0, 2, 3]), [0, 1, 0], [0.5, 0.25, 0.125], [3, 17, 2]),
        ("q", "r"),
        read_run({"q": {"a": 2, "b": 1}}).items,
    )
    back = round_trip(run, suffix)
    assert lists(back) == lists(run) and back.ranking.ranks.tolist() == [3, 17, 2]


def test_ranking_file_says_order_and_first_stage_score(tmp_path: Path) -> None:
    ranking = Ranking.of([[1, 0, 2]], [[0.1, 0.7, 1e-7]])
    write_ranking(tmp_path / "a.csv", ranking, ["q"], ["x", "y", "z"])
    assert (
        tmp_path / "a.csv"
    ).read_text() == "query,item,rank,score,plain_score\nq,y,1,3,0.1\nq,x,2,2,0.7\nq,z,3,1,1e-7\n"
    write_ranking(tmp_path / "a.trec", ranking, ["q"], ["x", "y", "z"], tag="my run")
    assert (
        tmp_path / "a.trec"
    ).read_text() == "q Q0 y 1 3 my-run\nq Q0 x 2 2 my-run\nq Q0 z 3 1 my-run\n"
    write_ranking(tmp_path / "a.jsonl", ranking, ["q"], ["x", "y", "z"])
    assert (tmp_path / "a.jsonl").read_text().splitlines()[
        0
    ] == '{"query": "q", "item": "y", "rank": 1, "score": 3, "plain_score": 0.1}'


def test_ranking_long_list_keeps_its_scores_apart_in_a_trec_run(tmp_path: Path) -> None:
    count = 1_100_000 if os.environ.get("FAIRLEAD_BARS") == "full" else 30_000
    write_ranking(
        tmp_path / "a.trec",
        Ranking(np.array([0, count]), np.arange(count), np.zeros(count)),
        ["q"],
        [str(n) for n in range(count)],
    )
    run = read_run(tmp_path / "a.trec")
    assert (
        run.ties == 0 and run.items[0] == "0" and np.array_equal(run.ranking.rows, np.arange(count))
    )


@pytest.mark.parametrize(("query", "item"), [("a nurse", "x"), ("q", "x y.jpg"), ("q", "")])
def test_ranking_ids_with_spaces_are_refused_in_a_trec_run(
    tmp_path: Path, query: str, item: str
) -> None:
    with pytest.raises(
        DataError,
        match=r"cannot stand in a TREC run: white space separates its values\. Write \.csv, \.jsonl or",
    ):
        write_ranking(tmp_path / "a.trec", Ranking.of([[0]]), [query], [item])
    assert not list(tmp_path.iterdir())


def test_ranking_suffix_of_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError,
        match=r"cannot be written to 'a\.xlsx': its suffix names no format\. Accepted: \.csv, \.tsv",
    ):
        write_ranking(tmp_path / "a.xlsx", Ranking.of([[0]]), ["q"], ["x"])


def _fail_half_way(partial: Path, place: Path) -> None:
    partial.write_text("half")
    assert not place.exists() or place.read_text() == "before"
    raise RuntimeError


def test_atomic_file_replaces_only_when_all_went_well(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("before")
    with pytest.raises(RuntimeError), atomic(path) as partial:
        _fail_half_way(partial, path)
    assert path.read_text() == "before" and os.listdir(tmp_path) == ["out.txt"]
    with atomic(path) as partial:
        partial.write_text("after")
    assert path.read_text() == "after" and os.listdir(tmp_path) == ["out.txt"]


def test_atomic_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    with atomic(tmp_path / "a") as partial:
        partial.write_text("x")
    (tmp_path / "b").write_text("x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "b").stat().st_mode
    )


def test_atomic_file_in_a_folder_that_is_not_there_is_refused_by_its_name(tmp_path: Path) -> None:
    with (
        pytest.raises(
            UsageError, match=f"There is no folder {re.escape(str(tmp_path / 'x' / 'y'))}"
        ),
        atomic(tmp_path / "x" / "y" / "o.txt"),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_atomic_folder_makes_missing_folders_at_the_end_only(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), atomic_folder(tmp_path / "u" / "v"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
    with atomic_folder(tmp_path / "u" / "v") as folder:
        _manifest(folder)
    assert os.listdir(tmp_path / "u" / "v") == ["manifest.json"] and os.listdir(tmp_path) == ["u"]


def test_atomic_keeps_a_link_and_writes_behind_it(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("before")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    with atomic(tmp_path / "link.txt") as partial:
        partial.write_text("after")
    assert (tmp_path / "link.txt").is_symlink() and (tmp_path / "real.txt").read_text() == "after"


def test_atomic_refuses_what_is_not_a_file(tmp_path: Path) -> None:
    for path in (tmp_path, "/dev/null"):
        with (
            pytest.raises(UsageError, match="is not a file, so it cannot be replaced"),
            atomic(path),
        ):
            raise AssertionError


def test_atomic_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "run"
    with pytest.raises(RuntimeError), atomic_folder(place) as folder:
        _fail_half_way(folder / "file", place)
    assert not list(tmp_path.iterdir())
    with atomic_folder(place) as folder:
        _manifest(folder, "1")
        (folder / "old").write_text("")
    with pytest.raises(RuntimeError), atomic_folder(place) as folder:
        raise RuntimeError
    assert sorted(os.listdir(place)) == ["manifest.json", "old"]
    with atomic_folder(place) as folder:
        _manifest(folder, "2")
    assert os.listdir(place) == ["manifest.json"] and _told(place) == "2"
    assert os.listdir(tmp_path) == ["run"]


def test_atomic_folder_takes_an_empty_one_and_refuses_a_foreign_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with atomic_folder(tmp_path / "empty") as folder:
        _manifest(folder, "1")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_text("")
    with (
        pytest.raises(
            UsageError, match=r"is a folder with other things in it \(no manifest\.json\)"
        ),
        atomic_folder(tmp_path / "photos"),
    ):
        raise AssertionError
    with (
        pytest.raises(UsageError, match="is a file, so it cannot become a folder"),
        atomic_folder(tmp_path / "photos" / "a.jpg"),
    ):
        raise AssertionError
    assert os.listdir(tmp_path / "photos") == ["a.jpg"]


@pytest.mark.parametrize("writer", [atomic, atomic_folder])
def test_atomic_place_that_cannot_be_written_is_a_usage_error(
    tmp_path: Path, writer: object
) -> None:
    # A path below a file cannot be made by anybody, not even by an administrator, who may write to
    # read-only folders.
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(
            UsageError, match=r"cannot be written: .* Choose a folder you may write to\."
        ),
        writer(tmp_path / "file" / "x"),
    ):  # type: ignore[operator]
        raise AssertionError


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may write anywhere")
def test_atomic_read_only_folder_is_a_usage_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="Permission denied"), atomic(tmp_path / "x"):
            raise AssertionError
    finally:
        tmp_path.chmod(0o700)


def _manifest(folder: Path, told: str = "", **more: object) -> None:
    (folder / "manifest.json").write_text(
        json.dumps({"fairlead": "0", "command": "score", "told": told, **more})
    )


def _told(folder: Path) -> str:
    return str(json.loads((folder / "manifest.json").read_text())["told"])


def _state(folder: Path) -> dict[str, bytes | str | None]:
    """Everything below a folder, links as where they point."""
    inside = {str(p.relative_to(folder)): p for p in folder.rglob("*")}
    return {
        n: os.readlink(p) if p.is_symlink() else None if p.is_dir() else p.read_bytes()
        for n, p in inside.items()
    }


def _leave(path: Path, name: str, *, file: bool = False, age: float = 3_600) -> Path:
    """Something a killed run left beside a path."""
    left = path.parent / f".{path.stem}.0123abcd.{name}{path.suffix}"
    if file:
        left.write_text("half")
    else:
        left.mkdir()
        _manifest(left, "earlier")
        sign(left)
    os.utime(left, (left.stat().st_atime - age, left.stat().st_mtime - age))
    return left


def test_atomic_clears_what_a_killed_run_left_and_nothing_else(tmp_path: Path) -> None:
    gone = [
        _leave(tmp_path / "run", "partial"),
        _leave(tmp_path / "run.json", "partial", file=True),
    ]
    kept = [
        _leave(tmp_path / "other", "partial"),
        _leave(tmp_path / "run.html", "partial", file=True, age=0),
        tmp_path / ".run.partial",
    ]
    kept[-1].write_text("mine")
    with atomic_folder(tmp_path / "run") as folder:
        _manifest(folder, "1")
    for name in ("run.json", "run.html"):
        with atomic(tmp_path / name) as partial:
            partial.write_text("1")
    assert not any(left.exists() for left in gone) and all(left.exists() for left in kept)


def test_atomic_leaves_what_another_run_is_working_on(tmp_path: Path) -> None:
    place = tmp_path / "run"
    with atomic_folder(place) as first:
        os.utime(first, (0, 0))
        with atomic_folder(place) as second:
            assert first.is_dir()
            _manifest(second, "2")
        _manifest(first, "1")
    assert _told(place) == "1" and os.listdir(tmp_path) == ["run"]


def test_atomic_folder_that_was_being_replaced_comes_back(tmp_path: Path) -> None:
    place = tmp_path / "run"
    _leave(place, "former")
    with pytest.raises(RuntimeError), atomic_folder(place):
        raise RuntimeError
    assert _told(place) == "earlier" and os.listdir(tmp_path) == ["run"]
    _leave(place, "former")
    with atomic_folder(place) as folder:
        _manifest(folder, "later")
    assert _told(place) == "later" and os.listdir(tmp_path) == ["run"]


def _written(place: Path) -> None:
    """A folder as a command leaves it."""
    with atomic_folder(place, {"command": "score"}) as folder:
        _manifest(folder)
        (folder / "rankings").mkdir()
        (folder / "rankings" / "0.csv").write_text("")


def _own_file(place: Path) -> None:
    (place / "notes.md").write_text("x")


def _own_folder(place: Path) -> None:
    (place / "figs").mkdir()


def _own_file_deep_inside(place: Path) -> None:
    (place / "rankings" / "mine.csv").write_text("x")


def _own_link(place: Path) -> None:
    (place / "rankings" / "0.csv").unlink()
    (place / "rankings" / "0.csv").symlink_to(place.parent)


def _manifest_of_others(place: Path) -> None:
    (place / "manifest.json").write_text('{"name": "my web app"}')


def _manifest_without_list(place: Path) -> None:
    _manifest(place)


def _manifest_no_json(place: Path) -> None:
    (place / "manifest.json").write_text("{")


def _manifest_of_another_command(place: Path) -> None:
    _manifest(place, files=["manifest.json", "rankings/0.csv"], command="train")


@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize(("change", "said"), [
    (_own_file, r"did not write there: notes\.md\. Nothing was changed\. Move that away"),
    (_own_folder, r"did not write there: figs/\."),
    (_own_file_deep_inside, r"did not write there: rankings/mine\.csv\."),
    (_own_link, r"did not write there: rankings/0\.csv/\."),
    (_manifest_of_others, r"its manifest\.json is not one that lists"),
    (_manifest_without_list, r"its manifest\.json is not one that lists"),
    (_manifest_no_json, r"its manifest\.json is not one that lists"),
    (_manifest_of_another_command, r"with command train, not score\. Choose another folder for it, or delete this one"),
])  # fmt: skip
def test_atomic_folder_with_what_is_not_ours_is_refused_and_nothing_changes(
    tmp_path, change, said, at_the_end
) -> None:
    place = tmp_path / "run"
    _written(place)
    if not at_the_end:
        change(place)
    before = _state(place)

    def write() -> None:
        nonlocal before
        with atomic_folder(place, {"command": "score"}) as folder:
            assert at_the_end
            _manifest(folder)
            change(place)
            before = _state(place)

    with pytest.raises(UsageError, match=said):
        write()
    assert _state(place) == before and os.listdir(tmp_path) == ["run"]


def test_atomic_folder_names_some_of_many_foreign_files(tmp_path: Path) -> None:
    _written(tmp_path / "run")
    for n in range(1_200):
        (tmp_path / "run" / f"{n:04}.jpg").touch()
    with (
        pytest.raises(UsageError, match=r"0000\.jpg, 0001\.jpg, 0002\.jpg and 1,197 more\."),
        atomic_folder(tmp_path / "run"),
    ):
        raise AssertionError


def test_atomic_folder_with_what_a_desktop_leaves_is_still_ours(tmp_path: Path) -> None:
    _written(tmp_path / "run")
    (tmp_path / "run" / ".DS_Store").touch()
    _written(tmp_path / "run")
    assert sorted(_state(tmp_path / "run")) == ["manifest.json", "rankings", "rankings/0.csv"]


def test_atomic_folder_lists_its_files_in_its_manifest(tmp_path: Path) -> None:
    _written(tmp_path / "run")
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["files"] == [
        "manifest.json",
        "rankings/0.csv",
    ]
    with (
        pytest.raises(ValueError, match="names fairlead and a command"),
        atomic_folder(tmp_path / "other") as folder,
    ):
        (folder / "file").touch()
    assert os.listdir(tmp_path) == ["run"]


@pytest.mark.parametrize("path", [".", "..", "../..", "../b"])
def test_atomic_folder_never_replaces_where_we_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    with (
        pytest.raises(UsageError, match="is the folder you are in, or one around it"),
        atomic_folder(path),
    ):
        raise AssertionError


def test_atomic_folder_behind_a_link_keeps_what_is_not_ours(tmp_path: Path) -> None:
    _written(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    _written(tmp_path / "link")
    (tmp_path / "real" / "thesis.txt").write_text("x")
    before = _state(tmp_path)
    with pytest.raises(UsageError, match=r"thesis\.txt"), atomic_folder(tmp_path / "link"):
        raise AssertionError
    assert _state(tmp_path) == before and (tmp_path / "link").is_symlink()
