"""Which folders may be replaced: those that hold only files that their manifest lists.

A manifest with the name alone proves nothing: many programs write one, and people put files of
their own beside results.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlead.errors import UsageError
from fairlead.store.manifest_file import MANIFEST, read_manifest, write_manifest
from fairlead.store.versions import VERSION, version_of

FILES = "files"
_NOT_OURS = "Choose a new or an empty folder."
# Files that a desktop leaves in folders it has shown.
_SYSTEM = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
# A folder may hold thousands of foreign files; so many are named in a message.
_NAMED = 3


def sign(folder: Path) -> None:
    """Write the version of a folder and the list of its files into its manifest.

    Raises:
        ValueError: If the folder has no manifest that names fairlead and a command: its writer is
            at fault.
    """
    manifest = _manifest(folder)
    if manifest is None:
        raise ValueError(f"{folder} has no {MANIFEST} that names fairlead and a command.")
    files = sorted(
        path.relative_to(folder).as_posix() for path in _inside(folder) if not path.is_dir()
    )
    signed = {**manifest, VERSION: version_of(manifest["command"]), FILES: files}
    write_manifest(folder / MANIFEST, signed)


def refuse_foreign(place: Path, path: str | Path, same: Mapping[str, Any] | None = None) -> None:
    """Refuse to replace what is not ours, and nothing but ours.

    Args:
        place: Where it is.
        path: What the user calls it.
        same: What the manifest must say too: other results of ours are not replaced either.

    Raises:
        UsageError: If the folder holds anything that fairlead did not write, is the one we are in,
            or is of something else.
    """
    if not place.exists():
        return
    if not place.is_dir():
        raise UsageError(f"{path} is a file, so it cannot become a folder.", "Choose another path.")
    # whoever stands in a folder that was replaced stands in one that is gone
    here = Path.cwd().resolve()
    if place == here or place in here.parents:
        raise UsageError(
            f"{path} is the folder you are in, or one around it, so it is not replaced.",
            "Choose a folder inside it.",
        )
    content = [entry for entry in _inside(place) if entry.name not in _SYSTEM]
    if not content:
        return
    manifest = _manifest(place)
    if manifest is None or not isinstance(manifest.get(FILES), list):
        if not (place / MANIFEST).exists():
            why = f"no {MANIFEST}"
        else:
            why = f"its {MANIFEST} is not one that lists what fairlead wrote there"
        raise UsageError(f"{path} is a folder with other things in it ({why}).", _NOT_OURS)
    foreign = _foreign(place, content, [str(name) for name in manifest[FILES]])
    if foreign:
        what = ", ".join(foreign[:_NAMED])
        if len(foreign) > _NAMED:
            what += f" and {len(foreign) - _NAMED:,} more"
        raise UsageError(
            f"{path} holds what fairlead did not write there: {what}. Nothing was changed.",
            f"Move that away. {_NOT_OURS}",
        )
    _refuse_other(path, manifest, same or {})


def _foreign(place: Path, content: list[Path], files: list[str]) -> list[str]:
    """The files in a folder that its manifest does not list; links are never ours."""
    listed = {MANIFEST, *files}
    listed |= {parent.as_posix() for name in files for parent in Path(name).parents}
    names = {
        entry: entry.relative_to(place).as_posix() + ("/" if entry.is_dir() else "")
        for entry in content
    }
    return sorted(
        name
        for entry, name in names.items()
        if name.rstrip("/") not in listed or entry.is_symlink()
    )


def _refuse_other(path: str | Path, manifest: Mapping[str, Any], same: Mapping[str, Any]) -> None:
    for name, expected in same.items():
        # compared as a manifest holds it: there, tuples have become lists
        if (mine := manifest.get(name)) != json.loads(json.dumps(expected)):
            message = (
                f"{path} holds a result of fairlead with {name} {_short(mine)}, not "
                f"{_short(expected)}."
            )
            raise UsageError(message, "Choose another folder for it, or delete this one.")


def _short(value: Any) -> str:
    text = value
    if not isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
    if len(text) <= 80:
        return text
    return f"{text[:77]}..."


def _manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder, where it is one of ours."""
    try:
        manifest = read_manifest(folder / MANIFEST)
    except (OSError, ValueError):
        return None
    ours = isinstance(manifest.get("fairlead"), str) and isinstance(manifest.get("command"), str)
    if ours:
        return manifest
    return None


def _inside(folder: Path) -> Iterator[Path]:
    """Everything in a folder, at any depth; links are not followed."""
    for entry in sorted(folder.iterdir()):
        yield entry
        if entry.is_dir() and not entry.is_symlink():
            yield from _inside(entry)
