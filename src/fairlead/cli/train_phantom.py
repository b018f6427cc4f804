"""``fairlead train phantom``."""

from __future__ import annotations

import shlex
from typing import Any

from fairlead.cli.options import progress_bar
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "train phantom",
    "fairlead train phantom --kind gender --out mine",
    'fairlead audit --model "phantom(dose=1,weights=mine)"',
)
def command(choices: dict[str, Any]) -> None:
    """Train, and say how it is used."""
    from fairlead.commands.train_phantom import PhantomPlan, phantom
    from fairlead.words.counts import counted

    with progress_bar(False) as progress:
        found = phantom(progress=progress, **choices)
    say(
        f"Written to {found.folder}: {counted(len(found.towers), 'text tower')} and the image "
        f"tower, trained with seed {PhantomPlan.of(**choices).seed}."
    )
    say(f"Use them with: fairlead audit --model {shlex.quote(found.model)}")
