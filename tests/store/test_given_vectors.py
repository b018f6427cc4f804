"""Vectors that one has as a plain file with a table; layouts that are not known are answered with
those that are.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

from fairlead.commands.search import search
from fairlead.engine import galleries
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.store.sources.choose import is_given, read_given

ROWS = {
    "item": ["a", "b", "c", "d"],
    "image": ["p/a.jpg", "p/b.jpg", None, "p/d.jpg"],
    "caption": ["one", None, "three", "four"],
    "gender": ["female", "male", None, "male"],
}
VECTORS = np.eye(4, 64, dtype=np.float32)


def write(table: Path, rows: dict[str, list[str | None]] | None = None) -> None:
    content = pa.table(ROWS if rows is None else rows)
    if table.suffix == ".parquet":
        pq.write_table(content, table)
    else:
        csv.write_csv(content, table)


@pytest.mark.parametrize(
    ("vectors", "table", "source"),
    [
        ("vectors.npy", "ids.csv", "."),
        ("vectors.npy", "ids.parquet", "vectors.npy"),
        ("clip-b32.npy", "clip-b32.csv", "clip-b32.npy"),
        ("clip-b32.npy", "ids.parquet", "clip-b32.npy"),
    ],
)
def test_file_of_vectors_with_a_table_is_a_collection(tmp_path, vectors, table, source):
    np.save(tmp_path / vectors, VECTORS)
    write(tmp_path / table)
    assert is_given(tmp_path / source)
    gallery = galleries.open_gallery(tmp_path / source, registry.make("encoder", "phantom"))
    assert isinstance(gallery.embeddings.vectors, np.memmap)
    assert np.array_equal(gallery.embeddings.vectors, VECTORS)
    collection = gallery.collection
    assert collection.ids == ("a", "b", "c", "d")
    assert collection.images == (f"{tmp_path}/p/a.jpg", f"{tmp_path}/p/b.jpg", "", f"{tmp_path}/p/d.jpg")  # fmt: skip
    assert collection.texts == ("one", "", "three", "four")
    assert collection.groups["gender"].names == ("female", "male")
    assert collection.groups["gender"].codes.tolist() == [0, 1, -1, 1]
    assert galleries.open_collection(tmp_path / source).ids == collection.ids
    assert gallery.manifest["command"] == "vectors" and gallery.manifest["side"] == "images"


def test_search_of_a_file_of_vectors_finds_and_measures(tmp_path):
    np.save(tmp_path / "vectors.npy", VECTORS)
    write(tmp_path / "ids.csv")
    answer = search("a photo", collection=str(tmp_path), mitigate="pbm", k=2)
    assert [v.name for v in answer.results[0].variants] == ["plain", "pbm"]
    assert {row.attribute for row in answer.results[0].variants[0].metrics} == {"gender"}


def test_layout_that_is_not_known_is_answered_with_those_that_are(tmp_path):
    np.save(tmp_path / "emb.npy", VECTORS)
    write(tmp_path / "meta.csv")
    for act in (galleries.open_collection, lambda p: galleries.embed(p, "phantom", p / "out")):
        with pytest.raises(UsageError, match="layout that is not known") as caught:
            act(tmp_path)
        assert "vectors.npy with ids.csv" in caught.value.hint
        assert "metadata/*.parquet" in caught.value.hint
    with pytest.raises(DataError, match=r"emb\.npy has no table beside it") as none:
        read_given(tmp_path / "emb.npy")
    assert "NAME.npy with NAME.csv" in none.value.hint


def test_table_that_does_not_fit_is_refused(tmp_path):
    np.save(tmp_path / "vectors.npy", VECTORS)
    write(tmp_path / "ids.csv", {"item": ["a", "b"]})
    with pytest.raises(DataError, match="describes 2 items, but there are 4 vectors"):
        read_given(tmp_path)
    write(tmp_path / "ids.csv", {"name": ["a", "b", "c", "d"]})
    with pytest.raises(DataError, match="no column 'id'"):
        read_given(tmp_path)
    write(tmp_path / "ids.csv")
    write(tmp_path / "ids.parquet")
    with pytest.raises(DataError, match=r"several tables beside it: ids\.csv, ids\.parquet"):
        read_given(tmp_path)
    (tmp_path / "ids.parquet").unlink()
    np.save(tmp_path / "vectors.npy", VECTORS.astype(np.float64))
    with pytest.raises(DataError, match="16 or 32 bits"):
        read_given(tmp_path)


def test_embedding_vectors_again_is_refused(tmp_path):
    np.save(tmp_path / "vectors.npy", VECTORS)
    write(tmp_path / "ids.csv")
    with pytest.raises(UsageError, match="holds vectors already"):
        galleries.embed(tmp_path, "phantom", tmp_path / "out")
