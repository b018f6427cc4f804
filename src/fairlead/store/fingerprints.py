"""Fingerprints of files, for manifests."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any


def fingerprint(path: str | Path) -> dict[str, Any]:
    """Name, size and SHA-256 of a file."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return {
        "name": Path(path).name,
        "bytes": Path(path).stat().st_size,
        "sha256": digest.hexdigest(),
    }
