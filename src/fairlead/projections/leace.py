"""``leace``: no linear reader can tell the group from an item any more, with the least change.

    v -> v - W^+ P W (v - mean)
    W = S^(-1/2),   S = covariance of the items,   P = projection on the columns of W C

C is the covariance of items and groups. Of all affine maps after which the groups have the same
mean, and so no linear reader does better than chance, it moves items least in the mean square.
Belrose, Schneider-Joseph, Ravfogel, Cotterell, Raff, Biderman: LEACE (NeurIPS 2023).

``shrinkage`` s takes (1 - s) S + s mean variance I instead of S. It is needed with fewer items than
dimensions, where S cannot be inverted. The groups' means become equal for any s; s = 1 is the
orthogonal projection off their differences. The method maps items and not queries. We fold the map
into the query, which gives exactly the same order, and the same scores up to a constant per query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.projections.linear import Linear
from fairlead.projections.reference import Reference, enough
from fairlead.protocols.spec import Configured
from fairlead.types import one_hot
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Leace(Configured):
    """No linear reader can tell the group from an item any more, and items change as little as that
    allows.

    ``shrinkage`` from 0 to 1 is needed where there are fewer items than dimensions.
    """

    shrinkage: float = 0.0

    name: ClassVar[str] = "leace"
    summary: ClassVar[str] = (
        "No linear reader can tell the group from an item any more, with the least change."
    )
    source: ClassVar[str] = (
        "Belrose et al.: LEACE, perfect linear concept erasure in closed form (NeurIPS 2023)"
    )
    blind_spot: ClassVar[str] = (
        "Groups are alike on the average of the reference, not among the items of one query: "
        "there bias stays. "
        "A query that asks for a group is heard less."
    )
    promise: ClassVar[str] = (
        "Reference items of all groups have the same mean; least mean square change. "
        "Query alone: exact order."
    )
    needs: ClassVar[frozenset[str]] = frozenset({"items"})

    def validate(self) -> None:
        if not 0 <= self.shrinkage <= 1:
            raise UsageError(
                f"leace(shrinkage={self.shrinkage:g}) is no share.", "Give a number from 0 to 1."
            )

    def fit(self, reference: Reference) -> Linear:
        """The closed form."""
        items, codes = reference.labelled(self)
        samples, dimensions = items.shape
        if samples <= dimensions and self.shrinkage == 0:
            raise DataError(
                (
                    f"leace was given {samples} items of {dimensions} dimensions: their "
                    "covariance cannot be inverted."
                ),
                f"Fit on more than {dimensions} items, or with shrinkage: leace(shrinkage=0.1).",
            )
        mean = items.mean(0)
        centred = items - mean
        groups = one_hot(codes, len(reference.names))
        covariance = centred.T @ centred / samples
        scale = float(np.trace(covariance)) / dimensions
        # shrunk towards a multiple of the identity, which can always be inverted
        shrunk = (1 - self.shrinkage) * covariance + self.shrinkage * scale * np.eye(dimensions)
        erased = _oblique(shrunk, centred.T @ (groups - groups.mean(0)) / samples)
        matrix = np.eye(dimensions) - erased
        return Linear(
            np.ones(dimensions), matrix, erased @ mean, notes=enough(self, samples, dimensions)
        )

    def restore(self, arrays: Mapping[str, Array]) -> Linear:
        """The map that a file keeps."""
        return Linear.restored(arrays)


def _oblique(covariance: Array, shared: Array) -> Array:
    """(dimensions, dimensions) W^+ P W; directions in which items do not vary are left alone."""
    # directions of no variance have no inverse root, and nothing to erase either
    values, vectors = np.linalg.eigh(covariance)
    varying = values > 1e-12 * max(float(values.max()), 1e-300)
    roots = np.sqrt(values[varying])
    vectors = vectors[:, varying]
    white = (vectors / roots).T @ shared
    left, sizes, _ = np.linalg.svd(white, full_matrices=False)
    along = left[:, sizes > 1e-10 * max(float(sizes.max(initial=0.0)), 1e-300)]
    return (vectors * roots) @ along @ along.T @ (vectors / roots).T
