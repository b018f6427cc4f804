"""``fairlead train mitigated``."""

from __future__ import annotations

import shlex
from typing import Any

from fairlead.cli.options import json_option, progress_bar, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "train mitigated",
    "fairlead train mitigated adversarial -o hidden",
    'fairlead train mitigated "fair_sample(negatives=matched)" --model'
    ' "phantom(dose=0.5)" --seed 1 -o matched',
    "fairlead train mitigated prompt_array --model open_clip:ViT-B-32/FILE"
    " --collection photos.csv -o prompted",
    'fairlead audit --model "phantom(dose=1,weights=hidden)"',
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Train, and show what held-out items say."""
    from fairlead.commands.train_mitigated import train_mitigated

    with progress_bar(as_json) as progress:
        found = train_mitigated(progress=progress, **choices)
    if as_json:
        show_json({"written": str(found.folder), "model": found.model, "card": dict(found.card)})
        return
    before, after = found.card["before"], found.card["after"]
    say(
        f"{found.card['method']} on {found.card['model']['spec']}, held-out items before and after:"
    )
    say(
        f"  an adversary tells the group    {before['adversary']:.3f}  "
        f"{after['adversary']:.3f}   (chance {after['chance']:.3f})"
    )
    say(
        f"  loss on captions                {before['caption_loss']:.3f}  "
        f"{after['caption_loss']:.3f}"
    )
    say(
        f"Written to {found.folder}. Measure it with: fairlead audit --model "
        f"{shlex.quote(found.model)}"
    )
