"""Wrong input, places that cannot be written, and runs that are ended half way, each as a process
of its own.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

AUDIT = ("audit", "--model", "phantom_ideal(dose=0.8)", "--benchmark", "phantom(seeds=8)", "--attribute", "gender", "--metric",
         "AbsBias@20", "--metric", "NDKL@20", "--metric", "nDCG@20", "--mitigate", "pbm")  # fmt: skip
DEMO = ("demo",)
TRAIN = ("train", "phantom", "--kind", "gender", "--steps-factor", "0.2")
TRAINABLE = all(
    importlib.util.find_spec(name) is not None for name in ("torch", "onnx", "onnxscript")
)
needs_torch = pytest.mark.skipif(not TRAINABLE, reason="training needs torch, onnx and onnxscript")
COMMANDS = [
    pytest.param(AUDIT, id="audit"),
    pytest.param(DEMO, id="demo"),
    pytest.param(TRAIN, id="train", marks=needs_torch),
]
PATIENCE = 300.0
"""Seconds until a test gives up: a busy machine is no fault."""


def start(*words: str | Path) -> subprocess.Popen[str]:
    code = "from fairlead.cli.main import main; main()"
    line = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def run(*words: str | Path) -> tuple[int, str]:
    process = start(*words)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out + err


def until(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.005)


def end(process: subprocess.Popen[str], how: signal.Signals) -> int:
    process.send_signal(how)
    process.communicate(timeout=PATIENCE)  # the output ends when no worker is left to write to it
    return process.returncode


def workers(process: subprocess.Popen[str]) -> int:
    """How many processes a process has started, where the system tells; otherwise some."""
    if not Path(f"/proc/{process.pid}/task/{process.pid}/children").exists():
        return 1
    total = 0
    for told in Path(f"/proc/{process.pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            total += len(told.read_text().split())
    return total


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def hidden(folder: Path) -> list[Path]:
    return [p for p in folder.iterdir() if p.name.startswith(".")]


@pytest.mark.parametrize(
    ("model", "accepted"),
    [
        ("phantom(dose=9)", "between 0 (low) and 1 (high)"),
        ("phantom(dose=-0.1)", "between 0 (low) and 1 (high)"),
        ("phantom(dose=strong)", "a number"),
        ("phantom(dose=nan)", "a number"),
        ("phantom(kind=age)", "gender, skin, joint, language, culture"),
        ("phantom(weights=nowhere)", "fairlead train phantom"),
        ("phantom_ideal(dose=-1)", "a dose from 0 on"),
        ("phantom_ideal(kind=age)", "gender, skin, joint"),
        ("phantom_ideal(does=1)", "Did you mean dose?"),
        ("phantm", "phantom"),
    ],
)
def test_unknown_dose_or_kind_is_told_with_what_is_accepted(
    model: str, accepted: str, capsys, tmp_path
) -> None:
    from fairlead.cli.main import main

    with pytest.raises(SystemExit) as left:
        main(
            [
                "audit",
                "--model",
                model,
                "--benchmark",
                "phantom(seeds=2)",
                "--metric",
                "AbsBias@5",
                "--out",
                str(tmp_path / "run"),
            ]
        )
    said = capsys.readouterr().err
    assert left.value.code in (2, 4) and accepted in said and "Traceback" not in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong",
    [
        ("moon",),
        ("phantom", "--kind", "age"),
        ("phantom", "--steps-factor", "0"),
        ("phantom", "--seed", "-1"),
    ],
    ids=" ".join,
)
def test_training_of_what_is_not_known_is_refused(wrong: tuple[str, ...], capsys) -> None:
    from fairlead.cli.main import main

    with pytest.raises(SystemExit) as left:
        main(["train", *wrong])
    said = capsys.readouterr().err
    assert left.value.code == 2
    assert any(words in said for words in ("Invalid value", "no command called 'moon'", " got "))


@pytest.mark.parametrize("command", COMMANDS)
def test_place_that_holds_something_else_or_cannot_be_written_is_refused_at_once(
    command: tuple[str, ...], tmp_path: Path, capsys
) -> None:
    from fairlead.cli.main import main

    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_text("mine")
    (tmp_path / "file").write_text("mine")
    before = contents(tmp_path)
    # a path below a file can be made by nobody, not even by an administrator, who may write to
    # read-only folders
    for place, words in (
        ("photos", "other things in it"),
        ("file", "is a file"),
        ("file/run", "cannot be written"),
    ):
        started = time.monotonic()
        with pytest.raises(SystemExit) as left:
            main([*command, "--out", str(tmp_path / place)])
        assert left.value.code == 2 and words in capsys.readouterr().err
        assert time.monotonic() - started < 30
    assert contents(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may write to read-only folders")
@pytest.mark.parametrize("command", COMMANDS)
def test_read_only_folder_is_refused(command: tuple[str, ...], tmp_path: Path, capsys) -> None:
    from fairlead.cli.main import main

    tmp_path.chmod(0o500)
    try:
        with pytest.raises(SystemExit) as left:
            main([*command, "--out", str(tmp_path / "run")])
        assert left.value.code == 2 and "Permission denied" in capsys.readouterr().err
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("name", ["run.htlm", "run.xlsx"])
def test_audit_into_a_file_of_no_known_format_is_refused(name: str, tmp_path: Path, capsys) -> None:
    from fairlead.cli.main import main

    with pytest.raises(SystemExit) as left:
        main([*AUDIT, "--out", str(tmp_path / name)])
    assert (
        left.value.code == 2
        and "its suffix names no format" in capsys.readouterr().err
        and not list(tmp_path.iterdir())
    )


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", COMMANDS)
def test_interrupted_run_leaves_nothing(
    command: tuple[str, ...], how: signal.Signals, tmp_path: Path
) -> None:
    process = start(*command, "--out", tmp_path / "run")
    until(lambda: hidden(tmp_path))
    time.sleep(0.1)
    assert end(process, how) == 128 + how
    assert not list(tmp_path.iterdir())


def test_killed_audit_shows_nothing_and_the_next_run_gives_the_same(tmp_path: Path, count) -> None:
    (tmp_path / "calm").mkdir()
    assert run(*AUDIT, "--out", tmp_path / "calm" / "run")[0] == 0
    right = contents(tmp_path / "calm" / "run")
    place = tmp_path / "rough" / "run"
    place.parent.mkdir()
    ended = 0
    for turn in range(count(3, 12)):  # while ranking, while measuring, while writing
        process, seen = start(*AUDIT, "--out", place), len(hidden(place.parent))
        until(lambda seen=seen: len(hidden(place.parent)) > seen or place.exists())
        if turn % 3 == 2:
            until(
                lambda process=process: (
                    process.poll() is not None
                    or any(any(p.iterdir()) for p in hidden(place.parent) if p.exists())
                )
            )
        else:
            time.sleep(0.3 * turn)
        if end(process, signal.SIGKILL) == -signal.SIGKILL:
            ended += 1
            assert not place.exists() or contents(place) == right
    assert ended
    for left in hidden(place.parent):  # long ago
        os.utime(left, (0, 0))
    code, said = run(*AUDIT, "--out", place)
    assert code == 0, said
    assert contents(place) == right and not hidden(place.parent)


def test_killed_audit_keeps_the_earlier_result(tmp_path: Path) -> None:
    place = tmp_path / "run"
    assert run(*AUDIT, "--out", place)[0] == 0
    before = contents(place)
    process = start(*AUDIT, "--seed", "1", "--out", place)
    until(lambda: hidden(tmp_path))
    assert end(process, signal.SIGKILL) == -signal.SIGKILL
    assert contents(place) == before


def test_killed_page_keeps_the_earlier_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("earlier")
    process = start(*DEMO, "--out", page)
    until(lambda: hidden(tmp_path))
    assert end(process, signal.SIGKILL) == -signal.SIGKILL
    assert page.read_text() == "earlier"


@needs_torch
def test_killed_training_shows_nothing_and_the_audit_says_so(tmp_path: Path) -> None:
    process = start(*TRAIN, "--out", tmp_path / "mine")
    until(
        lambda: hidden(tmp_path) and workers(process)
    )  # it draws, in several processes that must not outlive it
    time.sleep(0.5)
    assert end(process, signal.SIGKILL) == -signal.SIGKILL
    assert not (tmp_path / "mine").exists()
    code, said = run(
        "audit",
        "--model",
        f"phantom(dose=1,weights='{tmp_path / 'mine'}')",
        "--benchmark",
        "phantom(seeds=2)",
    )
    assert code == 4 and "holds no weights" in said
