"""Laws that every annotator keeps, one function each; a broken law raises AssertionError.

A plug-in's test makes its annotator and a collection it can label, and calls ``all_laws``. An
annotator whose labels depend on the query (``QueryAnnotator``) is held to them on the candidates of
queries.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols import QueryAnnotator
from fairlead.protocols.registry import make
from fairlead.protocols.spec import Configured
from fairlead.types import Collection, Groups, Queries, Sets
from fairlead.types.ragged import Array

TOLERANCE = 1e-6
NEEDS = frozenset({"labels", "captions", "encoder", "pictures", "queries"})
NOTHING = "nothing-anybody-labels"


def all_laws(annotator: Any, collection: Collection, attribute: str, encoder: Any = None) -> None:
    """Every law below."""
    has_a_text_form(annotator)
    assert frozenset(annotator.needs) <= NEEDS
    if "queries" not in annotator.needs:
        labels_every_item(annotator, collection, attribute, encoder)
        order_is_free(annotator, collection, attribute, encoder)
        same_again(annotator, collection, attribute, encoder)
    if isinstance(annotator, QueryAnnotator):
        labels_every_candidate(annotator, collection, attribute, encoder)
    refuses_what_it_cannot_label(annotator, collection, encoder)


def has_a_text_form(annotator: Any) -> None:
    """The text form builds an equal, equally hashed annotator; a copy is equal too."""
    if isinstance(annotator, Configured):
        again = make("annotator", str(annotator))
        assert again == annotator and hash(again) == hash(annotator), (
            f"{annotator} reads back as {again}"
        )
    assert copy.copy(annotator) == annotator


def labels_every_item(
    annotator: Any, collection: Collection, attribute: str, encoder: Any = None
) -> None:
    """One label per item, from a named source: shares in [0, 1] that sum to at most 1.

    There are none where the attribute does not apply.
    """
    _valid(annotator, annotator(collection, attribute, encoder), len(collection), attribute)
    attributes = annotator.attributes(collection)
    assert isinstance(attributes, tuple) and (not attributes or attribute in attributes)


def order_is_free(
    annotator: Any, collection: Collection, attribute: str, encoder: Any = None
) -> None:
    """Items in another order have the same labels."""
    rows = np.random.default_rng(0).permutation(len(collection))
    _same(
        annotator(_ordered(collection, rows), attribute, encoder),
        annotator(collection, attribute, encoder).take(rows),
    )


def same_again(annotator: Any, collection: Collection, attribute: str, encoder: Any = None) -> None:
    """The same question has the same answer, from a copy too."""
    first, second = (
        one(collection, attribute, encoder) for one in (annotator, copy.copy(annotator))
    )
    _same(first, second)
    assert first.source == second.source


def labels_every_candidate(
    annotator: Any, collection: Collection, attribute: str, encoder: Any = None
) -> None:
    """One label for each candidate of each query, whatever the other queries are."""
    size = len(collection)
    queries = Queries(("q1", "q2"), texts=("a photo of a nurse", "a photo of a judge"))
    # Both queries ask about two items: an answer to one must not be kept for the other. The first
    # asks in another order than the collection's.
    lists = Sets(np.array([0, size, size + 2]), np.concatenate([np.arange(size)[::-1], [0, 1]]))
    together = annotator.of_candidates(collection, attribute, queries, lists, encoder)
    _valid(annotator, together, size + 2, attribute)
    for number, part in enumerate((slice(0, size), slice(size, size + 2))):
        one = Queries((queries.ids[number],), texts=(queries.texts[number],))  # type: ignore[index]
        single_list = Sets(np.array([0, len(lists.rows[part])]), lists.rows[part])
        alone = annotator.of_candidates(collection, attribute, one, single_list, encoder)
        _same(alone, together.take(np.arange(size + 2)[part]))


def refuses_what_it_cannot_label(
    annotator: Any, collection: Collection, encoder: Any = None
) -> None:
    """An unknown attribute is refused, with the names of those it can label."""
    attributes = annotator.attributes(collection)
    message = None
    try:
        annotator(collection, NOTHING, encoder)
    except UsageError as error:
        message = str(error)
    if message is None:
        assert not attributes, f"{annotator} labels anything"
    else:
        assert NOTHING in message and all(name in message for name in attributes), message


def _valid(annotator: Any, groups: Groups, size: int, attribute: str) -> None:
    assert isinstance(groups, Groups)
    assert len(groups) == size and groups.attribute == attribute and len(groups.names) >= 2
    assert ((groups.share >= 0) & (groups.share <= 1)).all() and (
        groups.share.sum(1) <= 1 + 1e-9
    ).all()
    assert groups.not_applicable is not None and not groups.share[groups.not_applicable].any()
    # "label" is the source of what is known, which an annotator's answer must not pass for
    assert groups.source != "label" and groups.source.startswith(
        getattr(annotator, "name", groups.source)
    ), groups.source


def _ordered(collection: Collection, rows: Array) -> Collection:
    images, texts = (
        None if part is None else tuple(part[row] for row in rows)
        for part in (collection.images, collection.texts)
    )
    groups = {name: one.take(rows) for name, one in collection.groups.items()}
    return Collection(tuple(collection.ids[row] for row in rows), images, texts, groups)


def _same(first: Groups, second: Groups) -> None:
    assert first.names == second.names
    np.testing.assert_allclose(first.share, second.share, rtol=0, atol=TOLERANCE)
    assert first.not_applicable is not None and second.not_applicable is not None
    np.testing.assert_array_equal(first.not_applicable, second.not_applicable)
