"""``fairlead rerank``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import files, json_option, progress_bar, show_json, unknown_option


@click.command()
@files
@unknown_option
@click.option(
    "--mitigate",
    required=True,
    metavar="SPEC",
    help="Reranker, e.g. pbm, detgreedy or fair_topk(alpha=0.1). See 'fairlead list rerankers'.",
)
@click.option("-k", type=int, required=True, metavar="N", help="How many items to show for each query.")
@click.option(
    "-o", "--out", type=click.Path(), metavar="OUT", help="Where to write; the suffix chooses the format (.csv .tsv .jsonl .parquet .trec)."
)
@json_option
def command(as_json: bool, out: str | None, **choices: Any) -> None:
    """Mitigate a saved RUN and write the new ranking.

    \b
    Examples:
      fairlead rerank run.csv --groups labels.csv --attribute gender --mitigate pbm -k 20 -o fairer.csv
      fairlead rerank run.trec --groups labels.csv --attribute gender --mitigate "detconstsort" --target pool -k 100 -o fairer.trec
    """
    from fairlead.engine import rerank
    from fairlead.saving import check_ranking_place, save_ranking

    if out is None and not as_json:
        raise click.UsageError("Give -o OUT to write the new ranking, or --json to print it.")
    if out is not None:
        check_ranking_place(out, [choices[name] for name in ("run", "groups", "qrels", "target")])
    with progress_bar(as_json) as progress:
        result = rerank(progress=progress, **choices)
        if out is not None:
            save_ranking(result, out)
    if as_json:
        show_json(result.to_dict())
        return
    click.echo(str(result), nl=False)
    click.echo(f"Written to {out}")
    attribute = "".join(f" --attribute {name}" for name in choices["attribute"])
    click.echo(f"Next: fairlead score {out} --groups {choices['groups']}{attribute} --against {choices['run']}")
