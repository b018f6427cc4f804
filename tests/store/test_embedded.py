"""The embedded collection: what is committed lasts, what is torn is told, and whatever a kill
leaves behind leads to the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import BackendError, DataError, UsageError
from fairlead.store import compaction, embedded
from fairlead.store.embedding import EmbeddingWriter
from fairlead.store.journal import read_journal
from fairlead.store.locks import locked
from fairlead.store.sources.entries import SourceEntry
from fairlead.store.vectors_file import verify
from fairlead.types import Embeddings
from fairlead.types.ragged import offsets_of

ABOUT = {
    "command": "embed",
    "source": {"kind": "folder", "path": "/p"},
    "model": {"spec": "m", "fingerprint": "f"},
}


@pytest.fixture(scope="module", autouse=True)
def quick_disk():
    """Nobody pulls the plug here, and waiting for the disk thousands of times is most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


def header(**more: Any) -> dict[str, Any]:
    return {"source": {"kind": "folder", "path": "/p"}, "model": {"spec": "m", "fingerprint": "f"}, "dtype": "float32",
            "side": "images", "max_pixels": 9, **more}  # fmt: skip


def entry(number: int, **more: Any) -> SourceEntry:
    return SourceEntry(
        f"{number}.jpg",
        f"/p/{number}.jpg",
        more.pop("text", None),
        100 + number,
        7,
        tuple(more.items()),
    )


def content(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:32]


def vectors_of(numbers: list[int], width: int, many: bool) -> Embeddings:
    """Vectors that depend on the item alone; with many, 1 to 3 of them."""
    sizes = np.array([1 + number % 3 if many else 1 for number in numbers], np.int64)
    rows = [
        np.random.default_rng([number, at]).normal(size=width)
        for number, size in zip(numbers, sizes, strict=True)
        for at in range(size)
    ]
    return Embeddings(
        np.array(rows, np.float32).reshape(-1, width), offsets_of(sizes) if many else None
    )


def write(folder: Path, numbers: list[int], *, step: int = 3, width: int = 4, many: bool = False, bad: frozenset[int] = frozenset(),
          opened: EmbeddingWriter | None = None, **more: Any) -> None:  # fmt: skip
    """Embed numbers, some of them bad, in batches of ``step``; what the folder has is left out."""
    entries = [entry(number) for number in numbers]
    writer = opened or embedded.open_writer(
        folder, header(**more), entries, lambda e: content(int(e.id[:-4])), ABOUT
    )
    with writer:
        todo = [number for number in numbers if entry(number) not in writer.known]
        batch: list[int] = []
        for number in todo:
            if number in bad:
                writer.skip(entry(number), "damaged", f"It is {number}.")
            else:
                writer.keep(entry(number), content(number))
                batch.append(number)
            if len(batch) == step:
                writer.commit(vectors_of(batch, width, many))
                batch = []
        writer.commit(vectors_of(batch, width, many) if batch else None)
        writer.finish(ABOUT)


