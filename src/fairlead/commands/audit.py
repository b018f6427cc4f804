"""Assembly of audits: a model and a benchmark by name, the whole road from text to report, and the
folder that replays it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.audits import manifest_of, open_audit
from fairlead.engine.inputs import inputs_of
from fairlead.engine.questions import asked_in, refuse_both
from fairlead.engine.saved import saved_run
from fairlead.engine.setup import Setup
from fairlead.protocols import Progress
from fairlead.report.pictures import strips
from fairlead.report.saving import result_place, score_page, write_folder
from fairlead.results.audit import Audit
from fairlead.store.saved_run import write_saved


class AuditPlan(fields.OwnFields):
    """Audit a model on a benchmark, plain and mitigated.

    Who mitigates is not who measures: rerankers see the labels of --mitigate-groups, metrics those
    of --groups.

    >>> import fairlead
    >>> found = fairlead.audit(
    ...     "phantom_ideal(dose=0.8)", "phantom(seeds=4)", metric="AbsBias@10", attribute="gender"
    ... )
    >>> found.result.rows[0].excess > 0
    True
    """

    positional = ("model", "benchmark")

    model: fields.Encoding
    benchmark: fields.Benchmark
    mitigate: fields.Mitigations
    metric: fields.Metrics
    attribute: Annotated[
        fields.Some[str],
        Field(
            default=None,
            description="Attribute; the benchmark's own by default. The first is mitigated.",
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    groups: Annotated[
        fields.Labels | None,
        Field(
            default=None,
            description=(
                "Labels that measure, e.g. noisy(accuracy=0.95) or labels.csv; the benchmark's "
                "own by default."
            ),
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="SPEC|FILE"),
    ]
    mitigate_groups: fields.MitigateGroups
    map: fields.Map
    k: Annotated[
        int | None,
        Field(
            default=None,
            description="How many items a mitigated list shows; the benchmark's own by default.",
            examples=[20],
        ),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    index: fields.Indexing
    target: fields.Targeted
    depth: fields.Depth
    limit: fields.Limit
    null: fields.Null
    unknown: fields.Unknown
    interval: fields.Interval
    trigger: fields.Trigger
    leave: fields.Leave
    leave_out: fields.LeaveOut
    least: fields.Least
    seed: fields.Seed
    trust: fields.Trust


def run(plan: AuditPlan, progress: Progress | None = None) -> Audit:
    """The audit of a model."""
    refuse_both(plan)
    benchmark, groups = asked_in(plan)
    setup = Setup.of(plan, k=plan.k or 0, groups=groups, saved=True)
    opened = open_audit(setup, benchmark, progress)
    outcome = opened.run(progress)
    # An audit always measures; a search may be asked not to.
    assert outcome.scores is not None
    about = manifest_of(plan.described(), opened, outcome)
    # A list of what is left out is named by its fingerprint alone: its lines may be people.
    about["inputs"] = inputs_of(plan, opened.study.files)
    result = replace(outcome.scores, manifest=about)
    run = saved_run(opened.engine, outcome, about)
    return Audit(result, run.lists, opened.study, run)


audit = as_function("audit", AuditPlan, run)


def save_audit(found: Audit, path: str | Path) -> Path:
    """Write an audit: a folder (manifest, scores, values per query, rankings, page), a page or a
    JSON file. Whole or not at all.
    """
    with audit_place(path) as write:
        write(found)
    return Path(path)


def audit_place(path: str | Path | None) -> AbstractContextManager[Callable[[Audit], None]]:
    """The place of an audit: a page, a JSON file, or a folder that replays it."""
    return result_place(path, _page, _write, "audit")


def _page(found: Audit) -> str:
    return score_page(found.result, strips(found))


def _write(found: Audit, folder: Path) -> None:
    write_folder(found.result, folder, strips(found))
    # What score and rerank read to go on from this audit.
    write_saved(folder / "run.parquet", found.run)
