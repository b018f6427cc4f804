"""Results drawn as small panels, to files: a page or JSON, whole or not at all. A place that cannot
be written is refused first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlead.errors import UsageError
from fairlead.report.saving import PAGES, dumps
from fairlead.report.small_panels import Page, page
from fairlead.store.atomic import atomic


@contextmanager
def panel_place(
    path: str | Path | None, drawn: Callable[[Any], Page]
) -> Iterator[Callable[[Any], None]]:
    """A function that writes a result to its place, which is checked on entering; None writes
    nothing.

    Args:
        path: A ``.html`` page or a ``.json`` file.
        drawn: Makes a page of the result.

    Raises:
        UsageError: For another suffix, or a place that cannot be written.
    """
    if path is None:
        yield lambda found: None
        return
    suffix = Path(path).suffix.lower()
    if suffix not in (*PAGES, ".json"):
        raise UsageError(
            f"The result cannot be written to '{path}'.", "Give a .html page or a .json file."
        )
    with atomic(path) as file:
        yield lambda found: _write(
            file, dumps(found.to_dict()) if suffix == ".json" else page(drawn(found))
        )


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
