"""What ``faiss`` promises beyond the laws: recall for every group, shards that grow, files that are
checked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fairlead.errors import DataError, MissingExtra, UsageError
from fairlead.indexes.exact import Exact
from fairlead.indexes.faiss import Faiss
from fairlead.protocols import registry
from fairlead.types import Embeddings, Groups

faiss = pytest.importorskip("faiss")
SHARES = np.array([0.7, 0.2, 0.07, 0.03])
NAMES = ("many", "some", "few", "rare")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    yield
    faiss.omp_set_num_threads(before)


@pytest.fixture(scope="module")
def clustered() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors around 60 centres, queries alike, and a group of each row; some are unknown."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((60, 24))
    vectors = centres[rng.integers(0, 60, 24_040)] + 0.7 * rng.standard_normal((24_040, 24))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    codes = rng.choice(4, 24_000, p=SHARES)
    codes[:500] = -1
    return vectors[:24_000], vectors[24_000:], codes


def built(text: str, vectors: np.ndarray, codes: np.ndarray) -> Faiss:
    index = registry.make("index", text)
    index.add(
        Embeddings(vectors),
        {"g": Groups("g", NAMES, codes=codes), "h": Groups("h", NAMES, codes=np.roll(codes, 7))},
    )
    return index


@pytest.mark.parametrize(
    ("text", "attribute", "least"),
    [
        ("faiss", "g", 1.0),
        ("faiss(kind=ivf,per_group=g)", "g", 0.95),
        ("faiss(kind=ivf,per_group=g)", "h", 0.95),
        ("faiss(kind=hnsw,per_group=g)", "g", 0.95),
        ("faiss(kind=hnsw,per_group=g)", "h", 0.95),
    ],
)
def test_recall_is_high_in_every_group_whatever_its_size(
    clustered, text: str, attribute: str, least: float
) -> None:
    vectors, queries, codes = clustered
    recalls = built(text, vectors, codes).recall(Embeddings(queries), 20, attribute)
    assert set(recalls) == {*NAMES, "unknown"}
    assert min(recalls.values()) >= least, recalls


def test_recall_of_too_few_probes_is_told_group_by_group(clustered) -> None:
    vectors, queries, codes = clustered
    recalls = built("faiss(kind=ivf,probes=2)", vectors, codes).recall(Embeddings(queries), 20, "g")
    assert recalls["rare"] < recalls["many"] < 1, (
        "a filter over few lists starves small groups first"
    )
    assert set(
        built("faiss(kind=ivf,probes=2)", vectors, codes).recall(Embeddings(queries), 20)
    ) == {"all"}


@pytest.mark.parametrize("text", ["faiss", "faiss(per_group=g)", "faiss(kind=ivf,per_group=g)"])
def test_scores_are_those_of_exact_to_the_last_bit(clustered, text: str) -> None:
    vectors, queries, codes = clustered
    index, peer = built(text, vectors, codes), Exact()
    peer.add(Embeddings(vectors), {"g": Groups("g", NAMES, codes=codes)})
    found = index.search(Embeddings(queries), 9, "g")
    for query, (rows, scores) in enumerate(
        zip(
            np.split(found.rows, found.offsets[1:-1]),
            np.split(found.scores, found.offsets[1:-1]),
            strict=True,
        )
    ):
        again = peer.scores(Embeddings(queries[query : query + 1]), rows)
        assert (again.rows.tolist(), again.scores.tolist()) == (rows.tolist(), scores.tolist())
    if "ivf" not in text:
        assert found.rows.tolist() == peer.search(Embeddings(queries), 9, "g").rows.tolist()


def test_shard_that_grows_is_built_as_asked_for_and_finds_all_it_holds(
    clustered, tmp_path: Path
) -> None:
    vectors, queries, codes = clustered
    index = registry.make("index", "faiss(kind=ivf,per_group=g)")
    for at in range(0, 12_000, 3_000):
        part = slice(at, at + 3_000)
        index.add(
            Embeddings(vectors[part].astype(np.float16)),
            {"g": Groups("g", NAMES, codes=codes[part])},
        )
        assert index.about()["approximate"] == (at > 0)
        index.keep(tmp_path / "kept", "mine")
        index = registry.make("index", "faiss(kind=ivf,per_group=g)")
        assert index.open(tmp_path / "kept", "mine") == part.stop
    assert min(index.recall(Embeddings(queries), 20, "g").values()) > 0.9
    assert index.about()["warnings"]


def test_kept_index_that_is_damaged_or_of_another_kind_is_refused(
    clustered, tmp_path: Path
) -> None:
    vectors, _, codes = clustered
    built("faiss(kind=ivf)", vectors[:3_000], codes[:3_000]).keep(tmp_path, "mine")
    assert registry.make("index", "faiss(kind=ivf,probes=7)").open(tmp_path, "mine") == 3_000
    with pytest.raises(DataError, match="keeps 'faiss"):
        registry.make("index", "faiss(kind=hnsw)").open(tmp_path, "mine")
    shard = next(tmp_path.glob("*.shard"))
    shard.write_bytes(shard.read_bytes()[:5_000])
    with pytest.raises(DataError, match="not the one that was kept"):
        registry.make("index", "faiss(kind=ivf)").open(tmp_path, "mine")
    (tmp_path / "index.json").write_text("[]")
    with pytest.raises(DataError, match="manifest"):
        registry.make("index", "faiss(kind=ivf)").open(tmp_path, "mine")


def test_keep_again_leaves_the_files_of_the_last_time_only(clustered, tmp_path: Path) -> None:
    vectors, _, codes = clustered
    index = built("faiss(per_group=g)", vectors[:100], codes[:100])
    index.keep(tmp_path, "mine")
    first = {p.name for p in tmp_path.iterdir()}
    index.keep(tmp_path, "mine")
    second = {p.name for p in tmp_path.iterdir()}
    assert first & second == {"index.json"}
    assert len(first) == len(second)


def test_many_vectors_per_item_are_refused() -> None:
    many = Embeddings(np.ones((3, 2), np.float32), np.array([0, 2, 3]))
    with pytest.raises(UsageError, match="one vector per item"):
        Faiss().add(many)
    index = Faiss()
    index.add(Embeddings(np.ones((3, 2), np.float32)))
    with pytest.raises(UsageError, match="this query has many"):
        index.search(many, 1)


@pytest.mark.parametrize(
    "text", ["faiss(probes=-1)", "faiss(lists=-1)", "faiss(links=1)", "faiss(kind=lsh)"]
)
def test_parameters_that_make_no_index_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        registry.make("index", text)


def test_library_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    index = Faiss()
    index.add(Embeddings(np.ones((3, 2), np.float32)))
    with pytest.raises(MissingExtra, match="needs the extra 'faiss'"):
        index.search(Embeddings(np.ones((1, 2), np.float32)), 1)
