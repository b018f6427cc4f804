"""Laws that every benchmark keeps, one function each; a broken law raises AssertionError.

A plug-in's test makes its benchmark and calls ``all_laws``.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols import Benchmark, Referenced, Repeatable, Skewed
from fairlead.protocols.benchmark import CARD
from fairlead.protocols.registry import make
from fairlead.protocols.spec import Configured
from fairlead.types import Groups, Study
from fairlead.types.ragged import Array

_TARGETS = ("uniform", "pool", "relevant")


def all_laws(benchmark: Any) -> None:
    """Every law below."""
    has_a_text_form(benchmark)
    says_what_it_is(benchmark)
    study = benchmark.study()
    can_be_asked(study)
    can_be_measured(study)
    same_again(benchmark)
    if isinstance(benchmark, Repeatable):
        another_number_is_another_draw(benchmark)
    if isinstance(benchmark, Skewed):
        majority_can_be_set(benchmark)
    if isinstance(benchmark, Referenced):
        reference_is_of_other_items(benchmark)


def has_a_text_form(benchmark: Any) -> None:
    """The text form builds an equal, equally hashed benchmark; it is the study's name."""
    assert isinstance(benchmark, Benchmark)
    if isinstance(benchmark, Configured):
        again = make("benchmark", str(benchmark))
        assert again == benchmark and hash(again) == hash(benchmark)
        assert benchmark.study().name == str(benchmark)
    assert copy.copy(benchmark) == benchmark


def says_what_it_is(benchmark: Any) -> None:
    """Its card has a name, a revision, a licence, a citation, and how to obtain it."""
    card = benchmark.study().card
    lacking = [name for name in CARD if not card.get(name, "").strip()]
    assert not lacking, f"the card of {benchmark} lacks {', '.join(lacking)}"


def can_be_asked(study: Study) -> None:
    """There are queries of its modality, and items of the other kind."""
    queries, items = study.queries, study.collection
    query_content, item_content = queries.texts, items.images
    if study.modality == "image-to-text":
        query_content, item_content = queries.images, items.texts
    assert query_content and item_content, (
        f"{study.name} is {study.modality}, and lacks one of the two"
    )
    for sets in (queries.relevant, queries.candidates):
        if sets is not None:
            assert len(sets) in (1, len(queries))
            assert sets.rows.max(initial=-1) < len(items)


def can_be_measured(study: Study) -> None:
    """Its metrics can be made, its target is known, and its attributes have groups."""
    assert study.k >= 1 and study.metrics
    for text in study.metrics:
        make("metric", text)
    assert study.target in _TARGETS or study.stated
    groups = {**study.collection.groups, **study.roles}
    for name in study.attributes or groups:
        assert len(groups[name].names) >= 2, f"'{name}' has one group only"
    if study.blocks is not None:
        assert study.blocks.shape == (len(study.collection),)


def same_again(benchmark: Any) -> None:
    """The same choice has the same items, queries and labels, in the same order."""
    first, second = benchmark.study(), copy.copy(benchmark).study()
    for side in ("collection", "queries"):
        one, other = getattr(first, side), getattr(second, side)
        assert (one.ids, one.images, one.texts) == (other.ids, other.images, other.texts)
    for name, groups in first.collection.groups.items():
        _same(groups, second.collection.groups[name])
    for name, groups in first.roles.items():
        _same(groups, second.roles[name])


def another_number_is_another_draw(benchmark: Any) -> None:
    """Number 0 is itself; number 1 asks the same about something else."""
    assert benchmark.numbered(0) == benchmark
    first, second = benchmark.study(), benchmark.numbered(1).study()
    assert _shown(first) != _shown(second)
    for part in ("metrics", "k", "attributes", "target", "modality"):
        assert getattr(first, part) == getattr(second, part)


def majority_can_be_set(benchmark: Any) -> None:
    """The share of the largest group follows the request, or is refused."""
    # a share that it cannot have may be refused; then there is nothing to compare
    try:
        small, large = (benchmark.with_majority(share).study() for share in (0.6, 0.9))
    except UsageError:
        return
    assert _majority(small) < _majority(large)


def reference_is_of_other_items(benchmark: Any) -> None:
    """The items to fit on are not measured."""
    beside = benchmark.reference()
    if beside is not None:
        assert isinstance(beside, Benchmark)
        measured = set(benchmark.study().collection.ids)
        assert not measured & set(beside.study().collection.ids)


def _shown(study: Study) -> Any:
    return study.collection.ids, study.queries.ids


def _majority(study: Study) -> float:
    """The mean share of the largest group among what is relevant, or among all items."""
    groups = study.collection.groups
    labels = groups[next(name for name in study.attributes or groups)]
    relevant = study.queries.relevant
    sets = [np.arange(len(study.collection))]
    if relevant is not None:
        sets = [relevant.of(query) for query in range(len(study.queries))]
    return float(np.mean([_largest(labels, rows) for rows in sets if len(rows)]))


def _largest(labels: Groups, rows: Array) -> float:
    mass, _ = labels.mass(rows)
    return float(mass.max() / max(mass.sum(), 1e-9))


def _same(first: Groups, second: Groups) -> None:
    assert (first.names, first.source) == (second.names, second.source)
    np.testing.assert_array_equal(first.share, second.share)
