"""The files that a plan names, with their fingerprints: what a result was made from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlead.engine.targets import COUNTED
from fairlead.errors import DataError, UsageError
from fairlead.protocols.spec import parse
from fairlead.store.fingerprints import fingerprint
from fairlead.store.saved_run import place_of

FIELDS = (
    "run",
    "groups",
    "mitigate_groups",
    "queries",
    "qrels",
    "target",
    "against",
    "clusters",
    "label_sample",
    "leave_out",
    "leave",
)
"""Fields of plans that may name a file; what is searched has the fingerprint of its vectors."""
LABELS = ("groups", "mitigate_groups", "candidates")
"""Inputs that say which group an item shows."""


def inputs_of(plan: Any, files: Mapping[str, Path] | None = None) -> dict[str, Any]:
    """The files of a plan with their fingerprints; ``files`` are those behind what it asks."""
    paths: dict[str, Path | None] = dict(files or {})
    for name in FIELDS:
        path = file_behind(getattr(plan, name, None))
        if path is not None:
            paths[name] = path
    saved = place_of(getattr(plan, "run", None))
    if saved is not None:
        paths["run"] = Path(saved)
    return {name: fingerprint(path) for name, path in paths.items() if path is not None}


def file_behind(source: Any) -> Path | None:
    """The file behind a source, where it is one, or the one that its text form names."""
    if not isinstance(source, (str, os.PathLike)) or source in COUNTED:
        return None
    path = Path(source).expanduser()
    if path.is_file():
        return path
    try:
        address = parse(str(source)).address
    except UsageError:
        return None
    path = Path(address or "").expanduser()
    return path if path.is_file() else None


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """The files that say something else than they did, by what they are for."""
    return {
        name: now[name]["name"]
        for name in now
        if name in before and before[name]["sha256"] != now[name]["sha256"]
    }


def refuse_changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse labels whose file says something else than when the run was saved.

    Raises:
        DataError: For the first one that does.
    """
    files = changed(before, now)
    for name in LABELS:
        if name in files:
            raise DataError(
                f"{files[name]} has changed since the run was saved, so its labels are not "
                "those that were measured.",
                "Bring the file back as it was, make the run anew, or give the labels that are "
                "meant with --groups.",
            )
