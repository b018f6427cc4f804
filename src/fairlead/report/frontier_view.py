"""A frontier in a terminal: relevance beside bias for every setting, our method against the others at equal bias, and what harms."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.report.frontier import FrontierResult, Level, Verdict
from fairlead.report.terminal import table
from fairlead.report.wording import bounds, number, percent, signed

_BOUNDS = ("same labels", "in hindsight", "true labels")


def frontier_view(result: FrontierResult, *, checked: bool = False) -> RenderableType:
    """Everything ``frontier`` found; with ``checked``, whether each setting may be switched on."""
    queries = result.manifest.get("queries", 0)
    lead = f"What balance costs: {len(result.rows)} settings on {queries} queries. Chance alone reads AbsBias {number(result.chance)}."
    parts: list[RenderableType] = [Text(lead, style="bold"), Text(""), _points(result), Text(""), _curves(result)]
    if result.gaps:
        parts += [Text(""), _gaps(result)]
    if result.level is not None:
        parts += [Text(""), Text(level_words(result.level))]
    if result.explicit:
        parts += [Text(""), _explicit(result)]
    if checked:
        parts += [Text(""), _verdicts(result)]
    return Group(*parts, Text(""), Text(_FOOT, style="dim"))


_FOOT = (
    "recovered: our share of the way from the other method to the bound with the same labels. same labels: the best that who knows "
    "relevance and how labels err, but not which one is wrong, could show. in hindsight: knowing that too. true labels: with these."
)


def level_words(level: Level) -> str:
    """What can be kept near chance, in a sentence or three."""
    ours = "levelled does not reach it" if math.isnan(level.ours) else f"levelled keeps nDCG {number(level.ours)}"
    best = ", ".join(f"{name} {number(level.bounds.get(name))}" for name in _BOUNDS if name in level.bounds)
    return (
        f"At AbsBias {number(level.bias)}, chance and .1: {ours}; the best of lists that take each group from the top, {best}. "
        f"{level.method} reads nDCG {number(level.method_relevance)} at its lowest AbsBias, {number(level.method_bias)}; half-way from "
        f"there to plain is {number(level.half_way)}."
    )


def _points(result: FrontierResult) -> Table:
    heads = ("AbsBias", "95 % interval", "NDKL excess", "nDCG", "95 % interval", "P@1", "ms")
    view = table("Settings", [("method", "left"), ("knob", "left"), *((h, "right") for h in heads)])
    for point in result.rows:
        view.add_row(
            point.method,
            _knob(point.knob, point.value),
            number(point.means["AbsBias"]),
            bounds(point.spans["AbsBias"]),
            signed(point.means["NDKL_excess"]),
            number(point.means["nDCG"]),
            bounds(point.spans["nDCG"]),
            number(point.means["P@1"]),
            number(point.ms, 2),
        )
    return view


def _curves(result: FrontierResult) -> Table:
    view = table("Methods", [("method", "left"), ("lowest AbsBias", "right"), ("mean nDCG where all reach", "right")])
    for curve in result.curves[1:]:
        view.add_row(curve.method, number(curve.lowest_bias), number(curve.area))
    return view


def _gaps(result: FrontierResult) -> Table:
    heads = ("at AbsBias", "nDCG", "levelled", "95 % interval", *_BOUNDS, "recovered")
    view = table("levelled minus the others, at their own bias", [("method", "left"), *((h, "right") for h in heads)])
    for gap in result.gaps:
        knob = "" if math.isnan(gap.value) else f" {gap.value:g}"
        own = (number(gap.bias), number(gap.relevance), signed(gap.difference), bounds(gap.ci))
        share = "–" if math.isnan(gap.recovered) else percent(gap.recovered)
        view.add_row(gap.method + knob, *own, *(number(gap.bounds.get(name)) for name in _BOUNDS), share)
    return view


def _explicit(result: FrontierResult) -> Table:
    """The worst setting of each method."""
    heads = ("plain", "with the trigger", "kept", "without the trigger")
    columns = [("method", "left"), ("metric", "left"), *((h, "right") for h in heads)]
    view = table("Queries that ask for a group by name: the worst setting", columns)
    for name, metric in dict.fromkeys((row.method, row.metric) for row in result.explicit if row.method != "plain"):
        own = [row for row in result.explicit if (row.method, row.metric) == (name, metric)]
        worst = min(own, key=lambda row: (row.share, row.without_trigger))
        view.add_row(name, metric, number(worst.plain), number(worst.kept), percent(worst.share), number(worst.without_trigger))
    return view


def _verdicts(result: FrontierResult) -> Table:
    view = table("May it be switched on?", [("method", "left"), ("knob", "left"), ("", "left"), ("why not", "left")])
    for one in result.verdicts:
        view.add_row(one.method, _knob(one.knob, one.value), _said(one), " ".join(one.reasons))
    return view


def _said(one: Verdict) -> Text:
    return Text("yes", style="green") if one.passed else Text("no", style="red")


def _knob(name: str, value: float) -> str:
    return f"{name}={value:g}" if name else ""
