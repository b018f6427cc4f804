"""Saved files whose metadata is of another type, or whose bytes are cut off: an error about the
data, with what makes it anew, and never one of ours.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fairlead
from fairlead.annotators.mlp_file import Classifier, read_classifier, stored
from fairlead.cli.main import main
from fairlead.engine import projections
from fairlead.errors import DataError, FairleadError, words_of
from fairlead.protocols import registry
from fairlead.store import embedded
from fairlead.store.human import HumanStore
from fairlead.store.journal import read_journal
from fairlead.types.answers import Answer, Task

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
OTHERS: tuple[Any, ...] = (None, [], {}, "x", -1, 1.5, True, [1], {"a": 1}, 10**30)
GONE = object()
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def mutants(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every field, at any depth, with a value of each other type, and without it."""
    yield from ((path, new) for new in OTHERS if type(new) is not type(value))
    if isinstance(value, dict):
        for name in value:
            yield (*path, name), GONE
            yield from mutants(value[name], (*path, name))
    elif isinstance(value, list) and value:
        yield from mutants(value[0], (*path, 0))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    whole = inner = copy.deepcopy(value)
    for step in path[:-1]:
        inner = inner[step]
    if new is GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return whole


def some(value: Any) -> list[tuple[tuple[Any, ...], Any]]:
    every = list(mutants(value))
    return every if FULL else random.Random(0).sample(every, min(len(every), 120))


def survives(read: Callable[[], Any]) -> bool:
    """Whether a file is read; if not, whether it is told in words with the way out."""
    told = told_by(read)
    assert not isinstance(told, DataError) or told.hint, told
    return told is None


def told_by(read: Callable[[], Any]) -> FairleadError | None:
    """The error that is raised on purpose; any other is a fault of ours."""
    try:
        read()
    except FairleadError as error:
        return error
    return None


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "words.csv").write_text("id,text\n" + "".join(f"{n},a word {n}\n" for n in range(5)))
    fairlead.embed(folder / "words.csv", model="phantom", out=folder / "out", side="texts")
    return folder / "out"


def test_manifest_of_vectors(kept):
    file = kept / "manifest.json"
    text = file.read_text()
    read = 0
    try:
        for path, new in some(json.loads(text)):
            file.write_text(json.dumps(changed(json.loads(text), path, new)))
            read += survives(lambda: embedded.open_embedded(kept))
    finally:
        file.write_text(text)
    assert survives(lambda: embedded.open_embedded(kept)) and read


@pytest.mark.parametrize("at", [0, 1, -1])
def test_journal_of_vectors(kept, tmp_path, at):
    lines = (kept / "items.jsonl").read_text().splitlines()
    value = json.loads(lines[at])
    for path, new in some(value):
        text = [*lines]
        text[at] = json.dumps(changed(value, path, new), separators=(",", ":"))
        (tmp_path / "items.jsonl").write_text("\n".join(text) + "\n")
        survives(lambda: read_journal(tmp_path / "items.jsonl"))


