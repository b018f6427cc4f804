"""``faiss``: Flat, IVF and HNSW of the faiss library, behind the same contract as ``exact``.

Faiss finds candidates; they are scored as ``exact`` scores them, on the vectors as given, so that
the two agree to the last bit on what both find, and equal scores stand in the order of their rows.
``per_group=ATTRIBUTE`` gives every group of that attribute an index of its own (a shard): a filter
over one index would starve small groups, unless it looked through most of it. Other attributes are
searched with a filter, and the smaller the group, the more lists are probed. ``recall`` says for
every group which share of the true best is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.errors import DataError, UsageError, words_of
from fairlead.indexes import exact
from fairlead.indexes.keeping import drop_kept, open_manifest, write_kept
from fairlead.indexes.labels import RowLabels, refuse_depth, refuse_other_sizes, refuse_rows
from fairlead.indexes.recall import recall_by_group, warnings_of
from fairlead.indexes.scoring import QueryVectors
from fairlead.indexes.shards import Build, Shard, library, told, trained_lists
from fairlead.indexes.vectors import VectorParts
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.store.shapes import TORN
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Embeddings, Groups, Ranking
from fairlead.types.ragged import Array

_BLOCK = 1 << 14
_LONGEST = 60_000
_VECTORS, _SHARD, _CODES = ".vectors", ".shard", ".npy"


@dataclass(frozen=True)
class Faiss(Configured):
    """Faiss indexes: ``flat`` scans, ``ivf`` probes lists of near vectors, ``hnsw`` walks a graph.

    ``lists`` and ``links`` build them (0: by the number of rows); ``probes`` is how many lists
    ``ivf`` looks into, or how many candidates ``hnsw`` keeps open (0: by the depth asked for).
    ``per_group`` names the attribute whose groups get an index each.
    """

    kind: Literal["flat", "ivf", "hnsw"] = "flat"
    lists: int = 0
    probes: int = 0
    links: int = 32
    per_group: str = ""

    name: ClassVar[str] = "faiss"
    reaches: ClassVar[Reach] = Reach()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_state", _FaissState(self._build(), self.per_group))

    def validate(self) -> None:
        for parameter in ("lists", "probes"):
            if getattr(self, parameter) < 0:
                raise UsageError(
                    f"faiss({parameter}={getattr(self, parameter)}) is not a count.",
                    "Give 1 or more; 0 lets it be chosen.",
                )
        if self.links < 2:
            raise UsageError(
                f"faiss(links={self.links}) makes no graph.", "Give 2 or more; 32 is usual."
            )

    def __len__(self) -> int:
        return len(_state(self).labels)

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None:
        """Append vectors and their labels; they are indexed at the next search or when kept."""
        if embeddings.offsets is not None:
            raise UsageError(
                "faiss holds one vector per item; this encoder gives many.",
                "Use the index exact, or qdrant.",
            )
        refuse_other_sizes(len(embeddings), groups or {})
        _state(self).vectors.append(embeddings)
        _state(self).labels.append(len(embeddings), groups)

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows found for each query, or for each group of each query."""
        refuse_depth(depth)
        return _state(self).search(queries, depth, per_group)

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        vectors = _state(self).vectors
        rows_wanted = refuse_rows(rows, len(self))
        return exact.ranked(
            QueryVectors.of(queries, vectors.dimensions).precise(vectors.gather(rows_wanted)).T,
            rows_wanted,
        )

    def recall(
        self, queries: Embeddings, depth: int, per_group: str | None = None
    ) -> dict[str, float]:
        """For each group (or ``all``), the share of the true best ``depth`` rows that a search
        finds.
        """
        state = _state(self)
        result = self.search(queries, depth, per_group)
        truth = exact.search(state.vectors, queries, depth, state.labels.cells_by(per_group))
        codes = None
        if per_group is not None:
            codes = state.labels.codes(per_group)[truth.rows]
        return recall_by_group(result, truth, codes, state.labels.names.get(per_group or "", ()))

    def about(self) -> dict[str, Any]:
        """What a manifest says of the index."""
        approximate = _state(self).approximate
        return {
            "index": str(self),
            "rows": len(self),
            "approximate": approximate,
            "warnings": warnings_of(approximate=approximate),
        }

    def open(self, place: Path, owner: str) -> int:
        """Read what a folder keeps for an owner, and return the number of rows."""
        manifest = open_manifest(Path(place), owner, self._built_as())
        if manifest is None:
            return 0
        object.__setattr__(
            self, "_state", _FaissState.read(self._build(), self.per_group, Path(place), manifest)
        )
        return len(self)

    def keep(self, place: Path, owner: str) -> None:
        """Write the index to a folder, in faiss's own format, with the vectors beside it."""
        state = _state(self)
        state.build()
        about = {
            "owner": owner,
            "index": self._built_as(),
            "rows": len(self),
            "dimensions": state.vectors.dimensions,
        }
        about |= {
            "dtype": state.vectors.dtype.name,
            "reach": state.reach,
            "names": state.labels.saved(),
        }
        write_kept(place, about, state.write)

    def drop(self, place: Path, owner: str) -> None:
        """Delete what a folder keeps for an owner."""
        drop_kept(Path(place), owner, self._built_as())

    def _built_as(self) -> str:
        """The text form of what was built, without the choices that only affect a search."""
        return str(replace(self, probes=0))

    def _build(self) -> Build:
        return Build(self.kind, self.lists, self.links, self.probes)


