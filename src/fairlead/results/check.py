"""What ``check`` gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular


@dataclass(frozen=True)
class AttributeCheck:
    """One attribute of a run's labels; the shares of the ``withheld`` groups are of so few people
    that tables do not show them.
    """

    attribute: str
    groups: Mapping[str, float]
    coverage: Mapping[str, float]
    queries_without_label: int
    withheld: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CheckResult(Tabular, Shown):
    """The answer of ``check``."""

    attributes: tuple[AttributeCheck, ...]
    manifest: Mapping[str, Any]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know."""
        return tuple(self.manifest.get("warnings", ()))

    def below(self, coverage: float) -> list[str]:
        """The attributes whose labelled share of the run is below ``coverage``."""
        # An item that an attribute does not apply to was looked at as well: it is not unlabelled.
        return [
            a.attribute
            for a in self.attributes
            if a.coverage["known"] + a.coverage["not_applicable"] < coverage
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        # Nothing is withheld here: JSON is for those who hold the labels anyway.
        rows = [
            {
                "attribute": a.attribute,
                "groups": dict(a.groups),
                "coverage": dict(a.coverage),
                "queries_without_label": a.queries_without_label,
            }
            for a in self.attributes
        ]
        return {
            "run": self.manifest["run"],
            "attributes": rows,
            "warnings": list(self.warnings),
            "manifest": dict(self.manifest),
        }

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``attributes``."""
        return {"attributes": self.to_dict()["attributes"]}
