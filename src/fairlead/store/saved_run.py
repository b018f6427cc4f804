"""Saved runs: one Parquet file that every reader of runs can read, and fairlead can repeat.

The table holds ``query, item, rank, score, plain_score, variant``. Beside it, in the file's own
metadata, stand the items, judgements, matched sets, candidates and the manifest. Labels of single
items are only written where they are asked for; without them the file names their sources.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, FairleadError
from fairlead.store.atomic import atomic
from fairlead.store.ids import Universe
from fairlead.store.json_text import parsed
from fairlead.store.limits import check_growth
from fairlead.store.shapes import TORN
from fairlead.store.versions import VERSION, refuse_other, version_of
from fairlead.types import Groups, Ranking, Relevant, Sets
from fairlead.types.evidence import Labelled, Target
from fairlead.types.ragged import Array
from fairlead.types.saved import SavedRun

_KEY, _ARRAYS = b"fairlead.run", b"fairlead.arrays"
# What the file is called in a folder of results.
_TABLE = "run.parquet"


def place_of(path: Any) -> Path | None:
    """The file of a saved run: the path itself, or the run in a folder of results."""
    if not isinstance(path, (str, Path)):
        return None
    place = Path(path).expanduser()
    inside = place / _TABLE
    if place.is_dir():
        if inside.is_file():
            return inside
        return None
    if place.suffix.lower() == ".parquet" and _is_saved(place):
        return place
    return None


def write_saved(path: str | Path, run: SavedRun, *, labels: bool = False) -> None:
    """Write a run, whole or not at all; labels of single items only where asked for."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = run.items if isinstance(run.items, Universe) else Universe.of(run.items)
    queries = pa.array(run.queries, pa.string())
    tables = [_table(name, ranking, queries, names) for name, ranking in run.lists.items()]
    table = pa.concat_tables(tables)
    about = json.dumps(_about(run) | {"labelled": labels}, ensure_ascii=False).encode()
    # Parquet's own metadata is text
    arrays = base64.b64encode(_packed(_arrays(run, names, labels)))
    table = table.replace_schema_metadata({_KEY: about, _ARRAYS: arrays})
    with atomic(path) as partial:
        pq.write_table(table, partial, compression="zstd")


