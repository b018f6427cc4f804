"""The encoder's own geometry, a second opinion on queries whose words no rule knows.

    personhood(q) = q . (mean of people - mean of things)
                    clear beyond the scores that the anchors get when each is left out in turn
    gendered(q)   = |q . (woman - man) - mean over work|
                    above that of any neutral work: perhaps gendered, never surely

The margin between a woman and a man is as much the bias to be mitigated as it is meaning: ``nurse``
has one too. So it can make a decision unsure, but never leave a query alone. Anchors are words of
the query's own language, and an encoder that cannot tell them apart is not asked in that language.
Source: ours, after the zero-shot prompts of CLIP (Radford et al. 2021).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fairlead.errors import FairleadError
from fairlead.protocols import Encoder
from fairlead.trigger.decision import Said
from fairlead.trigger.reading import read
from fairlead.types.ragged import Array
from fairlead.words import bank

WORK = (
    "nurse",
    "doctor",
    "teacher",
    "engineer",
    "farmer",
    "judge",
    "chef",
    "pilot",
    "cashier",
    "carpenter",
    "secretary",
    "librarian",
    "soldier",
    "hairdresser",
    "mechanic",
    "scientist",
    "cleaner",
    "police officer",
    "receptionist",
    "programmer",
    "dancer",
    "plumber",
    "waiter",
    "writer",
)
THINGS = (
    "chair",
    "mountain",
    "bicycle",
    "apple",
    "dog",
    "car",
    "house",
    "lamp",
    "river",
    "shoe",
    "book",
    "tree",
    "cup",
    "bridge",
    "cake",
    "guitar",
    "clock",
    "boat",
    "flower",
    "bread",
    "cat",
    "street",
    "window",
    "umbrella",
)
PAIRS = (("a woman", "a man"), ("a female person", "a male person"), ("a girl", "a boy"))
SURE = 0.9
"""The share of its own anchors that an encoder must tell apart to be asked."""
_TEMPLATES = {"en": ("{}", "a photo of a {}")}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Anchors:
    """What an encoder makes of people and things in one language.

    Attributes:
        people: (work, dimensions) unit vectors of work.
        things: (things, dimensions) unit vectors of things.
    """

    people: Array
    things: Array

    @cached_property
    def direction(self) -> Array:
        """From things to people."""
        return self.people.mean(0) - self.things.mean(0)

    @cached_property
    def left_out(self) -> tuple[Array, Array]:
        """Scores of people and of things, each against the mean of the others."""

        def alone(rows: Array, others: Array, sign: int) -> Array:
            rest = (rows.sum(0) - rows) / (len(rows) - 1)
            return sign * np.einsum("id,id->i", rows, rest - others.mean(0))

        return alone(self.people, self.things, 1), alone(self.things, self.people, -1)

    @cached_property
    def quality(self) -> float:
        """The share of the anchors that are told apart when each is left out in turn.

        People and things weigh the same.
        """
        people, things = self.left_out
        middle = (people.mean() + things.mean()) / 2
        return float(((people > middle).mean() + (things < middle).mean()) / 2)

    @cached_property
    def band(self) -> tuple[float, float]:
        """The scores below which the encoder sees a thing, and above which a person.

        Between them lies what the anchors themselves leave unclear.
        """
        people, things = self.left_out
        middle = float((people.mean() + things.mean()) / 2)
        return min(float(np.quantile(people, 0.1)), middle), max(
            float(np.quantile(things, 0.9)), middle
        )


@dataclass(frozen=True, eq=False)
class Geometry:
    """A second opinion by an encoder.

    Attributes:
        encoder: Turns texts into vectors; one vector a text.
    """

    encoder: Encoder
    _known: dict[str, Anchors | None] = field(default_factory=dict)

    def __call__(self, queries: Sequence[str], attribute: str) -> list[Said | None]:
        """A rule for each query that the geometry is sure of, None for the others."""
        spoken = [self.anchors(language_of(query)) for query in queries]
        places = [
            at
            for at, anchors in enumerate(spoken)
            if anchors is not None and anchors.quality >= SURE
        ]
        opinions: list[Said | None] = [None] * len(queries)
        if not places:
            return opinions
        vectors = self._vectors([queries[at] for at in places])
        if vectors is None:
            return opinions
        for at, vector in zip(places, vectors, strict=True):
            anchors = spoken[at]
            assert anchors is not None
            opinions[at] = self._said(vector, anchors, attribute)
        return opinions

    def anchors(self, language: str | None) -> Anchors | None:
        """The anchors of a language.

        None where the encoder has no vectors for them, or the language no words.
        """
        if language is None:
            return None
        # anchors cost one batch of texts for each language, so they are kept
        if language not in self._known:
            work, things = (WORK, THINGS) if language == "en" else _words(language)
            templates = _TEMPLATES.get(language, ("{}",))
            vectors = self._vectors(
                [t.format(word) for t in templates for word in (*work, *things)]
            )
            # what an encoder cannot read it will not read the next time either
            self._known[language] = None
            if vectors is not None:
                rows = _unit(vectors.reshape(len(templates), -1, vectors.shape[1]).mean(0))
                self._known[language] = Anchors(rows[: len(work)], rows[len(work) :])
        return self._known[language]

    @cached_property
    def _towards_woman(self) -> Array | None:
        vectors = self._vectors([f"a photo of {one}" for pair in PAIRS for one in pair])
        if vectors is None:
            return None
        return (vectors[::2] - vectors[1::2]).mean(0)

    def _vectors(self, texts: Sequence[str]) -> Array | None:
        try:
            embeddings = self.encoder.texts(tuple(texts), "query")
        except FairleadError:  # an encoder that knows some texts only
            return None
        if embeddings.offsets is not None:
            return None
        return _unit(np.asarray(embeddings.vectors, np.float64))

    def _said(self, vector: Array, anchors: Anchors, attribute: str) -> Said | None:
        low, high = anchors.band
        score = float(vector @ anchors.direction)
        # no person comes first: a thing cannot be gendered
        if score < low:
            return "model-no-person", ()
        if attribute == "gender" and self._towards_woman is not None:
            work = anchors.people @ self._towards_woman
            if (
                abs(float(vector @ self._towards_woman) - work.mean())
                > np.abs(work - work.mean()).max()
            ):
                return "model-gendered", ()
        if score > high:
            return "model-person", ()
        return None


def language_of(query: str) -> str | None:
    """The language to ask in, by the query's writing and then by its words.

    None where we have no words for the writing.
    """
    language = next((code for code, script in _SCRIPTS if script.search(query)), None)
    return language or (read(query).language if _LATIN.search(query) else None)


def _words(language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Work and things of a bank, evenly spaced, as many as in English."""
    parts = []
    for section, size in (("work", len(WORK)), ("things", len(THINGS))):
        words = [word.partition("/")[0] for word in bank(language)[section]]
        parts.append(tuple(words[at * len(words) // size] for at in range(size)))
    return parts[0], parts[1]


def _unit(vectors: Array) -> Array:
    # a text without any vector stays at 0 and is like nothing
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1.0)
