"""``prompt_array``: learnt tokens before every query, against an adversary that sees similarities.

Berg et al. (AACL 2022): neutral queries about people are read with a few learnt tokens before them;
the adversary tells the group of a picture from its similarities with all those queries; the tokens
learn to keep it at even odds, while the contrastive loss on captions keeps what pictures and texts
have to do with each other:

    caption loss + weight * adversary's certainty.

Tokens start at zero; the image tower is frozen, so a stored gallery stays as it is. ``text=true``
also lets the text tower learn, which the released model does in part. Tokens stand before every
text that is read later, as in the released model: also before queries that ask for a group.
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
class PromptArray(Configured):
    """Learnt tokens before every text; ``weight`` is how much hiding counts, 0 is the control.

    ``text`` trains the text tower too.
    """

    tokens: int = 2
    weight: float = 1.0
    text: bool = False

    name: ClassVar[str] = "prompt_array"
    source: ClassVar[str] = "Berg et al. (AACL 2022)"
    # steps and rate were chosen by looking at seed 0 on one benchmark: docs/weights.md says which
    recipe: ClassVar[TowerRecipe] = TowerRecipe(steps=250, batch=96, rate=2e-3, warm=100, turns=3)

    def validate(self) -> None:
        if self.tokens < 1 or self.weight < 0:
            raise UsageError(
                f"{self} cannot be trained.", "Give at least one token, and a weight from 0 on."
            )

    def start(self, towers: DualTowers, material: TowerMaterial) -> Course:
        """Tokens of zeros and an untrained adversary."""
        from fairlead.training.weights.prompting import Prompting

        if not towers.token_width:
            raise UsageError(
                "The text tower of this model takes no learnt tokens.",
                "Take another --model, or another method.",
            )
        return Prompting(self, towers, material)
