"""The rules every registered benchmark keeps. A new one is one line of ``BENCHMARKS``: how to write
it, given an empty folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairlead.errors import UsageError
from fairlead.protocols import registry
from fairlead.testing import benchmark_laws


def flickr8k(place: Path) -> str:
    folder = place / "flickr8k"
    folder.mkdir()
    lines = ["file\tcaption"]
    for split in ("train", "dev", "test"):
        names = [f"{split}{n}.jpg" for n in range(6)]
        (folder / f"Flickr_8k.{split}Images.txt").write_text("\n".join(names) + "\n")
        who = ("a woman", "a man", "two dogs")
        lines += [f"{name}\t{who[n % 3]} on a beach" for n, name in enumerate(names)]
    (folder / "captions.tsv").write_text("\n".join(lines) + "\n")
    return f'flickr8k:"{place}"'


def own(place: Path) -> str:
    (place / "captions.csv").write_text("id,caption\n" + "".join(f"{n},text {n}\n" for n in "abcd"))
    (place / "queries.csv").write_text("query,image,pair\n1,a.png,x\n2,b.png,x\n")
    (place / "a.png").write_bytes(b"a")
    (place / "b.png").write_bytes(b"b")
    (place / "labels.csv").write_text("item,language\na,en\nb,de\nc,en\nd,\n")
    return f'own:"{place}"'


BENCHMARKS: dict[str, Callable[[Path], str]] = {
    "phantom": lambda place: "phantom(seeds=2)",
    "phantom skewed": lambda place: "phantom:skewed",
    "phantom language": lambda place: "phantom:language(seeds=1)",
    "phantom culture": lambda place: "phantom:culture(seeds=1)",
    "flickr8k": flickr8k,
    "flickr8k train": lambda place: f"{flickr8k(place)}(split=train)",
    "own": own,
}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmark_keeps_the_laws(name: str, tmp_path: Path) -> None:
    benchmark_laws(registry.make("benchmark", BENCHMARKS[name](tmp_path)))


def test_benchmark_registered_is_held_to_the_laws() -> None:
    assert set(registry.entries("benchmark")) == {name.partition(" ")[0] for name in BENCHMARKS}


def test_phantom_of_people_refuses_a_majority() -> None:
    with pytest.raises(UsageError, match="no such majority"):
        registry.make("benchmark", "phantom").with_majority(0.9)
