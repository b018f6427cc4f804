"""Whatever became of a file that fairlead wrote, or of an archive or a folder of vectors: it is read,
or refused in words; never a crash, a long wait, or much memory.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import runpy
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from fairlead.annotators.mlp_file import Classifier, read_classifier, stored
from fairlead.errors import DataError, FairleadError, UsageError
from fairlead.store import archives, embedded, limits
from fairlead.store.answer_files.label_studio import read_label_studio
from fairlead.store.answer_files.records import Expected
from fairlead.store.embedding import EmbeddingWriter
from fairlead.store.face_files.containers import read_faces
from fairlead.store.face_files.rekognition import read_rekognition
from fairlead.store.human import HumanStore
from fairlead.store.journal import read_journal
from fairlead.store.labels import read_item_groups
from fairlead.store.projection_file import Kept, read_projection, write_projection
from fairlead.store.runs import read_run
from fairlead.store.saved_run import read_saved, write_saved
from fairlead.store.sources import choose, items
from fairlead.store.sources.entries import SourceEntry
from fairlead.types import Embeddings, Groups, Ranking
from fairlead.types.answers import Answer, Task
from fairlead.types.evidence import Labelled, Target
from fairlead.types.saved import SavedRun

Count = Callable[[int, int], int]
SECONDS = 5
NOW = datetime(2026, 5, 1, tzinfo=UTC)
CHANCE = random.Random("stores")
MODEL = {"spec": "phantom", "fingerprint": "f"}
VALUES: list[Any] = [
    None, True, -1, 0, 1, 3.5, "", "x", "float32", "embed", [], [1], ["a"], {}, {"a": 1}, [[]],
    1 << 70, "\ud800", "../../x", [None], {"spec": 1}, 1e308, float("nan"), "9" * 400,
]  # fmt: skip


def vectors(rows: int) -> Any:
    return np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)


def collection(folder: Path) -> None:
    """An embedded collection."""
    header = {"source": {"kind": "folder", "path": "/p"}, "model": MODEL, "dtype": "float32", "side": "images", "max_pixels": 9}  # fmt: skip
    folder.mkdir()
    with EmbeddingWriter(folder, header, read_journal(folder / "items.jsonl")) as writer:
        fill(writer)


def fill(writer: EmbeddingWriter) -> None:
    entries = [SourceEntry(f"{n}.jpg", f"/p/{n}.jpg", "a caption", 5, 7, (("gender", "fm"[n % 2]),)) for n in range(6)]  # fmt: skip
    for entry in entries[:5]:
        writer.keep(entry, f"c{entry.id}")
    writer.skip(entries[5], "empty", "it has no bytes")
    writer.commit(Embeddings(vectors(5)))
    about = {"fairlead": "1", "command": "embed", "source": {"kind": "folder", "path": "/p", "notes": {}}, "model": MODEL}  # fmt: skip
    writer.finish(about)


def classifier(file: Path) -> None:
    layers = [(vectors(4), np.ones(4, np.float32)), (vectors(4)[:, :2], np.ones(2, np.float32))]
    about = {"classes": ["f", "m"], "attribute": "gender", "encoder": "phantom", "temperature": 1.0, "root": False}  # fmt: skip
    np.savez(file, **stored(Classifier([layers], about)))


def projection(file: Path) -> None:
    about = {"projection": "orthogonal", "model": MODEL, "attribute": "gender", "groups": ["f", "m"], "samples": {"f": 3}}  # fmt: skip
    write_projection(file, Kept(about, {"on_queries": np.eye(4)}, np.arange(3, dtype=np.uint64)))


def saved(file: Path) -> None:
    ranking = Ranking(np.array([0, 2, 4]), np.array([0, 1, 1, 2]), np.array([2, 1, 2, 1], np.float32))  # fmt: skip
    groups = Groups("gender", ("f", "m"), codes=np.array([0, 1, 0], np.int16))
    labelled = Labelled(groups, Target("equal", np.array([0.5, 0.5])), False)
    run = SavedRun(("q", "r"), ("a q", "an r"), ("a", "b", "c"), {"plain": ranking}, {"gender": labelled}, ("gender", labelled), manifest={"plan": {}})  # fmt: skip
    write_saved(file, run, labels=True)


def human(file: Path) -> None:
    with HumanStore(file, create=True) as store:
        store.define(Task("gender", ("f", "m")), NOW)
        store.ask("gender", ["a", "b"], NOW)
        store.add([Answer("a", "gender", "r1", "f", NOW)])


def tar(file: Path) -> None:
    with tarfile.open(file, "w") as archive:
        for name, content in (("a.jpg", b"\xff\xd8"), ("a.json", b'{"caption": "x", "year": 3}'), ("a.txt", b"words"), ("b.png", b"\x89PNG"), ("sub/c.jpg", b"x" * 700)):  # fmt: skip
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def given(folder: Path) -> None:
    folder.mkdir()
    np.save(folder / "vectors.npy", vectors(3))
    (folder / "ids.csv").write_text("item,gender\na,f\nb,m\nc,f\n")


def clip(folder: Path) -> None:
    for name in ("img_emb", "metadata"):
        (folder / name).mkdir(parents=True)
    np.save(folder / "img_emb" / "img_emb_0.npy", vectors(3))
    pq.write_table(pa.table({"image_path": ["a", "b", "c"], "caption": ["x", "y", "z"]}), folder / "metadata" / "metadata_0.parquet")  # fmt: skip


def faces(file: Path) -> None:
    face = {"BoundingBox": {"Width": 0.5, "Height": 0.5}, "Confidence": 99.0, "Gender": {"Value": "Male", "Confidence": 98.0}}  # fmt: skip
    file.write_text(json.dumps({"a.jpg": {"FaceDetails": [face]}, "b.jpg": {"FaceDetails": []}}))


def studio(file: Path) -> None:
    result = {"from_name": "gender", "type": "choices", "value": {"choices": ["f"]}}
    about = {"completed_by": {"email": "r"}, "created_at": "2026-01-01T00:00:00Z", "lead_time": 3, "result": [result]}  # fmt: skip
    file.write_text(json.dumps([{"id": 1, "data": {"item": "a"}, "annotations": [about]}]))


def read_collection(path: Path) -> None:
    found = embedded.open_embedded(path)
    embedded.read_skipped(path)
    assert len(found.embeddings.vectors) == len(found.collection.ids)
    read_journal(path / "items.jsonl")


def read_human(path: Path) -> None:
    with HumanStore(path) as store:
        for name in store.tasks():
            store.asked(name)
            store.answers(name)
            store.answers(name, history=True, named=False)
        store.age(), store.kept(), store.removals()


def read_mlp(path: Path) -> None:
    read_classifier(path).shares(vectors(2))


def read_tar(path: Path) -> None:
    for entry in choose.find_source(path).entries:
        if entry.image is not None and "::" in entry.image and entry.fault is None:
            archives.read(*archives.split(entry.image))


MADE: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any]]] = {
    "embedded": (collection, read_collection),
    "mlp.npz": (classifier, read_mlp),
    "projection.npz": (projection, read_projection),
    "run.parquet": (saved, lambda path: (read_saved(path), read_run(path))),
    "human.db": (human, read_human),
    "shard.tar": (tar, read_tar),
    "given": (given, choose.read_given),
    "clip": (clip, lambda path: (choose.read_given(path), items.read_items(path))),
    "faces.json": (faces, lambda path: read_faces(path, read_rekognition)),
    "studio.json": (studio, lambda path: read_label_studio(path, Expected({"gender": Task("gender", ("f", "m"))}, NOW))),
}  # fmt: skip


def files_of(place: Path) -> list[Path]:
    return sorted(p for p in place.rglob("*") if p.is_file()) if place.is_dir() else [place]


def hit(content: bytes, chance: random.Random) -> bytes:
    """Bytes with a few changed, cut off, doubled, or put elsewhere."""
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        kind, at = chance.randrange(5), chance.randrange(len(changed) + 1)
        if kind < 2 and at < len(changed):
            changed[at] = chance.choice([0, 255, 127, 128, chance.randrange(256)])
        elif kind == 2:
            del changed[at : at + chance.choice([1, 3, 100])]
        elif kind == 3:
            changed[at:at] = chance.choice([b"\0", b"\xff" * 8, b'"', b"[" * 400, changed[:50]])
        else:
            del changed[at:]
    return bytes(changed)


def told_otherwise(value: Any, chance: random.Random) -> Any:
    """JSON with one of its values replaced, taken away or added."""
    parts = [value]
    for part in parts:
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        parts += [one for one in inner if isinstance(one, (dict, list)) and one]
    part = chance.choice(parts)
    key = chance.choice(list(part) if isinstance(part, dict) else range(len(part)))
    if chance.random() < 0.2 and isinstance(part, dict):
        del part[key]
    else:
        part[key] = chance.choice(VALUES)
    return value


def hit_json(text: str, chance: random.Random) -> str:
    """A JSON file, or one line of JSON lines, with another value somewhere."""
    try:
        return json.dumps(told_otherwise(json.loads(text), chance))
    except ValueError:
        lines = text.splitlines()
        at = chance.randrange(len(lines))
        lines[at] = json.dumps(told_otherwise(json.loads(lines[at]), chance))
        return "\n".join(lines) + "\n"


def hit_arrays(content: bytes, chance: random.Random) -> bytes:
    """An npz with one array replaced, missing, or another card."""
    with np.load(io.BytesIO(content)) as stored_arrays:
        arrays = dict(stored_arrays)
    name = chance.choice(sorted(arrays))
    if name == "about" or chance.random() < 0.5:
        about = hit_json(bytes(arrays["about"]).decode(), chance)
        arrays["about"] = np.frombuffer(about.encode("utf-8", "surrogatepass"), np.uint8)
    else:
        arrays[name] = chance.choice([np.zeros(0), np.zeros((2, 0)), np.array(3), np.array(["x"]), np.full((4, 4), np.nan), arrays[name][..., :1]])  # fmt: skip
    if chance.random() < 0.2:
        del arrays[name]
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def hit_rows(file: Path, chance: random.Random) -> None:
    """A database with another value somewhere: SQLite takes any."""
    with sqlite3.connect(file) as connection:
        tables = [t for (t,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]  # fmt: skip
        connection.execute("DROP TRIGGER IF EXISTS answer_fixed")
        table = chance.choice(tables)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        value = chance.choice([None, 3, -1, 1.5, "x", b"\xff", "[]", "[1]", "{}", "9" * 30])
        try:
            connection.execute(f"UPDATE {table} SET {chance.choice(columns)} = ?", (value,))
        except sqlite3.Error:
            connection.execute(f"DELETE FROM {chance.choice(['schema', 'task'])}")
    connection.close()


def hit_file(file: Path, chance: random.Random) -> None:
    chosen = chance.random() < 0.6
    if chosen and file.suffix in (".json", ".jsonl"):
        file.write_text(hit_json(file.read_text(), chance), encoding="utf-8")
    elif chosen and file.suffix == ".npz":
        file.write_bytes(hit_arrays(file.read_bytes(), chance))
    elif chosen and file.suffix == ".db":
        hit_rows(file, chance)
    elif chance.random() < 0.05:
        file.unlink()
    else:
        file.write_bytes(hit(file.read_bytes(), chance))


@pytest.mark.parametrize("name", MADE)
def test_what_was_changed_is_read_or_refused(
    name: str, tmp_path: Path, count: Count, bar: Any
) -> None:
    make, read = MADE[name]
    whole, place, chance = tmp_path / "whole" / name, tmp_path / name, random.Random(name)
    whole.parent.mkdir()
    make(whole)
    read(whole)
    cases, refused, longest = count(30, 200), 0, 0.0
    for _ in range(cases):
        if whole.is_dir():
            shutil.copytree(whole, place)
        else:
            shutil.copy(whole, place)
        hit_file(chance.choice(files_of(place)), chance)
        start = time.monotonic()
        try:
            # what is neither read nor refused in words is raised here, and is exit code 70
            read(place)
        except FairleadError:
            refused += 1
        longest = max(longest, time.monotonic() - start)
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        for beside in tmp_path.glob(f"{name}-*"):
            beside.unlink()
    bar(f"{name}: read or refused", f"{cases}, {refused} refused", "all")
    assert longest < SECONDS and refused > cases / 5


SAMPLE = ("rows.csv.gz", "value.csv.gz", "line.csv", "long.parquet", "header.tar", "deep.json")
"""Bombs of ``make test``."""


def test_bombs_take_little(tmp_path: Path, full: bool, bar: Any) -> None:
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("this system does not tell how much memory a reader took at most")
    script = Path(__file__).with_name("bombs.py")
    makers = runpy.run_path(str(script))["MAKERS"]
    for name in makers if full else SAMPLE:
        makers[name](tmp_path / name)
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    took = json.loads(done.stdout)
    del took["sound.csv"]
    worst, most = 0.0, 0
    for name, (said, memory, seconds, size) in took.items():
        # an archive is read without its content; everything else is refused, and says why
        assert said or name == "member.tar", name
        # what takes a few megabytes is no bomb, however small its file
        assert memory < max(50 * size, 1 << 25) and memory < 1.5e9, (name, memory, size)
        assert seconds < SECONDS, (name, seconds)
        worst, most = max(worst, memory / max(size, 1 << 20)), max(most, memory)
    bar("bombs, memory", f"{worst:.0f} times the file, {most / 1e6:.0f} MB", "50 times, 1,500 MB")


def test_a_limit_is_raised_by_what_its_error_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "labels.csv.gz"
    rows = "".join(f"item{n},{'f' * 90}\n" for n in range(200_000))
    file.write_bytes(gzip.compress(f"item,gender\n{rows}".encode()))
    read_item_groups(file, ("item1",))
    same = gzip.compress(b"item1,f\n" * (1 << 20))
    file.write_bytes(gzip.compress(b"item,gender\n") + same * 2)
    with pytest.raises(DataError, match=r"labels\.csv\.gz has more than 50 times its own size"):
        read_item_groups(file, ("item1",))
    monkeypatch.setenv("FAIRLEAD_MAX_GROWTH", "2000")
    read_item_groups(file, ("item1",))
    monkeypatch.setenv("FAIRLEAD_MAX_GROWTH", "many")
    with pytest.raises(UsageError, match="FAIRLEAD_MAX_GROWTH is 'many'"):
        read_item_groups(file, ("item1",))


@pytest.mark.parametrize(
    "pattern", ["{0..300000000}.tar", "{0..999}{0..999}.tar", "{0..99999999999999999999}.tar"]
)
def test_brace_patterns_name_few(pattern: str) -> None:
    with pytest.raises(FairleadError, match=r"names in its braces|neither a range nor a list"):
        list(archives.expanded(pattern))


def test_pipes_and_devices_are_refused_not_waited_for(tmp_path: Path) -> None:
    answers, photos, shards = (tmp_path / name for name in ("answers", "photos", "shards"))
    for folder in (answers, photos, shards):
        folder.mkdir()
    picture(photos / "a.png")
    for pipe in (answers / "a.json", photos / "a.txt", photos / "b.png", shards / "a.tar"):
        os.mkfifo(pipe)
    with pytest.raises(DataError, match="a pipe or a device"):
        read_faces(answers, read_rekognition)
    found = choose.find_source(photos)
    assert found.notes["captions that cannot be read"] == 1
    (fault,) = (entry.fault for entry in choose.find_source(shards).entries)
    assert fault is not None and fault[0] == "damaged archive"
    for place in ("/dev/zero", answers / "a.json"):
        for read in (read_classifier, read_projection, read_run, choose.find_source, HumanStore):
            with pytest.raises(FairleadError):
                read(place)


def picture(file: Path) -> None:
    from PIL import Image

    Image.new("RGB", (8, 8)).save(file)


def test_archives_one_after_another_are_read_to_the_end(tmp_path: Path) -> None:
    names = []
    whole = b""
    for number in range(3):
        tar(tmp_path / "one.tar")
        whole += (tmp_path / "one.tar").read_bytes()
        with tarfile.open(tmp_path / "two.tar", "w", format=tarfile.PAX_FORMAT) as archive:
            info = tarfile.TarInfo(f"{'é' * 80}{number}.jpg")
            info.size = 3
            archive.addfile(info, io.BytesIO(b"abc"))
            names.append(info.name)
        whole += (tmp_path / "two.tar").read_bytes()
    file = tmp_path / "all.tar"
    file.write_bytes(whole)
    found = archives.opened(str(file))
    assert found.fault is None
    assert set(names) < set(found.members) and found.again == 10
    assert archives.read(str(file), names[2]) == b"abc"
    source = choose.find_source(file)
    assert source.notes["members that stand there again, of which the last counts"] == 10
    (tmp_path / "torn.tar").write_bytes(whole[:-11_000] + b"rubbish" * 100)
    assert archives.opened(str(tmp_path / "torn.tar")).fault


HALF = '{"caption": "a \\ud83d nurse", "gender": "f"}'


def test_half_a_character_stops_nothing_but_its_own_caption(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    for name in "ab":
        picture(photos / f"{name}.png")
    (photos / "a.json").write_text(HALF)
    (photos / "b.json").write_text('{"caption": "a \\ud83d\\ude00"}')
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        for file in sorted(photos.iterdir()):
            archive.add(file, file.name)
    for source in (photos, tmp_path / "x.tar"):
        found = choose.find_source(source)
        assert found.notes["captions that cannot be read"] == 1
        assert [entry.text for entry in found.entries] == [None, "a 😀"]
    lines = tmp_path / "t.jsonl"
    lines.write_text(f'{{"item": "a", "gender": "f", "image": "a.png"}}\n{HALF}\n')
    for read in (lambda path: read_item_groups(path, ("a",)), choose.find_source):
        with pytest.raises(DataError, match=r"t\.jsonl, line 2 .*half a character"):
            read(lines)


def test_json_of_files_is_parsed_in_one_place_and_every_limit_is_told() -> None:
    root = Path(__file__).parents[2]
    parsing = {
        path.name
        for path in (root / "src" / "fairlead" / "store").rglob("*.py")
        if "json.loads(" in path.read_text("utf-8").replace("json.loads(json.dumps(", "")
    }
    assert parsing == {"json_text.py"}
    page = (root / "docs" / "collections.md").read_text("utf-8")
    for limit in vars(limits).values():
        if isinstance(limit, limits.Limit):
            assert f"`{limit.variable}` | {limit.most:,} |" in page
