"""A disk that is full at any place: the exit code of the table, the old file whole, and the next run
goes on. The limit that a system sets for the size of a file stands for the full disk: it needs no
rights, and fails a write in the middle.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairlead.cli.main import main

resource = pytest.importorskip("resource")
FULL = os.environ.get("FAIRLEAD_BARS") == "full"
EXAMPLE = Path(__file__).parents[2] / "src" / "fairlead" / "example"
BACKEND = 6
_LOGS = ("-wal", "-shm")
SCORE = "score run.csv --groups labels.csv"
RERANK = "rerank run.csv --groups labels.csv --attribute gender --mitigate pbm -k 5"
ANNOTATE = "annotate pics --with caption --attribute gender"
HUMAN = "annotate human"
SEARCH = "search person --model phantom --collection pics"
COMMANDS = {
    "score folder": f"{SCORE} -o out",
    "score page": f"{SCORE} -o out.html",
    "score json": f"{SCORE} -o out.json",
    "rerank csv": f"{RERANK} -o out.csv",
    "rerank jsonl": f"{RERANK} -o out.jsonl",
    "rerank parquet": f"{RERANK} -o out.parquet",
    "rerank trec": f"{RERANK} -o out.trec",
    "embed": "embed pics --model phantom -o out",
    "embed more": "embed pics --model phantom -o kept",
    "search run": f"{SEARCH} -o out.parquet",
    "search sheet": f"{SEARCH} --sheet out.png",
    "annotate": f"{ANNOTATE} -o out.csv",
    "neutral": "annotate neutral pics -o out.csv",
    "human task": f"{HUMAN} task new.db --attribute skin --group a --group b",
    "human import": f"{HUMAN} import store.db answers.csv",
    "human export": f"{HUMAN} export store.db -o out.csv",
    "human labels": f"{HUMAN} export store.db --format labels -o out.csv",
    "human plan": f"{HUMAN} plan store.db --attribute gender --items i.csv -o out.csv",
    "audit": "audit --model phantom --attribute gender --metric AbsBias@10 -o out",
    "remove": "remove kept 0.png",
    "index": "index kept --model phantom --index faiss(kind=flat)",
    "projection": "train projection orthogonal --model phantom --attribute gender -o out.npz",
}  # fmt: skip
SHARES = (0, 0.2, 0.6, 0.99) if FULL else (0, 0.6)
"""Parts of the largest file a command writes at which it is cut off."""
PLACES = [
    (name, share)
    for name in COMMANDS
    for share in SHARES
    # An audit takes long; answers that fit into the log of a store are safe there.
    if (FULL or name != "audit") and (name != "human import" or not share)
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from PIL import Image

    folder = tmp_path_factory.mktemp("full") / "desk"
    (folder / "pics").mkdir(parents=True)
    for number in range(6):
        picture = Image.new("RGB", (32, 32), (40 * number, 60, 30))
        picture.save(folder / "pics" / f"{number}.png")
        (folder / "pics" / f"{number}.txt").write_text(("a woman", "a man")[number % 2])
    for name in ("run.csv", "labels.csv"):
        shutil.copy(EXAMPLE / name, folder)
    answers = [f"{n}.png,gender,{who},female" for n in range(6) for who in ("ann", "bo")]
    (folder / "answers.csv").write_text("item,attribute,rater,answer\n" + "\n".join(answers) + "\n")
    (folder / "i.csv").write_text("item\n" + "".join(f"{n}.png\n" for n in range(6)))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert code_of(f"{HUMAN} task store.db --attribute gender --group female --group male") == 0
        assert code_of("embed pics --model phantom -o kept") == 0
        Image.new("RGB", (32, 32), (9, 9, 9)).save(folder / "pics" / "9.png")
    return folder


@pytest.fixture
def desk(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "desk"
    shutil.copytree(made, folder)
    # Read in place: the kept vectors name the source by its path.
    (folder / "pics").rename(tmp_path / "away")
    (folder / "pics").symlink_to(made / "pics")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    return folder


@contextmanager
def full_at(size: int) -> Iterator[None]:
    """No file grows beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def code_of(line: str) -> int:
    if "faiss" in line:
        pytest.importorskip("faiss")
    with pytest.raises(SystemExit) as left:
        main(line.split())
    return int(left.value.code or 0)


def seen(folder: Path) -> dict[str, bytes]:
    """What a user sees in a folder: what is hidden is cleared away by the next run, and SQLite
    keeps a log beside a store until it can be folded into it.
    """
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.endswith(_LOGS)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def largest(folder: Path, line: str) -> int:
    """The size of the largest file that a command writes, here or in the cache."""
    there = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert code_of(line) == 0
    new = [path for path in folder.rglob("*") if path.is_file()]
    return max(
        path.stat().st_size
        for path in new
        if not path.name.endswith(_LOGS) and there.get(path) != path.stat().st_mtime_ns
    )