class _FaissState:
    """The content of an index: vectors as given, their labels, and shards by group code.

    Without an attribute there is one shard, 0.
    """

    def __init__(self, build: Build, attribute: str) -> None:
        self.vectors = VectorParts()
        self.labels = RowLabels()
        self.reach = 0.0
        self._build, self._attribute = build, attribute
        self._shards: dict[int, Shard] = {}
        self._lists: Any = None
        self._built = 0

    @property
    def approximate(self) -> bool:
        """Whether a search may miss rows."""
        self.build()
        return any(shard.approximate for shard in self._shards.values())

    def build(self) -> None:
        """Put the rows that are not in a shard yet into their shards."""
        if self._built == len(self.vectors):
            return
        owner, dimensions = self._owners(), self.vectors.dimensions
        with told():
            for code in np.unique(owner[self._built :]).tolist():
                shard = self._shards.setdefault(code, Shard(self._build))
                more = int((owner[self._built :] == code).sum())
                shard.grow(more, dimensions, self._near_lists, partial(self._vectors_of, shard))
            for block in self.vectors.blocks(_BLOCK, self._built):
                self.reach = max(self.reach, block.reach)
                if self.reach > _LONGEST and self._build.kind != "flat":
                    raise DataError(
                        "The vectors hold values too large for half precision.",
                        "Scale them to length 1, or use kind=flat.",
                    )
                codes = owner[block.first : block.first + len(block)]
                for code in np.unique(codes).tolist():
                    members = np.flatnonzero(codes == code)
                    self._shards[code].add(block.first + members, block.vectors[members])
        self._built = len(self.vectors)

    def search(self, queries: Embeddings, depth: int, per_group: str | None) -> Ranking:
        """Candidates from every shard and group, scored as ``exact`` does, cut to ``depth`` per
        group.
        """
        cells, groups = (None, 1) if per_group is None else self.labels.cells(per_group)
        query_vectors = QueryVectors.of(queries, self.vectors.dimensions)
        if query_vectors.offsets is not None:
            raise UsageError(
                "faiss holds one vector per item; this query has many.",
                "Encode queries and items with one model.",
            )
        self.build()
        parts: list[tuple[Array, Array, Array]] = []
        with told():
            near = self._near(query_vectors, depth)
            for code, shard in self._shards.items():
                for group, member in self._members(code, shard, per_group, cells, groups):
                    query, numbers = self._candidates(shard, query_vectors, depth, near, member)
                    parts.append((query, np.full(len(query), group), shard.rows[numbers]))
        query, own, rows = (
            np.concatenate([p[i] for p in parts]) if parts else np.empty(0, np.int64)
            for i in range(3)
        )
        return exact.settled(
            query_vectors,
            lambda r: self.vectors.gather(r, self.reach),
            (query, own, rows),
            depth,
            groups,
        )

    def _vectors_of(self, shard: Shard) -> Array:
        return self.vectors.gather(shard.rows).vectors

    def _near(self, query_vectors: QueryVectors, depth: int) -> tuple[Array, Array] | None:
        """Scores and numbers of the lists near each query, looked up once for all shards."""
        counts = [
            shard.wanted_lists(depth) for shard in self._shards.values() if shard.lists is not None
        ]
        if counts and len(query_vectors):
            return self._lists.search(query_vectors.vectors, max(counts))
        return None

    def _candidates(
        self,
        shard: Shard,
        query_vectors: QueryVectors,
        depth: int,
        near: tuple[Array, Array] | None,
        member: Array | None,
    ) -> tuple[Array, Array]:
        """(entries,) query and number in the shard of the best ``depth``.

        From a flat shard come all that are as good but for rounding.
        """
        size = shard.size(member)
        more = depth // 16 + 8
        while True:
            deep = depth + more
            scores, numbers = shard.search(
                query_vectors.vectors, depth, more=more, near=near, member=member
            )
            if shard.approximate or deep >= size or not len(query_vectors):
                break
            # the last score is so low that no candidate left out can be among the best
            if (scores[:, depth - 1] - scores[:, -1] > 2 * query_vectors.slack * self.reach).all():
                break
            more = 3 * deep
        query, place = np.nonzero(numbers >= 0)
        return query, numbers[query, place]

    def _members(
        self, code: int, shard: Shard, per_group: str | None, cells: Array | None, groups: int
    ) -> list[tuple[int, Array | None]]:
        """The groups to look for in a shard, each with its members (None: all)."""
        if cells is None:
            return [(0, None)]
        if per_group == self._attribute:
            if code == NOT_APPLICABLE:
                return []
            # a shard goes by the code of its group, where unknown is below 0 and not the last one
            if code == UNKNOWN:
                return [(groups - 1, None)]
            return [(code, None)]
        groups_here = cells[shard.rows]
        return [
            (group, groups_here == group)
            for group in np.unique(groups_here).tolist()
            if group < groups
        ]

    def _owners(self) -> Array:
        """(rows,) the shard of each row."""
        if not self._attribute or self._attribute not in self.labels.names:
            # without an attribute there is one shard, 0; with one, nobody has a label of it yet
            only = 0
            if self._attribute:
                only = UNKNOWN
            return np.full(len(self.labels), only, np.int32)
        return self.labels.codes(self._attribute)

    def _near_lists(self) -> Any:
        """The finder of near lists, one for all shards; it learns from all rows when needed."""
        if self._lists is None:
            size = len(self.vectors)

            def sample(count: int) -> Array:
                sampled = np.random.default_rng(0).choice(size, min(count, size), replace=False)
                return self.vectors.gather(np.sort(sampled)).vectors

            self._lists = trained_lists(size, self.vectors.dimensions, self._build, sample)
        return self._lists

    def write(self, start: Path) -> list[str]:
        """Write vectors, shards and codes to files whose names begin with the path."""
        files = [f"{start.name}{_VECTORS}"]
        with start.with_name(files[0]).open("wb") as stream:
            self.vectors.write(stream)
        with told():
            for code, shard in self._shards.items():
                files.append(f"{start.name}.{code}{_SHARD}")
                # faiss does not notice a disk that is full when it closes a file of its own.
                with start.with_name(files[-1]).open("wb") as stream:
                    writer = library().PyCallbackIOWriter(stream.write)
                    library().write_index(shard.index, writer)
        for number, attribute in enumerate(self.labels.names):
            files.append(f"{start.name}.{number}{_CODES}")
            np.save(start.with_name(files[-1]), self.labels.codes(attribute), allow_pickle=False)
        return files

    @classmethod
    def read(
        cls, build: Build, attribute: str, place: Path, manifest: Mapping[str, Any]
    ) -> _FaissState:
        """The state that ``write`` wrote; vectors are memory-mapped."""
        state = cls(build, attribute)
        try:
            files = [Path(name).name for name in manifest["files"]]
            codes = [
                np.load(place / name, allow_pickle=False) for name in files if name.endswith(_CODES)
            ]
            names, rows = manifest["names"], int(manifest["rows"])
            state.labels = RowLabels.loaded(names, dict(zip(names, codes, strict=True)), rows)
            if rows:
                mapped = np.memmap(place / files[0], manifest["dtype"], "r").reshape(
                    rows, int(manifest["dimensions"])
                )
                state.vectors.append(Embeddings(mapped))
            state.reach = float(manifest["reach"])
            state._built = rows
            owner = state._owners()
            for name in (name for name in files if name.endswith(_SHARD)):
                code = int(name.split(".")[1])
                state._shards[code] = Shard(
                    build, np.flatnonzero(owner == code), library().read_index(str(place / name))
                )
            whole = len(owner) == rows and all(
                len(s.rows) == s.index.ntotal for s in state._shards.values()
            )
        except TORN as error:
            raise DataError(
                f"The index in {place} cannot be read: {words_of(error)}.",
                "Remove the folder and build it again.",
            ) from error
        if not whole:
            raise DataError(
                f"The index in {place} does not hold the {rows} rows it should.",
                "Remove the folder and build it again.",
            )
        state._lists = next(
            (shard.lists for shard in state._shards.values() if shard.lists is not None), None
        )
        return state


def _state(index: Faiss) -> _FaissState:
    return index._state  # type: ignore[attr-defined]
