"""``check``: validate a saved run and its labels, or data of one's own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.check import inspect
from fairlead.engine.data_faults import checked, inspected_in
from fairlead.engine.recorded import open_bench, warnings_of
from fairlead.engine.scores import manifest_in
from fairlead.errors import UsageError
from fairlead.protocols import Progress
from fairlead.results.check import CheckResult
from fairlead.results.data_check import DataCheck


class CheckPlan(fields.LabelPlan):
    """Validate a run and its labels, and report how much is labelled; or data of your own.

    Of a run it says how much of it is labelled. Of data of your own (own:DIR, or --collection with
    --queries) it shows every fault with file and line.
    """

    run: Annotated[
        fields.Run | None,
        Field(
            default=None,
            description="A run, as score reads it; or own:DIR, a folder of your own data.",
            examples=["run.csv", "own:people"],
        ),
        fields.Cli(argument=True, file=True),
    ]
    groups: Annotated[
        fields.Labels | None,
        Field(
            default=None,
            description=(
                "Labels: CSV, TSV, JSONL or Parquet with 'item' and one column per attribute."
            ),
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    collection: fields.OwnCollection
    queries: fields.OwnQueries


def run(plan: CheckPlan, progress: Progress | None = None) -> CheckResult | DataCheck:
    """What the files hold, or what is wrong with them."""
    # Data of one's own may be named as a run (own:DIR) or by their files.
    data = inspected_in(plan)
    if data is not None:
        return checked(data, plan)
    # Both are optional fields, for a check of one's own data needs neither.
    if plan.run is None:
        raise UsageError("Nothing is to be checked.", "Name a run, or own:DIR.")
    if plan.groups is None:
        raise UsageError("No labels were given.", "Name them with --groups FILE.")
    bench = open_bench(plan, progress)
    coverage = {name: vars(one) for name, one in bench.labels.coverage.items()}
    return inspect(bench.evidence, coverage, manifest_in("check", plan, bench, warnings_of(bench)))


check = as_function("check", CheckPlan, run)
