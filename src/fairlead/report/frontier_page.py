"""A frontier as a page: relevance over bias, a line for each method (a dot where it has one
setting), the bounds beside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from fairlead.report.frontier_view import gap_name, level_words
from fairlead.report.small_panels import COLOURS, Dot, Page, Panel, Rule, scale_of
from fairlead.report.wording import bounds, number, percent, signed
from fairlead.results.frontier import FrontierResult, Gap, Point, Verdict, least_kept, setting
from fairlead.words.counts import counted, part_of

_BIASES = (("AbsBias", "AbsBias"), ("NDKL_excess", "NDKL beyond chance"))
_EDGES = (("bound", "same labels"), ("ideal", "true labels"))
"""The bounds that are drawn, by the colour of their lines."""
_READING = (
    (
        "AbsBias",
        "the gap between the most and the least shown group; 0 is equal counts, chance is above it",
    ),
    (
        "NDKL",
        (
            "how far the groups of each prefix of a list are from their share, the first "
            "places above all; 0 beyond chance is a random order"
        ),
    ),
    ("nDCG", "how well what is relevant stands on top; 1 is best"),
    (
        "explicit queries",
        (
            "queries that ask for a group by name; how much of their accuracy is kept, by "
            "the worse of P@1 and nDCG"
        ),
    ),
    ("95 % interval", "in small print in the tables, and in the charts where a dot is pointed at"),
)
_BOUNDS_READING = (
    (
        "same labels",
        "the best of lists that take each group's items from the top, chosen by somebody who "
        "knows what is relevant and how "
        "often labels err, but not which one is wrong; a method that passes over doubtful "
        "labels can do better",
    ),
    (
        "in hindsight",
        (
            "the same, chosen by somebody who also knows which labels are wrong: nobody can "
            "know that beforehand"
        ),
    ),
    ("true labels", "the same lists made with labels that never err"),
)


def frontier_page(result: FrontierResult) -> Page:
    """The page of a frontier."""
    methods = [c.method for c in result.curves][1:]
    plan = result.manifest.get("plan", {})
    queries = counted(result.manifest.get("queries", 0), "query")
    lead = f"{plan.get('model', 'A model')} on {plan.get('benchmark', 'a benchmark')}, {queries}. "
    lead += (
        "Every method sees the same labels "
        f"({plan.get('mitigate_groups') or 'the true ones'}); bias is measured with the true "
        "ones."
    )
    lead += _rest_words(result)
    if result.level is not None:
        lead += " " + level_words(result.level)
    panels = tuple(_panel(result, methods, metric, label) for metric, label in _BIASES)
    notes = [*result.manifest.get("warnings", ())]
    if law := result.manifest.get("intervals"):
        notes.append(
            f"95 % intervals: {law}. They are left out where too few queries differ to give one."
        )
    if said := result.manifest.get("benchmark", {}).get("about"):
        notes.append(said)
    tables = (*_gaps_tables(result), _table(result))
    reading = [*_READING]
    if result.bounds:
        reading += _BOUNDS_READING
    reading += _check_reading(result)
    return Page(
        "What balance costs",
        _headline(result),
        lead,
        panels,
        _legend(result, methods),
        tables,
        tuple(notes),
        tuple(reading),
    )


def _legend(result: FrontierResult, methods: Sequence[str]) -> tuple[tuple[int | str, str], ...]:
    found: list[tuple[int | str, str]] = []
    for at, name in enumerate(methods):
        # A method with one setting is a dot in the chart, so its mark is a dot here.
        if sum(p.method == name for p in result.rows) == 1:
            found.append((f"{at % COLOURS} round full", name))
        else:
            found.append((at % COLOURS, name))
    edges = {
        name: (colour, f"best of lists that take each group's items from the top, {name}")
        for colour, name in _EDGES
    }
    return (
        *found,
        ("ink", "plain"),
        *(edge for name, edge in edges.items() if name in result.bounds),
    )


def _headline(result: FrontierResult) -> str:
    """Than how many settings of other methods levelled keeps more nDCG at equal bias, and than how
    many less, by both measures of bias.
    """
    size, counts = _standing(result.gaps)
    if not size:
        return "What each mitigation costs in relevance at each level of bias"
    others = f"{counted(size, 'setting')} of other methods"
    first = f"At equal AbsBias no difference in nDCG is shown between levelled and {others}"
    if counts:
        # nDCG is named once, at the first of the two comparisons.
        kept = _kept(counts).replace(" than", " nDCG than", 1)
        first = f"At equal AbsBias levelled keeps {kept} of {others}"
    size, counts = _standing(result.ndkl_gaps)
    if not size:
        return first
    if not counts:
        return f"{first}; at equal NDKL no difference is shown"
    return f"{first}; at equal NDKL {_kept(counts)} of {size}"


def _kept(counts: Mapping[str, int]) -> str:
    return " and ".join(f"{word} than {count}" for word, count in counts.items())


def _rest_words(result: FrontierResult) -> str:
    """What the headline leaves open."""
    if not _standing(result.gaps)[0]:
        return ""
    missed = {
        name: len(gaps) - _standing(gaps)[0]
        for name, gaps in (("AbsBias", result.gaps), ("NDKL", result.ndkl_gaps))
    }
    out = [
        f"the {name} of {part_of(count, len(result.gaps), 'setting')}"
        for name, count in missed.items()
        if count
    ]
    words = " Where the headline says neither more nor less, no difference is shown."
    if out:
        words += f" levelled does not reach {' and '.join(out)}."
    return words


def _standing(gaps: Sequence[Gap]) -> tuple[int, dict[str, int]]:
    """How many settings of other methods levelled can be held against at equal bias, and than how
    many it keeps more, and less.
    """
    known = [g for g in gaps if not math.isnan(g.difference)]
    counts = {"more": sum(g.ci[0] > 0 for g in known), "less": sum(g.ci[1] < 0 for g in known)}
    return len(known), {word: count for word, count in counts.items() if count}


def _panel(result: FrontierResult, methods: Sequence[str], metric: str, label: str) -> Panel:
    plain = result.rows[0]
    lines = []
    for at, name in enumerate(methods):
        own = [p for p in result.rows if p.method == name]
        lines.append(tuple(_dot(p, metric, at % COLOURS) for p in _path(own, plain)))
    # NDKL is drawn as what is beyond chance, and bounds are known over AbsBias alone.
    edges, chance = [], 0.0
    if metric == "AbsBias":
        edges = [_edge(result, name, colour) for colour, name in _EDGES if name in result.bounds]
        chance = result.chance
    # Dots that come later lie on top: plain must not vanish below the methods.
    start = (_dot(plain, metric, "ink"),)
    dots = list(chain(*edges, *lines, start))
    x = scale_of(label, [d.x for d in dots], least=(chance, chance))
    y = scale_of("nDCG", [d.y for d in dots])
    words = "; ".join(
        f"{p.method} {number(p.means[metric])} at nDCG {number(p.means['nDCG'])}"
        for p in result.rows
    )
    rules = (Rule(chance, "chance", along=False),)
    return Panel(
        f"nDCG over {label}",
        "up and left is better; point at a dot for its interval",
        x,
        y,
        (*edges, *lines, start),
        rules,
        words,
    )


def _path(own: list[Point], plain: Point) -> list[Point]:
    """The settings of a method in the order of its knob, from the one nearest to plain on, and
    plain; a single one stands alone.
    """
    if len(own) < 2:
        return own
    # Knobs run both ways: more theta does more, and so does less delta.
    first, last = (abs(p.means["AbsBias"] - plain.means["AbsBias"]) for p in (own[0], own[-1]))
    if last < first:
        own = own[::-1]
    return [plain, *own]


def _edge(result: FrontierResult, name: str, colour: str) -> tuple[Dot, ...]:
    """A dozen points of a bound, with its end."""
    curve = result.bounds[name]
    step = max(1, len(curve) // 12)
    return tuple(
        Dot(b, r, colour=colour, words=f"{name}: AbsBias {number(b)}, nDCG {number(r)}")
        for b, r in [*curve[:-1:step], curve[-1]]
    )


def _dot(point: Point, metric: str, colour: int | str) -> Dot:
    spans = point.spans[metric], point.spans["nDCG"]
    reads = [
        f"{name} {number(point.means[name])} {bounds(span)}"
        for name, span in zip((metric, "nDCG"), spans, strict=True)
    ]
    return Dot(
        point.means[metric],
        point.means["nDCG"],
        *spans,
        colour=colour,
        shy=True,
        words=f"{_named(point)}: {', '.join(reads)}",
    )


def _named(point: Point) -> str:
    return f"{point.method} {setting(point.knob, point.value)}".rstrip()


def _with(text: str, span: tuple[float, float]) -> str:
    """A number, and its interval in small print."""
    interval = bounds(span)
    if interval == "–":
        return text
    return f"{text}\n{interval}"


Tables = tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...]


def _gaps_tables(result: FrontierResult) -> Tables:
    """Ours against the others at equal bias, by both measures."""
    if not result.gaps:
        return ()
    heads = (
        "setting",
        "at its AbsBias",
        "levelled minus it",
        "at its NDKL beyond chance",
        "levelled minus it",
        "its nDCG",
    )
    rows = []
    for gap, other in zip(result.gaps, result.ndkl_gaps, strict=True):
        mine = [_with(signed(g.difference), g.ci) for g in (gap, other)]
        rows.append(
            (
                gap_name(gap),
                number(gap.bias),
                mine[0],
                signed(other.bias),
                mine[1],
                number(gap.relevance),
            )
        )
    return (("nDCG of levelled against the others, at their own bias", heads, tuple(rows)),)


def _table(result: FrontierResult) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Every setting: means with their intervals, and the verdict."""
    asked = "explicit queries keep"
    if not result.triggered:
        asked += ", without the trigger"
    heads = [
        "setting",
        "AbsBias",
        "NDKL beyond chance",
        "nDCG",
        "P@1",
        "ms a query",
        asked,
        "may it be switched on?",
    ]
    # There is a verdict for every setting but plain, which is what the others are held against.
    said = [_verdict(one) for one in result.verdicts]
    rows = []
    for at, (p, verdict) in enumerate(zip(result.rows, ["", *said], strict=True)):
        # Explicit queries are told metric by metric, each over all settings in the same order.
        kept = percent(least_kept(result.explicit[at :: len(result.rows)]))
        shown = {"AbsBias": number, "NDKL_excess": signed, "nDCG": number, "P@1": number}
        cells = [_with(show(p.means[name]), p.spans[name]) for name, show in shown.items()]
        rows.append((_named(p), *cells, number(p.ms, 2), kept, verdict))
    if not said:
        return "Every setting", tuple(heads[:-1]), tuple(row[:-1] for row in rows)
    return "Every setting", tuple(heads), tuple(rows)


def _verdict(one: Verdict) -> str:
    if one.passed:
        return "yes"
    # The page sets minus signs where a cell begins with a number, which this one does not.
    return "no\n" + " ".join(one.reasons).replace(" -", " −").replace("[-", "[−")


def _check_reading(result: FrontierResult) -> tuple[tuple[str, str], ...]:
    """What a setting must show."""
    plan = result.manifest.get("plan", {})
    if not result.verdicts or "tolerance" not in plan:
        return ()
    words = (
        "yes where the paired interval shows less AbsBias than plain search, and nDCG that "
        f"falls by {plan['tolerance']:g} at most"
    )
    if result.explicit:
        words += (
            ", and queries that ask for a group keep "
            f"{100 - 100 * plan['explicit_tolerance']:g} % of their accuracy"
        )
    return (("may it be switched on?", words),)
