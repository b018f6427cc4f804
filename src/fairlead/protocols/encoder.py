"""Encoders: texts and images to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from fairlead.types import Embeddings

Role = Literal["query", "item"]


class Encoder(Protocol):
    """Turns texts and images into vectors whose inner product is the score; some models encode
    queries and items differently.

    Images are Pillow images, arrays, or references it can draw itself.
    """

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: weights, preprocessing, parameters. Equal fingerprints give
        equal vectors.
        """
        ...

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings: ...
    def images(self, images: Sequence[Any], role: Role) -> Embeddings: ...


@runtime_checkable
class Preparing(Encoder, Protocol):
    """An encoder whose work on one image (decode, resize, normalise) can be done ahead, on other
    threads.

    ``images(x, role)`` equals ``prepared([prepare(i) for i in x], role)``. ``batch`` is how many it
    likes at once. It may have ``begin(images, role)`` too, which starts what ``prepared`` does on a
    device of its own, and gives a function that waits for it.
    """

    @property
    def batch(self) -> int: ...
    def prepare(self, image: Any) -> Any: ...
    def prepared(self, images: Sequence[Any], role: Role) -> Embeddings: ...


class Sight(Encoder, Protocol):
    """What annotators are handed: an encoder that takes the references of a collection for images,
    and opens them.
    """

    def open(self, reference: str) -> Any: ...
