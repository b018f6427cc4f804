"""``fairlead reproduce``."""

from __future__ import annotations

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.errors import CHECK_FAILED


@click.command()
@click.option(
    "--paper",
    "papers",
    multiple=True,
    metavar="NAME",
    help="Only this paper: feng-shah, pbm, sispi or perspectival.",
)
@click.option(
    "--rows", is_flag=True, help="Show every row, not one line for each table; implied by --paper."
)
@click.option(
    "--runs",
    type=click.IntRange(min=20),
    metavar="N",
    help="Monte-Carlo runs of each random cell. [5000]",
)
@click.option(
    "--labels",
    multiple=True,
    metavar="NAME=FILE",
    help="Label files you have: occupation1=FILE, occupation2=FILE.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every random choice.")
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    papers: tuple[str, ...],
    rows: bool,
    runs: int | None,
    labels: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Compute the published numbers of the four source papers, live: published, ours, verdict and
    why.

    Exits with 1 where a number differs beyond its noise.

    \b
    Examples:
      fairlead reproduce
      fairlead reproduce --paper feng-shah
      fairlead reproduce --json
    """
    from fairlead.commands.score import reproduce
    from fairlead.report.files import ledger_summary, ledger_view

    for pair in labels:
        if "=" not in pair:
            raise click.UsageError(
                f"--labels got '{pair}'; write NAME=FILE, e.g. occupation1=labels.csv."
            )
    files = dict(pair.split("=", 1) for pair in labels)
    with progress_bar(as_json) as progress:
        ledger = reproduce(papers or None, runs=runs, seed=seed, labels=files, progress=progress)
    if as_json:
        show_json(ledger.to_dict())
    else:
        show(ledger_view(ledger) if rows or papers else ledger_summary(ledger))
    context.exit(CHECK_FAILED if ledger.worst == "differs" else 0)
