"""``fairlead train lite``."""

from __future__ import annotations

import shlex
from typing import Any

from fairlead.cli.options import progress_bar
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "train lite",
    "fairlead train lite --data photos --out heads",
    'fairlead search "a dog in the snow" --model "lite(weights=heads)" --collection my-photos',
)
def command(choices: dict[str, Any]) -> None:
    """Train, and say how it is used."""
    from fairlead.commands.train_lite import LitePlan, lite
    from fairlead.words.counts import counted

    with progress_bar(False) as progress:
        found = lite(progress=progress, **choices)
    reached = ", ".join(f"{name} {value:.3f}" for name, value in found.about["dev"].items())
    seed = LitePlan.of(**choices).seed
    heads = f"heads of {counted(found.members, 'member')}, trained with seed {seed}"
    say(f"Written to {found.folder}: {heads}. Held out for choosing: {reached}.")
    model = shlex.quote(found.model)
    say(f"Use them with: fairlead search 'a dog in the snow' --model {model} --collection DIR")
