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
from rich.table import Table
from rich.text import Text

from fairlead.report import label_error
from fairlead.report.splits import Split, splits
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
        need = Measurement.get(console, options.update(max_width=1_000), self.wide).maximum
        yield self.wide if need <= options.max_width else self.narrow


def as_text(view: RenderableType, width: int = 132) -> str:
    """A view as plain text."""
    console = plain_console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(view)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in printed.splitlines()) + "\n"


def plain_console(**choices: Any) -> Console:
    """A console that prints text as it is: ids and names may hold brackets and colons, which are
    not markup.
    """
    return Console(markup=False, emoji=False, highlight=False, **choices)


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
    if judged:
        parts += [Text(""), _judged(judged)] if grouped else [_judged(judged)]
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
        made.add_column(name, justify=justify, no_wrap=justify == "right", overflow="fold")
    return made


def _read(row: Row, *, short: bool = False) -> Text:
    """How a row stands to chance; short: with a line of its own for "than chance"."""
    reads = reading(row)
    if reads is None:
        return Text("")
    return Text(
        reads.words.replace(" than", "\nthan") if short else reads.words, style=_STYLES[reads.tone]
    )


def _grouped(rows: Sequence[Row]) -> Table:
    variants = any(row.variant for row in rows)
    figures = ("mean", "95 % interval", "chance", "excess", "95 % interval", "p", "q", "unknown")
    columns = [
        ("metric", "left"),
        ("attribute", "left"),
        *((name, "right") for name in figures),
        ("reads", "left"),
    ]
    view = table("Who is shown", ([("variant", "left")] if variants else []) + columns)
    for row in rows:
        null = row.null or {}
        chance = f"{number(null.get('mean'))} {null.get('kind', '')}".strip()
        cells = [
            row.metric,
            row.attribute or "",
            number(row.mean),
            bounds(row.ci),
            chance,
            signed(row.excess),
            bounds(row.excess_ci),
        ]
        marks = (probability(row.p), probability(row.q), percent(row.unknown_mass), _read(row))
        view.add_row(*([row.variant or ""] if variants else []), *cells, *marks)
    return view


def _grouped_narrow(rows: Sequence[Row]) -> Table:
    """The same in two lines a row: intervals below their numbers, the kind of chance below chance,
    q below p.
    """
    figures = [(name, "right") for name in ("mean", "chance", "excess", "p, q", "unknown")]
    view = table("Who is shown", [("metric, attribute", "left"), *figures, ("reads", "left")])
    for row in rows:
        null = row.null or {}
        what = (
            f"{row.metric} {row.attribute}\n{row.variant}"
            if row.variant
            else f"{row.metric}\n{row.attribute}"
        )
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
        parts += [
            Text(""),
            view,
            *(Text(said, style="dim") for said in label_error.precision_lines(result)),
        ]
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
    variants = any(row.variant for row in rows)
    columns = [
        ("metric", "left"),
        ("mean", "right"),
        ("95 % interval", "right"),
        ("queries", "right"),
        ("undefined", "right"),
    ]
    view = table("How relevant it is", ([("variant", "left")] if variants else []) + columns)
    for row in rows:
        cells = (
            row.metric,
            number(row.mean),
            bounds(row.ci),
            f"{row.queries:,}",
            f"{row.undefined:,}",
        )
        view.add_row(*([row.variant or ""] if variants else []), *cells)
    return view


def _split(split: Split, between: str) -> Table:
    """A line for each value of a tag; a chance level stands in brackets beside or below its
    measure.
    """
    measures = [(name.replace("(", "\n(", 1), "right") for name in split.measures]
    head = [("variant", "left")] if split.variants else []
    view = table(
        f"By {split.tag} (chance in brackets)",
        [*head, (split.tag, "left"), ("queries", "right"), *measures],
    )
    for part in split.parts:
        cells = [
            Text(
                f"{c.mean}{between}({c.chance})" if c.chance else c.mean,
                style=_SPLIT_STYLES[c.tone],
            )
            for c in part.cells
        ]
        view.add_row(*([part.variant] if split.variants else []), part.value, part.queries, *cells)
    return view


