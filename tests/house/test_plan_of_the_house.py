"""The plan of the house is of this house: pages for contributors name what is there, and all of it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import fairlead
from fairlead.types.saved import SavedRun
from fairlead.types.study import Study

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "fairlead"
DESIGN, DATA_MODEL = ROOT / "docs" / "design" / "index.md", ROOT / "docs" / "data-model.md"
PAGES = [DESIGN, DATA_MODEL, ROOT / "CONTRIBUTING.md", ROOT / "docs" / "extend" / "index.md"]
NOT_AT_THE_ROOT = {"Study": Study, "SavedRun": SavedRun}


def rooms() -> set[str]:
    """The folders right below the package that hold modules."""
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def places(text: str) -> Iterator[str]:
    """Words of a page that look like a file or a folder of the sources."""
    for word in re.findall(r"[\w./-]+", re.sub(r"\]\([^)]*\)", "", text)):
        first = word.split("/")[0]
        if word.endswith(".py") or ("/" in word and first in {*rooms(), "tests"}):
            yield word


def is_there(place: str) -> bool:
    return any((base / place).exists() for base in (SOURCE, ROOT))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_names_only_files_that_are_there(page):
    assert [place for place in places(page.read_text("utf-8")) if not is_there(place)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_names_only_modules_that_can_be_found(page):
    named = re.findall(r"\bfairlead((?:\.[a-z_]\w*)+)", page.read_text("utf-8"))
    gone = []
    for dotted in named:
        first = dotted[1:].split(".")[0]
        # fairlead.score is a function, and fairlead.metric a group of entry points
        if first in rooms() and not hasattr_path(dotted[1:]):
            gone.append(dotted)
    assert gone == []


def hasattr_path(dotted: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        place = SOURCE.joinpath(*parts[:end])
        module = place.with_suffix(".py") if not place.is_dir() else place / "__init__.py"
        if module.exists():
            rest = parts[end:]
            return not rest or re.search(rf"\b{rest[0]}\b", module.read_text("utf-8")) is not None
    return False


def test_design_leaves_no_room_out():
    table = DESIGN.read_text("utf-8").partition("## The house")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)/`", table))
    assert named == rooms()


def test_root_holds_the_public_face_alone():
    assert {path.name for path in SOURCE.glob("*.py")} == {"__init__.py", "__main__.py"}
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} - {
        "__pycache__",
        "example",
    } == rooms()


def noun_rows() -> list[tuple[str, list[str]]]:
    """The rows of the data model whose first cell is a class and whose last lists its fields."""
    rows = []
    for line in DATA_MODEL.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        name = cells[0].strip("`")
        known = NOT_AT_THE_ROOT.get(name) or (name in fairlead.__all__ and getattr(fairlead, name))
        if line.startswith("| `") and dataclasses.is_dataclass(known):
            rows.append((name, re.findall(r"`(\w+)`", cells[-1])))
    return rows


@pytest.mark.parametrize(("name", "listed"), noun_rows(), ids=[name for name, _ in noun_rows()])
def test_data_model_lists_the_fields_of_a_value(name, listed):
    value = NOT_AT_THE_ROOT.get(name) or getattr(fairlead, name)
    assert set(listed) == {field.name for field in dataclasses.fields(value)}


def test_data_model_has_the_public_values():
    public = {
        name for name in fairlead.__all__ if dataclasses.is_dataclass(getattr(fairlead, name))
    }
    mechanisms = {"Mitigator", "Searcher", "Spec", "Decision"}
    assert public - mechanisms == {name for name, _ in noun_rows()} - set(NOT_AT_THE_ROOT)
