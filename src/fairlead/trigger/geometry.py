"""The encoder's own geometry, a second opinion on queries whose words no rule knows.

    personhood(q) = q . (mean of people - mean of things)          told apart where the anchors themselves are, left out one by one
    gendered(q)   = |q . (woman - man) - mean over work|           more than for any neutral work: perhaps said, never surely

The margin between a woman and a man is the bias that is to be mitigated as much as it is meaning: ``nurse`` has one too. So it can make a
decision unsure, but never leave a query alone. An encoder that cannot tell its own anchors apart is not asked.
Source: ours, after the zero-shot prompts of CLIP (Radford et al. 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairlead.errors import FairleadError
from fairlead.protocols import Encoder
from fairlead.ragged import Array
from fairlead.trigger.trigger import Said

WORK = (
    "nurse", "doctor", "teacher", "engineer", "farmer", "judge", "chef", "pilot", "cashier", "carpenter", "secretary", "librarian", "soldier",
    "hairdresser", "mechanic", "scientist", "cleaner", "police officer", "receptionist", "programmer", "dancer", "plumber", "waiter", "writer",
)  # fmt: skip
THINGS = (
    "chair", "mountain", "bicycle", "apple", "dog", "car", "house", "lamp", "river", "shoe", "book", "tree", "cup", "bridge", "cake", "guitar",
    "clock", "boat", "flower", "bread", "cat", "street", "window", "umbrella",
)  # fmt: skip
PAIRS = (("a woman", "a man"), ("a female person", "a male person"), ("a girl", "a boy"))
_TEMPLATES = ("{}", "a photo of a {}")
SURE = 0.9
"""The share of its own anchors that an encoder must tell apart to be asked."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """A second opinion by an encoder.

    Attributes:
        encoder: Turns texts into vectors; one vector a text.
    """

    encoder: Encoder

    def __call__(self, queries: Sequence[str], attribute: str) -> list[Said | None]:
        """A rule for each query that the geometry is sure of, None for the others."""
        if self.quality < SURE or not queries:
            return [None] * len(queries)
        vectors = self._vectors(queries)
        if vectors is None:
            return [None] * len(queries)
        assert self._anchors is not None
        people, things, towards = self._anchors
        scores = vectors @ _direction(people, things)
        low, high = self._band
        gendered = np.abs(vectors @ towards - (people @ towards).mean()) if attribute == "gender" else np.zeros(len(queries))
        most = np.abs(people @ towards - (people @ towards).mean()).max()
        return [self._said(float(s), float(g) > float(most), low, high) for s, g in zip(scores, gendered, strict=True)]

    @cached_property
    def quality(self) -> float:
        """The share of the anchors, half of them people, that the encoder tells apart when each is left out in turn; 0 where it cannot."""
        if self._anchors is None:
            return 0.0
        people, things = self._left_out
        middle = (people.mean() + things.mean()) / 2
        return float(((people > middle).mean() + (things < middle).mean()) / 2)

    @property
    def _band(self) -> tuple[float, float]:
        """Below the first number a thing, above the second a person: outside what the anchors themselves leave unclear."""
        people, things = self._left_out
        middle = (people.mean() + things.mean()) / 2
        return min(float(np.quantile(people, 0.1)), float(middle)), max(float(np.quantile(things, 0.9)), float(middle))

    @cached_property
    def _left_out(self) -> tuple[Array, Array]:
        """Scores of people and of things, each against the mean of the others."""
        assert self._anchors is not None
        people, things, _ = self._anchors

        def alone(rows: Array, others: Array, sign: int) -> Array:
            rest = (rows.sum(0) - rows) / (len(rows) - 1)
            return sign * np.einsum("id,id->i", rows, rest - others.mean(0))

        return alone(people, things, 1), alone(things, people, -1)

    @cached_property
    def _anchors(self) -> tuple[Array, Array, Array] | None:
        """Vectors of work and of things, and the direction from a man to a woman; None where the encoder gives none."""
        texts = [t.format(word) for t in _TEMPLATES for word in (*WORK, *THINGS)]
        pairs = [f"a photo of {one}" for pair in PAIRS for one in pair]
        vectors = self._vectors([*texts, *pairs])
        if vectors is None:
            return None
        words = _unit(vectors[: len(texts)].reshape(len(_TEMPLATES), -1, vectors.shape[1]).mean(0))
        both = vectors[len(texts) :].reshape(len(PAIRS), 2, -1)
        return words[: len(WORK)], words[len(WORK) :], (both[:, 0] - both[:, 1]).mean(0)

    def _vectors(self, texts: Sequence[str]) -> Array | None:
        try:
            found = self.encoder.texts(tuple(texts), "query")
        except FairleadError:  # an encoder that knows some texts only
            return None
        return None if found.offsets is not None else _unit(np.asarray(found.vectors, np.float64))

    def _said(self, score: float, gendered: bool, low: float, high: float) -> Said | None:
        if score < low:
            return "model-no-person", ()
        if gendered and score > low:
            return "model-gendered", ()
        return ("model-person", ()) if score > high else None


def _unit(vectors: Array) -> Array:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1.0)


def _direction(people: Array, things: Array) -> Array:
    return people.mean(0) - things.mean(0)
