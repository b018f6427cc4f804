"""``fair_sample``: gender-balanced negatives in the contrastive loss on captions.

Wang, Liu and Wang (EMNLP 2021): for a caption that tells no group, a picture it is told apart from
is drawn from every group with the same chance; captions that tell a group keep the negatives of the
batch. Here all negatives of a batch count at once, each as often as it would be drawn: a picture of
group g weighs (pictures of people / groups) / (pictures of g). Pictures without a group keep weight
1.

What this evens out is the batch. It does not touch a caption's own picture: where nurses are nearly
always drawn as women, balanced negatives still make "a nurse" look for women. ``negatives=matched``
is ours: a neutral caption is told apart only from pictures of its own picture's group, and pictures
only from neutral captions of their own group, so the group tells neutral captions from nothing.
``negatives=batch`` is the control.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from fairlead.protocols.spec import Configured
from fairlead.training.weights.recipe import TowerRecipe

if TYPE_CHECKING:
    from fairlead.protocols.training import DualTowers
    from fairlead.training.weights.loop import Course
    from fairlead.training.weights.material import TowerMaterial

Negatives = Literal["balanced", "matched", "batch"]


@dataclass(frozen=True)
class FairSample(Configured):
    """Negatives of neutral captions: ``balanced``, ``matched``, or as the ``batch`` has them.

    Balanced is over the groups; matched is to the group of their own picture.

    The text tower learns; ``images`` trains the image tower too.
    """

    negatives: Negatives = "balanced"
    images: bool = False

    name: ClassVar[str] = "fair_sample"
    source: ClassVar[str] = "Wang, Liu, Wang (EMNLP 2021); matched negatives are our own"
    # steps and rate were chosen by looking at seed 0 on one benchmark: docs/weights.md says which
    recipe: ClassVar[TowerRecipe] = TowerRecipe(steps=400, batch=128, rate=3e-3)

    def start(self, towers: DualTowers, material: TowerMaterial) -> Course:
        """The towers as they are."""
        from fairlead.training.weights.sampling import Sampling

        return Sampling(self, towers, material)
