"""The one text form of every choice: ``name:address(key=value, ...)@k``.

It is the flag, the config value, the column label, the cache key and the log entry, so it
round-trips: ``parse(str(x)) == x``. ``@`` counts only as a trailing ``@digits``; an address with
special characters is quoted.

``Configured`` gives a frozen dataclass this form. Its fields are the parameters, checked by their
annotations.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import numbers
import re
import typing
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from fairlead.errors import UsageError, unknown_name

Value = str | int | float | bool | None

_SPEC = re.compile(
    r"""^\s*(?P<name>[A-Za-z][\w.*+-]*)
        (?::(?P<address>"(?:[^"\\]|\\.)*"|[^()"\s,]+?))?
        (?:\((?P<args>.*)\))?
        (?:@(?P<k>\d+))?\s*$""",
    re.VERBOSE | re.DOTALL,
)
_ARG = re.compile(
    r'\s*(?P<key>[A-Za-z_]\w*)\s*=\s*(?P<value>"(?:[^"\\]|\\.)*"|[^,"()]*?)\s*(?:,|$)'
)
_BARE_ADDRESS = re.compile(r'[^()"\s,]+')
_BARE_WORD = re.compile(r"[A-Za-z_][\w.+*/-]*")
# Not what float() reads: to it, nan, inf and 1_000 are numbers too.
_NUMBER = re.compile(r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$")
_WORDS: dict[str, Value] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Spec:
    """A parsed choice: name, address, parameters in their given order, cut-off."""

    name: str
    address: str | None = None
    args: tuple[tuple[str, Value], ...] = field(default=())
    k: int | None = None

    def __str__(self) -> str:
        text = self.name
        if self.address is not None:
            # without quotes, digits behind an @ would be read back as the cut-off
            bare = _BARE_ADDRESS.fullmatch(self.address) and not re.search(r"@\d+$", self.address)
            text += ":" + (self.address if bare else json.dumps(self.address, ensure_ascii=False))
        if self.args:
            text += "(" + ",".join(f"{key}={format_value(value)}" for key, value in self.args) + ")"
        return text if self.k is None else f"{text}@{self.k}"


def parse(text: str, example: str = "NDKL@100 or pbm(theta=0.5)") -> Spec:
    """Read the text form; ``example`` is of the kind that is expected.

    >>> parse("NDKL(over=relevant)@100")
    Spec(name='NDKL', address=None, args=(('over', 'relevant'),), k=100)
    """
    match = _SPEC.match(text)
    if match is None:
        raise UsageError(
            f"'{text}' is not of the form name:address(key=value)@k.",
            f"Example: {example}.",
        )
    address = match["address"]
    if address is not None and address.startswith('"'):
        address = json.loads(address)
    k = match["k"]
    return Spec(
        match["name"], address, _parse_args(match["args"], text), None if k is None else int(k)
    )


def _parse_args(args: str | None, text: str) -> tuple[tuple[str, Value], ...]:
    arguments: dict[str, Value] = {}
    rest = args or ""
    while rest.strip():
        match = _ARG.match(rest)
        if match is None:
            raise UsageError(
                f"In '{text}', '{rest.strip()}' is not key=value.",
                "Quote values with special characters.",
            )
        if match["key"] in arguments:
            raise UsageError(f"In '{text}', {match['key']} is given twice.")
        arguments[match["key"]] = _parse_value(match["value"])
        rest = rest[match.end() :]
    return tuple(arguments.items())


def _parse_value(text: str) -> Value:
    if text.startswith('"'):
        return str(json.loads(text))
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.match(text):
        if re.match(r"^[+-]?\d+$", text):
            return int(text)
        return float(text)
    return text


def format_value(value: Value) -> str:
    """A parameter value as text that ``parse`` reads back to the same value."""
    # bool first: it is an int to isinstance
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    # quoted, the text "true" comes back as a text
    bare = _BARE_WORD.fullmatch(value) and value.lower() not in _WORDS
    if bare:
        return value
    return json.dumps(value, ensure_ascii=False)


class Configured:
    """Mixin for frozen dataclasses whose fields are parameters: validation, text form, identity.

    A field annotated ``Literal[...]`` accepts those words only; ``int``, ``float``, ``bool`` and
    ``str`` accept their kind. Subclasses set ``name`` and may tighten the check in ``validate``;
    ``addressed`` names the field that is the address.
    """

    name: ClassVar[str]
    addressed: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        hints = _hints(typing.cast(Any, type(self)))
        # fields are brought to their kind here, so that theta=1 and theta=1.0 are one cache key
        for item in _fields(self):
            value = _checked(
                f"{self.name}({item.name}=...)", hints[item.name], getattr(self, item.name)
            )
            object.__setattr__(self, item.name, value)
        self.validate()

    def validate(self) -> None:
        """Refuse parameter values that their types allow but the algorithm does not."""

    @property
    def spec(self) -> Spec:
        """This object's choice: parameters that differ from their defaults."""
        given = {f.name: getattr(self, f.name) for f in _fields(self)}
        defaults = {f.name: f.default for f in _fields(self)}
        k = given.pop("k", None)
        address = given.pop(self.addressed) if self.addressed is not None else None
        return Spec(
            self.name,
            address or None,
            tuple((n, v) for n, v in given.items() if v != defaults[n]),
            k,
        )

    def __str__(self) -> str:
        return str(self.spec)

    @classmethod
    def from_spec(cls, spec: Spec) -> typing.Self:
        """Build from a parsed spec; unknown parameters are answered with the nearest known ones."""
        known = [f.name for f in _fields(cls)]
        args: dict[str, Any] = dict(spec.args)
        if spec.address is not None and cls.addressed is None:
            raise UsageError(
                f"{cls.name} takes no address (got '{spec.address}').",
                f"Write {cls.name}(key=value).",
            )
        for key in args:
            if key not in known or key == cls.addressed:
                raise unknown_name(
                    f"parameter of {cls.name}",
                    key,
                    [name for name in known if name != cls.addressed],
                )
        if cls.addressed is not None:
            if (
                spec.address is None
                and _fields(cls)[known.index(cls.addressed)].default is dataclasses.MISSING
            ):
                raise UsageError(
                    f"{cls.name} needs an address.", f"Write {cls.name}:{cls.addressed.upper()}."
                )
            args |= {} if spec.address is None else {cls.addressed: spec.address}
        if spec.k is not None:
            if "k" not in known:
                raise UsageError(f"{cls.name} takes no @k (got @{spec.k}).")
            if "k" in args:
                raise UsageError(
                    f"{cls.name} got its cut-off twice: k={args['k']} and @{spec.k}.",
                    f"Write {cls.name}@{spec.k}.",
                )
            args["k"] = spec.k
        return cls(**args)


