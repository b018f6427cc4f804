"""``faiss``: Flat, IVF and HNSW of the faiss library, behind the same contract as ``exact``.

Faiss finds candidates; they are scored again as ``exact`` scores them, so that the two agree to the last bit on what both find, and
equal scores stand in the order of their rows. ``per_group=ATTRIBUTE`` gives every group of that attribute an index of its own (a shard):
a filter over one index would starve small groups, unless it looked through most of it. Other attributes are searched with a filter,
and the smaller the group, the more lists are probed. ``recall`` says for every group which share of the true best is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.indexes import exact
from fairlead.indexes.keeping import read_manifest, write_kept
from fairlead.indexes.labels import Labels, refuse_depth, refuse_other_sizes, refuse_rows
from fairlead.indexes.recall import APPROXIMATE, recall_by_group
from fairlead.indexes.scoring import Asked
from fairlead.indexes.shards import Build, Shard, library, told
from fairlead.indexes.vectors import Block, Vectors, checked
from fairlead.ragged import Array
from fairlead.spec import Configured
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Embeddings, Groups, Ranking

_BLOCK = 1 << 14
_SHARD = ".shard"


@dataclass(frozen=True)
class Faiss(Configured):
    """Faiss indexes: ``flat`` scans, ``ivf`` probes some lists of near vectors, ``hnsw`` walks a graph.

    ``lists`` and ``links`` build them (0: by the number of rows); ``probes`` is how many lists ``ivf`` looks into, or how many candidates
    ``hnsw`` keeps open (0: by the depth asked for). ``per_group`` names the attribute whose groups get an index each.
    """

    kind: Literal["flat", "ivf", "hnsw"] = "flat"
    lists: int = 0
    probes: int = 0
    links: int = 32
    per_group: str = ""

    name: ClassVar[str] = "faiss"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_state", _State(Build(self.kind, self.lists, self.links), self.per_group))

    def validate(self) -> None:
        for parameter in ("lists", "probes"):
            if getattr(self, parameter) < 0:
                raise UsageError(f"faiss({parameter}={getattr(self, parameter)}) is not a count.", "Give 1 or more; 0 lets it be chosen.")
        if self.links < 2:
            raise UsageError(f"faiss(links={self.links}) makes no graph.", "Give 2 or more; 32 is usual.")

    def __len__(self) -> int:
        return len(_state(self).labels)

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None:
        """Append vectors and their labels; they are built into the index when it is next searched or kept."""
        _state(self).add(embeddings, groups)

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows found for each query, or for each group of each query."""
        refuse_depth(depth)
        return _state(self).search(queries, depth, per_group, self.probes)

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        state = _state(self)
        wanted = refuse_rows(rows, len(self))
        asked = Asked.of(queries, state.dimensions)
        return exact.ranked(asked.precise(state.block(wanted)).T, wanted)

    def recall(self, queries: Embeddings, depth: int, per_group: str | None = None) -> dict[str, float]:
        """For each group, the share of the true best ``depth`` rows that a search finds; under ``all`` without an attribute."""
        state = _state(self)
        found = self.search(queries, depth, per_group)
        cells = None if per_group is None else state.labels.cells(per_group)
        truth = exact.search(Vectors.stored(state), queries, depth, cells)
        codes = None if per_group is None else state.labels.codes(per_group)[truth.rows]
        return recall_by_group(found, truth, codes, state.labels.names.get(per_group or "", ()))

    def about(self) -> dict[str, Any]:
        """What a manifest says of the index."""
        approximate = _state(self).approximate
        return {"index": str(self), "rows": len(self), "approximate": approximate, "warnings": [APPROXIMATE] if approximate else []}

    def open(self, place: Path, owner: str) -> int:
        """Read what a folder keeps for an owner, and say how many rows that is."""
        manifest = read_manifest(place, owner, self._built_as())
        if manifest is not None:
            object.__setattr__(self, "_state", _State.read(Build(self.kind, self.lists, self.links), self.per_group, place, manifest))
        return len(self)

    def keep(self, place: Path, owner: str) -> None:
        """Write the index to a folder, in faiss's own format."""
        state = _state(self)
        state.build()
        about = {"owner": owner, "index": self._built_as(), "rows": len(self), "dimensions": state.dimensions}
        write_kept(place, {**about, "reach": state.reach, "names": state.labels.saved()}, state.write)

    def _built_as(self) -> str:
        """The choice without what only a search depends on."""
        return str(Faiss(self.kind, self.lists, 0, self.links, self.per_group))


