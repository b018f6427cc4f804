"""``noisy``: labels with errors of a known rate, to see what they do to a mitigation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from fairlead.annotators.asked import cannot
from fairlead.errors import UsageError
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import Collection, Groups, one_hot
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Noisy(Configured):
    """The collection's labels, each correct with probability ``accuracy``; unknown stays unknown.

    A wrong label is another group, drawn evenly.

    ``soft`` labels say how sure they are: ``accuracy`` for the group they name, the rest for the
    others.
    """

    accuracy: float = 0.9
    seed: int = 0
    soft: bool = False

    name: ClassVar[str] = "noisy"
    reaches: ClassVar[Reach] = Reach()
    source: ClassVar[str] = "ours"
    needs: ClassVar[frozenset[str]] = frozenset({"labels"})
    blind_spot: ClassVar[str] = (
        "Errors are independent of the picture and of the score; real ones are not."
    )

    def validate(self) -> None:
        if not 0 <= self.accuracy <= 1:
            raise UsageError(
                f"noisy(accuracy={self.accuracy:g}) is no share.", "Give a number between 0 and 1."
            )

    def numbered(self, number: int) -> Self:
        """The same error rate with another seed, ``number`` further on."""
        return replace(self, seed=self.seed + number)

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """Every attribute that the collection has labels of."""
        return tuple(collection.groups)

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """Labels with errors; the error of an item depends only on its id and this spec."""
        if attribute not in collection.groups:
            raise cannot(self, attribute, collection.groups)
        groups, ids = collection.groups[attribute], collection.ids
        if groups.codes is None:
            raise UsageError(f"{self} works on hard labels; '{groups.attribute}' has soft ones.")
        codes = groups.codes.copy()
        # By id, not by place: an item keeps its error in any collection, order or part.
        draws = np.array([_uniforms(f"{self}|{groups.attribute}|{i}") for i in ids]).reshape(-1, 2)
        wrong = (draws[:, 0] >= self.accuracy) & (codes >= 0)
        # One step at least round the groups is never the true one; the least guards against a draw
        # that rounds up to 1.
        step = 1 + np.minimum(
            (draws[:, 1] * (len(groups.names) - 1)).astype(int), len(groups.names) - 2
        )
        codes[wrong] = ((codes + step) % len(groups.names))[wrong]
        if not self.soft:
            return replace(groups, codes=codes, source=str(self))
        return self._softened(groups, codes)

    def _softened(self, groups: Groups, codes: Array) -> Groups:
        """Soft labels, calibrated for groups of equal size."""
        size = len(groups.names)
        named = self.accuracy
        # A single group cannot be mistaken for another.
        if size == 1:
            named = 1.0
        others = (1 - self.accuracy) / max(size - 1, 1)
        share = np.where(one_hot(codes, size) > 0, named, others) * (codes >= 0)[:, None]
        return Groups(
            groups.attribute,
            groups.names,
            soft=share,
            not_applicable=groups.not_applicable,
            source=str(self),
        )


def _uniforms(key: str) -> Array:
    digest = hashlib.blake2b(key.encode(), digest_size=16).digest()
    return np.frombuffer(digest, np.uint64) / 2.0**64
