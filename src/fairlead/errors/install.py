"""How an extra is installed, in the way that fairlead itself was installed."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

WITH_TORCH = frozenset({"train", "open-clip", "hf", "st", "late", "lite", "all"})
"""Extras that bring torch along."""


def install_command(extra: str, *options: str) -> str:
    """The command that installs an extra into this very Python, the way fairlead came.

    Args:
        extra: The extra.
        *options: Further options of ``pip install``.
    """
    # imported here: an error that needs no extra should not pay for it
    from urllib.parse import unquote, urlsplit

    url, editable = _origin()
    words = " ".join([shlex.quote(sys.executable), "-m pip install", *options])
    folder = Path(unquote(urlsplit(url).path))
    if url.startswith("file:") and folder.is_dir():
        return f'{words} {"--editable " if editable else ""}"{folder}[{extra}]"'
    if folder.is_file() or (url and not url.startswith("file:")):
        return f'{words} "fairlead[{extra}] @ {url}"'
    return f'in a clone of fairlead, {words} ".[{extra}]"'


def _origin() -> tuple[str, bool]:
    """Where fairlead was installed from, and whether it is an editable install (PEP 610).

    The first is empty where the installer left no record.
    """
    from importlib import metadata

    try:
        record = json.loads(metadata.distribution("fairlead").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        record = {}
    kind = record.get("vcs_info", {}).get("vcs")
    return (f"{kind}+" if kind else "") + record.get("url", ""), bool(
        record.get("dir_info", {}).get("editable")
    )
