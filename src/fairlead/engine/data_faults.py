"""Data of one's own, looked through for faults: a folder by its text form, or file by file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from fairlead.benchmarks.own import Own, OwnData
from fairlead.engine.manifest import MADE_BY
from fairlead.engine.targets import COUNTED
from fairlead.errors import UsageError
from fairlead.protocols import registry
from fairlead.protocols.benchmark import Inspected
from fairlead.protocols.spec import parse
from fairlead.results.data_check import DataCheck, DataFault
from fairlead.types import Groups
from fairlead.types.joining import read_map


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
    data = OwnData(plan.collection, plan.queries, plan.groups, plan.qrels, target)
    return replace(data, rename=read_map(plan.map))


def checked(data: Inspected, plan: Any) -> DataCheck:
    """Every fault of the data, grave ones first."""
    if isinstance(data, Own):
        # The folder by its files, so that groups go by the names that an audit gives them.
        data = replace(data.data, rename=read_map(plan.map))
    faults = tuple(DataFault(**vars(fault)) for fault in data.faults())
    about = {
        **MADE_BY,
        "command": "check",
        "plan": plan.described(),
        "data": data.name if isinstance(data, OwnData) else str(data),
    }
    if any(fault.grave for fault in faults):
        return DataCheck(faults, about)
    study = data.study()
    every = {**study.collection.groups, **study.roles}
    return DataCheck(
        faults,
        about,
        {"items": len(study.collection), "queries": len(study.queries)},
        {name: _coverage(every[name]) for name in study.attributes or every},
    )


def _coverage(groups: Groups) -> dict[str, float]:
    """Shares of what is labelled, of what is not, and of what the attribute does not apply to."""
    absent = groups.not_applicable
    assert absent is not None
    gone = float(absent.mean()) if len(groups) else 0.0
    known = float(groups.share.sum() / max(len(groups), 1))
    return {"known": known, "unknown": 1 - known - gone, "not_applicable": gone}


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