def _fields(owner: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(owner)


# Reading annotations takes longer than making the object, and is done once for a class.
@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _checked(what: str, hint: Any, value: Any) -> Any:
    """The value, brought to its annotated kind, or a UsageError that says what is accepted."""
    options = typing.get_args(hint) if typing.get_origin(hint) is not Literal else ()
    if options:  # a union such as int | None
        if value is None and type(None) in options:
            return None
        hint = next(o for o in options if o is not type(None))
    if typing.get_origin(hint) is Literal:
        words = typing.get_args(hint)
        # the texts adjust=none and base=2 mean the words
        if isinstance(value, (int, float, bool, type(None))) and format_value(value) in words:
            return format_value(value)
        if value not in words:
            raise UsageError(f"{what} got {value!r}.", f"Accepted: {', '.join(map(str, words))}.")
        return value
    if (
        hint is float
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
    ):
        return float(value)
    if hint is int and not isinstance(value, bool) and isinstance(value, numbers.Integral):
        return int(value)
    if hint is str and isinstance(value, (int, float)) and not isinstance(value, bool):
        return format_value(value)
    if (
        isinstance(value, hint)
        and (hint is bool or not isinstance(value, bool))
        and hint is not float
    ):
        return value
    raise UsageError(f"{what} got {value!r}.", f"Accepted: {_KINDS.get(hint, str(hint))}.")


_KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a word or quoted text",
}
