"""What files hold, what the registry holds, and the ledger, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.protocols.spec import format_value
from fairlead.report.terminal import dim, spaced, table, warned
from fairlead.report.wording import WITHHELD, percent, range_of, withheld_note
from fairlead.words.counts import counted, many, part_of

if TYPE_CHECKING:
    from fairlead.results.check import AttributeCheck
    from fairlead.results.data_check import DataFault

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
_JUSTIFY = {"published": "right", "ours": "right"}
_RATIOS = {"item": 3, "published": 2, "ours": 1, "why": 4}
_LEAST_WIDTH = {"ours": 8}
"""How the columns of the ledger share a line; those that are not named keep the width they need."""
_REASONS = 3
"""Decisions whose reasons are shown."""


def data_check_view(result: Any) -> RenderableType:
    """Every fault of one's own data."""
    held = _held(result)
    if not result.faults:
        return Group(Text(f"{result.manifest['data']}: nothing is wrong."), *held)
    columns = (("file", "left"), ("line", "right"), ("", "left"), ("what is wrong", "left"))
    view = table("Faults, grave ones first", columns)
    for fault in result.faults:
        view.add_row(*_fault(fault))
    return Group(view, *held)


def _held(result: Any) -> list[RenderableType]:
    """How much there is of one's own data, and how much of it is labelled."""
    if not result.holds:
        return []
    items, queries = result.holds["items"], result.holds["queries"]
    figures = ("known", "unknown", "not\napplicable")
    columns = [("attribute", "left"), *((name, "right") for name in figures)]
    view = table("Labels of the items", columns)
    for name, shares in result.coverage.items():
        view.add_row(name, *(percent(shares[s], 1) for s in ("known", "unknown", "not_applicable")))
    head = Text(f"{counted(items, 'item')}, {counted(queries, 'query')}")
    return [head, Text(""), view] if result.coverage else [head]


def _fault(fault: DataFault) -> tuple[str, str, str, str]:
    line, mark = "", "note"
    if fault.line is not None:
        line = f"{fault.line:,}"
    if fault.grave:
        mark = "grave"
    return fault.file, line, mark, f"{fault.message} {fault.hint}".strip()


def check_view(result: Any) -> RenderableType:
    """What ``check`` found."""
    run = result.manifest["run"]
    low, high = run["depth"]["min"], run["depth"]["max"]
    head = (
        f"{counted(run['queries'], 'query')}, {counted(run['entries'], 'entry')}, "
        f"{range_of(low, high)} deep, {percent(run['ties'], 1)} tied"
    )
    figures = ("known", "unknown", "not\napplicable", "not\nlisted", "queries\nwithout label")
    view = table(
        "Labels of what is ranked",
        [("attribute", "left"), ("groups", "left"), *((name, "right") for name in figures)],
    )
    for a in result.attributes:
        groups = ", ".join(f"{name} {_share(a, name)}" for name in a.groups)
        shares = [
            percent(a.coverage[name], 1)
            for name in ("known", "unknown", "not_applicable", "missing")
        ]
        view.add_row(a.attribute, groups, *shares, f"{a.queries_without_label:,}")
    parts: list[RenderableType] = [Text(head), Text(""), view]
    if any(a.withheld for a in result.attributes):
        parts += dim(withheld_note(result.manifest["plan"]["least"]))
    return Group(*parts, *warned(result.warnings))


def _share(about: AttributeCheck, group: str) -> str:
    if group in about.withheld:
        return WITHHELD
    return f"{100 * about.groups[group]:.0f}%"


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
            if len(own) > _REASONS:
                lines.append(f"  and {len(own) - _REASONS:,} more; --json tells them all.")
    return lines


