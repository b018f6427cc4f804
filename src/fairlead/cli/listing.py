"""``fairlead list``."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from fairlead.cli.options import json_option, show, show_json
from fairlead.errors import unknown_name

_KINDS = {
    "metrics": "metric",
    "rerankers": "reranker",
    "projections": "projection",
    "trainings": "training",
    "encoders": "encoder",
    "annotators": "annotator",
    "benchmarks": "benchmark",
    "indexes": "index",
    "sources": "source",
}


def _offered(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kinds and names that begin so, for the shell."""
    from fairlead.protocols.registry import entries

    names = [*_KINDS, *(name for kind in _KINDS.values() for name in entries(kind))]
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]


@click.command("list")
@click.argument("what", default="all", metavar="[KIND|NAME]", shell_complete=_offered)
@click.option("--long", "as_long", is_flag=True, help="Whole sentences, and what each cannot see.")
@json_option
def command(what: str, as_long: bool, as_json: bool) -> None:
    """List what there is, a line each; or all about one of them.

    KIND is metrics, rerankers, projections, trainings, encoders, annotators, benchmarks, indexes,
    sources or all. NAME is one of theirs.

    \b
    Examples:
      fairlead list
      fairlead list encoders
      fairlead list metrics --long
      fairlead list levelled
      fairlead list rerankers --json
    """
    from fairlead.protocols.registry import entries
    from fairlead.report.files import card_view, list_view, short_list_view

    cards, single = _cards(what)
    if as_json:
        show_json({"entries": cards})
    elif single:
        show(card_view([{**c, "extra": entries(c["kind"])[c["name"]].extra} for c in cards]))
    else:
        show(list_view(cards) if as_long else short_list_view(cards))


def _cards(what: str) -> tuple[list[dict[str, Any]], bool]:
    """The cards of all, of a kind or of a name, which several kinds may have; and whether it was a
    name.
    """
    from fairlead.protocols.registry import card, entries

    if what == "all" or what in _KINDS:
        kinds = list(_KINDS.values()) if what == "all" else [_KINDS[what]]
        return [card(kind, name) for kind in kinds for name in entries(kind)], False
    known = {kind: entries(kind) for kind in _KINDS.values()}
    found = [card(kind, what) for kind, names in known.items() if what in names]
    if not found:
        raise unknown_name(
            "kind or name", what, {*_KINDS, *(name for names in known.values() for name in names)}
        )
    return found, True
