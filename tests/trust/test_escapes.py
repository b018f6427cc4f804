"""What is printed steers no terminal and reorders no line, whatever field it comes from: escapes,
controls and marks of direction are shown as escapes, in a terminal, a pipe, JSON and pages.
"""

from __future__ import annotations

import io
import json
import os
import pty
import re
import sys
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Group
from rich.text import Text

from fairlead.cli.main import main
from fairlead.cli.options import Lines, progress_bar, show
from fairlead.cli.saying import say, warnings_said
from fairlead.report.saving import dumps
from fairlead.report.terminal import as_text, table
from fairlead.store.versions import VERSION
from fairlead.words.visible import visible

SOURCE = Path(__file__).parents[2] / "src" / "fairlead"
PAYLOADS = {
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://192.0.2.1\x1b\\owned",
    "clipboard": "\x1b]52;c;b3duZWQ\x1b\\",
    "clear": "\x1b[2J\x1b[Howned",
    "colour": "\x1b[31mowned",
    "reset": "\x1bcowned",
    "bell": "\x07owned",
    "back": "\x08\x08owned",
    "return": "x\rowned",
    "delete": "\x7fowned",
    "C1 CSI": "\x9b2Jowned",
    "C1 OSC": "\x9d0;owned\x9c",
    "next line": "\x85owned",
    "override": "\u202eowned\u202c",
    "isolate": "\u2067owned\u2069",
    "mark": "\u200fowned\u061c",
    "line separator": "\u2028owned\u2029",
}
ORDINARY = {
    "Arabic": "مرحباً بالعالم، ١٢٣",
    "Hebrew": "שָׁלוֹם עוֹלָם 42",
    "Persian with a non-joiner": "می\u200cخواهم",
    "emoji with joiners": "👩\u200d🚀 👨\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈",
    "skin tones and flags": "👋🏽 🇩🇪",
    "flag of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "Thai": "ภาพถ่ายของ\u200bพยาบาล",
    "Devanagari": "क्षत्रिय नर्स",
    "combining marks": "e\u0301 a\u0308 Z\u0351\u036b",
    "Vietnamese": "Nữ bác sĩ",
    "Chinese, Japanese, Korean": "护士 看護師の写真 간호사",
    "soft hyphen": "Kranken\u00adschwester",
    "brackets": "[bold]a[/bold] :smile: <b>",
}


def steers(text: str) -> list[str]:
    """The characters of a text that must not reach a terminal, by the tables of Unicode."""
    marks = "\u061c\u200e\u200f"
    directions = ("LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    return [
        c
        for c in text
        if c not in "\n\t"
        and (
            unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")
            or unicodedata.bidirectional(c) in directions
            or c in marks
        )
    ]


def test_exactly_what_steers_is_escaped():
    deprecated = {*map(chr, range(0x206A, 0x2070)), *map(chr, range(0xFFF9, 0xFFFC))}
    for code in range(0x110000):
        c = chr(code)
        assert (visible(c) != c) == (bool(steers(c)) or c in deprecated), hex(code)


@given(st.recursive(st.text(), lambda inner: st.dictionaries(st.text(), inner, max_size=3)))
def test_json_means_the_same_and_holds_nothing_raw(value):
    text = dumps(value)
    assert steers(text) == []
    assert json.loads(text) == value


def test_json_keeps_what_no_utf8_can_hold():
    assert json.loads(dumps(["half \ud800."]).encode()) == ["half \ud800."]


# ---------------------------------------------------------------- fields: files and a command each


def jsonl(path: Path, *records: dict[str, object]) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")


def run_of(folder: Path, query: str = "q", item: str = "i", twice: bool = False) -> None:
    records = [
        {"query": f"{query}{q}", "item": f"{item}{i}", "score": 9 - i}
        for q in range(2)
        for i in range(6)
    ]
    jsonl(folder / "run.jsonl", *records, *records[: int(twice)])


def labels_of(folder: Path, attribute: str = "gender", group: str = "g", item: str = "i") -> None:
    records = [{"item": f"{item}{i}", attribute: f"{group}{i % 2}"} for i in range(6)]
    jsonl(folder / "labels.jsonl", *records)


TO = ["-k", "3", "-o", "o.csv"]
SCORE = ["score", "run.jsonl", "--groups", "labels.jsonl", "--metric", "NDKL@5"]


def a_query(folder: Path, evil: str) -> list[str]:
    run_of(folder, query=evil)
    return ["rerank", "run.jsonl", "--groups", "labels.jsonl", "--mitigate", "pbm", *TO]


def an_item(folder: Path, evil: str) -> list[str]:
    run_of(folder, item=evil, twice=True)
    return SCORE


def an_item_labelled_twice(folder: Path, evil: str) -> list[str]:
    run_of(folder, item=evil)
    one = {"item": f"{evil}1"}
    jsonl(folder / "labels.jsonl", {**one, "gender": "a"}, {**one, "gender": "b"})
    return SCORE


