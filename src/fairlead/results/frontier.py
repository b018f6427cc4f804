"""What a frontier gives: points with intervals, curves, and gaps between methods at equal bias."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlead.results.score import plain
from fairlead.results.tabular import Tabular

RELEVANCE = ("nDCG", "P@1", "P")


@dataclass(frozen=True)
class Point:
    """One setting of one method: means and intervals by metric, milliseconds a query."""

    method: str
    knob: str
    value: float
    means: Mapping[str, float]
    spans: Mapping[str, tuple[float, float]]
    ms: float

    def to_dict(self) -> dict[str, Any]:
        """JSON values in the documented shape."""
        # Plain, and methods of one setting, have no knob: null says so, and not a value of NaN.
        knob = None
        if self.knob:
            knob = {self.knob: self.value}
        relevance = {name: value for name, value in self.means.items() if name in RELEVANCE}
        bias = {name: value for name, value in self.means.items() if name not in RELEVANCE}
        row = {
            "method": self.method,
            "knob": knob,
            "relevance": relevance,
            "bias": bias,
            "ci": self.spans,
            "ms_per_query": self.ms,
        }
        return plain(row)


@dataclass(frozen=True)
class Curve:
    """A method over its knob: the lowest bias it reaches, and its mean relevance over the biases
    that every method reaches.
    """

    method: str
    lowest_bias: float
    area: float


@dataclass(frozen=True)
class Gap:
    """Our relevance minus another method's at its own bias, paired; NaN where we do not reach that
    bias.

    ``bounds`` at the same bias are the best of lists that take each group's items from the top.
    """

    method: str
    value: float
    bias: float
    relevance: float
    difference: float
    ci: tuple[float, float]
    bounds: Mapping[str, float]

    @property
    def recovered(self) -> float:
        """The share of the way from the other method to the bound with the same labels that we go;
        other lists may go beyond it.
        """
        room = self.bounds.get("same labels", math.nan) - self.relevance
        # A method that is as good as the bound leaves nothing to recover; NaN is not more than 0.
        if not room > 0:
            return math.nan
        return self.difference / room


@dataclass(frozen=True)
class Explicit:
    """Queries that ask for a group by name: how good their lists are by one metric, plain, as
    measured, and without the trigger.

    ``kept`` is as measured: with the trigger, unless the plan switches it off. ``ci`` is the
    interval of what is lost, paired.
    """

    method: str
    knob: str
    value: float
    metric: str
    plain: float
    kept: float
    without_trigger: float
    ci: tuple[float, float]

    @property
    def share(self) -> float:
        """What is kept of the plain accuracy."""
        if not self.plain > 0:
            return math.nan
        return self.kept / self.plain


def least_kept(rows: Iterable[Explicit]) -> float:
    """The least that one setting keeps of the plain accuracy by any metric; NaN where none says
    anything.
    """
    return min((row.share for row in rows if not math.isnan(row.share)), default=math.nan)


def setting(knob: str, value: float) -> str:
    """A knob as it is set; empty where there is none.

    >>> setting("price", 2.0), setting("", float("nan"))
    ('price=2', '')
    """
    if not knob:
        return ""
    return f"{knob}={value:g}"


@dataclass(frozen=True)
class Level:
    """Near chance: the relevance of plain, of another method at its lowest bias, half-way between
    them, ours there, and the bounds.
    """

    bias: float
    plain: float
    method: str
    method_bias: float
    method_relevance: float
    half_way: float
    ours: float
    bounds: Mapping[str, float]


@dataclass(frozen=True)
class Verdict:
    """Whether a setting of a method may be switched on, and if not, why."""

    method: str
    knob: str
    value: float
    passed: bool
    reasons: tuple[str, ...]
    bias: float
    bias_ci: tuple[float, float]
    relevance: float
    relevance_ci: tuple[float, float]
    explicit: float

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return plain({**vars(self), "reasons": list(self.reasons)})


@dataclass(frozen=True)
class FrontierResult(Tabular):
    """The answer of ``frontier``; ``gaps`` are at equal AbsBias, ``ndkl_gaps`` at equal NDKL."""

    rows: tuple[Point, ...]
    curves: tuple[Curve, ...]
    gaps: tuple[Gap, ...]
    bounds: Mapping[str, Sequence[tuple[float, float]]]
    chance: float
    explicit: tuple[Explicit, ...] = ()
    level: Level | None = None
    verdicts: tuple[Verdict, ...] = ()
    ndkl_gaps: tuple[Gap, ...] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON values in the documented shape."""
        level = None
        if self.level is not None:
            level = plain(vars(self.level))
        return {
            "rows": [point.to_dict() for point in self.rows],
            "curves": [plain(vars(curve)) for curve in self.curves],
            "gaps": [plain({**vars(gap), "recovered": gap.recovered}) for gap in self.gaps],
            "ndkl_gaps": [
                plain({**vars(gap), "recovered": gap.recovered}) for gap in self.ndkl_gaps
            ],
            "bounds": {
                name: [{"bias": b, "relevance": r} for b, r in curve]
                for name, curve in self.bounds.items()
            },
            "chance": plain(self.chance),
            "explicit": [plain({**vars(row), "share": row.share}) for row in self.explicit],
            "level": level,
            "checks": [verdict.to_dict() for verdict in self.verdicts],
            "manifest": dict(self.manifest),
        }

    @property
    def triggered(self) -> bool:
        """Whether queries that ask for a group by name were left alone."""
        return bool(self.manifest.get("plan", {}).get("trigger", True))

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``rows``, ``curves``, ``gaps``, ``ndkl_gaps``, ``explicit`` and ``checks``."""
        # Bounds are curves by name and the level is one record: neither is a list of records.
        kept = ("rows", "curves", "gaps", "ndkl_gaps", "explicit", "checks")
        return {name: records for name, records in self.to_dict().items() if name in kept}
