"""Groups of commands that are imported when they are run, so that help stays instant."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from fairlead.cli.offers import offering
from fairlead.cli.sparing import sparing


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run.

    Args:
        table: Of each command, the module under ``fairlead.cli`` that holds it as ``command``, and
            a line about it.
    """

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], **choices: Any) -> None:
        super().__init__(*args, **choices)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            from fairlead.errors import unknown_name

            raise click.UsageError(str(unknown_name("command", cmd_name, self.table)), ctx)
        return sparing(
            offering(importlib.import_module(f"fairlead.cli.{self.table[cmd_name][0]}").command)
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self.table.items()])
