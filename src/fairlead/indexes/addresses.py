"""Addresses of servers as they may be shown: without their password."""

from __future__ import annotations

import re
from dataclasses import replace

from fairlead.errors import UsageError
from fairlead.protocols.spec import Spec

_IN_URL = re.compile(r"(://[^:@/\s]*:)\S+(?=@)")
_BY_NAME = re.compile(r"(\b(?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", re.IGNORECASE)
_WITH_NEXT = re.compile(_BY_NAME.pattern + "&?", re.IGNORECASE)


def masked(text: str) -> str:
    """An address, or what a server says about it, with the password replaced by ``***``.

    >>> masked("postgresql://ann:secret@db/photos")
    'postgresql://ann:***@db/photos'
    """
    return _BY_NAME.sub(r"\1***", _IN_URL.sub(r"\1***", text))


def shown(spec: Spec) -> Spec:
    """The text form of an index as it may be printed, without the password in its address."""
    if spec.address is None:
        return spec
    return replace(spec, address=masked(spec.address))


def without_password(text: str) -> str:
    """An address with its password left out, to be taken from the environment instead.

    >>> without_password("postgresql://ann:secret@db/photos")
    'postgresql://ann@db/photos'
    """
    return _WITH_NEXT.sub("", _IN_URL.sub(_before_password, text))


def refuse_password(address: str, from_where: str) -> None:
    """Refuse an address that holds a password: it would be printed and kept in results.

    Raises:
        UsageError: Where it holds one.
    """
    if masked(address) != address:
        raise UsageError(
            f"The address {masked(address)} holds a password.",
            f"Leave it out: it comes from {from_where}.",
        )


def _before_password(match: re.Match[str]) -> str:
    return match[1].rstrip(":")
