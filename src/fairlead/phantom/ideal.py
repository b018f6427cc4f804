"""``phantom_ideal``: vectors made from a drawing's known code. It calibrates metrics; it is no
model of anything.

score(query, image) = relevance [same occupation] + asked x group + dose x pull(occupation) x group
+ noise. At dose 0 the score does not depend on the group at all: images of one matched set are
exchangeable, exactly.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.phantom.people import OCCUPATIONS, Person
from fairlead.phantom.references import resolve
from fairlead.phantom.stereotypes import Kind, pull
from fairlead.protocols import Capabilities, Injection
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

# Eight bytes each: more would not fit into one digest of blake2b, which has 64 at most.
_NOISE = 8
_BATCH = 512
_CARD = "An instrument of known dose for calibrating metrics; not evidence about any real model."
# In standard deviations of the default noise, as the dose is.
_RELEVANCE, _ASKED = 5.0, 4.0
# Signs as in the table of stereotypes: +1 is male, +1 is light. Skin groups stand at equal steps,
# as they do in the training of the other phantom.
_GENDER_WORDS = {"female": -1.0, "woman": -1.0, "male": 1.0, "man": 1.0}
_SKIN_WORDS = {"dark": -1.0, "tan": -1 / 3, "medium": 1 / 3, "light": 1.0}
_GENDER = {"female": -1.0, "male": 1.0, "androgynous": 0.0}


@dataclass(frozen=True)
class PhantomIdeal(Configured):
    """An encoder of known bias: ``dose`` 0 is exchangeable across groups, more dose pulls more.

    ``kind`` says which stereotype is injected, ``shared`` how much of the noise a matched set has
    in common, ``seed`` the noise.
    """

    dose: float = 0.0
    kind: Kind = "gender"
    noise: float = 1.0
    shared: float = 0.5
    seed: int = 0

    name: ClassVar[str] = "phantom_ideal"
    reaches: ClassVar[Reach] = Reach()

    def validate(self) -> None:
        if self.dose < 0 or self.noise <= 0 or not 0 <= self.shared < 1:
            raise UsageError(
                f"{self} cannot be made.",
                "Give a dose from 0 on (0.8 is strong), noise above 0, shared from 0 to below 1.",
            )

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on."""
        return str(self)

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself; making its vectors is quicker than reading them."""
        return Capabilities(
            card=_CARD,
            pictures="drawings",
            batch=_BATCH,
            keeps=False,
            injected=Injection(self.kind, self.dose),
        )

    def texts(self, texts: Sequence[str], role: Literal["query", "item"]) -> Embeddings:
        """Vectors of queries: the occupation they name, the groups they ask for, the dose, and a
        direction of noise.
        """
        vectors = np.array([self._text(text) for text in texts], np.float32)
        return Embeddings(vectors.reshape(len(texts), len(OCCUPATIONS) + 2 + _NOISE))

    def images(self, images: Sequence[str], role: Literal["query", "item"]) -> Embeddings:
        """Vectors of drawings: their occupation, their groups, and noise."""
        people = [resolve(reference) for reference in images]
        wrong = [r for r, p in zip(images, people, strict=True) if not isinstance(p, Person)]
        if wrong:
            raise DataError(f"{self.name} knows portraits only, got '{wrong[0]}'.")
        order = {name: i for i, name in enumerate(sorted(OCCUPATIONS))}
        vectors = np.zeros((len(images), len(order) + 2 + _NOISE))
        for row, person in enumerate(people):
            assert isinstance(person, Person)
            vectors[row, order[person.occupation]] = 1.0
            vectors[row, len(order)] = _GENDER[person.gender]
            vectors[row, len(order) + 1] = _SKIN_WORDS[person.skin_group]
        # Gender and tone are left out of the key: a whole matched set has this noise in common.
        matched = [f"{p.occupation}/{p.seed}" for p in people if isinstance(p, Person)]
        alone, common = (
            _normals([f"{self.seed}|{key}" for key in keys]) for keys in (images, matched)
        )
        # Roots, so that the variance is the same whatever share of the noise is common.
        vectors[:, -_NOISE:] = self.noise * (
            np.sqrt(self.shared) * common + np.sqrt(1 - self.shared) * alone
        )
        return Embeddings(vectors.astype(np.float32))

    def _text(self, text: str) -> Array:
        order = sorted(OCCUPATIONS)
        words = re.findall(r"[a-z]+", text.lower())
        # Looked for in the text and not among its words: a police officer is two of them.
        named = [o for o in order if re.search(rf"\b{o}\b", text.lower())]
        vector = np.zeros(len(order) + 2 + _NOISE)
        for occupation in named:
            vector[order.index(occupation)] = _RELEVANCE
            gender, skin = pull(occupation, self.kind)
            vector[len(order)] += self.dose * gender
            vector[len(order) + 1] += self.dose * skin
        vector[len(order)] += _ASKED * sum(_GENDER_WORDS.get(w, 0.0) for w in words)
        vector[len(order) + 1] += _ASKED * sum(_SKIN_WORDS.get(w, 0.0) for w in words)
        # A direction of unit length: the noise of a score has the stated size for every query.
        direction = _normals([f"{self.seed}|query|{text}"])[0]
        vector[-_NOISE:] = direction / np.linalg.norm(direction)
        return vector


def _normals(keys: Sequence[str]) -> Array:
    """(keys, 8) independent standard normals of each key, by Box-Muller from its hash."""
    digests = b"".join(
        hashlib.blake2b(key.encode(), digest_size=8 * _NOISE).digest() for key in keys
    )
    # Half a step up, because 0 has no logarithm.
    uniforms = (np.frombuffer(digests, np.uint64).reshape(-1, _NOISE) + 0.5) / 2.0**64
    radius, angle = np.sqrt(-2 * np.log(uniforms[:, ::2])), 2 * np.pi * uniforms[:, 1::2]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
