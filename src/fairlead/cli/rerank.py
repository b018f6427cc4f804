"""``fairlead rerank``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.options import (
    files,
    json_option,
    leave_option,
    progress_bar,
    said_again,
    show_json,
    trigger_option,
    unknown_option,
)


@click.command()
@files
@unknown_option
@click.option(
    "--mitigate",
    required=True,
    metavar="SPEC",
    help="Reranker, e.g. pbm, detgreedy or fair_topk(alpha=0.1). See 'fairlead list rerankers'.",
)
@click.option(
    "-k", type=int, required=True, metavar="N", help="How many items to show for each query."
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    metavar="OUT",
    help="Where to write; the suffix chooses the format (.csv .tsv .jsonl .parquet .trec).",
)
@trigger_option
@leave_option
@json_option
def command(as_json: bool, out: str | None, **choices: Any) -> None:
    """Mitigate a saved RUN and write the new ranking.

    Query ids are read as what was asked: lists of queries that name a group or a person stay as
        they are (see 'fairlead trigger').

    \b
    Examples:
      fairlead rerank run.csv --groups labels.csv --attribute gender --mitigate pbm -k 20 -o
      fairer.csv fairlead rerank run.trec --groups labels.csv --attribute gender --mitigate
      "detconstsort" --target pool -k 100 -o fairer.trec
    """
    from fairlead.commands.score import rerank
    from fairlead.report.saving import check_ranking_place, save_ranking

    if out is None and not as_json:
        raise click.UsageError("Give -o OUT to write the new ranking, or --json to print it.")
    if out is not None:
        check_ranking_place(out)
    with progress_bar(as_json) as progress:
        result = rerank(progress=progress, **choices)
        if out is not None:
            save_ranking(result, out)
    if as_json:
        show_json(result.to_dict())
        return
    click.echo(str(result), nl=False)
    click.echo(f"Written to {out}")
    again = said_again(
        "groups",
        "attribute",
        "target",
        "qrels",
        "unknown",
        "ties",
        "blocks",
        "source",
        "leave_out",
        "seed",
    )
    click.echo(
        f"Next: {shlex.join(['fairlead', 'score', str(out), *again, '--against', choices['run']])}"
    )
