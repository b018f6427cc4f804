"""``fairlead search``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json, warn_unfit
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "search",
    'fairlead search "a photo of a nurse" --model "phantom(dose=1)" --mitigate pbm'
    " --attribute gender",
    'fairlead search "a dog on a beach" --model lite --collection ~/photos',
    'fairlead search "a portrait of a CEO" --model lite --collection ~/photos'
    " --groups labels.csv --mitigate detgreedy --sheet out.png",
    "fairlead search --image portrait.jpg --model hf:./clip --collection ~/photos --json",
    "fairlead search --queries queries.csv --model lite --collection ~/photos"
    " --groups labels.csv --mitigate pbm -o run.parquet",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="FILE",
    help=(
        "Write the lists. A .parquet file holds all variants with what is needed to measure and "
        "mitigate them again; .csv, .tsv, .jsonl and .trec hold the last variant."
    ),
)
@click.option(
    "--sheet",
    type=OutputPath(),
    metavar="FILE",
    help="Write the pictures of all lists side by side, with their groups (.png, .jpg).",
)
@click.option(
    "--pictures/--no-pictures",
    default=None,
    help="Show small pictures in the terminal; on where it can show colours.",
)
@json_option
def command(
    choices: dict[str, Any],
    as_json: bool,
    out: str | None,
    sheet: str | None,
    pictures: bool | None,
) -> None:
    """Search, write the lists, draw the sheet and show."""
    from fairlead.commands import search as searches
    from fairlead.report.answer_view import search_view
    from fairlead.report.saving import check_ranking_place, save_run
    from fairlead.store.saved_run import place_of

    if out is not None:
        check_ranking_place(out)
    with searches.sheet_place(sheet) as write, progress_bar(as_json) as progress:
        plan = searches.SearchPlan.of(**choices)
        found, run = searches.answered(plan, progress, saved=out is not None)
        write(found)
    if out is not None and run is not None:
        save_run(run, out)
    warn_unfit(found.manifest, as_json=as_json)
    _warn_of_words(plan.text)
    if as_json:
        show_json(found.to_dict())
        return
    show(search_view(found, searches.small_pictures(pictures)))
    if out is not None:
        say(f"Written to {out}")
        if place_of(out) is not None:
            say(f"Next: {shlex.join(['fairlead', 'score', out])}")
    if sheet is not None:
        say(f"Written to {sheet}")


def _warn_of_words(texts: tuple[str, ...]) -> None:
    """Say on standard error that single words were several queries: quotes were probably meant."""
    # Where any query has a space, quotes were used, and single words are meant.
    if len(texts) > 1 and not any(" " in text.strip() for text in texts):
        say(
            f"! {len(texts)} queries were asked, one for each word. For one query, quote it: "
            f'"{" ".join(texts)}"',
            err=True,
        )
