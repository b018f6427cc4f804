"""``py:module:object``: an encoder of your own, in any module that Python can import.

The current folder is importable, as with ``python -m`` (unless Python runs with -P or
PYTHONSAFEPATH). The object is a class, a function that makes an encoder, or an encoder; what stands
in brackets goes to the class or function: ``py:mine:Encoder(width=8)``.

An encoder has ``texts(texts)``, ``images(images)`` or both, each giving an array (items,
dimensions) in the order of the items; images come as Pillow images in RGB. All else may be left
out: a parameter called ``role`` is given "query" or "item"; ``Embeddings`` with offsets are many
vectors per item; ``unit = False`` keeps the lengths of vectors, which are otherwise made 1;
``fingerprint`` says what the vectors depend on; ``prepare(image)`` and ``prepared(images)`` split
the work on images, so that the first half runs ahead on other threads; ``batch`` is how many items
come at once; ``about()`` adds to the manifest.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar, Self

import numpy as np

from fairlead.encoders.vectors import joined, rgb, unit
from fairlead.errors import BackendError, DataError, FairleadError, UsageError, unknown_name
from fairlead.protocols import Capabilities, Capable, Role
from fairlead.protocols.reach import CODE, Reach
from fairlead.protocols.spec import Configured, Spec, Value, format_value
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

_BATCH = 64
_CARD = "An encoder of your own; what it is good for, only you can say."
_MAKING = RLock()


class Arguments(tuple[tuple[str, Value], ...]):
    """What is passed to the class or function, in the given order."""

    __slots__ = ()


NONE = Arguments()


@dataclass(frozen=True)
class Python(Configured):
    """Your own encoder: ``texts`` and ``images`` of any object that Python can import."""

    object: str
    arguments: Arguments = NONE

    name: ClassVar[str] = "py"
    addressed: ClassVar[str] = "object"
    reaches: ClassVar[Reach] = Reach(CODE)

    def validate(self) -> None:
        module, colon, attribute = self.object.partition(":")
        if not colon or not all(
            part.isidentifier() for part in [*module.split("."), *attribute.split(".")]
        ):
            hint = (
                "Write py:module:object, as in py:my_encoders:Encoder for the class Encoder "
                "of my_encoders.py."
            )
            raise UsageError(f"'{self.object}' is not a module and an object in it.", hint)

    @classmethod
    def from_spec(cls, spec: Spec) -> Self:
        if spec.address is None or spec.k is not None:
            raise UsageError(
                f"'{spec}' does not name an object.",
                "Write py:module:object or py:module:object(key=value).",
            )
        return cls(spec.address, Arguments(spec.args))

    @property
    def spec(self) -> Spec:
        return Spec(self.name, self.object, tuple(self.arguments))

    @property
    def batch(self) -> int:
        """How many items the object takes at once."""
        return self._made.batch

    def capabilities(self) -> Capabilities:
        """What the object says of itself, where it does so."""
        user_encoder = self._made
        if isinstance(user_encoder.given, Capable):
            return user_encoder.given.capabilities()
        return Capabilities(card=_CARD, batch=user_encoder.batch)

    def afresh(self) -> Self:
        """The encoder itself: it counts nothing."""
        return self

    @property
    def fingerprint(self) -> str:
        """The object's own fingerprint, else its choice and the source of its module."""
        stated = self._made.fingerprint
        if stated is not None:
            return hashlib.sha256(f"{self} {stated}".encode()).hexdigest()[:16]
        digest = hashlib.sha256(str(self).encode())
        source = inspect.getsourcefile(importlib.import_module(self.object.partition(":")[0]))
        digest.update(Path(source).read_bytes() if source else b"")
        return digest.hexdigest()[:16]

    def about(self) -> dict[str, Any]:
        """What the manifest records."""
        user_encoder = self._made
        warnings = []
        if user_encoder.fingerprint is None:
            warnings.append(
                f"{self.object} has no fingerprint: its vectors are kept by this choice and "
                "its module's source, "
                "and a change of weights or of other modules goes unseen."
            )
        more = user_encoder.member("about")
        return {
            "model": self.object,
            "arguments": {key: format_value(value) for key, value in self.arguments},
            "dimensions": user_encoder.width,
            "fingerprint": self.fingerprint,
            "warnings": warnings,
            **(dict(more()) if callable(more) else {}),
        }

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) vectors."""
        return self._made.embed("texts", texts, role)

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) vectors."""
        return self.prepared([self.prepare(image) for image in images], role)

    def prepare(self, image: Any) -> Any:
        """One image as the object prepares it; a reference (text) is passed on as it is."""
        picture = image if isinstance(image, str) else rgb(image)
        function = self._made.member("prepare")
        if callable(function):
            return self._made.call("prepare", function, picture)
        return picture

    def prepared(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) vectors of prepared images."""
        splits = callable(self._made.member("prepare"))
        return self._made.embed("prepared" if splits else "images", images, role)

    @property
    def _made(self) -> _Made:
        with _MAKING:  # threads that prepare pictures must not make it twice
            return _made(self.object, self.arguments, str(self))


class _Made:
    """The user's encoder, with what its vectors so far have shown."""

    def __init__(self, name: str, given: Any) -> None:
        self.name, self.given = name, given
        self.width: int | None = None
        self.many: bool | None = None
        self.unit = bool(self.member("unit", True))
        self.batch = self.member("batch", _BATCH)
        if isinstance(self.batch, bool) or not isinstance(self.batch, int) or self.batch < 1:
            raise UsageError(
                f"{name} has batch = {self.batch!r}.", "Accepted: a whole number from 1."
            )

    def member(self, name: str, otherwise: Any = None) -> Any:
        """What the user's object has under a documented name; only its vectors are required."""
        # The object is anybody's and of no class of ours: its members are all that is known of it.
        return getattr(self.given, name, otherwise)

    @property
    def fingerprint(self) -> str | None:
        stated = self.member("fingerprint")
        stated = self.call("fingerprint", stated) if callable(stated) else stated
        if stated is None:
            return None
        return str(stated)

    def embed(self, method: str, items: Sequence[Any], role: Role) -> Embeddings:
        """The vectors of items, a batch at a time, checked."""
        function = self.member(method)
        if not callable(function):
            raise UsageError(
                f"{self.name} has no {method}(...).",
                f"Give it a method {method}({method}) that returns an array.",
            )
        named = {"role": role} if _takes_role(function) else {}
        parts = []
        for start in range(0, len(items), self.batch):
            part = list(items[start : start + self.batch])
            parts.append(
                self._checked(
                    f"{self.name}.{method}", self.call(method, function, part, **named), len(part)
                )
            )
        if not parts:
            return Embeddings(
                np.empty((0, self.width or 0), np.float32),
                np.zeros(1, np.int64) if self.many else None,
            )
        return joined(parts)

    def call(self, method: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Call the user's function; what it raises is reported with its cause."""
        try:
            return function(*args, **named)
        except FairleadError:
            raise
        except Exception as error:
            raise BackendError(f"{self.name}.{method} failed: {_cause(error)}") from error

    def _checked(self, what: str, output: Any, count: int) -> Embeddings:
        many = isinstance(output, Embeddings) and output.offsets is not None
        vectors = _floats(what, output.vectors if isinstance(output, Embeddings) else output)
        if many:
            _check_offsets(what, output.offsets, count, len(vectors))
        elif len(vectors) != count:
            raise DataError(
                f"{what} gave {len(vectors)} vectors for {count} items.",
                "Give one per item, in their order.",
            )
        if self.width is not None and (vectors.shape[1] != self.width or many != self.many):
            before = _shape(self.many, self.width)
            now = _shape(many, vectors.shape[1])
            raise DataError(
                f"{what} gave {now} per item, but before it was {before}.",
                "Texts and images must share one space.",
            )
        self.width, self.many = vectors.shape[1], many
        if many:
            return Embeddings(vectors, np.asarray(output.offsets, np.int64))
        return Embeddings(unit(vectors, what) if self.unit else vectors)


def _shape(many: bool | None, width: int) -> str:
    return f"{'many vectors' if many else 'one vector'} of {width} dimensions"


def _floats(what: str, output: Any) -> Array:
    """(vectors, dimensions) float32, all finite."""
    # a tensor, on whatever device
    if hasattr(output, "detach"):
        output = output.detach().to("cpu").float()
    try:
        vectors = np.asarray(output)
    except ValueError as error:
        raise DataError(f"{what} gave what is no array: {_cause(error)}", _SHAPE) from error
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise DataError(f"{what} gave an array of shape {vectors.shape}.", _SHAPE)
    if vectors.dtype.kind not in "fiu":
        raise DataError(f"{what} gave an array of {vectors.dtype}.", "Give numbers.")
    vectors = vectors.astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(vectors).all(1))
    if len(bad):
        raise DataError(
            f"{what} gave vectors that are not finite: {len(bad)} of {len(vectors)}, the "
            f"first at {bad[0]} of its batch."
        )
    return vectors


