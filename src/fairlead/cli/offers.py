"""What the shell offers for the values of options and arguments: names of the registry, read when a
key is pressed and not before. Which kinds a field takes stands beside the field.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

EVERYTHING = ("*",)
"""Kinds of what is listed: all of them, and the words that ``fairlead list`` knows."""
_MITIGATION = ("reranker", "projection")
_MORE = {
    _MITIGATION: ("fitted:",),
    ("benchmark",): ("phantom:culture", "phantom:language", "phantom:skewed"),
}
"""Values that are no names of the registry alone, by kinds."""

Offer = Callable[[click.Context, str], list[CompletionItem]]


def offer_of(kinds: tuple[str, ...]) -> Offer:
    """What completes the values of a field that takes names of some kinds."""
    return partial(_offered, kinds)


def _offered(kinds: tuple[str, ...], _: click.Context, incomplete: str) -> list[CompletionItem]:
    """Values that begin as what was typed."""
    if kinds == EVERYTHING:
        return [CompletionItem(name) for name in _listed() if name.startswith(incomplete)]
    if kinds == _MITIGATION and "+" in incomplete:
        # Behind the + of a mitigation stand rerankers alone.
        first, plus, begun = incomplete.rpartition("+")
        names = [f"{first}{plus}{name}" for name in _names(("reranker",)) if name.startswith(begun)]
    else:
        every = (*_names(kinds), *_MORE.get(kinds, ()))
        names = [name for name in every if name.startswith(incomplete)]
    return [CompletionItem(name) for name in sorted(names)]


def _names(kinds: tuple[str, ...]) -> list[str]:
    from fairlead.protocols.registry import entries

    return [_written(kind, name) for kind in kinds for name in entries(kind)]


def _listed() -> list[str]:
    """Kinds and names that ``fairlead list`` knows."""
    from fairlead.commands.listing import KINDS
    from fairlead.protocols.registry import entries

    kinds = dict.fromkeys(kind for kinds in KINDS.values() for kind in kinds)
    return list(dict.fromkeys([*KINDS, *(name for kind in kinds for name in entries(kind))]))


def _written(kind: str, name: str) -> str:
    """A name as it is written: with a colon where an address must follow."""
    from dataclasses import MISSING, fields

    from fairlead.errors import MissingExtra
    from fairlead.protocols.registry import load

    # Loading takes time at the press of a key: only these have addresses that must be there.
    if kind not in ("encoder", "annotator", "benchmark"):
        return name
    try:
        thing: Any = load(kind, name)
    except MissingExtra:
        # Offered all the same: whoever chooses it is told what to install.
        return name
    address = next((f for f in fields(thing) if f.name == getattr(thing, "addressed", None)), None)
    if address is None or address.default is not MISSING:
        return name
    return f"{name}:"
