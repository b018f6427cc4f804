"""``fairlead annotate human``: labels that people give."""

from __future__ import annotations

import click

from fairlead.cli.lazy import LazyGroup, members


@click.group(cls=LazyGroup, table=members("annotate human"), unlisted={"delete": "human_delete"})
def command() -> None:
    """Labels that people give: tasks, plans, answers, agreement, cost.

    Everything stands in one file, which only grows. An answer that was taken is never lost; several
    programs may write at once. An answer is a group, 'not-applicable' (no person, a drawing) or
    'unsure', which stays unknown and is never guessed. Raters are shown and exported under hashed
    names unless you ask for --raters.

    \b
    Examples:
      fairlead annotate human task labels.db --attribute gender --group female --group male \\
          --price 0.05 --seconds 8
      fairlead annotate human plan labels.db --attribute gender --run run.csv -k 20 --labels \\
          300 -o work.csv
      fairlead annotate human import labels.db batch_results.csv
      fairlead annotate human status labels.db
      fairlead annotate human export labels.db -o labels.csv --format labels
    """
