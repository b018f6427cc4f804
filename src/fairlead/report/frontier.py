"""What a frontier gives: points with intervals, curves, and gaps between methods at equal bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlead.report.results import plain
from fairlead.report.tabular import Tabular

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
        knob = {self.knob: self.value} if self.knob else None
        relevance = {name: value for name, value in self.means.items() if name in RELEVANCE}
        bias = {name: value for name, value in self.means.items() if name not in RELEVANCE}
        row = {"method": self.method, "knob": knob, "relevance": relevance, "bias": bias, "ci": self.spans, "ms_per_query": self.ms}
        return plain(row)


@dataclass(frozen=True)
class Curve:
    """A method over its knob: the lowest bias it reaches, and its mean relevance between there and plain."""

    method: str
    lowest_bias: float
    area: float


@dataclass(frozen=True)
class Gap:
    """Our relevance minus another method's at its own bias, paired; NaN where we do not reach that bias. ``bounds`` at the same bias."""

    method: str
    value: float
    bias: float
    relevance: float
    difference: float
    ci: tuple[float, float]
    bounds: Mapping[str, float]

    @property
    def recovered(self) -> float:
        """The share of the way from the other method to the bound with the same labels that we go."""
        room = self.bounds.get("same labels", float("nan")) - self.relevance
        return self.difference / room if room > 0 else float("nan")


@dataclass(frozen=True)
class FrontierResult(Tabular):
    """The answer of ``frontier``."""

    rows: tuple[Point, ...]
    curves: tuple[Curve, ...]
    gaps: tuple[Gap, ...]
    bounds: Mapping[str, Sequence[tuple[float, float]]]
    chance: float
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON values in the documented shape."""
        return {
            "rows": [point.to_dict() for point in self.rows],
            "curves": [plain(vars(curve)) for curve in self.curves],
            "gaps": [plain({**vars(gap), "recovered": gap.recovered}) for gap in self.gaps],
            "bounds": {name: [{"bias": b, "relevance": r} for b, r in curve] for name, curve in self.bounds.items()},
            "chance": plain(self.chance),
            "manifest": dict(self.manifest),
        }

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``rows``, ``curves`` and ``gaps``."""
        return {name: records for name, records in self.to_dict().items() if name in ("rows", "curves", "gaps")}
