"""``phantom``: a real tiny dual encoder on pixels and bytes, trained by us on its own drawings with
a bias of known dose.

One image tower serves all doses; a dose lives in the text tower. Between the trained doses (0 low,
.5 medium, 1 high) the query vector moves from one trained tower's to the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.encoders.onnx_sessions import open_session
from fairlead.errors import DataError, FairleadError, UsageError, words_of
from fairlead.phantom.references import pixels
from fairlead.phantom.text import byte_codes
from fairlead.protocols import Capabilities, Injection
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.store.versions import refuse_other_folder
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

SIZE = 64
"""Pixels of a side of the pictures it sees."""
_WIDTH = 64
_IMAGES, _TEXTS, _BATCH = 64, 1024, 512
_STEPS = ("low", "medium", "high")
_CARD = (
    "An instrument of known dose, trained on its own drawings; not evidence about any real model."
)


@dataclass(frozen=True)
class PhantomEncoder(Configured):
    """An encoder whose bias is known: ``dose`` from 0 to 1, of the ``kind`` injected in training.

    Dose 0 is low, but still above chance.

    ``weights`` is a folder that ``fairlead train phantom`` wrote; the shipped weights by default.
    """

    dose: float = 0.0
    kind: Literal["gender", "skin", "joint", "language", "culture"] = "gender"
    weights: str = ""

    name: ClassVar[str] = "phantom"
    reaches: ClassVar[Reach] = Reach()

    def validate(self) -> None:
        if not 0 <= self.dose <= 1:
            raise UsageError(
                f"phantom(dose={self.dose:g}) was not trained.",
                "Give a dose between 0 (low) and 1 (high).",
            )

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the weights in use and the dial between them."""
        digest = hashlib.sha256(f"{self.kind} {self.dose!r}".encode())
        for name in ("image", *(name for name, _ in self._towers())):
            digest.update(weights_file(self.weights, name))
        return digest.hexdigest()[:16]

    @property
    def image_fingerprint(self) -> str:
        """What the vectors of pictures depend on: the one image tower, whatever the dose."""
        # The drawings are no part of it. One whose bytes changed would keep its old vector wherever
        # one is stored, and the tower was not trained on the new one: so no drawing may change.
        return hashlib.sha256(b"image" + weights_file(self.weights, "image")).hexdigest()[:16]

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself."""
        return Capabilities(
            card=_CARD,
            pictures="drawings",
            batch=_BATCH,
            image_fingerprint=self.image_fingerprint,
            injected=Injection(self.kind, self.dose),
        )

    @property
    def text_towers(self) -> tuple[str, ...]:
        """The names of the trained text towers around the dose: one, or two that are mixed."""
        return tuple(name for name, _ in self._towers())

    def texts(self, texts: Sequence[str], role: Literal["query", "item"]) -> Embeddings:
        """(texts, 64) unit vectors."""
        parts = [
            self._mixed(byte_codes(texts[start : start + _TEXTS]))
            for start in range(0, len(texts), _TEXTS)
        ]
        return Embeddings(np.concatenate(parts) if parts else np.empty((0, _WIDTH), np.float32))

    def images(self, images: Sequence[Any], role: Literal["query", "item"]) -> Embeddings:
        """(images, 64) unit vectors of references to drawings, or of pictures (Pillow images,
        arrays).
        """
        parts = [
            _run(self.weights, "image", pictures_of(images[start : start + _IMAGES]))
            for start in range(0, len(images), _IMAGES)
        ]
        return Embeddings(np.concatenate(parts) if parts else np.empty((0, _WIDTH), np.float32))

    def _mixed(self, codes: Array) -> Array:
        """(texts, 64) unit vectors between those of the trained towers around the dose."""
        vectors = np.asarray(
            sum(
                np.float32(share) * _run(self.weights, name, codes)
                for name, share in self._towers()
            )
        )
        # A mix of two unit vectors is shorter than either.
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _towers(self) -> list[tuple[str, float]]:
        """The trained text towers around the dose, with their shares."""
        place = 2 * self.dose
        # Dose 1 is the end of the upper half, not the start of a third.
        below = min(int(place), 1)
        # Nothing is injected at low: one tower serves all kinds.
        names = [
            name if name == "low" else f"{self.kind}-{name}" for name in _STEPS[below : below + 2]
        ]
        shares = (1 - (place - below), place - below)
        return [
            (f"text-{name}", share) for name, share in zip(names, shares, strict=True) if share > 0
        ]


def pictures_of(images: Sequence[Any]) -> Array:
    """(images, 64, 64, 3) uint8."""
    if all(isinstance(i, str) for i in images):
        return pixels(list(images), SIZE)
    from PIL import Image

    def picture(image: Any) -> Array:
        try:
            made = image if isinstance(image, Image.Image) else Image.fromarray(np.asarray(image))
        except (TypeError, ValueError, IndexError) as error:
            raise DataError(
                f"The phantom cannot see {type(image).__name__}.",
                "Give references, Pillow images or uint8 arrays.",
            ) from error
        # A box filter, as drawings are reduced by it too; what has 64 pixels a side stays as it is.
        return np.asarray(made.convert("RGB").resize((SIZE, SIZE), Image.Resampling.BOX), np.uint8)

    return np.stack([pixels([i], SIZE)[0] if isinstance(i, str) else picture(i) for i in images])


# Room for all shipped towers: one of pictures and eleven of texts.
@lru_cache(maxsize=16)
def _session(folder: str, name: str) -> Any:
    try:
        return open_session(weights_file(folder, name))
    except FairleadError:
        raise
    except Exception as error:  # its errors have no base of their own
        raise DataError(f"{name}.onnx cannot be read as weights: {words_of(error)}.") from error


def _run(folder: str, name: str, values: Array) -> Array:
    session = _session(folder, name)
    return session.run(None, {session.get_inputs()[0].name: values})[0]


def weights_file(folder: str, name: str) -> bytes:
    """The bytes of a tower's file, from a folder or from the shipped weights."""
    place = Path(folder) if folder else files("fairlead.phantom") / "weights"
    if folder:
        refuse_other_folder(folder)
    try:
        return (place / f"{name}.onnx").read_bytes()
    except OSError as error:
        hint = "Give a folder that 'fairlead train phantom' wrote, with the kind asked for."
        raise DataError(
            f"'{folder or place}' holds no weights called {name}.onnx.", hint
        ) from error
