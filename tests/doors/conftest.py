"""The command run in this process, its answer, the schemas of its JSON, and small files to try it
with.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

RUN = "query,item,score\nq1,a,3\nq1,b,2\nq1,c,1\nq2,d,3\nq2,a,2\nq2,c,1\n"
LABELS = "item,gender\na,female\nb,male\nc,female\nd,male\n"
TARGET = "query,attribute,group,share\n*,gender,female,0.5\n*,gender,male,0.5\n"


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def door(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs ``fairlead ARGS`` in this process."""
    from fairlead.cli.main import main

    def run(*args: object) -> Answer:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in args])
        shown = capsys.readouterr()
        code = left.value.code
        return Answer(
            code if isinstance(code, int) else 0 if code is None else 1, shown.out, shown.err
        )

    return run


@pytest.fixture(scope="session")
def schema_faults() -> Callable[[str, Any], list[str]]:
    """Where a JSON answer departs from the schema of that name."""
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    folder = files("fairlead.report") / "schemas"
    texts = {
        entry.name: json.loads(entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    }
    registry = Registry().with_resources(
        [(name, Resource.from_contents(text)) for name, text in texts.items()]
    )

    def faults(name: str, value: Any) -> list[str]:
        validator = Draft202012Validator(texts[f"{name}.json"], registry=registry)
        return [
            f"{'/'.join(map(str, e.absolute_path))}: {e.message}"
            for e in validator.iter_errors(value)
        ]

    return faults


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes files into a folder of its own, which becomes the working folder; run.csv and
    labels.csv are there from the start.
    """
    monkeypatch.chdir(tmp_path)

    def write(**texts: str | bytes) -> Path:
        for name, text in texts.items():
            place = tmp_path / name.replace("__", ".")
            place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    write(run__csv=RUN, labels__csv=LABELS, target__csv=TARGET)
    return write


@pytest.fixture(scope="session")
def example() -> Path:
    """The shipped example: run.csv, labels.csv, qrels.txt."""
    return Path(str(files("fairlead") / "example"))
