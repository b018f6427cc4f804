"""``fairlead annotate human status``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.options import json_option, show, show_json
from fairlead.cli.plan_options import command_of


@command_of(
    "annotate human status",
    "fairlead annotate human status labels.db",
    "fairlead annotate human status labels.db --json",
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Show how the tasks stand."""
    from fairlead.commands.human_status import status
    from fairlead.report.human import kept_line, status_view

    found = status(**choices)
    if as_json:
        show_json(found.to_dict())
        return
    kept = found.kept
    line = kept_line(kept.days, kept.answers, kept.expired, choices["store"])
    show(status_view(list(found.tasks), line))
