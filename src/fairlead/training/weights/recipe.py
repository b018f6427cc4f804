"""How long a method trains, and how fast; kept apart from the loop, which needs torch."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class TowerRecipe:
    """How long to train, and how fast; ``turns`` are the adversary's steps per model step."""

    steps: int
    batch: int
    rate: float
    warm: int = 0
    turns: int = 1
    rival_rate: float = 2e-3

    def shortened(self, factor: float) -> TowerRecipe:
        """The recipe with a share of the steps; never fewer than a schedule needs."""
        return replace(
            self, steps=max(4, round(factor * self.steps)), warm=round(min(1.0, factor) * self.warm)
        )
