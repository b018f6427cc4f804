"""``replay``: the audit of a saved folder, run again from its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fairlead.commands.audit import AuditPlan
from fairlead.commands.audit import run as audited
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.inputs import changed
from fairlead.errors import DataError
from fairlead.protocols import Progress
from fairlead.protocols.trust import reading
from fairlead.results.audit import Audit
from fairlead.store.manifest_file import MANIFEST, read_manifest
from fairlead.store.versions import VERSION, refuse_other


class ReplayPlan(fields.Plan):
    """Run the audit of a saved folder again, from its manifest."""

    positional = ("folder",)

    folder: Annotated[
        fields.Path,
        Field(description="The folder that 'fairlead audit --out' wrote.", examples=["runs/low"]),
        fields.Cli(argument=True, file=True),
    ]
    trust: fields.Trust


def run(plan: ReplayPlan, progress: Progress | None = None) -> Audit:
    """The audit of a folder, anew."""
    place = Path(plan.folder) / MANIFEST
    try:
        manifest = read_manifest(place)
        choices = dict(manifest["plan"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{plan.folder} is no folder of an audit: {place.name} cannot be read.",
            "Give the folder that --out wrote.",
        ) from error
    # Before the plan is read: fields of another version would be told as unknown ones.
    refuse_other("audit", manifest.get(VERSION), plan.folder)
    # The manifest says what is opened and asked, not the user.
    with reading(place):
        found = audited(AuditPlan.of(**choices), progress)
    return _with_changes(found, manifest.get("inputs", {}))


def _with_changes(found: Audit, before: Mapping[str, Any]) -> Audit:
    """The audit, saying which files are not those of the first run: its numbers may differ."""
    about = found.result.manifest
    files = changed(before, about["inputs"]).values()
    if not files:
        return found
    names = ", ".join(dict.fromkeys(files))
    note = f"Changed since the run was saved: {names}. Other numbers than then may come of that."
    return replace(
        found,
        result=replace(found.result, manifest={**about, "warnings": [*about["warnings"], note]}),
    )


replay = as_function("replay", ReplayPlan, run)
