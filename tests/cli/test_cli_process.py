"""The command as a process of its own: speed, version, help, completion, pipes, encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

import fairlead

EXAMPLE = Path(str(files("fairlead") / "example"))
COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]


def _run(*args: object, **choices: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONWARNINGS": "error", **dict(choices.pop("env", {}))}  # type: ignore[call-overload]
    return subprocess.run(
        [*COMMAND, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        **choices,
    )  # type: ignore[call-overload]


def test_help_answers_in_under_three_tenths_of_a_second():
    best = float("inf")
    for _ in range(10):
        start = time.perf_counter()
        assert _run("--help").returncode == 0
        best = min(best, time.perf_counter() - start)
        if best < 0.3:
            return
    assert best < 0.3


def test_help_names_every_command_and_loads_nothing_heavy():
    code = "import sys; from fairlead.cli.main import cli; cli.main(['--help'], standalone_mode=False); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shown, _, loaded = done.stdout.rpartition("[")
    for name in (
        "score",
        "rerank",
        "check",
        "list",
        "audit",
        "calibrate",
        "train",
        "reproduce",
        "demo",
        "completion",
    ):
        assert f"\n  {name} " in shown
    for heavy in ("numpy", "rich", "pydantic", "pyarrow", "scipy", "jinja2"):
        assert f"'{heavy}'" not in loaded


@pytest.mark.parametrize(
    "command",
    [
        "score",
        "rerank",
        "check",
        "list",
        "audit",
        "calibrate",
        "train",
        "reproduce",
        "demo",
        "completion",
    ],
)
def test_help_of_a_command_has_an_example(command):
    done = _run(command, "--help")
    assert done.returncode == 0
    assert f"fairlead {command}" in done.stdout


def test_no_command_at_all_shows_the_help_and_is_a_usage_error():
    done = _run()
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: fairlead")


def test_version_is_the_package_version():
    done = _run("--version")
    assert (done.returncode, done.stdout.strip()) == (
        0,
        f"fairlead, version {fairlead.__version__}",
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_prints(shell):
    done = _run("completion", shell)
    assert done.returncode == 0
    assert "_FAIRLEAD_COMPLETE" in done.stdout


def test_completion_offers_commands_and_options():
    done = _run(
        env={"_FAIRLEAD_COMPLETE": "bash_complete", "COMP_WORDS": "fairlead sc", "COMP_CWORD": "1"}
    )
    assert "plain,score" in done.stdout
    done = _run(
        env={
            "_FAIRLEAD_COMPLETE": "bash_complete",
            "COMP_WORDS": "fairlead score --gr",
            "COMP_CWORD": "2",
        }
    )
    assert "plain,--groups" in done.stdout


@pytest.mark.parametrize(("typed", "offered"), [
    ("search --mitigate lev", {"levelled"}),
    ("audit --mitigate mi_clip+pb", {"mi_clip+pbm"}),
    ("frontier --mitigate f", {"fairexpec", "fairness_greedy", "fair_topk", "fitted:"}),
    ("score --metric ND", {"NDKL"}),
    ("search --model phantom", {"phantom", "phantom_ideal"}),
    ("search --model open", {"open_clip:"}),
    ("train projection --model lite", {"lite", "lite_tower"}),
    ("annotate photos --with f", {"face", "facepp:"}),
    ("annotate evaluate --with ml", {"mlp:"}),
    ("audit --benchmark phantom:s", {"phantom:skewed"}),
    ("audit --benchmark fl", {"flickr8k:"}),
    ("list lev", {"levelled"}),
    ("list tr", {"trainings"}),
    ("list adv", {"adversarial"}),
    ("train mitigated fa", {"fair_sample"}),
    ("train projection le", {"leace"}),
])  # fmt: skip
def test_completion_offers_names_of_the_registry(typed, offered):
    words = f"fairlead {typed}"
    done = _run(
        env={
            "_FAIRLEAD_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
    )
    assert {line.removeprefix("plain,") for line in done.stdout.split()} == offered


def test_list_of_trainings_loads_no_torch():
    code = "import sys; from fairlead.protocols.registry import card, entries; [card('training', n) for n in entries('training')]"
    code += "; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_completion_offers_only_benchmarks_that_are_there():
    from fairlead.cli import offers
    from fairlead.protocols.registry import make

    for name in offers._MORE[("benchmark",)]:
        assert str(make("benchmark", name)) == name


def test_demo_runs_and_says_that_it_is_no_evidence():
    done = _run("demo")
    assert done.returncode == 0
    # on a busy machine it takes more than five seconds, and tells how far it is
    assert all(" s" in line and " of " in line for line in done.stderr.splitlines())
    words = " ".join(done.stdout.split())
    assert "no evidence about any real search" in words
    assert "Each variant against plain" in done.stdout


def test_score_prints_json_alone_on_standard_output():
    done = _run(
        "score",
        EXAMPLE / "run.csv",
        "--groups",
        EXAMPLE / "labels.csv",
        "--metric",
        "AbsBias@10",
        "--json",
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert json.loads(done.stdout)["metrics"][0]["metric"] == "AbsBias@10"


def test_error_goes_to_standard_error_without_a_traceback(tmp_path):
    done = _run("score", tmp_path / "none.csv", "--groups", "x.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: There is no file")
    assert "Traceback" not in done.stderr


def test_reader_that_leaves_early_is_no_fault():
    script = f"{' '.join(map(_quoted, COMMAND))} list --json | head -c 10"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "fault" not in done.stderr


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_names_in_any_script_are_printed_in_any_locale(locale, tmp_path):
    (tmp_path / "run.csv").write_text(
        "query,item,score\nmédecin,写真,2\nmédecin,b,1\nq2,写真,1\n", encoding="utf-8"
    )
    (tmp_path / "labels.csv").write_text("item,genre\n写真,féminin\nb,masculin\n", encoding="utf-8")
    done = _run(
        "score", "run.csv", "--groups", "labels.csv", "--json", cwd=tmp_path, env={"LC_ALL": locale}
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["per_query"][0]["query"] == "médecin"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
