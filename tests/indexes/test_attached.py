"""Collections on a server, searched and audited where they lie: the same answers as a search of
their vectors here, nothing written, and a clear word where it cannot work.
"""

from __future__ import annotations

import importlib.util
import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fairlead
from fairlead.commands.search import build_index
from fairlead.engine import galleries
from fairlead.engine.kept.index import recall_of, searched_index
from fairlead.errors import BackendError, DataError, FairleadError, UsageError
from fairlead.indexes import points
from fairlead.indexes.exact import Exact
from fairlead.protocols import registry
from fairlead.types import Embeddings, Groups, Ranking

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("qdrant_client")
from qdrant_client import QdrantClient, models

COUNT, WIDTH = 90, 64
RNG = np.random.default_rng(3)
VECTORS = RNG.integers(-2, 3, (COUNT, WIDTH)).astype(np.float32)
VECTORS /= 16.0  # still exact in every precision, and with many ties among small sets
GENDER = [("female", "male", None)[n % 3] for n in range(COUNT)]
SKIN = [str(1 + n % 5) for n in range(COUNT)]
QUERIES = Embeddings(RNG.integers(-2, 3, (4, WIDTH)).astype(np.float32))


@dataclass(frozen=True)
class Place:
    """Somebody's data on a server."""

    spec: str
    state: Callable[[], Any]


