"""``fairlead calibrate``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.errors import CHECK_FAILED, INCONCLUSIVE


@command_of(
    "calibrate",
    "fairlead calibrate",
)
@json_option
@click.pass_context
def command(context: click.Context, /, choices: dict[str, Any], as_json: bool) -> None:
    """Calibrate and show."""
    from fairlead.commands.calibrate import calibrate
    from fairlead.report.files import calibration_view

    with progress_bar(as_json) as progress:
        found = calibrate(progress=progress, **choices)
    if as_json:
        show_json(found.to_dict())
    else:
        show(calibration_view(found))
    if not found.passed:
        # With too few repetitions it is not known whether anything failed.
        context.exit(CHECK_FAILED if found.enough else INCONCLUSIVE)
