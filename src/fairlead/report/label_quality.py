"""What the quality of labels does to mitigated lists: the result, its tables, and a page with a
panel for each analysis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.annotate import PERCEIVED
from fairlead.report.small_panels import COLOURS, Dot, Page, Panel, Rule, Scale, scale_of, words_of
from fairlead.report.terminal import dim, table, warned
from fairlead.report.wording import bounds, number, signed
from fairlead.results.label_quality import PLAIN, TRUE, Finding, LabelQuality, Step

TITLES = {
    "noise": "Worse classifiers",
    "threshold": "Uneven classifiers",
    "prevalence": "Rarer groups",
}
_AXES = {
    "noise": "F1 of the labels",
    "threshold": "ratio of sensitivities",
    "prevalence": "share of the larger group in the local pool",
}


_KNOBS = {"prevalence": "majority"}
"""What is varied, where the analysis is not called after it."""


def label_quality_view(found: LabelQuality) -> RenderableType:
    """Every analysis as a table, sensitivities, and what the paper found."""
    parts: list[RenderableType] = [Text(headline(found), style="bold")]
    for analysis in dict.fromkeys(s.analysis for s in found.steps):
        parts += [Text(""), _steps(found, analysis)]
    parts += [Text(""), _sensitivities(found), Text(""), _findings(found)]
    notes = warned(found.manifest.get("warnings", ()))
    foot = (
        f"AbsBias@{found.k} by the true labels; chance alone reads {number(found.chance)}. "
        "Intervals are over occupations."
    )
    return Group(*parts, Text(""), *notes, *dim(foot, PERCEIVED))


def headline(found: LabelQuality) -> str:
    """The one sentence to remember."""
    agreed = [f for f in found.findings if f.source != "ours" and f.method == found.methods[0]]
    held = sum(f.holds is True for f in agreed)
    start = "What the quality of labels does to lists"
    if agreed:
        start = f"Findings of the PBM paper that show here too: {held} of {len(agreed)}"
    own = [s for method in found.methods[:1] for s in found.of("prevalence", method)]
    if len(own) < 2:
        return f"{start}."
    first, last = own[0], own[-1]
    pools = f"{100 * first.pool:.0f} % to {100 * last.pool:.0f} %"
    return (
        f"{start}; as the larger group goes from {pools} of the pool, {first.method} leaves "
        f"{number(first.bias)} to {number(last.bias)}."
    )


def _setting(step: Step) -> str:
    return f"{_KNOBS.get(step.analysis, step.analysis)} {step.value:g}"


def _figures(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1
) -> RenderableType:
    """A table that begins with so many columns of words; the others hold numbers."""
    columns = [(head, "left") for head in heads[:words]]
    view = table(title, [*columns, *((head, "right") for head in heads[words:])])
    for row in rows:
        view.add_row(*row)
    return view


def _steps(found: LabelQuality, analysis: str) -> RenderableType:
    title = f"{TITLES[analysis]}: AbsBias@{found.k} of the list"
    return _figures(title, *_step_table(found, analysis))


def _step_table(
    found: LabelQuality, analysis: str
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Headings and rows of one analysis: one line a setting, the methods side by side."""
    # Where the pool is varied, the labeller and with it the sensitivities stay the same.
    quality: tuple[str, ...] = ("F1", *(f"sens. {g}" for g in found.groups), "ratio")
    if analysis == "prevalence":
        quality = ("pool", "F1", "ratio")
    heads = (
        "setting",
        *quality,
        PLAIN,
        *(head for m in found.methods for head in (m, "95 % interval", TRUE)),
    )
    rows = []
    for step in sorted(
        (s for s in found.steps if (s.analysis, s.method) == (analysis, PLAIN)),
        key=lambda s: s.value,
    ):
        same = {s.method: s for s in found.steps if (s.analysis, s.value) == (analysis, step.value)}
        good: tuple[str, ...] = (number(step.f1), *map(number, step.sensitivity))
        if analysis == "prevalence":
            good = (number(step.pool), number(step.f1))
        cells = [
            cell
            for m in found.methods
            for cell in (
                number(same[m].bias),
                bounds(same[m].bias_ci),
                number(same[f"{m}, {TRUE}"].bias),
            )
        ]
        rows.append((_setting(step), *good, number(step.ratio, 2), number(step.bias), *cells))
    return heads, tuple(rows)


def _sensitivities(found: LabelQuality) -> RenderableType:
    return _figures("Group sensitivities", *_sensitivity_table(found))


def _sensitivity_table(found: LabelQuality) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    groups = found.groups
    heads = (
        "labeller",
        *(h for g in groups for h in (g, "95 % interval", "answered")),
        f"{groups[1]} / {groups[0]}",
        "95 % interval",
    )
    rows = []
    for s in found.sensitivities:
        cells = [
            c
            for g in (0, 1)
            for c in (
                number(s.sensitivity[g]),
                bounds(s.sensitivity_ci[g]),
                f"{100 * s.answered[g]:.0f} %",
            )
        ]
        rows.append((s.labeller, *cells, number(s.ratio, 2), bounds(s.ratio_ci)))
    return heads, tuple(rows)


