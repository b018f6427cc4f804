"""Killed with SIGKILL: at random times, and at every step that reaches the disk. The next run ends
in the same bytes, all of them.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
SLOW = """
    import time
    import numpy as np

    class Slow:
        batch = 4
        fingerprint = "slow"

        def images(self, images):
            time.sleep(0.04)
            return np.stack([np.asarray(i.resize((4, 4)), np.float64).ravel() - 99.5 for i in images])
    """


def embedding(folder: Path, out: str) -> list[str]:
    return [*COMMAND, "embed", str(folder), "--model", "py:slow:Slow", "-o", out]


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def kill(command: list[str], folder: Path, after: float) -> bool:
    """Kill a run some seconds after it took its lock, or before it could (negative); whether it was
    still running.
    """
    lock = folder / f".{command[-1]}.fairlead-lock"
    lock.unlink(missing_ok=True)
    child = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while after > 0 and child.poll() is None and not lock.exists():
        time.sleep(0.005)
    time.sleep(abs(after))
    child.send_signal(signal.SIGKILL)
    return child.wait() == -signal.SIGKILL


def left_over(folder: Path) -> list[str]:
    return [p.name for p in folder.glob(".*")]


def test_killed_at_random_times_the_next_run_ends_in_the_same_bytes(
    tmp_path, photos, files, count, bar
):
    """A real process, killed one to three times, then let run; every other time the source changes
    before the first run.
    """
    points = count(4, 50)
    size = count(60, 120)
    folder, rng = photos(size), random.Random(4)
    (folder / "0050-empty.jpg").write_bytes(b"")
    shutil.copy(folder / "0007.jpg", folder / "0040-twin.jpg")
    (tmp_path / "slow.py").write_text(textwrap.dedent(SLOW))
    run(embedding(folder, "whole"), tmp_path)
    length = 1.5 * size / 4 * 0.04  # seconds that a run spends in its encoder
    shutil.copytree(tmp_path / "whole", tmp_path / "before")
    for name in ("0003.jpg", "0044.png"):
        (folder / name).unlink()
    (folder / "0005.jpg").rename(folder / "renamed.jpg")
    photos(size // 2, first=size)
    shutil.copytree(tmp_path / "before", tmp_path / "changed")
    run(embedding(folder, "changed"), tmp_path)
    run(embedding(folder, "fresh"), tmp_path)
    found = {"fresh": files(tmp_path / "fresh"), "changed": files(tmp_path / "changed")}
    assert (
        found["fresh"]["items.jsonl"].count(b'"content"')
        == found["changed"]["items.jsonl"].count(b'"content"')
        == size + size // 2 - 2
    )

    kills, partly = 0, 0
    for point in range(points):
        kind = ("fresh", "changed")[point % 2]
        out, killed = f"out-{point}", 0
        while not killed:  # one that was done before its kill came does not count
            shutil.rmtree(tmp_path / out, ignore_errors=True)
            if kind == "changed":
                shutil.copytree(tmp_path / "before", tmp_path / out)
            for _ in range(rng.randint(1, count(2, 3))):
                killed += kill(embedding(folder, out), tmp_path, rng.uniform(-0.2, 1.1) * length)
        kills += killed
        journal = tmp_path / out / "items.jsonl"
        partly += (
            journal.exists()
            and b'"commit"' in journal.read_bytes()
            and files(tmp_path / out) != found[kind]
        )
        run(embedding(folder, out), tmp_path)
        assert files(tmp_path / out) == found[kind], f"kill point {point} ({kind})"
        assert left_over(tmp_path) == []
        shutil.rmtree(tmp_path / out)
    figure = f"{points} of {points} ({kills} kills, {partly} with work done)"
    bar("SIGKILL at random times, then continued: byte-identical", figure, "50 of 50")


FAULTS = """
    # Runs the command in forked children that kill themselves before the n-th step that reaches the
    # disk.
    import itertools, json, os, shutil, signal, sys
    from pathlib import Path
    import numpy as np
    import pyarrow, pyarrow.parquet, PIL.Image
    from fairlead.engine import galleries
    from fairlead.engine import pictures as seeing
    from fairlead.protocols import Capabilities
    from fairlead.store import embedding
    from fairlead.types import Embeddings

    folder, before, every = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

    class Quick:
        name, fingerprint = "quick", "quick"

        def capabilities(self):
            return Capabilities(batch=4)

        def texts(self, texts, role): ...

        def images(self, images, role):
            return Embeddings(np.stack([np.asarray(i.resize((4, 4)), np.float32).ravel() for i in images]))

    class Clock:  # every commit reaches the disk at once
        monotonic = staticmethod(itertools.count(0, 10).__next__)

    def faulty(name, real, left):
        def step(*args, **more):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)
        return step

    def child(out, at):
        pid = os.fork()
        if pid:
            return os.waitpid(pid, 0)[1]
        embedding.time, left = Clock, [at]
        os.fsync = lambda file: None  # the power stays on, only the process dies
        for name in ("fsync", "replace", "mkdir", "unlink"):
            setattr(os, name, faulty(name, getattr(os, name), left))
        shutil.rmtree = faulty("rmtree", shutil.rmtree, left)
        galleries.embed(folder, Quick(), out, workers=1)
        os._exit(0)

    def content(out):
        return {p.name: p.read_bytes() for p in sorted(Path(out).iterdir())}

    def begin(out):
        shutil.rmtree(out, ignore_errors=True)
        if before != "-":
            shutil.copytree(before, out)

    seeing.open_image(sorted(folder.iterdir())[0], Quick())  # imports, once for all children
    begin("whole")
    assert child("whole", 0) == 0
    expected, points = content("whole"), 0
    for at in itertools.count(1):
        if at % every and at > 3:
            continue
        begin("out")
        status = child("out", at)
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL, status
        points += 1
        if at % 2:  # and once more, early in the second run
            child("out", 1 + at % 7)
        assert child("out", 0) == 0
        found = content("out")
        assert found == expected, f"killed at step {at}: {[n for n in found | expected if found.get(n) != expected.get(n)]}"
        left = [p.name for p in Path(".").glob(".*")]
        assert not left, left
    print(json.dumps(points))
    """


@pytest.mark.parametrize("kind", ["fresh", "added", "changed"])
def test_killed_at_every_step_that_reaches_the_disk_the_next_run_ends_in_the_same_bytes(
    tmp_path, photos, count, bar, kind
):
    folder = photos(22)
    (tmp_path / "faults.py").write_text(textwrap.dedent(FAULTS))
    script = [sys.executable, "-W", "ignore", "faults.py", str(folder)]

    def points(before: str, every: int) -> int:
        done = subprocess.run(
            [*script, before, str(every)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return int(done.stdout)

    if kind != "fresh":
        assert points("-", 10_000) > 0
        shutil.copytree(tmp_path / "whole", tmp_path / "before")
        photos(9, first=22)
    if kind == "changed":
        (folder / "0003.jpg").unlink()
        (folder / "0004.png").rename(folder / "renamed.png")
    found = points("before" if kind != "fresh" else "-", count(7, 1))
    assert found >= 4
    bar(
        f"SIGKILL at every step that reaches the disk ({kind} source): byte-identical",
        f"{found} of {found} points",
        "all",
    )


def test_two_processes_into_one_folder_the_second_waits_and_says_for_whom(tmp_path, photos):
    (tmp_path / "slow.py").write_text(textwrap.dedent(SLOW).replace("0.04", "9"))
    first = subprocess.Popen(
        embedding(photos(60), "out"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        lock = tmp_path / ".out.fairlead-lock"
        until = time.monotonic() + 30
        while not (lock.exists() and lock.read_text()) and time.monotonic() < until:
            time.sleep(0.04)
        done = subprocess.run(
            embedding(tmp_path / "photos", "out"),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=os.environ | {"FAIRLEAD_WAIT": "1.5"},
        )
        told = f"Another process ({first.pid}) is embedding into out"
        assert done.returncode == 6
        assert f"{told}; waiting for it." in done.stderr
        assert f"{told}, and was waited for 1.5 s" in done.stderr
    finally:
        first.kill()
        first.wait()
    (tmp_path / "slow.py").write_text(textwrap.dedent(SLOW))
    run(embedding(tmp_path / "photos", "out"), tmp_path)
    assert left_over(tmp_path) == []