def files(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_embedded_folder_gives_back_what_was_written(tmp_path, many, dtype):
    write(tmp_path / "e", list(range(10)), many=many, bad=frozenset({4}), dtype=dtype)
    found = embedded.open_embedded(tmp_path / "e", "f")
    kept = [n for n in range(10) if n != 4]
    expected = vectors_of(kept, 4, many)
    assert (
        isinstance(found.embeddings.vectors, np.memmap) and found.embeddings.vectors.dtype == dtype
    )
    assert np.array_equal(found.embeddings.vectors, expected.vectors.astype(dtype))
    assert (found.embeddings.offsets is None) == (not many)
    if many:
        assert np.array_equal(found.embeddings.offsets, expected.offsets)
    assert found.collection.ids == tuple(f"{n}.jpg" for n in kept)
    assert found.collection.images == tuple(f"/p/{n}.jpg" for n in kept)
    assert found.manifest["skipped"] == {"damaged": 1}
    assert (
        tmp_path / "e" / "skipped.csv"
    ).read_text() == "id,image,reason,detail\n4.jpg,/p/4.jpg,damaged,It is 4.\n"


def test_embedded_columns_become_labels_where_they_can_be(tmp_path):
    labels = [("female", "0.25", "x1"), ("male", "0.75", "x2"), (None, None, None)]
    entries = []
    for number, (gender, share, name) in enumerate(labels):
        columns = {"gender": gender, "skin=dark": share, "content": name, "many": f"v{number}"}
        entries.append(
            SourceEntry(
                f"{number}.jpg",
                None,
                "t",
                columns=tuple((k, v) for k, v in columns.items() if v is not None),
            )
        )
    with EmbeddingWriter(tmp_path / "e", header(), read_journal(tmp_path / "none")) as writer:
        for number, one in enumerate(entries):
            writer.keep(one, content(number))
        writer.commit(vectors_of([0, 1, 2], 4, False))
        writer.finish(ABOUT)
    groups = embedded.open_embedded(tmp_path / "e").collection.groups
    assert set(groups) == {"gender", "skin", "content", "many"}
    assert groups["gender"].codes is not None and groups["gender"].codes.tolist() == [0, 1, -1]
    assert groups["skin"].soft is not None and groups["skin"].soft.tolist() == [
        [0.25],
        [0.75],
        [0.0],
    ]
    assert set(embedded.open_embedded(tmp_path / "e", attributes=["gender"]).collection.groups) == {
        "gender"
    }
    with pytest.raises(UsageError, match="Did you mean gender"):
        embedded.open_embedded(tmp_path / "e", attributes=["gendre"])


@settings(max_examples=60)
@given(st.data())
def test_torn_folder_of_any_kill_point_is_continued_to_the_same_bytes(tmp_path_factory, data):
    """A kill leaves any prefix of the journal's bytes, and vectors at least up to the last commit
    in it, with anything behind once the first line is whole.
    """
    many, step, count = (
        data.draw(st.booleans()),
        data.draw(st.integers(1, 4)),
        data.draw(st.integers(1, 12)),
    )
    bad = frozenset(data.draw(st.sets(st.integers(0, count - 1))))
    choices: dict[str, Any] = {"step": step, "many": many, "bad": bad}
    root = tmp_path_factory.mktemp("torn")
    write(root / "whole", list(range(count)), **choices)
    expected = files(root / "whole")

    torn, left = root / "torn", dict(expected)
    cut = data.draw(st.integers(0, len(left["items.jsonl"])))
    finished = (
        data.draw(st.sampled_from([(), ("skipped.csv",), ("skipped.csv", "items.parquet")]))
        if cut == len(left["items.jsonl"])
        else ()
    )
    torn.mkdir()
    (torn / "items.jsonl").write_bytes(left["items.jsonl"][:cut])
    totals = read_journal(torn / "items.jsonl").totals
    rubbish = data.draw(st.binary(max_size=40))
    # The first line is on the disk before any vector is written: without it they are not ours.
    if b"\n" not in left["items.jsonl"][:cut]:
        rubbish = b""
    (torn / "vectors.bin").write_bytes(
        left["vectors.bin"][: totals.vectors * totals.dimensions * 4] + rubbish
    )
    if totals.many:
        (torn / "offsets.bin").write_bytes(left["offsets.bin"][: 8 * (totals.items + 1)] + rubbish)
    elif many and cut > 200:
        (torn / "offsets.bin").write_bytes(rubbish)
    for name in finished:
        (torn / name).write_bytes(left[name])
    if data.draw(st.booleans()) and cut > 200:
        (torn / "items.parquet.partial").write_bytes(rubbish)
    write(torn, list(range(count)), **choices)
    assert files(torn) == expected


@settings(max_examples=40)
@given(st.data())
def test_embedded_folder_follows_its_source_and_encodes_nothing_twice(tmp_path_factory, data):
    """Whatever is added, removed or renamed: the items are those of the source, each with the
    vectors of its content.
    """
    root = tmp_path_factory.mktemp("follows")
    encoded: list[int] = []
    for _ in range(3):
        names = data.draw(
            st.dictionaries(st.integers(0, 20), st.integers(0, 8), max_size=8)
        )  # name -> content
        entries = [
            SourceEntry(f"{name}.jpg", f"/p/{name}.jpg", size=50 + what // 2, stamp=what)
            for name, what in sorted(names.items())
        ]
        told = {e.id: what for e, (_, what) in zip(entries, sorted(names.items()), strict=True)}
        before = set(read_journal(root / "e" / "items.jsonl").records)
        with embedded.open_writer(
            root / "e", header(), entries, lambda e, told=told: content(told[e.id]), ABOUT
        ) as writer:
            for one in entries:
                if one in writer.known:
                    continue
                what = told[one.id]
                if content(what) in writer.contents:
                    writer.skip(
                        one,
                        "duplicate",
                        f"It has the content of '{writer.contents[content(what)]}'.",
                    )
                    continue
                assert content(what) not in {r.content for r in before}, "its vectors were there"
                encoded.append(what)
                writer.keep(one, content(what))
                writer.commit(vectors_of([what], 4, False))
            writer.commit(None)
            writer.finish(ABOUT)
        found = embedded.open_embedded(root / "e")
        assert len(found.collection) == len(set(names.values()))
        assert len(found.collection) + sum(found.manifest["skipped"].values()) == len(names)
        for row, name in enumerate(found.collection.ids):
            assert np.array_equal(
                found.embeddings.vectors[row], vectors_of([told[name]], 4, False).vectors[0]
            )
        verify(root / "e", read_journal(root / "e" / "items.jsonl").commits, "float32")
        assert embedded.is_current(root / "e", header(), entries)


def test_rows_that_stay_keep_their_order_and_new_ones_come_last(tmp_path):
    write(tmp_path / "e", [5, 6, 7, 8])
    write(tmp_path / "e", [1, 6, 8, 9])
    assert embedded.open_embedded(tmp_path / "e").collection.ids == (
        "6.jpg",
        "8.jpg",
        "1.jpg",
        "9.jpg",
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["e"]


def test_folder_that_is_replaced_keeps_what_people_put_there(tmp_path):
    write(tmp_path / "e", [1, 2, 3])
    (tmp_path / "e" / "notes.md").write_text("mine")
    (tmp_path / "e" / "half.partial").write_text("mine")
    (tmp_path / "e" / "figs").mkdir()
    write(tmp_path / "e", [2, 4])
    assert (
        (tmp_path / "e" / "notes.md").read_text()
        == (tmp_path / "e" / "half.partial").read_text()
        == "mine"
    )
    assert (tmp_path / "e" / "figs").is_dir() and sorted(p.name for p in tmp_path.iterdir()) == [
        "e"
    ]
    (tmp_path / "e").rename(compaction.former(tmp_path / "e"))
    write(tmp_path / "e", [2, 4])
    assert (tmp_path / "e" / "notes.md").exists()


@pytest.mark.parametrize(
    "state", ["next half written", "between the two moves", "former left over"]
)
def test_killed_while_a_folder_is_replaced_comes_to_the_same_bytes(tmp_path, state):
    write(tmp_path / "old", [1, 2, 3, 4])
    shutil.copytree(tmp_path / "old", tmp_path / "e")
    write(tmp_path / "e", [2, 4, 5])
    expected = files(tmp_path / "e")
    shutil.rmtree(tmp_path / "e")
    folder, following = tmp_path / "e", compaction.next_to(tmp_path / "e")
    if state == "next half written":
        shutil.copytree(tmp_path / "old", folder)
        following.mkdir()
        (following / "items.jsonl").write_bytes(b'{"form')
    else:
        shutil.copytree(tmp_path / "old", folder)
        compaction.compact(
            folder,
            header(),
            read_journal(folder / "items.jsonl"),
            [entry(n) for n in (2, 4, 5)],
            lambda e: None,
            ABOUT,
        )
        if state == "between the two moves":
            folder.rename(following)
        shutil.copytree(tmp_path / "old", compaction.former(folder))
    write(folder, [2, 4, 5])
    assert files(folder) == expected
    assert sorted(p.name for p in tmp_path.iterdir()) == ["e", "old"]


def test_file_that_could_not_be_read_is_tried_again_and_others_are_not(tmp_path):
    def run(outcome: str | None) -> set[SourceEntry]:
        with embedded.open_writer(
            tmp_path / "e", header(), [entry(1), entry(2)], lambda e: None, ABOUT
        ) as writer:
            new = {e for e in (entry(1), entry(2)) if e not in writer.known}
            if entry(1) in new:
                writer.keep(entry(1), content(1)) if outcome is None else writer.skip(
                    entry(1), outcome, "no"
                )
            if entry(2) in new:
                writer.skip(entry(2), "damaged", "no")
            writer.commit(
                vectors_of([1], 4, False) if entry(1) in new and outcome is None else None
            )
            writer.finish(ABOUT)
        return new

    assert run("unreadable") == {entry(1), entry(2)}
    first = files(tmp_path / "e")
    assert run("unreadable") == {entry(1)}
    assert files(tmp_path / "e") == first
    assert run(None) == {entry(1)}
    assert run(None) == set()
    manifest = embedded.open_embedded(tmp_path / "e").manifest
    assert (manifest["items"], manifest["skipped"]) == (1, {"damaged": 1})


# What is refused


def test_open_of_another_model_names_both(tmp_path):
    write(tmp_path / "e", [1])
    with pytest.raises(
        DataError, match=r"vectors of m \(f\), not of the model asked for \(other\)"
    ):
        embedded.open_embedded(tmp_path / "e", "other")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"model": {"spec": "n", "fingerprint": "g"}}, "vectors of m, not of n"),
        ({"source": {"kind": "folder", "path": "/q"}}, "holds /p, not /q"),
        ({"dtype": "float16"}, "float32, not float16"),
        ({"side": "texts"}, "images, not texts"),
    ],
)
def test_writing_into_a_folder_of_something_else_is_refused(tmp_path, more, words):
    write(tmp_path / "e", [1])
    before = files(tmp_path / "e")
    with pytest.raises(DataError, match=words):
        write(tmp_path / "e", [1, 2], **more)
    assert files(tmp_path / "e") == before


