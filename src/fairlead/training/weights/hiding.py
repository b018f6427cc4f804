"""``adversarial`` at work: its loss, and what its adversary remembers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fairlead.protocols.training import DualTowers
from fairlead.training.weights.adversarial import Adversarial
from fairlead.training.weights.adversary import Adversary, certainty, drawn
from fairlead.training.weights.contrast import caption_loss
from fairlead.training.weights.loop import Course
from fairlead.training.weights.material import TowerMaterial
from fairlead.training.weights.towers import read, weights_of

# The decoder draws pictures with so many pixels a side.
_THUMB = 8
# The adversary remembers so many steps.
_LATELY = 4


class Hiding(Course):
    """The image tower, an adversary and a decoder at work."""

    def __init__(self, weight: float, towers: DualTowers, material: TowerMaterial) -> None:
        super().__init__(towers, material)
        self.weight = weight
        self.said = read(towers, material.tokens)
        width = self.said.shape[1]
        self.people = material.people(held=False)
        self.recent: list[tuple[Tensor, Tensor]] = []
        self.rival = Adversary(width, len(material.names)).to(towers.device)
        self.decoder = nn.Sequential(
            nn.Linear(width, 256), nn.ReLU(), nn.Linear(256, 3 * _THUMB * _THUMB)
        ).to(towers.device)

    def learns(self) -> list[nn.Parameter]:
        return weights_of([*self.towers.picture_modules, self.decoder])

    def shown(self, rows: Tensor) -> Tensor:
        """(items, dimensions) the vectors of pictures themselves."""
        return self.vectors_of(rows)

    def rival_loss(self) -> Tensor:
        # before the first step, the adversary sees the tower as it is
        if not self.recent:
            rows = drawn(self.people, 4 * Adversarial.recipe.batch)
            self._remember(self.shown(rows), rows)
        vectors, codes = (torch.cat(part) for part in zip(*self.recent, strict=True))
        assert self.rival is not None
        return nn.functional.cross_entropy(self.rival(vectors), codes)

    def loss(self, at: Tensor) -> Tensor:
        rows, people = self.material.rows[at], drawn(self.people, len(at))
        pictures = self.material.pictures[torch.cat([rows, people])].to(self.towers.device)
        vectors = self.towers.see(pictures)
        assert self.rival is not None
        aligned = caption_loss(
            self.said[at],
            vectors[: len(at)],
            self.material.true(at).to(vectors.device),
            self.towers.temperature,
        )
        self._remember(vectors[len(at) :].detach(), people)
        drawn_again = nn.functional.mse_loss(self.decoder(vectors), _thumbnails(pictures))
        rest = (1 - self.weight) / 2
        return (
            rest * aligned
            + rest * drawn_again
            + self.weight * certainty(self.rival(vectors[len(at) :]))
        )

    def _remember(self, vectors: Tensor, rows: Tensor) -> None:
        """Keep what was shown lately for the adversary."""
        # seeing pictures again for the adversary would double the time
        self.recent = [*self.recent, (vectors, self.material.groups[rows].to(vectors.device))][
            -_LATELY:
        ]


def _thumbnails(pictures: Tensor) -> Tensor:
    """(pictures, 3 * side * side) small copies of uint8 (n, h, w, 3) or of floats (n, 3, h, w)."""
    if pictures.is_floating_point():
        layered = pictures
    else:
        layered = pictures.permute(0, 3, 1, 2).float() / 127.5 - 1.0
    return nn.functional.adaptive_avg_pool2d(layered, _THUMB).flatten(1)
