from __future__ import annotations

from collections import Counter

import pytest

from fairlead.errors import UsageError
from fairlead.phantom.languages import LANGUAGES
from fairlead.phantom.things import (
    CONCEPTS,
    CULTURES,
    MOTIFS,
    Thing,
    setting_of,
    shown,
    unprotected,
)

SEEDS = range(400)


def test_the_world_is_large_enough() -> None:
    assert len(set(CONCEPTS)) == len(CONCEPTS) == 16
    assert len(CULTURES) == 10
    assert set(MOTIFS) == {"architecture", "horizon", "pattern", "palette", "frame", "form"}


def test_every_culture_has_a_language_of_its_own_and_words_for_every_motif() -> None:
    assert sorted(c.language for c in CULTURES.values()) == sorted(LANGUAGES)
    for name, culture in CULTURES.items():
        assert culture.name == name
        assert set(culture.motifs) == set(MOTIFS)
        assert all(culture.motifs.values())


@pytest.mark.parametrize(
    ("concept", "culture", "seed", "message"),
    [
        ("hous", "thai", 0, "no concept called 'hous'. Did you mean house?"),
        ("house", "tai", 0, "no culture called 'tai'. Did you mean thai"),
        ("house", "thai", -1, "Seed -1"),
        ("house", "thai", 1.5, "Seed 1.5"),
        ("house", "thai", True, "Seed True"),
        (7, "thai", 0, "no concept called '7'"),
    ],
)
def test_thing_refuses_what_is_not_in_the_world(
    concept: str, culture: str, seed: int, message: str
) -> None:
    with pytest.raises(UsageError) as error:
        Thing(concept, culture, seed)
    assert message in str(error.value)


def test_key_gives_the_thing_back() -> None:
    thing = Thing("umbrella", "swahili", 123)
    assert Thing.of(thing.key) == thing
    for wrong in (
        "umbrella",
        "umbrella/swahili",
        "umbrella/swahili/x",
        "umbrella/swahili/-1",
        "a/b/c/d",
    ):
        with pytest.raises(UsageError):
            Thing.of(wrong)


def test_language_is_the_cultures() -> None:
    assert Thing("tea", "mexican", 0).language == "spanish"


def test_unprotected_attributes_are_the_same_in_every_culture() -> None:
    for concept in CONCEPTS:
        for seed in range(20):
            first, *others = (unprotected(Thing(concept, culture, seed)) for culture in CULTURES)
            assert all(other == first for other in others)


def test_unprotected_attributes_differ_between_seeds() -> None:
    for concept in CONCEPTS:
        assert len({setting_of(concept, seed) for seed in range(50)}) == 50


@pytest.mark.parametrize("motif", MOTIFS)
def test_each_motif_shows_as_often_as_it_says(motif: str) -> None:
    things = [Thing(concept, "thai", seed) for concept in CONCEPTS for seed in SEEDS]
    share = sum(motif in shown(t) for t in things) / len(things)
    assert abs(share - MOTIFS[motif] / 100) < 0.02


def test_motifs_show_independently_and_at_least_one_always_does() -> None:
    sets = [shown(Thing(concept, "thai", seed)) for concept in CONCEPTS for seed in SEEDS]
    assert min(map(len, sets)) >= 1
    for a in MOTIFS:
        for b in MOTIFS:
            if a < b:
                both = sum(a in s and b in s for s in sets) / len(sets)
                assert abs(both - MOTIFS[a] * MOTIFS[b] / 1e4) < 0.025


def test_choices_are_spread_evenly() -> None:
    settings = [setting_of(concept, seed) for concept in CONCEPTS for seed in SEEDS]
    for name in ("light", "horizon", "shift", "scale", "mirror", "colours", "small"):
        counts = Counter(getattr(s, name) for s in settings)
        assert min(counts.values()) > 0.8 * len(settings) / len(counts)
