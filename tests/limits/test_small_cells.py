"""Small cells: no hidden count can be recovered, by a reader who knows the total, what is shown,
and the rule itself.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.statistics.cells import alone, hidden, limit


def _shown(table, least):
    """What a reader sees of a table: its total, and each count or None."""
    return sum(table), tuple(
        None if low else count
        for count, low in zip(table, hidden(np.array(table), least), strict=True)
    )


@pytest.mark.parametrize(
    ("cells", "least", "most"),
    [(2, 5, 14), (3, 5, 11), (3, 3, 8), (4, 3, 6), (2, 10, 25), (5, 3, 4)],
)
def test_hidden_every_small_table_leaves_two_values_for_each_hidden_cell(cells, least, most):
    readings = defaultdict(list)
    for table in itertools.product(range(most + 1), repeat=cells):
        readings[_shown(table, least)].append(table)
    for (total, shown), tables in readings.items():
        if (
            total > most
            # tables of this total are not all listed: larger counts would only add to what is possible
        ):
            continue
        for place, count in enumerate(shown):
            if count is None:
                assert len({table[place] for table in tables}) > 1, (shown, tables)


@given(st.lists(st.integers(0, 60), min_size=2, max_size=8), st.integers(3, 12))
def test_hidden_any_table_shows_no_low_count_and_can_be_shuffled_unseen(table, least):
    counts = np.array(table)
    low = hidden(counts, least)
    assert not ((counts > 0) & (counts < least) & ~low).any()
    if low.any():
        assert low.sum() > 1
        places = np.flatnonzero(low)
        other = counts.copy()
        other[places] = counts[np.roll(places, 1)]
        assert (hidden(other, least) == low).all()


@given(st.lists(st.floats(0, 40), min_size=2, max_size=6))
def test_hidden_expected_counts_of_soft_labels_follow_the_same_rule(table):
    counts = np.array(table)
    low = hidden(counts, 5)
    assert not ((counts > 0) & (counts < 5) & ~low).any()
    assert low.sum() != 1


def test_hidden_limit_of_zero_shows_all():
    assert not hidden(np.array([1, 2, 3]), 0).any()
    assert not hidden(np.array([1, 2, 3]), 1).any()


@pytest.mark.parametrize("least", [-1, 2])
def test_limit_that_cannot_be_kept_is_refused(least):
    with pytest.raises(UsageError, match="cannot be hidden"):
        limit(least)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=9))
def test_alone_never_withholds_one_query_by_itself(sizes):
    low = alone(np.array(sizes), 5)
    others = [size for size in sizes if size > 0]
    assert low.sum() != 1
    if len(others) > 1:
        assert all(low[place] for place, size in enumerate(sizes) if 0 < size < 5)
