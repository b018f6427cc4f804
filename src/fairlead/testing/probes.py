"""Laws that every probe keeps, one function each; a broken law raises AssertionError.

A plug-in's test makes its probe and some queries, and calls ``all_laws``.
"""

from __future__ import annotations

import copy
from typing import Any

from fairlead.types import Queries


def all_laws(probe: Any, queries: Queries) -> None:
    """Every law below."""
    asks_something(probe, queries)
    same_again(probe, queries)
    batch_is_one_by_one(probe, queries)
    nothing_gives_nothing(probe)


def asks_something(probe: Any, queries: Queries) -> None:
    """Every query is reworded at least once, in words; the given queries stay as they are."""
    before = (queries.ids, queries.texts, dict(queries.tags))
    reworded = probe(queries)
    assert isinstance(reworded, Queries)
    assert reworded.texts is not None and all(text.strip() for text in reworded.texts)
    assert len(reworded) >= len(queries)
    assert before == (queries.ids, queries.texts, dict(queries.tags))


def same_again(probe: Any, queries: Queries) -> None:
    """The same queries are reworded the same way, by a copy too."""
    assert _content(probe(queries)) == _content(copy.copy(probe)(queries))


def batch_is_one_by_one(probe: Any, queries: Queries) -> None:
    """The wordings of a query do not depend on the other queries."""
    # as sets: a probe may give all first wordings before all second ones
    together = set(zip(*_content(probe(queries)), strict=True))
    alone: set[Any] = set()
    for number, name in enumerate(queries.ids):
        texts = None if queries.texts is None else (queries.texts[number],)
        tags = {tag: (values[number],) for tag, values in queries.tags.items()}
        alone |= set(zip(*_content(probe(Queries((name,), texts=texts, tags=tags))), strict=True))
    assert together == alone


def nothing_gives_nothing(probe: Any) -> None:
    """No queries give none."""
    assert len(probe(Queries((), texts=()))) == 0


def _content(queries: Queries) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return queries.ids, queries.texts or ()
