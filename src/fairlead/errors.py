"""Everything fairlead raises on purpose.

    FairleadError
    ├── UsageError      a request that cannot be understood: unknown name, bad parameter, impossible plan
    ├── DataError       a file or value that is not what it claims to be
    ├── MissingExtra    a heavy part that is not installed; the message names the extra
    └── BackendError    a foreign system (database, model, index) failed

Every message says what was wrong with the value; ``hint`` says what is accepted or what to do next.
``EXIT_CODES`` is the only map from errors to process exit codes.
"""

from __future__ import annotations

import difflib
import json
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

_WITH_TORCH = frozenset({"train", "open-clip", "hf", "st", "late", "lite", "all"})
OK, CHECK_FAILED, INCONCLUSIVE, OUR_FAULT = 0, 1, 3, 70


class FairleadError(Exception):
    """Base of all errors raised on purpose."""

    kind = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(FairleadError):
    """A request that cannot be understood."""

    kind = "usage"


class DataError(FairleadError):
    """A file or value that is not what it claims to be."""

    kind = "data"


class MissingExtra(FairleadError):
    """A heavy part that is not installed."""

    kind = "missing-extra"

    def __init__(self, what: str, extra: str) -> None:
        first = "Without a GPU, install the CPU build of torch first: it is much smaller. " if extra in _WITH_TORCH else ""
        super().__init__(f"{what} needs the extra '{extra}'.", f"{first}Install it: {install_command(extra)}")
        self.extra = extra


def install_command(extra: str, *options: str) -> str:
    """The command that installs an extra into this very Python, in the way fairlead itself was installed.

    Args:
        extra: The extra.
        *options: Further options of ``pip install``.
    """
    from urllib.parse import unquote, urlsplit

    url, editable = _origin()
    words, folder = " ".join([shlex.quote(sys.executable), "-m pip install", *options]), Path(unquote(urlsplit(url).path))
    if url.startswith("file:") and folder.is_dir():
        return f'{words} {"--editable " if editable else ""}"{folder}[{extra}]"'
    if folder.is_file() or (url and not url.startswith("file:")):
        return f'{words} "fairlead[{extra}] @ {url}"'
    return f'in a clone of fairlead, {words} ".[{extra}]"'


def _origin() -> tuple[str, bool]:
    """Where fairlead was installed from, and whether it is run from there (PEP 610); empty where nobody noted it."""
    from importlib import metadata

    try:
        noted = json.loads(metadata.distribution("fairlead").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        noted = {}
    kind = noted.get("vcs_info", {}).get("vcs")
    return (f"{kind}+" if kind else "") + noted.get("url", ""), bool(noted.get("dir_info", {}).get("editable"))


class BackendError(FairleadError):
    """A foreign system failed."""

    kind = "backend"


EXIT_CODES: dict[type[FairleadError], int] = {UsageError: 2, DataError: 4, MissingExtra: 5, BackendError: 6}


def exit_code(error: BaseException) -> int:
    """The process exit code of an error; anything not raised on purpose is our fault (70)."""
    return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), OUR_FAULT)


def unknown_name(what: str, name: str, known: Iterable[str]) -> UsageError:
    """An error for a name nobody knows, offering the nearest known ones."""
    names = sorted(known)
    by_lower = {n.lower(): n for n in names}
    near = [by_lower[n] for n in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(names) or 'none'}."
    return UsageError(f"There is no {what} called '{name}'.", hint)


def words_of(error: BaseException) -> str:
    """What another library's error says, to end a sentence of ours: its first line, and never advice to load unsafely.

    >>> words_of(ValueError("It is short.")), words_of(KeyError("about")), words_of(ValueError("Load it with allow_pickle=True."))
    ('It is short', "it has no 'about'", 'it is no file of plain arrays')
    """
    text = f"it has no {error}" if isinstance(error, KeyError) else str(error)
    if "pickle" in text.lower():
        return "it is no file of plain arrays"
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first.rstrip(".") or type(error).__name__


def together(errors: list[FairleadError]) -> FairleadError:
    """Several faults told as one: the kind of the first (a missing extra counts as usage), the messages of all."""
    if len(errors) == 1:
        return errors[0]
    lines = "\n".join(f"  - {e}" for e in errors)
    kind = next((k for k in (DataError, BackendError) if isinstance(errors[0], k)), UsageError)
    return kind(f"{len(errors)} things are wrong:\n{lines}")
