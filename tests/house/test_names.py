"""Names stay where they belong: what an encoder can do is said in types, adapters are named in
adapters and the registry alone, and pictures are encoded in one module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "fairlead"
FILES = sorted(SOURCE.rglob("*.py"))
ADAPTERS = {"encoders", "phantom", "benchmarks", "indexes", "annotators", "training", "testing"}
"""Folders that may name adapters: each meets one foreign thing."""
NAMED = {
    "protocols/registry.py": "the registry",
    "errors/install.py": "names of extras, as pip knows them",
    "trigger/tokens.py": "Latin words: 'st' is short for saint",
}
"""Files that may, and why."""
ENCODERS = re.compile(
    r"^(phantom|phantom_ideal|precomputed|hf|open_clip|st|late|lite|lite_tower|py)$"
)
ENCODING = {"engine/embedding.py"}
"""Where encoders are called with pictures."""


def place(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def calls(path: Path) -> Iterator[ast.Call]:
    tree = ast.parse(path.read_text("utf-8"))
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_encoders_are_asked_in_types_not_by_getattr():
    asked = []
    for path in FILES:
        for call in calls(path):
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            if name not in ("getattr", "hasattr") or not call.args:
                continue
            if re.search(r"\b(encoder|preparing)\b", ast.unparse(call.args[0])):
                asked.append(f"{place(path)}:{call.lineno}")
    assert asked == []


def lines_that_name(path: Path) -> Iterator[int]:
    """Lines that compare something with an encoder's name, or keep a table of such names."""
    tree = ast.parse(path.read_text("utf-8"))
    # Examples in the description of a field are text for readers.
    keywords = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    shown = {id(one.value) for one in keywords if one.arg == "examples"}
    for node in ast.walk(tree):
        if id(node) in shown:
            continue
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            parts = list(node.args) if node.func.attr in ("startswith", "endswith") else []
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            parts = list(node.elts)
        else:
            continue
        words = [part.value for part in parts if isinstance(part, ast.Constant)]
        if any(isinstance(word, str) and ENCODERS.match(word) for word in words):
            yield node.lineno


def test_adapters_are_named_in_adapters_and_the_registry_alone():
    named = [
        f"{place(path)}:{line}"
        for path in FILES
        if place(path).split("/")[0] not in ADAPTERS and place(path) not in NAMED
        for line in lines_that_name(path)
    ]
    assert named == []


@pytest.mark.parametrize("name", NAMED)
def test_files_that_may_name_adapters_still_do(name):
    assert list(lines_that_name(SOURCE / name)) or "training" in (SOURCE / name).read_text("utf-8")


def test_pictures_are_encoded_in_one_module():
    """Annotators call what they are handed, which is ``engine/sight.py``'s and asks that module."""
    places = {
        place(path)
        for path in FILES
        if place(path).split("/")[0] not in ("encoders", "phantom", "testing", "annotators")
        for call in calls(path)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("images", "prepared", "begin")
    }
    assert places == ENCODING


def test_pictures_are_decoded_in_one_module():
    places = {
        place(path)
        for path in FILES
        for call in calls(path)
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == "Image.open"
    }
    assert places == {"store/pictures.py"}


def test_files_of_labels_are_read_in_one_module():
    """Tables are read in the store; what is in a table of labels is known to one module there."""
    reading = {
        place(path)
        for path in FILES
        if "/" in place(path)
        for call in calls(path)
        if ast.unparse(call.func) in ("_layout", "LabelColumns.of")
        and "read_table(" in path.read_text("utf-8")
    }
    assert reading == {"store/labels.py"}
    # Elsewhere a table is read for queries, judgements, runs, targets and sources, never for labels.
    assert {
        place(path)
        for path in FILES
        for call in calls(path)
        if ast.unparse(call.func) in ("csv.reader", "csv.DictReader")
    } == {
        "store/lines.py",  # every table of a user's
        "store/embedded.py",  # the list of skipped files, our own
        "store/label_counts.py",  # the published counts of PBM, which name no item
        "studies/ledger/tables.py",  # printed numbers, shipped
        "trigger/evaluation.py",  # labelled queries, shipped
    }


def test_manifests_are_written_in_one_module():
    writing = {
        place(path)
        for path in FILES
        for call in calls(path)
        if re.search(r"\b(INDEX_)?MANIFEST\b|manifest\.json", ast.unparse(call))
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("write_text", "write_bytes", "open", "dump", "replace")
    }
    assert writing == set()
    named = {
        place(path)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in ("manifest.json", "index.json")
    }
    assert named == {"store/manifest_file.py"}


def test_manifests_of_results_are_made_in_one_module():
    """What a manifest says of labels, targets and chance levels is read off the values there."""
    making = {
        place(path)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Dict)
        and {"labels", "null", "warnings"}
        <= {key.value for key in node.keys if isinstance(key, ast.Constant)}
    }
    assert making == {"engine/manifest.py"}


def test_manifests_begin_in_one_module():
    """Who writes a manifest takes its beginning from there."""
    naming = {
        place(path)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module == "fairlead"
        and any(alias.name == "__version__" for alias in node.names)
    }
    # the command and the doctor tell the version to people
    assert naming <= {"engine/manifest.py", "cli/main.py", "commands/doctor.py"}
