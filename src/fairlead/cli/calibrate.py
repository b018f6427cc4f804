"""``fairlead calibrate``."""

from __future__ import annotations

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.errors import CHECK_FAILED, INCONCLUSIVE


@click.command()
@click.option(
    "--seeds",
    type=click.IntRange(min=3),
    default=60,
    show_default=True,
    help="Repetitions, paired over the doses.",
)
@json_option
@click.pass_context
def command(context: click.Context, /, seeds: int, as_json: bool) -> None:
    """Hold every fairness metric and every reranker against a bias of known dose.

    On the ideal phantom the dose is known exactly: more dose must read more, and a mitigation must
        leave less. Exits with 1 where
    something does not respond, and with 3 where fewer repetitions than the default leave that open.

    \b
    Example:
      fairlead calibrate
    """
    from fairlead.commands.calibrate import run
    from fairlead.report.files import calibration_view

    with progress_bar(as_json) as progress:
        found = run(seeds=seeds, progress=progress)
    if as_json:
        show_json(found.to_dict())
    else:
        show(calibration_view(found))
    context.exit(0 if found.passed else CHECK_FAILED if found.enough else INCONCLUSIVE)
