"""Two towers of a few numbers each that meet the protocol and learn in an instant.

Pictures are floats, texts are numbers of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from fairlead.training.weights.material import TowerMaterial

KINDS, EACH = 6, 60
"""Occupations, and portraits of each by group."""


class ToyTowers:
    """An image tower of one layer on (n, 3, 1, KINDS + 1) floats; a text tower that adds words."""

    def __init__(self, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.device = torch.device("cpu")
        self.temperature = 0.1
        self.token_width = 16
        self.image = nn.Linear(KINDS + 1, 16)
        self.words = nn.Embedding(KINDS + 3, 16, padding_idx=0)
        self.text = nn.Linear(16, 16)
        self.picture_modules = (self.image,)
        self.text_modules = (self.words, self.text)

    @property
    def world(self) -> None:
        """None: toys know no world."""
        return None

    def pictures(self, images: Sequence[Any]) -> Tensor:
        return torch.stack(list(images))

    def tokens(self, texts: Sequence[str]) -> Tensor:
        return torch.tensor([[int(word) for word in text.split()] for text in texts])

    def see(self, pictures: Tensor) -> Tensor:
        return nn.functional.normalize(self.image(pictures[:, 0, 0]), dim=1)

    def read(self, tokens: Tensor, prompt: Tensor | None = None) -> Tensor:
        vectors = self.words(tokens).sum(1)
        return nn.functional.normalize(
            self.text(vectors if prompt is None else vectors + prompt.sum(0)), dim=1
        )

    def settle(self, prompt: Tensor | None) -> Tensor | None:
        if prompt is None:
            return None
        return prompt.detach()

    def write(self, folder: Path, prompt: Tensor | None) -> None:
        raise AssertionError("toys are not kept")

    def spec(self, place: str) -> str:
        return place


def toy_material(towers: ToyTowers, lean: float = 0.5, seed: int = 0) -> TowerMaterial:
    """Portraits of both groups alike, with captions of which half name the group.

    ``lean`` is the share of one group, by turns, among those that an occupation is captioned with.
    """
    torch.manual_seed(seed)
    kind = torch.arange(KINDS).repeat_interleave(2 * EACH)
    group = (torch.arange(2 * EACH) % 2).repeat(KINDS)
    pictures = torch.cat(
        [nn.functional.one_hot(kind, KINDS).float(), 1.2 * group[:, None] - 0.6], 1
    )
    pictures = pictures + 0.3 * torch.randn_like(pictures)
    pictures = pictures[:, None, None].expand(-1, 3, -1, -1).contiguous()
    leaning = torch.where(kind % 2 == 0, group == 0, group == 1)
    rows = torch.multinomial(torch.where(leaning, lean, 1 - lean), 3000, replacement=True)
    tells = torch.rand(len(rows)) < 0.5
    tokens = torch.stack([kind[rows] + 1, torch.where(tells, KINDS + 1 + group[rows], 0)], 1)
    meaning = torch.stack([kind, group], 1)
    says = torch.stack([kind[rows], torch.where(tells, group[rows], -1)], 1)
    queries = torch.tensor([[number + 1, 0] for number in range(KINDS)])
    held_out = torch.arange(len(kind)) % 5 == 0
    return TowerMaterial(
        pictures,
        group,
        ("female", "male"),
        held_out,
        meaning,
        rows,
        tokens,
        says,
        ~tells,
        queries,
        {},
    )
