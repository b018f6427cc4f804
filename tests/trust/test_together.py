"""Many at once on a collection that nobody has opened before: one does the work, the others wait
for it, and all answer the same.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

INDEX = "exact"
if importlib.util.find_spec("faiss") is not None:
    INDEX = "faiss(kind=flat)"
ENCODER = """
    import hashlib, os, time
    from pathlib import Path
    import numpy as np

    class Tiny:
        batch = 4
        fingerprint = "tiny"

        def images(self, images):
            time.sleep(0.2)  # so that the others come while it works
            with Path("encoded.log").open("a") as log:
                log.write(f"{os.getpid()} {len(images)}\\n")
            return np.stack([np.asarray(i.resize((4, 4)), np.float64).ravel() - 99.5 for i in images])

        def texts(self, texts):
            seeds = [hashlib.sha256(t.encode()).digest() for t in texts]
            return np.stack([np.resize(np.frombuffer(s, np.uint8), 48) - 127.0 for s in seeds])
    """
ASKER = """
    import json, sys, time
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path
    import fairlead
    fairlead.search, fairlead.FairleadError  # loaded before the start

    def ask(number):
        found = fairlead.search("a nurse", "a cook", collection="photos", model="py:tiny:Tiny",
                                index=sys.argv[1], k=9)
        return [[(i.id, i.score) for i in one.variants[0].items] for one in found.results]

    count = int(sys.argv[2])
    Path(f"ready-{sys.argv[3]}").touch()
    while not Path("go").exists():
        time.sleep(0.002)
    with ThreadPoolExecutor(count) as pool:
        for answer in pool.map(ask, range(count)):
            print(json.dumps(answer))
    """


def photos(folder: Path, number: int) -> None:
    folder.mkdir()
    for name in range(number):
        pixels = np.random.default_rng(name).integers(0, 256, (8, 8, 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"{name:03}.png")


def test_many_first_uses_at_once_all_answer_the_same(tmp_path: Path, count, bar) -> None:
    processes, threads, size = count(6, 64), count(8, 16), 24
    photos(tmp_path / "photos", size)
    (tmp_path / "tiny.py").write_text(textwrap.dedent(ENCODER))
    (tmp_path / "ask.py").write_text(textwrap.dedent(ASKER))
    env = os.environ | {"FAIRLEAD_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    children = [
        subprocess.Popen(
            # one of them asks from many threads
            [sys.executable, "-W", "ignore", "ask.py", INDEX, str(threads if not n else 1), str(n)],
            cwd=tmp_path,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for n in range(processes)
    ]
    end = time.monotonic() + 300
    while len(list(tmp_path.glob("ready-*"))) < processes and time.monotonic() < end:
        time.sleep(0.05)
    (tmp_path / "go").touch()
    told = [child.communicate(timeout=600) for child in children]
    assert [child.returncode for child in children] == [0] * processes, told
    answers = [json.loads(line) for out, _ in told for line in out.splitlines()]
    assert len(answers) == processes + threads - 1
    assert all(answer == answers[0] for answer in answers)
    done = [line.split() for line in (tmp_path / "encoded.log").read_text().splitlines()]
    assert sum(int(n) for _, n in done) == size, "every picture is encoded once"
    assert len({pid for pid, _ in done}) == 1
    waited = sum("waiting for it" in err for _, err in told)
    assert waited, "who waits says so"
    assert not list((tmp_path / "cache").rglob("*lock"))
    bar(
        f"first use by {processes} processes, one of them with {threads} threads: same answers",
        f"{len(answers)} of {len(answers)} ({waited} said that they wait)",
        "all",
    )


def test_indexes_of_one_gallery_made_at_once_are_made_once(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("faiss")
    from concurrent.futures import ThreadPoolExecutor

    from fairlead.engine.galleries import open_gallery
    from fairlead.engine.kept import index as kept
    from fairlead.indexes.faiss import Faiss
    from fairlead.protocols import registry

    photos(tmp_path / "photos", 12)
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    gallery = open_gallery(tmp_path / "photos", registry.make("encoder", "phantom"))
    with ThreadPoolExecutor(8) as pool:
        held = list(pool.map(lambda _: kept.fill(Faiss(), gallery, {}), range(8)))
    assert sorted(held) == [0] + [12] * 7
    assert len(list((tmp_path / "cache").rglob("index.json"))) == 1


def test_index_of_vectors_that_another_process_changed_is_not_kept(
    tmp_path: Path, monkeypatch
) -> None:
    pytest.importorskip("faiss")
    from fairlead.engine.galleries import embed, open_gallery
    from fairlead.engine.kept import index as kept
    from fairlead.engine.kept.removal import remove
    from fairlead.errors import BackendError
    from fairlead.indexes.faiss import Faiss
    from fairlead.protocols import registry

    photos(tmp_path / "photos", 6)
    encoder = registry.make("encoder", "phantom")
    embed(tmp_path / "photos", encoder, tmp_path / "out")
    opened = open_gallery(tmp_path / "out", encoder)
    remove(tmp_path / "out", "003.png")
    with pytest.raises(BackendError, match="changed by another process"):
        kept.fill(Faiss(), opened, {})
    assert not list((tmp_path / "out").rglob("index.json"))
    assert kept.fill(Faiss(), open_gallery(tmp_path / "out", encoder), {}) == 0
