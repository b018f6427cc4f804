"""Laws that every mitigation on weights keeps, one function each; they need torch.

A broken law raises AssertionError.

A plug-in's test makes its training and calls ``all_laws``, which trains towers of a few numbers for
a few steps (``fairlead.testing.toy_towers``).
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import Tensor

from fairlead.protocols import Training
from fairlead.protocols.registry import make
from fairlead.testing.toy_towers import ToyTowers, toy_material
from fairlead.training.weights.loop import Course, train
from fairlead.training.weights.material import TowerMaterial

FEW = 0.05
"""The share of its steps that a law trains for."""


def all_laws(training: Any) -> None:
    """Every law below."""
    has_a_text_form(training)
    says_what_it_is(training)
    material = toy_material(ToyTowers(), 0.8)
    learns_something(training, material)
    moves_only_what_it_says(training, material)
    same_seed_is_same_weights(training, material)


def has_a_text_form(training: Any) -> None:
    """The text form builds an equal, equally hashed training."""
    again = make("training", str(training))
    assert again == training and hash(again) == hash(training)


def says_what_it_is(training: Any) -> None:
    """It meets the protocol, states its source, and has a recipe that can run."""
    assert isinstance(training, Training)
    assert training.source.strip()
    recipe = training.recipe
    assert recipe.steps >= 1 and recipe.batch >= 2 and recipe.rate > 0 and recipe.turns >= 1


def learns_something(training: Any, material: TowerMaterial) -> None:
    """Weights move, losses are numbers, and the card has figures from before and after."""
    towers = ToyTowers()
    before = _weights(towers)
    course, card = train(training, towers, material, factor=FEW, seed=1)
    # a method may move a prompt alone, and leave the towers as they are
    moved = any(not torch.equal(a, b) for a, b in zip(before, _weights(towers), strict=True))
    assert moved or (course.prompt is not None and bool(course.prompt.abs().max() > 0))
    assert card["losses"] and all(math.isfinite(loss) for loss in card["losses"])
    for part in ("before", "after"):
        assert all(math.isfinite(value) for value in card[part].values())
    if course.prompt is not None:
        assert course.prompt.ndim == 2 and course.prompt.shape[1] == towers.token_width


def moves_only_what_it_says(training: Any, material: TowerMaterial) -> None:
    """A weight that ``learns`` does not name stays as it is, without gradients at the end."""
    towers = ToyTowers()
    # Asked of a copy, which the training then does not see. Weights are known by their number.
    named = _named(training.start(copy.deepcopy(towers), material), training, material)
    before = _weights(towers)
    train(training, towers, material, factor=FEW, seed=1)
    for number, (old, new) in enumerate(zip(before, _weights(towers), strict=True)):
        assert number in named or torch.equal(old, new), "a weight moved that is not learnt"
    assert not any(weight.requires_grad for weight in _parameters(towers))


def same_seed_is_same_weights(training: Any, material: TowerMaterial) -> None:
    """Trained twice with one seed, a model is the same."""
    first, second = (ToyTowers() for _ in range(2))
    courses = [train(training, t, material, factor=FEW, seed=3)[0] for t in (first, second)]
    for one, other in zip(_weights(first), _weights(second), strict=True):
        assert torch.equal(one, other)
    prompts = [course.prompt for course in courses]
    if prompts[0] is not None and prompts[1] is not None:
        assert torch.equal(prompts[0], prompts[1])


def _named(course: Course, training: Any, material: TowerMaterial) -> set[int]:
    """Numbers of the towers' weights that a course learns."""
    learnt = {id(weight) for weight in course.learns()}
    towers: Any = course.towers
    return {number for number, weight in enumerate(_parameters(towers)) if id(weight) in learnt}


def _parameters(towers: ToyTowers) -> list[Any]:
    modules = (*towers.picture_modules, *towers.text_modules)
    return [weight for module in modules for weight in module.parameters()]


def _weights(towers: ToyTowers) -> list[Tensor]:
    return [weight.detach().clone() for weight in _parameters(towers)]
