"""``phantom``: the embedded benchmarks: portraits, a skewed gallery, captions and triplets.

Portraits follow the SISPI protocol; captions come in ten languages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from fairlead.benchmarks.phantom import culture, language, people, skewed
from fairlead.errors import UsageError, unknown_name
from fairlead.protocols.spec import Configured, Spec
from fairlead.types import Study

# So many matched sets of each occupation to fit on.
_BESIDE = 4
_WORLDS = {"people": people, "language": language, "culture": culture, "skewed": skewed}


@dataclass(frozen=True)
class PhantomBenchmark(Configured):
    """Known drawings to search: portraits in matched sets; ``phantom:skewed`` is a gallery in which
    balance costs relevance, ``phantom:language`` captions of scenes, ``phantom:culture`` triplets.

    ``seeds`` is how often every occupation, or every thing in every culture, is drawn anew: 16
    portrait sets or 4 scenes by default. ``first`` is the first seed; the phantom was trained on
    seeds from 1000 on. ``majority``, of the skewed gallery alone, is the share of the larger
    presentation in every occupation; between .9 and .95 by default.
    """

    world: str = ""
    seeds: int | None = None
    first: int = 0
    majority: float | None = None

    name: ClassVar[str] = "phantom"
    addressed: ClassVar[str | None] = "world"

    def validate(self) -> None:
        if self.world and self.world not in _WORLDS:
            raise unknown_name("world of the phantom", self.world, _WORLDS)
        if (self.seeds is not None and self.seeds < 1) or self.first < 0:
            raise UsageError(
                f"{self.name} got seeds={self.seeds}, first={self.first}.",
                "Give at least one seed, from 0 on.",
            )
        if self.majority is not None and (self.world != "skewed" or not 0.5 <= self.majority < 1):
            raise UsageError(
                f"{self} has no such majority.",
                "Give phantom:skewed(majority=...), a share from 0.5 to below 1.",
            )

    @classmethod
    def from_spec(cls, spec: Spec) -> Self:
        """The world of people needs no address."""
        # So that phantom and phantom:people are one benchmark, with one text form and one cache.
        if spec.address == "people":
            spec = Spec(spec.name, None, spec.args, spec.k)
        return super().from_spec(spec)

    def reference(self) -> Self | None:
        """Portraits that are not measured, to fit mitigations on; None for worlds without any."""
        if self.world not in ("", "skewed"):
            return None
        # a skewed gallery has seeds of its own
        first = 0
        if not self.world:
            first = self.first + (self.seeds or people.SEEDS)
        return type(self)(seeds=_BESIDE, first=first)

    def numbered(self, number: int) -> Self:
        """The same world, drawn with seeds starting ``number`` later."""
        return replace(self, first=self.first + number)

    def with_majority(self, share: float) -> Self:
        """The skewed gallery with that share of the larger presentation; no other world has one."""
        return replace(self, majority=share)

    def study(self) -> Study:
        """The collection, the queries and the protocol."""
        world = _WORLDS[self.world or "people"]
        seeds = range(self.first, self.first + (self.seeds or world.SEEDS))
        if self.majority is None:
            return world.study(str(self), seeds)
        return skewed.study(str(self), seeds, self.majority)
