"""Simulations with known truth as tables: how often each interval holds it, and how wide it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.terminal import table

if TYPE_CHECKING:
    from fairlead.studies.label_trials import LabelTrials

_FIGURES = (
    "labelled",
    "true bias",
    "naive covers",
    "by Wilson",
    "corrected",
    "covers",
    "width",
    "alone covers",
    "width",
    "|bias| covers",
)


def label_trials_view(found: LabelTrials) -> RenderableType:
    """Every pool, labeller and size of sample of ``simulate labels``."""
    view = table(
        "Lists balanced on predictions",
        [("pool", "left"), ("sensitivity", "left"), *((name, "right") for name in _FIGURES)],
    )
    for row in found.rows:
        cells = (
            f"{row.sample}",
            f"{row.true_bias:.3f}",
            f"{row.coverage_naive:.3f}",
            f"{row.coverage_wilson:.3f}",
            f"{row.corrected:.3f}",
        )
        covers = Text(f"{row.coverage_corrected:.3f}", style="bold")
        rest = (
            f"{row.width_corrected:.3f}",
            f"{row.coverage_alone:.3f}",
            f"{row.width_alone:.3f}",
            f"{row.coverage_absolute:.3f}",
        )
        sensitivity = " ".join(f"{s:.2f}".lstrip("0") for s in row.sensitivity)
        view.add_row(
            f"{100 * row.pool:g}:{100 * (1 - row.pool):.4g}", sensitivity, *cells, covers, *rest
        )
    first = found.rows[0]
    words = (
        f"{first.trials} labelled samples a row, k = {first.k}; corrected by '{found.way}'. "
        "Covers: how often a 95 % interval holds the "
        "true bias of a list. Alone: the interval from the labelled sample, without what the "
        "labels say of the list."
    )
    return Group(view, Text(""), Text(words, style="dim"))
