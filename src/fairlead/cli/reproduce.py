"""``fairlead reproduce``."""

from __future__ import annotations

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.errors import CHECK_FAILED


@click.command()
@click.option("--paper", "papers", multiple=True, metavar="NAME", help="Only this paper: feng-shah, pbm, sispi or perspectival.")
@click.option(
    "--runs", type=click.IntRange(min=2), metavar="N", help="Monte-Carlo runs of each stochastic cell; the papers' own number by default."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every random choice.")
@json_option
@click.pass_context
def command(context: click.Context, papers: tuple[str, ...], runs: int | None, seed: int, as_json: bool) -> None:
    """Compute the published numbers of the four source papers, live: published, ours, verdict and why.

    \b
    Examples:
      fairlead reproduce
      fairlead reproduce --paper feng-shah --json
    """
    from fairlead.report.files import ledger_view
    from fairlead.tasks.reproduce import reproduce

    with progress_bar(as_json) as progress:
        ledger = reproduce(papers or None, runs=runs, seed=seed, progress=progress)
    if as_json:
        show_json(ledger.to_dict())
    else:
        show(ledger_view(ledger))
    context.exit(CHECK_FAILED if any(row.verdict == "differs" for row in ledger.rows) else 0)
