"""``fairlead train``."""

from __future__ import annotations

import click

from fairlead.cli.lazy import LazyGroup, members


@click.group(cls=LazyGroup, table=members("train"))
def command() -> None:
    """Train the encoders of fairlead itself again, a model with a mitigation on its weights, a
    classifier, or fit a projection.

    \b
    Examples:
      fairlead train phantom --kind gender --out mine
      fairlead train lite --data photos --out heads
      fairlead train attribute --features features.npy --labels labels.csv --column gender -o \\
          gender.npz
      fairlead train projection leace --model lite --collection faces --groups labels.csv \\
          --attribute gender -o leace.npz
      fairlead train mitigated adversarial --model "phantom(dose=1)" -o hidden
    """
