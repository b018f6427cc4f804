"""``fairlead audit``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json, warn_unfit
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "audit",
    'fairlead audit --model "phantom(dose=1)" --mitigate pbm'
    ' --mitigate-groups "noisy(accuracy=0.9)"',
    'fairlead audit --model "phantom(dose=1)" --attribute gender --mitigate bend'
    ' --mitigate "mi_clip(share=0.5)+pbm"',
    'fairlead audit --model "phantom_ideal(dose=0.4)" --attribute gender --metric NDKL@20 --json',
    'fairlead audit --model "phantom(dose=1,kind=language)" --benchmark phantom:language',
    'fairlead audit --model "phantom(dose=1,kind=culture)" --benchmark phantom:culture',
    "fairlead audit --model lite --collection ~/photos --queries queries.csv"
    " --groups labels.csv --mitigate pbm",
    "fairlead audit --out runs/low",
    "fairlead audit --replay runs/low",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="DIR|FILE",
    help=(
        "Write the run folder (manifest, scores, rankings, report.html), or only a page "
        "(.html) or JSON."
    ),
)
@click.option(
    "--replay",
    "folder",
    type=click.Path(),
    metavar="DIR",
    help="Run the audit of a folder again, from its manifest.",
)
@json_option
def command(choices: dict[str, Any], as_json: bool, out: str | None, folder: str | None) -> None:
    """Audit, save and show."""
    from fairlead.commands import audit as audits
    from fairlead.commands.replay import replay
    from fairlead.report.terminal import score_view

    # The place comes first: one that cannot be written is refused before minutes of work.
    with audits.audit_place(out) as write, progress_bar(as_json) as progress:
        if folder:
            found = replay(folder, progress=progress)
        else:
            found = audits.audit(progress=progress, **choices)
        write(found)
    warn_unfit(found.result.manifest, as_json=as_json)
    if as_json:
        show_json(found.result.to_dict())
        return
    show(score_view(found.result))
    say(f"{found.result.manifest['model']['card']}")
    if out is not None:
        say(f"Written to {out}")
