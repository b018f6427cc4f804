"""Trainings: mitigations on weights, and what a model must offer to be trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

# for types alone: trainings are listed where no torch is installed
if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from fairlead.training.weights.loop import Course
    from fairlead.training.weights.material import TowerMaterial
    from fairlead.training.weights.recipe import TowerRecipe
    from fairlead.training.world import Dose


@runtime_checkable
class Training(Protocol):
    """A mitigation on weights: a value with parameters, and the course that it takes on a model.

    ``recipe`` says how long it trains and how fast. ``start`` is handed the model's towers and what
    there is to learn from; the course says which weights move and what is lowered.
    """

    name: ClassVar[str]
    source: ClassVar[str]
    recipe: ClassVar[TowerRecipe]

    def start(self, towers: DualTowers, material: TowerMaterial) -> Course: ...


class DualTowers(Protocol):
    """A dual encoder with torch towers. Both stay in evaluation mode: what is normalised by running
    averages stays so.

    The registry knows who brings an encoder's towers to torch: the kind ``towers``, by the name of
    the encoder. What stands there is called with the encoder.
    """

    @property
    def device(self) -> torch.device:
        """Where the towers are."""
        ...

    @property
    def temperature(self) -> float:
        """What similarities are divided by in the contrastive loss."""
        ...

    @property
    def picture_modules(self) -> Sequence[nn.Module]:
        """What ``see`` learns with."""
        ...

    @property
    def text_modules(self) -> Sequence[nn.Module]:
        """What ``read`` learns with."""
        ...

    @property
    def token_width(self) -> int:
        """Dimensions of a token's embedding, and of a prompt token; 0 where the text tower takes no
        prompt.
        """
        ...

    @property
    def world(self) -> Dose | None:
        """The drawn world that the model knows, and can learn from; None for all others."""
        ...

    def pictures(self, images: Sequence[Any]) -> Tensor:
        """(images, height, width, 3) uint8, or floats (images, 3, height, width), on the CPU."""
        ...

    def tokens(self, texts: Sequence[str]) -> Tensor:
        """(texts, length) whole numbers, on the CPU."""
        ...

    def see(self, pictures: Tensor) -> Tensor:
        """(pictures, dimensions) unit vectors, with gradients."""
        ...

    def read(self, tokens: Tensor, prompt: Tensor | None = None) -> Tensor:
        """(texts, dimensions) unit vectors, with gradients; ``prompt`` (tokens, token_width) stands
        before every text.
        """
        ...

    def settle(self, prompt: Tensor | None) -> Tensor | None:
        """Bring weights to the precision they are kept in; the prompt likewise."""
        ...

    def write(self, folder: Path, prompt: Tensor | None) -> None:
        """Write the towers to a folder from which the encoder of their kind reads them."""
        ...

    def spec(self, place: str) -> str:
        """The text form of the encoder that reads them from a place."""
        ...
