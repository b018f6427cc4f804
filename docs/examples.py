"""The examples of the documentation, run: ``python docs/examples.py`` runs them all and writes
their real output into the pages.

A page is read from top to bottom in a folder of its own. A fence with a title is a file of that
name, and a ``pyproject.toml`` is installed; ``bash`` and ``python`` fences run; a ``console`` fence is the output of the one before it.
Other fences (``text``, ``sh``) are for the eye. The sources of the repository are found under
``src``, as in a clone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
GENERATED = ROOT / "docs" / "reference"
TOLERANCE = 0.021
"""How far a number in the documentation may be from the real one: random streams may change with a
library, words may not.
"""
_FENCE = re.compile(
    r"^```(?P<language>[\w-]*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Fence:
    """A fenced block of a page."""

    language: str
    title: str | None
    text: str
    span: tuple[int, int]


def pages() -> list[Path]:
    """Every page that is written by hand."""
    docs = [p for p in sorted((ROOT / "docs").rglob("*.md")) if GENERATED not in p.parents]
    return [ROOT / "README.md", *docs]


def fences(page: str) -> list[Fence]:
    """The fenced blocks of a page."""
    return [
        Fence(m["language"], m["title"], m["text"], m.span("text")) for m in _FENCE.finditer(page)
    ]


def write_files(page: str, folder: Path) -> None:
    """Write the files of a page, and make the sources of the repository found."""
    if not (folder / "src").exists():
        (folder / "src").symlink_to(ROOT / "src")
    for fence in fences(page):
        if fence.title is not None:
            (folder / fence.title).write_text(fence.text, encoding="utf-8")
    install(folder)


def install(folder: Path) -> None:
    """What ``pip install .`` writes for a page that shows a plug-in: its name and entry points."""
    if not (folder / "pyproject.toml").exists():
        return
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"], project["version"]
    installed = folder / f"{name}-{version}.dist-info"
    installed.mkdir(exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (installed / "METADATA").write_text(metadata, encoding="utf-8")
    lines = []
    for group, rows in project.get("entry-points", {}).items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in rows.items())]
    (installed / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(page: str, folder: Path) -> Iterator[tuple[Fence, str]]:
    """Run a page in a folder; yields each ``console`` fence with the output it should hold.

    Raises:
        AssertionError: Where an example fails.
    """
    output = ""
    write_files(page, folder)
    for number, fence in enumerate(fences(page)):
        if fence.title is not None:
            continue
        if fence.language == "bash":
            output = _output(["bash", "-euo", "pipefail", "-c", fence.text], folder, fence.text)
        elif fence.language == "python":
            script = folder / f"example_{number}.py"
            script.write_text(fence.text, encoding="utf-8")
            output = _output([sys.executable, str(script)], folder, fence.text)
        elif fence.language == "console":
            yield fence, output


def _output(command: list[str], folder: Path, text: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    quiet = {
        k: v
        for k, v in os.environ.items()
        if k not in ("FORCE_COLOR", "COLUMNS") and not k.startswith("FAIRLEAD_")
    }
    sources = os.pathsep.join([str(folder), str(ROOT / "src")])
    own = {"PATH": path, "PYTHONPATH": sources, "FAIRLEAD_CACHE": str(folder / "cache")}
    env = quiet | own | {"TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, (
        f"exit code {done.returncode} of\n{text}\n{done.stdout}\n{done.stderr}"
    )
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines()) + "\n"


def differs(shown: str, real: str) -> str | None:
    """What is not the same in two outputs, or None: words must agree, numbers nearly."""
    shown, real = (text.replace("<.001", "0.001") for text in (shown, real))
    words, others = ([_NUMBER.sub("#", w) for w in text.split()] for text in (shown, real))
    if words != others:
        return f"the page says\n{shown}\nbut the output is\n{real}"
    numbers, real_numbers = (
        [float(n.replace(",", "")) for n in _NUMBER.findall(text)] for text in (shown, real)
    )
    far = [(a, b) for a, b in zip(numbers, real_numbers, strict=True) if abs(a - b) > TOLERANCE]
    return f"{far} differ in\n{shown}\nand\n{real}" if far else None


def refresh(path: Path) -> None:
    """Write the real output into a page."""
    page = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        found = list(run(page, Path(folder)))
    for fence, real in reversed(found):
        start, end = fence.span
        page = page[:start] + real + page[end:]
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    for each in pages():
        refresh(each)
