"""``fairlead annotate neutral``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate neutral",
    "fairlead annotate neutral photos -o queries.csv",
)
def command(choices: dict[str, Any]) -> None:
    """Rewrite, and say how many changed."""
    from fairlead.commands.annotate_neutral import neutralise
    from fairlead.words.counts import counted

    changed, count = neutralise(**choices)
    say(f"Written to {choices['out']}: {counted(count, 'caption')}, {changed:,} of them changed")
