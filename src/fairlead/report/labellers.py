"""Labellers compared with people: tables for the terminal, and a page with a panel for each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.annotate import PERCEIVED
from fairlead.report.small_panels import Dot, Page, Panel, Rule, scale_of, words_of
from fairlead.report.terminal import dim, table, warned
from fairlead.report.wording import bounds, number, percent, probability, shortened, signed
from fairlead.words.counts import counted

if TYPE_CHECKING:
    from fairlead.studies.labellers import Comparison, LabellerPoint, Summary

_HEADS = (
    "labeller",
    "detected",
    "off",
    "95 % interval",
    "chance",
    "q",
    "leans",
    "95 % interval",
    "trusted",
    "at most",
)
_NAMED = 4
"""Queries of a panel that are named: those that are most off."""
_LONGEST = 30
_MOST = 5
"""Queries of a labeller that the terminal lists; JSON has them all."""


def comparison_view(found: Comparison) -> RenderableType:
    """The labellers, and the queries in which each is most off."""
    lead = (
        f"{found.attribute}: the {found.group} ratio of "
        f"{counted(len(found.labellers), 'labeller')} against {found.human}"
    )
    parts: list[RenderableType] = [
        Text(lead, style="bold"),
        Text(headline(found)),
        Text(""),
        _summaries(found),
    ]
    for summary in found.labellers:
        parts += [Text(""), _points(found, summary)]
    foot = (
        "detected: share of items with a face, or an answer where no faces are looked for. "
        "off: the group's ratio among the answers less "
        "that of people, by that of people; of labellers, its mean size. chance: a labeller "
        "that is always right and answers as often. "
        "unseen and wrong add up to the plain difference."
    )
    return Group(*parts, Text(""), *warned(found.notes), *dim(foot, PERCEIVED))


def headline(found: Comparison) -> str:
    """The one sentence to remember."""
    known = [s for s in found.labellers if not math.isnan(s.off)]
    if not known:
        return "No labeller can be compared: it answers nothing, or people see nobody of the group."
    best = min(known, key=lambda s: s.off)
    start = (
        f"{best.labeller} is {percent(best.off)} off on average{_from_to(best.off_ci)}, where "
        f"chance gives {percent(best.chance)}"
    )
    if math.isnan(best.worst):
        return f"{start}; it detects {percent(found.threshold)} or more in no query."
    return (
        f"{start}; where it detects {percent(found.threshold)} or more "
        f"({counted(best.trusted, 'query')}), at most {percent(best.worst)}."
    )


def _from_to(pair: tuple[float, float]) -> str:
    if _is_undefined(pair):
        return ""
    return f" ({100 * pair[0]:.0f} to {100 * pair[1]:.0f} %)"


def _percents(pair: tuple[float, float]) -> str:
    if _is_undefined(pair):
        return ""
    return f"[{100 * pair[0]:.0f}, {100 * pair[1]:.0f}]"


def _short(pair: tuple[float, float]) -> str:
    if _is_undefined(pair):
        return ""
    return f"[{number(pair[0], 2)}, {number(pair[1], 2)}]"


def _is_undefined(pair: tuple[float, float]) -> bool:
    """Whether an interval could not be given; beside its number it is then left out."""
    return any(map(math.isnan, pair))


def _summaries(found: Comparison) -> RenderableType:
    view = table("Labellers", [("labeller", "left"), *((h, "right") for h in _HEADS[1:])])
    view.columns[0].no_wrap = True
    several = len(found.labellers) > 1
    if several:
        view.add_column("against first", justify="right", no_wrap=True, overflow="fold")
    for s in found.labellers:
        cells = [s.labeller, *_cells(s)]
        if several:
            cells.append(_against(s))
        view.add_row(*cells)
    return view


def _against(s: Summary) -> str:
    # The first is not held against itself.
    if math.isnan(s.against):
        return ""
    return f"{signed(s.against)} {bounds(s.against_ci)}"


def _cells(s: Summary) -> tuple[str, ...]:
    """The figures of a labeller."""
    trusted = f"{s.trusted} of {s.queries}"
    means = (
        f"{percent(s.detected)} {_percents(s.detected_ci)}",
        number(s.off),
        bounds(s.off_ci),
        number(s.chance),
        probability(s.q),
    )
    return (*means, signed(s.signed), bounds(s.signed_ci), trusted, number(s.worst))


def _points(found: Comparison, summary: Summary) -> RenderableType:
    points = sorted(found.of(summary.labeller), key=_size, reverse=True)
    title = summary.labeller
    if len(points) > _MOST:
        title += f", the {_MOST} queries most off of {len(points)}"
    heads = [
        "items",
        "detected",
        found.group,
        "people",
        "off",
        "95 % interval",
        "chance",
        "p",
        "unseen",
        "wrong",
    ]
    columns = [("query", "left"), *((h, "right") for h in heads)]
    # Who labelled a list is news only where that differs from list to list.
    mixed = any(p.source != summary.source for p in points)
    if mixed:
        columns.append(("labelled by", "left"))
    view = table(title, columns)
    for p in points[:_MOST]:
        off = (
            signed(p.normalised),
            bounds(p.normalised_ci),
            number(p.chance),
            probability(p.p),
            signed(p.unseen),
            signed(p.wrong),
        )
        shares = (percent(p.detected), number(p.ratio), number(p.human))
        cells = [p.query, f"{p.items}", *shares, *off]
        if mixed:
            cells.append(p.source)
        view.add_row(*cells)
    return view


def _size(point: LabellerPoint) -> float:
    # Queries that cannot be compared come last; NaN would leave the order to chance.
    if math.isnan(point.normalised):
        return -1.0
    return abs(point.normalised)


def comparison_page(found: Comparison) -> Page:
    """The picture: a panel for each labeller, all over the same axes, as in Feng and Shah."""
    known = [p for p in found.points if not math.isnan(p.normalised)]
    y = scale_of(
        "normalised difference to people", [p.normalised for p in known], least=(-0.5, 0.5)
    )
    x = scale_of("share of items detected", (), least=(0.0, 1.0))
    panels = []
    for s in found.labellers:
        own = sorted(
            (p for p in found.of(s.labeller) if not math.isnan(p.normalised)),
            key=_size,
            reverse=True,
        )
        dots = tuple((_dot(p, found.threshold, at < _NAMED),) for at, p in enumerate(own))
        rules = (
            Rule(0.0, "as people say", dashed=False, colour="quiet"),
            Rule(found.threshold, "trusted →", along=False),
        )
        note = (
            f"off by {number(s.off, 2)} {_short(s.off_ci)} on average; chance {number(s.chance, 2)}"
        )
        panels.append(
            Panel(
                s.labeller,
                note,
                x,
                y,
                dots,
                rules,
                words_of(s.labeller, {p.query: (p.detected, p.normalised) for p in own}),
            )
        )
    rows = tuple((s.labeller, *_cells(s)) for s in found.labellers)
    return Page(
        title=f"labellers of {found.attribute} against people",
        headline=headline(found),
        lead=(
            f"A dot is a query with up to {found.k} items. Up: more {found.group} than people "
            "see. Bars: 95 % intervals, cut at the edge."
        ),
        panels=tuple(panels),
        legend=(
            ("ink", f"at least {percent(found.threshold)} of the items detected"),
            ("caution", "fewer: people should label these"),
        ),
        tables=(("Labellers", _HEADS, rows), ("Queries", *_query_table(found))),
        notes=found.notes,
        reading=_reading(found),
    )


def _dot(p: LabellerPoint, threshold: float, named: bool) -> Dot:
    low = p.detected < threshold
    words = (
        f"{p.query}: {percent(p.detected)} detected, off by {signed(p.normalised, 2)} "
        f"{_short(p.normalised_ci)}"
    )
    name = shortened(p.query, _LONGEST) if named else ""
    return Dot(
        p.detected,
        p.normalised,
        p.detected_ci,
        p.normalised_ci,
        "caution" if low else "ink",
        low,
        name,
        words,
    )


def _query_table(found: Comparison) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    heads = (
        "query",
        "labeller",
        "detected",
        found.group,
        "people",
        "off",
        "95 % interval",
        "chance",
        "unseen",
        "wrong",
    )
    rows = []
    for p in sorted(found.points, key=lambda p: (p.query, p.labeller)):
        off = (
            signed(p.normalised),
            bounds(p.normalised_ci),
            number(p.chance),
            signed(p.unseen),
            signed(p.wrong),
        )
        rows.append(
            (p.query, p.labeller, percent(p.detected), number(p.ratio), number(p.human), *off)
        )
    return heads, tuple(rows)


def _reading(found: Comparison) -> tuple[tuple[str, str], ...]:
    return (
        (
            "Detected",
            (
                "The share of a query's items in which a face was found, or that were "
                "answered where a labeller looks for no faces."
            ),
        ),
        (
            "Off",
            f"The {found.group} ratio among the labeller's answers less that of people, "
            "divided by that of people. Of a labeller: its "
            "mean size over queries.",
        ),
        (
            "Chance",
            (
                "How far off a labeller is that is always right and answers about as many "
                "items, drawn by lot. Read what is beyond it."
            ),
        ),
        (
            "Unseen, wrong",
            (
                "The plain difference in two parts: whom the labeller leaves out, and whom "
                "it takes for somebody else."
            ),
        ),
        (
            "Trusted",
            (
                f"Queries with at least {percent(found.threshold)} detected. Feng and Shah "
                "(2022) give the others to people."
            ),
        ),
    )
