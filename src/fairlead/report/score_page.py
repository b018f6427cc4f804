"""A score result as one page: HTML that holds its own styles and charts, needs no network and no
scripts, and prints well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlead.report import label_error, tradeoff, wording
from fairlead.report.charts import Axis, Forest, forest, strip
from fairlead.report.html import as_html
from fairlead.report.splits import splits
from fairlead.report.strips import COLOURS, Strip, StripLine, letters, tally
from fairlead.report.wording import (
    UNREAD,
    Tone,
    bounds,
    number,
    percent,
    probability,
    range_of,
    reading,
    signed,
    worse_by,
)
from fairlead.words.counts import agreeing, counted

if TYPE_CHECKING:
    from fairlead.report.strips import StripItem
    from fairlead.results.score import PairedRow, Row, ScoreResult

# Hyphens inside words are left alone: names of files and models have them.
_HYPHEN = re.compile(r"(?<!\w)-(?=[\d.∞])")


@dataclass(frozen=True)
class Group:
    """Rows that stand together: the variants of one metric and attribute, or all rows where there
    are no variants.
    """

    title: str
    note: str
    rows: tuple[Mapping[str, Any], ...]


def score_page(
    result: ScoreResult, *, cards: Sequence[Mapping[str, Any]] = (), strips: Sequence[Strip] = ()
) -> str:
    """The page of a result.

    Args:
        result: What ``score`` gave.
        cards: What the registry says of the metrics used (``name``, ``summary``, ``blind_spot``,
            ``source``).
        strips: The first pictures of some queries, drawn by whoever can draw them.
    """
    variants = any(row.variant for row in result.rows)
    grouped = [row for row in result.rows if row.attribute is not None]
    forests = list(_forests(result))
    return as_html(
        "score.html.j2",
        _minus,
        title=_title(result),
        card=str(result.manifest.get("model", {}).get("card", "")),
        strips=_strips(strips),
        headline=wording.headline(result),
        change=wording.change(result),
        tradeoffs=tradeoff.fields(result),
        most_tradeoffs=tradeoff.MOST,
        facts=list(_facts(result)),
        variants=variants,
        groups=_groups(grouped, variants),
        splits=splits(result),
        corrected=label_error.corrected_lines(result),
        overturned=label_error.overturn_lines(result),
        precisions=label_error.precision_lines(result),
        tally=_tally(wording.plain_rows(result)),
        forests=[f for f in forests if f.found],
        quiet=[f for f in forests if not f.found],
        paired=_paired(result),
        judged=_judged(result),
        warnings=list(_warnings(result)),
        needed=[
            (f"{row.metric} {row.attribute or ''}".strip(), f"{row.queries_needed:,}")
            for row in result.rows
            if row.queries_needed
        ],
        kinds=list(dict.fromkeys(str(row.null["kind"]) for row in grouped if row.null is not None)),
        cards=cards,
        labels=list(_labels(result)),
        manifest=_manifest(result),
        version=str(result.manifest.get("fairlead", "")),
    )


def _title(result: ScoreResult) -> str:
    """What was measured: a model and the benchmark it was held against, or a file."""
    model, benchmark = (
        result.manifest.get(part, {}).get("spec") for part in ("model", "benchmark")
    )
    if not model or not benchmark:
        return _name(result, "run")
    return f"{model} on {benchmark}"


def _strips(strips: Sequence[Strip]) -> dict[str, Any] | None:
    if not strips:
        return None
    marks = letters(strips[0].groups)
    legend = [
        {"mark": mark, "name": name, "colour": n % COLOURS}
        for n, (mark, name) in enumerate(zip(marks, strips[0].groups, strict=True))
    ]
    queries = [
        {
            "query": s.query,
            "picture": s.picture,
            "about": s.about,
            "lines": [_line(line, s.groups, legend) for line in s.lines],
        }
        for s in strips
    ]
    unknown = any(item.group is None for s in strips for line in s.lines for item in line.items)
    most = max(len(line.items) for s in strips for line in s.lines)
    return {
        "attribute": strips[0].attribute,
        "legend": legend,
        "unknown": unknown,
        "queries": queries,
        "shows": _shows(strips),
        "most": most,
    }


def _shows(strips: Sequence[Strip]) -> str:
    """What the strips are made of; the page explains each kind in words of its own."""
    if strips[0].picture:
        return "captions"
    if any(line.winner for s in strips for line in s.lines):
        return "choices"
    return "pictures"


def _line(
    line: StripLine, groups: Sequence[str], legend: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    items = [
        {"image": item.image, "text": item.text, **_ribbon(item, legend)} for item in line.items
    ]
    return {"variant": line.variant, "tally": tally(line, groups), "pictures": items}


def _ribbon(item: StripItem, legend: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Mark, name and colour of an item's group; unknown is hatched."""
    if item.group is None:
        return {"mark": "?", "name": "unknown", "colour": "u"}
    return legend[item.group]


