"""``fairlead trigger``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, show, show_json


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--file",
    "path",
    type=click.Path(),
    metavar="FILE",
    help="Read more queries from a text file, one a line.",
)
@click.option(
    "--attribute",
    multiple=True,
    metavar="NAME",
    help="What would be diversified: gender (default), skin, age, gender*skin, or your own.",
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME",
    help="A group of an attribute of your own; its name counts as a word.",
)
@click.option(
    "--leave",
    type=click.Path(),
    metavar="FILE",
    help="Queries to leave alone, one a line; * and ? stand for any letters.",
)
@click.option(
    "--model",
    metavar="SPEC",
    help="Encoder for a second opinion on words that no rule knows, e.g. lite.",
)
@click.option(
    "--evaluate", is_flag=True, help="Print precision and recall on the labelled queries instead."
)
@click.option(
    "--half",
    type=click.Choice(["test", "development", "all"]),
    default="test",
    show_default=True,
    help="Which of the labelled queries.",
)
@json_option
def command(
    query: tuple[str, ...], evaluate: bool, half: str, as_json: bool, **choices: Any
) -> None:
    """Decide whether the list of a query may be diversified, and say why.

    A query that names a gender, a person, the past or no person at all is left alone; where the
    words do not tell, it is unsure.

    \b
    Examples:
      fairlead trigger "female CEO" "nurse" "red sneakers" "Marie Curie"
      fairlead trigger "Black doctor" --attribute gender --attribute skin --json
      fairlead trigger --file queries.txt --leave do-not-touch.txt --model lite
      fairlead trigger --evaluate
    """
    from fairlead.commands import trigger as decisions
    from fairlead.report.decisions import decisions_view, evaluated_view

    path, attribute = choices.pop("path"), choices.pop("attribute") or ("gender",)
    if evaluate:
        found = decisions.evaluated(half=half, leave=choices["leave"], model=choices["model"])
        show_json(found.to_dict()) if as_json else show(evaluated_view(found))
        return
    more = (
        () if path is None else tuple(line for line in decisions.read_lines(path) if line.strip())
    )
    told = decisions.decide(*query, *more, attribute=attribute, **choices)
    show_json(told.to_dict()) if as_json else show(decisions_view(told))
