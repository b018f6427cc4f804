"""What files hold, what the registry holds, and the ledger, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.protocols.spec import format_value
from fairlead.report.terminal import table
from fairlead.report.wording import WITHHELD, percent, withheld_note
from fairlead.words.counts import counted, many, part_of

_STYLES = {
    "exact": "green",
    "within-noise": "green",
    "bounded": "cyan",
    "consistent": "cyan",
    "differs": "bold red",
    "needs-data": "dim",
}

_CARD = {
    "better": "direction",
    "promises": "promise",
    "cannot see": "blind_spot",
    "source": "source",
    "needs extra": "extra",
}
"""What a card says, and where it stands in it."""
_REASONS = 3
"""Decisions whose reasons are shown."""


def data_check_view(result: Any) -> RenderableType:
    """Every fault of one's own data."""
    if not result.faults:
        return Text(f"{result.manifest['data']}: nothing is wrong.")
    columns = (("file", "left"), ("line", "right"), ("", "left"), ("what is wrong", "left"))
    view = table("Faults, grave ones first", columns)
    for fault in result.faults:
        line = "" if fault.line is None else f"{fault.line:,}"
        mark = "grave" if fault.grave else "note"
        view.add_row(fault.file, line, mark, f"{fault.message} {fault.hint}".strip())
    return view


def check_view(result: Any) -> RenderableType:
    """What ``check`` found."""
    run = result.manifest["run"]
    low, high = run["depth"]["min"], run["depth"]["max"]
    deep = f"{high:,}" if low == high else f"{low:,}–{high:,}"
    head = (
        f"{counted(run['queries'], 'query')}, {counted(run['entries'], 'entry')}, {deep} "
        f"deep, {percent(run['ties'], 1)} tied"
    )
    figures = ("known", "unknown", "not\napplicable", "not\nlisted", "queries\nwithout label")
    view = table(
        "Labels of what is ranked",
        [("attribute", "left"), ("groups", "left"), *((name, "right") for name in figures)],
    )
    for a in result.attributes:
        groups = ", ".join(
            f"{name} {WITHHELD if name in a.withheld else f'{100 * share:.0f}%'}"
            for name, share in a.groups.items()
        )
        shares = [
            percent(a.coverage[name], 1)
            for name in ("known", "unknown", "not_applicable", "missing")
        ]
        view.add_row(a.attribute, groups, *shares, f"{a.queries_without_label:,}")
    few = (
        [Text(withheld_note(result.manifest["plan"]["least"]), style="dim")]
        if any(a.withheld for a in result.attributes)
        else []
    )
    return Group(
        Text(head), Text(""), view, *few, *(Text(f"! {w}", style="yellow") for w in result.warnings)
    )


def rerank_text(result: Any) -> str:
    """What ``rerank`` did, in a few lines."""
    shown = result.manifest.get("plan", {}).get("k", int(result.ranking.lengths.max(initial=0)))
    below = (
        f"{percent(result.moved, 1)} of the shown items come from below the plain first {shown}."
    )
    lines = [
        *(f"! {note}" for note in result.manifest.get("warnings", ())),
        f"{result.reranker}: {counted(len(result.queries), 'query')}, {below}",
        *_decided(result.decisions),
    ]
    return "\n".join(lines) + "\n"


def _decided(decisions: Sequence[Any]) -> list[str]:
    """Which lists stay as they are and which were mitigated in doubt, with the first reasons; that
    the trigger is off.
    """
    if any(one.rule == "off" for one in decisions):
        return ["Mitigated whatever is asked: the trigger is off."]
    lines = list[str]()
    for choice, says in (("leave", "Left as they are"), ("unsure", "Mitigated, but unsure")):
        own = [one for one in decisions if one.decision == choice and one.rule != "no-words"]
        if own:
            lines.append(f"{says}: {part_of(len(own), len(decisions), 'query')}.")
            lines += [
                f"  '{one.query}': {one.reason.removeprefix('The query ')}"
                for one in own[:_REASONS]
            ]
            lines += (
                [f"  and {len(own) - _REASONS:,} more; --json tells them all."]
                if len(own) > _REASONS
                else []
            )
    return lines


