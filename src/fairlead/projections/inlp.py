"""``inlp``: a linear reader of the group is trained and its directions are removed, repeatedly.

    P_0 = I
    W_r = ridge regression of the groups on P_(r-1) v
    P_r = projection off the rows of W_1 .. W_r

Ravfogel, Elazar, Gonen, Twiton, Goldberg: Null it out (ACL 2020). Ours: the reader is a ridge
regression, in closed form and the same on every machine, in place of a support vector machine;
``rounds`` end early where it finds nothing more. P is an orthogonal projection, symmetric and
idempotent: mapping the query alone gives exactly the scores of mapping items too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.projections.linear import Linear
from fairlead.projections.reference import Reference, enough, off
from fairlead.protocols.spec import Configured
from fairlead.types import one_hot
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Inlp(Configured):
    """A linear reader of the group is trained and its directions are removed, for some ``rounds``.

    ``penalty`` holds the reader back, as a share of the mean variance of a dimension.
    """

    rounds: int = 8
    penalty: float = 0.001

    name: ClassVar[str] = "inlp"
    summary: ClassVar[str] = (
        "A linear reader of the group is trained and its directions removed, round after round."
    )
    source: ClassVar[str] = (
        "Ravfogel et al.: Null it out, iterative nullspace projection (ACL 2020)"
    )
    blind_spot: ClassVar[str] = (
        "Every round removes directions that also carry other things. Groups are alike on "
        "the average of the reference only. "
        "A query that asks for a group is heard less."
    )
    promise: ClassVar[str] = (
        "An orthogonal projection that removes at most rounds x (groups - 1) directions. "
        "Query alone: exact."
    )
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    knob: ClassVar[tuple[str, tuple[float, ...]]] = ("rounds", (1, 2, 4, 8, 16))

    def validate(self) -> None:
        if self.rounds < 1 or self.penalty <= 0:
            raise UsageError(
                f"{self} cannot be fitted.", "Give at least one round and a penalty above 0."
            )

    def fit(self, reference: Reference) -> Linear:
        """All rounds."""
        items, codes = reference.labelled(self)
        dimensions = items.shape[1]
        groups = one_hot(codes, len(reference.names))
        centred = items - items.mean(0)
        labels = groups - groups.mean(0)
        # the penalty and the stopping rule follow the scale of the vectors, whatever their unit
        scale = max(float((centred**2).mean()), 1e-300)
        directions = np.empty((0, dimensions))
        matrix = np.eye(dimensions)
        for _ in range(self.rounds):
            projected = centred @ matrix
            inner = projected.T @ projected / len(projected) + self.penalty * scale * np.eye(
                dimensions
            )
            reader = matrix @ np.linalg.solve(inner, projected.T @ labels / len(projected))
            # a reader this weak only reads rounding; the last dimension always stays
            if np.abs(reader).max() * np.sqrt(scale) < 1e-8 or len(directions) >= dimensions - 1:
                break
            directions = np.concatenate([directions, _directions(reader)])[: dimensions - 1]
            matrix = off(directions, dimensions)
        return Linear(matrix, matrix, notes=enough(self, len(items), dimensions))

    def restore(self, arrays: Mapping[str, Array]) -> Linear:
        """The map that a file keeps."""
        return Linear.restored(arrays)


def _directions(reader: Array) -> Array:
    """(rank, dimensions) unit directions that a reader (dimensions, groups) looks at.

    There is one fewer than groups.
    """
    left, values, _ = np.linalg.svd(reader, full_matrices=False)
    return left[:, values > 1e-6 * values.max()].T
