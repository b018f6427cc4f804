"""``fairlead annotate human import``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from fairlead.cli.options import json_option, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate human import",
    "fairlead annotate human import labels.db answers.csv",
    "fairlead annotate human import labels.db Batch_results.csv --attribute gender"
    " --item-field image_url",
    "fairlead annotate human import labels.db project-1.json --attribute gender"
    " --group female --group male",
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Read, and say what each file brought."""
    from fairlead.commands.human_import import import_answers
    from fairlead.words.counts import counted

    names = [Path(file).name for file in choices["files"]]
    files = list(zip(names, import_answers(**choices), strict=True))
    if as_json:
        show_json({"files": [{"file": name, **each.to_dict()} for name, each in files]})
        return
    for name, each in files:
        left = "".join(f", {count:,} left out ({reason})" for reason, count in each.skipped.items())
        new = f"{counted(each.new, 'new answer')} to {', '.join(each.tasks)}"
        say(f"{name}: {new}, {each.known:,} there already{left}")
    following = ["fairlead", "annotate", "human", "status", choices["store"]]
    say(f"Next: {shlex.join(following)}")
