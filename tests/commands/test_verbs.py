"""The table of verbs: every plan is described, and all doors say the same."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from jsonschema import Draft202012Validator

import fairlead
from fairlead.cli.main import cli
from fairlead.cli.options import Lines
from fairlead.commands.functions import documentation
from fairlead.commands.verbs import GROUPS, VERBS, Verb, schemas
from fairlead.engine.plan import Cli
from fairlead.errors import UsageError

EVERY = pytest.mark.parametrize("verb", VERBS.values(), ids=list(VERBS))
DOOR_ALONE = {
    "score": {"out", "as_json"},
    "rerank": {"out", "as_json"},
    "check": {"min_coverage", "as_json"},
    "list": {"as_long", "as_json"},
    "embed": {"as_json"},
    "search": {"out", "sheet", "pictures", "as_json"},
    "trigger": {"evaluate", "half", "as_json"},
    "index": {"as_json"},
    "remove": {"as_json"},
    "annotate collection": {"out", "wanted", "as_json"},
    "annotate evaluate": {"more", "as_json"},
    "annotate compare": {"out", "as_json"},
    "annotate neutral": set(),
    "annotate human task": {"as_json"},
    "annotate human plan": {"out", "as_json"},
    "annotate human import": {"as_json"},
    "annotate human export": set(),
    "annotate human status": {"as_json"},
    "annotate human forget": {"as_json"},
    "audit": {"out", "folder", "as_json"},
    "replay": {"out", "as_json"},
    "frontier": {"check", "out", "as_json"},
    "calibrate": {"as_json"},
    "simulate labels": {"as_json"},
    "simulate labeller": {"out", "as_json"},
    "train phantom": set(),
    "train lite": set(),
    "train attribute": {"out", "as_json"},
    "train mitigated": {"as_json"},
    "train projection": {"out", "as_json"},
    "reproduce": {"rows", "as_json"},
    "demo": {"out", "as_json"},
    "doctor": {"as_json"},
}
"""What the command line has beside the plan: how a result is written and shown."""


def command_of(verb: Verb) -> click.Command:
    command: Any = cli
    for word in verb.name.split():
        command = command.get_command(click.Context(command), word)
    assert isinstance(command, click.Command)
    return command


def function_of(verb: Verb) -> Any:
    found: Any = fairlead
    for name in verb.python.split("."):
        found = getattr(found, name)
    return found


@EVERY
def test_plan_every_field_is_typed_and_described_with_an_example(verb):
    assert verb.plan.__doc__
    for name, field in verb.plan.model_fields.items():
        assert field.description, name
        assert field.description[-1] in ".?", (name, field.description)
        assert field.examples, name
        assert field.annotation is not None, name
        assert Any not in (field.annotation, *get_args(field.annotation)), name


@EVERY
def test_plan_is_frozen_and_refuses_what_it_does_not_know(verb):
    assert verb.plan.model_config["frozen"]
    with pytest.raises(UsageError, match="no choice called 'bogus'"):
        verb.plan.of(bogus=1)


@EVERY
def test_command_has_the_fields_of_the_plan_and_what_its_door_adds(verb):
    names = {parameter.name for parameter in command_of(verb).params}
    assert names == {*verb.plan.model_fields, *DOOR_ALONE[verb.name]}


@EVERY
def test_signature_has_the_fields_of_the_plan(verb):
    parameters = inspect.signature(function_of(verb)).parameters
    assert {*parameters} == {*verb.plan.model_fields, "progress"}
    for name in verb.plan.positional:
        assert name.lstrip("*") in verb.plan.model_fields


@EVERY
def test_defaults_are_equal_on_all_doors(verb):
    parameters = inspect.signature(function_of(verb)).parameters
    options = {one.name: one for one in command_of(verb).params}
    context = click.Context(command_of(verb))
    properties = schemas()[verb.name].get("properties", {})
    for name, field in verb.plan.model_fields.items():
        if field.is_required():
            assert options[name].required, name
            assert "default" not in properties[name], name
            continue
        several = getattr(options[name], "nargs", 1) == -1
        assert several or parameters[name].default == field.default, name
        if several:
            continue  # an argument that may be left out has no default of its own
        shown = options[name].get_default(context)
        assert shown == field.default or not (shown or field.default), name
        assert json.loads(json.dumps(field.default)) == properties[name]["default"], name


@EVERY
def test_function_documents_every_parameter(verb):
    text = function_of(verb).__doc__
    assert text == documentation(verb.plan)
    for name in (*verb.plan.model_fields, "progress"):
        assert f"\n    {name}: " in text


@EVERY
def test_schema_is_one_and_names_every_field(verb):
    schema = verb.schema()
    Draft202012Validator.check_schema(schema)
    assert {*schema.get("properties", {})} == {*verb.plan.model_fields}
    assert schema["additionalProperties"] is False
    for name, about in schema.get("properties", {}).items():
        assert about["description"] == verb.plan.model_fields[name].description


@EVERY
def test_completion_kinds_are_those_of_the_registry(verb):
    from fairlead.protocols.registry import entries

    for field in verb.plan.model_fields.values():
        for cli_of in (one for one in field.metadata if isinstance(one, Cli)):
            for kind in cli_of.kinds:
                assert kind == "*" or entries(kind), kind


def test_table_every_command_is_there_and_no_other():
    def names(group: Any, before: str = "") -> set[str]:
        found = set[str]()
        for name in group.list_commands(click.Context(group)):
            inner = group.get_command(click.Context(group), name)
            full = f"{before}{name}"
            found |= names(inner, f"{full} ") if isinstance(inner, click.Group) else {full}
        return found

    assert names(cli) == {*VERBS, "completion"}
    assert {name.rpartition(" ")[0] for name in VERBS} - {""} <= {*GROUPS}
    assert {*DOOR_ALONE} == {*VERBS}


def test_stub_is_that_of_the_table():
    script = Path(__file__).parents[2] / "docs" / "stub.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_table_and_face_load_nothing_heavy():
    code = "import fairlead, fairlead.commands.verbs, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pydantic", "click"} & {*done.stdout.split()}


def test_function_values_by_position_are_checked():
    with pytest.raises(TypeError, match="takes 2 positional arguments, 3 were given"):
        fairlead.check({}, {}, {})
    with pytest.raises(TypeError, match="several values for 'run'"):
        fairlead.check({}, run={})
    with pytest.raises(UsageError, match="'mitigate' must be given"):
        fairlead.rerank({"q": {"a": 1.0}}, {}, k=1)


def test_namespace_lists_its_functions_and_refuses_others():
    assert set(dir(fairlead.human)) == {
        "export_answers", "forget", "import_answers", "plan", "status", "task",
    }  # fmt: skip
    with pytest.raises(AttributeError, match=r"fairlead\.train.*no function 'bogus'"):
        fairlead.train.bogus  # noqa: B018


def test_manifest_names_objects_by_their_text_form_or_their_type():
    plan = VERBS["audit"].plan.of(model=fairlead.make("encoder", "phantom"), groups=object())
    assert plan.described()["model"] == "phantom"
    assert plan.described()["groups"] == {"object": "object"}


def test_progress_without_a_terminal_is_told_now_and_then(capsys):
    now = [0.0]
    lines = Lines(lambda: now[0])
    for second in range(200):
        now[0] = float(second)
        lines.tell("encoding", second, 200)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "encoding: 5 of 200, 5 s"
    assert 4 <= len(told) <= 9


@pytest.mark.parametrize(("kind", "text", "example"), [
    ("encoder", "ViT-B/32", "open_clip:"), ("metric", "NDKL@@", "NDKL@100"),
    ("annotator", "a b", "mlp:"), ("index", "a b", "faiss"),
])  # fmt: skip
def test_error_of_a_choice_gives_an_example_of_its_kind(kind, text, example):
    with pytest.raises(UsageError) as error:
        fairlead.make(kind, text)
    assert example in error.value.hint


def test_no_field_or_default_is_written_twice():
    """What plans share is a field of ``engine/plan_fields.py``, or a plan that others build on."""
    written: dict[tuple[str, str], list[str]] = {}
    folder = Path(fairlead.__file__).parent
    for path in [*(folder / "commands").glob("*.py"), folder / "engine" / "plan.py"]:
        classes = (
            n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.ClassDef)
        )
        for plan in classes:
            if not any("Plan" in ast.unparse(base) for base in plan.bases):
                continue
            for field in plan.body:
                if not isinstance(field, ast.AnnAssign):
                    continue
                literal = isinstance(field.value, ast.Constant)
                if literal or "Field(" in ast.unparse(field.annotation):
                    text = ast.unparse(field.annotation) + (
                        ast.unparse(field.value) if field.value else ""
                    )
                    place = f"{path.name}:{plan.name}"
                    written.setdefault((ast.unparse(field.target), text), []).append(place)
    assert {key[0]: places for key, places in written.items() if len(places) > 1} == {}
