"""Several commands on one output, killed at random times: nothing lost, nothing half."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("kill_commands.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_commands_killed_with_several_writers_lose_nothing_and_leave_nothing_half(
    tmp_path: Path, count, bar
) -> None:
    asked = count(10, 200)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), str(asked), "5"],
        cwd=tmp_path,
        env=os.environ | {"FAIRLEAD_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    kills = json.loads(done.stdout)
    assert min(kills.values()) >= asked
    for verb, times in kills.items():
        bar(f"{verb}: kill -9 of three writers, then as nobody had disturbed it", f"{times}", "all")
