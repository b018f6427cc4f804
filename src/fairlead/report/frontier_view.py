"""A frontier in a terminal: relevance beside bias for every setting, our method against the others
at equal bias, and what harms.
"""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.report.terminal import dim, table
from fairlead.report.wording import bounds, number, percent, signed
from fairlead.results.frontier import FrontierResult, Gap, Level, Verdict, setting
from fairlead.words.counts import counted

_KNOWING = {
    "same labels": "with the same labels",
    "in hindsight": "in hindsight",
    "true labels": "with true labels",
}
"""The bounds, and how they are spoken of."""
_INTERVAL = "95 % interval"


def frontier_view(
    result: FrontierResult, *, checked: bool = False, narrow: bool = False
) -> RenderableType:
    """Everything ``frontier`` found; with ``checked``, whether each setting may be switched on;
    ``narrow`` leaves out intervals.
    """
    tried = (
        f"{counted(len(result.rows), 'setting')} on "
        f"{counted(result.manifest.get('queries', 0), 'query')}"
    )
    lead = f"What balance costs: {tried}. Chance alone reads AbsBias {number(result.chance)}."
    parts: list[RenderableType] = [
        Text(lead, style="bold"),
        Text(""),
        _points(result, narrow),
        Text(""),
        _curves(result),
    ]
    if result.gaps:
        parts += [Text(""), _gaps(result, narrow)]
    if result.level is not None:
        parts += [Text(""), Text(level_words(result.level))]
    if result.explicit:
        parts += [Text(""), _explicit(result)]
    if checked:
        parts += [Text(""), _verdicts(result)]
    notes = dim(*(f"note: {note}" for note in result.manifest.get("warnings", ())))
    return Group(*parts, Text(""), *notes, *dim(*_feet(result)))


def _feet(result: FrontierResult) -> list[str]:
    """What stands in small print below."""
    feet: list[str] = []
    if law := result.manifest.get("intervals", ""):
        feet.append(f"95 % intervals: {law}.")
    feet.append(
        "An interval is left out (–) where too few queries differ to give one. ms is the "
        "time of a query, loading left out."
    )
    if result.gaps and result.bounds:
        feet.append(_BOUNDS_FOOT)
    elif result.gaps:
        feet.append("Bounds are found for two groups only.")
    return feet


_BOUNDS_FOOT = (
    "same labels: the best of lists that take each group's items from the top, chosen by "
    "somebody who knows what is relevant and how often "
    "labels err, but not which one is wrong. in hindsight: by who knows that as well. true "
    "labels: lists made with labels that never err. "
    "Other lists can do better: a method that passes over doubtful labels may lie above same "
    "labels. recovered: how much of the way from "
    "the other method to same labels levelled goes."
)


def level_words(level: Level) -> str:
    """What can be kept near chance, in a sentence or three."""
    ours = f"levelled keeps nDCG {number(level.ours)}"
    if math.isnan(level.ours):
        ours = "levelled does not reach it"
    # A bound that does not reach this bias is left out, not printed as a dash.
    known = [
        f"{number(level.bounds[name])} {words}"
        for name, words in _KNOWING.items()
        if not math.isnan(level.bounds.get(name, math.nan))
    ]
    if known:
        ours += (
            ". Of lists that take each group's items from the top, the best keep "
            f"{', '.join(known)}"
        )
    return (
        f"At AbsBias {number(level.bias)}, chance and .1: {ours}. "
        f"{level.method} reads nDCG {number(level.method_relevance)} at its lowest AbsBias, "
        f"{number(level.method_bias)}; half-way from "
        f"there to plain is {number(level.half_way)}."
    )


def _points(result: FrontierResult, narrow: bool) -> Table:
    heads = ["AbsBias", _INTERVAL, "NDKL excess", "nDCG", _INTERVAL, "P@1", "ms"]
    kept = [at for at, head in enumerate(heads) if not narrow or head != _INTERVAL]
    columns = ((heads[at], "right") for at in kept)
    view = table("Settings", [("method", "left"), ("knob", "left"), *columns])
    for point in result.rows:
        cells = (
            number(point.means["AbsBias"]),
            bounds(point.spans["AbsBias"]),
            signed(point.means["NDKL_excess"]),
            number(point.means["nDCG"]),
            bounds(point.spans["nDCG"]),
            number(point.means["P@1"]),
            number(point.ms, 2),
        )
        shown = (cells[at] for at in kept)
        view.add_row(point.method, setting(point.knob, point.value), *shown)
    return _unwrapped(view)


def _unwrapped(view: Table) -> Table:
    """A table whose methods are never folded: their names are typed again in commands."""
    view.columns[0].no_wrap = True
    return view


def _curves(result: FrontierResult) -> Table:
    view = table(
        "Methods",
        [("method", "left"), ("lowest AbsBias", "right"), ("mean nDCG where all reach", "right")],
    )
    for curve in result.curves[1:]:
        view.add_row(curve.method, number(curve.lowest_bias), number(curve.area))
    return view


def _gaps(result: FrontierResult, narrow: bool) -> Table:
    shown = [name for name in _KNOWING if name in result.bounds]
    if narrow:
        shown = shown[:1]
    heads = ["at AbsBias", "nDCG", "levelled", _INTERVAL, *shown]
    # What is recovered is a share of the way to a bound: without bounds there is none.
    if shown:
        heads.append("recovered")
    view = table(
        "levelled minus the others, at their own bias",
        [("method", "left"), *((h, "right") for h in heads)],
    )
    for gap in result.gaps:
        cells = [number(gap.bias), number(gap.relevance), signed(gap.difference), bounds(gap.ci)]
        cells += [number(gap.bounds.get(name)) for name in shown]
        if shown:
            cells.append(percent(gap.recovered))
        view.add_row(gap_name(gap), *cells)
    return _unwrapped(view)


def gap_name(gap: Gap) -> str:
    """A setting of another method; one without a knob is called by its method alone."""
    if math.isnan(gap.value):
        return gap.method
    return f"{gap.method} {gap.value:g}"


def _explicit(result: FrontierResult) -> Table:
    """The worst setting of each method; where the trigger was off, nothing is said of what it would
    have done.
    """
    heads = ["plain", "without the trigger", "kept"]
    if result.triggered:
        heads = ["plain", "with the trigger", "kept", "without the trigger"]
    columns = [("method", "left"), ("metric", "left"), *((h, "right") for h in heads)]
    view = table("Queries that ask for a group by name: the worst setting", columns)
    for name, metric in dict.fromkeys(
        (row.method, row.metric) for row in result.explicit if row.method != "plain"
    ):
        own = [row for row in result.explicit if (row.method, row.metric) == (name, metric)]
        worst = min(own, key=lambda row: (row.share, row.without_trigger))
        cells = [number(worst.plain), number(worst.kept), percent(worst.share)]
        if result.triggered:
            cells.append(number(worst.without_trigger))
        view.add_row(name, metric, *cells)
    return view


def _verdicts(result: FrontierResult) -> Table:
    view = table(
        "May it be switched on?",
        [("method", "left"), ("knob", "left"), ("", "left"), ("why not", "left")],
    )
    for one in result.verdicts:
        view.add_row(one.method, setting(one.knob, one.value), _said(one), " ".join(one.reasons))
    return view


def _said(one: Verdict) -> Text:
    if one.passed:
        return Text("yes", style="green")
    return Text("no", style="red")
