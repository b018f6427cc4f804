"""Results in a notebook: a plain HTML table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from fairlead.report.terminal import bounds, number, probability, reading

if TYPE_CHECKING:
    from fairlead.report.results import ScoreResult

_HEAD = ("metric", "attribute", "mean", "95 % interval", "chance", "excess", "95 % interval", "p", "q", "reads")


def score_html(result: ScoreResult) -> str:
    """The rows of a result as an HTML table, with its warnings below."""
    body = []
    for row in result.rows:
        null = row.null or {}
        cells = (row.metric, row.attribute or "", number(row.mean), bounds(row.ci), f"{number(null.get('mean'))} {null.get('kind', '')}",
                 number(row.excess), bounds(row.excess_ci), probability(row.p), probability(row.q), reading(row).plain)  # fmt: skip
        body.append("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>")
    head = "".join(f"<th>{h}</th>" for h in _HEAD)
    notes = "".join(f"<li>{escape(w)}</li>" for w in result.warnings)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table><ul>{notes}</ul>"
