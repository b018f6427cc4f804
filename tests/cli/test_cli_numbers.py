"""Options that are numbers: nan and inf are usage errors everywhere, by one type."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from fairlead.cli.main import cli
from fairlead.cli.numbers import Number
from fairlead.commands.frontier import FrontierPlan
from fairlead.commands.score import ScorePlan
from fairlead.errors import UsageError


def _commands(
    group: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            assert found is not None
            yield from _commands(found, (*path, name))


def test_every_option_with_a_point_is_held_to_finite_numbers():
    seen = 0
    for path, one in _commands(cli):
        for option in one.params:
            types = option.type.types if isinstance(option.type, click.Tuple) else [option.type]
            if path == ("frontier",):
                continue  # its plan holds them, see below
            loose = [
                t
                for t in types
                if isinstance(t, (click.types.FloatParamType, click.FloatRange))
                and not isinstance(t, Number)
            ]
            assert not loose, (path, option.name)
            seen += any(isinstance(t, Number) for t in types)
    assert seen >= 8


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
@pytest.mark.parametrize(
    "limits", [{}, {"min": 0}, {"min": 0, "max": 1}, {"min": 0, "min_open": True}]
)
def test_number_that_is_none_is_refused(value, limits):
    with pytest.raises(click.BadParameter, match=r"finite|range"):
        Number(**limits).convert(value, None, None)
    assert Number(**limits).convert("0.5", None, None) == 0.5


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_plan_refuses_what_is_no_number(value):
    with pytest.raises(UsageError, match=r"detect got (nan|inf): input should be a finite number"):
        ScorePlan.of(run={}, groups={}, detect=value)
    with pytest.raises(UsageError, match="finite number"):
        FrontierPlan.of(tolerance=value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0, -1.0])
def test_training_refuses_a_share_of_steps_that_is_none(value, tmp_path):
    from fairlead.commands.train_mitigated import train_mitigated

    pytest.importorskip("torch")
    with pytest.raises(UsageError, match="steps_factor got"):
        train_mitigated("fair_sample", tmp_path / "mine", steps_factor=value)
