"""Commands made from the table of verbs: each field of a plan is an argument or an option."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from click.core import ParameterSource
from pydantic.fields import FieldInfo

from fairlead.cli.numbers import Number
from fairlead.cli.offers import offer_of
from fairlead.cli.options import OutputPath
from fairlead.commands.verbs import VERBS
from fairlead.engine.plan import Cli, Plan
from fairlead.protocols.trust import spoken

_NONE = type(None)
_PLAIN: dict[Any, click.ParamType[Any]] = {int: click.INT, float: Number(), str: click.STRING}


def command_of(name: str, *examples: str) -> Callable[[Callable[..., None]], click.Command]:
    """A command whose arguments and options are the fields of a verb's plan.

    The decorated function gets ``choices``, the fields by name, and what its own options say:
    these are of the door alone, such as ``--json``. Its help is what the plan says of itself.

    Args:
        name: The verb, as the table names it.
        examples: Lines of a shell that show how it is used.
    """
    verb = VERBS[name]
    plan = verb.plan

    def made(callback: Callable[..., None]) -> click.Command:
        # Decorators run from the lowest up: click collects what they add in reverse.
        own = getattr(callback, "__click_params__", [])[::-1]

        @wraps(callback)
        def run(**values: Any) -> None:
            choices = {field: _given(field, values.pop(field)) for field in plan.model_fields}
            with spoken(choices):
                _spare(plan, choices, own, values)
                callback(choices=choices, **values)

        return click.Command(
            name.rpartition(" ")[2],
            callback=run,
            params=[*parameters(plan), *own],
            help=_help(plan, examples),
            short_help=verb.about,
        )

    return made


def _given(field: str, value: Any) -> Any:
    """A value that somebody gave; None where click fills in the default.

    The plan has the default too, and a plan must know what was said: a saved run keeps its own
    choices but for those that are given.
    """
    source = click.get_current_context().get_parameter_source(field)
    return None if source is ParameterSource.DEFAULT else value


def _spare(
    plan: type[Plan], choices: Mapping[str, Any], own: Sequence[Any], values: Mapping[str, Any]
) -> None:
    """Refuse an output that would take the place of an input, those of the door among them."""
    paths = [
        one for one in own if isinstance(one.type, click.Path) and values[one.name] is not None
    ]
    places = [one for one in paths if isinstance(one.type, OutputPath)]
    # A command that writes nothing need not know how to look.
    if not places and not plan.outputs():
        return
    from fairlead.engine.spared import Written, spare

    spare(
        plan,
        choices,
        *(Written(values[one.name], about=one.type.about) for one in places),
        reads=[values[one.name] for one in paths if one not in places],
    )


def _help(plan: type[Plan], examples: tuple[str, ...]) -> str:
    """What the plan says of itself, without examples for Python, and examples for a shell."""
    text = "\n".join(line.strip() for line in (plan.__doc__ or "").strip().splitlines())
    about = text.partition("\n\n>>>")[0].replace("``", "'")
    heading = "Example:" if len(examples) == 1 else "Examples:"
    shown = [f"  {example}" for example in examples]
    # Behind \b click leaves the lines as they are, so that examples can be copied.
    return "\n".join([about, "", "\b", heading, *shown])


def parameters(plan: type[Plan]) -> Iterator[click.Parameter]:
    """Of each field of a plan, the argument or the option."""
    for name, field in plan.model_fields.items():
        cli = Cli.of(field)
        made = _argument(name, field, cli) if cli.argument else _option(name, field, cli)
        if cli.kinds:
            made.shell_complete = offer_of(cli.kinds)  # type: ignore[method-assign, assignment]
        yield made


def _argument(name: str, field: FieldInfo, cli: Cli) -> click.Argument:
    value = _Value.of(field)
    choices: dict[str, Any] = {"type": _click_type(value, cli), "metavar": cli.metavar}
    if value.is_several:
        return click.Argument([name], nargs=-1, required=field.is_required(), **choices)
    if field.is_required():
        return click.Argument([name], **choices)
    return click.Argument([name], required=False, default=field.default, **choices)


def _option(name: str, field: FieldInfo, cli: Cli) -> click.Option:
    value = _Value.of(field)
    flags = list(cli.flags or (f"--{name.replace('_', '-')}",))
    choices: dict[str, Any] = {"help": field.description, "metavar": cli.metavar}
    if field.is_required():
        choices["required"] = True
    else:
        choices["default"] = () if value.is_mapping else field.default
        # A default of 0 tells something; a flag that is not given does not.
        is_said = field.default == 0 and field.default is not False
        choices["show_default"] = cli.shows_default and bool(field.default or is_said)
    if value.item is bool:
        if cli.off:
            return click.Option([f"{flags[-1]}/{cli.off}", name], **choices)
        return click.Option([*flags, name], is_flag=True, **choices)
    if value.width > 1:
        choices["nargs"] = value.width
    return click.Option(
        [*flags, name], type=_click_type(value, cli), multiple=value.is_repeated, **choices
    )


@dataclass(frozen=True)
class _Value:
    """What one value of a field is.

    Attributes:
        item: Its type, of a pair that of each half.
        width: How many words it has.
        is_several: Whether there may be several.
        is_mapping: Whether they have names (``NAME=FILE``).
    """

    item: Any
    width: int = 1
    is_several: bool = False
    is_mapping: bool = False

    @classmethod
    def of(cls, field: FieldInfo) -> _Value:
        """The value of a field."""
        inner = _without_none(_bare(field.annotation))
        if get_origin(inner) is dict:
            return cls(str, is_mapping=True)
        is_several = _is_several(inner)
        if is_several:
            inner = _bare(get_args(inner)[0])
        if get_origin(inner) is tuple:
            return cls(_bare(get_args(inner)[0]), len(get_args(inner)), is_several)
        return cls(inner, is_several=is_several)

    @property
    def is_repeated(self) -> bool:
        """Whether the option may be given again."""
        return self.is_several or self.is_mapping


def _is_several(annotation: Any) -> bool:
    """Whether a type is that of any number of values."""
    return get_origin(annotation) is tuple and get_args(annotation)[-1:] == (Ellipsis,)


def _click_type(value: _Value, cli: Cli) -> click.ParamType[Any]:
    """How click reads one value; numbers keep to their limits when the plan is made."""
    if cli.file:
        return click.Path()
    if get_origin(value.item) is Literal:
        return click.Choice(get_args(value.item))
    return _PLAIN.get(value.item, click.STRING)


def _bare(annotation: Any) -> Any:
    """A type without what is written beside it."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return annotation


def _without_none(annotation: Any) -> Any:
    """The type of a value that is there."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    options = [one for one in get_args(annotation) if one is not _NONE]
    return _bare(options[0]) if len(options) == 1 else annotation
