"""A process of its own: runs ``fairlead`` or ``module:function`` and writes what that needed.
``child.py REPORT TARGET ARGS...``.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path


def peak_mb() -> float:
    """Peak resident memory of this process, files that are mapped included. The kernel's own mark where there is one: ru_maxrss may
    include the parent's.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return (
            next(
                int(line.split()[1])
                for line in status.read_text().splitlines()
                if line.startswith("VmHWM")
            )
            / 1e3
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e6 if sys.platform == "darwin" else 1e3
    )


def main() -> None:
    report, target, *args = sys.argv[1:]
    start, answer, code = time.perf_counter(), None, 0
    if target == "fairlead":
        from fairlead.cli.main import main as fairlead

        try:
            fairlead(args)
        except SystemExit as left:
            code = int(left.code or 0)
    else:
        module, _, name = target.partition(":")
        answer = getattr(importlib.import_module(module), name)(*args)
    figures = {
        "peak_mb": peak_mb(),
        "cpu_s": time.process_time(),
        "wall_s": time.perf_counter() - start,
        "answer": answer,
    }
    Path(report).write_text(json.dumps(figures))
    sys.exit(code)


if __name__ == "__main__":
    main()
