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
    """The ledger of published numbers."""
    words = ("paper", "table", "item", "published", "ours", "verdict", "why")
    view = table("Published numbers, computed live", [(w, "right" if w in ("published", "ours") else "left") for w in words])
    for row in ledger.rows:
        view.add_row(row.paper, row.table, row.item, _shown(row.published), _shown(row.ours), Text(row.verdict, style=_STYLES[row.verdict]),
                     Text(row.why, style="dim"))  # fmt: skip
    counts = {verdict: sum(row.verdict == verdict for row in ledger.rows) for verdict in _STYLES}
    return Group(view, Text(""), Text(", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n), style="bold"))


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
