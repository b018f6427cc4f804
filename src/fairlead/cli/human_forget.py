"""``fairlead annotate human forget``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.options import json_option, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate human forget",
    "fairlead annotate human forget labels.db --item photos/p17.jpg",
    "fairlead annotate human forget labels.db --rater r-5b1c7de2a9f01c34",
    "fairlead annotate human forget labels.db --older-than 365",
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Forget, and say how many."""
    from fairlead.commands.human_forget import forget
    from fairlead.words.counts import counted

    count = forget(**choices)
    if as_json:
        show_json({"forgotten": count})
    else:
        say(f"Forgotten in {choices['store']}: {counted(count, 'answer')}")
