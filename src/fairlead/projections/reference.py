"""What a projection is fitted on.

That is labelled items that are not measured, texts that name the groups, and sentences worded once
for each group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.types import Embeddings, Groups
from fairlead.types.ragged import Array
from fairlead.words.counts import counted

LEAST = 2
"""Labelled items of a group that is there at all, below which nothing can be learnt about it."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Vectors to fit on, in float64.

    Attributes:
        attribute: What is mitigated.
        names: Its groups.
        items: (items, dimensions) vectors of labelled items; none where only texts are looked at.
        codes: (items,) the group of each.
        prompts: (texts, dimensions) vectors of texts that name a group each, at least one for each
            group.
        pairs: (sentences, groups, dimensions) vectors of sentences that differ in the group they
            name only.
    """

    attribute: str
    names: tuple[str, ...]
    items: Array | None = None
    codes: Array | None = None
    prompts: Array | None = None
    pairs: Array | None = None

    def labelled(self, who: object) -> tuple[Array, Array]:
        """(items, dimensions) vectors and (items,) codes.

        Raises:
            UsageError: Where there are none.
        """
        if self.items is None or self.codes is None:
            raise UsageError(
                f"{who} is fitted on labelled items, and there are none.",
                "Name a --collection or a --benchmark.",
            )
        return self.items, self.codes

    def texts(self, who: object) -> Array:
        """(texts, dimensions) vectors of texts that name a group."""
        if self.prompts is None:
            raise UsageError(
                f"{who} is fitted on texts that name the groups, and there are none.",
                'Give prompts="one|two".',
            )
        return self.prompts


def labelled(embeddings: Embeddings, groups: Groups) -> tuple[Array, Array]:
    """(items, dimensions) float64 vectors of items with a known group, and (items,) codes.

    Of soft labels the likeliest counts.

    Raises:
        UsageError: For many vectors an item.
        DataError: Where fewer than two groups have items.
    """
    if embeddings.offsets is not None:
        raise UsageError(
            "A projection needs one vector for each item; this model gives many.",
            "Take another --model.",
        )
    if groups.codes is not None:
        codes = groups.codes.astype(np.int64)
    else:
        share = np.column_stack([groups.share, groups.unknown])
        best = share.argmax(1)
        codes = np.where((best == len(groups.names)) | (share.max(1) <= 0), -1, best)
    rows = np.flatnonzero(codes >= 0)
    counts = np.bincount(codes[rows], minlength=len(groups.names))
    if (counts > 0).sum() < 2:
        shown = ", ".join(
            f"{name} {n}" for name, n in zip(groups.names, counts.tolist(), strict=True)
        )
        raise DataError(
            (
                f"The labels of '{groups.attribute}' show one group only ({shown}): nothing "
                "can be told apart."
            ),
            "Fit on items of two groups or more.",
        )
    few = [groups.names[g] for g in np.flatnonzero((counts > 0) & (counts < LEAST))]
    if few:
        raise DataError(
            (
                f"Of '{groups.attribute}', {', '.join(few)} has fewer than {LEAST} labelled "
                "items to fit on."
            ),
            "Label more of them.",
        )
    # fits are in float64: covariances of float32 vectors lose the small eigenvalues
    return np.asarray(embeddings.vectors[rows], np.float64), codes[rows]


def off(directions: Array, dimensions: int) -> Array:
    """The (dimensions, dimensions) orthogonal projection off the span of some directions.

    ``directions`` are (count, dimensions). The projection is symmetric and idempotent.

    >>> off(np.array([[2.0, 0.0]]), 2).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    basis = _basis(directions)
    return np.eye(dimensions) - basis @ basis.T


def _basis(directions: Array) -> Array:
    """(dimensions, rank) orthonormal columns that span the directions."""
    left, values, _ = np.linalg.svd(directions.T, full_matrices=False)
    return left[:, values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300)]


def enough(who: object, samples: int, dimensions: int) -> tuple[str, ...]:
    """A note where there are fewer samples than dimensions."""
    if samples >= dimensions:
        return ()
    items = f"{counted(samples, 'item')} of {dimensions} dimensions"
    return (f"{who} was fitted on {items}: what it learnt is partly chance. Fit on more items.",)
