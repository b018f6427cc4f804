"""Data of one's own, looked through for faults: a folder by its text form, or file by file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairlead import __version__
from fairlead.benchmarks.own import OwnData
from fairlead.engine.targets import COUNTED
from fairlead.errors import UsageError
from fairlead.protocols import registry
from fairlead.protocols.benchmark import Inspected
from fairlead.protocols.spec import Configured, parse
from fairlead.results.data_check import DataCheck, DataFault


def inspected_in(plan: Any) -> Inspected | None:
    """The data that a plan of ``check`` names; None where it names a run.

    Raises:
        UsageError: For a run and data of one's own together, or half of the data.
    """
    if plan.collection is None and plan.queries is None:
        return _benchmark(plan.run)
    if plan.run is not None:
        raise UsageError("A run was given, and data of your own.", "Check one, and then the other.")
    if plan.collection is None or plan.queries is None:
        raise UsageError(
            "Data of your own need a collection and queries.",
            "Give both: --collection PATH --queries FILE. Or a folder of both: own:DIR.",
        )
    target = plan.target
    # ``OwnData`` takes a word for a way to count; a file is given to it as a path.
    if isinstance(target, str) and target not in COUNTED:
        target = Path(target)
    return OwnData(plan.collection, plan.queries, plan.groups, plan.qrels, target)


def checked(data: Inspected, plan: Any) -> DataCheck:
    """Every fault of the data, grave ones first."""
    faults = tuple(DataFault(**vars(fault)) for fault in data.faults())
    name = "own data"
    if isinstance(data, Configured):
        name = str(data)
    about = {
        "fairlead": __version__,
        "command": "check",
        "plan": plan.described(),
        "data": name,
    }
    return DataCheck(faults, about)


def _benchmark(run: Any) -> Inspected | None:
    """The benchmark that is named in place of a run, where it is one whose files can be checked."""
    if isinstance(run, Inspected):
        return run
    # A file that is there is the run, even where a benchmark is called like it.
    if not isinstance(run, str) or Path(run).exists():
        return None
    name = run.partition(":")[0].partition("(")[0]
    if name not in registry.entries("benchmark"):
        return None
    made = registry.make("benchmark", str(parse(run)))
    if isinstance(made, Inspected):
        return made
    raise UsageError(f"{run} has no files of yours to check.", "Name a run, or own:DIR.")
