"""``fairlead simulate``."""

from __future__ import annotations

import click

from fairlead.cli.lazy import LazyGroup, members


@click.group(cls=LazyGroup, table=members("simulate"))
def command() -> None:
    """Simulate with known truth: how far off numbers are, and how often their intervals hold.

    \b
    Examples:
      fairlead simulate labels --pool 0.95 --sensitivity 0.98 0.97
      fairlead simulate labeller --analysis noise -o labels.html
    """
