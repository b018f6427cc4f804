"""Where a model lives and what it is made of: a folder here, or the hub's copy of a model.

Everything is then read from that folder: nothing is fetched unless the spec names a hub id, and
weights are safetensors (or, where a model has no others, files that torch reads with
``weights_only``).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from fairlead.errors import BackendError, DataError, UsageError, words_of
from fairlead.protocols.reach import FILES, HUB, Things

_HUB_ID = re.compile(r"\w[\w.-]*(?:/[\w.-]+)?")
_SETTINGS = ("*.json", "*.txt", "*.model", "*.jinja", "*.tiktoken")
# Folders inside a repository hold other formats of the same weights.
_BELOW = "*/*"


def located(
    path: str,
    revision: str = "",
    weights: str = "pytorch_model*.bin*",
    *,
    also: tuple[str, ...] = (),
    leave: tuple[str, ...] = (_BELOW,),
) -> tuple[Path, str]:
    """The model's folder and its revision: the folder itself, or the hub's copy of a model.

    ``weights`` are the files to fetch where a model has no safetensors, ``also`` those to fetch
    besides, ``leave`` those to leave there.
    """
    folder = Path(path).expanduser()
    if folder.is_dir():
        if revision:
            raise UsageError(
                f"'{path}' is a folder and has no revision '{revision}'.",
                "Revisions belong to models named by their hub id.",
            )
        return folder, ""
    if folder.exists():
        raise DataError(
            f"'{path}' is a file, not the folder of a model.",
            "Give the folder that holds config.json and the weights.",
        )
    if not _HUB_ID.fullmatch(path):
        raise DataError(
            f"There is no folder '{path}'.",
            "Give the folder of a saved model, or a hub id such as openai/clip-vit-base-patch32.",
        )
    copy = _fetched(path, revision, weights, tuple(also), tuple(leave))
    return copy, copy.name


@lru_cache(maxsize=64)
def _fetched(
    path: str, revision: str, weights: str, also: tuple[str, ...], leave: tuple[str, ...]
) -> Path:
    """The hub's copy of a model, requested once."""
    from huggingface_hub import snapshot_download

    def fetch(*names: str) -> Path:
        return Path(
            snapshot_download(
                path,
                revision=revision or None,
                allow_patterns=list(names),
                ignore_patterns=list(leave),
            )
        )

    try:
        copy = fetch(*_SETTINGS, *also, "*.safetensors")
        if not weights_of(copy):
            fetch(weights)
    # its errors come from three network libraries
    except Exception as error:
        hint = "Check the id and the network, or give the folder of a saved model."
        raise BackendError(
            f"'{path}' is no folder here and cannot be had from the hub: {words_of(error)}.", hint
        ) from error
    return copy


def reached(path: str) -> Things:
    """What a model reaches that is named by its folder or its hub id; nothing is looked up there.

    >>> sorted(reached("openai/clip-vit-base-patch32"))
    ['credentials', 'files', 'network']
    """
    try:
        is_here = Path(path).expanduser().exists()
    except (OSError, RuntimeError, ValueError):  # no path that this system knows
        is_here = False
    if is_here:
        return FILES
    return HUB


def weights_of(folder: Path) -> list[Path]:
    """The files with weights: safetensors, or else torch's own."""
    return sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))


def settings_of(folder: Path) -> list[Path]:
    """The files that say how the weights are used: model, tokenizer, preprocessing."""
    return sorted(path for pattern in _SETTINGS for path in folder.glob(pattern) if path.is_file())


def digest(files: Iterable[Path], *parameters: str) -> str:
    """16 hexadecimal digits of the names and contents of files, and of parameters."""
    total = hashlib.sha256(repr(parameters).encode())
    for path in files:
        stat = path.stat()
        total.update(f"{path.name} {_content(path, stat.st_size, stat.st_mtime_ns)}".encode())
    return total.hexdigest()[:16]


def state(files: Iterable[Path]) -> tuple[tuple[str, int, int], ...]:
    """A value that changes when one of the files does: names, sizes, times."""
    return tuple(
        (str(path), stat.st_size, stat.st_mtime_ns) for path in files for stat in [path.stat()]
    )


@lru_cache(maxsize=1024)
def _content(path: Path, size: int, time: int) -> str:
    """The digest of a file's content, kept while its size and time are the same."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def told(what: str, hint: str = "") -> Iterator[None]:
    """Report a library's failure to read a model's files as an error about the files."""
    try:
        yield
    except (
        OSError,
        ValueError,
        RuntimeError,
        KeyError,
        TypeError,
        AttributeError,
        AssertionError,
        ImportError,
    ) as error:
        raise DataError(f"{what}: {words_of(error)}.", hint) from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in (
            "safetensors",
            "builtins",
            "_pickle",
            "pickle",
            "json",
        ):
            raise
        raise DataError(f"{what}: {words_of(error)}.", hint) from error
