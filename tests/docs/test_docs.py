"""The documentation under test: pages are up to date, examples run, links lead somewhere, words are
ours.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import typing
from pathlib import Path
from types import ModuleType

import pytest

import fairlead
from fairlead.protocols.registry import card, entries

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def _tool(name: str) -> ModuleType:
    """One of the scripts in docs/, which are no package: loaded under a name of its own."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


examples, formulas, reference = _tool("examples"), _tool("formulas"), _tool("reference")
HAND_WRITTEN = examples.pages()
ALL_PAGES = [
    *HAND_WRITTEN,
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((DOCS / "reference").glob("*.md")),
]
EVERY_METRIC, EVERY_RERANKER = sorted(entries("metric")), sorted(entries("reranker"))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# Generated pages


def test_reference_check_pages_up_to_date():
    assert reference.stale() == [], "run: python docs/reference.py"


def test_reference_check_old_page_exits_one(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(reference, "FOLDER", tmp_path)
    assert reference.main(["--check"]) == 1
    assert "python docs/reference.py" in capsys.readouterr().err
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0


@pytest.mark.parametrize(
    ("kind", "name"),
    [("metric", n) for n in EVERY_METRIC] + [("reranker", n) for n in EVERY_RERANKER],
)
def test_reference_every_extension_has_a_full_section(kind, name):
    page = _text(DOCS / "reference" / f"{kind}s.md")
    section = re.search(rf"^## {re.escape(name)}$(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert section, f"{name} is not in the reference"
    facts = card(kind, name)
    for parameter in facts["parameters"]:
        assert f"| `{'@k' if parameter == 'k' else parameter}` |" in section[1]
    for fact in (
        "Text form",
        "Source",
        "Cannot see",
        *(("Range", "Better") if kind == "metric" else ("Promises",)),
    ):
        assert f"| {fact} |" in section[1]


@pytest.mark.parametrize("name", EVERY_METRIC)
def test_formulas_every_metric_reads_without_latex(name):
    html = formulas.as_html(card("metric", name)["formula"])
    bare = re.sub(r"</?(sub|sup)>", "", html)
    assert not re.search(r"[\\_^]|[<>]", bare), html
    assert all(bare.count(a) == bare.count(b) for a, b in ("()", "[]", "{}")), html


def test_formulas_unknown_command_is_refused():
    with pytest.raises(ValueError, match="does not know"):
        formulas.as_html(r"\oint x")


def test_cli_page_every_command_and_option_is_there():
    import click

    from fairlead.cli.main import cli

    page = _text(DOCS / "reference" / "cli.md")
    context = click.Context(cli)
    for name in cli.list_commands(context):
        section = page.partition(f"## fairlead {name}\n")[2].partition("\n## ")[0]
        assert section, f"{name} is not documented"
        command = cli.get_command(context, name)
        assert command is not None
        for option in (p for p in command.params if isinstance(p, click.Option)):
            assert all(word in section for word in option.opts), (
                f"{option.opts} of {name} is not documented"
            )


# Examples


@pytest.mark.parametrize("path", HAND_WRITTEN, ids=_name)
def test_examples_of_a_page_run_and_print_what_it_shows(path, tmp_path):
    for fence, real in examples.run(_text(path), tmp_path):
        fault = examples.differs(fence.text, real)
        assert fault is None, (
            f"{_name(path)}: {fault}\nTo write the real output into the pages: python docs/examples.py"
        )


def test_examples_comparison_notices_words_and_numbers():
    assert examples.differs("mean 0.305 [0.2, 0.4]", "mean  0.304 [0.2, 0.41]") is None
    assert examples.differs("mean 0.305", "mean 0.405") is not None
    assert examples.differs("mean 0.305", "median 0.305") is not None


def test_examples_every_fairlead_line_is_in_a_fence_that_runs():
    for path in HAND_WRITTEN:
        for fence in examples.fences(_text(path)):
            if fence.language in ("sh", "shell", "zsh"):
                assert "fairlead " not in fence.text, f"{_name(path)}: use bash, which is run"


def test_readme_every_make_target_exists():
    targets = set(re.findall(r"^([\w-]+):", _text(ROOT / "Makefile"), re.MULTILINE))
    for path in ALL_PAGES:
        for fence in (f for f in examples.fences(_text(path)) if f.language == "sh"):
            assert set(re.findall(r"^make ([\w-]+)", fence.text, re.MULTILINE)) <= targets


def test_readme_counts_are_those_of_the_registry():
    readme = _text(ROOT / "README.md")
    assert f"{len(EVERY_METRIC)} metrics" in readme
    assert f"{len(EVERY_RERANKER)} rerankers" in readme


def test_readme_figures_of_the_butcher_are_those_of_the_demo(tmp_path):
    _run([str(Path(sys.executable).with_name("fairlead")), "demo", "--out", "demo.json"], tmp_path)
    values = json.loads(_text(tmp_path / "demo.json"))["per_query"]
    read = {(v["variant"], v["metric"]): v["value"] for v in values if v["query"] == "butcher"}
    assert read["plain", "AbsBias@20"] == read["plain", "nDCG@20"] == read["pbm", "nDCG@20"] == 1
    women = round(20 * (1 - read["pbm", "AbsBias@20"]) / 2)
    lead = " ".join(_text(ROOT / "README.md").split())
    assert (
        "all of the first 20 pictures show men" in lead
        and f"one in ten is wrong, {women} show women, and all 20 show butchers" in lead
    )


EXTEND = sorted(p for p in (DOCS / "extend").glob("*.md") if p.name != "index.md")


def test_extend_every_kind_has_a_page():
    index = _text(DOCS / "extend" / "index.md")
    for kind in ("metric", "reranker", "projection", "encoder", "annotator", "index"):
        assert f"`fairlead.{kind}`" in index
    for kind in ("benchmark", "training", "towers"):
        assert f"`fairlead.{kind}`" in index
    assert all(f"]({path.name})" in index for path in EXTEND)


@pytest.mark.parametrize("path", EXTEND, ids=_name)
def test_extend_plug_in_of_a_page_is_found_listed_and_lawful(path, tmp_path):
    """One file and one entry point, installed as pip would."""
    examples.write_files(_text(path), tmp_path)
    project = tomllib.loads(_text(tmp_path / "pyproject.toml"))["project"]
    ((group, rows),) = project["entry-points"].items()
    kind, names = group.removeprefix("fairlead."), list(rows)
    code = f"from fairlead.protocols import registry; print(registry.make({kind!r}, {names[0]!r}))"
    assert _run([sys.executable, "-c", code], tmp_path).strip() == names[0]
    if kind in ("metric", "reranker"):
        command = [str(Path(sys.executable).with_name("fairlead")), "list", "--json"]
        listed = json.loads(_run(command, tmp_path))["entries"]
        assert names[0] in {entry["name"] for entry in listed}
    laws = [path.name for path in tmp_path.glob("test_*.py")]
    if laws:
        _run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *laws], tmp_path)


