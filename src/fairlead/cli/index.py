"""``fairlead index``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.options import json_option, progress_bar, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "index",
    'fairlead index ~/photos --model lite --index "faiss(kind=hnsw)" --recall 100',
    'fairlead index ~/photos --model lite --index "faiss(kind=ivf)" --groups'
    " labels.csv --attribute gender",
)
@json_option
def command(choices: dict[str, Any], as_json: bool) -> None:
    """Build the index and say where it is."""
    from fairlead.commands.index import index
    from fairlead.words.counts import counted

    with progress_bar(as_json) as progress:
        built = index(progress=progress, **choices)
    if as_json:
        show_json(built)
        return
    items = f"{counted(built['rows'], 'item')} in {built['index']}"
    if built["reused"]:
        items += f", {built['reused']:,} of them already there"
    say(items)
    for group, recall in (built["recall"] or {}).items():
        say(f"recall {recall:.3f}  {group}")
    if built["place"]:
        say(f"Kept in {built['place']}")
    else:
        say(f"{built['index']} reads the vectors as they are: nothing to keep.")
