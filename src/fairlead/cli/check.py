"""``fairlead check``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import files, json_option, least_option, progress_bar, show, show_json
from fairlead.errors import CHECK_FAILED


@click.command()
@files
@click.option(
    "--min-coverage",
    type=Number(0, 1),
    default=0.0,
    metavar="SHARE",
    help="Fail (exit 1) where less of the run is labelled.",
)
@least_option
@json_option
@click.pass_context
def command(context: click.Context, /, as_json: bool, min_coverage: float, **choices: Any) -> None:
    """Validate a RUN and its labels, and report how much is labelled.

    \b
    Example:
      fairlead check run.csv --groups labels.csv --min-coverage 0.9
    """
    from fairlead.commands.score import check
    from fairlead.report.files import check_view

    with progress_bar(as_json) as progress:
        result = check(progress=progress, **choices)
    failed = result.below(min_coverage)
    if as_json:
        show_json({**result.to_dict(), "failed": failed})
    else:
        show(check_view(result))
        if failed:
            click.echo(f"Below the coverage of {min_coverage:g}: {', '.join(failed)}", err=True)
    context.exit(CHECK_FAILED if failed else 0)