def test_other_limit_of_pixels_tries_what_was_skipped_again(tmp_path):
    write(tmp_path / "e", [1, 2, 3], bad=frozenset({2}))
    write(tmp_path / "e", [1, 2, 3], max_pixels=10)
    assert embedded.open_embedded(tmp_path / "e").collection.ids == ("1.jpg", "3.jpg", "2.jpg")


def test_unfinished_and_torn_folders_say_what_to_do(tmp_path):
    write(tmp_path / "e", list(range(9)))
    whole = files(tmp_path / "e")

    def broken(name: str, content: bytes | None) -> pytest.ExceptionInfo[DataError]:
        shutil.rmtree(tmp_path / "b", ignore_errors=True)
        shutil.copytree(tmp_path / "e", tmp_path / "b")
        (tmp_path / "b" / name).unlink() if content is None else (
            tmp_path / "b" / name
        ).write_bytes(content)
        with pytest.raises(DataError) as refused:
            embedded.open_embedded(tmp_path / "b")
        return refused

    assert "not finished" in broken("manifest.json", None).value.message
    assert "continues" in broken("manifest.json", None).value.hint
    assert "cannot be read" in broken("manifest.json", b"{").value.message
    assert "cannot be read" in broken("manifest.json", b'{"command": "audit"}').value.message
    assert (
        "is torn: it has 100 of 144 bytes"
        in broken("vectors.bin", whole["vectors.bin"][:100]).value.message
    )
    assert "cannot be read" in broken("items.parquet", whole["items.parquet"][:100]).value.message
    (tmp_path / "b" / "items.parquet").write_bytes(whole["items.parquet"])
    (tmp_path / "b" / "vectors.bin").write_bytes(whole["vectors.bin"] + b"more")
    assert len(embedded.open_embedded(tmp_path / "b").collection) == 9


