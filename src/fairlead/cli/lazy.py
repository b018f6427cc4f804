"""Groups of commands that are imported when they are run, so that help stays instant."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run.

    Args:
        table: Of each command, the module under ``fairlead.cli`` that holds it as ``command``, and
            a line about it.
        unlisted: Of each earlier name that still works, the module that holds it.
    """

    def __init__(
        self,
        *args: Any,
        table: Mapping[str, tuple[str, str]],
        unlisted: Mapping[str, str] | None = None,
        **choices: Any,
    ) -> None:
        super().__init__(*args, **choices)
        self.table = dict(table)
        self.unlisted = dict(unlisted or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # Earlier names go on working in scripts, but neither help nor completion offers them.
        if cmd_name in self.unlisted:
            return _loaded(self.unlisted[cmd_name])
        if cmd_name not in self.table:
            from fairlead.errors import unknown_name

            raise click.UsageError(str(unknown_name("command", cmd_name, self.table)), ctx)
        return _loaded(self.table[cmd_name][0])

    # Click would load every command for its line of help; the table of verbs has the lines.
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self.table.items()])


def members(group: str) -> dict[str, tuple[str, str]]:
    """The commands of a group, from the table of verbs: of each its module, and a line about it."""
    from fairlead.commands.verbs import GROUPS, VERBS

    lines = {name: verb.about for name, verb in VERBS.items()} | GROUPS
    inner = [name for name in lines if name.rpartition(" ")[0] == group]
    return {name.rpartition(" ")[2]: (_module(name), lines[name]) for name in inner}


def _module(name: str) -> str:
    """The module under ``fairlead.cli`` that holds a command."""
    words = name.split()
    return "_".join(words[-2:])


def _loaded(module: str) -> click.Command:
    """The command of a module."""
    command: click.Command = importlib.import_module(f"fairlead.cli.{module}").command
    return command
