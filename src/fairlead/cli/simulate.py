"""``fairlead simulate``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import json_option, progress_bar, show, show_json


@click.group()
def command() -> None:
    """Simulate with known truth: how far off numbers are, and how often their intervals hold.

    \b
    Examples:
      fairlead simulate labels --pool 0.95 --sensitivity 0.98 0.97
      fairlead simulate labeller --analysis noise -o labels.html
    """


@command.command()
@click.option(
    "--pool",
    type=Number(),
    multiple=True,
    default=(0.6, 0.9, 0.95, 0.99),
    show_default=True,
    help="Share of the larger group in the pool; may be given again.",
)
@click.option(
    "--sensitivity",
    type=Number(),
    nargs=2,
    multiple=True,
    default=((0.98, 0.97), (0.88, 0.81)),
    show_default=True,
    help="Of the labeller, for the larger and for the smaller group; may be given again.",
)
@click.option(
    "--sample",
    type=int,
    multiple=True,
    default=(50, 200, 800),
    show_default=True,
    help="Labelled items of lists of the same kind; may be given again.",
)
@click.option(
    "-k",
    type=int,
    default=100,
    show_default=True,
    help="Items of the list, half of each predicted group.",
)
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Labelled samples drawn for each row.",
)
@click.option(
    "--way",
    type=click.Choice(["direct", "rogan-gladen", "matrix", "em"]),
    default="direct",
    show_default=True,
    help="How shares are corrected.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of every random choice.",
)
@json_option
def labels(
    pool: tuple[float, ...],
    sensitivity: tuple[tuple[float, float], ...],
    sample: tuple[int, ...],
    as_json: bool,
    **choices: object,
) -> None:
    """Lists balanced on predicted labels: their true bias, and how often naive and corrected
    intervals hold it.

    A list shows k items, half of them predicted to be of each group. People label a sample of lists
    of the same kind. The corrected interval is of the true bias of the list that is shown, (larger
    - smaller group) / k.

    \b
    Examples:
      fairlead simulate labels --pool 0.95 --sensitivity 0.98 0.97
      fairlead simulate labels --trials 100 --json
    """
    from fairlead.report.trials import label_trials_view
    from fairlead.studies.label_trials import simulate_labels

    with progress_bar(as_json) as progress:
        found = simulate_labels(pool, sensitivity, samples=sample, progress=progress, **choices)  # type: ignore[arg-type]
    if as_json:
        show_json(found.to_dict())
    else:
        show(label_trials_view(found))


@command.command()
@click.option(
    "--analysis",
    "analyses",
    multiple=True,
    type=click.Choice(["noise", "threshold", "prevalence"]),
    help="What to vary; may be given again. All three by default.",
)
@click.option(
    "--model",
    default="phantom(dose=1)",
    show_default=True,
    metavar="SPEC",
    help="Encoder that ranks.",
)
@click.option(
    "--benchmark",
    default="phantom:skewed",
    show_default=True,
    metavar="SPEC",
    help="Benchmark with relevance and labels.",
)
@click.option(
    "--labeller",
    "labellers",
    multiple=True,
    metavar="SPEC",
    help=(
        "Annotator; the first, a soft one, is varied, the sensitivities of all are told. "
        "Default: zero-shot ones."
    ),
)
@click.option(
    "--mitigate",
    multiple=True,
    metavar="SPEC",
    help="Mitigation that sees the labels; may be given again. Default: pbm.",
)
@click.option(
    "-k",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many items are shown; the benchmark's own by default.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Galleries, each with its own seed.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of every random choice.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    metavar="FILE",
    help="Write the picture (.html), a panel an analysis; or .json.",
)
@json_option
def labeller(out: str | None, as_json: bool, **choices: Any) -> None:
    """What the quality of labels does to mitigated lists: the analyses of the PBM paper, and one of
    ours.

    noise: worse and worse labels, by noise on the log odds. threshold: labels that favour one
        group, by another threshold. prevalence:
    the same labels where one group is rarer and rarer. Lists are made with the labels and measured
    with the truth.

    \b
    Examples:
      fairlead simulate labeller
      fairlead simulate labeller --analysis noise --mitigate pbm --mitigate levelled --repeats 5 -o
      labels.html fairlead simulate labeller --labeller mlp:gender.npz --mitigate levelled -k 20
      --json
    """
    from fairlead.commands.simulate import simulate_labeller
    from fairlead.report.label_quality import label_quality_page, label_quality_view
    from fairlead.report.panel_saving import panel_place

    with panel_place(out, label_quality_page) as write, progress_bar(as_json) as progress:
        found = simulate_labeller(progress=progress, **choices)
        write(found)
    if as_json:
        show_json(found.to_dict())
        return
    show(label_quality_view(found))
    if out is not None:
        click.echo(f"Written to {out}")
