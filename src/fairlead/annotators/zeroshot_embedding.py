"""``zeroshot_embedding``: the group whose word is nearest to the picture, by the encoder.

    label(v) = argmax over g of cos(v, t_g),   t over {"Woman", "Man", "Unknown Gender"} or {"Dark
    Skin", "Fair Skin", "Unknown Skin"}

Source: PBM (Kong et al., NeurIPS 2023), its zero-shot embedding predictor; prompts and groups of
your own for any attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead.annotators import prompts as prompting
from fairlead.annotators.prompts import TEMPERATURE, Neutral
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import Collection, Groups

# The paper's words, spelled as it has them; the neutral one, which its lists put first, is last
# here.
_DEFAULTS = {
    "gender": ("Woman", "Man", "Unknown Gender"),
    "skin": ("Dark Skin", "Fair Skin", "Unknown Skin"),
}


@dataclass(frozen=True)
class ZeroshotEmbedding(Configured):
    """The group whose prompt is nearest to the picture.

    ``prompts`` (``a photo of a woman|a photo of a man|a photo``) and ``groups`` (``female|male``)
    are for attributes and words of your own; a prompt more than there are groups is the neutral
    one. What is nearest to it is ``neutral``; ``none`` leaves it out. ``soft`` labels are shares by
    ``temperature``. ``model`` sees and reads; by default the model that is asked.
    """

    prompts: str = ""
    groups: str = ""
    neutral: Neutral = "unknown"
    soft: bool = False
    temperature: float = TEMPERATURE
    model: str = ""

    name: ClassVar[str] = "zeroshot_embedding"
    reaches: ClassVar[Reach] = Reach(nests={"model": "encoder"})
    source: ClassVar[str] = "PBM (Kong et al. 2023), zero-shot embedding"
    needs: ClassVar[frozenset[str]] = frozenset({"encoder"})
    blind_spot: ClassVar[str] = (
        "Shares the encoder's own associations: where the same model ranks, its errors "
        "go with the ranking."
    )

    def validate(self) -> None:
        prompting.check(self)

    @property
    def sees_with(self) -> str:
        """The model that it names."""
        return self.model

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """Those with prompts of their own; if prompts were given, whatever is asked for."""
        return prompting.known(self, _DEFAULTS)

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """Labels of the pictures."""
        chosen_prompts = prompting.choose(self, attribute, _DEFAULTS)
        texts = prompting.text_vectors(self, chosen_prompts.texts, encoder)
        cosines = prompting.image_vectors(self, collection.images, encoder) @ texts.T
        return prompting.labels(self, attribute, chosen_prompts, cosines, encoder)
