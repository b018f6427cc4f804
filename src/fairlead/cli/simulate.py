"""``fairlead simulate``."""

from __future__ import annotations

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json


@click.group()
def command() -> None:
    """Simulate with known truth: how far off numbers are, and how often their intervals hold.

    \b
    Example:
      fairlead simulate labels --pool 0.95 --sensitivity 0.98 0.97
    """


@command.command()
@click.option("--pool", type=float, multiple=True, default=(0.6, 0.9, 0.95, 0.99), show_default=True,
              help="Share of the larger group in the pool; may be given again.")  # fmt: skip
@click.option("--sensitivity", type=float, nargs=2, multiple=True, default=((0.98, 0.97), (0.88, 0.81)), show_default=True,
              help="Of the labeller, for the larger and for the smaller group; may be given again.")  # fmt: skip
@click.option("--sample", type=int, multiple=True, default=(50, 200, 800), show_default=True,
              help="Labelled items of lists of the same kind; may be given again.")  # fmt: skip
@click.option("-k", type=int, default=100, show_default=True, help="Items of the list, half of each predicted group.")
@click.option("--trials", type=click.IntRange(min=1), default=500, show_default=True, help="Labelled samples drawn for each row.")
@click.option("--way", type=click.Choice(["direct", "rogan-gladen", "matrix", "em"]), default="direct", show_default=True,
              help="How shares are corrected.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of every random choice.")
@json_option
def labels(
    pool: tuple[float, ...], sensitivity: tuple[tuple[float, float], ...], sample: tuple[int, ...], as_json: bool, **choices: object
) -> None:
    """Lists balanced on predicted labels: their true bias, and how often naive and corrected intervals hold it.

    A list shows k items, half of them predicted to be of each group. People label a sample of lists of the same kind. The corrected
    interval is of the true bias of the list that is shown, (larger - smaller group) / k.

    \b
    Examples:
      fairlead simulate labels --pool 0.95 --sensitivity 0.98 0.97
      fairlead simulate labels --trials 100 --json
    """
    from fairlead.report.trials import label_trials_view
    from fairlead.tasks.simulate import simulate_labels

    with progress_bar(as_json) as progress:
        found = simulate_labels(pool, sensitivity, samples=sample, progress=progress, **choices)  # type: ignore[arg-type]
    if as_json:
        show_json(found.to_dict())
    else:
        show(label_trials_view(found))
