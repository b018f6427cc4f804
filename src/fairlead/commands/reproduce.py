"""``reproduce``: the published numbers of the four source papers, computed live."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.errors import DataError, unknown_name
from fairlead.protocols import Progress
from fairlead.store.label_counts import read_counts
from fairlead.studies import reproduce as reproducing
from fairlead.studies.ledger.rows import Ledger
from fairlead.studies.ledger.settings import SOURCES
from fairlead.studies.reproduce import FEWEST_RUNS, RUNS


class ReproducePlan(fields.Plan):
    """Compute the published numbers of the four source papers, live: published, ours, verdict and
    why.
    """

    positional = ("papers",)

    papers: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="Only this paper: feng-shah, pbm, sispi or perspectival.",
            examples=["feng-shah"],
        ),
        fields.Cli(flags=("--paper",), metavar="NAME"),
    ]
    runs: Annotated[
        int,
        Field(
            default=RUNS,
            ge=FEWEST_RUNS,
            description="Monte-Carlo runs of each random cell.",
            examples=[200],
        ),
        fields.Cli(metavar="N"),
    ]
    labels: Annotated[
        fields.Pairs,
        Field(
            default={},
            description="Label files you have: occupation1=FILE, occupation2=FILE.",
            examples=[{"occupation1": "labels.csv"}],
        ),
        fields.Cli(metavar="NAME=FILE"),
    ]
    seed: fields.Seed


def run(plan: ReproducePlan, progress: Progress | None = None) -> Ledger:
    """The ledger of published numbers."""
    # Names are checked before any file is read.
    for name in plan.labels:
        if name not in SOURCES:
            raise unknown_name("set of labels", name, SOURCES)
    counts = {}
    for name, path in plan.labels.items():
        try:
            counts[name] = read_counts(name, Path(path))
        except DataError as error:
            # Names the very file: its repository holds several tables of labels.
            raise DataError(error.message, f"{error.hint} The file is {SOURCES[name]}.") from error
    return reproducing.reproduce(
        plan.papers or None, runs=plan.runs, seed=plan.seed, labels=counts, progress=progress
    )


reproduce = as_function("reproduce", ReproducePlan, run)
