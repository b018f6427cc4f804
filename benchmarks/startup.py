"""What it costs to begin: ``import fairlead``, ``fairlead --help``, and with ``--full`` the size of
a base install.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, below

ROOT = Path(__file__).parent.parent
HEAVY = "import fairlead, sys; print(' '.join(m for m in ('torch', 'pandas', 'scipy.stats', 'scipy.optimize', 'pyarrow') if m in sys.modules))"


def bench(full: bool) -> Iterator[Figure]:
    bare = least([sys.executable, "-c", "pass"])
    loaded = subprocess.run(
        [sys.executable, "-c", HEAVY], capture_output=True, text=True, check=True
    ).stdout.split()
    spent = least([sys.executable, "-c", "import fairlead"])
    note = f"above {bare:.3f} s of Python itself; loads {', '.join(loaded) or 'none of torch, pandas, scipy, pyarrow'}"
    yield Figure("import fairlead", spent - bare, "s", note=note)
    script = [str(Path(sys.executable).with_name("fairlead")), "--help"]
    yield below(
        "fairlead --help",
        least(script),
        0.3,
        "s",
        note="CPU of the whole process, files in the cache",
    )
    if full:
        yield below(
            "base install", installed(), 500, "MB", note="wheel and all it needs, without extras"
        )


def least(command: list[str], times: int = 7) -> float:
    """The least CPU seconds of a process, of some runs."""
    spent = []
    for _ in range(times):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        spent.append(usage.ru_utime + usage.ru_stime)
    return min(spent)


def installed() -> float:
    """Megabytes that a wheel of this tree and its dependencies add to an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        place, wheels = Path(folder) / "venv", Path(folder) / "wheels"
        venv.create(place, with_pip=True)
        before = size(place)
        quietly(
            [
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "--no-deps",
                "--wheel-dir",
                str(wheels),
                str(ROOT),
            ]
        )
        quietly(
            [str(place / "bin" / "python"), "-m", "pip", "install", *map(str, wheels.glob("*.whl"))]
        )
        return (size(place) - before) / 1e6


def quietly(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


def size(folder: Path) -> int:
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and not f.is_symlink())
