"""What the trigger gives: decisions with their reasons, and how good it is on labelled queries; as
values, JSON, tables and text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead.report.wording import shortened
from fairlead.results.decisions import Decisions, Evaluated
from fairlead.trigger.evaluation import DecisionRow, Share
from fairlead.words.counts import counted

_STYLES = {"diversify": "green", "leave": "yellow", "unsure": "cyan"}
_SETS = {
    "both": "Both sets",
    "first": "First set: queries written before the rules",
    "second": "Second set: queries written after the rules, to break them",
}


def decisions_view(result: Decisions) -> Any:
    """One row a decision."""
    from rich.text import Text

    from fairlead.report.terminal import table

    view = table("", [(name, "left") for name in ("query", "attribute", "decision", "reason")])
    for one in result.decisions:
        view.add_row(
            _short(one.query),
            one.attribute,
            Text(one.decision, style=_STYLES[one.decision]),
            one.reason,
        )
    view.columns[0].max_width = 40
    view.title = None
    return view


def evaluated_view(result: Evaluated) -> Any:
    """Precision and recall of each kind of query and set; by language for both sets together."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = []
    for name, part in result.parts.items():
        title = f"{_SETS.get(name, name)} ({counted(part.queries, 'query')}, {result.half} half)"
        parts += [
            _table(title, "kind", (part.bar, *part.kinds)),
            Text(f"All decisions of a query right: {_share(part.right)}"),
            Text(""),
        ]
    both = result.parts["both"]
    parts += [_table("By language, both sets", "language", both.languages), Text("")]
    note = (
        "Precision: of the queries so decided, those that ought to be. Recall: of those that "
        "ought to be, the queries so decided."
    )
    return Group(
        *parts,
        Text(note + " 95 % Wilson intervals.", style="dim"),
        Text(f"{result.per_second:,.0f} queries a second."),
    )


def _table(title: str, first: str, rows: Sequence[DecisionRow]) -> Any:
    from fairlead.report.terminal import table

    view = table(
        title, [(first, "left"), ("decision", "left"), ("precision", "right"), ("recall", "right")]
    )
    for row in rows:
        view.add_row(row.name, row.decision, _share(row.precision), _share(row.recall))
    return view


def _share(share: Share) -> str:
    if not share.of:
        return "–"
    low, high = share.interval
    return f"{share.value:.3f} [{low:.3f}, {high:.3f}] ({share.right} of {share.of})"


def _short(text: str, most: int = 60) -> str:
    # A query of several lines would break the table.
    return shortened(" ".join(text.split()), most)
