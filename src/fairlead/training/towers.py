"""The two towers of the phantom: pixels and bytes in, unit vectors out.

They are small enough for two cores.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import Tensor, nn

WIDTH = 64
"""Dimensions of the shared space."""
LENGTH = 64
"""Bytes of a text that are read; what is longer is cut."""


class ImageTower(nn.Module):
    """A convolutional tower on (n, 64, 64, 3) uint8 pictures."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (3, 32, 64, 96, 128)
        layers: list[nn.Module] = []
        for before, after in itertools.pairwise(sizes):
            layers += [
                nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False),
                nn.BatchNorm2d(after),
                nn.ReLU(),
            ]
        layers += [nn.Conv2d(128, 128, 3, padding=1, bias=False), nn.BatchNorm2d(128), nn.ReLU()]
        self.body = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Linear(128 * 4, 128), nn.ReLU(), nn.Linear(128, WIDTH))

    def forward(self, pictures: Tensor) -> Tensor:
        """(n, WIDTH) unit vectors."""
        x = pictures.permute(0, 3, 1, 2).float() / 127.5 - 1.0
        x = self.body(x)
        x = nn.functional.avg_pool2d(x, 2).flatten(1)
        return nn.functional.normalize(self.head(x), dim=1)


class TextTower(nn.Module):
    """A convolutional tower on (n, LENGTH) bytes; 0 is padding."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = nn.Embedding(256, 48, padding_idx=0)
        self.near = nn.Conv1d(48, 128, 5, padding=2)
        self.far = nn.Conv1d(128, 128, 5, padding=4, dilation=2)
        self.head = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, WIDTH))

    def forward(self, codes: Tensor) -> Tensor:
        """(n, WIDTH) unit vectors."""
        return self.pooled(self.bytes(codes), codes > 0)

    def pooled(self, embedded: Tensor, said: Tensor) -> Tensor:
        """(n, WIDTH) unit vectors of embedded bytes (n, length, 48).

        ``said`` (n, length) is False for padding.
        """
        there = said.float()[:, None]
        x = embedded.transpose(1, 2)
        x = torch.relu(self.near(x)) * there
        x = torch.relu(x + self.far(x)) * there
        mean = x.sum(2) / there.sum(2).clamp(min=1.0)
        return nn.functional.normalize(self.head(torch.cat([x.amax(2), mean], 1)), dim=1)


def rounded(tower: nn.Module) -> Any:
    """The tower with weights rounded to half precision, as they are stored."""
    tower.eval()
    for value in tower.state_dict().values():
        if value.is_floating_point():
            value.copy_(value.half().float())
    return tower
