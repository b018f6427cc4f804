"""The adversary, a network that guesses the group, and the probe that judges afterwards.

The adversary that a model was trained against is a poor judge: the model learnt to fool that very
one. The card therefore tells what a fresh one, trained on the finished model, gets right on items
that nobody was trained on.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

_HIDDEN = 128
_STEPS, _BATCH, _RATE = 300, 256, 3e-3


class Adversary(nn.Module):
    """Three layers from features to a score for each group."""

    def __init__(self, features: int, groups: int) -> None:
        super().__init__()
        layers = (
            nn.Linear(features, _HIDDEN),
            nn.ReLU(),
            nn.Linear(_HIDDEN, _HIDDEN),
            nn.ReLU(),
            nn.Linear(_HIDDEN, groups),
        )
        self.layers = nn.Sequential(*layers)

    def forward(self, features: Tensor) -> Tensor:
        """(items, groups) scores."""
        return self.layers(features)  # type: ignore[no-any-return]


def certainty(scores: Tensor) -> Tensor:
    """How far an adversary's scores (items, groups) are from even odds: 0 where it cannot tell.

    The cross-entropy of even odds, less that of even odds with themselves. Edwards and Storkey
    lower the adversary's likelihood instead, which has no floor: a model then learns to show every
    item as the other group's, which the next adversary reads off.
    """
    even = torch.full((scores.shape[1],), 1 / scores.shape[1], device=scores.device)
    return -(scores.log_softmax(1) * even).sum(1).mean() + (even * even.log()).sum()


def probe(
    features: Tensor,
    codes: Tensor,
    held: Tensor,
    held_codes: Tensor,
    seed: int = 0,
    factor: float = 1.0,
) -> float:
    """How often a fresh adversary guesses the group of held-out items; chance is 1 / groups.

    Each group counts alike.

    Args:
        features: (items, dimensions) what it learns from.
        codes: (items,) their groups.
        held: (held-out items, dimensions) what it is tried on.
        held_codes: (held-out items,) their groups.
        seed: Seed of every random choice.
        factor: Share of the steps.
    """
    torch.manual_seed(seed)
    groups = int(codes.max()) + 1
    mean, scale = features.mean(0), features.std(0).clamp(min=1e-6)
    adversary = Adversary(features.shape[1], groups).to(features.device)
    optimiser = torch.optim.AdamW(adversary.parameters(), lr=_RATE, weight_decay=0.05)
    standard = (features - mean) / scale
    places = [torch.nonzero(codes == code).flatten() for code in range(groups)]
    for _ in range(max(50, round(factor * _STEPS))):
        rows = drawn(places, _BATCH)
        loss = nn.functional.cross_entropy(adversary(standard[rows]), codes[rows])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    with torch.no_grad():
        right = adversary((held - mean) / scale).argmax(1) == held_codes
    return float(
        torch.stack(
            [right[held_codes == code].float().mean() for code in held_codes.unique()]
        ).mean()
    )


def drawn(places: list[Tensor], size: int) -> Tensor:
    """About ``size`` rows, the same number from each group that has any."""
    some = [rows for rows in places if len(rows)]
    return torch.cat(
        [
            rows[torch.randint(len(rows), (max(1, size // len(some)),), device=rows.device)]
            for rows in some
        ]
    )
