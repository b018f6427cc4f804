"""What the trainings of fairlead's own models share: their needs, and the manifest of a folder."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlead.engine.manifest import MADE_BY
from fairlead.errors import MissingExtra
from fairlead.store.manifest_file import MANIFEST, write_manifest


def need(what: str, modules: Sequence[str], extra: str) -> None:
    """Refuse to begin where a module is missing.

    Raises:
        MissingExtra: With the extra that brings it.
    """
    # Looked for, not imported: torch takes seconds to load, and this is asked before any work.
    if any(importlib.util.find_spec(name) is None for name in modules):
        raise MissingExtra(f"train {what}", extra)


def what_of(what: str) -> dict[str, object]:
    """What a folder says it holds, and what may replace it."""
    return {"command": "train", "what": what}


def note(folder: Path, what: str, about: Mapping[str, object]) -> None:
    """Write the manifest, by which the folder is known as ours."""
    # atomic_folder replaces no folder whose manifest does not name fairlead, and adds the files.
    manifest = {**MADE_BY, **what_of(what), **about}
    write_manifest(folder / MANIFEST, manifest)
