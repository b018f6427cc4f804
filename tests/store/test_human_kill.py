"""Killed writers: every acknowledged answer is there, none twice."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

from fairlead.store.human import HumanStore

SCRIPT = Path(__file__).with_name("kill_writers.py")
_spec = importlib.util.spec_from_file_location("kill_writers", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
writers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(writers)


def test_human_store_killed_writers_every_acknowledged_answer_is_there_once(tmp_path, count, bar):
    path, asked = tmp_path / "labels.db", count(12, 200)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(path), str(tmp_path), str(asked), "7"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kills = json.loads(done.stdout)["kills"]
    assert kills >= asked
    assert not list(tmp_path.glob("*.error")), [p.read_text() for p in tmp_path.glob("*.error")]
    acknowledged = {
        answer.id
        for writer in range(writers.WRITERS)
        for number in (tmp_path / f"{writer}.ack").read_text().split()
        for answer in writers.answers_of(writer, int(number))
    }
    with HumanStore(path) as store:
        found = store.answers("gender", history=True)
        assert len(store.versions("gender")) == 1
    ids, pairs = Counter(a.id for a in found), Counter((a.item, a.rater) for a in found)
    lost, twice = acknowledged - set(ids), [i for i, n in (ids + pairs).items() if n > 1]
    assert not lost
    assert not twice
    assert max(
        Counter(a.rater for a in found if a.id not in acknowledged).values(), default=0
    ) <= max(writers.BATCHES)
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    raw.close()
    bar(
        f"kill -9 of four writers, {kills} times: acknowledged answers lost, answers twice",
        f"{len(lost)}, {len(twice)}",
        "0, 0",
    )
    bar("acknowledged answers checked after the kills", f"{len(acknowledged):,}", "all there")
