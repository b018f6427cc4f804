"""``fairlead audit``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import (
    json_option,
    least_option,
    leave_out_option,
    progress_bar,
    show,
    show_json,
    unknown_option,
    warn_unfit,
)


@click.command()
@click.option(
    "--model",
    default="phantom",
    show_default=True,
    metavar="SPEC",
    help="Encoder, e.g. phantom(dose=0.5) or phantom_ideal(dose=0.5).",
)
@click.option(
    "--benchmark",
    default="phantom",
    show_default=True,
    metavar="SPEC",
    help=(
        "Benchmark: phantom, phantom:skewed, phantom:language, phantom:culture; "
        "flickr8k:DIR, a folder of yours (docs/flickr8k.md)."
    ),
)
@click.option(
    "--mitigate",
    multiple=True,
    metavar="SPEC",
    help="Mitigation to try: a reranker, a projection or both, e.g. pbm, leace+pbm.",
)
@click.option(
    "--metric", multiple=True, metavar="SPEC", help="Metric; the benchmark's own by default."
)
@click.option(
    "--attribute",
    multiple=True,
    metavar="NAME",
    help="Attribute; the benchmark's own by default. The first is mitigated.",
)
@click.option(
    "--groups",
    metavar="SPEC|FILE",
    help=(
        "Labels that measure, e.g. noisy(accuracy=0.95) or labels.csv; the benchmark's own "
        "by default."
    ),
)
@click.option(
    "--mitigate-groups",
    metavar="SPEC|FILE",
    help="Labels the rerankers see, e.g. noisy(accuracy=0.9); those that measure by default.",
)
@click.option("-k", type=int, metavar="N", help="How many items a mitigated list shows.")
@click.option(
    "--null",
    type=click.Choice(["order", "gallery", "target"]),
    help="Chance level; chosen by what is known by default.",
)
@unknown_option
@leave_out_option
@least_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every random choice.")
@click.option(
    "--out",
    type=click.Path(),
    metavar="DIR|FILE",
    help=(
        "Write the run folder (manifest, scores, rankings, report.html), or only a page "
        "(.html) or JSON."
    ),
)
@click.option(
    "--replay",
    type=click.Path(),
    metavar="DIR",
    help="Run the audit of a folder again, from its manifest.",
)
@json_option
def command(as_json: bool, out: str | None, replay: str | None, **choices: Any) -> None:
    """Audit a model on a benchmark, plain and mitigated.

    Who mitigates is not who measures: rerankers see the labels of --mitigate-groups, metrics those
        of --groups.

    \b
    Examples:
      fairlead audit --model "phantom(dose=1)" --mitigate pbm --mitigate-groups
      "noisy(accuracy=0.9)" fairlead audit --model "phantom(dose=1)" --attribute gender --mitigate
      bend --mitigate "mi_clip(share=0.5)+pbm" fairlead audit --model "phantom_ideal(dose=0.4)"
      --attribute gender --metric NDKL@20 --json fairlead audit --model
      "phantom(dose=1,kind=language)" --benchmark phantom:language fairlead audit --model
      "phantom(dose=1,kind=culture)" --benchmark phantom:culture fairlead audit --out runs/low
      fairlead audit --replay runs/low
    """
    from fairlead.commands import audit as audits
    from fairlead.report.terminal import score_view

    with audits.audit_place(out) as write, progress_bar(as_json) as progress:
        found = (
            audits.replay(replay, progress=progress)
            if replay
            else audits.audit(progress=progress, **choices)
        )
        write(found)
    warn_unfit(found.result.manifest, as_json=as_json)
    if as_json:
        show_json(found.result.to_dict())
        return
    show(score_view(found.result))
    click.echo(f"{found.result.manifest['model']['card']}")
    if out is not None:
        click.echo(f"Written to {out}")
