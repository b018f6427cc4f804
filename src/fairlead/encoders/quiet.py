"""Libraries that talk while they load: bars, remarks, deprecations. What matters of them is checked by us and told in ``about``."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version


@contextmanager
def quiet() -> Iterator[None]:
    """Without the bars and remarks of transformers and what is built on it; their errors still come through."""
    from transformers.utils import logging as library

    verbosity, bars, below = library.get_verbosity(), library.is_progress_bar_enabled(), logging.root.manager.disable
    library.set_verbosity_error()
    library.disable_progress_bar()
    logging.disable(max(below, logging.WARNING))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(below)
        library.set_verbosity(verbosity)
        if bars:
            library.enable_progress_bar()


def versions(*packages: str) -> dict[str, str]:
    """The installed version of each package."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
