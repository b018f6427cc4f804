"""What files hold, what the registry holds, and the ledger, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.terminal import table

_STYLES = {"exact": "green", "within-noise": "green", "bounded": "cyan", "consistent": "cyan", "differs": "bold red", "needs-data": "dim"}


def check_view(result: Any) -> RenderableType:
    """What ``check`` found."""
    run = result.manifest["run"]
    depth = run["depth"]
    head = Text(
        f"{run['queries']:,} queries, {run['entries']:,} entries, {depth['min']}–{depth['max']} deep, {100 * run['ties']:.1f} % tied"
    )
    figures = ("known", "unknown", "not applicable", "not listed", "queries without label")
    view = table("Labels of what is ranked", [("attribute", "left"), ("groups", "left"), *((name, "right") for name in figures)])
    for a in result.attributes:
        groups = ", ".join(f"{name} {100 * share:.0f} %" for name, share in a.groups.items())
        shares = [f"{100 * a.coverage[name]:.1f} %" for name in ("known", "unknown", "not_applicable", "missing")]
        view.add_row(a.attribute, groups, *shares, str(a.queries_without_label))
    return Group(head, Text(""), view, *(Text(f"! {w}", style="yellow") for w in result.warnings))


def list_view(cards: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The registry, one line an entry."""
    parts: list[RenderableType] = []
    for kind in dict.fromkeys(c["kind"] for c in cards):
        view = table(f"{kind}s".capitalize(), [("name", "left"), ("what", "left"), ("better", "left"), ("cannot see", "left")])
        for c in (c for c in cards if c["kind"] == kind):
            view.add_row(Text(c["name"], style="bold"), c["summary"], c.get("direction", ""), Text(c["blind_spot"], style="dim"))
        parts += [view, Text("")]
    return Group(*parts)


def ledger_view(ledger: Any) -> RenderableType:
    """The ledger of published numbers, row by row."""
    view = table("Published numbers, computed live", [(w, "right" if w in ("published", "ours") else "left") for w in ledger.columns])
    for *cells, verdict, why in ledger.cells():
        view.add_row(*cells, Text(verdict, style=_STYLES[verdict]), Text(why, style="dim"))
    return Group(view, Text(""), _counts(ledger))


def ledger_summary(ledger: Any) -> RenderableType:
    """The ledger, one line for each table."""
    view = table(
        "Published numbers, computed live", [("paper", "left"), ("table", "left"), ("rows", "right"), *((v, "right") for v in _STYLES)]
    )
    for record in ledger.summary():
        marks = [Text(str(record[v]) if record[v] else "·", style=_STYLES[v] if record[v] else "dim") for v in _STYLES]
        view.add_row(record["paper"], record["table"], str(record["rows"]), *marks)
    return Group(view, Text(""), _counts(ledger), Text("Every row with its reason: fairlead reproduce --rows", style="dim"))


def _counts(ledger: Any) -> Text:
    return Text(", ".join(f"{n} {verdict}" for verdict, n in ledger.counts.items() if n), style="bold")
