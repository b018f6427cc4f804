"""A shard of the ``faiss`` index: some rows of the collection in one faiss index, flat while they are few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fairlead.errors import BackendError, MissingExtra
from fairlead.ragged import Array

FEW = 2_000
"""A shard of fewer rows is scanned: that costs less than any detour, and finds all."""
_LOOK = 32
"""Rows that ``ivf`` looks at for each one wanted, unless told how many lists to probe: a fixed share would starve small groups."""
_SAMPLE = 64
"""Rows per list that ``ivf`` is trained on."""


def library() -> Any:
    """The faiss library, which is loaded when it is first needed."""
    try:
        import faiss
    except ModuleNotFoundError as error:
        raise MissingExtra("index 'faiss'", "faiss") from error
    return faiss


@contextmanager
def told() -> Iterator[None]:
    """Turns what faiss raises into an error that says so."""
    try:
        yield
    except RuntimeError as error:
        raise BackendError(f"faiss failed: {str(error).splitlines()[0]}") from error


@dataclass(frozen=True)
class Build:
    """How shards are built: see the parameters of ``faiss``."""

    kind: Literal["flat", "ivf", "hnsw"]
    lists: int
    links: int


@dataclass(eq=False)
class Shard:
    """Rows of the collection, rising, and their vectors in a faiss index by their number here.

    Attributes:
        rows: (rows,) row of the collection.
        index: The faiss index.
    """

    rows: Array = field(default_factory=lambda: np.empty(0, np.int64))
    index: Any = None

    @property
    def approximate(self) -> bool:
        """Whether a search may miss rows."""
        faiss = library()
        return self.index is not None and not isinstance(self.index, faiss.IndexFlat)

    def prepare(self, more: int, dimensions: int, build: Build, sample: Callable[[int], Array]) -> None:
        """Make the index that ``more`` rows will be added to; what has become large is built as asked for.

        Args:
            more: Rows to come.
            dimensions: Of their vectors.
            build: What is asked for.
            sample: Gives that many of the vectors to come, to learn from.
        """
        faiss = library()
        size = len(self.rows) + more
        if self.index is None:
            self.index = faiss.IndexFlatIP(dimensions)
        if build.kind == "flat" or size < FEW or self.approximate:
            return
        few = self.index.reconstruct_n(0, self.index.ntotal)
        self.index = _made(size, dimensions, build, sample)
        self.index.add(few)

    def add(self, rows: Array, vectors: Array) -> None:
        """Append rows with their float32 vectors."""
        self.index.add(vectors)
        self.rows = np.concatenate([self.rows, rows])

    def search(self, queries: Array, depth: int, probes: int, member: Array | None) -> tuple[Array, Array]:
        """(queries, at most depth) rough scores and numbers of rows here, -1 where there are fewer.

        Args:
            queries: (queries, dimensions) float32.
            depth: How many.
            probes: Lists to probe, or candidates to keep open; 0 to choose.
            member: (rows,) who may be found; None for all.
        """
        size = len(self.rows) if member is None else int(member.sum())
        deep = min(depth, size)
        if not deep:
            return np.empty((len(queries), 0), np.float32), np.empty((len(queries), 0), np.int64)
        index, params = self._way(deep, size, probes, member)
        return index.search(queries, deep, params=params)

    def gather(self, numbers: Array) -> Array:
        """(numbers, dimensions) float32 vectors of rows by their number here."""
        return self.index.reconstruct_batch(np.ascontiguousarray(numbers, np.int64))

    def _way(self, depth: int, size: int, probes: int, member: Array | None) -> tuple[Any, Any]:
        """The index to search, and how."""
        faiss = library()
        chosen = {} if member is None else {"sel": faiss.IDSelectorBitmap(np.packbits(member, bitorder="little"))}
        if isinstance(self.index, faiss.IndexIVF):
            lists = self.index.nlist
            wanted = probes or int(np.ceil(_LOOK * depth * lists / size))
            return self.index, faiss.SearchParametersIVF(nprobe=min(lists, wanted), **chosen)
        if isinstance(self.index, faiss.IndexHNSW):
            open_at_once = max(probes or 2 * depth, depth)
            if member is not None:
                open_at_once = int(np.ceil(2 * open_at_once * len(self.rows) / size))
                if 16 * open_at_once > size:  # a walk that may step on few rows is longer than a scan of them
                    return self.index.storage, faiss.SearchParameters(**chosen)
            return self.index, faiss.SearchParametersHNSW(efSearch=open_at_once, **chosen)
        return self.index, (faiss.SearchParameters(**chosen) if chosen else None)


def _made(size: int, dimensions: int, build: Build, sample: Callable[[int], Array]) -> Any:
    faiss = library()
    if build.kind == "hnsw":
        index = faiss.IndexHNSWFlat(dimensions, build.links, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = max(80, 2 * build.links)
        return index
    learnt_from = sample(_SAMPLE * (build.lists or int(4 * np.sqrt(size))))
    lists = max(1, min(build.lists or int(4 * np.sqrt(size)), len(learnt_from) // 39))  # faiss asks for 39 rows a list
    index = faiss.IndexIVFFlat(faiss.IndexFlatIP(dimensions), dimensions, lists, faiss.METRIC_INNER_PRODUCT)
    index.cp.max_points_per_centroid, index.cp.niter = _SAMPLE, 10
    index.train(learnt_from)
    index.set_direct_map_type(faiss.DirectMap.Array)  # so that vectors can be had back by number
    return index
