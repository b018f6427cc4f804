"""A frontier as a page: relevance over bias, a line for each method, the bounds above them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

from fairlead.report.frontier import FrontierResult, Point, least_kept, setting
from fairlead.report.frontier_view import level_words
from fairlead.report.small_panels import COLOURS, Dot, Page, Panel, Rule, scale_of
from fairlead.report.wording import bounds, number, percent, signed
from fairlead.words.counts import counted, part_of

_BIASES = (("AbsBias", "AbsBias"), ("NDKL_excess", "NDKL beyond chance"))
_READING = (
    ("AbsBias", "the gap between the most and the least shown group; 0 is equal counts, chance is above it"),
    ("nDCG", "how well what is relevant stands on top; 1 is best"),
    ("same labels", "the most relevance at each bias that could be had with labels that err as these do"),
    ("true labels", "the same with labels that never err"),
)


def frontier_page(result: FrontierResult) -> Page:
    """The page of a frontier."""
    methods = [c.method for c in result.curves]
    legend: list[tuple[int | str, str]] = [(at % COLOURS, name) for at, name in enumerate(methods[1:])]
    legend += [("rule", "the best that could be had: with the same labels (right), with true labels (left)")] if result.bounds else []
    headline = _headline(result)
    plan = result.manifest.get("plan", {})
    queries = counted(result.manifest.get("queries", 0), "query")
    lead = f"{plan.get('model', 'A model')} on {plan.get('benchmark', 'a benchmark')}, {queries}. "
    lead += f"Every method sees the same labels ({plan.get('mitigate_groups') or 'the true ones'}); bias is measured with the true ones."
    if result.level is not None:
        lead += " " + level_words(result.level)
    panels = tuple(_panel(result, methods[1:], metric, label) for metric, label in _BIASES)
    notes = [*result.manifest.get("warnings", ())]
    if str(plan.get("benchmark", "")).startswith("phantom"):
        notes.append("The phantom is an instrument of known bias, and no evidence about any real search.")
    return Page("What balance costs", headline, lead, panels, tuple(legend), (_table(result),), tuple(notes), _READING)


def _headline(result: FrontierResult) -> str:
    known = [g for g in result.gaps if not math.isnan(g.difference)]
    if not known:
        return "What each mitigation costs in relevance at each level of bias"
    above = sum(g.ci[0] > 0 for g in known)
    below = sum(g.ci[1] < 0 for g in known)
    return (
        f"At equal bias levelled keeps more relevance than {part_of(above, len(known), 'setting')} of other methods, and less than {below}"
    )


def _panel(result: FrontierResult, methods: list[str], metric: str, label: str) -> Panel:
    plain = result.rows[0]
    lines = []
    for at, name in enumerate(methods):
        own = sorted((p for p in result.rows if p.method == name), key=lambda p: p.means[metric])
        lines.append(tuple(_dot(p, metric, at % COLOURS) for p in [*own, plain]))
    edge = []
    if metric == "AbsBias":
        edge = [tuple(Dot(b, r, colour="rule", open=True) for b, r in _few(result.bounds[n])) for n in ("same labels", "true labels")
                if n in result.bounds]  # fmt: skip
    dots = list(chain(*lines, *edge))
    chance = result.chance if metric == "AbsBias" else 0.0
    x = scale_of(label, [d.x for d in dots], least=(chance, chance))
    y = scale_of("nDCG", [d.y for d in dots])
    words = "; ".join(f"{p.method} {number(p.means[metric])} at nDCG {number(p.means['nDCG'])}" for p in result.rows)
    return Panel(f"nDCG over {label}", "up and left is better", x, y, (*lines, *edge), (Rule(chance, "chance", along=False),), words)


def _few(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A dozen points of a curve, with its end."""
    step = max(1, len(curve) // 12)
    return [*curve[:-1:step], curve[-1]]


def _dot(point: Point, metric: str, colour: int) -> Dot:
    reads = f"{metric} {number(point.means[metric])} {bounds(point.spans[metric])}, nDCG {number(point.means['nDCG'])}"
    return Dot(point.means[metric], point.means["nDCG"], colour=colour, words=f"{_named(point)}: {reads}")


def _named(point: Point) -> str:
    return f"{point.method} {setting(point.knob, point.value)}".rstrip()


def _table(result: FrontierResult) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    heads = ("setting", "AbsBias", "NDKL excess", "nDCG", "P@1", "ms a query", "explicit queries keep")
    rows = []
    for at, p in enumerate(result.rows):
        kept = percent(least_kept(result.explicit[at :: len(result.rows)]))
        cells = (number(p.means["AbsBias"]), signed(p.means["NDKL_excess"]), number(p.means["nDCG"]), number(p.means["P@1"]))
        rows.append((_named(p), *cells, number(p.ms, 2), kept))
    return ("Every setting", heads, tuple(rows))
