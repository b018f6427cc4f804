"""Labellers against people: the figures of Feng and Shah, our split of the difference, chance and
intervals.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairlead
from fairlead.errors import DataError, UsageError
from fairlead.studies.labellers import Labeller, compare_labellers
from fairlead.types import Groups, Sets

NAMES = ("female", "male")
LABEL = st.sampled_from([0, 1, -1, -2])


def hard(codes, source="label", names=NAMES):
    return Groups("gender", names, codes=np.array(codes), source=source)


def whole(size):
    return Sets(np.array([0, size]), np.arange(size))


def compared(human, said, **choices):
    found = compare_labellers(
        ("q",), whole(len(human)), hard(human), [Labeller("l", hard(said))], k=len(human), **choices
    )
    return found.points[0], found.labellers[0]


def ratio(codes):
    known = [c for c in codes if c >= 0]
    return Fraction(known.count(0), len(known)) if known else None


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(LABEL, LABEL), min_size=5, max_size=14))
def test_point_equals_a_slow_count_and_its_parts_add_up(pairs):
    human, said = ([p[side] for p in pairs] for side in (0, 1))
    if sum(h >= 0 for h in human) < 5:
        with pytest.raises(DataError, match="No query has 5 items that people labelled"):
            compared(human, said)
        return
    point, _ = compared(human, said)
    h, r = ratio(human), ratio(said)
    among = ratio([true for true, told in pairs if told >= 0])
    assert point.human == pytest.approx(float(h)) and point.detected == pytest.approx(
        np.mean([s >= 0 for s in said])
    )
    assert (r is None and math.isnan(point.ratio)) or point.ratio == pytest.approx(float(r))
    if r is None or h == 0:
        assert math.isnan(point.normalised)
    else:
        assert point.normalised == pytest.approx(float((r - h) / h))
    if r is not None and among is not None:
        assert point.unseen == pytest.approx(float(among - h)) and point.wrong == pytest.approx(
            float(r - among)
        )
        assert point.unseen + point.wrong == pytest.approx(point.difference)


def test_labeller_that_agrees_is_not_off_and_one_that_answers_all_has_no_chance():
    human = [0] * 6 + [1] * 10
    point, summary = compared(human, human)
    assert (
        point.normalised == point.difference == point.chance == 0
        and point.normalised_ci == (0, 0)
        and point.p == 1
    )
    assert summary.off == 0 and summary.worst == 0 and summary.trusted == 1
    point, _ = compared(human, [1, *human[1:]])
    assert (
        point.chance == 0
        and point.p < 0.002
        and point.unseen == 0
        and point.wrong == pytest.approx(-1 / 16)
    )


def test_chance_is_that_of_items_drawn_by_lot():
    human = [0] * 3 + [1] * 5
    point, _ = compared(human, [0, 0, -1, 1, -1, -1, -1, -1])
    ways = [
        abs(sum(h == 0 for h in lot) / 3 - 3 / 8) / (3 / 8)
        for lot in itertools.combinations(human, 3)
    ]
    assert point.chance == pytest.approx(np.mean(ways), abs=0.05)
    assert point.p == pytest.approx(
        np.mean(np.array(ways) >= abs(point.normalised) - 1e-9), abs=0.05
    )


def test_chance_of_labels_that_are_hardly_soft_is_that_of_hard_ones():
    human, said = (
        np.array([0] * 12 + [1] * 28),
        np.where(np.arange(40) % 3 == 0, -1, np.arange(40) % 2),
    )
    soft = np.where(human[:, None] == [0, 1], 1 - 1e-6, 0.0)
    first = compared(human, said)[0]
    other = compare_labellers(
        ("q",), whole(40), Groups("gender", NAMES, soft=soft), [Labeller("l", hard(said))], k=40
    ).points[0]
    assert other.chance == pytest.approx(first.chance, rel=0.15) and other.p == pytest.approx(
        first.p, abs=0.06
    )
    assert other.normalised == pytest.approx(
        first.normalised, abs=1e-4
    ) and other.normalised_ci == pytest.approx(first.normalised_ci, abs=0.15)


def test_soft_labels_count_by_their_shares():
    human = Groups(
        "gender", NAMES, soft=np.array([[0.8, 0.2], [0.5, 0.5], [0.1, 0.9], [0.3, 0.3], [1, 0]])
    )
    told = Groups(
        "gender", NAMES, soft=np.array([[0.6, 0.2], [0, 0], [0, 1], [0.5, 0.5], [1, 0]]), source="s"
    )
    point = compare_labellers(("q",), whole(5), human, [Labeller("l", told)], k=5).points[0]
    assert (
        point.human == pytest.approx(2.7 / 4.6)
        and point.ratio == pytest.approx(2.1 / 3.8)
        and point.answered == pytest.approx(3.8 / 5)
    )


def test_groups_are_matched_by_name_whatever_their_order_and_case():
    human, other = hard([0, 0, 1, 1, 1]), hard([1, 1, 0, 0, 0], names=("Male", "Female"))
    found = compare_labellers(("q",), whole(5), human, [Labeller("l", other)], k=5, group="Male")
    assert (
        found.group == "male"
        and found.points[0].difference == 0
        and found.points[0].human == pytest.approx(0.6)
    )
    with pytest.raises(
        DataError, match="'gender' are man for l, and female, male for what people say"
    ):
        compare_labellers(
            ("q",), whole(5), human, [Labeller("l", hard([0] * 5, names=("man",)))], k=5
        )
    with pytest.raises(UsageError, match="no group of 'gender' called 'robot'"):
        compare_labellers(("q",), whole(5), human, [Labeller("l", other)], k=5, group="robot")
    with pytest.raises(UsageError, match="Two labellers are called l"):
        compare_labellers(
            ("q",), whole(5), human, [Labeller("l", other), Labeller("l", human)], k=5
        )


def world(queries, size, rng, *, detect, right):
    """Queries whose ratio differs, a labeller that finds some of the faces and errs."""
    rates = rng.uniform(0.2, 0.8, queries)
    true = np.concatenate([(rng.random(size) > rate).astype(int) for rate in rates])
    seen = rng.random(len(true)) < detect
    said = np.where(seen, np.where(rng.random(len(true)) < right, true, 1 - true), -1)
    lists = Sets(np.arange(queries + 1) * size, np.arange(queries * size))
    return (
        tuple(f"q{n}" for n in range(queries)),
        lists,
        hard(true),
        Labeller("l", hard(said), seen),
    )


def test_interval_of_a_point_holds_the_true_difference_as_often_as_it_says(count):
    detect, right, rate, held, trials = 0.6, 0.8, 0.4, 0, count(120, 600)
    truth = (rate * right + (1 - rate) * (1 - right) - rate) / rate
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        true = (rng.random(150) > rate).astype(int)
        said = np.where(
            rng.random(150) < detect, np.where(rng.random(150) < right, true, 1 - true), -1
        )
        point, _ = compared(true, said, seed=trial)
        held += point.normalised_ci[0] <= truth <= point.normalised_ci[1]
    assert 0.90 <= held / trials <= 0.985


def test_labeller_that_is_right_is_at_chance_and_one_that_errs_is_not():
    rng = np.random.default_rng(3)
    queries, lists, human, labeller = world(12, 80, rng, detect=0.6, right=1.0)
    right = compare_labellers(queries, lists, human, [labeller], k=80).labellers[0]
    assert right.p > 0.05 and right.off == pytest.approx(right.chance, abs=0.06)
    queries, lists, human, wrong = world(12, 80, rng, detect=0.6, right=0.75)
    erring = compare_labellers(queries, lists, human, [wrong], k=80).labellers[0]
    assert erring.q < 0.01 and erring.off_ci[0] > erring.chance


def test_labellers_are_compared_on_the_same_queries_and_order_changes_nothing_else():
    queries, lists, human, first = world(9, 50, np.random.default_rng(1), detect=0.9, right=0.95)
    other = Labeller("other", hard(np.where(np.arange(450) % 3 == 0, -1, 1 - human.codes)))
    both = compare_labellers(queries, lists, human, [first, other], k=50)
    swapped = compare_labellers(queries, lists, human, [other, first], k=50)
    assert [p.normalised for p in both.of("other")] == [p.normalised for p in swapped.of("other")]
    assert both.labellers[1].against == pytest.approx(-swapped.labellers[1].against) and math.isnan(
        both.labellers[0].against
    )
    assert both.labellers[1].against_ci[0] > 0


def test_queries_that_people_hardly_labelled_are_left_out_and_told():
    human = hard([0, 1, 0, 1, 0, 1, -1, -1, -1, -1])
    lists = Sets(np.array([0, 6, 10]), np.arange(10))
    found = compare_labellers(("a", "b"), lists, human, [Labeller("l", human)], k=6)
    assert [p.query for p in found.points] == ["a"] and "1 of 2 queries is left out" in found.notes[
        0
    ]


def test_data_frame_with_columns_called_title_and_needs_is_a_table_like_any_other():
    pandas = pytest.importorskip("pandas")
    items = [f"i{number}" for number in range(12)]
    table = {"item": items, "gender": ["female", "male"] * 6}
    people = pandas.DataFrame(table)
    other = pandas.DataFrame({**table, "title": ["Dr"] * 12, "needs": ["glasses"] * 12})
    run = {"nurse": {item: -float(rank) for rank, item in enumerate(items)}}
    found = fairlead.compare_labellers(run, people, [other], attribute="gender", least=0)
    assert found.labellers[0].labeller == "given" and found.labellers[0].off == 0
