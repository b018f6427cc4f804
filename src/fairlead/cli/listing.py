"""``fairlead list``."""

from __future__ import annotations

import click

from fairlead.cli.options import json_option, show, show_json

_KINDS = {"metrics": "metric", "rerankers": "reranker", "projections": "projection"}


@click.command("list")
@click.argument("kind", type=click.Choice([*_KINDS, "all"]), default="all")
@json_option
def command(kind: str, as_json: bool) -> None:
    """List metrics, rerankers and projections: what each is, which way is better, what it cannot see.

    \b
    Examples:
      fairlead list metrics
      fairlead list rerankers --json
      fairlead list projections
    """
    from fairlead.registry import card, entries
    from fairlead.report.files import list_view

    kinds = list(_KINDS.values()) if kind == "all" else [_KINDS[kind]]
    cards = [card(k, name) for k in kinds for name in entries(k)]
    if as_json:
        show_json({"entries": cards})
    else:
        show(list_view(cards))
