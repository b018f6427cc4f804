"""What the shell offers for the values of options and arguments: names of the registry, read when a
key is pressed and not before.

What has one name takes the same thing in every command, so one table serves them all.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

_KINDS = {
    "--mitigate": ("reranker", "projection"),
    "--metric": ("metric",),
    "--model": ("encoder",),
    "--benchmark": ("benchmark",),
    "--with": ("annotator",),
    "--index": ("index",),
    "method": ("training",),
    "spec": ("projection",),
}
"""Options and arguments whose values have names, and the kinds of these."""
_MORE = {
    "--mitigate": ("fitted:",),
    "--benchmark": ("phantom:culture", "phantom:language", "phantom:skewed"),
}
"""Values that are no names of the registry alone."""


def offering(command: click.Command) -> click.Command:
    """A command whose options and arguments, and those of its own commands, offer names to the
    shell.
    """
    for parameter in command.params:
        option = next((word for word in parameter.opts if word in _KINDS), None)
        if option is not None:
            parameter.shell_complete = partial(_offered, option)  # type: ignore[method-assign]
    for inner in getattr(command, "commands", {}).values():
        offering(inner)
    return command


def _offered(option: str, _: click.Context, incomplete: str) -> list[CompletionItem]:
    """Values that begin as what was typed; behind the + of a mitigation stand rerankers alone."""
    from fairlead.protocols.registry import entries

    before, plus, begun = (
        incomplete.rpartition("+") if option == "--mitigate" else ("", "", incomplete)
    )
    kinds = ("reranker",) if plus else _KINDS[option]
    names = [
        *(_written(kind, name) for kind in kinds for name in entries(kind)),
        *(() if plus else _MORE.get(option, ())),
    ]
    return [
        CompletionItem(f"{before}{plus}{name}") for name in sorted(names) if name.startswith(begun)
    ]


def _written(kind: str, name: str) -> str:
    """A name as it is written: with a colon where an address must follow."""
    from dataclasses import MISSING, fields

    from fairlead.errors import MissingExtra
    from fairlead.protocols.registry import load

    if kind not in (
        "encoder",
        "annotator",
        "benchmark",
    ):  # these alone have addresses that must be there
        return name
    try:
        thing: Any = load(kind, name)
    except MissingExtra:
        return name
    address = next((f for f in fields(thing) if f.name == getattr(thing, "addressed", None)), None)
    return name if address is None or address.default is not MISSING else f"{name}:"
