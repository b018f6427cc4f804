"""``fairlead demo``."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import click

from fairlead.cli.options import json_option, show, show_json


@click.command()
@click.option("-o", "--out", type=click.Path(), metavar="DIR|FILE.html", help="Also write the result of the plain ranking.")
@json_option
def command(as_json: bool, out: str | None) -> None:
    """Score a small shipped ranking, mitigate it, and score it again.

    The ranking is made up (24 occupations, 60 drawings each): an example, not evidence about any real search.
    """
    from fairlead.engine import as_run, rerank, save_score, score
    from fairlead.report.terminal import score_view

    with as_file(files("fairlead") / "example") as folder:
        given: dict[str, Any] = {"groups": folder / "labels.csv", "qrels": folder / "qrels.txt", "attribute": "gender"}
        metrics = ["NDKL@20", "AbsBias@20", "nDCG@20"]
        mitigated = rerank(folder / "run.csv", mitigate="pbm", k=20, **given)
        plain = score(folder / "run.csv", metric=metrics, **given)
        after = score(as_run(mitigated), metric=metrics, against=folder / "run.csv", null="target", **given)
        if out is not None:
            save_score(plain, out)
    if as_json:
        show_json({"plain": plain.to_dict(), "mitigated": after.to_dict()})
        return
    click.echo("An example ranking of 24 occupations, plain:\n")
    show(score_view(plain))
    click.echo("\nThe same candidates after 'pbm', which balances each list by the same labels:\n")
    show(score_view(after))
    click.echo("\nWhat to do next: score your own ranking.\n  fairlead score RUN --groups LABELS      (formats: fairlead score --help)")
