"""Work with the two towers of a model, whichever adapter brought them to torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from fairlead.protocols.training import DualTowers
from fairlead.types.ragged import Array

_AT_ONCE = 256


def weights_of(modules: Sequence[nn.Module]) -> list[nn.Parameter]:
    """The weights in some modules that are floats."""
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