@pytest.mark.parametrize(("name", "share"), PLACES)
def test_full_disk_has_its_code_and_the_next_run_goes_on(
    desk, tmp_path, monkeypatch, capsys, name, share
):
    line = COMMANDS[name]
    twin = tmp_path / "twin"
    twin.mkdir()
    with monkeypatch.context() as patch:
        shutil.copytree(desk, twin / "desk", symlinks=True)
        patch.chdir(twin / "desk")
        patch.setenv("FAIRLEAD_CACHE", str(twin / "cache"))
        limit = int(largest(twin, line) * share)
        capsys.readouterr()
    # An earlier result stands where the new one goes, unless the command goes on with a folder.
    out = desk / "out.csv"
    if "out.csv" in line:
        out.write_text("earlier")
    before = seen(desk)
    with full_at(limit):
        code = code_of(line)
    error = capsys.readouterr().err
    assert code == BACKEND, (code, error)
    assert "cannot be written" in error or "The disk of" in error
    assert error.splitlines()[-2].startswith("error: ") and "room" in error.splitlines()[-1], error
    after = seen(desk)
    own = ("kept/", "out/") if "embed" in name else ("kept/",)
    assert {path for path in after.keys() - before.keys() if not path.startswith(own)} <= {"new.db"}
    assert {path: after.get(path) for path in before if not path.startswith(own)} == {
        path: content for path, content in before.items() if not path.startswith(own)
    }
    assert code_of(line) == 0
    # Files of an index have a new name each time they are written.
    names = [
        sorted(re.sub(r"/[0-9a-f]{8}\.", "/new.", path) for path in seen(folder))
        for folder in (desk, twin / "desk")
    ]
    assert names[0] == names[1]


@contextmanager
def without_rights(desk: Path, *folders: Path) -> Iterator[None]:
    """Nothing can be written into some folders, nor anywhere that is not everybody's."""
    user, modes = os.geteuid(), dict[Path, int]()
    inside = [
        place for one in folders for place in (one, *one.rglob("*")) if not place.is_symlink()
    ]
    for place in (*inside, *desk.parents):
        modes[place] = place.stat().st_mode
    for place in inside:
        place.chmod(0o555 if place.is_dir() else 0o444)
    if user == 0:
        # Of root no rights are asked; who has none must still come as far as here.
        for place in desk.parents:
            place.chmod(place.stat().st_mode | 0o011)
        os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(user)
        for place, mode in modes.items():
            place.chmod(mode & 0o7777)


EVERY = pytest.mark.parametrize("name", [name for name in COMMANDS if FULL or name != "audit"])


@EVERY
def test_place_that_may_not_be_written_is_told_and_nothing_changes(
    made, desk, tmp_path, monkeypatch, capsys, name
):
    line = COMMANDS[name]
    # Run once elsewhere: what is imported late may not be readable without rights.
    shutil.copytree(desk, tmp_path / "twin", symlinks=True)
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path / "twin")
        patch.setenv("FAIRLEAD_CACHE", str(tmp_path / "elsewhere"))
        assert code_of(line) == 0
    (tmp_path / "cache").mkdir()
    before = seen(desk)
    capsys.readouterr()
    with without_rights(made / "pics", desk, tmp_path / "cache", tmp_path):
        code = code_of(line)
    error = capsys.readouterr().err
    assert code == 2, error
    assert "cannot be" in error and "you may write to" in error, error
    assert seen(desk) == before


@EVERY
@pytest.mark.parametrize(("where", "expected"), [("/dev/full", BACKEND), ("a pipe", 0)])
def test_output_that_nobody_takes_has_its_code_and_files_are_whole(
    desk, monkeypatch, capsys, name, where, expected
):
    if where == "a pipe":
        read, write = os.pipe()
        os.close(read)
    elif not os.path.exists(where):
        pytest.skip(f"there is no {where}")
    else:
        write = os.open(where, os.O_WRONLY)
    line = COMMANDS[name]
    with os.fdopen(write, "w") as stream, monkeypatch.context() as patch:
        patch.setattr("sys.stdout", stream)
        code = code_of(line)
        # As Python does when it ends: what is left must not change the code.
        stream.flush()
    error = capsys.readouterr().err
    assert code == expected, error
    assert "Traceback" not in error
    assert ("The output cannot be written" in error) == bool(expected)
    # Results are written before they are shown.
    new = next((word for word in line.split() if word.startswith("out")), None)
    assert new is None or (desk / new).exists()
