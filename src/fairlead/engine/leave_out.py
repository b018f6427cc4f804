"""Assembly of what is left out of studies: items and queries on a list are gone before anything is
labelled, ranked or measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairlead.engine.narrowing import without
from fairlead.store.leave_out import LeaveOut
from fairlead.types import Queries, Study


def narrowed(study: Study, out: LeaveOut | None) -> Study:
    """The study without what is to be left out."""
    if not out:
        return study
    items, queries = out.items(study.collection.ids), out.queries(*_names(study.queries))
    if not items.any() and not queries.any():
        return study
    return without(study, items, queries)


def left_of(studies: Sequence[Study], out: LeaveOut | None) -> dict[str, int] | None:
    """How much a list leaves out of studies, each item and query counted once; None where there is
    no list.
    """
    if out is None:
        return None
    # Galleries of several seeds share items and queries.
    items = dict.fromkeys(name for study in studies for name in study.collection.ids)
    queries = dict.fromkeys(
        names for study in studies for names in zip(*_names(study.queries), strict=True)
    )
    return out.left(list(items), list(zip(*queries, strict=True)))


def _names(queries: Queries) -> list[Sequence[str]]:
    """What queries go by: their ids and, where they have some, their words."""
    return [queries.ids, queries.texts or queries.ids]
