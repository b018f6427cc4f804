"""What an adapter reaches beyond what it is given, said by the adapter itself in ``reaches``.

A choice may stand in a file that somebody else wrote: a manifest, a classifier, a saved run. By
this declaration, the registry knows which of them may be followed unasked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, runtime_checkable

from fairlead.protocols.spec import Spec

Thing = Literal["files", "network", "code", "credentials"]
Things = frozenset[Thing]
FILES: Things = frozenset({"files"})
"""Local files alone."""
HUB: Things = frozenset({"files", "network", "credentials"})
"""What is fetched from a hub: a token that is stored on this machine goes along."""
SERVER: Things = frozenset({"files", "network", "credentials"})
"""A server at an address, with a key or a password from the environment."""
CODE: Things = frozenset({"files", "network", "code", "credentials"})
"""Code of somebody's own: it may do anything."""


@dataclass(frozen=True)
class Reach:
    """What an adapter reaches.

    Attributes:
        most: What some choice of it reaches.
        of: What one choice reaches, where that depends on its address or its parameters. It looks
            at local files at most.
        nests: Parameters that hold a choice of their own, with its kind: what that one reaches
            comes to it.
    """

    most: Things = FILES
    of: Callable[[Spec], Things] | None = None
    nests: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class Reaching(Protocol):
    """An adapter that declares what it reaches; asked of its class, before anything is made."""

    reaches: ClassVar[Reach]