def _facts(result: ScoreResult) -> Iterable[tuple[str, str]]:
    """The size of what was measured, as figures and words."""
    run = result.manifest.get("run")
    yield f"{len(result.queries):,}", agreeing(len(result.queries), "query", "queries")
    if run:
        low, high = run["depth"]["min"], run["depth"]["max"]
        yield range_of(low, high), "results each"
    for name, about in result.manifest.get("labels", {}).items():
        yield percent(about["coverage"]["known"]), f"labelled for {name}"


def _groups(rows: Sequence[Row], variants: bool) -> list[Group]:
    if not rows:
        return []
    # All rows of a metric lie on one axis, so that they can be compared by eye.
    axes = {
        m: _axis([r for r in rows if r.metric == m])
        for m in dict.fromkeys(row.metric for row in rows)
    }
    if not variants:
        return [Group("", "", tuple(_row(row, axes[row.metric]) for row in rows))]
    keys = dict.fromkeys((row.metric, row.attribute) for row in rows)
    groups = []
    for metric, attribute in keys:
        same = [row for row in rows if (row.metric, row.attribute) == (metric, attribute)]
        groups.append(
            Group(
                f"{metric} · {attribute}",
                _basis(same[0]),
                tuple(_row(row, axes[metric]) for row in same),
            )
        )
    return groups


def _row(row: Row, axis: Axis) -> dict[str, Any]:
    null, reads = row.null or {}, reading(row) or UNREAD
    # Variants stand under a heading that names the metric and says what it rests on.
    name, basis = f"{row.metric} · {row.attribute}", _basis(row)
    if row.variant:
        name, basis = row.variant, ""
    return {
        "name": name,
        "basis": basis,
        "mean": number(row.mean),
        "ci": bounds(row.ci),
        "chance": number(null.get("mean")),
        "kind": null.get("kind", ""),
        "excess": signed(row.excess),
        "excess_ci": bounds(row.excess_ci),
        "strip": strip(axis, row.excess, row.excess_ci),
        "p": probability(row.p),
        "q": probability(row.q),
        "unknown": percent(row.unknown_mass),
        "undefined": row.undefined,
        "words": reads.words,
        "tone": reads.tone,
    }


def _basis(row: Row) -> str:
    """What a number rests on: the target and who says which group an item shows."""
    return f"target {row.target}, labels from {row.source}"


def _axis(rows: Sequence[Row]) -> Axis:
    values = [v for row in rows for v in (row.excess, *row.excess_ci)]
    return Axis.over(values, flip=rows[0].direction == "higher")


def _tally(rows: Sequence[Row]) -> list[tuple[str, str, int]]:
    """How many rows read each way: tone, words, count."""
    found = Counter(
        (reads.tone, reads.words) for row in rows if (reads := reading(row)) is not None
    )
    return [(tone, words, count) for (tone, words), count in found.most_common()]


def _forests(result: ScoreResult) -> Iterable[Forest]:
    """The forests, those with the most queries that stand out first."""
    directions = {(row.metric, row.attribute): row.direction for row in result.rows}
    drawn = [
        forest(part, result.queries, directions[part.metric, part.attribute])
        for part in result.values
        if part.attribute is not None
    ]
    return sorted((f for f in drawn if f is not None), key=lambda f: -f.found)