_SHAPE = (
    "Give an array of shape (items, dimensions), or Embeddings with offsets for many vectors "
    "per item."
)


def _check_offsets(what: str, offsets: Array, count: int, size: int) -> None:
    steps = np.diff(np.asarray(offsets)) if np.ndim(offsets) == 1 else np.empty(0)
    if len(steps) != count or offsets[0] != 0 or offsets[-1] != size or (steps < 1).any():
        hint = (
            f"They rise from 0 to {size} (its vectors) in {count} steps (its items), each of "
            "one vector or more."
        )
        raise DataError(f"{what} gave offsets that do not fit its vectors.", hint)


def _takes_role(function: Callable[..., Any]) -> bool:
    try:
        return "role" in inspect.signature(function).parameters
    # a function written in C may have no signature
    except (TypeError, ValueError):
        return False


@lru_cache(maxsize=8)
def _made(name: str, arguments: Arguments, text: str) -> _Made:
    """The encoder of a choice."""
    thing = _found(name)
    ready = not inspect.isclass(thing) and _encodes(thing)
    if ready and arguments:
        raise UsageError(
            f"{name} is an encoder already and takes no arguments.",
            "Name a class or a function to hand arguments to.",
        )
    encoder = thing if ready else _called(name, thing, dict(arguments))
    if not _encodes(encoder):
        raise UsageError(
            f"{name} gives {type(encoder).__name__}, which has neither texts(...) nor images(...).",
            "It needs one of them.",
        )
    return _Made(name, encoder)