def test_vectors_that_another_program_changed_are_noticed(tmp_path):
    write(tmp_path / "e", list(range(9)))
    path = tmp_path / "e" / "vectors.bin"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(DataError, match=r"commit 3 .* are not those that were written"):
        write(tmp_path / "e", list(range(10)))


def test_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "precious.txt").write_text("x")
    with pytest.raises(UsageError, match="other things"):
        write(tmp_path / "e", [1])
    (tmp_path / "f").write_text("x")
    with pytest.raises(UsageError, match="is a file"):
        write(tmp_path / "f", [1])
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "items.jsonl").write_text('{"query": 1}\n')
    (tmp_path / "g" / "big.bin").write_bytes(b"x")
    with pytest.raises(UsageError, match="other things"):
        write(tmp_path / "g", [1])
    assert files(tmp_path / "e") == {"precious.txt": b"x"}


def test_journal_of_another_version_is_told(tmp_path):
    write(tmp_path / "e", [1])
    path = tmp_path / "e" / "items.jsonl"
    path.write_text(path.read_text().replace('"version":1', '"version":9'))
    with pytest.raises(DataError, match="version 9; this fairlead reads version 1"):
        write(tmp_path / "e", [1])


def test_vectors_of_other_dimensions_or_too_large_for_half_are_refused(tmp_path):
    write(tmp_path / "e", [1, 2])
    with pytest.raises(DataError, match="5 dimensions, 4 before"):
        write(tmp_path / "e", [1, 2, 3], width=5)
    with EmbeddingWriter(
        tmp_path / "h", header(dtype="float16"), read_journal(tmp_path / "none")
    ) as writer:
        writer.keep(entry(1), content(1))
        with pytest.raises(DataError, match="half precision"):
            writer.commit(Embeddings(np.full((1, 2), 1e6, np.float32)))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full disk")
