"""``fairlead check``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say
from fairlead.errors import CHECK_FAILED


@command_of(
    "check",
    "fairlead check run.csv --groups labels.csv --min-coverage 0.9",
    "fairlead check own:people",
    "fairlead check --collection photos --queries queries.csv --groups labels.csv",
)
@click.option(
    "--min-coverage",
    type=Number(0, 1),
    default=0.0,
    metavar="SHARE",
    help="Fail (exit 1) where less of the run is labelled.",
)
@json_option
@click.pass_context
def command(
    context: click.Context, /, choices: dict[str, Any], as_json: bool, min_coverage: float
) -> None:
    """Check and show."""
    from fairlead.commands.check import check
    from fairlead.report.showing import view
    from fairlead.results.check import CheckResult

    with progress_bar(as_json) as progress:
        result = check(progress=progress, **choices)
    failed = result.below(min_coverage)
    if as_json:
        show_json({**result.to_dict(), "failed": failed})
    else:
        show(view(result))
        low = failed
        if not isinstance(result, CheckResult):
            # Grave faults are in the table already.
            low = [name for name in failed if name in result.coverage]
        if low:
            say(f"Below the coverage of {min_coverage:g}: {', '.join(low)}", err=True)
    if failed:
        context.exit(CHECK_FAILED)
