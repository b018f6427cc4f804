"""The contrastive loss on captions: a caption's own picture against others, and back.

Others of which a caption happens to be true are left out, not told apart, as in the phantom's own
training.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

OUT = -1e4
"""Added to what does not count."""


def caption_loss(
    said: Tensor,
    seen: Tensor,
    true: Tensor,
    temperature: float,
    weight: Tensor | None = None,
    back: Tensor | None = None,
) -> Tensor:
    """The mean over captions and pictures.

    Args:
        said: (captions, dimensions) unit vectors of captions.
        seen: (captions, dimensions) unit vectors of their pictures.
        true: (captions, captions) which caption is true of which picture.
        temperature: What similarities are divided by.
        weight: (captions, captions) logarithms of how much each picture counts against each
            caption; alike by default.
        back: (captions, captions) the same of each caption against each picture.
    """
    logits = said @ seen.T / temperature
    diagonal = torch.eye(len(logits), dtype=torch.bool, device=logits.device)
    logits = logits.masked_fill(true & ~diagonal, OUT)
    # a caption's own picture counts in full, whatever the others weigh
    by_caption = logits if weight is None else logits + weight.masked_fill(diagonal, 0.0)
    by_picture = logits.T if back is None else logits.T + back.masked_fill(diagonal, 0.0)
    places = torch.arange(len(logits), device=logits.device)
    return (
        nn.functional.cross_entropy(by_caption, places)
        + nn.functional.cross_entropy(by_picture, places)
    ) / 2
