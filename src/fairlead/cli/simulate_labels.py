"""``fairlead simulate labels``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of


@command_of(
    "simulate labels",
    "fairlead simulate labels --pool 0.95 --sensitivity 0.98 0.97",
    "fairlead simulate labels --trials 100 --json",
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Simulate and show."""
    from fairlead.commands.simulate_labels import labels
    from fairlead.report.trials import label_trials_view

    with progress_bar(as_json) as progress:
        found = labels(progress=progress, **choices)
    if as_json:
        show_json(found.to_dict())
    else:
        show(label_trials_view(found))
