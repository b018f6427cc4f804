"""Ids are the names of items and queries outside; a universe maps them to rows.

A universe grows only by appending.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from fairlead.types.ragged import Array

# So much text may wait before it is folded into the universe: a bound on memory for long files.
_PENDING_BYTES = 1 << 28
# So many ids of a block show whether neighbours repeat.
_SAMPLE = 1024


class Universe(Sequence[str]):
    """Distinct ids in the order of their rows, held as one Arrow array (some tens of bytes per id).

    >>> items = Universe.of(["a", "b"])
    >>> more, rows = items.extend(["b", "c"])
    >>> list(more), rows.tolist(), items.rows(["c", "a"]).tolist()
    (['a', 'b', 'c'], [1, 2], [-1, 0])
    """

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.values = values

    @classmethod
    def of(cls, ids: Iterable[str]) -> Universe:
        """A universe of some ids; repeated ones count once."""
        return cls(_texts(()).cast("string")).extend(ids)[0]

    def extend(self, ids: Any) -> tuple[Universe, Array]:
        """A universe with these ids too, and (ids,) their rows. Known ids keep their rows."""
        import pyarrow as pa

        encoded = pa.concat_arrays([self.values, _texts(ids)]).dictionary_encode()
        return Universe(encoded.dictionary), encoded.indices.to_numpy()[len(self.values) :]

    def rows(self, ids: Any) -> Array:
        """(ids,) the row of each id, -1 where it is not known."""
        import pyarrow.compute as pc

        places = pc.index_in(_texts(ids), value_set=self.values)
        return pc.fill_null(places, -1).to_numpy(zero_copy_only=False)

    def take(self, rows: Array) -> Any:
        """The ids of some rows as an Arrow array of text."""
        return self.values.take(_indices(rows))

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[str]: ...
    def __getitem__(self, row: int | slice) -> str | Sequence[str]:
        if isinstance(row, slice):
            return tuple(self.values[row].to_pylist())
        if not -len(self) <= row < len(self):
            raise IndexError(row)
        return str(self.values[row + len(self) if row < 0 else row].as_py())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and int(self.rows([name])[0]) >= 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Universe) and bool(self.values.equals(other.values))

    def __hash__(self) -> int:
        return hash((len(self), self[0] if len(self) else ""))

    def __repr__(self) -> str:
        return f"Universe({len(self)} ids)"


class IdEncoder:
    """Encodes a long column of ids block by block: distinct ids once, one row number per entry.

    Ids are trimmed of white space around them, so that ``a, b`` and ``a,b`` name the same items.
    """

    def __init__(self) -> None:
        self._universe = Universe.of(())
        self._rows: list[Array] = []
        self._pending: list[_IdBlock] = []
        self._waiting = 0

    def add(self, block: Any) -> None:
        """Take in one block, an Arrow array of text. Missing ids become the empty id."""
        import pyarrow.compute as pc

        if not len(block):
            return
        if block.null_count:
            block = pc.fill_null(block, "")
        pending = _IdBlock.of(block)
        self._pending.append(pending)
        self._waiting += pending.texts.nbytes
        # Folding costs as much as the whole universe. Waiting for as much text as it already
        # holds keeps the total cost linear.
        if self._waiting > max(_PENDING_BYTES, self._universe.values.nbytes):
            self._fold()

    def finish(self) -> tuple[Universe, Array]:
        """All distinct ids in the order of their first entry, and (entries,) int32 rows."""
        self._fold()
        rows = np.concatenate(self._rows) if self._rows else np.empty(0, np.int32)
        self._rows = []
        return self._universe, rows

    def _fold(self) -> None:
        """Encode the blocks that wait, with one hash table: each entry is looked up once."""
        import pyarrow as pa

        if not self._pending:
            return
        blocks, self._pending, self._waiting = self._pending, [], 0
        texts = [self._universe.values, *(block.texts for block in blocks)]
        encoded = pa.chunked_array(texts).dictionary_encode().chunks
        codes = np.concatenate([part.indices.to_numpy() for part in encoded])
        distinct, mapping = _trimmed(encoded[-1].dictionary)
        if mapping is not None:
            codes = mapping[codes]
        start = len(self._universe)
        for block in blocks:
            stop = start + len(block.texts)
            self._rows.append(block.repeated(codes[start:stop]))
            start = stop
        self._universe = Universe(distinct)


@dataclass(frozen=True, eq=False)
class _IdBlock:
    """Ids that wait to be encoded; repeated neighbours are one id and the length of their run."""

    texts: Any
    lengths: Array | None = None

    @classmethod
    def of(cls, texts: Any) -> _IdBlock:
        """A block of all entries, or of their runs where neighbours repeat."""
        import pyarrow.compute as pc

        sample = texts[:_SAMPLE]
        if not len(sample) or 2 * len(pc.run_end_encode(sample).values) > len(sample):
            return cls(texts)
        # a run file lists the entries of a query together, so its query ids repeat
        runs = pc.run_end_encode(texts)
        return cls(runs.values, np.diff(runs.run_ends.to_numpy(), prepend=0))

    def repeated(self, codes: Array) -> Array:
        """(entries,) the codes of the entries, from those of the texts."""
        if self.lengths is None:
            return codes
        return np.repeat(codes, self.lengths)


def _trimmed(texts: Any) -> tuple[Any, Array | None]:
    """Distinct texts without white space around them, and the new row of each.

    The rows are None where nothing had to be trimmed.
    """
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(texts)
    if trimmed.equals(texts):
        return texts, None
    encoded = trimmed.dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy()


def _texts(ids: Any) -> Any:
    """An Arrow array of text from an Arrow array, or any iterable of ids."""
    import pyarrow as pa

    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    if isinstance(ids, pa.Array):
        if ids.type == pa.string():
            return ids
        return ids.cast(pa.string())
    return pa.array([str(i) for i in ids], pa.string())


def _indices(rows: Array) -> Any:
    import pyarrow as pa

    return pa.array(np.ascontiguousarray(rows))
