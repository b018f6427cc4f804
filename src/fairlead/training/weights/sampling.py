"""``fair_sample`` at work: how much each picture of a batch counts against each caption."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fairlead.protocols.training import DualTowers
from fairlead.training.weights.contrast import OUT, caption_loss
from fairlead.training.weights.fair_sample import FairSample, Negatives
from fairlead.training.weights.loop import Course
from fairlead.training.weights.material import TowerMaterial
from fairlead.training.weights.towers import seen, weights_of


class Sampling(Course):
    """The contrastive loss with weighted negatives at work."""

    def __init__(self, method: FairSample, towers: DualTowers, material: TowerMaterial) -> None:
        super().__init__(towers, material)
        self.method = method
        self.vectors = None if method.images else seen(towers, material.pictures)

    def learns(self) -> list[nn.Parameter]:
        return weights_of(
            [
                *self.towers.text_modules,
                *(self.towers.picture_modules if self.method.images else ()),
            ]
        )

    def loss(self, at: Tensor) -> Tensor:
        material, device = self.material, self.towers.device
        rows = material.rows[at]
        if self.vectors is None:
            vectors = self.towers.see(material.pictures[rows].to(device))
        else:
            vectors = self.vectors_of(rows)
        true = material.true(at)
        weight = log_weights(
            material.groups[rows],
            material.neutral[at],
            true,
            len(material.names),
            self.method.negatives,
        )
        caption_vectors = self.towers.read(material.tokens[at].to(device))
        if self.method.negatives == "matched":
            back = _other_groups(material.groups[rows], material.neutral[at])
        else:
            back = None
        return caption_loss(
            caption_vectors,
            vectors,
            true.to(device),
            self.towers.temperature,
            weight.to(device),
            None if back is None else back.to(device),
        )


def _other_groups(groups: Tensor, neutral: Tensor) -> Tensor:
    """(pictures, captions) ``OUT`` where a neutral caption and a picture have different groups."""
    labelled = groups >= 0
    return (
        (groups[:, None] != groups[None]) & labelled[:, None] & labelled[None] & neutral[None]
    ).float() * OUT


def log_weights(
    groups: Tensor, neutral: Tensor, true: Tensor, count: int, negatives: Negatives
) -> Tensor:
    """(captions, captions) logarithms of how much each picture counts against each caption.

    Args:
        groups: (captions,) the group of each caption's own picture, -1 where it has none.
        neutral: (captions,) which captions tell no group.
        true: (captions, captions) which caption is true of which picture: such pictures are no
            negatives.
        count: How many groups there are.
        negatives: Which negatives a neutral caption has.
    """
    size = len(groups)
    if negatives == "batch":
        return torch.zeros(size, size)
    member = (
        torch.nn.functional.one_hot(groups.clamp(min=0), count).float() * (groups >= 0)[:, None]
    )
    usable = (~true).float()
    each = usable @ member
    """(captions, groups) negatives of every group."""
    people = each.sum(1, keepdim=True)
    there = (each > 0).float()
    shares = there / there.sum(1, keepdim=True).clamp(min=1) if negatives == "balanced" else member
    factor = torch.where(each > 0, people * shares / each.clamp(min=1), 0.0)
    factor = torch.where((factor.sum(1, keepdim=True) > 0) & neutral[:, None], factor, 1.0)
    weights = torch.where((groups >= 0)[None], factor @ member.T, 1.0)
    # the logarithm of nothing is infinite, and such losses are no numbers
    return weights.log().clamp(min=OUT)
