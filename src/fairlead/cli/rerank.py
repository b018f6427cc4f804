"""``fairlead rerank``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, said_again, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say

_AGAIN = (
    "groups",
    "attribute",
    "target",
    "qrels",
    "unknown",
    "ties",
    "blocks",
    "source",
    "leave_out",
    "seed",
)
"""Options that measuring the new ranking must be given too."""


@command_of(
    "rerank",
    "fairlead rerank run.csv --groups labels.csv --attribute gender --mitigate pbm -k 20"
    " -o fairer.csv",
    "fairlead rerank run.trec --groups labels.csv --attribute gender --mitigate detconstsort"
    " --target pool -k 100 -o fairer.trec",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="OUT",
    help="Where to write; the suffix chooses the format (.csv .tsv .jsonl .parquet .trec).",
)
@json_option
def command(choices: dict[str, Any], as_json: bool, out: str | None) -> None:
    """Rerank, save and say how to measure it."""
    from fairlead.commands.rerank import rerank
    from fairlead.report.saving import check_ranking_place, save_ranking

    if out is None and not as_json:
        raise click.UsageError("Give -o OUT to write the new ranking, or --json to print it.")
    if out is not None:
        check_ranking_place(out)
    with progress_bar(as_json) as progress:
        result = rerank(progress=progress, **choices)
        if out is not None:
            save_ranking(result, out)
    if as_json:
        show_json(result.to_dict())
        return
    say(str(result), nl=False)
    say(f"Written to {out}")
    again = said_again(*_AGAIN)
    if choices["groups"] is None:
        # A saved run has its labels behind it; the new ranking is a plain table without any.
        before = result.manifest.get("made_by", {}).get("plan", {}).get("groups")
        again = ["--groups", before if isinstance(before, str) else "LABELS", *again]
    following = ["fairlead", "score", str(out), *again, "--against", choices["run"]]
    say(f"Next: {shlex.join(following)}")