def _encodes(thing: Any) -> bool:
    return any(callable(getattr(thing, method, None)) for method in ("texts", "images", "prepared"))


def _called(name: str, thing: Any, arguments: dict[str, Any]) -> Any:
    if not callable(thing):
        raise UsageError(
            f"{name} is {type(thing).__name__}, not an encoder.",
            "Name a class, a function that makes one, or one.",
        )
    try:
        inspect.signature(thing).bind(**arguments)
    # there is no signature to look at
    except ValueError:
        pass
    except TypeError as error:
        raise UsageError(
            f"{name} does not take these arguments: {error}.",
            f"It takes {inspect.signature(thing)}.",
        ) from error
    try:
        return thing(**arguments)
    except FairleadError:
        raise
    except Exception as error:
        raise BackendError(f"{name} could not be made: {_cause(error)}") from error


def _found(name: str) -> Any:
    """The object, after importing its module."""
    path, _, attributes = name.partition(":")
    # the current folder comes first on the path, unless Python was told to keep it off
    if not sys.flags.safe_path and not {"", os.getcwd()} & set(sys.path):
        sys.path.insert(0, os.getcwd())
    try:
        thing = importlib.import_module(path)
    except Exception as error:
        if (
            isinstance(error, ModuleNotFoundError)
            and error.name
            and (path == error.name or path.startswith(f"{error.name}."))
        ):
            hint = (
                f"It is looked for in the current folder ({os.getcwd()}), on PYTHONPATH and "
                "among installed packages."
            )
            raise UsageError(
                f"There is no module called '{error.name}' (of py:{name}).", hint
            ) from error
        raise BackendError(
            f"The module {path} (of py:{name}) fails to import: {_cause(error)}"
        ) from error
    for attribute in attributes.split("."):
        if not hasattr(thing, attribute):
            if hasattr(thing, "__dict__"):
                public = [entry for entry in vars(thing) if not entry.startswith("_")]
            else:
                public = []
            raise unknown_name(f"object in {path}", attribute, public)
        thing = getattr(thing, attribute)
    return thing


def _cause(error: BaseException) -> str:
    """The error's kind and text, and the line of the file where it arose."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        place = ""
    else:
        place = f" ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})"
    return f"{type(error).__name__}: {error}{place}"