def spoiled(arrays: dict[str, Any], file: Path) -> Iterator[None]:
    """A file of arrays with each change of its card and of each array."""
    about = json.loads(bytes(arrays["about"]))
    for path, new in some(about):
        card = json.dumps(changed(about, path, new)).encode()
        with file.open("wb") as stream:
            np.savez(stream, **{**arrays, "about": np.frombuffer(card, np.uint8)})
        yield
    for name in arrays:
        for bad in (np.zeros(0), np.zeros((2, 2, 2)), np.array(["x"]), np.array(3.0), None):
            others = {one: array for one, array in arrays.items() if one != name}
            with file.open("wb") as stream:
                np.savez(stream, **others, **({} if bad is None else {name: bad}))
            yield
    whole = file.read_bytes()
    for size in range(0, len(whole), max(1, len(whole) // 10)):
        file.write_bytes(whole[:size])
        yield


def test_projection(tmp_path):
    file, encoder = tmp_path / "p.npz", registry.make("encoder", "phantom")
    projections.train_projection("orthogonal", model="phantom", attribute="gender").write(file)
    arrays = dict(np.load(file))
    for _ in spoiled(arrays, file):
        survives(lambda: projections.read(file, encoder, "gender").warnings(["a"]))


def test_classifier(tmp_path):
    file, about = tmp_path / "c.npz", {
        "root": True, "temperature": 1.0, "classes": ["f", "m"], "attribute": "gender",
        "encoder": "phantom",
    }  # fmt: skip
    rng = np.random.default_rng(0)
    layers = [(rng.normal(size=(3, 4)), np.zeros(4)), (rng.normal(size=(4, 2)), np.zeros(2))]
    arrays = stored(Classifier([layers, layers], about))

    def read() -> None:
        found = read_classifier(file)
        assert found.features and found.classes and str(found.about["encoder"])

    for _ in spoiled(arrays, file):
        survives(read)


def test_kept_index_that_is_cut_off_is_no_interruption(kept, capsys):
    pytest.importorskip("faiss")
    labels = kept.parent / "labels.csv"
    labels.write_text("item,gender\n" + "".join(f"{n},{'fm'[n % 2]}\n" for n in range(5)))
    words = ["search", "a word", "--model", "phantom", "--collection", str(kept), "--index"]
    words += ["faiss(kind=flat)", "--groups", str(labels), "--mitigate", "pbm", "--json"]

    def code() -> int:
        with pytest.raises(SystemExit) as left:
            main(words)
        return int(left.value.code or 0)

    assert code() == 0
    files = [one for one in (kept / "indexes").rglob("*") if one.is_file()]
    assert any(file.suffix == ".npy" for file in files)
    for file in files:
        if file.name == "kept.json":
            continue
        content = file.read_bytes()
        for part in (b"", content[: len(content) // 2]):
            file.write_bytes(part)
            capsys.readouterr()
            assert code() == 4, file
            assert re.search("[Rr]emove|Delete", capsys.readouterr().out)
        file.write_bytes(content)
    assert code() == 0


def columns(store: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(store) as opened:
        tables = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        found = [
            (table, row[1])
            for (table,) in tables
            for row in opened.execute(f"PRAGMA table_info({table})")
        ]
    opened.close()
    return found


def use(store: Path) -> None:
    """Everything that is read of a store."""
    with HumanStore(store) as opened:
        for attribute in opened.tasks():
            opened.versions(attribute)
            opened.asked(attribute)
            opened.answers(attribute, history=True)
            opened.answers(attribute, named=False)
        opened.kept()
        opened.age()
        opened.removals()
        opened.add([Answer("b", "gender", "ann", "female", NOW)])


def test_store_of_human_labels(tmp_path):
    good, store = tmp_path / "good.db", tmp_path / "store.db"
    with HumanStore(good, create=True) as opened:
        opened.keep(30, NOW)
        opened.define(Task("gender", ("female", "male")), NOW)
        opened.ask("gender", ["a", "b"], NOW)
        opened.add([Answer("a", "gender", who, "female", NOW) for who in ("ann", "bo")])
        opened.remove(NOW, rater="bo")
        opened.vacuum()
    content, every = good.read_bytes(), columns(good)
    values = ("'x'", "x'ff'", "-1", "NULL", "1e99", "99999999999999999", "'[1]'")
    sets = [f"UPDATE {table} SET {name} = {v}" for table, name in every for v in values]
    sets += [f"ALTER TABLE {table} RENAME COLUMN {name} TO other" for table, name in every]
    sets += [f"DROP TABLE {table}" for table in dict(every) if table != "sqlite_sequence"]
    chosen = sets if FULL else random.Random(0).sample(sets, 80)
    rng = random.Random(1)
    told = 0
    for change in [*chosen, *range(1000 if FULL else 60)]:
        for file in tmp_path.glob("store.db*"):
            file.unlink()
        if isinstance(change, str):
            store.write_bytes(content)
            opened = sqlite3.connect(store)
            try:
                opened.execute("DROP TRIGGER answer_fixed")
                opened.execute(change)
                opened.commit()
            except sqlite3.Error:
                continue
            finally:
                opened.close()
        else:
            spoiled = bytearray(content[: rng.randrange(len(content))] if change % 3 else content)
            for _ in range(rng.choice((1, 8, 200)) if spoiled else 0):
                spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
            store.write_bytes(spoiled)
        error = told_by(lambda: use(store))
        assert error is None or error.hint, (change, error)
        told += error is not None
    assert told > 20


def test_advice_to_load_unsafely_is_never_repeated():
    torch_says = (
        "Weights only load failed. This file can still be loaded, to do so you have two options.\n"
        "(1) Re-running `torch.load` with `weights_only` set to `False` will likely succeed."
    )
    for error in (RuntimeError(torch_says), ValueError(torch_says.replace("\n", " "))):
        assert words_of(error) == "it is no file of plain arrays"
