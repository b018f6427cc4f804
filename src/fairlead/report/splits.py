"""Results told apart by a tag of the queries: one line for each value, measures side by side, so
that one is read beside the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.report.wording import UNREAD, Tone, bounds, number, reading

if TYPE_CHECKING:
    from fairlead.results.score import Row, ScoreResult


@dataclass(frozen=True)
class Cell:
    """One measure of one part of the queries; ``chance`` is empty where there is none."""

    mean: str
    ci: str
    chance: str
    tone: Tone
    words: str


@dataclass(frozen=True)
class Part:
    """The queries of one value of a tag, in one variant; ``value`` is "all" for all of them."""

    variant: str
    value: str
    queries: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Split:
    """All values of one tag."""

    tag: str
    measures: tuple[str, ...]
    parts: tuple[Part, ...]
    variants: bool


def splits(result: ScoreResult) -> list[Split]:
    """The tables of a result, one for each tag it is split by."""
    tags = dict.fromkeys(tag for row in result.split for tag in row.tag or ())
    return [_split(result, tag) for tag in tags]


def _split(result: ScoreResult, tag: str) -> Split:
    rows = [row for row in result.split if tag in (row.tag or {})]
    measures = list(dict.fromkeys((row.metric, row.attribute) for row in rows))
    attributes = {attribute for _, attribute in measures if attribute is not None}
    named = tuple(metric for metric, _ in measures)
    # A single attribute would be said again in every heading, where room is scarce.
    if len(attributes) > 1:
        named = tuple(f"{metric} {attribute or ''}".rstrip() for metric, attribute in measures)
    variants, parts = list(dict.fromkeys(row.variant for row in rows)), list[Part]()
    values = list(dict.fromkeys((row.tag or {})[tag] for row in rows))
    for variant in variants:
        whole, own = (
            [row for row in some if row.variant == variant] for some in (result.rows, rows)
        )
        parts.append(_part(variant, "all", whole, measures))
        parts += [
            _part(variant, value, [row for row in own if (row.tag or {})[tag] == value], measures)
            for value in values
        ]
    return Split(tag.replace("_", " "), named, tuple(parts), len(variants) > 1)


def _part(
    variant: str | None, value: str, rows: Sequence[Row], measures: Sequence[tuple[str, str | None]]
) -> Part:
    found = {(row.metric, row.attribute): row for row in rows}
    queries = max(row.queries + row.undefined for row in rows)
    return Part(
        variant or "", value, f"{queries:,}", tuple(_cell(found[measure]) for measure in measures)
    )


def _cell(row: Row) -> Cell:
    reads, chance = reading(row) or UNREAD, number((row.null or {}).get("mean"))
    tone = reads.tone
    # Without a chance level there is nothing that a colour could stand for.
    if chance == "–":
        chance, tone = "", "quiet"
    return Cell(number(row.mean), bounds(row.ci), chance, tone, reads.words)