def short_list_view(cards: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The registry, a line an entry."""
    parts: list[RenderableType] = []
    width = max((len(c["name"]) for c in cards), default=0)
    for kind in dict.fromkeys(c["kind"] for c in cards):
        parts += (
            [Text(""), Text(_title(kind), style="bold")]
            if parts
            else [Text(_title(kind), style="bold")]
        )
        for c in (c for c in cards if c["kind"] == kind):
            line = Text(f"{c['name']:<{width}}  ", style="bold", no_wrap=True, overflow="ellipsis")
            parts.append(line.append(str(c["summary"]).replace("``", ""), style="not bold"))
    return Group(
        *parts,
        Text(""),
        Text("All about one: fairlead list NAME. All about all: --long.", style="dim"),
    )


def card_view(cards: Sequence[Mapping[str, Any]]) -> RenderableType:
    """All that single entries say of themselves; ``extra`` is what they need."""
    parts: list[RenderableType] = []
    for c in cards:
        view = Table.grid(padding=(0, 2, 0, 0))
        for name, key in _CARD.items():
            if c.get(key):
                view.add_row(Text(name, style="dim"), Text(str(c[key]).replace("``", "")))
        if c["parameters"]:
            view.add_row(
                Text("parameters", style="dim"),
                Text(", ".join(_parameter(*item) for item in c["parameters"].items())),
            )
        head = Text(c["name"], style="bold").append(f"  {c['kind']}", style="not bold dim")
        parts += [
            *([Text("")] if parts else []),
            head,
            Text(str(c["summary"]).replace("``", "")),
            view,
        ]
    return Group(*parts)


def _parameter(name: str, default: Any) -> str:
    return (
        name
        if default is None or default == "" or default == ()
        else f"{name}={format_value(default)}"
    )


def _title(kind: str) -> str:
    return many(kind).capitalize()


def list_view(cards: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The registry, one row an entry, in whole sentences."""
    parts: list[RenderableType] = []
    for kind in dict.fromkeys(c["kind"] for c in cards):
        of_kind = [c for c in cards if c["kind"] == kind]
        facts = [
            name
            for name, key in _CARD.items()
            if name not in ("source", "needs extra") and any(c.get(key) for c in of_kind)
        ]
        view = table(_title(kind), [(name, "left") for name in ("name", "what", *facts)])
        for c in of_kind:
            more = [
                Text(str(c.get(_CARD[name], "")), style="dim" if name == "cannot see" else "")
                for name in facts
            ]
            view.add_row(
                Text(c["name"], style="bold"), Text(str(c["summary"]).replace("``", "")), *more
            )
        view.columns[0].no_wrap = True
        parts += [Text(""), view] if parts else [view]
    return Group(*parts)


def ledger_view(ledger: Any) -> RenderableType:
    """The ledger of published numbers, row by row."""
    view = table(
        "Published numbers, computed live",
        [(w, "right" if w in ("published", "ours") else "left") for w in ledger.columns],
    )
    for *cells, verdict, why in ledger.cells():
        view.add_row(*cells, Text(verdict, style=_STYLES[verdict]), Text(why, style="dim"))
    for column, word in zip(view.columns, ledger.columns, strict=True):
        column.no_wrap = word in ("paper", "verdict")
        column.ratio, column.min_width = (
            {"item": 3, "published": 2, "ours": 1, "why": 4}.get(word),
            8 if word == "ours" else None,
        )
    return Group(view, Text(""), _counts(ledger))


def ledger_summary(ledger: Any) -> RenderableType:
    """The ledger, one line for each table."""
    view = table(
        "Published numbers, computed live",
        [("paper", "left"), ("table", "left"), ("rows", "right"), *((v, "right") for v in _STYLES)],
    )
    for record in ledger.summary():
        marks = [
            Text(str(record[v]) if record[v] else "·", style=_STYLES[v] if record[v] else "dim")
            for v in _STYLES
        ]
        view.add_row(record["paper"], record["table"], str(record["rows"]), *marks)
    return Group(
        view,
        Text(""),
        _counts(ledger),
        Text("Every row with its reason: fairlead reproduce --rows", style="dim"),
    )


def _counts(ledger: Any) -> Text:
    return Text(
        ", ".join(f"{n} {verdict}" for verdict, n in ledger.counts.items() if n), style="bold"
    )


def calibration_view(found: Any) -> RenderableType:
    """The dose-response of metrics and rerankers."""
    parts: list[RenderableType] = []
    for title, rows in (
        ("Metrics: what they read as the dose rises", found.metrics),
        ("Rerankers: what they leave", found.rerankers),
    ):
        doses = [f"dose {d:g}" for d in rows[0].doses] if rows else []
        view = table(
            title, [("", "left"), *((d, "right") for d in doses), ("read by", "left"), ("", "left")]
        )
        for row in rows:
            silent = (
                Text("does not respond", style="bold red")
                if found.enough
                else Text("too few repetitions to say", style="yellow")
            )
            mark = Text("responds", style="green") if row.passed else silent
            view.add_row(
                row.subject,
                *(f"{m:.3f}" for m in row.means),
                "" if row.subject == row.read_by else row.read_by,
                mark,
            )
        parts += [view, Text("")]
    few = "" if found.enough or found.passed else " These are too few: leave out --seeds."
    foot = (
        f"Means over {counted(found.seeds, 'seed')}; a step counts where its one-sided 99 % "
        f"bound is above 0.{few}"
    )
    return Group(*parts, Text(foot, style="dim"))
