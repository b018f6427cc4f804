"""``check``: validate a saved run and its labels."""

from __future__ import annotations

from fairlead.commands.functions import as_function
from fairlead.commands.manifest import manifest
from fairlead.engine import plan as fields
from fairlead.engine.check import inspect
from fairlead.engine.recorded import open_bench, warnings_of
from fairlead.protocols import Progress
from fairlead.results.check import CheckResult


class CheckPlan(fields.LabelPlan):
    """Validate a run and its labels, and report how much is labelled."""


def run(plan: CheckPlan, progress: Progress | None = None) -> CheckResult:
    """What the files hold."""
    return _body(plan, progress)


check = as_function("check", CheckPlan, run)


def _body(plan: CheckPlan, progress: Progress | None = None) -> CheckResult:
    bench = open_bench(plan, progress)
    coverage = {name: vars(c) for name, c in bench.labels.coverage.items()}
    return inspect(bench.evidence, coverage, manifest("check", plan, bench, warnings_of(bench)))