class _State:
    """What an index holds: shards by group code (one, 0, without an attribute), labels, and vectors that wait to be built in."""

    def __init__(self, build: Build, attribute: str) -> None:
        self.labels, self.dimensions, self.reach = Labels(), 0, 0.0
        self._build, self._attribute = build, attribute
        self._shards: dict[int, Shard] = {}
        self._waiting = Vectors()
        self._built = 0

    # What ``Vectors`` reads from: the rows as an array of vectors.

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and dimensions."""
        self.build()
        return len(self.labels), self.dimensions

    def __getitem__(self, rows: slice | Array) -> Array:
        """(rows, dimensions) float32, had back from faiss."""
        wanted = np.arange(len(self.labels))[rows]
        owner = self._owners()[wanted]
        found = np.empty((len(wanted), self.dimensions), np.float32)
        for code, shard in self._shards.items():
            own = np.flatnonzero(owner == code)
            found[own] = shard.gather(np.searchsorted(shard.rows, wanted[own]))
        return found

    @property
    def approximate(self) -> bool:
        """Whether a search may miss rows."""
        self.build()
        return any(shard.approximate for shard in self._shards.values())

    def block(self, rows: Array) -> Block:
        """Some rows, with their vectors."""
        self.build()
        return Block(-1, self[rows], None, self.reach)

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None) -> None:
        """Append to what waits."""
        if embeddings.offsets is not None:
            raise UsageError("faiss holds one vector per item; this encoder gives many.", "Use --index exact, or qdrant.")
        refuse_other_sizes(len(embeddings), groups or {})
        new = checked(embeddings)
        if not self.dimensions:
            self.dimensions = new.vectors.shape[1]
        self._waiting.append(new, self.dimensions)
        self.labels.append(len(new), groups)

    def build(self) -> None:
        """Put what waits into the shards."""
        if not len(self._waiting):
            return
        with told():
            owner = self._owners()[self._built :]
            for code in np.unique(owner).tolist():
                own = np.flatnonzero(owner == code)
                shard = self._shards.setdefault(code, Shard())
                shard.prepare(len(own), self.dimensions, self._build, self._sample(own))
            for block in self._waiting.blocks(_BLOCK):
                self.reach = max(self.reach, block.reach)
                own_codes = owner[block.first : block.first + len(block)]
                for code in np.unique(own_codes).tolist():
                    own = np.flatnonzero(own_codes == code)
                    self._shards[code].add(self._built + block.first + own, block.vectors[own])
        self._built += len(self._waiting)
        self._waiting = Vectors()

    def search(self, queries: Embeddings, depth: int, per_group: str | None, probes: int) -> Ranking:
        """Candidates from every shard (and group), scored again, cut to ``depth`` of each group."""
        cells, groups = (None, 1) if per_group is None else self.labels.cells(per_group)
        asked = Asked.of(queries, self.dimensions)
        if asked.offsets is not None:
            raise UsageError("faiss holds one vector per item; this query has many.", "Encode queries and items with one model.")
        self.build()
        parts: list[tuple[Array, Array, Array]] = []
        with told():
            for code, shard in self._shards.items():
                for group, member in self._members(code, shard, per_group, cells, groups):
                    query, numbers = _candidates(shard, asked, depth, probes, member, self.reach)
                    parts.append((query, np.full(len(query), group), shard.rows[numbers]))
        query, own, rows = (np.concatenate([p[i] for p in parts]) if parts else np.empty(0, np.int64) for i in range(3))
        return exact.ranking(*exact.settled(asked, self.block, (query, own, rows), depth, groups))

    def _members(self, code: int, shard: Shard, per_group: str | None, cells: Array | None, groups: int) -> list[tuple[int, Array | None]]:
        """The groups to look for in a shard, each with who belongs to it (None: all)."""
        if cells is None:
            return [(0, None)]
        if per_group == self._attribute:
            return [] if code == NOT_APPLICABLE else [(groups - 1 if code == UNKNOWN else code, None)]
        own = cells[shard.rows]
        return [(group, own == group) for group in np.unique(own).tolist() if group < groups]

    def _owners(self) -> Array:
        """(rows,) the shard of each row."""
        if not self._attribute or self._attribute not in self.labels.names:
            return np.full(len(self.labels), UNKNOWN if self._attribute else 0, np.int32)
        return self.labels.codes(self._attribute)

    def _sample(self, rows: Array) -> Callable[[int], Array]:
        def sample(size: int) -> Array:
            some = rows if size >= len(rows) else np.sort(np.random.default_rng(0).choice(rows, size, replace=False))
            return self._waiting.gather(some).vectors

        return sample

    def write(self, start: Path) -> list[str]:
        """Write shards and codes to files whose names begin with the path."""
        files = []
        with told():
            for code, shard in self._shards.items():
                files.append(f"{start.name}.{code}{_SHARD}")
                library().write_index(shard.index, str(start.with_name(files[-1])))
        for number, attribute in enumerate(self.labels.names):
            files.append(f"{start.name}.{number}.npy")
            np.save(start.with_name(files[-1]), self.labels.codes(attribute), allow_pickle=False)
        return files

    @classmethod
    def read(cls, build: Build, attribute: str, place: Path, manifest: Mapping[str, Any]) -> _State:
        """The state that ``write`` wrote."""
        made = cls(build, attribute)
        try:
            files = [Path(name).name for name in manifest["files"]]
            codes = [np.load(place / name, allow_pickle=False) for name in files if not name.endswith(_SHARD)]
            names, rows = manifest["names"], int(manifest["rows"])
            made.labels = Labels.loaded(names, dict(zip(names, codes, strict=True)), rows)
            made.dimensions, made.reach, made._built = int(manifest["dimensions"]), float(manifest["reach"]), rows
            owner = made._owners()
            for name in (name for name in files if name.endswith(_SHARD)):
                code = int(name.split(".")[1])
                made._shards[code] = Shard(np.flatnonzero(owner == code), library().read_index(str(place / name)))
            whole = len(owner) == rows and sum(shard.index.ntotal for shard in made._shards.values()) == rows
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise DataError(f"The index in {place} cannot be read: {error}.", "Remove the folder and build it again.") from error
        if not whole:
            raise DataError(f"The index in {place} does not hold the {rows} rows it should.", "Remove the folder and build it again.")
        return made


def _candidates(shard: Shard, asked: Asked, depth: int, probes: int, member: Array | None, reach: float) -> tuple[Array, Array]:
    """(entries,) query and number in the shard: the best ``depth`` and all that are as good but for rounding."""
    size = len(shard.rows) if member is None else int(member.sum())
    deep, margin = depth + depth // 8 + 8, 2 * asked.slack * reach
    while True:
        scores, found = shard.search(asked.vectors, deep, probes, member)
        if deep >= size or not len(asked):
            break
        last = found[:, -1] < 0
        if (last | (scores[:, depth - 1] - scores[:, -1] > margin)).all():
            break
        deep = min(size, 4 * deep)
    query, place = np.nonzero(found >= 0)
    return query, found[query, place]


def _state(index: Faiss) -> _State:
    return index._state  # type: ignore[attr-defined]
