"""Writers of human labels that are killed: ``python kill_writers.py FILE FOLDER KILLS SEED`` kills
and restarts them, then prints counts.

Four processes write at once. Each writes the id of an answer to its own file only after ``add`` has
returned, and goes on after a kill where its file ends, so that an answer that was stored but not
acknowledged is given again.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from fairlead.store.human import HumanStore
from fairlead.types.answers import Answer, Task

WRITERS = 4
BATCHES = (1, 1, 1, 3, 20)
TIME = datetime(2026, 1, 1, tzinfo=UTC)
TASK = Task("gender", ("female", "male"))
SAID = ("female", "male", "unsure")


def answers_of(writer: int, number: int) -> list[Answer]:
    """The batch of that number: always the same, so that it can be given again."""
    size = BATCHES[number % len(BATCHES)]
    return [
        Answer(
            f"item-{number}-{part}",
            "gender",
            f"rater-{writer}",
            SAID[part % 3],
            TIME,
            f"{writer}/{number}/{part}",
        )
        for part in range(size)
    ]


def write(path: Path, folder: Path, writer: int) -> None:
    """Write until killed; an answer is acknowledged when its batch number stands in the file."""
    acknowledged = folder / f"{writer}.ack"
    done = acknowledged.read_bytes().count(b"\n") if acknowledged.exists() else 0
    acks = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    while True:
        with HumanStore(path, create=True) as store:
            store.define(TASK, TIME)
            for number in range(done, done + 50):
                store.add(answers_of(writer, number))
                os.write(acks, f"{number}\n".encode())
        done += 50


def start(path: Path, folder: Path, writer: int) -> int:
    """A writer as a process of its own."""
    pid = os.fork()
    if pid == 0:
        try:
            write(path, folder, writer)
        except BaseException as error:
            (folder / f"{writer}.error").write_text(repr(error))
        finally:
            os._exit(1)
    return pid


def main(path: Path, folder: Path, kills: int, seed: int) -> None:
    """Kill writers at random times, now and then all four at once."""
    rng = random.Random(seed)
    pids = {writer: start(path, folder, writer) for writer in range(WRITERS)}
    done = 0
    while done < kills:
        time.sleep(rng.expovariate(1 / 0.05))
        chosen = list(pids) if rng.random() < 0.15 else [rng.choice(list(pids))]
        for writer in chosen:
            os.kill(pids[writer], signal.SIGKILL)
        for writer in chosen:
            os.waitpid(pids[writer], 0)
            done += 1
            pids[writer] = start(path, folder, writer)
    for pid in pids.values():
        os.kill(pid, signal.SIGKILL)
    for pid in pids.values():
        os.waitpid(pid, 0)
    sys.stdout.write(json.dumps({"kills": done}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
