"""``adversarial``: the image tower learns to hide the group from an adversary.

Edwards and Storkey (2015), with the parts that Kong et al. (NeurIPS 2023, Appendix D) give it on
CLIP: the loss is

    rest * reconstruction + weight * dependence + rest * image-text alignment,    rest = (1 -
    weight) / 2,

with a weight of .7 (so .15, .7, .15). A decoder draws a thumbnail of the picture from its vector;
the adversary has three layers; the alignment is the contrastive loss on captions. The text tower
stays as it is. Theirs decodes with eight blocks of a transformer, ours with two layers. Portraits
for the adversary are drawn evenly from the groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fairlead.errors import UsageError
from fairlead.protocols.spec import Configured
from fairlead.training.weights.recipe import TowerRecipe

if TYPE_CHECKING:
    from fairlead.protocols.training import DualTowers
    from fairlead.training.weights.loop import Course
    from fairlead.training.weights.material import TowerMaterial


@dataclass(frozen=True)
class Adversarial(Configured):
    """The image tower learns to hide the group; ``weight`` is how much hiding counts, 0 is the
    control.
    """

    weight: float = 0.7

    name: ClassVar[str] = "adversarial"
    source: ClassVar[str] = (
        "Edwards and Storkey (2015); Kong, Yuan, Hao, Henao (NeurIPS 2023), Appendix D"
    )
    # steps and rate were chosen by looking at seed 0 on one benchmark: docs/weights.md says which
    recipe: ClassVar[TowerRecipe] = TowerRecipe(steps=160, batch=64, rate=1e-3, warm=100, turns=4)

    def validate(self) -> None:
        if not 0 <= self.weight <= 1:
            raise UsageError(
                f"{self.name} got weight={self.weight:g}.",
                "Give a share from 0 (nothing is hidden) to 1.",
            )

    def start(self, towers: DualTowers, material: TowerMaterial) -> Course:
        """The adversary and the decoder, untrained."""
        from fairlead.training.weights.hiding import Hiding

        return Hiding(self.weight, towers, material)
