"""``fairlead frontier``."""

from __future__ import annotations

import shutil
from typing import Any

import click

from fairlead.cli.options import (
    json_option,
    leave_out_option,
    progress_bar,
    show,
    show_json,
    warn_unfit,
)
from fairlead.errors import CHECK_FAILED


@click.command()
@click.option(
    "--model", default="phantom(dose=1)", show_default=True, metavar="SPEC", help="Encoder."
)
@click.option(
    "--benchmark",
    default="phantom:skewed",
    show_default=True,
    metavar="SPEC",
    help="Benchmark with relevance and labels.",
)
@click.option(
    "--mitigate",
    multiple=True,
    metavar="SPEC",
    help="Method: a reranker, a projection, or projection+reranker; one that leaves its knob open "
    "is swept over it. "
    "Default: pbm, detgreedy, fairexpec, levelled.",
)
@click.option(
    "--mitigate-groups",
    default="noisy(soft=true)",
    show_default=True,
    metavar="SPEC",
    help="Labels the methods see.",
)
@click.option("--attribute", metavar="NAME", help="Attribute; the benchmark's first by default.")
@click.option(
    "-k", type=int, metavar="N", help="How many items are shown; the benchmark's own by default."
)
@click.option(
    "--repeats",
    type=int,
    default=5,
    show_default=True,
    metavar="N",
    help="Galleries, each with a seed of its own.",
)
@click.option(
    "--held-out/--all-queries",
    default=True,
    show_default=True,
    help="Only queries on which no setting was chosen, or all.",
)
@click.option(
    "--trigger/--no-trigger",
    default=True,
    show_default=True,
    help="Leave queries alone that ask for a group by name.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Say for every setting whether it may be switched on; exit with 1 where one may not.",
)
@click.option(
    "--tolerance",
    type=float,
    default=0.05,
    show_default=True,
    metavar="X",
    help="nDCG that a mitigation may cost.",
)
@click.option(
    "--explicit-tolerance",
    type=float,
    default=0.02,
    show_default=True,
    metavar="X",
    help="Share of the accuracy of queries that ask for a group that it may cost.",
)
@leave_out_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every random choice.")
@click.option(
    "-o", "--out", type=click.Path(), metavar="FILE", help="Write the picture (.html), or .json."
)
@json_option
@click.pass_context
def command(
    context: click.Context, /, check: bool, out: str | None, as_json: bool, **choices: Any
) -> None:
    """What each mitigation costs in relevance at each level of bias.

    Every method sees the same labels, which have to guess; bias is measured with the true ones.
    Bounds are the best of lists that take each group's items from the top. With --check, a setting
    passes where the paired interval shows less bias than plain search on held-out queries, where
    nDCG is not lower by more than the tolerance, and where queries that ask for a group by name
    keep their accuracy.

    \b
    Examples:
      fairlead frontier
      fairlead frontier --mitigate pbm --mitigate levelled -k 20 --repeats 2 -o frontier.html
      fairlead frontier --mitigate "mi_clip(share=0.5)+levelled" --mitigate-groups
      "noisy(accuracy=0.8,soft=true)" --json fairlead frontier --check --mitigate
      "levelled(price=1)" --mitigate "pbm(theta=1)"
    """
    from fairlead.commands import frontier as frontiers
    from fairlead.report.frontier_page import frontier_page
    from fairlead.report.frontier_view import frontier_view
    from fairlead.report.panel_saving import panel_place

    with panel_place(out, frontier_page) as write, progress_bar(as_json) as progress:
        found = frontiers.run(progress=progress, **choices)
        write(found)
    warn_unfit(found.manifest, as_json=as_json)
    if as_json:
        show_json(found.to_dict())
    else:
        show(
            frontier_view(
                found, checked=check, narrow=shutil.get_terminal_size((120, 24)).columns < 110
            )
        )
        if out is not None:
            click.echo(f"Written to {out}")
    if check and not all(one.passed for one in found.verdicts):
        context.exit(CHECK_FAILED)
