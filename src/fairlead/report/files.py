"""What files hold, what the registry holds, and the ledger, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.terminal import table
from fairlead.report.wording import WITHHELD, counted, percent, withheld_note

_STYLES = {"exact": "green", "within-noise": "green", "bounded": "cyan", "consistent": "cyan", "differs": "bold red", "needs-data": "dim"}


def check_view(result: Any) -> RenderableType:
    """What ``check`` found."""
    run = result.manifest["run"]
    low, high = run["depth"]["min"], run["depth"]["max"]
    deep = f"{high:,}" if low == high else f"{low:,}–{high:,}"
    head = f"{counted(run['queries'], 'query')}, {run['entries']:,} entries, {deep} deep, {percent(run['ties'], 1)} tied"
    figures = ("known", "unknown", "not\napplicable", "not\nlisted", "queries\nwithout label")
    view = table("Labels of what is ranked", [("attribute", "left"), ("groups", "left"), *((name, "right") for name in figures)])
    for a in result.attributes:
        groups = ", ".join(f"{name} {WITHHELD if name in a.withheld else f'{100 * share:.0f}%'}" for name, share in a.groups.items())
        shares = [percent(a.coverage[name], 1) for name in ("known", "unknown", "not_applicable", "missing")]
        view.add_row(a.attribute, groups, *shares, f"{a.queries_without_label:,}")
    few = [Text(withheld_note(result.manifest["plan"]["least"]), style="dim")] if any(a.withheld for a in result.attributes) else []
    return Group(Text(head), Text(""), view, *few, *(Text(f"! {w}", style="yellow") for w in result.warnings))


def rerank_text(result: Any) -> str:
    """What ``rerank`` did, in a few lines."""
    shown = result.manifest.get("plan", {}).get("k", int(result.ranking.lengths.max(initial=0)))
    below = f"{percent(result.moved, 1)} of the shown items come from below the plain first {shown}."
    lines = [
        *(f"! {note}" for note in result.manifest.get("warnings", ())),
        f"{result.reranker}: {counted(len(result.queries), 'query')}, {below}",
    ]
    return "\n".join(lines) + "\n"


def list_view(cards: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The registry, one row an entry."""
    parts: list[RenderableType] = []
    for kind in dict.fromkeys(c["kind"] for c in cards):
        facts = ("better", "direction") if kind == "metric" else ("promises", "promise")
        view = table(f"{kind}s".capitalize(), [(name, "left") for name in ("name", "what", facts[0], "cannot see")])
        for c in (c for c in cards if c["kind"] == kind):
            what = str(c["summary"]).replace("``", "")
            view.add_row(Text(c["name"], style="bold"), what, str(c.get(facts[1], "")), Text(c["blind_spot"], style="dim"))
        view.columns[0].no_wrap = True
        parts += [Text(""), view] if parts else [view]
    return Group(*parts)


def ledger_view(ledger: Any) -> RenderableType:
    """The ledger of published numbers, row by row."""
    view = table("Published numbers, computed live", [(w, "right" if w in ("published", "ours") else "left") for w in ledger.columns])
    for *cells, verdict, why in ledger.cells():
        view.add_row(*cells, Text(verdict, style=_STYLES[verdict]), Text(why, style="dim"))
    for column, word in zip(view.columns, ledger.columns, strict=True):
        column.no_wrap = word in ("paper", "verdict")
        column.ratio, column.min_width = {"item": 3, "published": 2, "ours": 1, "why": 4}.get(word), 8 if word == "ours" else None
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


def calibration_view(found: Any) -> RenderableType:
    """The dose-response of metrics and rerankers."""
    parts: list[RenderableType] = []
    for title, rows in (("Metrics: what they read as the dose rises", found.metrics), ("Rerankers: what they leave", found.rerankers)):
        doses = [f"dose {d:g}" for d in rows[0].doses] if rows else []
        view = table(title, [("", "left"), *((d, "right") for d in doses), ("read by", "left"), ("", "left")])
        for row in rows:
            mark = Text("responds", style="green") if row.passed else Text("does not respond", style="bold red")
            view.add_row(row.subject, *(f"{m:.3f}" for m in row.means), "" if row.subject == row.read_by else row.read_by, mark)
        parts += [view, Text("")]
    return Group(*parts, Text(f"Means over {found.seeds} seeds; a step counts where its one-sided 99 % bound is above 0.", style="dim"))
