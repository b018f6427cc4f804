"""Commands that are killed: ``python kill_commands.py KILLS SEED`` in an empty folder runs several of
each at once, on one output, kills them at random times, and prints how many kills each verb had.

What is there afterwards is whole or not there at all, and one more run gives the same bytes as one
that nobody disturbed. Commands run in forked children, so that a kill falls into their work and not
into the loading of libraries.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from fairlead.cli.main import main

WRITERS = 3
ENCODER = """
import hashlib, time
import numpy as np

class Tiny:
    batch, fingerprint = 4, "tiny"

    def images(self, images):
        time.sleep(0.01)
        return np.stack([np.asarray(i.resize((4, 4)), np.float64).ravel() - 99.5 for i in images])
"""
MODEL = ("--model", "py:tiny:Tiny")
VERBS: dict[str, tuple[tuple[str, ...], str]] = {
    "embed": (("embed", "photos", *MODEL, "-o", "emb"), "emb"),
    "index": (("index", "whole", *MODEL, "--index", "faiss(kind=flat)"), "whole/indexes"),
    "annotate": (
        ("annotate", "photos", "--with", "caption", "--attribute", "gender", "-o", "ann.csv"),
        "ann.csv",
    ),
    "rerank": (
        ("rerank", "run.csv", "--groups", "labels.csv", "--attribute", "gender", "--no-trigger")
        + ("--mitigate", "pbm", "-k", "20", "-o", "out.csv"),
        "out.csv",
    ),
    "audit": (
        ("audit", "--model", "phantom_ideal(dose=0.8)", "--benchmark", "phantom(seeds=1)")
        + ("--attribute", "gender", "--metric", "AbsBias@20", "--out", "aud"),
        "aud",
    ),
    "label import": (
        ("annotate", "human", "import", "labels.db", "answers.csv", "--attribute", "gender")
        + ("--group", "female", "--group", "male"),
        "labels.db",
    ),
}
WHOLE_OR_NOTHING = ("annotate", "rerank", "audit", "label import")


def prepare() -> None:
    """Pictures with captions, a run, labels and answers."""
    rng = np.random.default_rng(0)
    Path("tiny.py").write_text(ENCODER)
    Path("photos").mkdir()
    for n in range(40):
        pixels = rng.integers(0, 256, (8, 8, 3), np.uint8)
        Image.fromarray(pixels).save(f"photos/{n:03}.png")
        Path(f"photos/{n:03}.txt").write_text(("a man", "a woman")[n % 2])
    names = [f"i{n}" for n in range(100)]
    rows = [f"q{q},i{i},{r}" for q in range(40) for r, i in enumerate(rng.permutation(100), 1)]
    Path("run.csv").write_text("\n".join(["query,item,rank", *rows, ""]))
    labels = [f"{n},{('female', 'male')[k % 3 == 0]}" for k, n in enumerate(names)]
    Path("labels.csv").write_text("\n".join(["item,gender", *labels, ""]))
    said = [f"{n},ann,gender,{('female', 'male')[k % 2]},x{k}" for k, n in enumerate(names * 4)]
    Path("answers.csv").write_text("\n".join(["item,rater,attribute,answer,id", *said, ""]))


def child(words: tuple[str, ...], loaded: Path | None = None) -> int:
    """A command as a process of its own; it can note what it has loaded."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(os.open("errors.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644), 2)
        main(list(words))
    except SystemExit as left:
        code = int(left.code or 0)
    finally:
        if loaded is not None:
            loaded.write_text(json.dumps(sorted(sys.modules)))
        os._exit(code)


def run(words: tuple[str, ...], loaded: Path | None = None) -> float:
    """Let a command run to its end; how long it took."""
    start = time.monotonic()
    status = os.waitpid(child(words, loaded), 0)[1]
    assert status == 0, (words, status, Path("errors.log").read_text()[-2_000:])
    return time.monotonic() - start


def content(out: str) -> Any:
    """What is there: bytes by name, without what differs from run to run; None for nothing."""
    place = Path(out)
    if not place.exists():
        return None
    if place.suffix == ".db":
        return answers(place)
    if place.is_file():
        return place.read_bytes()
    files = [p for p in sorted(place.rglob("*")) if p.is_file()]
    found = {
        re.sub(r"\b[0-9a-f]{8}\.", "T.", str(p)): re.sub(rb"\b[0-9a-f]{8}\.", b"T.", p.read_bytes())
        for p in files
    }
    return found | {"files": len(files)}


def answers(place: Path) -> Any:
    from fairlead.store.human import HumanStore

    with HumanStore(place, create=True) as store:
        told = store.answers("gender", history=True)
    assert len({a.id for a in told}) == len(told), "an answer stands twice"
    return [(a.id, a.item, a.rater, a.answer) for a in told] or None


def wipe(out: str) -> None:
    shutil.rmtree(out, ignore_errors=True)
    for file in Path().glob(f"{out}*"):
        if file.is_file():
            file.unlink()


def killed(words: tuple[str, ...], length: float, rng: random.Random) -> int:
    """Several at once, each killed at a time of its own; how many were at work then."""
    ends = [(time.monotonic() + rng.uniform(0, 1.3) * length, child(words)) for _ in range(WRITERS)]
    count = 0
    for end, pid in sorted(ends):
        time.sleep(max(0.0, end - time.monotonic()))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        count += os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    return count


def hidden() -> list[Path]:
    """What was left beside the outputs; a lock holds nothing once its process is dead, and goes
    with the next that needs it.
    """
    return [p for p in Path().glob(".*") if not p.name.endswith("-lock")]


def tried(verb: str, kills: int, rng: random.Random) -> int:
    words, out = VERBS[verb]
    run(words, Path("loaded.json"))
    right = content(out)
    assert right is not None, verb
    for name in json.loads(Path("loaded.json").read_text()):
        with suppress(Exception):
            importlib.import_module(name)
    wipe(out)
    # how long a run takes that loads nothing, and a copy of what is right
    length, count = run(words), 0
    assert content(out) == right, verb
    wipe(out)
    while count < kills:
        count += killed(words, length, rng)
        if verb in WHOLE_OR_NOTHING:
            assert content(out) in (None, right), f"{verb}: half of it is there"
        if rng.random() < 0.3:
            # killed once more, on what the others left
            count += killed(words, length, rng)
        run(words)
        assert content(out) == right, f"{verb}: another result after {count} kills"
        for left in hidden():  # long ago: what is young may be somebody's work
            os.utime(left, (0, 0))
        run(words)
        assert content(out) == right and not hidden(), (verb, hidden())
        wipe(out)
    return count


def work(kills: int, seed: int) -> None:
    """All verbs, one after the other."""
    prepare()
    sys.path.insert(0, os.getcwd())
    run(("embed", "photos", *MODEL, "-o", "whole"))
    done = {
        verb: tried(verb, kills, random.Random(seed))
        for verb in VERBS
        if verb != "index" or importlib.util.find_spec("faiss")
    }
    sys.stdout.write(json.dumps(done))


if __name__ == "__main__":
    work(int(sys.argv[1]), int(sys.argv[2]))
