"""Help texts: examples stay one to a line, and defaults are those of the code."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fairlead.cli.main import cli
from fairlead.commands.verbs import GROUPS, VERBS
from fairlead.engine.candidates import DEPTH


@pytest.mark.parametrize("name", ["", *GROUPS, *VERBS])
@pytest.mark.parametrize("columns", [60, 110])
def test_help_shows_each_example_on_a_line_of_its_own(name: str, columns: int) -> None:
    shown = CliRunner().invoke(cli, [*name.split(), "--help"], terminal_width=columns)
    assert shown.exit_code == 0
    lines = [line.strip() for line in shown.output.splitlines()]
    start = next(n for n, line in enumerate(lines) if line in ("Example:", "Examples:"))
    examples = lines[start + 1 : lines.index("", start)]
    going_on = False
    for line in examples:
        assert going_on or line.startswith(("fairlead ", "#", "pip ")), line
        assert line.count(" fairlead ") == 0, line
        going_on = line.endswith("\\")


@pytest.mark.parametrize("name", ["search", "audit"])
def test_help_of_depth_tells_the_default_of_the_engine(name: str) -> None:
    assert f"by default {DEPTH}, or k" in VERBS[name].plan.model_fields["depth"].description