def _paired(result: ScoreResult) -> dict[str, Any] | None:
    if not result.paired:
        return None
    variants = any(row.variant for row in result.paired)
    title = "First run against second"
    names = _name(result, "run", "first"), _name(result, "against", "second")
    if variants:
        title, names = "Each variant against plain", ("mitigated", "plain")
    axes = {
        m: _pair_axis([r for r in result.paired if r.metric == m])
        for m in {row.metric for row in result.paired}
    }
    rows = [_pair(row, axes[row.metric]) for row in result.paired]
    return {
        "title": title,
        "first": names[0],
        "second": names[1],
        "rows": rows,
        "variants": variants,
    }


def _pair(row: PairedRow, axis: Axis) -> dict[str, Any]:
    return {
        "name": " · ".join(part for part in (row.metric, row.attribute) if part),
        "variant": row.variant or "",
        "first": number(row.first),
        "second": number(row.second),
        "difference": signed(row.difference),
        "ci": bounds(row.ci),
        "strip": strip(axis, row.difference, row.ci),
        "tone": _pair_tone(row),
        "p": probability(row.p),
        "q": probability(row.q),
        "queries": f"{row.queries:,}",
    }


def _pair_tone(row: PairedRow) -> Tone:
    # Of a signed metric neither way is the better one, and an undefined q is no evidence.
    if row.direction == "either" or not row.q < wording.SEEN:
        return "quiet"
    if worse_by(row.difference, row.direction) < 0:
        return "better"
    return "worse"


def _pair_axis(rows: Sequence[PairedRow]) -> Axis:
    return Axis.over(
        [v for row in rows for v in (row.difference, *row.ci)], flip=rows[0].direction == "higher"
    )


def _judged(result: ScoreResult) -> list[dict[str, Any]]:
    rows = [row for row in result.rows if row.attribute is None]
    return [
        {
            "name": row.metric,
            "variant": row.variant or "",
            "mean": number(row.mean),
            "ci": bounds(row.ci),
            "queries": f"{row.queries:,}",
            "undefined": f"{row.undefined:,}",
        }
        for row in rows
    ]


def _warnings(result: ScoreResult) -> Iterable[tuple[str, str]]:
    """What must be known before a number is quoted: of what, and the words."""
    for warning in result.warnings:
        yield "", warning
    for note, about in wording.notes_of((*result.rows, *(result.paired or ()))).items():
        yield about, note
    for note, about in label_error.notes_of(result.rows).items():
        yield f"Correction of {about}", note
    undefined = [
        f"{row.metric} · {row.attribute} in {counted(row.undefined, 'query')}"
        for row in result.rows
        if row.undefined
    ]
    if undefined:
        yield "Undefined, and left out of the mean", "; ".join(dict.fromkeys(undefined))


def _labels(result: ScoreResult) -> Iterable[dict[str, str]]:
    for name, about in result.manifest.get("labels", {}).items():
        coverage = about["coverage"]
        shares = {
            key: percent(coverage[key], 1)
            for key in ("known", "unknown", "not_applicable", "missing")
        }
        yield {
            "attribute": name,
            "groups": ", ".join(about["groups"]),
            "target": about["target"],
            **shares,
        }


def _manifest(result: ScoreResult) -> dict[str, Any]:
    plan = {name: _said(value) for name, value in result.manifest.get("plan", {}).items()}
    return {
        "inputs": dict(result.manifest.get("inputs", {})),
        "plan": plan,
        "command": result.manifest.get("command", "score"),
    }


def _said(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def _name(result: ScoreResult, which: str, otherwise: str = "a ranking") -> str:
    return str(result.manifest.get("inputs", {}).get(which, {}).get("name", otherwise))


def _minus(text: str) -> str:
    """A text in which the hyphens of negative numbers are minus signs."""
    return _HYPHEN.sub("−", text)
