"""Look at files before measuring: what they hold, how much is labelled, what cannot work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.evidence import Evidence
from fairlead.report.tabular import Tabular
from fairlead.statistics.cells import hidden


@dataclass(frozen=True)
class AttributeCheck:
    """One attribute of a run's labels; the shares of the ``withheld`` groups are of so few people that tables do not show them."""

    attribute: str
    groups: Mapping[str, float]
    coverage: Mapping[str, float]
    queries_without_label: int
    withheld: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CheckResult(Tabular):
    """The answer of ``check``."""

    attributes: tuple[AttributeCheck, ...]
    manifest: Mapping[str, Any]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know."""
        return tuple(self.manifest.get("warnings", ()))

    def below(self, coverage: float) -> list[str]:
        """The attributes whose labelled share of the run is below ``coverage``."""
        return [a.attribute for a in self.attributes if a.coverage["known"] + a.coverage["not_applicable"] < coverage]

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        rows = [
            {
                "attribute": a.attribute,
                "groups": dict(a.groups),
                "coverage": dict(a.coverage),
                "queries_without_label": a.queries_without_label,
            }
            for a in self.attributes
        ]
        return {"run": self.manifest["run"], "attributes": rows, "warnings": list(self.warnings), "manifest": dict(self.manifest)}

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``attributes``."""
        return {"attributes": self.to_dict()["attributes"]}

    def _repr_html_(self) -> str:
        from fairlead.report.notebook import preformatted

        return preformatted(str(self))

    def __str__(self) -> str:
        from fairlead.report.files import check_view
        from fairlead.report.terminal import as_text

        return as_text(check_view(self))


def inspect(evidence: Evidence, coverage: Mapping[str, Mapping[str, float]], manifest: Mapping[str, Any]) -> CheckResult:
    """What the labels hold, attribute by attribute."""
    least = int(manifest["plan"]["least"])
    return CheckResult(tuple(_attribute(evidence.on(name), name, coverage[name], least) for name in evidence.attributes), manifest)


def _attribute(evidence: Evidence, name: str, coverage: Mapping[str, float], least: int) -> AttributeCheck:
    labels = evidence.labels
    mass, _ = labels.mass()
    known = labels.share.sum(1) if labels.codes is None else (labels.codes >= 0).astype(float)
    per_query = np.bincount(evidence.ranking.query_of, known, len(evidence))
    total = max(float(mass.sum()), 1e-300)
    shares = {group: float(m / total) for group, m in zip(labels.names, mass, strict=True)}
    once = np.unique(evidence.ranking.rows, return_index=True)[1]
    few = hidden(labels.take(once).mass()[0], least) if len(labels.names) > 1 else np.zeros(1, np.bool_)
    return AttributeCheck(
        name, shares, coverage, int((per_query == 0).sum()), frozenset(n for n, low in zip(labels.names, few, strict=True) if low)
    )
