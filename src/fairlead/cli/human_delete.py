"""``fairlead annotate human delete``: an earlier name of ``forget``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate human forget",
    "fairlead annotate human delete labels.db --older-than 365 --yes",
)
def command(choices: dict[str, Any]) -> None:
    """The same as forget, which needs no --yes: kept for scripts that say delete."""
    from fairlead.commands.human_forget import forget
    from fairlead.words.counts import counted

    # By this name nothing was ever removed without --yes, and a script may rely on that.
    if not choices.get("yes"):
        raise click.UsageError("Removed answers do not come back. Say --yes to remove them.")
    count = forget(**choices)
    say(f"Removed from {choices['store']}: {counted(count, 'answer')}")
