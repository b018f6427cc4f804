"""Results as tables in a terminal."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from fairlead.report.results import PairedRow, PerQuery, Row, ScoreResult

_SEEN = 0.05
_WORST = 5


def as_text(view: RenderableType, width: int = 132) -> str:
    """A view as plain text."""
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(view)
    return console.export_text()


def number(value: float | None, digits: int = 3) -> str:
    """A number for people: fixed digits, a dash where undefined."""
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"


def bounds(pair: Sequence[float] | None) -> str:
    """An interval for people."""
    return "–" if pair is None or any(v is None or math.isnan(v) for v in pair) else f"[{number(pair[0])}, {number(pair[1])}]"


def probability(value: float | None) -> str:
    """A p or q value for people."""
    if value is None or math.isnan(value):
        return "–"
    return "<.001" if value < 0.001 else f"{value:.3f}"


def reading(row: Row) -> Text:
    """One row in words: how it stands to chance."""
    if row.null is None:
        return Text("")
    if row.null.get("degenerate"):
        return Text("no chance level", style="yellow")
    if row.direction != "either" and _better(row):
        return Text("closer than chance", style="green")
    if math.isnan(row.q) or row.q >= _SEEN:
        return Text("at chance", style="dim")
    if row.direction == "either":
        return Text("above chance" if row.excess > 0 else "below chance", style="bold red")
    return Text("worse than chance", style="bold red")


def _better(row: Row) -> bool:
    """Whether the whole interval of the excess lies on the better side of chance."""
    return row.excess_ci[1] < 0 if row.direction == "lower" else row.excess_ci[0] > 0


def score_view(result: ScoreResult) -> RenderableType:
    """Everything ``score`` found."""
    judged = [row for row in result.rows if row.attribute is None]
    grouped = [row for row in result.rows if row.attribute is not None]
    parts: list[RenderableType] = []
    if grouped:
        parts += [_grouped(grouped), *_worst(result)]
    if judged:
        parts.append(_judged(judged))
    if result.paired is not None:
        parts.append(_paired(result.paired))
    parts += _notes(result)
    return Group(*parts)


def table(title: str, columns: Iterable[tuple[str, Any]]) -> Table:
    """An empty table in the house style; columns are (name, justify)."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, justify in columns:
        made.add_column(name, justify=justify, no_wrap=justify == "right")
    return made


def _grouped(rows: Sequence[Row]) -> Table:
    variants = any(row.variant for row in rows)
    figures = ("mean", "95 % interval", "chance", "excess", "95 % interval", "p", "q", "unknown")
    columns = [("metric", "left"), ("attribute", "left"), *((name, "right") for name in figures), ("reads", "left")]
    view = table("Who is shown", ([("variant", "left")] if variants else []) + columns)
    for row in rows:
        null = row.null or {}
        chance = f"{number(null.get('mean'))} {null.get('kind', '')}".strip()
        unknown = "–" if math.isnan(row.unknown_mass) else f"{100 * row.unknown_mass:.0f} %"
        cells = [row.metric, row.attribute or "", number(row.mean), bounds(row.ci), chance, number(row.excess), bounds(row.excess_ci)]
        view.add_row(*([row.variant or ""] if variants else []), *cells, probability(row.p), probability(row.q), unknown, reading(row))
    return view


def _judged(rows: Sequence[Row]) -> Table:
    variants = any(row.variant for row in rows)
    columns = [("metric", "left"), ("mean", "right"), ("95 % interval", "right"), ("queries", "right"), ("undefined", "right")]
    view = table("\nHow relevant it is", ([("variant", "left")] if variants else []) + columns)
    for row in rows:
        cells = (row.metric, number(row.mean), bounds(row.ci), str(row.queries), str(row.undefined))
        view.add_row(*([row.variant or ""] if variants else []), *cells)
    return view


def _worst(result: ScoreResult) -> list[RenderableType]:
    """For each metric, how many queries stand out after correction, and the worst of them."""
    lines: list[RenderableType] = []
    for part in result.values:
        found = worst_queries(part, result)
        if found is None or len(result.queries) < 2:
            continue
        count, tested, names = found
        text = Text(f"{part.variant + ': ' if part.variant else ''}{part.metric} {part.attribute}: ", style="dim")
        text.append(f"{count} of {tested} queries differ from chance at q < .05", style="bold" if count else "dim")
        text.append(f": {', '.join(names)}{', …' if count > len(names) else ''}" if names else "", style="dim")
        lines.append(text)
    return [Text(""), *lines] if lines else []


def worst_queries(part: PerQuery, result: ScoreResult) -> tuple[int, int, list[str]] | None:
    """How many queries differ from chance after correction, of how many, and the worst of them by excess."""
    if part.q is None or part.null_mean is None:
        return None
    excess = part.value - part.null_mean
    tested = [i for i in range(len(result.queries)) if not math.isnan(part.q[i])]
    found = sorted((i for i in tested if part.q[i] < _SEEN), key=lambda i: -abs(excess[i]))
    return (len(found), len(tested), [f"{result.queries[i]} {excess[i]:+.2f}" for i in found[:_WORST]]) if tested else None


def _paired(rows: Sequence[PairedRow]) -> Table:
    variants = any(row.variant for row in rows)
    title = "\nEach variant against plain" if variants else "\nFirst run against second"
    names = ("variant", "plain") if variants else ("first", "second")
    figures = (*names, "difference", "95 % interval", "p", "q", "queries")
    head = ([("variant", "left")] if variants else []) + [("metric", "left"), ("attribute", "left")]
    view = table(title, head + [(name, "right") for name in figures])
    for row in rows:
        cells = (row.metric, row.attribute or "", number(row.first), number(row.second), f"{row.difference:+.3f}", bounds(row.ci))
        view.add_row(*([row.variant or ""] if variants else []), *cells, probability(row.p), probability(row.q), str(row.queries))
    return view


def _notes(result: ScoreResult) -> list[RenderableType]:
    """Warnings, notes of rows, and what the numbers rest on."""
    lines: list[RenderableType] = [Text("")]
    lines += [Text(f"! {warning}", style="yellow") for warning in result.warnings]
    rows: list[Row | PairedRow] = [*result.rows, *(result.paired or ())]
    lines += [Text(f"! {row.metric} {row.attribute or ''}: {note}", style="yellow") for row in rows for note in row.notes]
    needed = [f"{row.metric} {row.attribute or ''}: {row.queries_needed:,}" for row in result.rows if row.queries_needed]
    if needed:
        lines.append(Text("Queries needed to see the difference asked for: " + "; ".join(needed), style="dim"))
    targets = sorted(
        {f"{r.attribute}: {r.target}, labels from '{r.source}'" for r in result.rows if r.target and "null only" not in r.target}
    )
    if targets:
        lines.append(Text("Target of " + "; ".join(targets) + ". Labels are perceived presentation, never identity.", style="dim"))
    lines.append(Text("p is against chance, q is p corrected for the number of looks (Benjamini-Hochberg).", style="dim"))
    return lines
