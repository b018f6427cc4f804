"""``replay``: the audit of a saved folder, run again from its manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fairlead.commands.audit import AuditPlan
from fairlead.commands.audit import run as audited
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
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
        return audited(AuditPlan.of(**choices), progress)


replay = as_function("replay", ReplayPlan, run)
