"""``simulate labels``: lists balanced on predicted labels, and their true bias."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.protocols import Progress
from fairlead.statistics.correction import Way
from fairlead.studies.label_trials import LabelTrials, simulate_labels


class LabelTrialsPlan(fields.Plan):
    """Lists balanced on predicted labels: their true bias, and how often naive and corrected
    intervals hold it.

    A list shows k items, half of them predicted to be of each group. People label a sample of lists
    of the same kind. The corrected interval is of the true bias of the list that is shown, (larger
    - smaller group) / k.
    """

    pools: Annotated[
        fields.Several[float],
        Field(
            default=(0.6, 0.9, 0.95, 0.99),
            description="Share of the larger group in the pool; may be given again.",
            examples=[0.95],
        ),
        fields.Cli(flags=("--pool",)),
    ]
    sensitivities: Annotated[
        tuple[tuple[float, float], ...],
        Field(
            # The zero-shot prompt labeller of Table 3 in the PBM paper, for gender and for skin.
            default=((0.98, 0.97), (0.88, 0.81)),
            description=(
                "Of the labeller, for the larger and for the smaller group; may be given again."
            ),
            examples=[((0.98, 0.97),)],
        ),
        fields.Cli(flags=("--sensitivity",)),
    ]
    samples: Annotated[
        fields.Several[int],
        Field(
            default=(50, 200, 800),
            description="Labelled items of lists of the same kind; may be given again.",
            examples=[200],
        ),
        fields.Cli(flags=("--sample",)),
    ]
    k: Annotated[
        int,
        Field(
            default=100,
            description="Items of the list, half of each predicted group.",
            examples=[20],
        ),
        fields.Cli(flags=("-k",)),
    ]
    trials: Annotated[
        int,
        Field(
            default=500, ge=1, description="Labelled samples drawn for each row.", examples=[100]
        ),
    ]
    way: Annotated[
        Way,
        Field(default="direct", description="How shares are corrected.", examples=["em"]),
    ]
    seed: fields.Seed


def run(plan: LabelTrialsPlan, progress: Progress | None = None) -> LabelTrials:
    """A row for every pool, labeller and size of sample."""
    return simulate_labels(
        plan.pools,
        plan.sensitivities,
        samples=plan.samples,
        k=plan.k,
        trials=plan.trials,
        way=plan.way,
        seed=plan.seed,
        progress=progress,
    )


labels = as_function("labels", LabelTrialsPlan, run)