def read_saved(path: str | Path) -> SavedRun:
    """Read a saved run.

    Raises:
        DataError: For a file that is none, or of another version.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = Path(path)
    try:
        # only what stands beside the table counts; the table is for other readers
        metadata = pq.read_schema(place).metadata or {}
        about = parsed(metadata[_KEY])
        refuse_other("run", about.get(VERSION), place)
        return _run(about, _unpacked(base64.b64decode(metadata[_ARRAYS]), place.name))
    except FairleadError:
        raise
    except (*TORN, pa.ArrowException) as error:
        raise DataError(
            f"{place.name} is no run that fairlead saved, or it is torn.",
            "Write it anew with the command that made it.",
        ) from error


def arrays_of(path: str | Path) -> dict[str, Array]:
    """The arrays beside the table, by name, for those who want to look inside a file."""
    import pyarrow.parquet as pq

    metadata = pq.read_schema(path).metadata or {}
    return _unpacked(base64.b64decode(metadata[_ARRAYS]), Path(path).name)


def _is_saved(place: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return _KEY in (pq.read_schema(place).metadata or {})
    except (OSError, pa.ArrowException):
        return False


def _table(variant: str, ranking: Ranking, queries: Any, items: Universe) -> Any:
    import pyarrow as pa

    names = pa.array([variant], pa.string())
    zero = pa.array(np.zeros(len(ranking.rows), np.int32))
    # other readers sort by score, and a reranked list does not follow its first scores
    falling = ranking.offsets[1:][ranking.query_of] - np.arange(len(ranking.rows))
    return pa.table(
        {
            "query": queries.take(pa.array(ranking.query_of)),
            "item": items.take(ranking.rows),
            "rank": pa.array(ranking.ranks.astype(np.int32)),
            "score": pa.array(falling),
            "plain_score": pa.array(ranking.scores),
            "variant": pa.DictionaryArray.from_arrays(zero, names),
        }
    )


def _about(run: SavedRun) -> dict[str, Any]:
    """Everything in a run that is not an array."""
    mitigate = None
    if run.mitigate is not None:
        attribute, labelled = run.mitigate
        mitigate = {"attribute": attribute, **_described(labelled)}
    return {
        VERSION: version_of("run"),
        "queries": list(run.queries),
        "words": list(run.words),
        "variants": list(run.lists),
        "by": {tag: list(values) for tag, values in run.by.items()},
        "attributes": {name: _described(one) for name, one in run.attributes.items()},
        "mitigate": mitigate,
        "manifest": dict(run.manifest),
        "silent": run.silent,
    }


def _described(one: Labelled) -> dict[str, Any]:
    groups = one.groups
    return {
        "names": list(groups.names),
        "source": groups.source,
        "hard": groups.codes is not None,
        "aligned": one.aligned,
        "target": one.target.name,
        "count": len(groups),
    }


def _arrays(run: SavedRun, names: Universe, labels: bool) -> dict[str, Array]:
    """All arrays of a run, flat, by name."""
    # A star in front marks what is ours: variants and attributes have names of their own choice.
    arrays: dict[str, Array] = {"items": np.array(names[:], dtype=object)}
    for name, ranking in {**run.lists, **_optional({"*candidates": run.candidates})}.items():
        arrays |= {
            f"{name}/offsets": ranking.offsets,
            f"{name}/rows": ranking.rows,
            f"{name}/scores": ranking.scores,
        }
        arrays |= _optional({f"{name}/positions": ranking.positions})
    labelled = dict(run.attributes)
    if run.mitigate is not None:
        labelled["*mitigate"] = run.mitigate[1]
    for name, one in labelled.items():
        arrays[f"{name}/target"] = one.target.shares
        if labels:
            arrays |= _labels(name, one.groups)
    if run.relevant is not None:
        arrays |= _sets("*relevant", run.relevant) | {"*relevant/gains": run.relevant.gains}
    if run.fixed is not None:
        arrays |= _sets("*fixed", run.fixed)
    return arrays | _optional(
        {"*background": run.background, "*blocks": run.blocks, "*clusters": run.clusters}
    )


def _labels(name: str, groups: Groups) -> dict[str, Array]:
    shares = groups.codes
    if shares is None:
        shares = groups.soft
    assert shares is not None and groups.not_applicable is not None
    return {f"{name}/labels": shares, f"{name}/absent": groups.not_applicable}


def _sets(name: str, sets: Sets) -> dict[str, Array]:
    return {f"{name}/offsets": sets.offsets, f"{name}/rows": sets.rows}


def _optional(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if part is not None}


def _packed(arrays: Mapping[str, Array]) -> bytes:
    """Arrays as one compressed Arrow stream, each a list column with its shape."""
    import pyarrow as pa

    columns = {name: pa.array([array.ravel()], _kind(array)) for name, array in arrays.items()}
    shapes = json.dumps({name: list(array.shape) for name, array in arrays.items()})
    table = pa.table(columns).replace_schema_metadata({b"shapes": shapes.encode()})
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _kind(array: Array) -> Any:
    import pyarrow as pa

    value = pa.string() if array.dtype == object else pa.from_numpy_dtype(array.dtype)
    # a plain list ends at 2^31 numbers
    return pa.large_list(value)


def _unpacked(content: bytes, name: str) -> dict[str, Array]:
    import pyarrow as pa

    with pa.ipc.open_stream(content) as reader:
        shapes = parsed(reader.schema.metadata[b"shapes"])
        # a byte a value is the least that an array takes
        check_growth(sum(map(math.prod, shapes.values())), len(content), name)
        table = reader.read_all()
    return {
        name: np.asarray(table.column(name)[0].values.to_numpy(zero_copy_only=False)).reshape(shape)
        for name, shape in shapes.items()
    }


def _run(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> SavedRun:
    """The run that the parts make up."""
    attributes = {
        name: _labelled(name, name, one, arrays) for name, one in about["attributes"].items()
    }
    mitigate = None
    if about["mitigate"] is not None:
        attribute = about["mitigate"]["attribute"]
        mitigate = attribute, _labelled("*mitigate", attribute, about["mitigate"], arrays)
    relevant = None
    if "*relevant/rows" in arrays:
        relevant = Relevant(*(arrays[f"*relevant/{part}"] for part in ("offsets", "rows", "gains")))
    fixed = None
    if "*fixed/rows" in arrays:
        fixed = Sets(arrays["*fixed/offsets"], arrays["*fixed/rows"])
    return SavedRun(
        tuple(about["queries"]),
        tuple(about["words"]),
        Universe.of([str(name) for name in arrays["items"]]),
        {name: _ranking(name, arrays) for name in about["variants"]},
        attributes,
        mitigate,
        _ranking("*candidates", arrays) if "*candidates/rows" in arrays else None,
        arrays.get("*background"),
        relevant,
        fixed,
        arrays.get("*blocks"),
        arrays.get("*clusters"),
        {tag: tuple(values) for tag, values in about["by"].items()},
        about["manifest"],
        about["labelled"],
        str(about.get("silent", "no-words")),
    )


def _ranking(name: str, arrays: Mapping[str, Array]) -> Ranking:
    parts = (arrays[f"{name}/{part}"] for part in ("offsets", "rows", "scores"))
    offsets, rows, scores = parts
    return Ranking(offsets, rows, scores, arrays.get(f"{name}/positions"))


def _labelled(
    place: str, attribute: str, one: Mapping[str, Any], arrays: Mapping[str, Array]
) -> Labelled:
    names, source = tuple(one["names"]), one["source"]
    target = Target(one["target"], arrays[f"{place}/target"])
    labels = arrays.get(f"{place}/labels")
    if labels is None:
        # labels that were not saved are unknown, so that who measures must bring them
        unknown = np.full(one["count"], -1, np.int16)
        return Labelled(
            Groups(attribute, names, codes=unknown, source=source), target, one["aligned"]
        )
    if one["hard"]:
        groups = Groups(attribute, names, codes=labels, source=source)
    else:
        absent = arrays[f"{place}/absent"]
        groups = Groups(attribute, names, soft=labels, not_applicable=absent, source=source)
    return Labelled(groups, target, one["aligned"])
