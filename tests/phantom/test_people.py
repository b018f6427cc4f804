"""The code of a portrait: validation, matched sets, frequencies of cues."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import asdict

import pytest

from fairlead.errors import UsageError
from fairlead.phantom.people import (
    GENDERS,
    OCCUPATIONS,
    SKIN_GROUPS,
    SLOTS,
    TONES,
    VISIBLE,
    Person,
    scene,
    unprotected,
)
from fairlead.phantom.scenes import look_of, presentation_of
from fairlead.phantom.streams import Stream

SEEDS = range(400)


def test_person_unknown_occupation_offers_the_nearest():
    with pytest.raises(UsageError, match=r"no occupation called 'nurze'\. Did you mean nurse"):
        Person("nurze", "female", 3, 0)


def test_person_unknown_presentation_lists_the_known():
    with pytest.raises(UsageError, match="Did you mean female or male"):
        Person("nurse", "femal", 3, 0)
    with pytest.raises(UsageError, match="Known: androgynous, female, male"):
        Person("nurse", "x", 3, 0)


@pytest.mark.parametrize("tone", [0, 11, -1, 2.0, "4", True, None])
def test_person_wrong_tone_is_refused(tone):
    with pytest.raises(UsageError, match=r"not a Monk skin tone.*1 \(lightest\) to 10"):
        Person("nurse", "female", tone, 0)


@pytest.mark.parametrize("seed", [-1, 1.0, "7", False, None])
def test_person_wrong_seed_is_refused(seed):
    with pytest.raises(UsageError, match=r"Seed .* cannot be used"):
        Person("nurse", "female", 3, seed)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "nurse",
        "nurse/female/4",
        "nurse/female/4/17/2",
        "nurse/female/x/17",
        "nurse/female/4/-1",
        "nurse/female/²/1",
    ],
)
def test_key_malformed_is_refused(key):
    with pytest.raises(UsageError, match="occupation/gender/tone/seed"):
        Person.of(key)


def test_key_read_back_gives_the_same_person():
    for occupation, gender, tone in itertools.product(OCCUPATIONS, GENDERS, (1, 10)):
        person = Person(occupation, gender, tone, 10**12)
        assert Person.of(person.key) == person
        assert {person: 1}[Person.of(person.key)] == 1


def test_labels_of_androgynous_is_unknown_and_skin_groups_part_the_tones():
    assert [Person("cook", g, 1, 0).gender_label for g in GENDERS] == ["female", "male", None]
    assert (
        sorted(itertools.chain(*SKIN_GROUPS.values()))
        == list(range(1, 11))
        == list(range(1, len(TONES) + 1))
    )
    assert [Person("cook", "male", t, 0).skin_group for t in (1, 3, 4, 5, 6, 7, 8, 10)] == [
        "light"
    ] * 2 + ["medium"] * 2 + ["tan"] * 2 + ["dark"] * 2


def test_occupations_each_has_four_or_five_cues_and_a_combination_of_its_own():
    assert len(OCCUPATIONS) == 28
    for occupation in OCCUPATIONS.values():
        assert 4 <= len(occupation.cues) <= 5
        assert set(occupation.cues) <= set(SLOTS)
    for one, other in itertools.combinations(OCCUPATIONS.values(), 2):
        assert len(set(one.cues.items()) & set(other.cues.items())) <= 2, (one.name, other.name)


def test_cues_none_is_decisive():
    holders = Counter(cue for o in OCCUPATIONS.values() for cue in o.cues.items())
    assert all(0 < VISIBLE[slot] < 100 for slot in SLOTS), "every cue is missing now and then"
    shared = [cue for cue, count in holders.items() if count > 1]
    assert len(shared) >= 15
    assert {("headwear", "hard hat"), ("uniform", "white coat"), ("uniform", "apron")} <= set(
        shared
    )
    assert max(holders.values()) <= 5, "no cue says nothing either"


def test_matched_set_unprotected_attributes_are_equal_across_all_groups():
    for occupation, seed in itertools.product(OCCUPATIONS, range(5)):
        people = [
            Person(occupation, gender, tone, seed) for gender in GENDERS for tone in range(1, 11)
        ]
        assert all(unprotected(p) == unprotected(people[0]) for p in people)
        assert len({scene(p).look for p in people}) == 1
        assert len({scene(p).skin for p in people}) == 10


def test_presentation_depends_on_gender_and_seed_only():
    for gender, seed in itertools.product(GENDERS, range(20)):
        shown = {
            scene(Person(o, gender, t, seed)).presentation for o in OCCUPATIONS for t in (1, 6, 10)
        }
        assert len(shown) == 1
    assert len({presentation_of("female", s) for s in range(100)}) > 60


def test_cues_are_visible_near_their_probabilities_and_one_always_is():
    counts: Counter[str] = Counter()
    for occupation in OCCUPATIONS.values():
        shown = [dict(look_of(occupation.name, seed).cues) for seed in SEEDS]
        assert all(shown)
        assert all(set(s.items()) <= set(occupation.cues.items()) for s in shown)
        for slot in occupation.cues:
            seen, p, n = sum(slot in s for s in shown), VISIBLE[slot] / 100, len(SEEDS)
            counts[slot] += seen
            assert abs(seen - n * p) < 4.5 * math.sqrt(n * p * (1 - p)) + 2, (occupation.name, slot)
    for slot, seen in counts.items():
        drawn = len(SEEDS) * sum(slot in o.cues for o in OCCUPATIONS.values())
        assert abs(seen / drawn - VISIBLE[slot] / 100) < 0.015


def test_cues_are_visible_independently_of_one_another():
    shown = [
        dict(look_of(o, s).cues)
        for o in OCCUPATIONS
        for s in SEEDS
        if len(OCCUPATIONS[o].cues) == 5
    ]
    for one, other in itertools.combinations(SLOTS, 2):
        both = sum(one in s and other in s for s in shown) / len(shown)
        assert abs(both - VISIBLE[one] * VISIBLE[other] / 10_000) < 0.02


def test_presentation_balance_holds_and_no_single_cue_is_decisive():
    shown = {gender: [presentation_of(gender, seed) for seed in range(600)] for gender in GENDERS}
    assert min(p.balance for p in shown["female"]) >= 4
    assert max(p.balance for p in shown["male"]) <= -4
    assert {p.balance for p in shown["androgynous"]} <= {-1, 0, 1}
    assert abs(sum(p.balance for p in shown["androgynous"])) < 120, (
        "androgynous drawings lean neither way"
    )
    for cue in asdict(shown["female"][0]):
        tally = {
            gender: Counter(getattr(p, cue) for p in shown[gender]) for gender in ("female", "male")
        }
        right = sum(
            max(tally["female"][v], tally["male"][v]) for v in tally["female"] | tally["male"]
        )
        assert right / 1200 < 0.97, cue


def test_unprotected_attributes_vary():
    looks = [look_of("nurse", seed) for seed in range(300)]
    for name in (
        "age",
        "face",
        "glasses",
        "expression",
        "eyes",
        "hair_colour",
        "texture",
        "tilt",
        "scale",
        "shift",
        "backdrop",
        "light",
        "fabric",
    ):
        assert len({getattr(x, name) for x in looks}) >= 3, name
    for name in ("side", "lit"):
        assert 100 < sum(getattr(x, name) == 1 for x in looks) < 200


def test_hair_colour_and_texture_do_not_depend_on_the_tone():
    people = [Person("baker", "female", tone, 11) for tone in range(1, 11)]
    assert len({(scene(p).look.hair_colour, scene(p).look.texture) for p in people}) == 1


def test_stream_gives_the_same_numbers_for_ever():
    draw = Stream("portrait/7")
    assert [draw.below(name, 1000) for name in ("a", "b", "hue")] == [
        Stream("portrait/7").below(name, 1000) for name in ("a", "b", "hue")
    ]
    assert [Stream(f"golden/{i}").below("x", 1000) for i in range(6)] == GOLDEN
    draws = [Stream("even").below(str(i), 10) for i in range(5000)]
    assert max(Counter(draws).values()) < 590


GOLDEN = [32, 996, 240, 199, 239, 805]
