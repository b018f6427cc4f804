"""``fairlead frontier``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json


@click.command()
@click.option("--model", default="phantom(dose=1)", show_default=True, metavar="SPEC", help="Encoder.")
@click.option("--benchmark", default="phantom:skewed", show_default=True, metavar="SPEC", help="Benchmark with relevance and labels.")
@click.option(
    "--mitigate",
    multiple=True,
    metavar="SPEC",
    help="Method; one that leaves its knob open is swept over it. Default: pbm, detgreedy, levelled.",
)
@click.option("--mitigate-groups", default="noisy(soft=true)", show_default=True, metavar="SPEC", help="Labels the methods see.")
@click.option("--attribute", metavar="NAME", help="Attribute; the benchmark's first by default.")
@click.option("-k", type=int, metavar="N", help="How many items are shown; the benchmark's own by default.")
@click.option("--repeats", type=int, default=5, show_default=True, metavar="N", help="Galleries, each with a seed of its own.")
@click.option("--held-out/--all-queries", default=True, show_default=True, help="Only queries on which no setting was chosen, or all.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every random choice.")
@json_option
def command(as_json: bool, **choices: Any) -> None:
    """What each mitigation costs in relevance at each level of bias.

    Every method sees the same labels, which have to guess; bias is measured with the true ones. Two bounds say what could be had.

    \b
    Examples:
      fairlead frontier
      fairlead frontier --mitigate pbm --mitigate levelled -k 20 --repeats 2
      fairlead frontier --mitigate "levelled(price=2)" --mitigate-groups "noisy(accuracy=0.8,soft=true)" --json
    """
    from fairlead import frontiers
    from fairlead.report.frontier_view import frontier_view

    with progress_bar(as_json) as progress:
        found = frontiers.run(progress=progress, **choices)
    if as_json:
        show_json(found.to_dict())
    else:
        show(frontier_view(found))
