"""``check``: validate a saved run and its labels."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.check import inspect
from fairlead.engine.recorded import open_bench, warnings_of
from fairlead.engine.scores import manifest_in
from fairlead.protocols import Progress
from fairlead.results.check import CheckResult


class CheckPlan(fields.LabelPlan):
    """Validate a run and its labels, and report how much is labelled."""

    groups: Annotated[
        fields.Labels,
        Field(
            description=(
                "Labels: CSV, TSV, JSONL or Parquet with 'item' and one column per attribute."
            ),
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]


def run(plan: CheckPlan, progress: Progress | None = None) -> CheckResult:
    """What the files hold."""
    bench = open_bench(plan, progress)
    coverage = {name: vars(one) for name, one in bench.labels.coverage.items()}
    return inspect(bench.evidence, coverage, manifest_in("check", plan, bench, warnings_of(bench)))


check = as_function("check", CheckPlan, run)
