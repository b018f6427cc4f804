"""Indexes are kept for every source: what was built once is found again, and made anew when the
vectors change.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairlead.cli.main import main
from fairlead.commands.search import build_index, search
from fairlead.engine.galleries import Gallery, open_gallery
from fairlead.engine.kept.index import fill, place
from fairlead.errors import BackendError
from fairlead.indexes.faiss import Faiss
from fairlead.indexes.keeping import write_kept
from fairlead.protocols import registry
from fairlead.types import Embeddings, Groups

pytest.importorskip("faiss")


@dataclass(frozen=True)
class CountingFaiss(Faiss):
    """Counts the rows that are added, over all objects."""

    added: ClassVar[list[int]] = []

    def add(self, embeddings, groups=None):
        self.added.append(len(embeddings))
        super().add(embeddings, groups)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    CountingFaiss.added.clear()
    return tmp_path / "cache"


def clip_retrieval(folder: Path, count: int, width: int = 64, seed: int = 0) -> Path:
    """An output of clip-retrieval: vectors that another program made."""
    for name in ("img_emb", "metadata"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    vectors = np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.save(folder / "img_emb" / "img_emb_0.npy", vectors)
    gender = [("female", "male", None)[row % 3] for row in range(count)]
    table = pa.table({"image_path": [f"{row}.jpg" for row in range(count)], "gender": gender})
    pq.write_table(table, folder / "metadata" / "metadata_0.parquet")
    return folder


def opened(folder: Path) -> Gallery:
    return open_gallery(folder, registry.make("encoder", "phantom"))


def test_index_of_vectors_of_another_program_is_kept_in_the_cache(tmp_path, cache):
    folder = clip_retrieval(tmp_path / "clip", 60)
    before = sorted(p for p in folder.rglob("*"))
    for held in (0, 60, 60):
        index = CountingFaiss()
        assert fill(index, opened(folder), {}) == held
        assert len(index) == 60
    assert CountingFaiss.added == [60], "the second and the third search add nothing"
    assert sorted(p for p in folder.rglob("*")) == before, "nothing is written into their folder"
    assert list(cache.rglob("index.json"))


def test_index_is_made_anew_when_the_files_of_a_folder_change(tmp_path, cache):
    folder = clip_retrieval(tmp_path / "clip", 60)
    fill(CountingFaiss(), opened(folder), {})
    clip_retrieval(folder, 60, seed=1)
    os.utime(folder / "img_emb" / "img_emb_0.npy", (1, 1))
    gallery = opened(folder)
    index = CountingFaiss()
    assert fill(index, gallery, {}) == 0
    assert CountingFaiss.added == [60, 60]
    query = gallery.embeddings.take(np.array([7]))
    found = index.search(query, 1)
    assert found.rows.tolist() == [7], "it searches the vectors that are there now"
    assert len(list(cache.rglob("index.json"))) == 1, "the index of the old ones is deleted"


def test_index_is_kept_for_each_set_of_labels_it_fetches_by(tmp_path):
    gallery = opened(clip_retrieval(tmp_path / "clip", 60))
    own = {"gender": gallery.collection.groups["gender"]}
    other = {"gender": Groups.of("gender", ["female"] * 30 + ["male"] * 30)}
    for held in (0, 60):
        for groups in ({}, own, other):
            assert fill(CountingFaiss(), gallery, groups) == held
    assert CountingFaiss.added == [60] * 3


def test_second_search_takes_a_fraction_of_the_time_of_the_first(tmp_path):
    gallery = opened(clip_retrieval(tmp_path / "clip", 20_000))
    seconds = []
    for _ in range(2):
        start = time.process_time()
        fill(Faiss("hnsw"), gallery, {})
        seconds.append(time.process_time() - start)
    # building a graph costs hundreds of times what opening a file does
    assert seconds[1] < seconds[0] / 5


def test_search_keeps_what_it_builds_and_the_command_says_where(tmp_path, cache, capsys):
    folder = clip_retrieval(tmp_path / "clip", 60)
    choices = {"collection": str(folder), "index": "faiss(kind=flat)"}
    plain = search("a photo of a nurse", **choices, k=5)
    built = build_index(**choices)
    assert built["reused"] == 60 and Path(built["place"]).is_relative_to(cache)
    again = search("a photo of a nurse", **choices, k=5)
    first, second = (one.results[0].variants[0].items for one in (plain, again))
    assert first == second
    with pytest.raises(SystemExit) as left:
        main(["index", str(folder), "--index", "faiss(kind=flat)"])
    assert left.value.code == 0
    told = capsys.readouterr().out
    assert "60 of them already there" in told and f"Kept in {built['place']}" in told


def test_index_of_a_folder_of_ours_that_grew_replaces_the_one_before(tmp_path, photos):
    source = photos(6)
    encoder = registry.make("encoder", "phantom")
    for count in (6, 8):
        photos(count)
        gallery = open_gallery(source, encoder)
        fill(CountingFaiss(), gallery, {})
        spot = place(CountingFaiss(), gallery, {})
        assert spot.is_relative_to(gallery.folder) and spot.is_dir()
        assert len(list((gallery.folder / "indexes").rglob("index.json"))) == 1
    assert CountingFaiss.added == [6, 8]


def test_index_without_what_is_left_out_is_kept_beside_the_whole_one(tmp_path):
    gallery = opened(clip_retrieval(tmp_path / "clip", 60))
    part = gallery.take(np.arange(50))
    for held, one in ((0, gallery), (0, part), (60, gallery), (50, part)):
        assert fill(CountingFaiss(), one, {}) == held
    index = CountingFaiss()
    fill(index, part, {})
    assert int(index.search(Embeddings(gallery.embeddings.vectors[55:56]), 60).rows.max()) < 50


def test_named_table_of_a_gallery_that_changed_is_built_anew(tmp_path, postgres):
    folder = clip_retrieval(tmp_path / "clip", 30)
    spec = f'pgvector:"{postgres}"(table=kept_named)'
    for seed in (0, 1):
        clip_retrieval(folder, 30 + seed, seed=seed)
        for held in (0, 30 + seed):
            index = registry.make("index", spec)
            assert fill(index, opened(folder), {}) == held
            index.close()


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_index_that_is_not_written_to_its_end_leaves_nothing(tmp_path, fault):
    def whole(path: Path) -> list[str]:
        path.with_name(f"{path.name}.shard").write_text("whole")
        return [f"{path.name}.shard"]

    def half(path: Path) -> list[str]:
        path.with_name(f"{path.name}.shard").write_text("half")
        raise fault

    write_kept(tmp_path, {"owner": "me", "index": "exact"}, whole)
    before = sorted(path.name for path in tmp_path.iterdir())
    for _ in range(3):
        with pytest.raises((BackendError, KeyboardInterrupt)):
            write_kept(tmp_path, {"owner": "me", "index": "exact"}, half)
        assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_what_a_killed_run_left_of_an_index_goes_with_the_next_one(tmp_path):
    def whole(path: Path) -> list[str]:
        path.with_name(f"{path.name}.shard").write_text("whole")
        return [f"{path.name}.shard"]

    # Whoever writes an index holds its lock, so nobody else is at work on what lies there.
    left, mine = tmp_path / "0123abcd.shard", tmp_path / "kept.json"
    for path in (left, mine):
        path.write_text("left")
    write_kept(tmp_path, {"owner": "me", "index": "exact"}, whole)
    assert not left.exists() and mine.exists()
