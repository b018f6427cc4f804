"""``fairlead demo``."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

from fairlead.cli.options import json_option, show, show_json


@click.command()
@click.option(
    "-o", "--out", type=click.Path(), metavar="DIR|FILE.html|FILE.json", help="Also write the result: a folder, a page or a JSON file."
)
@json_option
def command(as_json: bool, out: str | None) -> None:
    """Score a small shipped ranking, mitigate it, and score it again.

    The ranking is made up (24 occupations, 60 drawings each): an example, not evidence about any real search.
    """
    from fairlead.engine import score_variants
    from fairlead.report.terminal import score_view
    from fairlead.saving import score_place

    with as_file(files("fairlead") / "example") as folder, score_place(out) as write:
        result = score_variants(
            folder / "run.csv",
            folder / "labels.csv",
            qrels=folder / "qrels.txt",
            attribute="gender",
            metric=["NDKL@20", "AbsBias@20", "nDCG@20"],
            mitigate=["pbm", "detgreedy"],
            k=20,
        )
        write(result)
    if as_json:
        show_json(result.to_dict())
        return
    click.echo(
        "A made-up ranking of 24 occupations, half of them with an injected gender stereotype: an example, no evidence about any search.\n"
    )
    show(score_view(result))
    click.echo("\nWhat to do next: score your own ranking.\n  fairlead score RUN --groups LABELS      (formats: fairlead score --help)")
