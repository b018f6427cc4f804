"""``fair_sample``: gender-balanced negatives in the contrastive loss on captions.

Wang, Liu and Wang (EMNLP 2021): for a caption that tells no group, a picture it is told apart from is drawn from every group with the
same chance; captions that tell a group keep the negatives of the batch. Here all negatives of a batch count at once, each as often as it
would be drawn: a picture of group g weighs (pictures of people / groups) / (pictures of g). Pictures without a group keep weight 1.

What this evens out is the batch. It does not touch a caption's own picture: where nurses are nearly always drawn as women, balanced
negatives still make "a nurse" look for women. ``negatives=matched`` is ours: a neutral caption is told apart only from pictures of its
own picture's group, and pictures only from neutral captions of their own group, so the group tells neutral captions from nothing.
``negatives=batch`` is the control.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from fairlead.spec import Configured
from fairlead.training.weights.contrast import OUT, caption_loss
from fairlead.training.weights.loop import Course, Recipe
from fairlead.training.weights.material import Material
from fairlead.training.weights.towers import DualTowers, seen, weights_of

Negatives = Literal["balanced", "matched", "batch"]


@dataclass(frozen=True)
class FairSample(Configured):
    """Negatives of neutral captions: ``balanced`` over the groups, ``matched`` to their own picture's, or as the ``batch`` has them.

    The text tower learns; ``images`` trains the image tower too.
    """

    negatives: Negatives = "balanced"
    images: bool = False

    name: ClassVar[str] = "fair_sample"
    recipe: ClassVar[Recipe] = Recipe(steps=400, batch=128, rate=3e-3)

    def start(self, towers: DualTowers, material: Material) -> Course:
        """The towers as they are."""
        return _Sampling(self, towers, material)


class _Sampling(Course):
    def __init__(self, method: FairSample, towers: DualTowers, material: Material) -> None:
        super().__init__(towers, material)
        self.method = method
        self.vectors = None if method.images else seen(towers, material.pictures)

    def learns(self) -> list[nn.Parameter]:
        return weights_of([*self.towers.text_modules, *(self.towers.picture_modules if self.method.images else ())])

    def loss(self, at: Tensor) -> Tensor:
        material, device = self.material, self.towers.device
        rows = material.rows[at]
        vectors = self.towers.see(material.pictures[rows].to(device)) if self.vectors is None else self.vectors_of(rows)
        true = material.true(at)
        weight = log_weights(material.groups[rows], material.neutral[at], true, len(material.names), self.method.negatives)
        said = self.towers.read(material.tokens[at].to(device))
        back = _other_groups(material.groups[rows], material.neutral[at]) if self.method.negatives == "matched" else None
        return caption_loss(
            said, vectors, true.to(device), self.towers.temperature, weight.to(device), None if back is None else back.to(device)
        )


def _other_groups(groups: Tensor, neutral: Tensor) -> Tensor:
    """(pictures, captions) ``OUT`` where a neutral caption is of another group than a picture."""
    known = groups >= 0
    return ((groups[:, None] != groups[None]) & known[:, None] & known[None] & neutral[None]).float() * OUT


def log_weights(groups: Tensor, neutral: Tensor, true: Tensor, count: int, negatives: Negatives) -> Tensor:
    """(captions, captions) logarithms of how much each picture counts against each caption.

    Args:
        groups: (captions,) the group of each caption's own picture, -1 where it has none.
        neutral: (captions,) which captions tell no group.
        true: (captions, captions) which caption is true of which picture: such pictures are no negatives.
        count: How many groups there are.
        negatives: Which negatives a neutral caption has.
    """
    size = len(groups)
    if negatives == "batch":
        return torch.zeros(size, size)
    member = torch.nn.functional.one_hot(groups.clamp(min=0), count).float() * (groups >= 0)[:, None]
    usable = (~true).float()
    each = usable @ member
    """(captions, groups) negatives of every group."""
    people = each.sum(1, keepdim=True)
    there = (each > 0).float()
    shares = there / there.sum(1, keepdim=True).clamp(min=1) if negatives == "balanced" else member
    factor = torch.where(each > 0, people * shares / each.clamp(min=1), 0.0)
    factor = torch.where((factor.sum(1, keepdim=True) > 0) & neutral[:, None], factor, 1.0)
    weights = torch.where((groups >= 0)[None], factor @ member.T, 1.0)
    return weights.log().clamp(min=OUT)
