"""Results in a notebook: a plain HTML table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from fairlead.report.wording import bounds, headline, number, probability, reading, signed

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
    variants = any(row.variant for row in result.rows)
    head = "".join(f"<th>{h}</th>" for h in (("variant",) if variants else ()) + _HEAD)
    body = "".join(_line(row, variants) for row in result.rows)
    notes = "".join(f"<li>{escape(w)}</li>" for w in result.warnings)
    top = f"<p><strong>{escape(headline(result))}</strong></p>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return top + table + (f"<ul>{notes}</ul>" if notes else "")


def _line(row: Row, variants: bool) -> str:
    null, reads = row.null, reading(row)
    chance = "" if null is None else f"{number(null.get('mean'))} {null.get('kind', '')}"
    start = (row.variant or "",) if variants else ()
    figures = (number(row.mean), bounds(row.ci), chance)
    looks = (
        ("",) * 4
        if null is None
        else (signed(row.excess), bounds(row.excess_ci), probability(row.p), probability(row.q))
    )
    cells = (
        *start,
        row.metric,
        row.attribute or "",
        *figures,
        *looks,
        "" if reads is None else reads.words,
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def audit_html(found: Audit) -> str:
    """What an audit measured."""
    return score_html(found.result)
