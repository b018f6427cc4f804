"""``prompt_array``: learnt tokens before every query, against an adversary that sees similarities.

Berg et al. (AACL 2022): neutral queries about people are read with a few learnt tokens before them; the adversary tells the group of a
picture from its similarities with all those queries; the tokens learn to keep it at even odds, while the contrastive loss on captions
keeps what pictures and texts have to do with each other:

    caption loss + weight * adversary's certainty.

Tokens start at zero; the image tower is frozen, so a stored gallery stays as it is. ``text=true`` also lets the text tower learn, which
the released model does in part. Tokens stand before every text that is read later, as in the released model: also before queries that
ask for a group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from fairlead.errors import UsageError
from fairlead.spec import Configured
from fairlead.training.weights.adversary import Adversary, certainty, drawn
from fairlead.training.weights.contrast import caption_loss
from fairlead.training.weights.loop import Course, Recipe
from fairlead.training.weights.material import Material
from fairlead.training.weights.towers import DualTowers, read, seen, weights_of

_QUERIES = 56
"""Queries that the adversary sees similarities with, at most."""


@dataclass(frozen=True)
class PromptArray(Configured):
    """Learnt tokens before every text; ``weight`` is what hiding counts for, 0 is the control; ``text`` trains the text tower too."""

    tokens: int = 2
    weight: float = 1.0
    text: bool = False

    name: ClassVar[str] = "prompt_array"
    recipe: ClassVar[Recipe] = Recipe(steps=250, batch=96, rate=2e-3, warm=100, turns=3)

    def validate(self) -> None:
        if self.tokens < 1 or self.weight < 0:
            raise UsageError(f"{self} cannot be trained.", "Give at least one token, and a weight from 0 on.")

    def start(self, towers: DualTowers, material: Material) -> Course:
        """Tokens of zeros and an untrained adversary."""
        if not towers.token_width:
            raise UsageError("The text tower of this model takes no learnt tokens.", "Take another --model, or another method.")
        return _Prompting(self, towers, material)


class _Prompting(Course):
    def __init__(self, method: PromptArray, towers: DualTowers, material: Material) -> None:
        super().__init__(towers, material)
        self.method = method
        self.tokens = nn.Parameter(torch.zeros(method.tokens, towers.token_width, device=towers.device))
        self.prompt = self.tokens
        self.vectors = seen(towers, material.pictures)
        self.people = material.people(held=False)
        self.asked = material.asked[torch.linspace(0, len(material.asked) - 1, min(_QUERIES, len(material.asked))).long()].to(towers.device)
        self.rival = Adversary(len(self.asked), len(material.names)).to(towers.device)

    def learns(self) -> list[nn.Parameter]:
        return [self.tokens, *(weights_of(self.towers.text_modules) if self.method.text else ())]

    def shown(self, rows: Tensor) -> Tensor:
        """(items, queries) similarities with the neutral queries."""
        return self._similar(rows, read(self.towers, self.asked, self.prompt))

    def rival_loss(self) -> Tensor:
        rows = drawn(self.people, PromptArray.recipe.batch)
        assert self.rival is not None
        return nn.functional.cross_entropy(self.rival(self.shown(rows)), self.material.groups[rows].to(self.towers.device))

    def loss(self, at: Tensor) -> Tensor:
        device, rows = self.towers.device, drawn(self.people, PromptArray.recipe.batch)
        said = self.towers.read(torch.cat([self.material.tokens[at].to(device), self.asked]), self.prompt)
        kept = caption_loss(
            said[: len(at)], self.vectors_of(self.material.rows[at]), self.material.true(at).to(device), self.towers.temperature
        )
        assert self.rival is not None
        return kept + self.method.weight * certainty(self.rival(self._similar(rows, said[len(at) :])))

    def _similar(self, rows: Tensor, said: Tensor) -> Tensor:
        return self.vectors_of(rows) @ said.T
