"""Nothing phones home: no look-up and no connection goes unseen by the kernel's own trace, and no
file is left outside the cache.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead.store.telemetry import SWITCHES, switch_off

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
LASTING = 30 if FULL else 0
"""Seconds for which a process is watched at least: libraries report some time after they load."""
traced = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
OUTWARD = re.compile(r"sa_family=AF_INET6?\b.*?sin6?_port=htons\((\d+)\)")
LOCAL = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"')
STAYING = f"""
import sys, time
started = time.monotonic()
from fairlead.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    code = left.code
time.sleep(max(0.0, {LASTING} - (time.monotonic() - started)))
sys.exit(code)
"""


def watched(words: list[str], home: Path, work: Path) -> tuple[list[str], list[str], int]:
    """What a command asked the network for, the files it left outside its cache, and its code."""
    trace, temporary = home.parent / f"{home.name}.trace", home.parent / f"{home.name}-tmp"
    home.mkdir(exist_ok=True)
    temporary.mkdir(exist_ok=True)
    kept = {k: v for k, v in os.environ.items() if k not in {s for s, _ in SWITCHES.values()}}
    # Some libraries are silent where they believe to be under test.
    kept = {k: v for k, v in kept.items() if k != "CI" and "PYTEST" not in k}
    command = ["strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg"]
    done = subprocess.run(
        [*command, "-o", str(trace), sys.executable, "-c", STAYING, *words],
        cwd=work,
        env={**kept, "HOME": str(home), "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    calls = [
        line
        for line in trace.read_text("utf-8", "replace").splitlines()
        if OUTWARD.search(line) and not LOCAL.search(line)
    ]
    cache = home / ".cache" / "fairlead"
    every = [*home.rglob("*"), *temporary.rglob("*")]
    left = [str(one) for one in every if one.is_file() and cache not in one.parents]
    return calls, left, done.returncode


COMMANDS = [
    ["audit", "--model", "phantom(dose=1)", "--benchmark", "phantom(seeds=1)", "--mitigate", "pbm"],
    ["search", "a photo of a judge", "--collection", "phantom(seeds=1)", "--mitigate", "pbm"],
    ["demo"],
    ["list"],
    ["frontier", "--repeats", "2"],
    ["calibrate", "--quick"],
    ["trigger", "female CEO"],
]


@traced
@pytest.mark.parametrize("words", COMMANDS[: len(COMMANDS) if FULL else 2], ids=lambda w: w[0])
def test_command_asks_nobody_and_leaves_nothing_outside_its_cache(words, tmp_path):
    calls, left, code = watched(words, tmp_path / "home", tmp_path)
    assert code == 0
    assert calls == []
    assert left == []


@traced
def test_watching_sees_a_library_that_reports(tmp_path):
    """The trace is no empty proof: a look-up that a program asks for is in it."""
    trace = tmp_path / "trace"
    code = "import socket; socket.socket(2, 2).connect(('192.0.2.1', 53))"
    command = ["strace", "-f", "-qq", "-e", "trace=connect", "-o", str(trace)]
    subprocess.run([*command, sys.executable, "-c", code], check=True)
    assert [line for line in trace.read_text().splitlines() if OUTWARD.search(line)]


def test_switches_are_set_on_import_and_left_where_the_user_chose(monkeypatch):
    for variable, _ in SWITCHES.values():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "0")
    switch_off()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == "0"


def test_onnxruntime_is_loaded_in_one_module():
    source = Path(__file__).parents[2] / "src" / "fairlead"
    loading = re.compile(r"^\s*(?:import onnxruntime|from onnxruntime)", re.MULTILINE)
    places = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if loading.search(path.read_text("utf-8"))
    }
    assert places == {"encoders/onnx_sessions.py"}
