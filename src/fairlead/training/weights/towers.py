"""What a model must offer to be trained on: two towers on torch. One protocol, met by the phantom
and by models of open_clip.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from fairlead.types.ragged import Array

_AT_ONCE = 256


class DualTowers(Protocol):
    """A dual encoder with torch towers. Both stay in evaluation mode: what is normalised by running
    averages stays so.
    """

    device: torch.device
    temperature: float
    """What similarities are divided by in the contrastive loss."""
    picture_modules: Sequence[nn.Module]
    """What ``see`` learns with."""
    text_modules: Sequence[nn.Module]
    """What ``read`` learns with."""
    token_width: int
    """Dimensions of a token's embedding, and of a prompt token; 0 where the text tower takes no
    prompt.
    """

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


def weights_of(modules: Sequence[nn.Module]) -> list[nn.Parameter]:
    """The weights of modules that are floats."""
    return [
        weight for module in modules for weight in module.parameters() if weight.is_floating_point()
    ]


def seen(towers: DualTowers, pictures: Tensor) -> Tensor:
    """(pictures, dimensions) unit vectors on the device, without gradients."""
    with torch.no_grad():
        return torch.cat([towers.see(part.to(towers.device)) for part in pictures.split(_AT_ONCE)])


def read(towers: DualTowers, tokens: Tensor, prompt: Tensor | None = None) -> Tensor:
    """(texts, dimensions) unit vectors on the device, without gradients."""
    with torch.no_grad():
        return torch.cat(
            [towers.read(part.to(towers.device), prompt) for part in tokens.split(_AT_ONCE)]
        )


def halved(values: Tensor) -> Array:
    """An array in half precision."""
    return values.detach().cpu().numpy().astype(np.float16)
