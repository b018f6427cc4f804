"""``fairlead demo``."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

from fairlead.cli.options import json_option, show, show_json


@click.command()
@click.option("-o", "--out", type=click.Path(), metavar="DIR|FILE.html", help="Also write the result of the plain ranking.")
@json_option
def command(as_json: bool, out: str | None) -> None:
    """Score a small shipped ranking, mitigate it, and score it again.

    The ranking is made up (24 occupations, 60 drawings each): an example, not evidence about any real search.
    """
    from fairlead.engine import save_score, score_variants
    from fairlead.report.terminal import score_view

    with as_file(files("fairlead") / "example") as folder:
        result = score_variants(
            folder / "run.csv",
            folder / "labels.csv",
            qrels=folder / "qrels.txt",
            attribute="gender",
            metric=["NDKL@20", "AbsBias@20", "nDCG@20"],
            mitigate=["pbm", "detgreedy"],
            k=20,
        )
        if out is not None:
            save_score(result, out)
    if as_json:
        show_json(result.to_dict())
        return
    click.echo(
        "A made-up ranking of 24 occupations, half of them with an injected gender stereotype: an example, no evidence about any search.\n"
    )
    show(score_view(result))
    click.echo("\nWhat to do next: score your own ranking.\n  fairlead score RUN --groups LABELS      (formats: fairlead score --help)")
