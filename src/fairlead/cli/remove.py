"""``fairlead remove``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.options import json_option, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "remove",
    "fairlead remove photos.fairlead holiday/0012.jpg holiday/0013.jpg",
    "fairlead remove photos.fairlead --list takedown.txt",
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Remove the items and say how many are left."""
    from fairlead.commands.remove import RemovePlan, run
    from fairlead.words.counts import counted

    done = run(RemovePlan.of(**choices))
    if as_json:
        show_json(done.to_dict())
        return
    say(f"{counted(done.removed, 'item')} removed from {done.folder}, {done.items:,} left.")
    if done.before:
        say(f"{counted(done.before, 'item')} had been removed before.")
    if done.indexes:
        say(f"Kept indexes deleted: {done.indexes:,}. The next search builds what it needs anew.")
