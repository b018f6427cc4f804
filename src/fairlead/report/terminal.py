"""Results as tables in a terminal. A table that does not fit puts intervals below their numbers
instead of cutting them off.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from fairlead.report import label_error
from fairlead.report.splits import Cell, Split, splits
from fairlead.report.wording import (
    Tone,
    bounds,
    headline,
    notes_of,
    number,
    percent,
    probability,
    reading,
    signed,
    standing,
)
from fairlead.words.counts import agreeing, part_of
from fairlead.words.visible import visible

if TYPE_CHECKING:
    from fairlead.results.audit import Audit
    from fairlead.results.score import PairedRow, PerQuery, Row, ScoreResult

_WORST = 5
_STYLES: dict[Tone, str] = {
    "worse": "bold red",
    "better": "green",
    "quiet": "dim",
    "caution": "yellow",
}
_SPLIT_STYLES = {**_STYLES, "quiet": ""}


@dataclass(frozen=True)
class Fitting:
    """The wide view where there is room for it, the narrow one where there is not."""

    wide: RenderableType
    narrow: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose by the width at hand."""
        # Measured at a width that nothing needs: at the real one it would never seem too wide.
        need = Measurement.get(console, options.update(max_width=1_000), self.wide).maximum
        yield self.wide if need <= options.max_width else self.narrow


def as_text(view: RenderableType, width: int = 132) -> str:
    """A view as plain text."""
    console = plain_console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(view)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    # Tables fill their last column with blanks, which nobody wants in a file.
    return "\n".join(line.rstrip() for line in printed.splitlines()) + "\n"


def plain_console(**choices: Any) -> Console:
    """A console that prints text as it is: ids and names may hold brackets and colons, which are
    not markup, and controls, which must not reach a terminal.
    """
    return VisibleConsole(markup=False, emoji=False, highlight=False, **choices)


