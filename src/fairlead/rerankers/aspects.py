"""Greedy choice under aspects: the value of an item changes with what has been chosen.

The next item is always the one of most value then. One list fits into a processor's cache and a
batch does not, so each list is followed to its end before the next one. Unknown mass belongs to no
aspect.

One list fits into a processor's cache and a batch does not, so each list is followed to its end
before the next one. Unknown mass belongs to no aspect.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairlead.types.ragged import Array

Step = Callable[[int], Array]
"""Takes the place chosen last and gives (n,) the value of every candidate; changes nothing else."""


def greedy(first: Array, step: Step, k: int) -> Array:
    """(k,) places in the order of choice, by rank among equal values.

    Args:
        first: (n,) the values before anything is chosen.
        step: Gives the values after each choice, in an array of its own that it may use again.
        k: How many are chosen.
    """
    taken = np.zeros(len(first))
    order = np.empty(k, np.int64)
    place = int(first.argmax())
    for n in range(k - 1):
        order[n] = place
        taken[place] = -np.inf
        values = step(place)
        values += taken
        place = int(values.argmax())
    order[k - 1] = place
    return order
