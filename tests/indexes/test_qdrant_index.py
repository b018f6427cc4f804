"""What ``qdrant`` promises beyond the laws: the same answers over the wire, nothing left behind,
nothing unpickled.
"""

from __future__ import annotations

import importlib.util
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fairlead.errors import BackendError, DataError, MissingExtra, UsageError
from fairlead.indexes import points
from fairlead.indexes.exact import Exact
from fairlead.indexes.qdrant import Qdrant
from fairlead.protocols import registry
from fairlead.types import Embeddings, Groups

pytest.importorskip("qdrant_client")
ONES = Embeddings(np.ones((1, 4), np.float32))
EYE = Embeddings(np.eye(4, dtype=np.float32))
LABELS = {"g": Groups.of("g", ["x", "y", None, "not-applicable"])}


@pytest.fixture
def name() -> str:
    return f"c{secrets.token_hex(6)}"


@pytest.fixture(scope="module")
def stand_in():
    spec = importlib.util.spec_from_file_location(
        "qdrant_server", Path(__file__).with_name("qdrant_server.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def server(stand_in) -> Iterator[str]:
    with stand_in.running() as address:
        yield address
    points.client_of.cache_clear()


@pytest.mark.parametrize("late", [False, True])
def test_server_gives_the_same_answers_over_the_wire(
    server: str, tmp_path: Path, late: bool
) -> None:
    rng = np.random.default_rng(0)
    vectors, cuts = rng.integers(-2, 3, (60, 4)).astype(np.float32), np.arange(0, 61, 3)
    items = Embeddings(vectors, cuts) if late else Embeddings(vectors[:20])
    codes = {"g": Groups("g", ("x", "y"), codes=rng.integers(-2, 2, 20))}
    index, peer = Qdrant(server), Exact()
    assert index.open(tmp_path, "mine") == 0
    for one in (index, peer):
        one.add(items, codes)
    index.keep(tmp_path, "mine")
    index = Qdrant(server, probes=9)
    assert index.open(tmp_path, "mine") == 20
    for attribute in (None, "g"):
        found, truth = (one.search(Embeddings(vectors[:5]), 3, attribute) for one in (index, peer))
        assert (found.rows.tolist(), found.scores.tolist()) == (
            truth.rows.tolist(),
            truth.scores.tolist(),
        )
        assert set(index.recall(Embeddings(vectors[:5]), 3, attribute).values()) == {1.0}


@pytest.mark.parametrize(("kind", "exact"), [("flat", [True]), ("hnsw", [False, True])])
def test_server_is_asked_to_scan_unless_a_graph_is_chosen(
    stand_in, server: str, kind: str, exact: list[bool]
) -> None:
    stand_in.SEEN.clear()
    index = Qdrant(server, kind=kind, probes=50)
    index.add(EYE, LABELS)
    index.recall(ONES, 2, "g")
    made = next(body for method, what, body in stand_in.SEEN if (method, what) == ("PUT", ""))
    assert (made.get("hnsw_config") == {"m": 0}) == (kind == "flat")
    asked = [
        search["params"]
        for _, what, body in stand_in.SEEN
        if what == "/points/query/batch"
        for search in body["searches"]
    ]
    assert sorted({params["exact"] for params in asked}) == exact
    assert {params.get("hnsw_ef") for params in asked if not params["exact"]} == (
        {50} if kind == "hnsw" else set()
    )
    assert index.about()["approximate"] == (kind == "hnsw")
    index.close()
    assert ("DELETE", "") in [seen[:2] for seen in stand_in.SEEN]


def test_server_that_is_down_is_told_with_a_hint(tmp_path: Path) -> None:
    index = Qdrant("http://127.0.0.1:1")
    for act in (lambda: index.add(EYE), lambda: index.open(tmp_path, "mine")):
        with pytest.raises(BackendError, match=r"127\.0\.0\.1") as caught:
            act()
        assert "QDRANT_API_KEY" in caught.value.hint


def test_password_is_never_shown() -> None:
    index = Qdrant("https://ann:s3cret@db.example")
    assert "s3cret" not in f"{index} {index!r} {index.spec} {index.about()}"


@pytest.mark.parametrize("address", ["./folder", "/tmp/folder", "localhost:6333"])
def test_folder_is_refused_because_the_client_would_unpickle_it(address: str) -> None:
    with pytest.raises(UsageError, match="no address") as caught:
        registry.make("index", f"qdrant:{address}")
    assert "pickles" in caught.value.hint


def test_what_is_not_kept_is_dropped(name: str, tmp_path: Path) -> None:
    client = points.client_of(":memory:")
    index = Qdrant(collection=name)
    index.add(EYE)
    assert client.collection_exists(name)
    index.close()
    assert not client.collection_exists(name)
    index.add(EYE)
    del index
    assert not client.collection_exists(name)


def test_rows_of_a_run_that_was_interrupted_are_gone_when_it_is_opened_again(
    name: str, tmp_path: Path
) -> None:
    index = Qdrant(collection=name)
    index.add(EYE, LABELS)
    index.keep(tmp_path, "mine")
    index.add(EYE, LABELS)
    again = Qdrant(collection=name)
    assert again.open(tmp_path, "mine") == 4
    assert sorted(again.search(ONES, 100).rows.tolist()) == [0, 1, 2, 3]


def test_collection_that_is_there_is_not_written_to_unless_opened(
    name: str, tmp_path: Path
) -> None:
    index = Qdrant(collection=name)
    index.add(EYE)
    index.keep(tmp_path, "mine")
    with pytest.raises(UsageError, match="already"):
        Qdrant(collection=name).add(EYE)


def test_many_vectors_and_one_do_not_mix(name: str) -> None:
    index, many = (
        Qdrant(collection=name),
        Embeddings(np.ones((3, 4), np.float32), np.array([0, 2, 3])),
    )
    index.add(EYE)
    with pytest.raises(DataError, match="not both"):
        index.add(many)
    with pytest.raises(UsageError, match="this query has many"):
        index.search(many, 1)
    index.close()


def test_values_that_are_no_numbers_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="row 1"):
        Qdrant(collection=name).add(Embeddings(np.array([[1], [np.inf]], np.float32)))


def test_library_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(MissingExtra, match="needs the extra 'qdrant'"):
        Qdrant().add(EYE)
