"""``prompt_array`` at work: what its tokens learn, and what its adversary sees."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fairlead.protocols.training import DualTowers
from fairlead.training.weights.adversary import Adversary, certainty, drawn
from fairlead.training.weights.contrast import caption_loss
from fairlead.training.weights.loop import Course
from fairlead.training.weights.material import TowerMaterial
from fairlead.training.weights.prompt_array import PromptArray
from fairlead.training.weights.towers import read, seen, weights_of

# The adversary sees similarities with at most so many queries.
_QUERIES = 56


class Prompting(Course):
    """Learnt tokens and an adversary at work."""

    def __init__(self, method: PromptArray, towers: DualTowers, material: TowerMaterial) -> None:
        super().__init__(towers, material)
        self.method = method
        self.tokens = nn.Parameter(
            torch.zeros(method.tokens, towers.token_width, device=towers.device)
        )
        self.prompt = self.tokens
        self.vectors = seen(towers, material.pictures)
        self.people = material.people(held=False)
        # evenly from all of them, since queries of one wording stand together
        self.asked = material.asked[
            torch.linspace(0, len(material.asked) - 1, min(_QUERIES, len(material.asked))).long()
        ].to(towers.device)
        self.rival = Adversary(len(self.asked), len(material.names)).to(towers.device)

    def learns(self) -> list[nn.Parameter]:
        return [self.tokens, *(weights_of(self.towers.text_modules) if self.method.text else ())]

    def shown(self, rows: Tensor) -> Tensor:
        """(items, queries) similarities with the neutral queries."""
        return self._similar(rows, read(self.towers, self.asked, self.prompt))

    def rival_loss(self) -> Tensor:
        rows = drawn(self.people, PromptArray.recipe.batch)
        assert self.rival is not None
        return nn.functional.cross_entropy(
            self.rival(self.shown(rows)), self.material.groups[rows].to(self.towers.device)
        )

    def loss(self, at: Tensor) -> Tensor:
        device = self.towers.device
        rows = drawn(self.people, PromptArray.recipe.batch)
        vectors = self.towers.read(
            torch.cat([self.material.tokens[at].to(device), self.asked]), self.prompt
        )
        aligned = caption_loss(
            vectors[: len(at)],
            self.vectors_of(self.material.rows[at]),
            self.material.true(at).to(device),
            self.towers.temperature,
        )
        assert self.rival is not None
        return aligned + self.method.weight * certainty(
            self.rival(self._similar(rows, vectors[len(at) :]))
        )

    def _similar(self, rows: Tensor, vectors: Tensor) -> Tensor:
        return self.vectors_of(rows) @ vectors.T
