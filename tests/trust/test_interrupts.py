"""Ctrl-C ends a real process within a second, with exit code 130, whatever it is computing; and what
it was writing is gone.

Each kernel says when it begins, is given a moment to get deep into its work, and is then sent
SIGINT. Only two are tried by default, one that Python cannot stop and one that it can.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from PIL import Image

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")

FIRST = """
    import importlib.util
    import sys
    import click
    import numpy as np
    from fairlead.cli import main as door
    from fairlead.protocols.registry import make
    from fairlead.statistics import targets
    from fairlead.types import Embeddings, Groups, Ranking
    from fairlead.types.evidence import Evidence, Labelled

    def begun():
        print("begun", flush=True)

    def lists(queries, size, groups, hard=False):
        rng = np.random.default_rng(0)
        names = tuple(f"g{g}" for g in range(groups))
        if hard:
            labels = Groups("g", names, codes=rng.integers(0, groups, queries * size))
        else:
            share = rng.dirichlet(rng.dirichlet(np.full(groups, 5.0)) * groups * 0.3, queries * size)
            labels = Groups("g", names, soft=share)
        scores = np.sort(rng.random((queries, size)), axis=1)[:, ::-1].ravel()
        ranking = Ranking(np.arange(queries + 1) * size, np.arange(queries * size), scores)
        ids = tuple(f"q{q}" for q in range(queries))
        return Evidence(ranking, ids, {"g": Labelled(labels, targets.uniform(labels))})

    def rerank(text, queries, size, groups, k, hard=False):
        evidence = lists(queries, size, groups, hard)
        if importlib.util.find_spec("scipy"):
            import scipy.optimize
        begun()
        make("reranker", text)(evidence, k, 0)

    def run(kernel):
        # the command's own main, with its own answer to signals, around nothing but the kernel
        door.cli = click.Command("kernel", callback=kernel)
        sys.argv = ["fairlead"]
        door.main()
"""

KERNELS = {
    "noisy_fair": "run(lambda: rerank('noisy_fair', 1, 6000, 4, 700))",
    "fairexpec": "run(lambda: rerank('fairexpec', 300, 3000, 8, 200))",
    "exposure_lp": "run(lambda: rerank('exposure_lp', 300, 5000, 12, 1000))",
    "mopr": "run(lambda: rerank('mopr', 300, 3000, 8, 200))",
    "constrained": """
        def kernel():
            from fairlead.rerankers.programs import assigned
            worth = np.random.default_rng(0).random((8000, 8000))
            import scipy.optimize
            begun()
            assigned(worth)
        run(kernel)
        """,
    "fair_topk": "run(lambda: rerank('fair_topk(p=0.37)', 1, 400000, 2, 100000, True))",
    "levelled": "run(lambda: rerank('levelled', 40, 60000, 8, 10000))",
    "NDKL null": """
        def kernel():
            from fairlead.statistics.nulls import null_of
            evidence, metric = lists(200_000, 20, 2, True), make("metric", "NDKL@20")
            values = metric(evidence)[0]
            begun()
            null = null_of(metric, evidence, "order", seed=0)
            null.p(values, 200_000)
            null.row(values, 10_000, np.random.default_rng(0))
        run(kernel)
        """,
    "faiss build": """
        def kernel():
            index = make("index", "faiss(kind=hnsw)")
            vectors = np.random.default_rng(0).random((200_000, 128), np.float32)
            index.add(Embeddings(vectors))
            begun()
            index.search(Embeddings(vectors[:1]), 10)
        run(kernel)
        """,
    "exact search": """
        def kernel():
            index = make("index", "exact")
            vectors = np.random.default_rng(0).random((400_000, 128), np.float32)
            index.add(Embeddings(vectors))
            begun()
            index.search(Embeddings(vectors[:100_000]), 100)
        run(kernel)
        """,
    "frontier": """
        from fairlead.engine import worlds
        known = worlds.evidence_of
        def told(*words, **choices):
            begun()
            return known(*words, **choices)
        worlds.evidence_of = told
        sys.argv = ["fairlead", "frontier", "--repeats", "50"]
        door.main()
        """,
    "calibrate": """
        from fairlead.studies import calibration
        known = calibration._mean
        def told(*words, **choices):
            begun()
            return known(*words, **choices)
        calibration._mean = told
        sys.argv = ["fairlead", "calibrate", "--seeds", "50"]
        door.main()
        """,
    "embed": """
        sys.argv = ["fairlead", "embed", "photos", "--model", "py:slow:Slow", "-o", "out"]
        door.main()
        """,
    "writing": """
        def kernel():
            from fairlead.store.atomic import atomic, atomic_folder
            numbers = np.random.default_rng(0).random(60_000_000)
            with atomic("table.csv") as file, atomic_folder("folder") as place:
                file.write_text("half")
                (place / "part").write_text("half")
                begun()
                np.sort(numbers)
        run(kernel)
        """,
}
SLOW = """
    import numpy as np

    class Slow:
        batch = 4
        fingerprint = "slow"

        def images(self, images):
            numbers = np.random.default_rng(0).random(50_000_000)
            print("begun", flush=True)
            for _ in range(10):
                np.sort(numbers)
            raise SystemExit("too late")
"""
PROGRAMS = ("noisy_fair", "fairexpec", "exposure_lp", "mopr", "constrained")
QUICK = ("noisy_fair", "writing")
LONGEST = 1.0
"""Seconds until the process has to be gone."""


def interrupted(code: str, folder: Path) -> tuple[float, int, str]:
    """Seconds from SIGINT to the end, the exit code, and what was said."""
    script = textwrap.dedent(FIRST) + textwrap.dedent(code)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"FAIRLEAD_CACHE": str(folder / "cache"), "PYTHONPATH": _path(folder)},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line == "begun\n", process.communicate()[1]
    time.sleep(0.4)
    assert process.poll() is None, "it was done before it could be stopped"
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=120)
    seconds = time.monotonic() - start
    return seconds, process.returncode, process.communicate()[1]


def _path(folder: Path) -> str:
    return os.pathsep.join([str(folder), *sys.path])


@pytest.mark.parametrize("name", KERNELS)
def test_interrupt_ends_every_kernel_within_a_second(name, tmp_path, full, bar) -> None:
    if not full and name not in QUICK:
        pytest.skip("the others are tried by make bars")
    wanted = dict.fromkeys(PROGRAMS, "scipy") | {"faiss build": "faiss"}
    if name in wanted and importlib.util.find_spec(wanted[name]) is None:
        pytest.skip(f"needs {wanted[name]}")
    (tmp_path / "photos").mkdir()
    for number in range(12):
        picture = Image.new("RGB", (32, 32), (20 * number, 90, 160))
        picture.save(tmp_path / "photos" / f"{number}.png")
    (tmp_path / "slow.py").write_text(textwrap.dedent(SLOW))
    # a busy machine is no fault: the best of three
    tries = []
    for _ in range(3):
        seconds, code, said = interrupted(KERNELS[name], tmp_path)
        assert code == 130, said
        assert said.count("Interrupted.") == 1 and "Traceback" not in said, said
        tries.append(seconds)
        if seconds < LONGEST:
            break
    bar(f"Ctrl-C in {name}", f"{min(tries):.2f} s", f"< {LONGEST} s")
    assert min(tries) < LONGEST
    begun = [path.name for path in tmp_path.iterdir() if ".partial" in path.name]
    assert not begun and not (tmp_path / "table.csv").exists()
