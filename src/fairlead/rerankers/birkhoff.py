"""Birkhoff's decomposition: a doubly stochastic matrix as a mixture of permutations.

Each step finds a permutation within the support of what remains (one exists, by Hall's theorem),
and takes as much of it as its smallest entry allows, so that an entry disappears with every step.
Birkhoff (1946), von Neumann (1953).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairlead.rerankers.programs import assigned
from fairlead.types.ragged import Array

_LEAST = 1e-9


def permutations(matrix: Array) -> Iterator[tuple[float, Array]]:
    """Weights and (n,) columns of the rows, for each permutation of the mixture.

    The (n, n) matrix has rows and columns that sum to 1, and so do the weights, up to rounding.
    """
    remaining = np.where(matrix > _LEAST, matrix, 0.0)
    rows = np.arange(len(matrix))
    total = 0.0
    while total < 1 - len(matrix) * _LEAST:
        # The largest entries first, and none outside the support as long as it can be helped.
        columns = assigned(np.where(remaining > _LEAST, remaining, -float(len(matrix))))
        weight = float(remaining[rows, columns].min())
        if weight <= _LEAST:  # nothing but rounding is left
            yield 1 - total, columns
            return
        yield weight, columns
        total += weight
        remaining[rows, columns] -= weight


def drawn(matrix: Array, coin: float) -> Array:
    """(n,) the columns of the rows in one permutation, drawn from the mixture.

    ``coin`` is a uniform number.
    """
    last = np.arange(len(matrix))
    for weight, columns in permutations(matrix):
        last = columns
        coin -= weight
        if coin < 0:
            break
    return last
