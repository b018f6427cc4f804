"""A study without what is left out: items and queries that asked for it are gone before anything is
encoded, labelled or measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.errors import DataError
from fairlead.types import Queries, Relevant, Sets, Study
from fairlead.types.ragged import Array, offsets_of

ALL_NAMED = "The list of what to leave out names all of it."


def without(study: Study, items: Array, queries: Array, hint: str = ALL_NAMED) -> Study:
    """The study without some items and queries, as (items,) and (queries,) say.

    A forced choice that has lost one of its candidates is no choice any more: its query goes too.

    Raises:
        DataError: Where nothing is left; ``hint`` says why.
    """
    asked, candidates = study.queries, study.queries.candidates
    if study.roles and candidates is not None:
        owner = np.repeat(np.arange(len(candidates)), np.diff(candidates.offsets))
        queries = queries | (np.bincount(owner, items[candidates.rows], len(asked)) > 0)
    rows, kept = np.flatnonzero(~items), np.flatnonzero(~queries)
    if not len(rows) or not len(kept):
        raise DataError(
            f"Nothing of {study.name} is left to look at.",
            hint,
        )
    roles, place = study.roles, np.cumsum(~items) - 1
    if candidates is not None:
        at, sizes = _entries(candidates, items, queries)
        candidates = Sets(offsets_of(sizes), place[candidates.rows[at]])
        roles = {name: groups.take(at) for name, groups in roles.items()}
    texts, images = _picked(asked.texts, kept), _picked(asked.images, kept)
    tags = {name: tuple(values[q] for q in kept) for name, values in asked.tags.items()}
    left = Queries(
        tuple(asked.ids[q] for q in kept),
        texts,
        images,
        _relevant(asked.relevant, items, queries),
        candidates,
        tags,
    )
    blocks = study.blocks
    if blocks is not None:
        blocks = blocks[rows]
    # Of a part of a part the whole is still the first: its vectors are those that are kept.
    return replace(
        study,
        collection=study.collection.take(rows),
        queries=left,
        roles=roles,
        blocks=blocks,
        whole=study.whole or study,
    )


def _picked(part: Sequence[str] | None, kept: Array) -> tuple[str, ...] | None:
    """Some of the texts or pictures of queries, where they have some."""
    if part is None:
        return None
    return tuple(part[q] for q in kept)


def _relevant(relevant: Relevant | None, items: Array, queries: Array) -> Relevant | None:
    if relevant is None:
        return None
    at, sizes = _entries(relevant, items, queries)
    return Relevant(
        offsets_of(sizes), (np.cumsum(~items) - 1)[relevant.rows[at]], relevant.gains[at]
    )


def _entries(sets: Sets, items: Array, queries: Array) -> tuple[Array, Array]:
    """Which entries of some sets stay, and how many of each set. A set goes with its query, but a
    single set that serves all queries stays.
    """
    gone = queries
    if len(sets) != len(queries):
        gone = np.zeros(len(sets), np.bool_)
    owner = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    at = np.flatnonzero(~items[sets.rows] & ~gone[owner])
    return at, np.bincount(owner[at], minlength=len(sets))[~gone]
