"""Results in a notebook: a plain HTML table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from fairlead.report.wording import UNREAD, bounds, headline, number, probability, reading, signed

if TYPE_CHECKING:
    from fairlead.results.audit import Audit
    from fairlead.results.score import Row, ScoreResult

_HEAD = (
    "metric",
    "attribute",
    "mean",
    "95 % interval",
    "chance",
    "excess",
    "95 % interval",
    "p",
    "q",
    "reads",
)


def score_html(result: ScoreResult) -> str:
    """The headline and the rows of a result as an HTML table, with its warnings below."""
    names: tuple[str, ...] = _HEAD
    lines = [_cells(row) for row in result.rows]
    if any(row.variant for row in result.rows):
        names = ("variant", *_HEAD)
        lines = [(row.variant or "", *cells) for row, cells in zip(result.rows, lines, strict=True)]
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(_line(cells) for cells in lines)
    notes = "".join(f"<li>{escape(w)}</li>" for w in result.warnings)
    html = f"<p><strong>{escape(headline(result))}</strong></p>"
    html += f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    if notes:
        html += f"<ul>{notes}</ul>"
    return html


def _line(cells: Sequence[str]) -> str:
    # Names of metrics, attributes and groups come from files, and a notebook runs what it shows.
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _cells(row: Row) -> tuple[str, ...]:
    what = (row.metric, row.attribute or "", number(row.mean), bounds(row.ci))
    # Relevance has no chance level: its cells are empty, where a dash would say undefined.
    if row.null is None:
        return (*what, *[""] * (len(_HEAD) - len(what)))
    chance = f"{number(row.null.get('mean'))} {row.null.get('kind', '')}"
    excess = (signed(row.excess), bounds(row.excess_ci))
    reads = reading(row) or UNREAD
    return (*what, chance, *excess, probability(row.p), probability(row.q), reads.words)


def audit_html(found: Audit) -> str:
    """What an audit measured."""
    return score_html(found.result)
