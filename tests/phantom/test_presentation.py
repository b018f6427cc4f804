"""Presentation is recognisable from the picture, by no single pixel, and says nothing about the
occupation.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.phantom.drawing import draw_many
from fairlead.phantom.people import OCCUPATIONS, Person, scene

RIDGE = 3.0


def people_of(seeds: range) -> list[Person]:
    return [
        Person(o, g, 1 + (7 * s + 3 * i) % 10, s)
        for s in seeds
        for i, o in enumerate(OCCUPATIONS)
        for g in ("female", "male")
    ]


def features(people: list[Person]) -> np.ndarray:
    """(people, features): the middle of the picture at 32 pixels."""
    return (draw_many(people, 32)[:, 3:29, 7:25].astype(np.float32) / 255).reshape(len(people), -1)


def signs(people: list[Person]) -> np.ndarray:
    return np.array([1.0 if p.gender == "female" else -1.0 for p in people], np.float32)


@pytest.fixture(scope="module")
def world() -> tuple[list[Person], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    train, test = people_of(range(1000, 1040)), people_of(range(12))
    x, held = features(train), features(test)
    centre = x.mean(0)
    return test, x - centre, signs(train), held - centre, signs(test)


def test_presentation_is_recognised_by_a_linear_map_on_held_out_seeds(world, bar):
    people, x, y, held, truth = world
    weights = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1], dtype=np.float32), x.T @ y)
    right = np.sign(held @ weights) == truth
    bar("presentation from pixels, linear, held-out seeds", f"{right.mean():.3f}", "> .9")
    assert right.mean() > 0.9
    for group in ("light", "medium", "tan", "dark"):
        assert right[[p.skin_group == group for p in people]].mean() > 0.85, group
    hatted = np.array([bool(scene(p).look.cue("headwear")) for p in people])
    assert min(right[hatted].mean(), right[~hatted].mean()) > 0.88


def test_presentation_is_not_told_by_one_pixel(world, bar):
    _, x, y, held, truth = world
    way = np.sign(x.T @ y)
    best = (np.sign(held * way) == truth[:, None]).mean(0).max()
    bar("presentation from the best single pixel", f"{best:.3f}", "< .87")
    assert best < 0.87


def test_occupation_cues_are_the_same_for_every_presentation():
    for occupation in OCCUPATIONS:
        for seed in range(50):
            looks = [
                scene(Person(occupation, g, t, seed)).look
                for g in ("female", "male", "androgynous")
                for t in (1, 10)
            ]
            assert len({(look.cues, look.tints) for look in looks}) == 1
