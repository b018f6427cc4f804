"""What the trigger gives: decisions with their reasons, and how good it is on labelled queries; as values, JSON, tables and text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.report.results import plain
from fairlead.report.tabular import Tabular
from fairlead.trigger.decision import Decision
from fairlead.trigger.evaluation import Evaluation, Row, Share
from fairlead.words.counts import counted


@dataclass(frozen=True)
class Decisions(Tabular):
    """The answer of ``decide``: one decision a query and attribute, in the order of the queries."""

    decisions: tuple[Decision, ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """JSON values: a list of decisions."""
        return [decision.to_dict() for decision in self.decisions]

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``decisions``: one record a decision."""
        return {"decisions": self.to_dict()}

    def __str__(self) -> str:
        from fairlead.report.terminal import as_text

        return as_text(decisions_view(self))


@dataclass(frozen=True)
class Evaluated:
    """The answer of ``fairlead trigger --evaluate``: both sets of labelled queries together, and each alone.

    Attributes:
        half: Which half of the queries.
        parts: By set: ``both``, ``first`` (written before the rules) and ``second`` (written after them, to break them).
        per_second: Queries that the rules decide in a second.
    """

    half: str
    parts: Mapping[str, Evaluation]
    per_second: float

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        sets = {name: part.to_dict() for name, part in self.parts.items()}
        return plain({"half": self.half, "sets": sets, "queries_per_second": round(self.per_second)})

    def __str__(self) -> str:
        from fairlead.report.terminal import as_text

        return as_text(evaluated_view(self))


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
        view.add_row(_short(one.query), one.attribute, Text(one.decision, style=_STYLES[one.decision]), one.reason)
    view.columns[0].max_width = 40
    view.title = None
    return view


def evaluated_view(result: Evaluated) -> Any:
    """Precision and recall of each kind of query, of each set; by language for both sets together."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = []
    for name, part in result.parts.items():
        title = f"{_SETS.get(name, name)} ({counted(part.queries, 'query')}, {result.half} half)"
        parts += [_table(title, "kind", (part.bar, *part.kinds)), Text(f"All decisions of a query right: {_share(part.right)}"), Text("")]
    both = result.parts["both"]
    parts += [_table("By language, both sets", "language", both.languages), Text("")]
    note = "Precision: of the queries so decided, those that ought to be. Recall: of those that ought to be, the queries so decided."
    return Group(*parts, Text(note + " 95 % Wilson intervals.", style="dim"), Text(f"{result.per_second:,.0f} queries a second."))


def _table(title: str, first: str, rows: Sequence[Row]) -> Any:
    from fairlead.report.terminal import table

    view = table(title, [(first, "left"), ("decision", "left"), ("precision", "right"), ("recall", "right")])
    for row in rows:
        view.add_row(row.name, row.decision, _share(row.precision), _share(row.recall))
    return view


def _share(share: Share) -> str:
    if not share.of:
        return "–"
    low, high = share.interval
    return f"{share.value:.3f} [{low:.3f}, {high:.3f}] ({share.right} of {share.of})"


def _short(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
