"""The manifest of a folder: the file by which fairlead knows a folder as its own, and says how what
is in it came about. It is written and read here and nowhere else.

What a manifest says is made by the code that did the work; this is only how it gets to the disk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlead.store.json_text import parsed
from fairlead.store.opening import text_of
from fairlead.words.visible import visible

MANIFEST = "manifest.json"
"""In folders of results, of models, and of vectors."""
INDEX_MANIFEST = "index.json"
"""In folders that keep an index: they may lie inside a folder of vectors, which has its own."""


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """A manifest as text, the same for the same value."""
    # NaN is no JSON: one that slipped through fails here, not in the program that reads it.
    text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False, default=str)
    return visible(text) + "\n"


def write_manifest(file: Path, manifest: Mapping[str, Any], *, token: str = "") -> None:
    """Write a manifest, whole or not at all: who kills us here leaves the one before.

    Args:
        file: Where.
        manifest: What it says.
        token: Tells writers apart where several may be at work on one folder.
    """
    partial = file.with_name(f"{file.name}{token}.partial")
    # Made lasting before it has its name: a folder counts as finished by its manifest.
    with partial.open("wb") as stream:
        stream.write(manifest_text(manifest).encode())
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(partial, file)


def read_manifest(file: Path) -> dict[str, Any]:
    """What a manifest says.

    Raises:
        OSError: If it cannot be read.
        ValueError: If it is no JSON, or not an object.
    """
    manifest = parsed(text_of(file))
    if not isinstance(manifest, dict):
        raise ValueError(f"{file.name} holds no object")
    return manifest