def _run(command: list[str], folder: Path) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "FAIRLEAD"))} | {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")])
    }
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# What pages say about the code


def test_data_model_fields_are_those_of_the_nouns():
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]*\| (.*) \|$", _text(DOCS / "data-model.md"), re.MULTILINE
    )
    nouns = {
        name: re.findall(r"`(\w+)`", fields) for name, fields in rows if hasattr(fairlead, name)
    }
    assert {"Groups", "Ranking", "Evidence", "Target", "ScoreResult", "Row"} <= set(nouns)
    for name, fields in nouns.items():
        noun = getattr(fairlead, name)
        for field in fields:
            assert field in getattr(noun, "__dataclass_fields__", {}) or hasattr(noun, field), (
                f"{name} has no {field}"
            )


def test_docs_every_public_name_is_mentioned():
    words = set(re.findall(r"\w+", " ".join(_text(p) for p in HAND_WRITTEN)))
    protocols = {
        "Annotator",
        "Benchmark",
        "Encoder",
        "Index",
        "Probe",
        "Projection",
        "Runner",
        "Spec",
    }  # contracts without an implementation yet
    assert set(fairlead.__all__) - protocols <= words


def test_reproduce_page_every_verdict_and_paper_is_explained():
    from fairlead.studies.reproduce import PAPERS, Verdict

    page = _text(DOCS / "reproduce.md")
    assert all(f"| `{verdict}` |" in page for verdict in typing.get_args(Verdict))
    assert all(f"| `{key}` | {title} |" in page for key, title in PAPERS.items())


