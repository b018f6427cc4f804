"""What ``simulate labeller`` gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from fairlead.results.score import plain
from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular

PLAIN, TRUE = "plain", "true labels"


@dataclass(frozen=True)
class Step:
    """One method at one setting: its bias by the true labels, that less plain's, and how good the
    labels were.

    Attributes:
        analysis: What is varied: ``noise``, ``threshold`` or ``prevalence``.
        value: Noise in units of the spread of the log odds, the threshold, or the share of the
            larger group asked for.
        method: ``plain``, a mitigation, or a mitigation with true labels.
        bias: Mean AbsBias, and its interval over clusters of queries.
        over_plain: The same less that of the plain list.
        f1: Mean F1 of the labels over the groups.
        sensitivity: Of the first and of the second group.
        ratio: That of the second by that of the first.
        pool: Share of the larger group among the relevant items, as it came out.
        queries: Lists measured.
    """

    analysis: str
    value: float
    method: str
    bias: float
    bias_ci: tuple[float, float]
    over_plain: float
    over_plain_ci: tuple[float, float]
    f1: float
    sensitivity: tuple[float, float]
    ratio: float
    pool: float
    queries: int

    @property
    def at(self) -> float:
        """Where it stands in its panel."""
        return {"noise": self.f1, "threshold": self.ratio, "prevalence": self.pool}[self.analysis]


@dataclass(frozen=True)
class Sensitivity:
    """Group sensitivities of a labeller, and their ratio, second by first; items without an answer
    count as missed.
    """

    labeller: str
    groups: tuple[str, ...]
    items: tuple[int, int]
    sensitivity: tuple[float, float]
    sensitivity_ci: tuple[tuple[float, float], tuple[float, float]]
    answered: tuple[float, float]
    ratio: float
    ratio_ci: tuple[float, float]


@dataclass(frozen=True)
class Finding:
    """A claim, who made it, and what was found: a difference with its interval; ``holds`` is None
    where the interval holds 0.
    """

    claim: str
    source: str
    method: str
    difference: float
    difference_ci: tuple[float, float]
    holds: bool | None


@dataclass(frozen=True)
class LabelQuality(Tabular, Shown):
    """The answer of ``simulate labeller``."""

    steps: tuple[Step, ...]
    sensitivities: tuple[Sensitivity, ...]
    findings: tuple[Finding, ...]
    chance: float
    k: int
    manifest: dict[str, Any]

    @property
    def methods(self) -> tuple[str, ...]:
        """The mitigations."""
        # A method with true labels stands beside the method itself, not among the methods.
        return tuple(
            dict.fromkeys(
                s.method for s in self.steps if s.method != PLAIN and not s.method.endswith(TRUE)
            )
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """The two groups."""
        return self.sensitivities[0].groups

    def of(self, analysis: str, method: str) -> list[Step]:
        """The steps of one method in one analysis, by where they stand."""
        return sorted(
            (s for s in self.steps if (s.analysis, s.method) == (analysis, method)),
            key=lambda s: s.at,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            **self.tables(),
            "chance": plain(self.chance),
            "k": self.k,
            "manifest": dict(self.manifest),
        }

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """``steps``, ``sensitivities`` and ``findings``."""
        return {
            name: [plain(asdict(row)) for row in getattr(self, name)]
            for name in ("steps", "sensitivities", "findings")
        }