def test_full_disk_is_told_and_the_run_can_go_on(tmp_path):
    write(tmp_path / "whole", [1, 2, 3])
    writer = embedded.open_writer(
        tmp_path / "e", header(), [entry(n) for n in (1, 2, 3)], lambda e: None, ABOUT
    )
    writer._journal.close()
    writer._journal = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115
    with pytest.raises(BackendError, match="cannot be written: No space left"):
        write(tmp_path / "e", [1, 2, 3], opened=writer)
    write(tmp_path / "e", [1, 2, 3])
    assert files(tmp_path / "e") == files(tmp_path / "whole")


# Locks


def test_lock_of_a_living_process_is_waited_for_and_that_of_a_dead_one_ignored(
    tmp_path, monkeypatch, caplog
):
    place = tmp_path / "lock"
    monkeypatch.setenv("FAIRLEAD_WAIT", "0.7")
    script = (
        "import sys, time; from pathlib import Path; from fairlead.store.locks import locked\n"
        f"with locked(Path({str(place)!r}), 'x'):\n print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == "held\n"
        with (
            pytest.raises(BackendError, match=rf"Another process \({child.pid}\) is .* 0\.7 s"),
            locked(place, "embedding"),
        ):
            pass
        assert caplog.messages == [f"Another process ({child.pid}) is embedding; waiting for it."]
    finally:
        child.kill()
        child.communicate()
    assert place.exists()
    with locked(place, "embedding"):
        assert place.read_text() == f"{os.getpid()}\n"
    assert not place.exists()


def test_lock_of_a_thread_is_waited_for_by_the_others_of_its_process(tmp_path, caplog):
    place, inside, most = tmp_path / "lock", [], []

    def work(number: int) -> None:
        with locked(place, "counting"):
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.7 if number == 0 else 0.01)
            inside.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert most == [1] * 8
    assert set(caplog.messages) == {"Another thread is counting; waiting for it."}
    assert not place.exists()


@pytest.mark.parametrize("given", ["soon", "-1", "nan"])
def test_wait_that_is_no_number_of_seconds_is_refused(tmp_path, monkeypatch, given):
    monkeypatch.setenv("FAIRLEAD_WAIT", given)
    place = tmp_path / "lock"
    with (
        locked(place, "x"),
        pytest.raises(UsageError, match="FAIRLEAD_WAIT"),
        locked(place, "y"),
    ):
        pass


def test_lock_in_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"), locked(tmp_path / "file" / "l", "x"):
        pass


def test_journal_lines_hold_no_time_of_the_run(tmp_path):
    write(tmp_path / "e", [1, 2])
    lines = [json.loads(line) for line in (tmp_path / "e" / "items.jsonl").read_text().splitlines()]
    assert set(lines[0]) == {"format", "version", "source", "model", "dtype", "side", "max_pixels"}
    assert set(lines[1]) == {"content", "id", "image", "size", "stamp"}
    assert lines[-1] == {
        "commit": {
            "items": 2,
            "vectors": 2,
            "dimensions": 4,
            "many": False,
            "crc32": lines[-1]["commit"]["crc32"],
        }
    }
