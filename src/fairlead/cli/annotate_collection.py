"""``fairlead annotate collection``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import ONE_BY_ONE, OutputPath, json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate collection",
    "fairlead annotate photos --with face --attribute gender -o labels.csv",
    "fairlead annotate photos --with caption --attribute gender -o labels.csv",
    "fairlead annotate photos --with zeroshot_embedding --attribute gender --model"
    " open_clip:ViT-B-32/FILE -o labels.csv",
    "fairlead annotate photos --with mlp:gender.npz -o labels.csv",
    "fairlead annotate photos --with zeroshot_prompt --attribute gender --model"
    ' hf:DIR --query "a photo of a nurse" -o labels.csv',
    'fairlead annotate photos --with "hybrid:labels.db(auto=caption)" --attribute'
    " gender --wanted next.csv",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(about=True),
    metavar="FILE",
    help="Write the labels of single items, one by one: item,NAME or item,NAME=GROUP,...",
)
@click.option(
    "--wanted",
    type=OutputPath(),
    metavar="FILE",
    help="Write the items that people should label next (hybrid).",
)
@json_option
def command(choices: dict[str, Any], out: str | None, wanted: str | None, as_json: bool) -> None:
    """Label, save where asked, and show the counts."""
    from fairlead.commands.annotate import annotate
    from fairlead.report.annotate import lists_view, tally_view
    from fairlead.words.counts import counted

    with progress_bar(as_json) as progress:
        found = annotate(progress=progress, **choices)
    written = 0
    if out is not None:
        written = found.write(out)
    if wanted is not None:
        found.write_wanted(wanted)
    if as_json:
        show_json({**found.to_dict(), "written": out})
        return
    show(tally_view(found.tally))
    if found.lists:
        show(lists_view(found.lists))
    if found.wanted:
        following = f"People should label next: {counted(len(found.wanted), 'item')}"
        if wanted is not None:
            following += f", written to {wanted}"
        say(following)
    for note in found.notes:
        say(f"! {note}")
    if out is not None:
        say(f"Written to {out}: {counted(written, 'label')}")
        say(ONE_BY_ONE.format(out=out), err=True)
