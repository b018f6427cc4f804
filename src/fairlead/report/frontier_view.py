"""A frontier in a terminal: relevance beside bias for every setting, and our method against the others at equal bias."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.report.frontier import FrontierResult
from fairlead.report.wording import bounds, number, signed


def frontier_view(result: FrontierResult) -> RenderableType:
    """Everything ``frontier`` found."""
    queries = result.manifest.get("queries", 0)
    lead = f"What balance costs: {len(result.rows)} settings on {queries} queries. Chance alone reads AbsBias {number(result.chance)}."
    parts: list[RenderableType] = [Text(lead, style="bold"), Text(""), _points(result)]
    if result.gaps:
        parts += [Text(""), Text("levelled minus the others, at their own bias", style="bold"), _gaps(result)]
    return Group(*parts)


def _points(result: FrontierResult) -> Table:
    table = _table("method", "knob", "AbsBias", "95 % interval", "NDKL excess", "nDCG", "95 % interval", "P@1", "ms", left=2)
    for point in result.rows:
        knob = f"{point.knob}={point.value:g}" if point.knob else ""
        table.add_row(
            point.method,
            knob,
            number(point.means["AbsBias"]),
            bounds(point.spans["AbsBias"]),
            signed(point.means["NDKL_excess"]),
            number(point.means["nDCG"]),
            bounds(point.spans["nDCG"]),
            number(point.means["P@1"]),
            number(point.ms, 2),
        )
    return table


def _gaps(result: FrontierResult) -> Table:
    table = _table("method", "at AbsBias", "nDCG", "levelled", "95 % interval", "bound, same labels", "true labels", "recovered", left=1)
    for gap in result.gaps:
        knob = "" if gap.value != gap.value else f" {gap.value:g}"
        table.add_row(
            gap.method + knob,
            number(gap.bias),
            number(gap.relevance),
            signed(gap.difference),
            bounds(gap.ci),
            number(gap.bounds.get("same labels")),
            number(gap.bounds.get("true labels")),
            "–" if gap.recovered != gap.recovered else f"{100 * gap.recovered:.0f} %",
        )
    return table


def _table(*headings: str, left: int) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for at, heading in enumerate(headings):
        table.add_column(heading, justify="left" if at < left else "right")
    return table
