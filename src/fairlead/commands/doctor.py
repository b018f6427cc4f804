"""``doctor``: what is installed, where things are kept, and what could leave this machine."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from importlib import metadata

from fairlead import __version__
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.errors import words_of
from fairlead.protocols import Progress, registry
from fairlead.protocols.reach import FILES
from fairlead.results.doctor import CacheFolder, Doctor, ExtraPackages, Outward, Telemetry
from fairlead.store.places import cache_folder
from fairlead.store.telemetry import SWITCHES, is_off

_KINDS = (
    *("encoder", "annotator", "index", "source", "benchmark"),
    *("metric", "reranker", "projection", "training"),
)
"""What somebody can choose; adapters that meet something foreign first."""
_REQUIREMENT = re.compile(r"""(?P<name>[\w.-]+).*?\bextra\s*==\s*["'](?P<extra>[\w-]+)["']""")
_ALL = "all"
"""The extra that is all the others together."""


class DoctorPlan(fields.Plan):
    """Say what is installed, where things are kept, and what could leave this machine.

    It asks nobody. What could reach the network, run code or send credentials does so where you
    name it yourself, or trust a file that does.

    >>> import fairlead
    >>> [one.library for one in fairlead.doctor().telemetry if not one.is_off]
    []
    """


def run(plan: DoctorPlan, progress: Progress | None = None) -> Doctor:
    """What there is on this machine."""
    return Doctor(
        __version__,
        platform.python_version(),
        {"system": platform.platform(), "processors": os.cpu_count()},
        tuple(_extras()),
        _cache(),
        tuple(_outward()),
        tuple(
            Telemetry(library, _version(library), variable, is_off(library))
            for library, (variable, _) in SWITCHES.items()
        ),
    )


doctor = as_function("doctor", DoctorPlan, run)


def _extras() -> Iterator[ExtraPackages]:
    """Every extra, as the installed package lists them."""
    try:
        lines = metadata.requires("fairlead") or ()
    except metadata.PackageNotFoundError:  # run from its sources, without being installed
        lines = ()
    packages: dict[str, dict[str, str | None]] = {}
    for line in lines:
        match = _REQUIREMENT.match(line)
        if match is not None and match["extra"] != _ALL:
            packages.setdefault(match["extra"], {})[match["name"]] = _version(match["name"])
    for name, found in packages.items():
        yield ExtraPackages(name, found)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cache() -> CacheFolder:
    files = total = 0
    folder = cache_folder()
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:  # gone in the meantime: another process is at work there
                continue
            files += 1
    return CacheFolder(str(folder), files, total)


def _outward() -> Iterator[Outward]:
    """Every adapter that declares more than local files, or could not be asked."""
    for kind in _KINDS:
        for name in registry.entries(kind):
            try:
                beyond = registry.declared(kind, name).most - FILES
            # a plug-in may fail in any way when it is imported; that is what is to be told
            except Exception as error:
                yield Outward(kind, name, (), words_of(error))
                continue
            if beyond:
                yield Outward(kind, name, tuple(sorted(beyond)))
