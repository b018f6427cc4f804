"""``fairlead annotate``: a group of commands, and beside them the plain ``fairlead annotate
COLLECTION --with SPEC``.

A first word that names no command is a collection: it goes to the command ``collection``.
"""

from __future__ import annotations

import click

from fairlead.cli.lazy import LazyGroup, members

_PLAIN = "collection"


class _Annotate(LazyGroup):
    """A lazy group in which a word that is no command may be a collection."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hand what does not start with a command to the plain command, where there is one."""
        # A collection that is called like a command is still reached by: annotate collection NAME.
        if args and _PLAIN in self.table and args[0] not in (*self.table, *ctx.help_option_names):
            args = [_PLAIN, *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Annotate, table=members("annotate"))
def command() -> None:
    """Say which group items appear to belong to, and how sure that is.

    \b
    Examples:
      fairlead annotate photos --with caption --attribute gender -o labels.csv
      fairlead annotate evaluate --with mlp:gender.npz --images faces --labels labels.csv \\
          --attribute gender --by race
      fairlead annotate human task labels.db --attribute gender --group female --group male
      fairlead annotate human status labels.db
    """
