"""The Python function of a verb, made from its plan: real parameters, the same defaults, help."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

from pydantic.fields import FieldInfo

from fairlead.engine.plan import Plan
from fairlead.protocols import Progress
from fairlead.protocols.trust import spoken

if TYPE_CHECKING:
    from fairlead.commands.verbs import Verb

Result = TypeVar("Result")
P = TypeVar("P", bound=Plan)
_PROGRESS = "progress"
_WIDTH = 96


def as_function(
    name: str, plan: type[P], run: Callable[[P, Progress | None], Result]
) -> Callable[..., Result]:
    """The function that Python users call: it makes the plan and runs the verb.

    Args:
        name: What it is called.
        plan: The fields are its parameters.
        run: What the verb does with a plan.
    """

    def function(*values: Any, **choices: Any) -> Result:
        progress = choices.pop(_PROGRESS, None)
        given = _by_name(name, values, choices, plan)
        with spoken(given):
            asked = plan.of(**given)
            if plan.outputs():
                _spare(asked)
            return run(asked, progress)

    # help(), editors and the generated pages read the parameters here; the function itself takes
    # whatever it is given, so that the plan can tell all faults together.
    function.__signature__ = signature_of(plan, run)  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__module__ = run.__module__
    function.__doc__ = documentation(plan)
    return function


def _spare(asked: Plan) -> None:
    """Refuse a plan that would write over what it reads."""
    # Plans that write nothing do not pay for the import.
    from fairlead.engine.spared import spare

    spare(type(asked), {name: getattr(asked, name) for name in type(asked).model_fields})


def _by_name(
    name: str, values: Sequence[Any], choices: Mapping[str, Any], plan: type[Plan]
) -> dict[str, Any]:
    """What was given, by field; the plan refuses names that no field has."""
    several = next((one[1:] for one in plan.positional if one.startswith("*")), None)
    if several is not None:
        # Empty values are None, which a plan takes as not given: its own default holds.
        return {**choices, several: values or choices.get(several)}
    if len(values) > len(plan.positional):
        most = len(plan.positional)
        # Python's own error and words: to the caller this is a function like any other.
        raise TypeError(f"{name}() takes {most} positional arguments, {len(values)} were given")
    by_place = dict(zip(plan.positional, values, strict=False))
    twice = by_place.keys() & choices.keys()
    if twice:
        raise TypeError(f"{name}() got several values for '{min(twice)}'")
    return {**by_place, **choices}


def signature_of(plan: type[Plan], run: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a verb's function."""
    return inspect.Signature([*_parameters(plan)], return_annotation=returned(run))


def _parameters(plan: type[Plan]) -> Iterator[inspect.Parameter]:
    for name in plan.positional:
        field = plan.model_fields[name.lstrip("*")]
        if name.startswith("*"):
            kind = inspect.Parameter.VAR_POSITIONAL
            yield inspect.Parameter(name[1:], kind, annotation=_one_of(field))
        else:
            yield _parameter(name, field, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for name, field in plan.model_fields.items():
        if name not in plan.positional and f"*{name}" not in plan.positional:
            yield _parameter(name, field, inspect.Parameter.KEYWORD_ONLY)
    yield inspect.Parameter(
        _PROGRESS,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Progress | None,
    )


def _parameter(name: str, field: FieldInfo, kind: Any) -> inspect.Parameter:
    default = field.default
    # pydantic has a marker of its own for no default; inspect would show it as a value.
    if field.is_required():
        default = inspect.Parameter.empty
    return inspect.Parameter(name, kind, default=default, annotation=accepted(field))


def returned(run: Callable[..., Any]) -> Any:
    """What a verb returns."""
    return inspect.get_annotations(run).get("return", inspect.Parameter.empty)


def accepted(field: FieldInfo) -> Any:
    """The type that a caller may give: of several values, one alone too."""
    plain = _plain(field.annotation)
    options = [one for one in get_args(plain) if one is not type(None)]
    is_optional = len(options) < len(get_args(plain)) and get_origin(plain) is not tuple
    inner = plain
    if is_optional and len(options) == 1:
        inner = options[0]
    if get_origin(inner) is not tuple or get_args(inner)[-1:] != (Ellipsis,):
        return plain
    item = get_args(inner)[0]
    many = item | Sequence[item]  # type: ignore[valid-type]
    if is_optional:
        return many | None
    return many


def _one_of(field: FieldInfo) -> Any:
    """The type of one of several values."""
    return get_args(_plain(field.annotation))[0]


def _plain(annotation: Any) -> Any:
    """A type without what is written beside it."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin is None or not get_args(annotation):
        return annotation
    inner = tuple(_plain(one) for one in get_args(annotation))
    if inner == get_args(annotation):
        return annotation
    # Python 3.14 has one class for both spellings of a union; before, there were two.
    if str(origin) in ("<class 'types.UnionType'>", "typing.Union", "<class 'typing.Union'>"):
        # types.UnionType cannot be subscribed, so the parts are joined one by one.
        joined = inner[0]
        for one in inner[1:]:
            joined = joined | one
        return joined
    return origin[inner]


def documentation(plan: type[Plan]) -> str:
    """The docstring: what the plan says of itself, then each parameter."""
    text = inspect.cleandoc(plan.__doc__ or "")
    lines = [_described(name, field) for name, field in ordered(plan)]
    lines.append(_entry(_PROGRESS, "Told what is done and how much there is to do."))
    return "\n".join([text, "", "Args:", *lines])


def ordered(plan: type[Plan]) -> list[tuple[str, FieldInfo]]:
    """Name and field in the order of the parameters."""
    first = [name.lstrip("*") for name in plan.positional]
    rest = [name for name in plan.model_fields if name not in first]
    return [(name, plan.model_fields[name]) for name in (*first, *rest)]


def _described(name: str, field: FieldInfo) -> str:
    return _entry(name, field.description or "")


def _entry(name: str, text: str) -> str:
    return textwrap.fill(
        f"{name}: {text}", _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8
    )


class Namespace:
    """Functions of several verbs under one name, such as ``fairlead.train``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        verb = _verbs().get(f"{self._name}.{name}")
        if verb is None:
            raise AttributeError(f"'fairlead.{self._name}' has no function '{name}'")
        function = verb.function
        # Found here the next time, without a call of __getattr__.
        setattr(self, name, function)
        return function

    def __dir__(self) -> list[str]:
        inner = [name.partition(".") for name in _verbs()]
        return [last for first, _, last in inner if first == self._name]

    def __repr__(self) -> str:
        return f"<fairlead.{self._name}: {', '.join(dir(self))}>"


@cache
def public(name: str) -> Any:
    """What ``fairlead`` has under a name: the function of a verb, or several of them."""
    verb = _verbs().get(name)
    if verb is None:
        return Namespace(name)
    return verb.function


def _verbs() -> dict[str, Verb]:
    """Every verb by its name in Python."""
    # The table imports this module for its functions, so it is asked for late.
    from fairlead.commands.verbs import VERBS

    return {verb.python: verb for verb in VERBS.values()}
