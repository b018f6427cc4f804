"""The one loop of all methods: batches of captions, the adversary's turns, and steps.

A method starts a ``Course``: what learns, what its loss is, and what an adversary is shown. The
loop does not know which method it runs.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor, nn

from fairlead.errors import DataError
from fairlead.protocols import Progress
from fairlead.protocols.training import DualTowers, Training
from fairlead.training.weights.adversary import probe
from fairlead.training.weights.contrast import caption_loss
from fairlead.training.weights.material import TowerMaterial
from fairlead.training.weights.recipe import TowerRecipe
from fairlead.training.weights.towers import read, seen

_HELD_BATCH, _LABELLED = 256, 2000
"""Captions and labelled items that the card's figures are made of, at most."""


class Course:
    """A method at work on a model and its material; without an adversary by default."""

    rival: nn.Module | None = None
    prompt: Tensor | None = None
    """What stands before every text, (tokens, token_width)."""
    vectors: Tensor | None = None
    """(items, dimensions) unit vectors of all pictures, where the image tower is frozen."""

    def __init__(self, towers: DualTowers, material: TowerMaterial) -> None:
        self.towers, self.material = towers, material

    def learns(self) -> list[nn.Parameter]:
        """The weights that the method moves."""
        raise NotImplementedError

    def loss(self, at: Tensor) -> Tensor:
        """The loss to lower, for some captions by number."""
        raise NotImplementedError

    def rival_loss(self) -> Tensor:
        """The loss that the adversary lowers, without gradients into the towers."""
        raise NotImplementedError

    def shown(self, rows: Tensor) -> Tensor:
        """(items, dimensions) the input from which the group must not be guessed.

        By default, similarities with neutral queries.
        """
        query_vectors = read(self.towers, self.material.asked, self.prompt)
        return self.vectors_of(rows) @ query_vectors.T

    def vectors_of(self, rows: Tensor) -> Tensor:
        """(items, dimensions) unit vectors of pictures, without gradients."""
        if self.vectors is None:
            return seen(self.towers, self.material.pictures[rows])
        return self.vectors[rows.to(self.vectors.device)]


def train(
    method: Training,
    towers: DualTowers,
    material: TowerMaterial,
    *,
    factor: float = 1.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Course, dict[str, Any]]:
    """Train a model with a method: the finished course, and figures from before and after.

    The figures are of held-out items.
    """
    recipe = method.recipe.shortened(factor)
    torch.manual_seed(seed)
    _freeze(towers)
    course = method.start(towers, material)
    before = reached(course, factor)
    losses = _run(course, recipe, progress)
    _freeze(towers)
    # settled before the figures, which are of the weights as they are kept
    course.prompt = towers.settle(course.prompt)
    after = reached(course, factor)
    return course, {"recipe": asdict(recipe), "before": before, "after": after, "losses": losses}


def reached(course: Course, factor: float = 1.0) -> dict[str, float]:
    """The caption loss on held-out items, and how often a fresh adversary guesses right."""
    material, towers = course.material, course.towers
    # measuring must not change what the training draws
    state = torch.get_rng_state()
    torch.manual_seed(0)
    at = material.captions(held=True)
    at = at[torch.randperm(len(at))[:_HELD_BATCH]]
    with torch.no_grad():
        loss = caption_loss(
            read(towers, material.tokens[at], course.prompt),
            course.vectors_of(material.rows[at]),
            material.true(at).to(towers.device),
            towers.temperature,
        )
    rows, codes = _labelled(material, held=False)
    held_out, held_codes = _labelled(material, held=True)
    guessed = probe(
        course.shown(rows),
        codes.to(towers.device),
        course.shown(held_out),
        held_codes.to(towers.device),
        factor=min(1.0, factor),
    )
    torch.set_rng_state(state)
    return {
        "caption_loss": float(loss),
        "adversary": guessed,
        "chance": 1 / len(held_codes.unique()),
    }


def _run(course: Course, recipe: TowerRecipe, progress: Progress | None) -> list[float]:
    """Every step of the training; returns about a hundred of the losses."""
    if course.rival is None:
        rival = None
    else:
        rival = torch.optim.AdamW(course.rival.parameters(), lr=recipe.rival_rate)
    # the adversary first: from one that knows nothing, nothing has to be hidden
    for _ in range(recipe.warm if rival is not None else 0):
        _step(course.rival_loss(), rival)
    weights = course.learns()
    for weight in weights:
        weight.requires_grad_(True)
    optimiser = torch.optim.AdamW(weights, lr=recipe.rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=recipe.steps + 1, pct_start=0.1
    )
    places, losses = course.material.captions(held=False), []
    for step in range(recipe.steps):
        for _ in range(recipe.turns if rival is not None else 0):
            _step(course.rival_loss(), rival)
        loss = course.loss(places[torch.randint(len(places), (recipe.batch,))])
        if not torch.isfinite(loss):
            raise DataError(
                f"The loss is no longer a number at step {step}.",
                "Train with another seed, or a smaller weight.",
            )
        _step(loss, optimiser)
        schedule.step()
        if step % max(1, recipe.steps // 100) == 0:
            losses.append(float(loss.detach()))
            if progress is not None:
                progress("training", step, recipe.steps)
    return losses


def _freeze(towers: DualTowers) -> None:
    for module in (*towers.picture_modules, *towers.text_modules):
        module.requires_grad_(False)


def _step(loss: Tensor, optimiser: Any) -> None:
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()


def _labelled(material: TowerMaterial, held: bool) -> tuple[Tensor, Tensor]:
    """Rows of labelled items and their groups."""
    rows = torch.cat(material.people(held))
    rows = rows[torch.randperm(len(rows))[:_LABELLED]]
    return rows, material.groups[rows]
