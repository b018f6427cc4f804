"""Removal on request: the items are gone from every file and every index, the rest stays as it was,
and nothing brings them back.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead.engine import galleries
from fairlead.engine.kept.index import fill, place
from fairlead.errors import BackendError, DataError, UsageError
from fairlead.protocols import registry
from fairlead.store import embedded
from fairlead.store.journal import read_journal
from fairlead.store.vectors_file import verify
from fairlead.types import Embeddings


class Counting:
    """Sees a few pixels, and counts what it encodes."""

    name = fingerprint = "counting"
    batch = 4

    def __init__(self) -> None:
        self.seen = 0

    def texts(self, texts, role):
        raise AssertionError("nothing is asked in words")

    def images(self, images, role):
        self.seen += len(images)
        small = [np.asarray(i.resize((4, 4)), np.float32).ravel() / 99 - 1.5 for i in images]
        return Embeddings(np.stack(small))


@pytest.fixture
def folder(tmp_path: Path, photos) -> Path:
    """An embedded folder of twelve pictures with captions, one of them a twin of another."""
    source = photos(12)
    (source / "0003.txt").write_text("the caption of somebody")
    shutil.copy(source / "0005.jpg", source / "0008-twin.jpg")
    (source / "empty.jpg").touch()
    galleries.embed(source, Counting(), tmp_path / "vectors", workers=1)
    return tmp_path / "vectors"


def files_with(root: Path, content: bytes) -> list[str]:
    found = [p for p in root.rglob("*") if p.is_file() and content in p.read_bytes()]
    return [p.relative_to(root).as_posix() for p in found]


def test_remove_takes_the_bytes_out_of_every_file_and_leaves_the_rest(folder):
    before = embedded.open_embedded(folder)
    row = before.collection.ids.index("0003.jpg")
    vector, others = (
        before.embeddings.vectors[row].tobytes(),
        np.delete(np.array(before.embeddings.vectors), row, 0),
    )
    del before
    assert files_with(folder.parent, vector) == ["vectors/vectors.bin"]
    done = fairlead.remove(folder, "0003.jpg")
    assert (done.removed, done.before, done.items) == (1, 0, 11)
    assert files_with(folder, vector) == files_with(folder.parent, vector) == []
    assert files_with(folder, b"the caption of somebody") == []
    after = embedded.open_embedded(folder)
    assert "0003.jpg" not in after.collection.ids and len(after.collection) == 11
    assert np.array_equal(after.embeddings.vectors, others)
    assert after.manifest["skipped"] == {"duplicate": 1, "empty": 1}
    assert after.manifest["source"]["seen"] == 11 + 2
    verify(folder, read_journal(folder / "items.jsonl").commits, "float32")
    assert sorted(p.name for p in folder.parent.iterdir()) == ["photos", "vectors"]


def test_remove_lasts_though_the_source_still_has_the_picture(folder, photos):
    fairlead.remove(folder, ["0003.jpg", "0005.jpg"])
    source = folder.parent / "photos"
    shutil.copy(source / "0003.jpg", source / "other-name.jpg")
    os.utime(source / "0003.jpg", (1, 1))
    photos(14)
    encoder = Counting()
    again = galleries.embed(source, encoder, folder, workers=1)
    assert encoder.seen == again.embedded == 2, "only what was added is encoded"
    ids = embedded.open_embedded(folder).collection.ids
    assert not {"0003.jpg", "0005.jpg", "other-name.jpg", "0008-twin.jpg"} & set(ids)
    assert len(ids) == 12
    assert again.items + sum(again.skipped.values()) == again.seen
    (source / "0001.jpg").unlink()  # the folder is rewritten, and still knows
    (source / "0003.jpg").unlink()
    galleries.embed(source, encoder, folder, workers=1)
    shutil.copy(source / "other-name.jpg", source / "0003.jpg")
    galleries.embed(source, encoder, folder, workers=1)
    assert encoder.seen == 2
    assert embedded.open_embedded(folder).manifest["removed"] == ["0003.jpg", "0005.jpg"]
    assert galleries.embed(source, encoder, folder, workers=1).embedded == 0


def test_embed_of_a_file_that_changed_replaces_its_vector_alone(folder, portraits):
    source, encoder = folder.parent / "photos", Counting()
    before = embedded.open_embedded(folder)
    old = before.embeddings.vectors[before.collection.ids.index("0004.png")].tobytes()
    del before
    (source / "0004.png").write_bytes(portraits(20)[18])
    (source / "0007.jpg").unlink()
    galleries.embed(source, encoder, folder, workers=1)
    assert encoder.seen == 1
    assert files_with(folder.parent, old) == []
    after = embedded.open_embedded(folder)
    assert after.collection.ids[-1] == "0004.png" and "0007.jpg" not in after.collection.ids


def test_remove_of_what_is_no_item_changes_nothing(folder, files, tmp_path):
    before = files(folder)
    with pytest.raises(UsageError, match=r"has no item 'nobody\.jpg'\. Nothing was removed"):
        fairlead.remove(folder, ["0003.jpg", "nobody.jpg"])
    with pytest.raises(UsageError, match="Nothing is to be removed"):
        fairlead.remove(folder, [])
    assert files(folder) == before
    with pytest.raises(UsageError, match="no folder that 'fairlead embed' wrote"):
        fairlead.remove(tmp_path / "photos", "0003.jpg")
    (folder / "manifest.json").unlink()
    with pytest.raises(DataError, match="not finished"):
        fairlead.remove(folder, "0003.jpg")


def test_remove_twice_says_that_it_was_done_before(folder, files):
    fairlead.remove(folder, "0003.jpg")
    before = files(folder)
    done = fairlead.remove(folder, "0003.jpg")
    assert (done.removed, done.before) == (0, 1) and files(folder) == before


def test_remove_of_all_items_leaves_an_empty_collection(folder):
    ids = embedded.open_embedded(folder).collection.ids
    assert fairlead.remove(folder, ids).items == 0
    assert len(embedded.open_embedded(folder).collection) == 0
    assert galleries.embed(folder.parent / "photos", Counting(), folder).embedded == 0


def test_remove_command_takes_ids_and_a_file_of_ids(folder, capsys):
    from fairlead.cli.main import main

    (folder.parent / "list.txt").write_text("0001.jpg\n\n0002.png\n")
    with pytest.raises(SystemExit) as left:
        main(["remove", str(folder), "0000.png", "--list", str(folder.parent / "list.txt")])
    assert left.value.code == 0
    assert f"3 items removed from {folder}, 9 left." in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["remove", str(folder), "0000.png", "--json"])
    assert json.loads(capsys.readouterr().out)["before"] == 1


SPECS = ["faiss(kind=flat)", 'pgvector:"{postgres}"', "qdrant"]


@pytest.mark.parametrize("text", SPECS, ids=["faiss", "pgvector", "qdrant"])
def test_remove_lets_go_of_every_kept_index(folder, text, request, monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    address = request.getfixturevalue("postgres") if "{postgres}" in text else ""
    spec = text.format(postgres=address)
    gallery = galleries.open_gallery(folder, Counting())
    vector = np.array(gallery.embeddings.vectors[gallery.collection.ids.index("0003.jpg")])
    index = registry.make("index", spec)
    assert fill(index, gallery, {}) == 0
    spot = place(index, gallery, {})
    close = getattr(index, "close", lambda: None)
    close()
    again = registry.make("index", spec)
    assert fill(again, gallery, {}) == 12, "kept, and found again"
    getattr(again, "close", lambda: None)()
    owner = json.loads((spot / "kept.json").read_text())["owner"]

    assert fairlead.remove(folder, "0003.jpg", trust=folder).indexes == 1
    left = registry.make("index", spec)
    assert left.open(spot, owner) == 0, "nothing is kept of what was there"
    getattr(left, "close", lambda: None)()
    assert files_with(folder, vector.tobytes()) == []

    gallery = galleries.open_gallery(folder, Counting())
    index = registry.make("index", spec)
    assert fill(index, gallery, {}) == 0
    found = index.search(Embeddings(vector[None]), 20)
    assert len(found.rows) == 11
    assert float(found.scores.max()) < float(vector @ vector)
    getattr(index, "close", lambda: None)()


def test_remove_where_a_server_cannot_be_reached_removes_nothing_and_says_so(folder, files):
    place = folder / "indexes" / "state" / "one"
    place.mkdir(parents=True)
    spec = "pgvector:postgresql://ann@127.0.0.1:1/photos(table=photos)"
    (place / "kept.json").write_text(json.dumps({"index": spec, "owner": "me"}))
    before = files(folder)
    with pytest.raises(BackendError, match="could not be let go of") as caught:
        fairlead.remove(folder, "0003.jpg", trust=folder)
    assert str(place) in caught.value.hint
    assert files(folder) == before
    shutil.rmtree(place)
    assert fairlead.remove(folder, "0003.jpg").removed == 1


KILLED = """
    # Removes in forked children that kill themselves before the n-th step that reaches the disk.
    import itertools, json, os, shutil, signal, sys
    from pathlib import Path
    import numpy, pyarrow, pyarrow.parquet
    import fairlead
    from fairlead.store import embedded

    def faulty(real, left):
        def step(*args, **more):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)
        return step

    def child(at):
        pid = os.fork()
        if pid:
            return os.waitpid(pid, 0)[1]
        left = [at]
        os.fsync = lambda file: None
        for name in ("fsync", "replace", "mkdir", "unlink", "rename"):
            setattr(os, name, faulty(getattr(os, name), left))
        shutil.rmtree = faulty(shutil.rmtree, left)
        fairlead.remove("out", ["0003.jpg", "0006.png"])
        os._exit(0)

    def content(out):
        return {str(p): p.read_bytes() for p in sorted(Path(out).rglob("*")) if p.is_file()}

    def begin():
        shutil.rmtree("out", ignore_errors=True)
        shutil.copytree("before", "out")

    begin()
    before = content("out")
    assert child(0) == 0
    expected, points = content("out"), 0
    for at in itertools.count(1):
        begin()
        status = child(at)
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL, status
        points += 1
        if Path("out").exists():  # what a reader finds is the one or the other
            items = len(embedded.open_embedded("out").collection)
            assert items in (12, 10), items
        assert child(0) == 0
        assert content("out") == expected, f"killed at step {at}"
        left = [p.name for p in Path(".").glob(".*")]
        assert not left, left
    print(json.dumps(points))
    """


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_remove_killed_at_every_step_is_finished_by_the_next_run(folder, tmp_path):
    folder.rename(tmp_path / "before")
    gallery = galleries.open_gallery(tmp_path / "before", Counting())
    fill(registry.make("index", "faiss(kind=flat)"), gallery, {})
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) > 8