def stand_in() -> Any:
    spec = importlib.util.spec_from_file_location(
        "qdrant_server", Path(__file__).with_name("qdrant_server.py")
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(address: str, name: str, kind: str, more: str = "") -> None:
    """A table as an application would make it, in an order that is not that of its ids."""
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("CREATE EXTENSION IF NOT EXISTS vector")
        other.execute(
            f'CREATE TABLE {name} (photo_id bigint PRIMARY KEY, n int, v int, "Em bed" {kind}, '
            "caption text, path text, gender text, skin int)"
        )
        for row in np.random.default_rng(0).permutation(COUNT).tolist():
            vector = json.dumps(VECTORS[row].tolist())
            other.execute(
                f"INSERT INTO {name} VALUES (%s, 0, 0, %s, %s, %s, %s, %s)",
                [5 * row, vector, f"caption {row}", f"/p/{row}.jpg", GENDER[row], SKIN[row]],
            )
        other.execute(f"INSERT INTO {name} VALUES (9999, 0, 0, NULL, NULL, NULL, NULL, NULL)")
        if more:
            other.execute(more)


@pytest.fixture(scope="module")
def reader(postgres: str) -> str:
    """The address as a role that may read and nothing else."""
    role = f"reader{secrets.token_hex(4)}"
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute("CREATE EXTENSION IF NOT EXISTS vector")
        other.execute(f"CREATE ROLE {role} LOGIN")
        other.execute(f"GRANT pg_read_all_data TO {role}")
        other.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    return make_conninfo(**{**conninfo_to_dict(postgres), "user": role})


def pg_place(postgres: str, reader: str, kind: str) -> Place:
    name = f"photos_{secrets.token_hex(4)}"
    table(postgres, name, kind)

    def state() -> Any:
        with psycopg.connect(postgres, autocommit=True) as other:
            rows = other.execute(f"SELECT md5(string_agg(t::text, '|' ORDER BY photo_id)) FROM {name} t")  # fmt: skip
            written = other.execute(f"SELECT max(xmin::text::bigint), max(ctid) FROM {name}")
            tables = other.execute("SELECT count(*), sum(relpages) FROM pg_class WHERE relkind IN ('r', 'i')")  # fmt: skip
            return rows.fetchone(), written.fetchone(), tables.fetchone()[0]

    names = 'id=photo_id,vector="Em bed",text=caption,image=path,groups="gender,skin"'
    return Place(f'pgvector:"{reader}"(table={name},{names})', state)


def qdrant_place(address: str, *, named: bool) -> Place:
    client = QdrantClient(url=address, check_compatibility=False)
    name = f"photos{secrets.token_hex(4)}"
    size = models.VectorParams(size=WIDTH, distance=models.Distance.DOT)
    client.create_collection(name, vectors_config={"clip": size} if named else size)
    structs = []
    for row in range(COUNT):
        payload: dict[str, Any] = {
            "photo": f"p{row}",
            "caption": f"caption {row}",
            "path": f"/p/{row}.jpg",
            "about": {"gender": GENDER[row]},
            "skin": int(SKIN[row]),
        }
        if GENDER[row] is None:
            del payload["about"]
        vector = VECTORS[row].tolist()
        structs.append(models.PointStruct(id=5 * row, vector={"clip": vector} if named else vector, payload=payload))  # fmt: skip
    client.upsert(name, points=structs, wait=True)

    def state() -> Any:
        info = client.get_collection(name)
        points, _ = client.scroll(name, limit=10_000, with_vectors=True)
        told = [(p.id, str(p.payload), str(p.vector)) for p in points]
        return info.points_count, str(info.status), str(info.update_queue if hasattr(info, "update_queue") else ""), told  # fmt: skip

    vector = "vector=clip," if named else ""
    names = f'{vector}id=photo,text=caption,image=path,groups="about.gender,skin"'
    return Place(f"qdrant:{address}(collection={name},{names})", state)


@pytest.fixture(params=["vector", "halfvec", "qdrant", "qdrant, named"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if "qdrant" not in request.param:
        postgres = request.getfixturevalue("postgres")
        reader = request.getfixturevalue("reader")
        yield pg_place(postgres, reader, f"{request.param}({WIDTH})")
        return
    with stand_in().running() as address:
        yield qdrant_place(address, named="named" in request.param)
    points.client_of.cache_clear()


def lists(ranking: Ranking) -> list[list[tuple[int, float]]]:
    cuts = ranking.offsets[1:-1]
    parts = zip(np.split(ranking.rows, cuts), np.split(ranking.scores, cuts), strict=True)
    return [list(zip(r.tolist(), s.tolist(), strict=True)) for r, s in parts]


def opened(place: Place) -> galleries.Gallery:
    return galleries.open_gallery(place.spec, registry.make("encoder", "phantom"))


def peer(rows: np.ndarray, labels: dict[str, Groups]) -> Exact:
    exact = Exact()
    exact.add(Embeddings(VECTORS[rows]), {n: g.take(rows) for n, g in labels.items()})
    return exact


def gender_of(gallery: galleries.Gallery) -> Groups:
    return gallery.collection.groups["gender"]


def test_attached_collection_has_the_items_and_labels_of_its_columns(place: Place) -> None:
    gallery = opened(place)
    collection = gallery.collection
    expected = [str(5 * n) if place.spec.startswith("pg") else f"p{n}" for n in range(COUNT)]
    assert list(collection.ids) == expected
    assert collection.texts == tuple(f"caption {n}" for n in range(COUNT))
    assert collection.images == tuple(f"/p/{n}.jpg" for n in range(COUNT))
    gender = gender_of(gallery)
    told = [None if code < 0 else gender.names[code] for code in gender.codes]
    assert told == GENDER, "what is empty is unknown, and stays so"
    assert collection.groups["skin"].names == tuple("12345")
    assert np.array_equal(np.asarray(gallery.embeddings.vectors), VECTORS)
    assert np.array_equal(gallery.embeddings.vectors[3:9], VECTORS[3:9])
    assert np.array_equal(gallery.embeddings.take(np.array([7, 2])).vectors, VECTORS[[7, 2]])
    if place.spec.startswith("pg"):
        assert gallery.manifest["skipped"] == {"no vector": 1}


def test_attached_search_equals_exact_search_of_the_same_vectors(place: Place) -> None:
    gallery = opened(place)
    labels = dict(gallery.collection.groups)
    # labels of somebody else, which no column holds
    labels["guess"] = Groups("guess", ("x", "y"), codes=RNG.integers(-2, 2, COUNT))
    for rows in (np.arange(COUNT), np.delete(np.arange(COUNT), [0, 17, 40])):
        part = gallery.take(rows)
        exact = peer(rows, labels)
        for name, groups in labels.items():
            index, held = searched_index(Exact(), part, {name: groups.take(rows)})
            assert held == len(rows)
            for depth in (1, 7, 1000):
                assert lists(index.search(QUERIES, depth)) == lists(exact.search(QUERIES, depth))
                found = index.search(QUERIES, depth, name)
                assert lists(found) == lists(exact.search(QUERIES, depth, name))
        some = np.array([5, 60, 33])
        assert lists(part.index.scores(QUERIES, some)) == lists(exact.scores(QUERIES, some))
        assert len(part.index.search(QUERIES.take(np.arange(0)), 5)) == 0


def test_attached_search_per_group_filters_by_the_column(place: Place, monkeypatch) -> None:
    gallery = opened(place)
    seen = []
    server = gallery.index.server
    best = type(server).best

    def noting(self, asked, depth, within):
        seen.append(within)
        return best(self, asked, depth, within)

    monkeypatch.setattr(type(server), "best", noting)
    index = gallery.index.labelled({"gender": gender_of(gallery)})
    index.search(QUERIES, 3, "gender")
    column = "gender" if place.spec.startswith("pg") else "about.gender"
    assert {(w.column, w.values, w.rows is None) for w in seen} == {
        (column, (value,), True) for value in ("female", "male", None)
    }


def test_search_and_audit_in_place_write_nothing(place: Place, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    before = place.state()
    attribute = "gender"
    answer = fairlead.search(
        "a photo of a nurse",
        collection=place.spec,
        mitigate=("pbm", "orthogonal"),
        attribute=attribute,
        k=6,
    )
    plain, mitigated, _ = answer.results[0].variants
    assert len(plain.items) == len(mitigated.items) == 6
    assert {row.attribute for row in plain.metrics} == {attribute}
    shown = [item.groups[attribute] for item in mitigated.items]
    assert abs(shown.count("female") - shown.count("male")) <= 2
    built = build_index(place.spec, attribute=attribute, recall=10)
    assert built["recall"]["all"] == 1.0 and built["place"] is None
    assert place.state() == before
    assert not (tmp_path / "cache").exists(), "nothing is copied either"


def test_only_requests_that_read_are_sent_to_a_qdrant_server() -> None:
    server = stand_in()
    with server.running() as address:
        place = qdrant_place(address, named=False)
        server.SEEN.clear()
        gallery = opened(place)
        index = gallery.index.labelled({"gender": gender_of(gallery)})
        index.search(QUERIES, 5, "gender")
        index.scores(QUERIES, np.arange(4))
        np.asarray(gallery.embeddings.vectors)
        sent = {(method, what) for method, what, _ in server.SEEN}
    points.client_of.cache_clear()
    reads = {"", "/exists", "/points", "/points/scroll", "/points/query/batch"}
    assert {what for _, what in sent} <= reads
    assert {method for method, _ in sent} == {"GET", "POST"}


def test_attached_connection_is_held_to_reading_by_the_server(postgres, reader) -> None:
    place = pg_place(postgres, postgres, f"vector({WIDTH})")  # as somebody who may write
    gallery = opened(place)
    connection = gallery.index.server._connection
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        connection.execute("CREATE TABLE mine (a int)")
    with pytest.raises(UsageError, match="never written"):
        gallery.index.add(QUERIES)


def test_rows_that_came_later_are_not_shown_and_take_no_place(postgres, reader) -> None:
    place = pg_place(postgres, reader, f"vector({WIDTH})")
    gallery = opened(place)
    name = place.spec.partition("table=")[2].partition(",")[0]
    with psycopg.connect(postgres, autocommit=True) as other:
        best = json.dumps((np.sign(QUERIES.vectors[0]) * 9).tolist())
        for number in range(20):
            other.execute(f"INSERT INTO {name} VALUES ({20_001 + number}, 0, 0, %s)", [best])
    exact = peer(np.arange(COUNT), {})
    assert lists(gallery.index.search(QUERIES, 7)) == lists(exact.search(QUERIES, 7))


def test_approximate_search_asks_the_tables_own_index(postgres, reader) -> None:
    name = f"photos_{secrets.token_hex(4)}"
    way = f'CREATE INDEX ON {name} USING hnsw ("Em bed" vector_ip_ops)'
    table(postgres, name, f"vector({WIDTH})", way)
    spec = f'pgvector:"{reader}"(table={name},id=photo_id,vector="Em bed",approximate=true'
    gallery = galleries.open_gallery(f"{spec})", registry.make("encoder", "phantom"))
    assert gallery.index.about()["approximate"]
    assert recall_of(gallery.index, gallery, 5, {})["all"] > 0.5
    with pytest.raises(UsageError, match=r"cosine of 'Em bed'; there is vector_ip_ops"):
        registry.make("source", f"{spec},metric=cosine)").open_live()


def test_cosine_of_vectors_that_are_not_of_unit_length(postgres, reader) -> None:
    place = pg_place(postgres, reader, f"vector({WIDTH})")
    plain, cosine = (
        galleries.open_gallery(s, registry.make("encoder", "phantom"))
        for s in (place.spec, place.spec[:-1] + ",metric=cosine)")
    )
    assert any("not of unit length" in note for note in plain.manifest["warnings"])
    assert not any("not of unit length" in note for note in cosine.manifest["warnings"])
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    asked = QUERIES.vectors / np.linalg.norm(QUERIES.vectors, axis=1, keepdims=True)
    found = cosine.index.scores(QUERIES, np.arange(COUNT))
    for query in range(len(QUERIES)):
        cut = slice(found.offsets[query], found.offsets[query + 1])
        expected = unit @ asked[query]
        np.testing.assert_allclose(found.scores[cut], expected[found.rows[cut]], atol=1e-6)


WRONG = [
    ("table=nowhere", "There is no table nowhere"),
    ("table={t},id=photo_di", "no column of {t} called 'photo_di'"),
    ("table={t},id=photo_id,vector=embed", "no column of {t} called 'embed'"),
    ("table={t},id=photo_id,vector=caption", "'caption' of {t} is of type text"),
    ('table={t},id=photo_id,vector="Em bed",text=told', "no column of {t} called 'told'"),
    ('table={t},id=photo_id,vector="Em bed",groups=sex', "no column of {t} called 'sex'"),
    ('table={t},id=gender,vector="Em bed"', "does not name every row"),
]


@pytest.mark.parametrize(("choice", "words"), WRONG)
def test_table_that_cannot_be_searched_is_refused(postgres, reader, choice, words) -> None:
    place = pg_place(postgres, reader, f"vector({WIDTH})")
    name = place.spec.partition("table=")[2].partition(",")[0]
    source = registry.make("source", f'pgvector:"{reader}"({choice.format(t=name)})')
    with pytest.raises(FairleadError) as caught:
        source.open_live()
    assert isinstance(caught.value, (UsageError, DataError))
    assert words.format(t=name) in str(caught.value)


def test_model_of_other_dimensions_is_refused(postgres, reader) -> None:
    place = pg_place(postgres, reader, f"vector({WIDTH})")
    with pytest.raises(DataError, match=f"vectors of {WIDTH} dimensions, got 3"):
        opened(place).index.search(Embeddings(np.ones((1, 3), np.float32)), 5)


def test_qdrant_collection_that_cannot_be_searched_is_refused() -> None:
    client = points.client_of(":memory:")
    token = secrets.token_hex(4)

    def made(name: str, **more: Any) -> str:
        given = {"size": 4, "distance": models.Distance.EUCLID, **more}
        client.create_collection(f"{name}{token}", vectors_config=models.VectorParams(**given))
        return f"qdrant::memory:(collection={name}{token}"

    euclid = made("euclid")
    good = made("dot", distance=models.Distance.DOT)
    client.upsert(
        f"dot{token}", points=[models.PointStruct(id=1, vector=[1.0] * 4, payload={"a": "b"})]
    )
    late = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM)
    many = made("late", distance=models.Distance.DOT, multivector_config=late)
    for spec, words in (
        (f"{euclid})", "compares vectors by Euclid"),
        (f"{many})", "many vectors per point"),
        (f"{good},vector=clip)", "no vector called 'clip'"),
        (f"{good},groups=gender)", "has a field 'gender'"),
        ("qdrant::memory:(collection=nowhere)", "no collection 'nowhere'"),
    ):
        with pytest.raises(UsageError, match=words):
            registry.make("source", spec).open_live()


def test_password_in_an_address_is_refused_and_not_shown() -> None:
    for address in ("postgresql://ann:s3cret@db/photos", "host=db password=s3cret"):
        with pytest.raises(UsageError, match="PGPASSWORD") as caught:
            registry.make("source", f'pgvector:"{address}"(table=photos)')
        assert "s3cret" not in str(caught.value)
    with pytest.raises(BackendError, match="127") as lost:
        registry.make("source", "pgvector:postgresql://ann@127.0.0.1:1/x(table=t)").open_live()
    assert "PGPASSWORD" in lost.value.hint


def test_index_beside_a_collection_that_brings_its_own_is_refused(postgres, reader) -> None:
    place = pg_place(postgres, reader, f"vector({WIDTH})")
    with pytest.raises(UsageError, match="searched where it lies"):
        fairlead.search("a nurse", collection=place.spec, index="faiss")