def _worst(result: ScoreResult) -> list[RenderableType]:
    """For each metric, how many queries stand out after correction, and the worst of them."""
    lines: list[RenderableType] = []
    for part in result.values:
        stands = standing(part)
        if stands is None or len(result.queries) < 2:
            continue
        count = len(stands.found)
        text = Text(
            f"{part.variant + ': ' if part.variant else ''}{part.metric} {part.attribute}: ",
            style="dim",
        )
        differ = agreeing(count, "differs", "differ")
        text.append(
            f"{part_of(count, stands.tested, 'query')} {differ} from chance at q < .05",
            style="bold" if count else "dim",
        )
        text.append(_named(part, result, stands.found), style="dim")
        lines.append(text)
    return [Text(""), *lines] if lines else []


def _named(part: PerQuery, result: ScoreResult, found: Sequence[int]) -> str:
    """The worst of the queries that stand out, with their excess."""
    assert part.null_mean is not None
    names = [
        f"{result.queries[i]} {signed(float(part.value[i] - part.null_mean[i]), 2)}"
        for i in found[:_WORST]
    ]
    return f": {', '.join(names)}{', …' if len(found) > _WORST else ''}" if names else ""


def _pair_names(rows: Sequence[PairedRow]) -> tuple[str, str, str]:
    """Title, and what the first and the second value are called."""
    variants = any(row.variant for row in rows)
    return (
        ("Each variant against plain", "mitigated", "plain")
        if variants
        else ("First run against second", "first", "second")
    )


def _paired(rows: Sequence[PairedRow]) -> Table:
    title, first, second = _pair_names(rows)
    variants = any(row.variant for row in rows)
    figures = (first, second, "difference", "95 % interval", "p", "q", "queries")
    head = ([("variant", "left")] if variants else []) + [("metric", "left"), ("attribute", "left")]
    view = table(title, head + [(name, "right") for name in figures])
    for row in rows:
        cells = (
            row.metric,
            row.attribute or "",
            number(row.first),
            number(row.second),
            signed(row.difference),
            bounds(row.ci),
        )
        view.add_row(
            *([row.variant or ""] if variants else []),
            *cells,
            probability(row.p),
            probability(row.q),
            f"{row.queries:,}",
        )
    return view


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
        what = f"{row.metric} {row.attribute or ''}".strip() + (
            f"\n{row.variant}" if row.variant else ""
        )
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
    lines += [Text(f"! {warning}", style="yellow") for warning in result.warnings]
    lines += [
        Text(f"! {about}: {note}", style="yellow")
        for note, about in notes_of((*result.rows, *(result.paired or ()))).items()
    ]
    lines += [
        Text(f"! correction of {about}: {note}", style="yellow")
        for note, about in label_error.notes_of(result.rows).items()
    ]
    needed = [
        f"{row.metric} {row.attribute or ''}".strip() + f": {row.queries_needed:,}"
        for row in result.rows
        if row.queries_needed
    ]
    if needed:
        lines.append(
            Text(
                "Queries needed to see the difference asked for: " + "; ".join(needed), style="dim"
            )
        )
    targets = dict.fromkeys(
        f"{r.attribute}: {r.target}, labels from '{r.source}'" for r in result.rows if r.target
    )
    stated = [t for t in targets if "null only" not in t]
    if stated:
        lines.append(Text("Target of " + "; ".join(stated) + ".", style="dim"))
    if any(row.null is not None for row in result.rows):
        lines.append(
            Text(
                (
                    "p is against chance, q is p corrected for the number of looks "
                    "(Benjamini-Hochberg)."
                ),
                style="dim",
            )
        )
        lines.append(Text("Labels are perceived presentation, never identity.", style="dim"))
    return lines
