"""What is written never takes the place of what is read: of every verb of the table, every output is
held against everything it may read, in every way in which that can be named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from fairlead.cli.main import cli, main
from fairlead.cli.options import OutputPath
from fairlead.commands.verbs import VERBS, Verb
from fairlead.engine.spared import Written, readable, spare
from fairlead.errors import FairleadError, UsageError

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
LOST = "it would be lost"
FORMS = (
    "{path}",
    "./pics/../{path}",
    "link-to-{path}",
    "table:{path}",
    "mlp:{path}(soft=false)",
    'hybrid:other.db(auto="table:{path}")',
    'hybrid:other.db(auto="noisy(of=\\"table:{path}\\")")',
    "fitted:{path}+pbm(theta=1)",
    "leace+pbm[groups={path}]",
    'pbm[groups="table:{path}"]',
    "open_clip:ViT-B-32/{path}",
    "NAME={path}",
)
"""The ways in which a value of a plan may name a file."""


def command_of(verb: Verb) -> click.Command:
    command: Any = cli
    for word in verb.name.split():
        command = command.get_command(click.Context(command), word)
    assert isinstance(command, click.Command)
    return command


def outputs_of(verb: Verb) -> list[click.Parameter]:
    """What a command writes, or adds to."""
    own = verb.plan.outputs()
    params = command_of(verb).params
    return [one for one in params if one.name in own or isinstance(one.type, OutputPath)]


def words_of(param: click.Parameter, value: str) -> list[str]:
    """A parameter as it is given on the command line."""
    if isinstance(param, click.Argument):
        return [value]
    return [param.opts[-1], value]


def line_of(verb: Verb, given: dict[str, str]) -> list[str]:
    """A command line with some parameters, and something for each other that must be given."""
    options, arguments = list[str](), list[str]()
    for param in command_of(verb).params:
        assert param.name is not None
        value = given.get(param.name)
        if value is None and param.required:
            value = "3" if param.type is click.INT else "nothing"
        if value is not None:
            is_argument = isinstance(param, click.Argument)
            (arguments if is_argument else options).extend(words_of(param, value))
        elif isinstance(param, click.Argument):
            # An argument behind this one would take its place.
            arguments.append("nothing")
    return [*verb.name.split(), *options, *arguments]


def cases() -> Iterator[tuple[str, str, str]]:
    """Of every verb, every output with everything else that may name a file."""
    for verb in VERBS.values():
        outputs = [str(one.name) for one in outputs_of(verb)]
        paths = [
            str(one.name)
            for one in command_of(verb).params
            if isinstance(one.type, click.Path)
            and not isinstance(one.type, OutputPath)
            and one.name not in verb.plan.model_fields
        ]
        reads = dict.fromkeys([*readable(verb.plan), *paths])
        for out in outputs:
            yield from ((verb.name, out, read) for read in reads if read != out)


CASES = list(cases())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from PIL import Image

    monkeypatch.chdir(tmp_path)
    (tmp_path / "pics").mkdir()
    for number in range(3):
        Image.new("RGB", (32, 32), (80 * number, 60, 30)).save(tmp_path / "pics" / f"{number}.png")
    (tmp_path / "pics" / "0.txt").write_text("a woman")
    (tmp_path / "table.csv").write_text(
        "image,caption\n" + "".join(f"pics/{n}.png,a woman\n" for n in range(3))
    )
    (tmp_path / "link.csv").symlink_to("table.csv")
    return tmp_path


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main(words)
    error = capsys.readouterr().err
    assert left.value.code == 2, (words, error)
    return error


def test_every_command_that_writes_is_among_the_cases():
    # Doors that write say so by the type of the option; any other path of theirs is read.
    assert {verb for verb, _, _ in CASES} >= {
        "score", "rerank", "search", "annotate collection", "annotate compare",
        "annotate neutral", "annotate human plan", "annotate human export", "audit", "replay",
        "frontier", "embed", "train mitigated", "train projection", "train attribute",
    }  # fmt: skip
    assert len(CASES) > 100
    for name in ("annotate collection",):
        assert {"out", "wanted"} == {one.name for one in outputs_of(VERBS[name])}


@pytest.mark.parametrize(("verb", "out", "read"), CASES)
def test_output_that_names_what_is_read_is_refused_and_the_file_stays(
    desk, capsys, monkeypatch, verb, out, read
):
    (desk / "own.csv").write_text("item,gender\na,female\n")
    (desk / "link-to-own.csv").symlink_to("own.csv")
    before = contents(desk)
    # Nothing of the verb may run: not even a reader that would find another fault.
    module = VERBS[verb]._loaded()
    monkeypatch.setattr(module, "run", lambda *_: pytest.fail("the verb ran"))
    # Reduced, each case has its turn of the forms: all forms of all fields are many commands.
    turn = CASES.index((verb, out, read)) * 2
    forms = FORMS if FULL else [FORMS[0], *(FORMS[(turn + step) % len(FORMS)] for step in (0, 1))]
    for form in forms:
        value = form.format(path="own.csv")
        error = refused(line_of(VERBS[verb], {out: "own.csv", read: value}), capsys)
        assert LOST in error, (value, error)
    assert contents(desk) == before


@pytest.mark.parametrize(
    ("verb", "out", "read"), [case for case in CASES if case[1] in VERBS[case[0]].plan.outputs()]
)
def test_the_same_is_refused_in_python(desk, verb, out, read):
    (desk / "own.csv").write_text("item,gender\na,female\n")
    plan = VERBS[verb].plan
    needed = {name: "nothing" for name, field in plan.model_fields.items() if field.is_required()}
    before = contents(desk)
    if read == "labellers":
        pytest.skip("several")
    with pytest.raises(UsageError, match=LOST):
        VERBS[verb].function(**{**needed, out: "own.csv", read: desk / "own.csv"})
    assert contents(desk) == before


@pytest.mark.parametrize("line", [
    "annotate table.csv --with caption --attribute gender -o table.csv",
    "annotate table.csv --with caption --attribute gender -o ./pics/../table.csv",
    "annotate table.csv --with caption --attribute gender -o link.csv",
    "annotate table.csv --with caption --attribute gender -o pics/2.png",
    "annotate table.csv --with caption --attribute gender --wanted table.csv",
    "annotate table.csv --with caption --attribute gender -o new.csv --wanted ./new.csv",
    "annotate pics --with caption --attribute gender -o pics/0.txt",
    "annotate neutral table.csv -o table.csv",
    "annotate shard-{0..1}.tar --with caption --attribute gender -o shard-1.tar",
    "annotate compare r.csv --human h.csv --with rekognition:answers -o answers/a.json",
    "search --image pics/0.png --collection table.csv --sheet pics/0.png",
    "search person --collection pics --sheet pics/1.png",
    "search person --collection table.csv --sheet pics/1.png",
    "search person --queries table.csv --collection nothing --sheet pics/1.png",
    "search person --collection vectors.npy -o ids.csv",
    "search person --model hf:clip -o clip/config.json",
    "replay runs -o runs",
    "replay runs -o table.csv",
    "audit --replay runs -o runs/scores.json",
    "audit --collection pics -o .",
])  # fmt: skip
def test_command_that_would_write_over_its_input_is_refused_and_nothing_changes(desk, capsys, line):
    import numpy as np

    for folder, name in (("clip", "config.json"), ("answers", "a.json"), ("runs", "scores.json")):
        (desk / folder).mkdir()
        (desk / folder / name).write_text("{}")
    plan = {"collection": "table.csv", "model": "phantom"}
    (desk / "runs" / "manifest.json").write_text(json.dumps({"command": "audit", "plan": plan}))
    (desk / "shard-1.tar").write_bytes(b"tar")
    np.save(desk / "vectors.npy", np.eye(2, dtype=np.float32))
    (desk / "ids.csv").write_text("item\na\nb\n")
    before = contents(desk)
    error = refused(line.split(), capsys)
    assert LOST in error or "the folder you are in" in error, error
    assert contents(desk) == before


@pytest.mark.parametrize("values", [
    # A folder of pictures is not read for tables of other names, nor for pages.
    {"collection": "pics", "out": "pics/labels.csv"},
    {"collection": "pics", "out": "pics/note.txt"},
    {"collection": "clip", "out": "clip/page.html"},
    {"model": "hf:clip", "out": "clip/page.html"},
    # Names of adapters and their settings are no files, also where a folder has that name.
    {"mitigate": ("pbm",), "out": "pbm"},
    {"index": "faiss(kind=hnsw)", "out": "hnsw"},
    {"benchmark": "phantom", "out": "phantom"},
    {"model": "hf:data/out.csv", "out": "out.csv"},
    {"attribute": ("labels",), "out": "labels"},
    # Nothing there that could be lost.
    {"groups": "new.csv", "out": "new.csv"},
    {"groups": {"a": "female", "b": "out.csv"}, "out": "out.csv"},
])  # fmt: skip
def test_what_is_not_read_may_be_replaced(desk, values):
    for name in ("pics/labels.csv", "pics/note.txt", "out.csv", "clip/page.html", "data/out.csv"):
        (desk / name).parent.mkdir(exist_ok=True)
        (desk / name).write_text("earlier")
    for name in ("pbm", "hnsw", "phantom", "labels"):
        (desk / name).mkdir()
    given = dict(values)
    if "groups" in given and isinstance(given["groups"], dict):
        given.pop("groups")
    spare(VERBS["audit"].plan, given, Written(given.pop("out")))


def test_store_of_human_labels_is_never_replaced_by_what_is_made_of_it(desk):
    from fairlead.store.atomic import atomic
    from fairlead.store.human import HumanStore

    HumanStore("labels.db", create=True).close()
    before = (desk / "labels.db").read_bytes()
    with pytest.raises(FairleadError, match="database"), atomic("labels.db") as file:
        file.write_text("item,gender\n")
    assert (desk / "labels.db").read_bytes() == before


@pytest.mark.parametrize("content", ["{}", "my notes", '{"file": "labels.csv"}', "[1]"])
def test_note_is_not_written_over_a_file_of_the_users(desk, capsys, content):
    (desk / "labels.csv.about.json").write_text(content)
    line = [
        "annotate",
        "table.csv",
        "--with",
        "caption",
        "--attribute",
        "gender",
        "-o",
        "labels.csv",
    ]
    assert "it is no such note" in refused(line, capsys)
    assert (desk / "labels.csv.about.json").read_text() == content
    assert not (desk / "labels.csv").exists()
    # A note of ours makes room for the next.
    (desk / "labels.csv.about.json").unlink()
    for _ in range(2):
        with pytest.raises(SystemExit) as left:
            main(line)
        assert not left.value.code