def _findings(found: LabelQuality) -> RenderableType:
    heads, rows = _finding_table(found.findings)
    view = table(
        "What was found before, and here",
        [(h, "right" if n in (3, 4) else "left") for n, h in enumerate(heads)],
    )
    for row in rows:
        view.add_row(*row)
    return view


def _finding_table(
    findings: Sequence[Finding],
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    words = {True: "yes", False: "no, the other way", None: "not clear"}
    rows = [
        (f.claim, f.source, f.method, signed(f.difference), bounds(f.difference_ci), words[f.holds])
        for f in findings
    ]
    return ("claim", "by", "method", "difference", "95 % interval", "here"), tuple(rows)


def label_quality_page(found: LabelQuality) -> Page:
    """The picture: a panel for each analysis."""
    analyses = list(dict.fromkeys(s.analysis for s in found.steps))
    y = scale_of(
        f"AbsBias@{found.k}, true labels",
        [v for s in found.steps for v in (s.bias, *s.bias_ci)],
        least=(0.0, 1.0),
    )
    legend: list[tuple[int | str, str]] = [
        ("quiet", "plain"),
        *((n % COLOURS, m) for n, m in enumerate(found.methods)),
    ]
    tables = [("What was found before, and here", *_finding_table(found.findings))]
    tables += [(TITLES[a], *_step_table(found, a)) for a in analyses]
    return Page(
        title="what the quality of labels does to mitigated lists",
        headline=headline(found),
        lead=(
            "Lists are made with the labels and measured with the truth. Dots: mean bias, "
            "with 95 % intervals over occupations."
        ),
        panels=tuple(_panel(found, a, y) for a in analyses),
        legend=tuple(legend),
        tables=(
            *tables,
            ("Group sensitivities", *_sensitivity_table(found)),
        ),
        notes=tuple(found.manifest.get("warnings", ())),
        reading=_READING,
    )


def _panel(found: LabelQuality, analysis: str, y: Scale) -> Panel:
    shown = [s for s in found.steps if s.analysis == analysis and math.isfinite(s.at) and s.at > 0]
    groups = found.groups
    label, kept, is_ratio = _AXES[analysis], shown, analysis == "threshold"
    if is_ratio:
        label = f"{label}, {groups[1]} / {groups[0]}"
        # Thresholds at either end miss nearly a whole group: their ratios would fill the axis.
        kept = [s for s in shown if 0.02 <= s.at <= 50]
    x = scale_of(label, [s.at for s in kept], log=is_ratio)
    plain_ones = found.of(analysis, PLAIN)
    rules = [Rule(found.chance, "chance")]
    # The labels do not touch the plain list: where it does not vary otherwise, it is a rule.
    if len({s.bias for s in plain_ones}) == 1:
        rules.append(Rule(plain_ones[0].bias, "", dashed=False, colour="quiet"))
        plain_ones = []
    lines = [_line([s for s in plain_ones if s in kept], "quiet")]
    lines += [
        _line([s for s in found.of(analysis, m) if s in kept], n % COLOURS)
        for n, m in enumerate(found.methods)
    ]
    words = {
        f"{m} at {_setting(s)}": (s.at, s.bias)
        for m in (PLAIN, *found.methods)
        for s in found.of(analysis, m)
    }
    note = {
        "noise": "noise on the log odds",
        "threshold": "another threshold",
        "prevalence": "the same labeller, another pool",
    }[analysis]
    return Panel(
        TITLES[analysis], note, x, y, tuple(lines), tuple(rules), words_of(TITLES[analysis], words)
    )


def _line(steps: Sequence[Step], colour: int | str) -> tuple[Dot, ...]:
    return tuple(
        Dot(
            s.at,
            s.bias,
            y_ci=s.bias_ci,
            colour=colour,
            words=f"{s.method}, {_setting(s)}: {number(s.bias)} {bounds(s.bias_ci)}",
        )
        for s in steps
    )


_READING = (
    (
        "Bias",
        (
            "AbsBias of the list as it truly is. A list that is balanced by wrong labels is "
            "not balanced."
        ),
    ),
    (
        "Worse classifiers",
        "Gaussian noise on the log odds of the labeller. Kong et al. (2023): better labels "
        "leave less bias, and even "
        "useless ones leave no more than the plain list has.",
    ),
    (
        "Uneven classifiers",
        "Another threshold trades the sensitivity of one group for the other's. Kong et al. "
        "(2023): it matters for "
        "extreme ratios only. That depends on how rare a group is.",
    ),
    (
        "Rarer groups",
        (
            "Ours: the labeller stays the same and the pool changes. Where a group is rare, "
            "many labelled as it are not of it."
        ),
    ),
    (
        "True labels",
        (
            "The same mitigation with labels that are never wrong: what is left then is not "
            "the labels' fault."
        ),
    ),
)
"""What the words on the page mean."""
