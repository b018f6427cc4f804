"""Answers in a terminal: the lists side by side, a ribbon of groups, and each number beside its
chance level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fairlead.report.strips import letters
from fairlead.report.terminal import Fitting, dim, spaced
from fairlead.report.wording import MOSTLY, number, percent, probability
from fairlead.results.search import Found, QueryAnswer, SearchResult, Variant

if TYPE_CHECKING:
    from fairlead.results.score import Row

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
        parts += [
            Text(answer.query, style="bold"),
            *_remark(decided(answer)),
            Text(""),
            *_pictures(answer, small),
            *_ribbons(answer, names),
            Fitting(_lists(answer, names), _stacked(answer, names)),
            *_costs(answer),
            *_measures(answer),
        ]
        parts += [*_unknown(answer), *_reach(answer), Text("")]
    return Group(*parts, *dim(*(f"note: {note}" for note in result.warnings)))


def decided(answer: QueryAnswer) -> str:
    """What the trigger decided and why, where it matters: something is mitigated and the query is
    not plainly neutral.
    """
    mitigated, trigger = len(answer.variants) > 1, answer.trigger
    if mitigated and trigger.rule == "off":
        return f"Mitigated whatever is asked. {trigger.reason}"
    if not mitigated or trigger.decision == "diversify":
        return ""
    if trigger.decision == "leave":
        return f"Left as it is. {trigger.reason}"
    return f"Mitigated, but unsure. {trigger.reason}"


def caveat(answer: QueryAnswer) -> str:
    """How to read the numbers of a query that is left alone: what was asked for is not bias,
    however far from chance it is.
    """
    trigger = answer.trigger
    if trigger.decision != "leave" or not any(variant.metrics for variant in answer.variants):
        return ""
    said = "Left alone: the numbers are of the list as found."
    if trigger.family in ("explicit", "named", "historical"):
        said = "Left alone: what was asked for is not bias, however far from chance."
    # Above the lists the reason stands already, where something was to be mitigated.
    if not decided(answer):
        said += f" {trigger.reason}"
    return said


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
    if not said:
        return []
    return [Text(""), *said]


def _remark(said: str) -> list[RenderableType]:
    """What a reader must know of an answer, where there is anything to say."""
    if not said:
        return []
    return [Text(said, style="yellow")]


def _pictures(answer: QueryAnswer, small: Callable[[str], Any] | None) -> list[RenderableType]:
    """The first pictures of each variant in a row."""
    rows: list[RenderableType] = []
    if small is None:
        return rows
    for variant in answer.variants:
        drawn = [small(item.image) for item in variant.items[:_PICTURES] if item.image is not None]
        if drawn:
            grid = Table.grid(padding=(0, 1))
            # A picture that cannot be opened keeps its place, so that ranks can be counted.
            grid.add_row(*(d if d is not None else Text("") for d in drawn))
            rows += [Text(variant.name), grid]
    return rows


def _lists(answer: QueryAnswer, names: dict[str, tuple[str, ...]]) -> Table:
    """One column a variant: rank, id, group."""
    table = _empty_table()
    table.add_column("rank", justify="right", no_wrap=True)
    for variant in answer.variants:
        table.add_column(variant.name, overflow="ellipsis", no_wrap=True, max_width=_WIDTH)
    before = _plain_ids(answer)
    columns = ([_cell(item, names, before) for item in v.items] for v in answer.variants)
    # Lists may differ in length: a reranker may stop where a group runs out.
    for rank, cells in enumerate(zip_longest(*columns, fillvalue=Text("")), 1):
        table.add_row(str(rank), *cells)
    return table


def _empty_table() -> Table:
    return Table(box=None, pad_edge=False, show_edge=False, header_style="bold")


def _plain_ids(answer: QueryAnswer) -> set[str]:
    """What the plain list shows, the first variant being plain."""
    return {item.id for plain in answer.variants[:1] for item in plain.items}


def _stacked(answer: QueryAnswer, names: dict[str, tuple[str, ...]]) -> RenderableType:
    """The same where there is no room for it: the lists one below the other."""
    before = _plain_ids(answer)
    parts: list[RenderableType] = []
    for variant in answer.variants:
        table = _empty_table()
        table.add_column("rank", justify="right", no_wrap=True)
        table.add_column(variant.name, overflow="ellipsis", no_wrap=True)
        for item in variant.items:
            table.add_row(str(item.rank), _cell(item, names, before))
        parts.append(table)
    return Group(*spaced(parts))


def _cell(item: Found, names: dict[str, tuple[str, ...]], before: set[str]) -> Text:
    """An id with its caption; what the plain list does not show is marked."""
    said = Text()
    # One attribute has room in front of a name; the table of measures holds all of them.
    attribute = next(iter(names), None)
    if attribute is not None:
        said.append_text(_mark(item, attribute, names[attribute]))
        said.append(" ")
    shown = item.text or item.id
    if item.id in before:
        return said.append(shown)
    return said.append(f"+ {shown}", style="bold")


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
        if meaning:
            legend.append(f"{mark} {meaning}  ", style="dim")
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
    unknown = absent = ""
    if labels - set(groups) - {"not-applicable"}:
        unknown = UNKNOWN
    if "not-applicable" in labels:
        absent = ABSENT
    return unknown, absent


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
    # A mark says one group: below one half it would more often be wrong than right.
    if best is None or not label[best] > 0.5:
        return None
    return best


def _colour(group: int) -> str:
    return _COLOURS[group % len(_COLOURS)]


def _measures(answer: QueryAnswer) -> list[RenderableType]:
    """Each metric of each variant, beside its chance level, and the time; without labels the time
    alone.
    """
    plain = answer.variants[0]
    if not any(variant.metrics for variant in answer.variants):
        times = ", ".join(f"{v.name} {_ms(v, plain)} ms a query" for v in answer.variants)
        return [Text(""), *dim(times)]
    table = _empty_table()
    for heading in ("variant", "measure", "attribute"):
        table.add_column(heading, overflow="fold", no_wrap=heading != "variant")
    for heading in ("value", "chance", "p", "unknown", "ms a query"):
        table.add_column(heading, justify="right", no_wrap=True)
    for variant in answer.variants:
        # Name and time are of the variant, not of a measure: they stand in its first line alone.
        name, ms = variant.name, _ms(variant, plain)
        for row in variant.metrics:
            table.add_row(name, *_measure(row), ms)
            name = ms = ""
        if not variant.metrics:
            table.add_row(name, "", "", "", "", "", "", ms)
    return [Text(""), table, *_remark(caveat(answer))]


def _measure(row: Row) -> tuple[str, ...]:
    chance = ""
    if row.null is not None:
        chance = number(row.null["mean"])
    looks = (probability(row.p), percent(row.unknown_mass))
    return (row.metric, row.attribute or "", number(row.mean), chance, *looks)


def _ms(variant: Variant, plain: Variant) -> str:
    """The time of the plain search, and what a mitigated one adds to it: the search again only
    where it looks with other vectors.
    """
    spent = variant.ms
    if variant is plain:
        return f"{spent.get('encode', 0.0) + spent.get('search', 0.0):.1f}"
    added = spent.get("project", 0.0) + spent.get("rerank", 0.0)
    # The same time to the last digit is the same search, which was paid for already.
    if spent.get("search") != plain.ms.get("search"):
        added += spent.get("search", 0.0)
    return f"+{added:.1f}"


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
            lines += _remark(said)
    return lines


def _reach(answer: QueryAnswer) -> list[RenderableType]:
    """What the target asks for and no candidate can give."""
    reach = answer.reach
    if reach is None or not answer.variants:
        return []
    k = max((len(v.items) for v in answer.variants), default=0)
    # Less than one item of the list is only the rounding of a target to whole items.
    if reach.missing * k < 1:
        return []
    have = ", ".join(f"{count:.0f} {name}" for name, count in reach.available.items())
    why = f"fetched {reach.depth} deep; fetch deeper with --depth and --limit"
    if reach.exhausted:
        why = "everything was fetched: the collection has no more"
    return _remark(
        f"The target is out of reach by {100 * reach.missing:.0f} % of the list: "
        f"candidates are {have} ({why})."
    )
