"""What ``doctor`` gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular


@dataclass(frozen=True)
class ExtraPackages:
    """An extra: its packages with their versions, None where one is not installed."""

    name: str
    packages: Mapping[str, str | None]

    @property
    def missing(self) -> tuple[str, ...]:
        """The packages that are not there."""
        return tuple(name for name, version in self.packages.items() if version is None)


@dataclass(frozen=True)
class Outward:
    """An adapter that reaches more than local files: its kind and name, and what.

    ``fault`` says why one could not be asked.
    """

    kind: str
    name: str
    reaches: tuple[str, ...]
    fault: str = ""


@dataclass(frozen=True)
class Telemetry:
    """A library that reports where it may, its version, None where it is not installed, the
    variable that tells it not to, and whether it is told so.
    """

    library: str
    version: str | None
    variable: str
    is_off: bool


@dataclass(frozen=True)
class CacheFolder:
    """Where fairlead keeps things between runs, and how much there is."""

    path: str
    files: int
    bytes: int


@dataclass(frozen=True)
class Doctor(Tabular, Shown):
    """The answer of ``doctor``.

    Attributes:
        version: Of fairlead.
        python: Its version.
        machine: The system, and how many processors it has.
        extras: Every extra.
        cache: What is kept between runs.
        outward: What could reach the network, run code or send credentials, where it is asked to.
        telemetry: What is switched off.
    """

    version: str
    python: str
    machine: Mapping[str, Any]
    extras: tuple[ExtraPackages, ...]
    cache: CacheFolder
    outward: tuple[Outward, ...]
    telemetry: tuple[Telemetry, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "version": self.version,
            "python": self.python,
            "machine": dict(self.machine),
            "extras": [
                {"name": one.name, "packages": dict(one.packages), "missing": list(one.missing)}
                for one in self.extras
            ],
            "cache": vars(self.cache),
            "outward": [{**vars(one), "reaches": list(one.reaches)} for one in self.outward],
            "telemetry": [vars(one) for one in self.telemetry],
        }

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``outward``, ``telemetry`` and ``extras``, a row for each package."""
        packages = [
            {"extra": one.name, "package": name, "version": version}
            for one in self.extras
            for name, version in one.packages.items()
        ]
        outward = [{**vars(one), "reaches": ", ".join(one.reaches)} for one in self.outward]
        return {
            "outward": outward,
            "telemetry": [vars(one) for one in self.telemetry],
            "extras": packages,
        }
