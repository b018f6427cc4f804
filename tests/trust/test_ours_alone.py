"""What is not provably ours is never replaced or cut off: vectors, journals, folders of indexes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead.engine.kept.records import forget
from fairlead.errors import FairleadError
from fairlead.store.embedding import WRITTEN
from fairlead.store.journal import FORMAT

HEADER = json.dumps({"format": FORMAT}, separators=(",", ":"))[:-1]
FOREIGN = {
    "a file of vectors": {"vectors.bin": b"mine"},
    "a journal without a last newline": {"items.jsonl": b'{"id": "a"}'},
    "a journal that says a format": {"items.jsonl": b'{"format":"mine"}'},
    "a journal with a format, whole": {"items.jsonl": b'{"format":"mine"}\n'},
    "both": {"items.jsonl": b"", "vectors.bin": b"mine"},
    "a beginning of ours with vectors": {
        "items.jsonl": HEADER[:20].encode(),
        "vectors.bin": b"mine",
    },
    "a table": {"items.parquet": b"mine"},
    "an empty journal and more": {"items.jsonl": b"", "skipped.csv": b"mine"},
    "offsets": {"offsets.bin": b"mine"},
    "a half-written file of theirs": {"items.parquet.partial": b"mine"},
}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "words.csv").write_text("id,text\na,one\nb,two\n")
    return tmp_path / "words.csv"


@pytest.mark.parametrize("files", FOREIGN.values(), ids=list(FOREIGN))
def test_embed_leaves_files_of_the_users_alone(tmp_path, source, files):
    mine = tmp_path / "mine"
    mine.mkdir()
    for name, content in files.items():
        (mine / name).write_bytes(content)
    before = contents(mine)
    with pytest.raises(FairleadError) as refused:
        fairlead.embed(source, model="phantom", out=mine, side="texts")
    assert refused.value.hint
    assert contents(mine) == before


@pytest.mark.parametrize("length", range(0, len(HEADER), 7))
def test_embed_goes_on_where_it_was_killed_in_the_first_line(tmp_path, source, length):
    out, twin = tmp_path / "out", tmp_path / "twin"
    out.mkdir()
    (out / "items.jsonl").write_bytes(HEADER[:length].encode())
    (out / "vectors.bin").write_bytes(b"")
    for folder in (out, twin):
        fairlead.embed(source, model="phantom", out=folder, side="texts")
    assert contents(out) == contents(twin)
    assert set(contents(out)) <= set(WRITTEN)


def test_letting_go_of_indexes_takes_what_was_kept_and_no_more(tmp_path):
    home = tmp_path / "indexes"
    ours = home / "fingerprint" / "faiss"
    ours.mkdir(parents=True)
    (ours / "kept.json").write_text(json.dumps({"index": None, "owner": "x"}))
    (ours / "a.npy").write_bytes(b"")
    (home / "mine" / "notes").mkdir(parents=True)
    (home / "mine" / "notes" / "a.txt").write_text("mine")
    (home / "fingerprint" / "b.txt").write_text("mine")
    (home / "empty").mkdir()
    assert forget(home) == 1
    assert contents(home) == {"mine/notes/a.txt": b"mine", "fingerprint/b.txt": b"mine"}
    assert not (home / "empty").exists()


def test_vectors_that_are_longer_than_the_journal_are_ours_to_cut(tmp_path, source):
    out = tmp_path / "out"
    fairlead.embed(source, model="phantom", out=out, side="texts")
    before = contents(out)
    with (out / "vectors.bin").open("ab") as file:
        file.write(np.zeros(3, np.float32).tobytes())
    with source.open("a") as file:
        file.write("c,three\n")
    fairlead.embed(source, model="phantom", out=out, side="texts")
    assert contents(out)["vectors.bin"].startswith(before["vectors.bin"])
