"""What a bench gives: figures. How they are taken: process CPU time, the best of some runs; memory
in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Unit = Literal["s", "ms", "MB", ""]


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Attributes:
        what: What was measured.
        ours: Our figure, in ``unit``.
        unit: Seconds, milliseconds or megabytes.
        peer: Who is compared with.
        theirs: The peer's figure, in the same unit.
        bar: What is asked: ``>= 300x``, ``< 3 s``; empty where nothing is.
        met: Whether the bar is met; None without one.
        note: What a reader must know.
    """

    what: str
    ours: float
    unit: Unit = "s"
    peer: str = ""
    theirs: float | None = None
    bar: str = ""
    met: bool | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times less we need."""
        return None if self.theirs is None else self.theirs / self.ours


def against(
    what: str,
    ours: float,
    peer: str,
    theirs: float,
    *,
    unit: Unit = "s",
    least: float | None = None,
    agree: bool = True,
    note: str = "",
) -> Figure:
    """A figure held against a peer's; the bar is a least ratio, and the values must agree."""
    bar = "" if least is None else f">= {least:g}x"
    return Figure(
        what,
        ours,
        unit,
        peer,
        theirs,
        bar,
        None if least is None else bool(theirs / ours >= least and agree),
        note,
    )


def below(what: str, ours: float, most: float, unit: Unit, *, note: str = "") -> Figure:
    """A figure held against a limit."""
    return Figure(what, ours, unit, bar=f"< {most:g} {unit}", met=bool(ours < most), note=note)


def best(function: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The least process CPU time of some runs, in seconds, and the last result."""
    least, result = float("inf"), None
    for _ in range(times):
        start = time.process_time()
        result = function()
        least = min(least, time.process_time() - start)
    return least, result


@dataclass(frozen=True)
class Child:
    """What a process of its own needed: peak memory, CPU and wall time; and what it answered."""

    peak_mb: float
    cpu_s: float
    wall_s: float
    answer: Any


def child(target: str, *args: str, out: Path | None = None) -> Child:
    """Run ``fairlead`` with arguments, or ``module:function``, in a process of its own; standard
    output goes to ``out`` or is dropped.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            sys.executable,
            str(Path(__file__).with_name("child.py")),
            str(report),
            target,
            *args,
        ]
        with (out or Path(os.devnull)).open("wb") as stream:
            done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise RuntimeError(
                f"{target} {' '.join(args)} left with {done.returncode}: {done.stderr.decode()[-2000:]}"
            )
        return Child(**json.loads(report.read_text()))
