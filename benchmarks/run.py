"""Speed as ratios against peers: ``make bench``, or ``python benchmarks/run.py [--full] [--only
NAME ...] [--json FILE] [--strict] [--against SOURCES]``.

Times are process CPU times on one thread, ours and the peer's in the same process, the best of some
runs; no absolute time is asserted.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import warnings
from dataclasses import asdict
from pathlib import Path

import versus
from figures import Figure
from rich.console import Console
from rich.table import Table

BENCHES = (
    "startup",
    "nulls",
    "big_run",
    "big_audit",
    "ndkl",
    "growth",
    "mitigator",
    "rerankers",
    "relevance",
    "sispi",
    "embedding",
    "indexes",
    "searching",
)
"""Those that measure memory in processes of their own come first."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed as ratios against peers.")
    parser.add_argument(
        "--full",
        action="store_true",
        help="10 million lines, 1 million vectors, ranx at full depth, the size of an install",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=BENCHES,
        default=BENCHES,
        metavar="NAME",
        help=", ".join(BENCHES),
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="SOURCES",
        help="also measure an older src folder, with these very files, and print both",
    )
    parser.add_argument("--strict", action="store_true", help="leave with 1 if a bar is missed")
    args = parser.parse_args()
    os.environ |= {
        f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")
    }  # before anything counts
    warnings.simplefilter("ignore")  # the peers' own
    console = Console(width=None if sys.stdout.isatty() else 170)
    if args.against is not None:
        console.print(versus.table(versus.both(args.against, args.only, args.full)))
        return 0
    figures: list[Figure] = []
    for name in args.only:
        console.print(f"[dim]{name} …[/dim]")
        try:
            figures.extend(importlib.import_module(name).bench(args.full))
        except ImportError as error:
            console.print(f"[yellow]{name} is left out: {error}[/yellow]")
    console.print(table(figures))
    if args.json:
        machine = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "full": args.full,
        }
        args.json.write_text(
            json.dumps(
                {**machine, "figures": [{**asdict(f), "ratio": f.ratio} for f in figures]}, indent=1
            )
        )
    missed = [f.what for f in figures if f.met is False]
    console.print(
        f"{sum(f.met is True for f in figures)} bars met, {len(missed)} missed"
        + "".join(f"\n  {what}" for what in missed)
    )
    return 1 if args.strict and missed else 0


def table(figures: list[Figure]) -> Table:
    view = Table(
        title="Process CPU time, one thread, best of some runs",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for column in ("what", "ours", "peer", "theirs", "ratio", "bar", "verdict", "note"):
        view.add_column(
            column,
            justify="right" if column in ("ours", "theirs", "ratio") else "left",
            overflow="fold",
        )
    for f in figures:
        verdict = (
            ""
            if f.met is None
            else "[green]met[/green]"
            if f.met
            else "[bold red]missed[/bold red]"
        )
        ratio = (
            "" if f.ratio is None else f"{f.ratio:,.0f}x" if f.ratio >= 10 else f"{f.ratio:.1f}x"
        )
        view.add_row(
            f.what,
            amount(f.ours, f.unit),
            f.peer,
            "" if f.theirs is None else amount(f.theirs, f.unit),
            ratio,
            f.bar,
            verdict,
            f.note,
        )
    return view


def amount(value: float, unit: str) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f} {unit}"


if __name__ == "__main__":
    sys.exit(main())