def an_attribute(folder: Path, evil: str) -> list[str]:
    labels_of(folder, attribute=f"a{evil}")
    return SCORE


def a_group(folder: Path, evil: str) -> list[str]:
    labels_of(folder, group=f"g{evil}")
    return ["check", "run.jsonl", "--groups", "labels.jsonl", "--least", "0"]


def a_target(folder: Path, evil: str) -> list[str]:
    jsonl(folder / "t.jsonl", {"query": "*", "attribute": "gender", "group": evil, "share": 1})
    return [*SCORE, "--target", "t.jsonl"]


def a_number(folder: Path, evil: str) -> list[str]:
    jsonl(folder / "run.jsonl", {"query": "q", "item": "i", "score": evil})
    return SCORE


def a_choice(folder: Path, evil: str) -> list[str]:
    return [*SCORE, "--attribute", evil]


def a_spec(folder: Path, evil: str) -> list[str]:
    return [*SCORE, "--metric", f"{evil}@5"]


def an_option(folder: Path, evil: str) -> list[str]:
    return [*SCORE, f"--no{evil}"]


def a_path(folder: Path, evil: str) -> list[str]:
    name = f"{evil.replace('/', '')}.jsonl"
    return ["check", "run.jsonl", "--groups", name]


def a_file_with_a_fault(folder: Path, evil: str) -> list[str]:
    name = f"{evil.replace('/', '')}.jsonl"
    (folder / name).write_text("{}\n")
    return ["check", name, "--groups", "labels.jsonl"]


def a_traceback(folder: Path, evil: str) -> list[str]:
    return ["--debug", *SCORE, "--attribute", evil]


def a_manifest(folder: Path, evil: str) -> list[str]:
    about = {"fairlead": "1", "command": "audit", VERSION: evil, "plan": {}}
    (folder / "audit").mkdir()
    (folder / "audit" / "manifest.json").write_text(json.dumps(about))
    return ["replay", "audit"]


def an_answer(folder: Path, evil: str) -> list[str]:
    task = ["annotate", "human", "task", "people.db", "--attribute", "gender"]
    with pytest.raises(SystemExit):
        main([*task, "--group", "a", "--group", "b"])
    record = {"item": evil, "attribute": "gender", "rater": evil, "answer": evil}
    jsonl(folder / "answers.jsonl", record)
    return ["annotate", "human", "import", "people.db", "answers.jsonl"]


def a_caption(folder: Path, evil: str) -> list[str]:
    jsonl(folder / "photos.jsonl", {"id": "a", "caption": "a man"}, {"id": evil, "caption": evil})
    return ["annotate", "photos.jsonl", "--with", "caption", "--attribute", evil]


FIELDS: dict[str, Callable[[Path, str], list[str]]] = {
    one.__name__: one
    for one in (
        *(a_query, an_item, an_item_labelled_twice, an_attribute, a_group, a_target, a_number),
        *(a_choice, a_spec, an_option, a_path, a_file_with_a_fault, a_traceback, a_manifest),
        *(an_answer, a_caption),
    )
}


@pytest.fixture
def fresh(tmp_path, monkeypatch) -> Callable[[], Path]:
    """Makes a working folder with a run and labels, another each time."""
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    made = 0

    def make() -> Path:
        nonlocal made
        made += 1
        folder = tmp_path / str(made)
        folder.mkdir()
        monkeypatch.chdir(folder)
        run_of(folder)
        labels_of(folder)
        return folder

    return make


def leave(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)


