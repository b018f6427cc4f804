"""``fairlead score``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import (
    files,
    json_option,
    least_option,
    progress_bar,
    show,
    show_json,
    unknown_option,
)


@click.command()
@files
@unknown_option
@click.option(
    "--metric",
    multiple=True,
    metavar="SPEC",
    help="Metric, e.g. NDKL@100 or Bias(positive=female)@10. See 'fairlead list metrics'.",
)
@click.option(
    "--null",
    type=click.Choice(["order", "gallery", "target"]),
    help="Chance level; chosen by what is known by default.",
)
@click.option(
    "--against",
    type=click.Path(),
    metavar="RUN2",
    help="A second run over the same queries: adds paired differences.",
)
@click.option(
    "--interval",
    type=click.Choice(["studentised", "percentile"]),
    default="studentised",
    show_default=True,
    help="Bootstrap over queries.",
)
@click.option(
    "--clusters",
    type=click.Path(),
    metavar="FILE",
    help="Queries to be resampled together: query,cluster.",
)
@click.option(
    "--detect",
    type=Number(),
    metavar="DIFF",
    help="Also say how many queries are needed to see this difference.",
)
@click.option(
    "--label-sample",
    type=click.Path(),
    metavar="FILE",
    help=(
        "True labels of some ranked items, as people gave them (item, one column per "
        "attribute): corrects for label error."
    ),
)
@click.option(
    "--label-error",
    is_flag=True,
    default=None,
    help="Also say how wrong the labels would have to be to overturn each reading.",
)
@click.option(
    "--ranked-by",
    metavar="SPEC",
    help="The model that ranked: a warning where it also made the labels (--source).",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    metavar="DIR|FILE.html|FILE.json",
    help="Write the result: a folder, a page or a JSON file.",
)
@least_option
@json_option
def command(as_json: bool, out: str | None, **choices: Any) -> None:
    """Measure a saved RUN against labels.

    RUN is a TREC run, or CSV, JSONL or Parquet with query, item, score. Every fairness number comes
    with its chance level, an interval over queries and a correction for the number of looks.

    \b
    Examples:
      fairlead score run.trec --groups labels.csv
      fairlead score run.csv --groups labels.csv --attribute gender*skin --metric NDKL@50 -o
      report.html fairlead score new.csv --groups labels.csv --against old.csv --qrels qrels.txt
      --json fairlead score run.csv --groups predicted.csv --label-sample checked.csv
    """
    from fairlead.commands.score import score
    from fairlead.report.saving import score_place
    from fairlead.report.terminal import score_view

    with progress_bar(as_json) as progress, score_place(out) as write:
        result = score(progress=progress, **choices)
        write(result)
    if as_json:
        show_json(result.to_dict())
    else:
        show(score_view(result))
        if out is not None:
            click.echo(f"Written to {out}")
