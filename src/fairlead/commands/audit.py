"""Assembly of audits: a model and a benchmark by name, the whole road from text to report, and the
folder that replays it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from fairlead.engine.audits import manifest_of, open_audit
from fairlead.engine.leave_out import list_behind
from fairlead.engine.plan import AuditPlan
from fairlead.engine.saved import saved_run
from fairlead.engine.setup import Setup
from fairlead.errors import DataError
from fairlead.protocols import Progress
from fairlead.report.pictures import strips
from fairlead.report.saving import PAGES, check_folder_name, score_place, write_folder
from fairlead.results.audit import Audit
from fairlead.store.atomic import atomic_folder
from fairlead.store.saved_run import write_saved


def audit(
    model: Any = "phantom",
    benchmark: Any = "phantom",
    *,
    progress: Progress | None = None,
    **choices: Any,
) -> Audit:
    """Audit a model on a benchmark, plain and mitigated; see ``AuditPlan`` for the choices.

    >>> audited = audit("phantom_ideal(dose=0.8)", "phantom(seeds=4)", metric="AbsBias@10")
    >>> audited.result.rows[0].excess > 0
    True
    """
    plan = cast(AuditPlan, AuditPlan.of(model=model, benchmark=benchmark, **choices))
    opened = open_audit(Setup.of(plan, k=plan.k or 0, saved=True), plan.benchmark, progress)
    outcome = opened.run(progress)
    assert outcome.scores is not None
    about = manifest_of(plan.described(), opened, outcome)
    about["inputs"] |= list_behind(plan.leave_out)
    result = replace(outcome.scores, manifest=about)
    run = saved_run(opened.engine, outcome, about)
    return Audit(result, run.lists, opened.study, run)


def save_audit(found: Audit, path: str | Path) -> Path:
    """Write an audit: a folder (manifest, scores, values per query, rankings, page), a page or a
    JSON file. Whole or not at all.
    """
    with audit_place(path) as write:
        write(found)
    return Path(path)


@contextmanager
def audit_place(path: str | Path | None) -> Iterator[Callable[[Audit], None]]:
    """A function that writes an audit to its place, which is checked on entering; None writes
    nothing.
    """
    if path is None or Path(path).suffix.lower() in (*PAGES, ".json"):
        with score_place(path) as write:
            yield lambda found: write(found.result, () if path is None else strips(found))
        return
    check_folder_name(path)
    with atomic_folder(path, {"command": "audit"}) as folder:
        yield lambda found: _write(found, folder)


def _write(found: Audit, folder: Path) -> None:
    write_folder(found.result, folder, strips(found))
    write_saved(folder / "run.parquet", found.run)


def replay(path: str | Path, *, progress: Progress | None = None) -> Audit:
    """Run an audit again from its folder's manifest."""
    place = Path(path) / "manifest.json"
    try:
        plan = json.loads(place.read_text(encoding="utf-8"))["plan"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(
            f"{path} is no folder of an audit: {place.name} cannot be read.",
            "Give the folder that --out wrote.",
        ) from error
    return audit(progress=progress, **plan)


def _file_name(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text).strip("-")
