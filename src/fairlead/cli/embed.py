"""``fairlead embed``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say

if TYPE_CHECKING:
    from fairlead.results.embed import EmbedResult

# The longer words come first: "files" alone would turn "files and folders" into "file and folders".
_ONE = {
    "that are no pictures": "that is no picture",
    "that name no": "that names no",
    "files and folders": "file or folder",
    "files": "file",
    "folders": "folder",
    "members": "member",
    "rows": "row",
    "links": "link",
    "columns": "column",
    "(further )?captions (of|that cannot)": r"\1caption \2",
}
"""What is said of many, and of one."""


@command_of(
    "embed",
    "fairlead embed ~/photos --model lite -o photos.fairlead",
    "fairlead embed products.csv --model hf:./clip -o products.fairlead --half",
    'fairlead embed "shards/{000..011}.tar" --model'
    " open_clip:ViT-B-32/weights.safetensors -o shards.fairlead",
    'fairlead search "a nurse" --model lite --collection photos.fairlead',
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Embed and say what became of every picture."""
    from fairlead.commands.embed import embed
    from fairlead.words.counts import counted

    if choices["processes"] is None:
        # Processes start the program anew: ours is guarded against that, a user's may not be.
        choices["processes"] = True
    with progress_bar(as_json) as progress:
        found = embed(progress=progress, **choices)
    if as_json:
        show_json(found.to_dict())
        return
    say(f"{counted(found.items, 'item')} in {found.folder}")
    show(_table(found))
    for note in _notes(found):
        say(note)


def _table(found: EmbedResult) -> Any:
    """What became of all that was seen."""
    from fairlead.report.terminal import table

    view = table("", [("what became of", "left"), ("count", "right")])
    view.add_row("embedded now", f"{found.embedded:,}")
    view.add_row("there already", f"{found.reused:,}")
    for reason, count in found.skipped.items():
        view.add_row(f"skipped: {reason}", f"{count:,}")
    view.add_row("seen", f"{found.seen:,}")
    return view


def _notes(found: EmbedResult) -> list[str]:
    """What a reader must know besides the counts."""
    manifest = found.manifest
    lines = []
    if found.skipped:
        lines.append(f"Skipped files and why: {found.folder / 'skipped.csv'}")
    for what, count in manifest["source"]["notes"].items():
        if count == 1:
            what = one_of(what)
        lines.append(f"{count:,} {what}")
    lines += [f"Note: {warning}" for warning in manifest["model"].get("warnings", ())]
    if found.embedded and found.seconds > 0:
        lines.append(
            f"{found.embedded / found.seconds:,.1f} a second, {manifest['dimensions']} "
            f"dimensions, {manifest['dtype']}"
        )
    return lines


def one_of(what: str) -> str:
    """A count's words where it is one.

    >>> one_of("files that are no pictures"), one_of("hidden files and folders")
    ('file that is no picture', 'hidden file or folder')
    >>> one_of("rows of captions that name no picture")
    'row of captions that names no picture'
    """
    for many, one in _ONE.items():
        what = re.sub(rf"\b{many}\b", one, what, count=1)
    return what
