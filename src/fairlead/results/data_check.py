"""What ``check`` gives of one's own data: every fault with its file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular


@dataclass(frozen=True)
class DataFault:
    """What is wrong with a file.

    Attributes:
        file: Its name.
        line: The line; None where it is the file as a whole.
        message: What is wrong.
        hint: What is accepted, or what to do.
        grave: Whether nothing can be measured before it is mended.
    """

    file: str
    line: int | None
    message: str
    hint: str
    grave: bool


@dataclass(frozen=True)
class DataCheck(Tabular, Shown):
    """Everything that is wrong with data of one's own, grave faults first; and what they hold.

    Attributes:
        faults: What is wrong.
        manifest: How the check came about.
        holds: How many items and queries there are.
        coverage: Shares of the items by attribute: known, unknown, not applicable. Empty where
            something grave is wrong.
    """

    faults: tuple[DataFault, ...]
    manifest: Mapping[str, Any]
    holds: Mapping[str, int] = field(default_factory=dict)
    coverage: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def grave(self) -> tuple[DataFault, ...]:
        """The faults that stop an audit."""
        return tuple(fault for fault in self.faults if fault.grave)

    def below(self, coverage: float) -> list[str]:
        """The attributes of which less is known, and the files that cannot be measured at all."""
        # Asked like CheckResult, so that a door fails alike for a run and for data of one's own.
        files = dict.fromkeys(fault.file for fault in self.grave)
        low = [
            name
            for name, shares in self.coverage.items()
            if shares["known"] + shares["not_applicable"] < coverage
        ]
        return [*files, *low]

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "faults": [asdict(fault) for fault in self.faults],
            "holds": dict(self.holds),
            "coverage": {name: dict(shares) for name, shares in self.coverage.items()},
            "manifest": dict(self.manifest),
        }

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``faults``."""
        return {"faults": self.to_dict()["faults"]}
