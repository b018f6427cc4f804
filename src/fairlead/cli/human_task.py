"""``fairlead annotate human task``."""

from __future__ import annotations

import shlex
from typing import Any

from fairlead.cli.options import json_option, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate human task",
    "fairlead annotate human task labels.db --attribute gender --group female"
    " --group male --instructions how.txt --raters 3",
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Make or change the task, and say what follows."""
    from dataclasses import asdict

    from fairlead.commands.human_task import task as task_of
    from fairlead.words.counts import counted

    store, task = choices["store"], task_of(**choices)
    if as_json:
        show_json(asdict(task))
        return
    raters = f"{counted(task.raters, 'rater')} an item; version {task.version}"
    say(f"{store}: {task.attribute} ({', '.join(task.groups)}; {raters})")
    following = ["fairlead", "annotate", "human", "plan", store]
    options = ["--attribute", task.attribute, "--run", "RUN"]
    say(f"Next: {shlex.join([*following, *options])}")
