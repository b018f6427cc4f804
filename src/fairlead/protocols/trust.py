"""Whose word counts: what the user said on the command line or in a call, and what a file says.

Doors tell what the user said, with ``spoken``; who follows choices that a file makes does so within
``reading``. Neither outlives its block, and other threads know nothing of it: without a word of the
user, a file is not trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from os.path import expanduser, realpath
from pathlib import Path
from typing import Any

from fairlead.errors import FairleadError
from fairlead.protocols.spec import parse

_SPOKEN: ContextVar[tuple[Mapping[str, Any], ...]] = ContextVar("spoken", default=())
_READ: ContextVar[object] = ContextVar("read", default=None)
TRUST = "trust"
"""The choice that names files the user trusts."""


@contextmanager
def spoken(choices: Mapping[str, Any]) -> Iterator[None]:
    """While this lasts, the user has said these choices; ``trust`` among them names files."""
    # What is called while a file is followed was not said by the user.
    if _READ.get() is not None:
        yield
        return
    before = _SPOKEN.set((*_SPOKEN.get(), choices))
    try:
        yield
    finally:
        _SPOKEN.reset(before)


@contextmanager
def reading(place: object) -> Iterator[None]:
    """While this lasts, choices come from a file: whatever is made was named there."""
    before = _READ.set(place)
    try:
        yield
    finally:
        _READ.reset(before)


def place_read() -> object:
    """The file whose choices are followed; None where the user's own are."""
    return _READ.get()


def is_trusted(place: object) -> bool:
    """Whether the user trusts a file, or a folder that it lies in."""
    where = _resolved(place)
    trusted = [_resolved(one) for said in _SPOKEN.get() for one in _several(said.get(TRUST))]
    return any(one == where or one in where.parents for one in trusted)


def is_said(text: str) -> bool:
    """Whether the user named this very choice, however it was spaced or quoted."""
    # Looked for only where something is about to be refused: a plan may hold many texts.
    wanted = str(parse(text))
    return any(
        wanted in _specs(one)
        for said in _SPOKEN.get()
        for name, value in said.items()
        if name != TRUST
        for one in _several(value)
    )


def _specs(value: object) -> Iterator[str]:
    """The choices in a value: itself, and those in its parameters."""
    try:
        spec = parse(str(value))
    except (FairleadError, ValueError):
        return
    yield str(spec)
    for _, inner in spec.args:
        if isinstance(inner, str):
            yield from _specs(inner)


def _several(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, (tuple, list)):
        return tuple(value)
    return (value,)


def _resolved(place: object) -> Path:
    return Path(realpath(expanduser(str(place))))
