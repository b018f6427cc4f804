"""``fairlead doctor``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.options import json_option, show, show_json
from fairlead.cli.plan_options import command_of


@command_of("doctor", "fairlead doctor", "fairlead doctor --json")
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Look and show."""
    from fairlead.commands.doctor import doctor
    from fairlead.report.showing import view

    found = doctor(**choices)
    if as_json:
        show_json(found.to_dict())
        return
    show(view(found))
