"""Joining two values of one attribute by the names of their groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import DataError, UsageError
from fairlead.types import Groups
from fairlead.types.groups import name_order
from fairlead.types.joining import joined, places, read_map, renamed, renames_of

NAMES = st.lists(st.text("abcXYZ", min_size=1, max_size=3), min_size=1, max_size=6, unique=True)


def labels(rng: np.random.Generator, names: tuple[str, ...], *, soft: bool) -> Groups:
    if soft:
        shares = rng.dirichlet(np.ones(len(names) + 1), 9)[:, :-1]
        return Groups("a", names, soft=shares)
    return Groups("a", names, codes=rng.integers(-2, len(names), 9))


def shares_by_name(groups: Groups) -> list[dict[str, float]]:
    return [dict(zip(groups.names, row, strict=True)) for row in groups.share.tolist()]


@settings(max_examples=60, deadline=None)
@given(NAMES, st.randoms(use_true_random=False), st.integers(0, 1000), st.booleans())
def test_labels_in_any_order_say_the_same_of_every_item(names, random, seed, soft):
    groups = labels(np.random.default_rng(seed), tuple(names), soft=soft)
    other = list(names)
    random.shuffle(other)
    moved = groups.in_order(other)
    assert moved.names == tuple(other)
    assert shares_by_name(moved) == [{n: row[n] for n in other} for row in shares_by_name(groups)]
    assert (moved.not_applicable == groups.not_applicable).all()
    assert moved.by_name.share.tolist() == groups.by_name.share.tolist()
    assert joined(moved, groups.names)[0].share.tolist() == groups.share.tolist()


def test_order_of_names_is_by_spelling_with_unknown_last():
    assert name_order(("z", "unknown", "a")) == ("a", "z", "unknown")


def test_labels_put_into_other_groups_are_refused():
    with pytest.raises(DataError, match="'g' has the groups a, b, not a, c"):
        Groups.of("g", ["a", "b"]).in_order(("a", "c"))


def test_names_that_differ_in_case_only_are_joined_with_a_note():
    groups, notes = joined(Groups.of("g", ["Woman", "Man"]), ("man", "woman"))
    assert groups.codes.tolist() == [1, 0] and groups.names == ("man", "woman")
    assert notes == [
        "'Man' of label is taken for 'man' of the known labels.",
        "'Woman' of label is taken for 'woman' of the known labels.",
    ]


def test_two_spellings_of_one_name_are_never_guessed():
    with pytest.raises(DataError, match="joined by name"):
        joined(Groups.of("g", ["Woman", "woman", "man"]), ("WOMAN", "man"))
    at, notes = places(("Woman", "woman"), ("woman",), attribute="g")
    assert at.tolist() == [-1, 0] and not notes


def test_name_that_one_side_lacks_is_an_error_that_names_a_map():
    with pytest.raises(
        DataError, match="man, woman for label, and female, male for the known"
    ) as e:
        joined(Groups.of("gender", ["woman", "man"]), ("female", "male"))
    assert e.value.hint.endswith("e.g. --map man=female or --map man=male.")
    with pytest.raises(DataError, match="--map c=a"):
        joined(Groups.of("g", ["a", "b", "c"]), ("a", "b"))
    with pytest.raises(DataError, match="joined by name"):
        joined(Groups.of("g", ["a"]), ("a", "b"), whole=True)


def test_group_that_the_labels_lack_has_nobody_in_it():
    soft = Groups("g", ("b", "a"), soft=np.array([[0.2, 0.7]]))
    assert joined(soft, ("a", "b", "c"))[0].share.tolist() == [[0.7, 0.2, 0.0]]
    hard = Groups("g", ("b", "a"), codes=np.array([0, 1, -1, -2]))
    assert joined(hard, ("a", "b", "c"))[0].codes.tolist() == [1, 0, -1, -2]


def test_map_gives_other_names_and_joins_groups_of_one_name():
    soft = Groups("g", ("woman", "girl", "man"), soft=np.array([[0.5, 0.25, 0.125]]))
    mapped = soft.mapped({"woman": "female", "girl": "female", "man": "male"})
    assert mapped.names == ("female", "male")
    assert mapped.share.tolist() == [[0.75, 0.125]]
    hard = Groups("g", ("woman", "girl", "man"), codes=np.array([0, 1, 2, -1, -2]))
    assert hard.mapped({"woman": "x", "girl": "x"}).codes.tolist() == [1, 1, 0, -1, -2]


def test_map_of_one_attribute_does_not_touch_another():
    rename = read_map(["woman=female", "role:woman=actress"])
    assert renames_of(rename, "gender") == {"woman": "female"}
    assert renames_of(rename, "role") == {"woman": "actress"}
    both = {name: Groups.of(name, ["woman", "man"]) for name in ("gender", "role")}
    found = renamed(both, rename, "the file")
    assert found["gender"].names == ("female", "man") and found["role"].names == ("actress", "man")


def test_map_of_a_group_that_nobody_has_is_refused():
    groups = {"gender": Groups.of("gender", ["woman", "man"])}
    with pytest.raises(UsageError, match=r"l\.csv has no group 'womn'"):
        renamed(groups, {"womn": "female"}, "l.csv")
    with pytest.raises(UsageError, match="no group 'woman'"):
        renamed(groups, {"age:woman": "female"}, "l.csv")
    assert renamed(groups, {"female": "woman"}, "l.csv")["gender"].names == ("man", "woman")


@pytest.mark.parametrize("text", ["woman", "=female", "woman=", "gender:=female", ""])
def test_map_that_names_no_two_groups_is_refused(text):
    with pytest.raises(UsageError, match="names no two groups"):
        read_map([text])


def test_map_that_names_a_group_twice_is_refused():
    with pytest.raises(UsageError, match="gives 'a' two names, b and c"):
        read_map(["a=b", "a=c"])
    assert read_map(["a=b", "a=b"]) == {"a": "b"}
