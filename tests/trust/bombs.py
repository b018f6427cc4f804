"""Small files that stand for gigabytes, each with its reader: ``python bombs.py FOLDER`` reads those
of a folder and prints what each took, as JSON.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

MIB = 1 << 20


def repeated(file: Path, line: bytes, head: bytes = b"") -> None:
    """A compressed file of some gigabytes of one line, in parts, so that it is made quickly."""
    part = gzip.compress(line * (32 * MIB // len(line)), 9)
    count = 3 * MIB // len(part)
    file.write_bytes(gzip.compress(head) + part * count)


def zeros(file: Path) -> None:
    """Arrays of a quarter of a gigabyte in a few kilobytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(1):
            with archive.open(f"{number}.npy", "w", force_zip64=True) as stream:
                shape = b"{'descr': '|u1', 'fortran_order': False, 'shape': (268435456,), }"
                stream.write(b"\x93NUMPY\x01\x00v\x00" + shape.ljust(117) + b"\n")
                for _ in range(256):
                    stream.write(bytes(MIB))


def one_value(file: Path, value: str, rows: int, groups: int) -> None:
    """A Parquet file in which one value stands very often."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet as pq

    places = pa.array(np.zeros(rows, np.int32))
    texts = [pa.DictionaryArray.from_arrays(places, pa.array([text])) for text in (value, "f")]
    table = pa.table(dict(zip(("item", "gender"), texts, strict=True)))
    with pq.ParquetWriter(file, table.schema, compression="none") as writer:
        for _ in range(groups):
            writer.write_table(table)


def large_member(file: Path) -> None:
    """An archive whose caption claims 5 GB, most of which are not on the disk."""
    with tarfile.open(file, "w") as archive:
        archive.addfile(tarfile.TarInfo("a.jpg"), io.BytesIO())
        info = tarfile.TarInfo("a.json")
        info.size = 5 << 30
        archive.addfile(info)
    with file.open("r+b") as stream:
        stream.truncate(6 << 30)


def long_header(file: Path) -> None:
    """An archive whose longest name claims 60 GB."""
    info = tarfile.TarInfo("././@LongLink")
    info.size, info.type = 60 << 30, tarfile.GNUTYPE_LONGNAME
    file.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"x" * 4 * MIB)


def wide_run(file: Path) -> None:
    """A saved run whose arrays are gigabytes of zeros."""
    import base64

    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet as pq

    table = pa.table(
        {"items": pa.array([np.zeros(300 * MIB, np.uint8)], pa.large_list(pa.uint8()))}
    )
    table = table.replace_schema_metadata({b"shapes": json.dumps({"items": [300 * MIB]})})
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    lists = ("queries", "words", "variants")
    about = {"version": 1, **{name: [] for name in lists}, "by": {}, "attributes": {}, "mitigate": None, "manifest": {}, "labelled": False}  # fmt: skip
    arrays = base64.b64encode(bytes(sink.getvalue()) + bytes(MIB))
    kept = {b"fairlead.run": json.dumps(about), b"fairlead.arrays": arrays}
    pq.write_table(pa.table({"query": ["q"]}).replace_schema_metadata(kept), file)


MAKERS: dict[str, Callable[[Path], Any]] = {
    "rows.csv.gz": lambda file: repeated(file, b"a,f\n", b"item,gender\n"),
    "blank.csv.gz": lambda file: repeated(file, b"\n", b"item,gender\n"),
    "commas.csv.gz": lambda file: repeated(file, b",,,,,,,\n", b"item,a,b,c,d,e,f,g\n"),
    "quotes.csv.gz": lambda file: repeated(file, b'"a","f"\n', b"item,gender\n"),
    "line.csv.gz": lambda file: repeated(file, b"a", b"item,gender\n"),
    "value.csv.gz": lambda file: repeated(file, b"a\n", b'item,gender\n"'),
    "rows.jsonl.gz": lambda file: repeated(file, b'{"item":"a","gender":"f"}\n'),
    "deep.jsonl.gz": lambda file: repeated(file, b"["),
    "run.trec.gz": lambda file: repeated(file, b"q Q0 a 1 1 t\n"),
    "line.csv": lambda file: file.write_bytes(b"item,gender\n" + b"a" * 40 * MIB),
    "columns.csv": lambda file: file.write_bytes(b"item" + b",a" * 4 * MIB + b"\n"),
    "keys.jsonl": lambda file: file.write_bytes(
        b"{" + b",".join(b'"%d":1' % n for n in range(MIB)) + b"}\n"
    ),
    "lists.json": lambda file: file.write_bytes(b"[" + b"[],[]," * 2 * MIB + b"[]]"),
    "deep.json": lambda file: file.write_bytes(b"[" * 20 * MIB),
    "mlp.npz": zeros,
    "projection.npz": zeros,
    "rows.parquet": lambda file: one_value(file, "a", 1 << 23, 6),
    "long.parquet": lambda file: one_value(file, "a" * 2 * MIB, 1 << 20, 1),
    "member.tar": large_member,
    "header.tar": long_header,
    "run.parquet": wide_run,
}


def readers() -> dict[str, Callable[[Path], Any]]:
    """The reader of each bomb, by a pattern of its name."""
    from fairlead.annotators.mlp_file import read_classifier
    from fairlead.store.face_files.containers import read_faces
    from fairlead.store.face_files.rekognition import read_rekognition
    from fairlead.store.labels import read_item_groups
    from fairlead.store.projection_file import read_projection
    from fairlead.store.runs import read_run
    from fairlead.store.sources.choose import find_source

    return {
        r"mlp\.npz": read_classifier,
        r"projection\.npz": read_projection,
        r"run\.": read_run,
        r".*\.json": lambda path: read_faces(path, read_rekognition),
        r".*\.tar": find_source,
        r".*": lambda path: read_item_groups(path, ("a", "b")),
    }


def memory(what: str) -> int:
    """Bytes of this process: ``VmRSS`` now, ``VmHWM`` at most."""
    match = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert match
    return int(match[1]) << 10


def main(folder: Path) -> None:
    from fairlead.errors import FairleadError

    took: dict[str, Any] = {}
    reading = readers()
    # what reading anything takes, once
    (folder / "sound.csv").write_text("item,gender\na,f\nb,m\n")
    reading[".*"](folder / "sound.csv")
    for file in sorted(folder.iterdir()):
        read = next(one for pattern, one in reading.items() if re.fullmatch(pattern, file.name) or (file.name.startswith("run.") and pattern.startswith("run")))  # fmt: skip
        Path("/proc/self/clear_refs").write_text("5")
        before, start, said = memory("VmRSS"), time.process_time(), ""
        try:
            read(file)
        except FairleadError as error:
            said = str(error)
        seconds = time.process_time() - start
        took[file.name] = [said, memory("VmHWM") - before, seconds, file.stat().st_size]
    sys.stdout.write(json.dumps(took))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