def in_a_terminal(does: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> str:
    """What reaches a real terminal, standard output and error together."""
    master, slave = pty.openpty()
    shown = io.BytesIO()

    def read() -> None:
        # Linux reports an error where the other end is closed.
        try:
            while part := os.read(master, 1 << 16):
                shown.write(part)
        except OSError:
            return

    reader = threading.Thread(target=read)
    reader.start()
    with monkeypatch.context() as patch, os.fdopen(slave, "w", encoding="utf-8") as stream:
        patch.setattr(sys, "stdout", stream)
        patch.setattr(sys, "stderr", stream)
        does()
    reader.join()
    os.close(master)
    return shown.getvalue().decode("utf-8", "surrogateescape")


_OWN = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[\d*[AK]|\r(?!owned)")
"""Colours and the moves of a progress bar, which are rich's own; a terminal ends lines with CR."""


def passes(shown: str, payload: str, *, terminal: bool = False) -> bool:
    """Whether anything of a payload got through as it is."""
    rest = shown
    if terminal:
        rest = _OWN.sub("", shown)
    return payload in shown or bool(steers(rest))


def probes(full: bool) -> Iterator[tuple[str, str]]:
    """Field and payload: each with each, or each field with all payloads at once."""
    payloads = list(PAYLOADS.values())
    if not full:
        payloads = ["".join(payloads)]
    return ((name, payload) for name in FIELDS for payload in payloads)


def through(
    door: str, field: str, payload: str, fresh: Callable[[], Path], monkeypatch, capsys
) -> str:
    """What comes out at a door."""
    words = FIELDS[field](fresh(), payload)
    capsys.readouterr()
    if door == "terminal":
        return in_a_terminal(lambda: leave(words), monkeypatch)
    if door == "json":
        words = [*words, "--json"]
    leave(words)
    shown = capsys.readouterr()
    return shown.out + shown.err


@pytest.mark.parametrize("door", ["terminal", "pipe", "json"])
def test_no_field_gets_through_a_door(door, fresh, monkeypatch, capsys, full, bar):
    passed, count, silent = [], 0, set(FIELDS)
    for field, payload in probes(full):
        shown = through(door, field, payload, fresh, monkeypatch, capsys)
        count += 1
        if passes(shown, payload, terminal=door == "terminal"):
            passed.append((field, payload, shown))
        # The end of a long name may be cut or folded, its beginning is there.
        if re.search(r"\\u(00|20|06)|\\x", shown):
            silent.discard(field)
    bar(f"escape probes at the door: {door}", f"{len(passed)} of {count} pass", "0 pass")
    assert passed == []
    # A field that is not shown proves nothing; JSON is of counts in some commands.
    assert door == "json" or silent == set()


@pytest.mark.parametrize("kind", ["page.html", "page.json", "folder"])
def test_no_field_gets_onto_a_page(kind, fresh, capsys, full, bar):
    passed, count = [], 0
    fields = {"query": a_query, "item": an_item, "attribute": an_attribute, "group": a_group}
    payloads = list(PAYLOADS.values()) if full else ["".join(PAYLOADS.values())]
    for payload in payloads:
        for name in fields:
            folder = fresh()
            run_of(folder, **{name: payload} if name in ("query", "item") else {})
            item = payload if name == "item" else "i"
            changed = {name: payload} if name in ("attribute", "group") else {}
            labels_of(folder, item=item, **changed)
            leave([*SCORE, "-o", kind])
            texts = [Path(kind)] if kind != "folder" else Path(kind).rglob("*.[hj]*")
            for path in texts:
                count += 1
                if passes(path.read_bytes().decode(), payload):
                    passed.append((name, payload, path.name))
    capsys.readouterr()
    bar(f"escape probes on a page: {kind}", f"{len(passed)} of {count} pass", "0 pass")
    assert count
    assert passed == []


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_progress_warnings_and_views_let_nothing_through(payload, monkeypatch, capsys):
    def bars() -> None:
        with progress_bar(False) as progress:
            assert progress is not None
            progress(f"reading {payload}", 1, 2)
            progress(f"then {payload}", 2, 2)

    def warn() -> None:
        with warnings_said():
            warnings.simplefilter("always")
            warnings.warn(payload, stacklevel=1)

    def views() -> None:
        view = table(payload, [(payload, "left"), ("n", "right")])
        view.add_row(payload, Text(payload, style="red"))
        view.add_row(Text("a").append(payload, style="bold"), "1")
        show(Group(view, Text(payload), payload))
        say(payload)

    for does in (bars, warn, views):
        shown = in_a_terminal(does, monkeypatch)
        assert not passes(shown, payload, terminal=True), repr(shown)
        assert "owned" in shown or "b3duZWQ" in shown
    warn()
    views()
    Lines(iter([0.0, 100.0]).__next__).tell(payload, 1, 2)
    piped = capsys.readouterr()
    assert not passes(piped.out + piped.err, payload)


def test_a_cell_has_room_for_what_is_escaped():
    view = table("", [("name", "left"), ("n", "right")])
    view.add_row("a\u202eb\x1bc", "1")
    assert "a\\u202eb\\u001bc  1" in as_text(view)


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_text_passes_unharmed(text, fresh, capsys):
    view = table(text, [(text, "left"), ("n", "right")])
    view.add_row(text, Text(text))
    assert as_text(view).count(text) == 4
    assert text in dumps([text])
    folder = fresh()
    labels_of(folder, attribute=text)
    leave(SCORE)
    assert text in capsys.readouterr().out
    leave([*SCORE, "-o", "page.html"])
    page = Path("page.html").read_text("utf-8")
    assert text in page or text.partition("<")[0] in page
    run_of(folder, query=text)
    leave(["rerank", "run.jsonl", "--groups", "labels.jsonl", "--mitigate", "pbm", *TO])
    assert text in capsys.readouterr().out
    assert text in Path("o.csv").read_text("utf-8")


def test_text_is_printed_in_one_place():
    printing = re.compile(
        r"click\.s?echo|(?<![\w.])print\(|std(out|err)\.write|print_exc|(?<!\w)Console\("
    )
    places = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if printing.search(re.sub(r">>> .*", "", path.read_text("utf-8")))
    }
    # Those of the report draw views, all with the console of the terminal.
    assert places <= {"cli/saying.py", "report/terminal.py"}