def short_list_view(cards: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The registry, a line an entry."""
    # One width for all kinds, so that the summaries begin below each other throughout.
    width = max((len(c["name"]) for c in cards), default=0)
    parts: list[RenderableType] = []
    for kind in dict.fromkeys(c["kind"] for c in cards):
        lines = [Text(_title(kind), style="bold")]
        for c in (c for c in cards if c["kind"] == kind):
            # A long summary is cut, not folded: the short list keeps to a line an entry.
            line = Text(f"{c['name']:<{width}}  ", style="bold", no_wrap=True, overflow="ellipsis")
            lines.append(line.append(_plain(c["summary"]), style="not bold"))
        parts.append(Group(*lines))
    foot = dim("All about one: fairlead list NAME. All about all: --long.")
    return Group(*spaced(parts), Text(""), *foot)


def card_view(cards: Sequence[Mapping[str, Any]]) -> RenderableType:
    """All that single entries say of themselves; ``extra`` is what they need."""
    parts: list[RenderableType] = []
    for c in cards:
        view = Table.grid(padding=(0, 2, 0, 0))
        for name, key in _CARD.items():
            if c.get(key):
                view.add_row(Text(name, style="dim"), Text(_plain(c[key])))
        if c["parameters"]:
            view.add_row(
                Text("parameters", style="dim"),
                Text(", ".join(_parameter(*item) for item in c["parameters"].items())),
            )
        head = Text(c["name"], style="bold").append(f"  {c['kind']}", style="not bold dim")
        parts.append(Group(head, Text(_plain(c["summary"])), view))
    return Group(*spaced(parts))


def _plain(about: Any) -> str:
    """What an entry says of itself, without the marks of code, which a terminal does not set."""
    return str(about).replace("``", "")


def _parameter(name: str, default: Any) -> str:
    # 0 and False are defaults that mean something; these three only say that nothing is given.
    if default is None or default == "" or default == ():
        return name
    return f"{name}={format_value(default)}"


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
            view.add_row(Text(c["name"], style="bold"), Text(_plain(c["summary"])), *more)
        # Names are typed again in commands: one that is folded cannot be copied.
        view.columns[0].no_wrap = True
        parts.append(view)
    return Group(*spaced(parts))


def ledger_view(ledger: Any) -> RenderableType:
    """The ledger of published numbers, row by row."""
    view = table(
        "Published numbers, computed live",
        [(w, _JUSTIFY.get(w, "left")) for w in ledger.columns],
    )
    for *cells, verdict, why in ledger.cells():
        view.add_row(*cells, Text(verdict, style=_STYLES[verdict]), Text(why, style="dim"))
    for column, word in zip(view.columns, ledger.columns, strict=True):
        column.no_wrap = word in ("paper", "verdict")
        column.ratio, column.min_width = _RATIOS.get(word), _LEAST_WIDTH.get(word)
    return Group(view, Text(""), _counts(ledger))


def ledger_summary(ledger: Any) -> RenderableType:
    """The ledger, one line for each table."""
    view = table(
        "Published numbers, computed live",
        [("paper", "left"), ("table", "left"), ("rows", "right"), *((v, "right") for v in _STYLES)],
    )
    for record in ledger.summary():
        marks = (_mark(verdict, record[verdict]) for verdict in _STYLES)
        view.add_row(record["paper"], record["table"], str(record["rows"]), *marks)
    foot = dim("Every row with its reason: fairlead reproduce --rows")
    return Group(view, Text(""), _counts(ledger), *foot)


def _mark(verdict: str, count: int) -> Text:
    # A column of zeros would hide the few counts that matter.
    if not count:
        return Text("·", style="dim")
    return Text(str(count), style=_STYLES[verdict])


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
        doses = [f"dose {d:g}" for row in rows[:1] for d in row.doses]
        view = table(
            title, [("", "left"), *((d, "right") for d in doses), ("read by", "left"), ("", "left")]
        )
        for row in rows:
            # A metric is read by itself: its name twice in a line says nothing.
            reader = row.read_by
            if reader == row.subject:
                reader = ""
            means = (f"{m:.3f}" for m in row.means)
            view.add_row(row.subject, *means, reader, _response(row.passed, found.enough))
        parts += [view, Text("")]
    foot = (
        f"Means over {counted(found.seeds, 'seed')}; a step counts where its one-sided 99 % "
        "bound is above 0."
    )
    if not found.enough and not found.passed:
        foot += " These are too few: leave out --seeds."
    return Group(*parts, *dim(foot))


def _response(passed: bool, enough: bool) -> Text:
    """What the repetitions say of a metric or a reranker, where they are enough to say it."""
    if passed:
        return Text("responds", style="green")
    if enough:
        return Text("does not respond", style="bold red")
    return Text("too few repetitions to say", style="yellow")
