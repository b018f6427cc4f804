"""Silences libraries while they load: progress bars, remarks, deprecations."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import PackageNotFoundError, version

_TALKERS = ("transformers", "sentence_transformers", "colpali_engine", "peft")


@contextmanager
def quiet() -> Iterator[list[str]]:
    """Silence transformers and what is built on it, and gather its remarks; errors still come
    through.
    """
    from transformers.utils import logging as library

    heard: list[str] = []
    bars = library.is_progress_bar_enabled()
    library.disable_progress_bar()
    try:
        with ExitStack() as stack, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in _TALKERS:
                stack.enter_context(_gathered(logging.getLogger(name), heard))
            yield heard
    finally:
        if bars:
            library.enable_progress_bar()


@contextmanager
def _gathered(logger: logging.Logger, heard: list[str]) -> Iterator[None]:
    """Send a logger's warnings to a list, and nowhere else."""
    listener = logging.Handler(logging.WARNING)
    listener.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    before = logger.handlers, logger.propagate, logger.level
    logger.handlers, logger.propagate = [listener], False
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.handlers, logger.propagate = before[:2]
        logger.setLevel(before[2])


def versions(*packages: str) -> dict[str, str]:
    """The installed version of each package."""
    installed = {}
    for package in packages:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed
