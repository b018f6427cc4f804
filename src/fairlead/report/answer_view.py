"""Answers in a terminal: the lists side by side, a ribbon of groups, and each number beside its
chance level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.report.strips import letters
from fairlead.report.terminal import Fitting
from fairlead.report.wording import MOSTLY, number, percent, probability
from fairlead.results.search import Found, QueryAnswer, SearchResult, Variant

_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red", "bright_cyan", "bright_magenta")
_WIDTH = 34
_PICTURES = 8
UNKNOWN, ABSENT = "unknown", "not applicable"


def search_view(result: SearchResult, small: Callable[[str], Any] | None = None) -> RenderableType:
    """Everything ``search`` found; ``small`` draws a picture in a few characters, where the
    terminal can.
    """
    names = {
        name: tuple(about["groups"]) for name, about in result.manifest.get("labels", {}).items()
    }
    parts: list[RenderableType] = []
    for answer in result.results:
        pictures = [] if small is None else _pictures(answer, small)
        parts += [
            Text(answer.query, style="bold"),
            *_decided(answer),
            Text(""),
            *pictures,
            *_ribbons(answer, names),
            Fitting(_lists(answer, names), _stacked(answer, names)),
            *_costs(answer),
            *_measures(answer),
        ]
        parts += [*_unknown(answer), *_reach(answer), Text("")]
    return Group(*parts, *(Text(f"note: {note}", style="dim") for note in result.warnings))


def decided(answer: QueryAnswer) -> str:
    """What the trigger decided and why, where it matters: something is mitigated and the query is
    not plainly neutral.
    """
    mitigated, trigger = len(answer.variants) > 1, answer.trigger
    if mitigated and trigger.rule == "off":
        return f"Mitigated whatever is asked. {trigger.reason}"
    if not mitigated or trigger.decision == "diversify":
        return ""
    says = "Left as it is" if trigger.decision == "leave" else "Mitigated, but unsure"
    return f"{says}. {trigger.reason}"


def caveat(answer: QueryAnswer) -> str:
    """How to read the numbers of a query that is left alone: what was asked for is not bias,
    however far from chance it is.
    """
    trigger = answer.trigger
    if trigger.decision != "leave" or not any(variant.metrics for variant in answer.variants):
        return ""
    asked = trigger.family in ("explicit", "named", "historical")
    how = (
        "what was asked for is not bias, however far from chance"
        if asked
        else "the numbers are of the list as found"
    )
    return f"Left alone: {how}." + ("" if decided(answer) else f" {trigger.reason}")


def cost(variant: Variant, plain: Variant) -> str:
    """What a mitigated list costs beside the plain one; nothing where it is the plain one on
    purpose.
    """
    spent, scores = variant.cost, [item.score for item in plain.items]
    if spent is None or variant.left or not scores:
        return ""
    mean, lowest = number(sum(scores) / len(scores)), number(min(scores))
    return (
        f"{spent.new} of {len(variant.items)} new, mean score {mean} to "
        f"{number(spent.mean_score)}, "
        f"lowest {number(spent.lowest_score)} (plain {lowest})"
    )


def _costs(answer: QueryAnswer) -> list[RenderableType]:
    """A line for each mitigated list."""
    lines = [(v.name, cost(v, answer.variants[0])) for v in answer.variants[1:]]
    said = [Text(f"{name}: {line}") for name, line in lines if line]
    return [Text(""), *said] if said else []


def _decided(answer: QueryAnswer) -> list[RenderableType]:
    said = decided(answer)
    return [Text(said, style="yellow")] if said else []


def _pictures(answer: QueryAnswer, small: Callable[[str], Any]) -> list[RenderableType]:
    """The first pictures of each variant in a row."""
    rows: list[RenderableType] = []
    for variant in answer.variants:
        drawn = [small(item.image) for item in variant.items[:_PICTURES] if item.image is not None]
        if drawn:
            grid = Table.grid(padding=(0, 1))
            grid.add_row(*(d if d is not None else Text("") for d in drawn))
            rows += [Text(variant.name), grid]
    return rows


def _lists(answer: QueryAnswer, names: dict[str, tuple[str, ...]]) -> Table:
    """One column a variant: rank, id, group."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("rank", justify="right", no_wrap=True)
    for variant in answer.variants:
        table.add_column(variant.name, overflow="ellipsis", no_wrap=True, max_width=_WIDTH)
    longest = max((len(v.items) for v in answer.variants), default=0)
    before = {item.id for item in answer.variants[0].items} if answer.variants else set()
    for rank in range(longest):
        table.add_row(
            str(rank + 1),
            *(
                _cell(v.items[rank], names, before) if rank < len(v.items) else Text("")
                for v in answer.variants
            ),
        )
    return table


def _stacked(answer: QueryAnswer, names: dict[str, tuple[str, ...]]) -> RenderableType:
    """The same where there is no room for it: the lists one below the other."""
    before = {item.id for item in answer.variants[0].items} if answer.variants else set()
    parts: list[RenderableType] = []
    for variant in answer.variants:
        table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
        table.add_column("rank", justify="right", no_wrap=True)
        table.add_column(variant.name, overflow="ellipsis", no_wrap=True)
        for item in variant.items:
            table.add_row(str(item.rank), _cell(item, names, before))
        parts += [Text(""), table] if parts else [table]
    return Group(*parts)


def _cell(item: Found, names: dict[str, tuple[str, ...]], before: set[str]) -> Text:
    """An id with its caption; what the plain list does not show is marked."""
    new = item.id not in before
    said = Text()
    attribute = next(iter(names), None)
    if attribute is not None:
        said.append_text(_mark(item, attribute, names[attribute]))
        said.append(" ")
    said.append(("+ " if new else "") + (item.text or item.id), style="bold" if new else "")
    return said


def _ribbons(answer: QueryAnswer, names: dict[str, tuple[str, ...]]) -> list[RenderableType]:
    """The groups of each list as a row of marks, with a legend."""
    attribute = next(iter(names), None)
    if attribute is None:
        return []
    groups = names[attribute]
    legend = Text(f"{attribute}: ")
    for at, (mark, group) in enumerate(zip(letters(groups), groups, strict=True)):
        legend.append(f"{mark} ", style=f"bold {_colour(at)}").append(f"{group}  ")
    for mark, meaning in zip("?-", unnamed(answer, attribute, groups), strict=True):
        legend.append(f"{mark} {meaning}  " if meaning else "", style="dim")
    grid = Table.grid(padding=(0, 2))
    for variant in answer.variants:
        ribbon = Text()
        for item in variant.items:
            ribbon.append_text(_mark(item, attribute, groups)).append(" ")
        grid.add_row(Text(variant.name), ribbon)
    return [legend, grid, Text("")]


def unnamed(answer: QueryAnswer, attribute: str, groups: Sequence[str]) -> tuple[str, str]:
    """What the marks of items that belong to no group mean, for those that occur: unknown, and not
    applicable.
    """
    labels = {
        likeliest(item.groups.get(attribute))
        for variant in answer.variants
        for item in variant.items
    }
    absent = "not-applicable" in labels
    return UNKNOWN if labels - set(groups) - {"not-applicable"} else "", ABSENT if absent else ""


def _mark(item: Found, attribute: str, groups: Sequence[str]) -> Text:
    """The mark of an item's group; ? is unknown, - not applicable."""
    label = likeliest(item.groups.get(attribute))
    if label == "not-applicable":
        return Text("-", style="dim")
    if label is None or label not in groups:
        return Text("?", style="dim")
    at = list(groups).index(label)
    return Text(letters(groups)[at], style=f"bold {_colour(at)}")


def likeliest(label: Any) -> str | None:
    """A group's name; of soft shares the one that is likelier than not."""
    if not isinstance(label, dict):
        return label
    best = max(label, key=lambda name: label[name], default=None)
    return best if best is not None and label[best] > 0.5 else None


def _colour(group: int) -> str:
    return _COLOURS[group % len(_COLOURS)]


def _measures(answer: QueryAnswer) -> list[RenderableType]:
    """Each metric of each variant, beside its chance level, and the time; without labels the time
    alone.
    """
    plain = answer.variants[0]
    if not any(variant.metrics for variant in answer.variants):
        return [
            Text(""),
            Text(
                ", ".join(f"{v.name} {_ms(v, plain)} ms a query" for v in answer.variants),
                style="dim",
            ),
        ]
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for heading in ("variant", "measure", "attribute"):
        table.add_column(heading, overflow="fold", no_wrap=heading != "variant")
    for heading in ("value", "chance", "p", "unknown", "ms a query"):
        table.add_column(heading, justify="right", no_wrap=True)
    for variant in answer.variants:
        for at, row in enumerate(variant.metrics):
            chance = "" if row.null is None else number(row.null["mean"])
            table.add_row(
                variant.name if not at else "",
                row.metric,
                row.attribute or "",
                number(row.mean),
                chance,
                probability(row.p),
                percent(row.unknown_mass),
                _ms(variant, plain) if not at else "",
            )
        if not variant.metrics:
            table.add_row(variant.name, "", "", "", "", "", "", _ms(variant, plain))
    said = caveat(answer)
    return [Text(""), table, *([Text(said, style="yellow")] if said else [])]


def _ms(variant: Variant, plain: Variant) -> str:
    """The time of the plain search, and what a mitigated one adds to it: the search again only
    where it looks with other vectors.
    """
    spent = variant.ms
    if variant is plain:
        return f"{spent.get('encode', 0.0) + spent.get('search', 0.0):.1f}"
    again = spent.get("search", 0.0) if spent.get("search") != plain.ms.get("search") else 0.0
    return f"+{spent.get('project', 0.0) + again + spent.get('rerank', 0.0):.1f}"


def _unknown(answer: QueryAnswer) -> list[RenderableType]:
    """Which lists are mostly of unknown labels, so that their numbers say little."""
    lines: list[RenderableType] = []
    for attribute in dict.fromkeys(
        row.attribute for variant in answer.variants for row in variant.metrics if row.attribute
    ):
        shares = {
            v.name: max(
                (r.unknown_mass for r in v.metrics if r.attribute == attribute), default=0.0
            )
            for v in answer.variants
        }
        mostly = [f"{name} {percent(share)}" for name, share in shares.items() if share > MOSTLY]
        if mostly:
            said = (
                f"More than half of what is shown is of unknown {attribute} "
                f"({', '.join(mostly)}): the numbers say little."
            )
            lines.append(Text(said, style="yellow"))
    return lines


def _reach(answer: QueryAnswer) -> list[RenderableType]:
    """What the target asks for and no candidate can give."""
    reach = answer.reach
    if reach is None or not answer.variants:
        return []
    k = max((len(v.items) for v in answer.variants), default=0)
    if reach.missing * k < 1:
        return []
    have = ", ".join(f"{count:.0f} {name}" for name, count in reach.available.items())
    why = (
        "everything was fetched: the collection has no more"
        if reach.exhausted
        else f"fetched {reach.depth} deep; fetch deeper with --depth and --limit"
    )
    return [
        Text(
            (
                f"The target is out of reach by {100 * reach.missing:.0f} % of the list: "
                f"candidates are {have} ({why})."
            ),
            style="yellow",
        )
    ]