class VisibleConsole(Console):
    """Escapes what would steer a terminal wherever text is drawn; colours are its own."""

    def render_str(self, text: str, **choices: Any) -> Text:
        """Text of a string: before it is measured, so that cells have room for escapes."""
        return super().render_str(visible(text), **choices)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Segments of anything; every part of a view comes through here."""
        if isinstance(renderable, Text) and visible(renderable.plain) != renderable.plain:
            shown = renderable.blank_copy()
            for part in renderable.render(self):
                shown.append(visible(part.text), part.style)
            renderable = shown
        return super().render(renderable, options)


def audit_view(found: Audit) -> RenderableType:
    """What an audit measured."""
    return score_view(found.result)


def score_view(result: ScoreResult) -> RenderableType:
    """Everything ``score`` found."""
    judged = [row for row in result.rows if row.attribute is None]
    grouped = [row for row in result.rows if row.attribute is not None]
    parts: list[RenderableType] = [Text(headline(result), style="bold"), Text("")]
    if grouped:
        parts += [Fitting(_grouped(grouped), _grouped_narrow(grouped)), *_worst(result)]
    parts += _label_error(result)
    # Without groups the table stands right below the headline.
    if judged and grouped:
        parts.append(Text(""))
    if judged:
        parts.append(_judged(judged))
    for split in splits(result):
        parts += [Text(""), Fitting(_split(split, " "), _split(split, "\n"))]
    if result.paired:
        parts += [Text(""), Fitting(_paired(result.paired), _paired_narrow(result.paired))]
    return Group(*parts, *_notes(result))


def table(title: str, columns: Iterable[tuple[str, Any]]) -> Table:
    """An empty table in the house style; columns are (name, justify)."""
    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="dim",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for name, justify in columns:
        # Numbers are never broken, names are folded: nothing is cut off at any width.
        made.add_column(name, justify=justify, no_wrap=justify == "right", overflow="fold")
    return made


def spaced(parts: Iterable[RenderableType]) -> list[RenderableType]:
    """Views one below the other, with an empty line between two."""
    lines: list[RenderableType] = []
    for part in parts:
        if lines:
            lines.append(Text(""))
        lines.append(part)
    return lines


def dim(*lines: str) -> list[RenderableType]:
    """Lines in small print; of empty ones nothing."""
    return [Text(line, style="dim") for line in lines if line]


def warned(notes: Iterable[str]) -> list[RenderableType]:
    """What must be known before a number is quoted, a line each."""
    return [Text(f"! {note}", style="yellow") for note in notes]


def _by_variant(
    title: str,
    columns: Iterable[tuple[str, Any]],
    rows: Iterable[tuple[str | None, Sequence[RenderableType]]],
    *,
    named: bool,
) -> Table:
    """A table of (variant, cells); the variant is a column only where it is ``named``."""
    if not named:
        view = table(title, columns)
        for _, cells in rows:
            view.add_row(*cells)
        return view
    view = table(title, [("variant", "left"), *columns])
    for variant, cells in rows:
        view.add_row(variant or "", *cells)
    return view


def _read(row: Row, *, short: bool = False) -> Text:
    """How a row stands to chance; short: with a line of its own for "than chance"."""
    reads = reading(row)
    if reads is None:
        return Text("")
    words = reads.words
    if short:
        words = words.replace(" than", "\nthan")
    return Text(words, style=_STYLES[reads.tone])


def _grouped(rows: Sequence[Row]) -> Table:
    figures = ("mean", "95 % interval", "chance", "excess", "95 % interval", "p", "q", "unknown")
    columns = [
        ("metric", "left"),
        ("attribute", "left"),
        *((name, "right") for name in figures),
        ("reads", "left"),
    ]
    lines: list[tuple[str | None, Sequence[RenderableType]]] = []
    for row in rows:
        null = row.null or {}
        chance = f"{number(null.get('mean'))} {null.get('kind', '')}".strip()
        cells = (
            row.metric,
            row.attribute or "",
            number(row.mean),
            bounds(row.ci),
            chance,
            signed(row.excess),
            bounds(row.excess_ci),
        )
        marks = (probability(row.p), probability(row.q), percent(row.unknown_mass), _read(row))
        lines.append((row.variant, (*cells, *marks)))
    return _by_variant("Who is shown", columns, lines, named=any(row.variant for row in rows))


def _grouped_narrow(rows: Sequence[Row]) -> Table:
    """The same in two lines a row: intervals below their numbers, the kind of chance below chance,
    q below p.
    """
    figures = [(name, "right") for name in ("mean", "chance", "excess", "p, q", "unknown")]
    view = table("Who is shown", [("metric, attribute", "left"), *figures, ("reads", "left")])
    for row in rows:
        null = row.null or {}
        what = f"{row.metric}\n{row.attribute}"
        if row.variant:
            what = f"{row.metric} {row.attribute}\n{row.variant}"
        chance = f"{number(null.get('mean'))}\n{null.get('kind', '')}"
        looks = f"{probability(row.p)}\n{probability(row.q)}"
        mean, excess = (
            f"{number(row.mean)}\n{bounds(row.ci)}",
            f"{signed(row.excess)}\n{bounds(row.excess_ci)}",
        )
        view.add_row(
            what, mean, chance, excess, looks, percent(row.unknown_mass), _read(row, short=True)
        )
    return view


def _label_error(result: ScoreResult) -> list[RenderableType]:
    """What label error does to the rows, where it was asked for."""
    parts: list[RenderableType] = []
    lines = label_error.corrected_lines(result)
    if lines:
        head = [
            ("metric", "left"),
            ("attribute", "left"),
            *((name, "right") for name in label_error.CORRECTED_HEAD),
            ("reads", "left"),
        ]
        view = table("Were the labels true", head)
        for line in lines:
            view.add_row(
                line.metric, line.attribute, *line.cells, Text(line.words, style=_STYLES[line.tone])
            )
        parts += [Text(""), view, *dim(*label_error.precision_lines(result))]
    lines = label_error.overturn_lines(result)
    if lines:
        head = [
            ("metric", "left"),
            ("attribute", "left"),
            ("reads", "left"),
            ("any label wrong", "right"),
            ("of one group only", "left"),
        ]
        view = table("How wrong labels would have to be to read otherwise", head)
        for line in lines:
            view.add_row(
                line.metric, line.attribute, Text(line.words, style=_STYLES[line.tone]), *line.cells
            )
        parts += [Text(""), view]
    return parts


def _judged(rows: Sequence[Row]) -> Table:
    columns = [
        ("metric", "left"),
        ("mean", "right"),
        ("95 % interval", "right"),
        ("queries", "right"),
        ("undefined", "right"),
    ]
    lines = [
        (
            row.variant,
            (
                row.metric,
                number(row.mean),
                bounds(row.ci),
                f"{row.queries:,}",
                f"{row.undefined:,}",
            ),
        )
        for row in rows
    ]
    return _by_variant("How relevant it is", columns, lines, named=any(row.variant for row in rows))


def _split(split: Split, between: str) -> Table:
    """A line for each value of a tag; a chance level stands in brackets beside or below its
    measure.
    """
    measures = [(name.replace("(", "\n(", 1), "right") for name in split.measures]
    columns = [(split.tag, "left"), ("queries", "right"), *measures]
    lines: list[tuple[str | None, Sequence[RenderableType]]] = []
    for part in split.parts:
        cells = (_beside(cell, between) for cell in part.cells)
        lines.append((part.variant, (part.value, part.queries, *cells)))
    title = f"By {split.tag} (chance in brackets)"
    return _by_variant(title, columns, lines, named=split.variants)


def _beside(cell: Cell, between: str) -> Text:
    """A measure with its chance level, where it has one."""
    words = cell.mean
    if cell.chance:
        words = f"{words}{between}({cell.chance})"
    return Text(words, style=_SPLIT_STYLES[cell.tone])


def _worst(result: ScoreResult) -> list[RenderableType]:
    """For each metric, how many queries stand out after correction, and the worst of them."""
    lines: list[RenderableType] = []
    for part in result.values:
        stands = standing(part)
        # Of a single query the table says all there is.
        if stands is None or len(result.queries) < 2:
            continue
        count = len(stands.found)
        name = f"{part.metric} {part.attribute}: "
        if part.variant:
            name = f"{part.variant}: {name}"
        text = Text(name, style="dim")
        differ = agreeing(count, "differs", "differ")
        text.append(
            f"{part_of(count, stands.tested, 'query')} {differ} from chance at q < .05",
            style="bold" if count else "dim",
        )
        text.append(_named(part, result, stands.found), style="dim")
        lines.append(text)
    if not lines:
        return []
    return [Text(""), *lines]


def _named(part: PerQuery, result: ScoreResult, found: Sequence[int]) -> str:
    """The worst of the queries that stand out, with their excess."""
    assert part.null_mean is not None
    if not found:
        return ""
    names = [
        f"{result.queries[i]} {signed(float(part.value[i] - part.null_mean[i]), 2)}"
        for i in found[:_WORST]
    ]
    if len(found) > _WORST:
        names.append("…")
    return f": {', '.join(names)}"


def _pair_names(rows: Sequence[PairedRow]) -> tuple[str, str, str]:
    """Title, and what the first and the second value are called."""
    if any(row.variant for row in rows):
        return "Each variant against plain", "mitigated", "plain"
    return "First run against second", "first", "second"


def _paired(rows: Sequence[PairedRow]) -> Table:
    title, first, second = _pair_names(rows)
    figures = (first, second, "difference", "95 % interval", "p", "q", "queries")
    columns = [("metric", "left"), ("attribute", "left"), *((name, "right") for name in figures)]
    lines = []
    for row in rows:
        cells = (
            row.metric,
            row.attribute or "",
            number(row.first),
            number(row.second),
            signed(row.difference),
            bounds(row.ci),
        )
        looks = (probability(row.p), probability(row.q), f"{row.queries:,}")
        lines.append((row.variant, (*cells, *looks)))
    return _by_variant(title, columns, lines, named=any(row.variant for row in rows))


def _paired_narrow(rows: Sequence[PairedRow]) -> Table:
    title, first, second = _pair_names(rows)
    view = table(
        title,
        [
            ("metric, attribute", "left"),
            *((name, "right") for name in (first, second, "difference", "p, q", "queries")),
        ],
    )
    for row in rows:
        what = f"{row.metric} {row.attribute or ''}".strip()
        if row.variant:
            what = f"{what}\n{row.variant}"
        difference, looks = (
            f"{signed(row.difference)}\n{bounds(row.ci)}",
            f"{probability(row.p)}\n{probability(row.q)}",
        )
        view.add_row(
            what, number(row.first), number(row.second), difference, looks, f"{row.queries:,}"
        )
    return view


def _notes(result: ScoreResult) -> list[RenderableType]:
    """Warnings, notes of rows, and what the numbers rest on."""
    lines: list[RenderableType] = [Text("")]
    lines += warned(result.warnings)
    told = notes_of((*result.rows, *(result.paired or ())))
    lines += warned(f"{about}: {note}" for note, about in told.items())
    corrections = label_error.notes_of(result.rows)
    lines += warned(f"correction of {about}: {note}" for note, about in corrections.items())
    needed = [
        f"{row.metric} {row.attribute or ''}".strip() + f": {row.queries_needed:,}"
        for row in result.rows
        if row.queries_needed
    ]
    if needed:
        lines += dim("Queries needed to see the difference asked for: " + "; ".join(needed))
    targets = dict.fromkeys(
        f"{r.attribute}: {r.target}, labels from '{r.source}'" for r in result.rows if r.target
    )
    if targets:
        lines += dim("Target of " + "; ".join(targets) + ".")
    if any(row.null is not None for row in result.rows):
        lines += dim(
            "p is against chance, q is p corrected for the number of looks (Benjamini-Hochberg).",
            "Labels are perceived presentation, never identity.",
        )
    return lines
