"""``fairlead annotate evaluate``."""

from __future__ import annotations

import time
from typing import Any

import click

from fairlead.cli.options import json_option, progress_bar, rate, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate evaluate",
    "fairlead annotate evaluate --with face --images faces --labels faces/labels.csv"
    " --attribute gender --by race gender",
    "fairlead annotate evaluate --with mlp:gender.npz --images faces --labels"
    " faces/labels.csv --attribute gender --by race gender",
    'fairlead annotate evaluate --with "zeroshot_embedding(soft=true)" --model lite'
    " --images faces --labels labels.csv --attribute gender",
)
@click.argument("more", nargs=-1, metavar="")
@json_option
def command(choices: dict[str, Any], more: tuple[str, ...], as_json: bool) -> None:
    """Evaluate and show."""
    from fairlead.commands.annotate_evaluate import evaluate_annotator
    from fairlead.report.annotate import evaluation_view
    from fairlead.words.counts import counted

    # An option of click takes one word: those that follow it (--by race gender) arrive as
    # arguments, and without --by they are a mistake.
    by = choices.pop("by") or ()
    if more and not by:
        raise click.UsageError(f"'{more[0]}' is not expected here.")
    # Combinations of all columns are told apart anyway: race*gender says no more than both names.
    columns = [part for text in (*by, *more) for part in text.replace("*", ",").split(",") if part]
    start = time.perf_counter()
    with progress_bar(as_json) as progress:
        found = evaluate_annotator(by=list(dict.fromkeys(columns)), progress=progress, **choices)
    if as_json:
        show_json(found.to_dict())
    else:
        show(evaluation_view(found))
        seconds = time.perf_counter() - start
        say(
            (
                f"{counted(found.overall.n, 'item')} in {seconds:.1f} s, "
                f"{rate(found.overall.n / seconds)}"
            ),
            err=True,
        )