def test_statistics_page_every_null_is_explained():
    from fairlead.statistics.nulls import Kind

    page = _text(DOCS / "statistics.md")
    assert all(f"| `{kind}` |" in page for kind in (*typing.get_args(Kind), "roles"))


def test_speech_page_figures_are_those_of_the_start_page():
    row = re.search(r"^TV@10 +gender .*$", _text(DOCS / "start.md"), re.MULTILINE)
    assert row
    mean, _, _, chance, excess, low, high, *_ = (
        float(n) for n in re.findall(r"[+-]?\d+\.\d+", row[0])
    )
    sentence = " ".join(_text(DOCS / "speech.md").replace("\n> ", " ").split())
    assert abs(mean - chance - excess) < 0.002
    assert f"by {excess:.2f} (95 % interval {low:.2f} to {high:.2f}, q < .001" in sentence


def test_start_page_every_reading_is_explained():
    words = re.findall(
        r'"([a-z ]+)"',
        " ".join(re.findall(r"Reading\(([^)]*)\)", _text(ROOT / "src/fairlead/report/wording.py"))),
    )
    tones = {"worse", "better", "quiet", "caution"}
    assert len(set(words) - tones) > 4
    assert all(f"`{word}`" in _text(DOCS / "start.md") for word in set(words) - tones)


# Links, pictures, words


def _anchors(path: Path) -> set[str]:
    headings = re.findall(
        r"^#+ (.+)$",
        re.sub(r"^```.*?^```$", "", _text(path), flags=re.DOTALL | re.MULTILINE),
        re.MULTILINE,
    )
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in headings}


@pytest.mark.parametrize("path", ALL_PAGES, ids=_name)
def test_links_lead_to_a_file_and_a_heading(path):
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", _text(path), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        assert not link.startswith(("http:", "https:", "/")), f"{link}: pages lead nowhere else"
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{_name(path)} leads to {link}"
        assert not anchor or anchor in _anchors(target), f"{_name(path)} leads to {link}"


def test_picture_shows_what_the_demo_prints():
    shown, real = (
        " ".join(re.findall(r">([^<>]+)</text>", svg))
        for svg in (_text(DOCS / "images" / "demo.svg"), _tool("pictures").drawn())
    )
    assert "worse" in real.replace("&#160;", " ").split()
    assert examples.differs(shown.replace("&#160;", " "), real.replace("&#160;", " ")) is None, (
        "run: python docs/pictures.py"
    )


@pytest.mark.parametrize(
    "path",
    [DOCS / "images" / "demo.svg", DOCS / "stylesheets" / "extra.css", ROOT / "mkdocs.yml"],
    ids=_name,
)
def test_site_needs_nothing_from_elsewhere(path):
    assert not re.findall(r"https?://(?!www\.w3\.org/)", _text(path))


def test_site_builds_strictly(tmp_path):
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs is installed by make check")
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path),
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outside = re.compile(r"<(?:script|img|link)\b[^>]*(?:src|href)=\"?https?://")
    assert not [str(p) for p in tmp_path.rglob("*.html") if outside.search(_text(p))]


_NOT_OURS = re.compile(r"de-?bias|unbiased|\bfair(?:er)? model", re.IGNORECASE)
_WORKS = re.compile(
    r"oxai/debias-vision-lang|gender-debias|Debias Prompt|DeBiasLens|ZSDebias", re.IGNORECASE
)
_AT_HOME = {DOCS / "speech.md"}


def test_words_we_do_not_use_do_not_occur():
    source = [
        p for p in (ROOT / "src").rglob("*") if p.suffix in (".py", ".html", ".css", ".js", ".json")
    ]
    found = {}
    for path in [*ALL_PAGES, ROOT / "mkdocs.yml", *source]:
        hits = _NOT_OURS.findall(_WORKS.sub("", _text(path)))
        if hits and path not in _AT_HOME:
            found[_name(path)] = hits
    assert not found


def test_words_of_machines_and_makers_do_not_occur():
    foreign = re.compile(
        r"/work/|/root/|/home/\w|/tmp/|\bpypi\b|\bregistry host|\bAI assistant", re.IGNORECASE
    )
    assert not {
        _name(p): foreign.findall(_text(p)) for p in HAND_WRITTEN if foreign.search(_text(p))
    }
