"""Groups, rankings, sets and ragged joins: what they accept, what they refuse, and that nothing can
be written to.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import DataError, UsageError
from fairlead.types import (
    NOT_APPLICABLE,
    UNKNOWN,
    Collection,
    Embeddings,
    Groups,
    Queries,
    Ranking,
    Relevant,
    Sets,
    cross,
)
from fairlead.types.ragged import entries_of, locate, offsets_of, within

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
many = settings(max_examples=1_000 if FULL else 100, deadline=None, derandomize=not FULL)
lists = st.lists(st.lists(st.integers(0, 9), unique=True, max_size=6), min_size=1, max_size=5)


def soft(*rows, **more) -> Groups:
    return Groups("gender", ("female", "male"), soft=np.array(rows, float), **more)


def test_groups_from_labels_know_unknown_and_not_applicable():
    groups = Groups.of("gender", ["male", None, "female", "not-applicable"])
    assert groups.names == ("female", "male")
    assert groups.codes.tolist() == [1, UNKNOWN, 0, NOT_APPLICABLE]
    assert groups.share.tolist() == [[0, 1], [0, 0], [1, 0], [0, 0]]
    assert groups.unknown.tolist() == [0, 1, 0, 0]
    assert groups.not_applicable.tolist() == [False, False, False, True]
    known, missing = groups.mass()
    assert known.tolist() == [1, 1] and missing == 1
    assert Groups.of("gender", ["b"], names=("a", "b")).codes.tolist() == [1]


def test_groups_from_labels_outside_the_names_offer_the_nearest():
    with pytest.raises(UsageError, match="Did you mean female"):
        Groups.of("gender", ["femal"], names=("female", "male"))


def test_soft_groups_leave_the_missing_mass_unknown():
    groups = soft(
        [0.2, 0.3], [0, 0], [0, 0], [0.5, 0.5], not_applicable=np.array([False, False, True, False])
    )
    np.testing.assert_allclose(groups.unknown, [0.5, 1, 0, 0])
    known, missing = groups.mass(np.array([0, 0, 1]))
    np.testing.assert_allclose(known, [0.4, 0.6])
    assert missing == pytest.approx(2.0)


def test_soft_groups_a_rounding_error_above_one_are_brought_back_to_one():
    assert soft([0.7, 0.3 + 5e-7]).share.sum() == pytest.approx(1.0, abs=1e-12)


def test_soft_groups_taken_again_and_again_stay_the_same():
    shares = np.random.default_rng(0).dirichlet(np.ones(7), 500)
    groups = Groups("a", tuple("abcdefg"), soft=shares)
    again = groups
    for _ in range(5):
        again = again.take(np.arange(500))
    np.testing.assert_array_equal(again.share, shares)


@pytest.mark.parametrize(
    "row",
    [[0.7, 0.4], [-0.1, 0.5], [np.nan, 0.5], [np.inf, 0.0], [1.5, 0.0], [1.0, -0.5]],
    ids=["above one", "negative", "NaN", "infinite", "one above one", "hidden negative"],
)
def test_soft_groups_that_are_no_shares_are_refused_with_their_row(row):
    with pytest.raises(DataError, match=r"row 1 are .*sum to at most 1"):
        soft([0.5, 0.5], row)


def test_soft_groups_of_an_item_they_do_not_apply_to_are_refused():
    with pytest.raises(DataError, match="not applicable has none"):
        soft([0.5, 0.5], not_applicable=np.array([True]))


@pytest.mark.parametrize(
    "arguments",
    [
        {"codes": np.array([2])},
        {"codes": np.array([-3])},
        {"codes": np.array([[0]])},
        {"codes": np.array([0.5])},
        {"codes": np.array([np.nan])},
        {"codes": np.array(["a"])},
        {"codes": np.array([0]), "soft": np.ones((1, 2)) / 2},
        {},
        {"soft": np.ones((2, 3)) / 3},
        {"soft": np.ones(2) / 2},
        {"soft": np.ones((2, 2)) / 2, "not_applicable": np.array([False])},
    ],
)
def test_groups_of_another_shape_or_kind_are_refused(arguments):
    with pytest.raises(DataError):
        Groups("gender", ("female", "male"), **arguments)


@pytest.mark.parametrize("names", [(), ("a", "a")])
def test_groups_without_distinct_names_are_refused(names):
    with pytest.raises(DataError, match="distinct group names"):
        Groups("gender", names, codes=np.array([], int))


def test_groups_beyond_sixteen_bits_keep_their_codes():
    names = tuple(map(str, range(40_000)))
    assert Groups("many", names, codes=np.array([39_999])).codes.tolist() == [39_999]


def test_cross_of_hard_labels_is_the_pair():
    a = Groups.of("gender", ["f", "m", None, "f", "not-applicable", None])
    b = Groups.of("skin", ["dark", "light", "dark", None, "dark", "not-applicable"])
    both = cross(a, b)
    assert both.attribute == "gender*skin"
    assert both.names == ("f*dark", "f*light", "m*dark", "m*light")
    assert both.codes.tolist() == [0, 3, UNKNOWN, UNKNOWN, NOT_APPLICABLE, NOT_APPLICABLE]
    assert both.source == "label"


def test_cross_of_soft_labels_multiplies_and_says_so():
    a = soft([0.5, 0.5], [1.0, 0.0], [0.2, 0.2], source="model")
    b = Groups.of("skin", ["dark", None, "light"])
    both = cross(a, b)
    np.testing.assert_allclose(both.share, [[0.5, 0, 0.5, 0], [0, 0, 0, 0], [0, 0.2, 0, 0.2]])
    np.testing.assert_allclose(both.unknown, [0, 1, 0.6])
    assert both.source == "model*label (independence assumed)"


def test_cross_of_no_items_has_no_items():
    both = cross(
        Groups("gender", ("f", "m"), soft=np.empty((0, 2))), Groups.of("skin", [], names=("d", "l"))
    )
    assert len(both) == 0 and len(both.names) == 4


def test_cross_of_different_items_is_refused():
    with pytest.raises(DataError, match="must be the same items"):
        cross(Groups.of("a", ["x"]), Groups.of("b", ["y", "y"]))


def test_ranking_without_scores_takes_them_from_its_order():
    ranking = Ranking.of([[4, 2], [], [7]])
    assert ranking.scores.tolist() == [-1, -2, -1]
    assert ranking.lengths.tolist() == [2, 0, 1]
    assert ranking.query_of.tolist() == [0, 0, 2]
    assert ranking.ranks.tolist() == [1, 2, 1]
    assert ranking.select(np.array([2, 0])).rows.tolist() == [7, 4, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 2], [0], [1.0]), "Offsets must rise"),
        (([1, 1], [0], [1.0]), "Offsets must rise"),
        (([0, 2, 1, 2], [0, 1], [1.0, 2.0]), "Offsets must rise"),
        (([], [], []), "Offsets must rise"),
        (([0, 1], [0], [1.0, 2.0]), "one score per row"),
        (([0, 1], [0], [np.nan]), "entry 0 is not a finite"),
        (([0, 2], [0, 1], [1.0, np.inf]), "entry 1 is not a finite"),
        (([0, 1], [-1], [1.0]), "Row -1 is not a row"),
        (([0, 1], [0], [1.0], [0]), "counted from 1"),
        (([0, 1], [0], [1.0], [1, 2]), "one per entry"),
    ],
)
def test_ranking_that_is_none_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Ranking(*arguments)


def test_relevant_items_have_gains_above_zero_one_each():
    assert Relevant([0, 2], [3, 4]).gains.tolist() == [1, 1]
    assert Relevant([0, 2], [3, 4], [0.5, 2]).gains.tolist() == [0.5, 2]
    for gains in ([0.0, 1.0], [np.nan, 1.0], [-1.0, 1.0]):
        with pytest.raises(DataError, match="above 0"):
            Relevant([0, 2], [3, 4], gains)
    with pytest.raises(DataError, match="3 gains for 2 relevant rows"):
        Relevant([0, 2], [3, 4], [1, 2, 3])


def test_sets_refuse_rows_below_zero_and_share_a_single_set():
    with pytest.raises(DataError, match="Row -2"):
        Sets([0, 1], [-2])
    shared = Sets([0, 2], [5, 6])
    assert shared.of(0).tolist() == shared.of(7).tolist() == [5, 6]
    assert Sets([0, 1, 2], [5, 6]).of(1).tolist() == [6]


def test_collection_and_queries_refuse_what_does_not_fit():
    with pytest.raises(DataError, match="distinct"):
        Collection(("a", "a"))
    with pytest.raises(DataError, match="1 images for 2 items"):
        Collection(("a", "b"), images=("x",))
    with pytest.raises(DataError, match="1 gender for 2 items"):
        Collection(("a", "b"), groups={"gender": Groups.of("gender", ["f"])})
    with pytest.raises(DataError, match="distinct"):
        Queries(("a", "a"))
    with pytest.raises(DataError, match="1 language for 2 queries"):
        Queries(("a", "b"), tags={"language": ("en",)})
    assert len(Collection(("a", "b"))) == len(Queries(("a", "b"))) == 2
    assert len(Embeddings(np.ones((3, 2)))) == 3
    assert len(Embeddings(np.ones((3, 2)), np.array([0, 1, 3]))) == 2


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (Groups.of("a", ["x", None]), ["codes", "not_applicable", "share", "unknown"]),
        (soft([0.5, 0.4]), ["soft", "not_applicable", "share", "unknown"]),
        (
            Ranking([0, 1], [0], [1.0], [3]),
            ["offsets", "rows", "scores", "positions", "lengths", "query_of", "ranks"],
        ),
        (Ranking.of([[0, 1]]), ["offsets", "rows", "scores", "lengths", "query_of", "ranks"]),
        (Relevant([0, 1], [0]), ["offsets", "rows", "gains"]),
    ],
)
def test_arrays_of_a_noun_cannot_be_written_to(value, fields):
    for field in fields:
        with pytest.raises(ValueError, match="read-only"):
            getattr(value, field)[...] = 0


def test_making_a_noun_leaves_the_given_array_writeable_and_unchanged():
    codes, shares, rows = (
        np.array([0, -1], np.int16),
        np.array([[0.6, 0.4 + 5e-7]]),
        np.array([1, 0], np.int32),
    )
    Groups("a", ("x",), codes=codes)
    soft(shares[0])
    Groups("gender", ("female", "male"), soft=shares)
    Ranking([0, 2], rows, [1.0, 2.0])
    assert codes.flags.writeable and shares.flags.writeable and rows.flags.writeable
    assert (
        codes.tolist() == [0, -1]
        and shares.tolist() == [[0.6, 0.4 + 5e-7]]
        and rows.tolist() == [1, 0]
    )


@many
@given(first=lists, second=lists)
def test_locate_joins_on_query_and_row(first, second):
    second = (second + [[]] * len(first))[: len(first)]
    entry_of = {
        (q, row): n
        for n, (q, row) in enumerate((q, row) for q, rows in enumerate(first) for row in rows)
    }
    expected = [entry_of.get((q, row), -1) for q, rows in enumerate(second) for row in rows]
    flat = [np.array([x for rows in part for x in rows], np.int32) for part in (first, second)]
    offsets = [offsets_of(np.array([len(rows) for rows in part])) for part in (first, second)]
    assert locate(offsets[0], flat[0], offsets[1], flat[1]).tolist() == expected


@many
@given(parts=lists, data=st.data())
def test_ragged_places_and_entries_follow_the_parts(parts, data):
    offsets = offsets_of(np.array([len(p) for p in parts]))
    assert within(offsets).tolist() == [i for p in parts for i in range(len(p))]
    chosen = data.draw(st.lists(st.integers(0, len(parts) - 1), max_size=6))
    entries, sizes = entries_of(offsets, np.array(chosen, np.int64))
    flat = np.array([x for p in parts for x in p], np.int64)
    assert flat[entries].tolist() == [x for c in chosen for x in parts[c]]
    assert sizes.tolist() == [len(parts[c]) for c in chosen]
