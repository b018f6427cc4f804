"""Old and new in one run: the same benches on other sources, one bench at a time and in turns, so
that a busy machine harms both alike.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

TOLERANCE = 0.9
"""Ratios of two runs of the same sources differ by up to a tenth."""


def both(old: Path, names: Sequence[str], full: bool) -> Iterator[dict[str, Any]]:
    """The rows of both, joined by what was measured; a row that one lacks has None there."""
    new = Path(__file__).parents[1] / "src"
    for name in names:
        before, after = figures(old, name, full), figures(new, name, full)
        for what, figure in after.items():
            yield {"what": what, "old": before.get(what), "new": figure}
        yield from (
            {"what": what, "old": figure, "new": None}
            for what, figure in before.items()
            if what not in after
        )


def figures(sources: Path, name: str, full: bool) -> dict[str, dict[str, Any]]:
    """The figures of one bench, in a process of its own that imports these sources; where they are
    too old for this bench, those of the bench that lies beside them.
    """
    beside = sources.resolve().parent / "benchmarks" / "run.py"
    for script in (Path(__file__).with_name("run.py"), beside):
        if script.exists() and (rows := _measured(script, sources, name, full)):
            return rows
    print(f"{name} did not run on {sources}.", file=sys.stderr)
    return {}


def _measured(script: Path, sources: Path, name: str, full: bool) -> dict[str, dict[str, Any]]:
    """What one script of benches reads on some sources; nothing where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures.json"
        command = [sys.executable, str(script), "--only", name]
        command += ["--json", str(out), *(["--full"] if full else [])]
        environment = os.environ | {"PYTHONPATH": str(sources.resolve())}
        subprocess.run(command, env=environment, capture_output=True, check=False)
        if not out.exists():
            return {}
        rows = json.loads(out.read_text())["figures"]
    return {f"{row['what']} / {row['peer']}": row for row in rows}


def table(rows: Iterator[dict[str, Any]]) -> Table:
    view = Table(title="Old and new, in one run", title_justify="left", box=None, pad_edge=False)
    for column in ("what / peer", "old", "new", "old/new", "old ratio", "new ratio", ""):
        view.add_column(column, justify="left" if "what" in column else "right", overflow="fold")
    for row in rows:
        old, new = row["old"], row["new"]
        ratios = [None if side is None else side["ratio"] for side in (old, new)]
        fell = None not in ratios and ratios[1] < TOLERANCE * ratios[0]
        gain = "" if old is None or new is None else f"{old['ours'] / new['ours']:.2f}x"
        amounts = [
            "" if side is None else f"{side['ours']:,.4g} {side['unit']}" for side in (old, new)
        ]
        shown = ["" if ratio is None else f"{ratio:.3g}x" for ratio in ratios]
        view.add_row(row["what"], *amounts, gain, *shown, "[red]fell[/red]" if fell else "")
    return view
