"""The rules every registered index keeps, those of installed plug-ins among them. A new index is
one line in ``INDEXES``: how to write it, given the address of a PostgreSQL server and a name that
nobody else has.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairlead.protocols import Index, KeptIndex, registry
from fairlead.testing.indexes import all_laws, kept_laws, late_laws

INDEXES = {
    "exact": "exact",
    "faiss": "faiss",
    "faiss, a shard per group": "faiss(per_group=a)",
    "faiss ivf": "faiss(kind=ivf)",
    "faiss hnsw": "faiss(kind=hnsw,per_group=b)",
    "pgvector": 'pgvector:"{postgres}"(table={token})',
    "pgvector, half precision": 'pgvector:"{postgres}"(table={token},half=true,kind=hnsw)',
    "qdrant": "qdrant(collection={token})",
}
KEPT = {name: text for name, text in INDEXES.items() if name != "exact"}
"""Which keep something; ``exact`` need not, because adding what is mapped costs nothing."""
LATE = {"exact": "exact", "qdrant": "qdrant(collection={token})"}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads that wait for each other on a busy machine make tiny searches slow."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    yield
    faiss.omp_set_num_threads(before)


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Callable[[str], Callable[[], Index]]:
    """``made(text)``: what makes fresh objects of one index, all at the same address."""

    def maker(text: str) -> Callable[[], Index]:
        postgres = request.getfixturevalue("postgres") if "{postgres}" in text else ""
        spec = text.format(postgres=postgres, token=f"t{secrets.token_hex(6)}")
        return lambda: registry.make("index", spec)

    return maker


@pytest.mark.parametrize("text", INDEXES.values(), ids=INDEXES)
def test_index_on_small_data_keeps_the_laws(made, text: str) -> None:
    all_laws(made(text))


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_index_that_is_kept_keeps_the_laws_of_keeping(made, text: str, tmp_path: Path) -> None:
    make = made(text)
    assert isinstance(make(), KeptIndex)
    kept_laws(make, tmp_path / "kept")


@pytest.mark.parametrize("text", LATE.values(), ids=LATE)
def test_index_of_many_vectors_an_item_scores_by_maxsim(made, text: str) -> None:
    late_laws(made(text))


def test_index_registered_is_held_to_the_laws() -> None:
    assert set(registry.entries("index")) == {name.split(",")[0].split()[0] for name in INDEXES}


def test_index_that_is_an_installed_plug_in_is_found_and_searched_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of the page: one file and one entry point, and a search takes it by name."""
    import fairlead

    site = tmp_path / "site"
    (site / "loop-1.0.dist-info").mkdir(parents=True)
    code = (DOCS / "indexes.md").read_text("utf-8").partition('title="loop_index.py"\n')[2]
    (site / "loop_index.py").write_text(code.partition("```")[0])
    about = site / "loop-1.0.dist-info"
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: loop\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[fairlead.index]\nloop = loop_index:Loop\n")
    monkeypatch.syspath_prepend(str(site))
    all_laws(lambda: registry.make("index", "loop"))
    choices = {"collection": "phantom(seeds=2)", "mitigate": "pbm", "attribute": "gender", "k": 4}
    ours, theirs = (
        fairlead.search("a photo of a nurse", **choices, index=name) for name in ("exact", "loop")
    )
    for one, other in zip(ours.results[0].variants, theirs.results[0].variants, strict=True):
        assert [item.id for item in one.items] == [item.id for item in other.items]
    assert registry.card("index", "loop")["summary"].startswith("Looks at every row")


def test_law_that_is_broken_is_told(made) -> None:
    class Unsorted:
        """Finds the right rows in the wrong order."""

        def __init__(self) -> None:
            self.inner = registry.make("index", "exact")

        def __len__(self) -> int:
            return len(self.inner)

        def __getattr__(self, name: str):
            return getattr(self.inner, name)

        def search(self, queries, depth, per_group=None):
            from fairlead.types import Ranking

            found = self.inner.search(queries, depth, per_group)
            return Ranking(found.offsets, found.rows[::-1].copy(), found.scores[::-1].copy())

    from fairlead.testing import indexes

    with pytest.raises(AssertionError):
        indexes.search_is_a_sort(Unsorted, 1)
