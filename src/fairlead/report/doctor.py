"""What ``doctor`` found, in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.terminal import dim, spaced, table
from fairlead.words.counts import counted

if TYPE_CHECKING:
    from fairlead.results.doctor import Outward, Telemetry

_MEGA = 1_000_000


def doctor_view(found: Any) -> RenderableType:
    """Versions, extras, the cache, what could reach out, and what is switched off."""
    return Group(*spaced([_head(found), _extras(found), _outward(found), _telemetry(found)]))


def _head(found: Any) -> Text:
    machine, cache = found.machine, found.cache
    size = f"{counted(cache.files, 'file')}, {cache.bytes / _MEGA:,.1f} MB"
    lines = (
        f"fairlead {found.version}, Python {found.python}",
        f"{machine['system']}, {counted(machine['processors'] or 1, 'processor')}",
        f"Kept between runs: {cache.path} ({size})",
    )
    return Text("\n".join(lines))


def _extras(found: Any) -> RenderableType:
    view = table("Extras", (("extra", "left"), ("", "left"), ("packages", "left")))
    for one in found.extras:
        state = "installed"
        if one.missing:
            state = "missing"
        listed = [f"{name} {version or '(missing)'}" for name, version in one.packages.items()]
        view.add_row(one.name, state, ", ".join(listed))
    return view


def _outward(found: Any) -> RenderableType:
    view = table(
        "What could leave this machine", (("kind", "left"), ("name", "left"), ("reaches", "left"))
    )
    for one in found.outward:
        view.add_row(one.kind, one.name, _reached(one))
    return Group(view, *dim("Only where you name it yourself, or trust a file that does."))


def _reached(one: Outward) -> str:
    if one.fault:
        return f"unknown: {one.fault}"
    return ", ".join(one.reaches)


def _telemetry(found: Any) -> Text:
    return Text("\n".join(["Telemetry of other libraries", *_switches(found.telemetry)]))


def _switches(every: tuple[Telemetry, ...]) -> Iterator[str]:
    for one in every:
        state = f"switched off ({one.variable})"
        if not one.is_off:
            state = f"NOT switched off: {one.variable} is set otherwise"
        version = one.version or "not installed"
        yield f"  {one.library} {version}: {state}"
