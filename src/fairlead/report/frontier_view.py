"""A frontier in a terminal: relevance beside bias for every setting, our method against the others
at equal bias, and what harms.
"""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.report.terminal import table
from fairlead.report.wording import bounds, number, percent, signed
from fairlead.results.frontier import FrontierResult, Level, Verdict, setting
from fairlead.words.counts import counted

_KNOWING = {
    "same labels": "with the same labels",
    "in hindsight": "in hindsight",
    "true labels": "with true labels",
}
"""The bounds, and how they are spoken of."""


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
    notes = [Text(f"note: {note}", style="dim") for note in result.manifest.get("warnings", ())]
    return Group(*parts, Text(""), *notes, *(Text(foot, style="dim") for foot in _feet(result)))


def _feet(result: FrontierResult) -> list[str]:
    """What stands in small print below."""
    law = result.manifest.get("intervals", "")
    feet = [f"95 % intervals: {law}."] if law else []
    feet.append(
        "An interval is left out (–) where too few queries differ to give one. ms is the "
        "time of a query, loading left out."
    )
    if result.gaps:
        feet.append(_BOUNDS_FOOT if result.bounds else "Bounds are found for two groups only.")
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
    ours = (
        "levelled does not reach it"
        if math.isnan(level.ours)
        else f"levelled keeps nDCG {number(level.ours)}"
    )
    known = [
        f"{number(level.bounds[name])} {words}"
        for name, words in _KNOWING.items()
        if not math.isnan(level.bounds.get(name, math.nan))
    ]
    best = (
        f" Of lists that take each group's items from the top, the best keep {', '.join(known)}."
        if known
        else ""
    )
    return (
        f"At AbsBias {number(level.bias)}, chance and .1: {ours}.{best} "
        f"{level.method} reads nDCG {number(level.method_relevance)} at its lowest AbsBias, "
        f"{number(level.method_bias)}; half-way from "
        f"there to plain is {number(level.half_way)}."
    )


def _points(result: FrontierResult, narrow: bool) -> Table:
    heads = ["AbsBias", "95 % interval", "NDKL excess", "nDCG", "95 % interval", "P@1", "ms"]
    kept = [head for head in heads if not narrow or head != "95 % interval"]
    view = table("Settings", [("method", "left"), ("knob", "left"), *((h, "right") for h in kept)])
    for point in result.rows:
        bias = [
            number(point.means["AbsBias"]),
            *([] if narrow else [bounds(point.spans["AbsBias"])]),
        ]
        useful = [number(point.means["nDCG"]), *([] if narrow else [bounds(point.spans["nDCG"])])]
        rest = [number(point.means["P@1"]), number(point.ms, 2)]
        view.add_row(
            point.method,
            setting(point.knob, point.value),
            *bias,
            signed(point.means["NDKL_excess"]),
            *useful,
            *rest,
        )
    return _unwrapped(view)


def _unwrapped(view: Table) -> Table:
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
    shown = [name for name in _KNOWING if name in result.bounds][: 1 if narrow else None]
    heads = (
        "at AbsBias",
        "nDCG",
        "levelled",
        "95 % interval",
        *shown,
        *(["recovered"] if shown else []),
    )
    view = table(
        "levelled minus the others, at their own bias",
        [("method", "left"), *((h, "right") for h in heads)],
    )
    for gap in result.gaps:
        knob = "" if math.isnan(gap.value) else f" {gap.value:g}"
        own = (number(gap.bias), number(gap.relevance), signed(gap.difference), bounds(gap.ci))
        share = "–" if math.isnan(gap.recovered) else percent(gap.recovered)
        view.add_row(
            gap.method + knob,
            *own,
            *(number(gap.bounds.get(name)) for name in shown),
            *([share] if shown else []),
        )
    return _unwrapped(view)


def _explicit(result: FrontierResult) -> Table:
    """The worst setting of each method; where the trigger was off, nothing is said of what it would
    have done.
    """
    heads = (
        ("plain", "with the trigger", "kept", "without the trigger")
        if result.triggered
        else ("plain", "without the trigger", "kept")
    )
    columns = [("method", "left"), ("metric", "left"), *((h, "right") for h in heads)]
    view = table("Queries that ask for a group by name: the worst setting", columns)
    for name, metric in dict.fromkeys(
        (row.method, row.metric) for row in result.explicit if row.method != "plain"
    ):
        own = [row for row in result.explicit if (row.method, row.metric) == (name, metric)]
        worst = min(own, key=lambda row: (row.share, row.without_trigger))
        beside = [number(worst.without_trigger)] if result.triggered else []
        view.add_row(
            name, metric, number(worst.plain), number(worst.kept), percent(worst.share), *beside
        )
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
    return Text("yes", style="green") if one.passed else Text("no", style="red")
