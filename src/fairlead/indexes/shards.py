"""A shard of the ``faiss`` index: some rows in one faiss index, flat while they are few.

Shards only name candidates, so all but flat shards hold half precision: half the memory, twice the
speed.

Shards only name candidates, so what they hold of the vectors (beside a flat shard) is half
precision: half the memory, twice the speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fairlead.errors import BackendError, MissingExtra, words_of
from fairlead.types.ragged import Array

FEW = 2_000
"""A shard of fewer rows is scanned: that costs less than any detour, and finds all."""
# Rows that ``ivf`` looks at for each wanted one, unless told how many lists to probe: a fixed
# share would starve small groups.
_LOOK = 40
# ``ivf`` is trained on so many rows per list.
_SAMPLE = 64


def library() -> Any:
    """The faiss library, loaded when first needed."""
    try:
        import faiss
    except ModuleNotFoundError as error:
        raise MissingExtra("index 'faiss'", "faiss") from error
    return faiss


@contextmanager
def told() -> Iterator[None]:
    """Turn errors of faiss into ours."""
    try:
        yield
    except RuntimeError as error:
        raise BackendError(f"faiss failed: {words_of(error)}.") from error


@dataclass(frozen=True)
class Build:
    """How shards are built and searched: see the parameters of ``faiss``."""

    kind: Literal["flat", "ivf", "hnsw"]
    lists: int
    links: int
    probes: int


@dataclass(eq=False)
class Shard:
    """Rows of the collection, rising, and a faiss index that knows them by their number here."""

    build: Build
    rows: Array = field(default_factory=lambda: np.empty(0, np.int64))
    index: Any = None

    @property
    def approximate(self) -> bool:
        """Whether a search may miss rows."""
        return self.index is not None and not isinstance(self.index, library().IndexFlat)

    @property
    def lists(self) -> Any:
        """The finder of lists near a vector, where the shard has lists."""
        if isinstance(self.index, library().IndexIVF):
            return self.index.quantizer
        return None

    def grow(
        self, more: int, dimensions: int, lists: Callable[[], Any], former: Callable[[], Array]
    ) -> None:
        """Prepare for more rows: a shard that becomes large is built as requested.

        Args:
            more: How many rows are to come.
            dimensions: Of their vectors.
            lists: Gives what finds near lists, trained.
            former: Gives the vectors that are here already.
        """
        faiss, build = library(), self.build
        if self.index is None:
            self.index = faiss.IndexFlatIP(dimensions)
        if build.kind == "flat" or len(self.rows) + more < FEW or self.approximate:
            return
        halves = faiss.ScalarQuantizer.QT_fp16
        if build.kind == "hnsw":
            index = faiss.IndexHNSWSQ(dimensions, halves, build.links, faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = max(80, 2 * build.links)
        else:
            index = faiss.IndexIVFScalarQuantizer(
                lists(), dimensions, lists().ntotal, halves, faiss.METRIC_INNER_PRODUCT, False
            )
        # half precision has nothing to learn, and the lists are trained already
        index.is_trained = True
        self.index = index
        if len(self.rows):
            self.index.add(former())

    def add(self, rows: Array, vectors: Array) -> None:
        """Append rows with their float32 vectors."""
        self.index.add(vectors)
        self.rows = np.concatenate([self.rows, rows])

    def size(self, member: Array | None = None) -> int:
        """How many rows there are, or how many of them may be found."""
        if member is None:
            return len(self.rows)
        return int(member.sum())

    def wanted_lists(self, depth: int, size: int | None = None) -> int:
        """How many lists to probe for ``depth`` of ``size`` rows."""
        lists = self.index.nlist
        rows = len(self.rows) if size is None else size
        return min(lists, self.build.probes or int(np.ceil(_LOOK * depth * lists / max(1, rows))))

    def search(
        self,
        queries: Array,
        depth: int,
        *,
        more: int,
        near: tuple[Array, Array] | None,
        member: Array | None,
    ) -> tuple[Array, Array]:
        """(queries, at most depth + more) rough scores and row numbers here, -1 where there are
        fewer.

        Args:
            queries: (queries, dimensions) float32.
            depth: How many are wanted; it decides how long to look.
            more: How many beyond.
            near: Scores and numbers of the lists near each query, best first, where they are known.
            member: (rows,) who may be found; None for all.
        """
        size = self.size(member)
        deep = min(depth + more, size)
        if not deep:
            return np.empty((len(queries), 0), np.float32), np.empty((len(queries), 0), np.int64)
        if near is not None and member is None and self.lists is not None:
            self.index.nprobe = self.wanted_lists(depth)
            scores, lists = (values[:, : self.index.nprobe] for values in near)
            return self.index.search_preassigned(queries, deep, lists, scores)
        index, params = self._way(depth, size, member)
        return index.search(queries, deep, params=params)

    def _way(self, depth: int, size: int, member: Array | None) -> tuple[Any, Any]:
        """The index to search, and its search parameters."""
        faiss = library()
        if member is None:
            selector = {}
        else:
            selector = {"sel": faiss.IDSelectorBitmap(np.packbits(member, bitorder="little"))}
        if isinstance(self.index, faiss.IndexIVF):
            return self.index, faiss.SearchParametersIVF(
                nprobe=self.wanted_lists(depth, size), **selector
            )
        if isinstance(self.index, faiss.IndexHNSW):
            open_at_once = max(self.build.probes or 2 * depth, depth)
            if member is not None:
                open_at_once = int(np.ceil(2 * open_at_once * len(self.rows) / size))
                # where a walk may step on few rows only, it takes longer than scanning them
                if 16 * open_at_once > size:
                    return self.index.storage, faiss.SearchParameters(**selector)
            return self.index, faiss.SearchParametersHNSW(efSearch=open_at_once, **selector)
        return self.index, (faiss.SearchParameters(**selector) if selector else None)


def trained_lists(size: int, dimensions: int, build: Build, sample: Callable[[int], Array]) -> Any:
    """The finder of lists near a vector, trained on a sample of the rows.

    Args:
        size: Rows of the collection.
        dimensions: Of their vectors.
        build: What is asked for.
        sample: Gives so many of the vectors, to learn from.
    """
    faiss = library()
    lists = build.lists or int(4 * np.sqrt(size))
    learnt_from = sample(_SAMPLE * lists)
    # faiss wants 39 rows per list
    lists = max(1, min(lists, len(learnt_from) // 39))
    learner = faiss.Clustering(dimensions, lists)
    learner.max_points_per_centroid = _SAMPLE
    # more steps find nothing more
    learner.niter = 5
    learner.seed = 1
    nearest = faiss.IndexFlatIP(dimensions)
    learner.train(learnt_from, nearest)
    return nearest
