"""``check`` of one's own data: every fault with file and line, through both doors."""

from __future__ import annotations

from pathlib import Path

import pytest

import fairlead
from fairlead.benchmarks.own import check_own
from fairlead.errors import UsageError

TEXTS = "id,text\na,a nurse\nb,a judge\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of captions that picture queries ask; two of its tables are faulty."""
    from PIL import Image

    place = tmp_path / "people"
    (place / "images").mkdir(parents=True)
    for name, colour in (("a.png", "red"), ("b.png", "blue")):
        Image.new("RGB", (16, 16), colour).save(place / "images" / name)
    (place / "queries.csv").write_text("query,text\nq1,a nurse\nq1,a judge\nq2,\n")
    (place / "labels.csv").write_text("item,gender\na.png,f\nb.png,m\na.png,m\nx.png,m\n")
    return place


def test_check_of_own_data_shows_every_fault_and_exits_1(door, schema_faults, folder: Path) -> None:
    told = door("check", f"own:{folder}")
    assert told.code == 1
    for words in ("queries.csv", "labels.csv", "grave"):
        assert words in told.out
    answer = door("check", f"own:{folder}", "--json")
    assert answer.code == 1 and schema_faults("data_check", answer.json) == []
    rows = [(one["file"], one["line"], one["grave"]) for one in answer.json["faults"]]
    assert rows == [(one.file, one.line, one.grave) for one in check_own(folder)]
    assert ("queries.csv", 3, True) in rows and len(rows) >= 3


def test_check_of_files_tells_what_check_of_the_folder_tells(door, folder: Path) -> None:
    files = ["--collection", folder / "images", "--queries", folder / "queries.csv"]
    told = door("check", *files, "--groups", folder / "labels.csv", "--json")
    same = door("check", f"own:{folder}", "--json")
    assert told.code == 1
    key = [(one["file"], one["line"]) for one in told.json["faults"]]
    assert key == [(one["file"], one["line"]) for one in same.json["faults"]]


def test_check_of_sound_data_exits_0(door, folder: Path) -> None:
    (folder / "queries.csv").write_text("query,text\nq1,a nurse\nq2,a judge\n")
    (folder / "labels.csv").write_text("item,gender\na.png,f\nb.png,m\n")
    told = door("check", f"own:{folder}")
    assert told.code == 0 and "nothing is wrong" in told.out
    assert fairlead.check(f"own:{folder}").faults == ()


def test_check_that_cannot_be_meant_is_refused(folder: Path) -> None:
    run = {"q": {"a": 1.0}}
    with pytest.raises(UsageError, match="No labels were given"):
        fairlead.check(run, qrels={"q": {"a": 1}})
    with pytest.raises(UsageError, match="Nothing is to be checked"):
        fairlead.check()
    with pytest.raises(UsageError, match="a collection and queries"):
        fairlead.check(collection=folder)
    with pytest.raises(UsageError, match="no files of yours"):
        fairlead.check("phantom")
