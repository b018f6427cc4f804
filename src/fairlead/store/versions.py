"""Versions of what is saved. Every saved format carries one, and this is the only place that knows
them: a file or folder of an older or newer version is refused, with the command that makes it anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlead.errors import DataError
from fairlead.store.manifest_file import MANIFEST, read_manifest
from fairlead.store.shapes import COUNT, FLAG, NUMBER, TEXT, Shape, misfit

VERSION = "version"
"""The key under which manifests and headers carry it."""


@dataclass(frozen=True)
class Form:
    """A saved format.

    Attributes:
        what: What it is called in messages.
        version: The version that is written, and the only one that is read.
        again: The command that makes it anew.
        shape: What its metadata must be, as far as it is read without a look.
    """

    what: str
    version: int
    again: str
    shape: Mapping[str, Shape] = field(default_factory=dict)


_MODEL = {"spec": TEXT, "fingerprint": TEXT}
_VECTORS: dict[str, Shape] = {
    "model": _MODEL,
    "dtype": ("float16", "float32"),
    "side": ("images", "texts"),
}
FORMS = {
    "audit": Form("a folder of an audit", 1, "fairlead audit ... --out {place}"),
    "score": Form("a folder of a score", 1, "fairlead score ... --out {place}"),
    "run": Form("a saved run", 1, "fairlead audit ... --out FOLDER, or search ... -o {place}"),
    "embedded": Form(
        "an embedded collection",
        1,
        "fairlead embed SOURCE -o {place} again",
        {
            **_VECTORS,
            **dict.fromkeys(("items", "vectors", "dimensions", "journal"), COUNT),
            "many": FLAG,
            "source": {"kind": TEXT, "path": TEXT},
            "columns": [TEXT],
            "skipped": {"*": COUNT},
            "entries": TEXT,
            "fingerprint": TEXT,
        },
    ),
    "journal": Form(
        "a journal of an embedded collection",
        1,
        "fairlead embed SOURCE -o NEW again",
        {**_VECTORS, "source": {"kind": TEXT, "path": TEXT}},
    ),
    "index": Form("a kept index", 1, "fairlead index COLLECTION"),
    "projection": Form(
        "a projection",
        1,
        "fairlead train projection ... -o {place}",
        {
            "projection": TEXT,
            "model": _MODEL,
            "attribute": TEXT,
            "groups": [TEXT],
            "samples": {"*": COUNT},
        },
    ),
    "classifier": Form(
        "a classifier",
        1,
        "fairlead train attribute ... -o {place}",
        {
            "classes": [TEXT],
            "attribute": TEXT,
            "encoder": TEXT,
            "temperature": NUMBER,
            "root": FLAG,
        },
    ),
    "human": Form(
        "a file of human labels",
        1,
        "fairlead annotate human import {place} ANSWERS, from an export",
    ),
    "train": Form("a folder of a trained model", 1, "fairlead train ... -o {place}"),
}
"""The formats by name; folders of results and models go by the command that wrote them."""


def version_of(kind: str) -> int:
    """The version of a format that is written; folders of other commands have the first."""
    if kind not in FORMS:
        return 1
    return FORMS[kind].version


def refuse_other(kind: str, version: object, place: str | Path) -> None:
    """Refuse what another version of fairlead saved.

    Args:
        kind: The format.
        version: What it carries; None where it was saved before formats had versions.
        place: The file or folder, for the message.

    Raises:
        DataError: For every version but the one that is written now.
    """
    form = FORMS[kind]
    # JSON may hold true, which Python takes for 1
    if version == form.version and not isinstance(version, bool):
        return
    carried = f"of version {version}"
    if version is None:
        carried = "without a version"
    hint = f"Make it anew: {form.again.format(place=place)}."
    # nobody has to make anew what a newer fairlead can read
    if isinstance(version, int) and version > form.version:
        hint = f"Install a newer fairlead, or make it anew with this one. {hint}"
    raise DataError(
        f"{place} is {form.what} {carried}; this fairlead reads version {form.version}.", hint
    )


def refuse_misshapen(kind: str, about: Any, place: str | Path) -> None:
    """Refuse saved metadata whose fields are not of the types that were written.

    Args:
        kind: The format.
        about: What was read.
        place: The file or folder, for the message.

    Raises:
        DataError: With the command that makes it anew.
    """
    form = FORMS[kind]
    fault = misfit(about, dict(form.shape))
    if fault:
        raise DataError(
            f"{place} cannot be read as {form.what}: {fault}.",
            f"Make it anew: {form.again.format(place=place)}.",
        )


def refuse_other_folder(folder: str | Path) -> None:
    """Refuse a folder of ours that another version wrote; folders of others are not looked at."""
    try:
        manifest = read_manifest(Path(folder) / MANIFEST)
    except (OSError, ValueError):
        return
    if "fairlead" not in manifest:
        return
    command = str(manifest.get("command"))
    if command in FORMS:
        refuse_other(command, manifest.get(VERSION), folder)
