"""Encoders: texts and images to vectors, and what an encoder says of itself.

Three members make an encoder: ``fingerprint``, ``texts`` and ``images``. All else is said in
``Capabilities``, or in one of the small protocols below; who wants to know asks the functions at
the end of this file, which have an answer for every encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, runtime_checkable

from fairlead.protocols.runner import Progress
from fairlead.types import Embeddings

Role = Literal["query", "item"]
Side = Literal["images", "texts"]
Pictures = Literal["pixels", "drawings", "references"]
"""What an encoder takes for a picture; see ``Capabilities.pictures``."""
Takes = Callable[[bytes], int]
"""How many bytes of a file, from its beginning, are a picture that the encoder decodes itself; 0
where it does not.
"""


class Encoder(Protocol):
    """Turns texts and images into vectors whose inner product is the score; some models encode
    queries and items differently.

    Images come as the encoder takes them: ``Capabilities.pictures`` says how.
    """

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: weights, preprocessing, parameters. Equal fingerprints give
        equal vectors.
        """
        ...

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings: ...
    def images(self, images: Sequence[Any], role: Role) -> Embeddings: ...


@dataclass(frozen=True)
class Injection:
    """A bias of known size that somebody put into a model: which kind, and how much of it."""

    kind: str
    dose: float


@dataclass(frozen=True)
class Capabilities:
    """What an encoder says of itself. The defaults are right for a model that sees any picture.

    Attributes:
        card: What the model is, in a sentence that a report prints.
        not_for: What speaks against labelling people with it; empty where nothing is known.
        pictures: What it takes for a picture. ``pixels``: Pillow images and arrays.
            ``drawings``: the same, and the phantom's drawings by their reference; it was made for
            drawings alone. ``references``: any picture by its reference, which is never opened.
        enough: Pixels of the shorter side that suffice; None where all are wanted.
        takes: Which files it decodes itself; None where it decodes none.
        batch: How many items it likes at once.
        keeps: Whether its vectors are worth keeping on disk; not where looking them up or making
            them is as quick.
        image_fingerprint: What the vectors of pictures depend on, where that is less than all;
            empty where it is the encoder's fingerprint.
        injected: The bias that was put into it, where that is known.
    """

    card: str = ""
    not_for: str = ""
    pictures: Pictures = "pixels"
    enough: int | None = None
    takes: Takes | None = None
    batch: int = 64
    keeps: bool = True
    image_fingerprint: str = ""
    injected: Injection | None = None


# Of a protocol, isinstance asks for the names alone. What they give is held by the laws of
# ``fairlead.testing``.
@runtime_checkable
class Capable(Protocol):
    """An encoder that says what it can do; one that does not has the default ``Capabilities``."""

    def capabilities(self) -> Capabilities: ...


@runtime_checkable
class Preparing(Protocol):
    """An encoder whose work on one image (decode, resize, normalise) can be done ahead, on other
    threads: ``images(x, role)`` equals ``prepared([prepare(i) for i in x], role)``.
    """

    def prepare(self, image: Any) -> Any: ...
    def prepared(self, images: Sequence[Any], role: Role) -> Embeddings: ...


@runtime_checkable
class Beginning(Protocol):
    """An encoder that starts what ``prepared`` does on a device of its own: ``begin`` gives a
    function that waits for the vectors.

    ``preparer`` prepares an image without the model, so that other processes can; None where only
    the model itself can.
    """

    @property
    def preparer(self) -> Callable[[Any], Any] | None: ...
    def begin(self, images: Sequence[Any], role: Role) -> Callable[[], Embeddings]: ...


@runtime_checkable
class Loading(Protocol):
    """An encoder that takes long to load: ``ready`` loads what some sides need."""

    def ready(self, sides: Sequence[Side], progress: Progress | None = None) -> None: ...


@runtime_checkable
class Counting(Protocol):
    """An encoder that tells what a manifest records: ``about`` is plain data with ``fingerprint``
    and ``warnings``. It may count, such as the texts that it cut; ``afresh`` is the same encoder
    with counts of its own.
    """

    def about(self) -> dict[str, Any]: ...
    def afresh(self) -> Self: ...


@runtime_checkable
class Sight(Protocol):
    """What annotators are handed: an encoder that takes the references of a collection for images,
    opens them, and tells how far one is.
    """

    def open(self, reference: str) -> Any: ...
    def tell(self, label: str, done: int, total: int) -> None: ...


def capabilities(encoder: Any) -> Capabilities:
    """What an encoder says of itself; the defaults where it says nothing or there is none."""
    return encoder.capabilities() if isinstance(encoder, Capable) else Capabilities()


def about(encoder: Encoder) -> Mapping[str, Any]:
    """What the manifest records of an encoder; nothing where it tells nothing."""
    return encoder.about() if isinstance(encoder, Counting) else {}


def afresh(encoder: Encoder) -> Encoder:
    """The same encoder with counts of its own, so that what it tells is told of one run."""
    return encoder.afresh() if isinstance(encoder, Counting) else encoder


def ready(encoder: Encoder, sides: Sequence[Side], progress: Progress | None = None) -> None:
    """Load what an encoder needs for some sides, before it is timed or anybody waits for it without
    a word.
    """
    if isinstance(encoder, Loading):
        encoder.ready(sides, progress)
    else:
        about(encoder)  # encoders of other libraries load their model for it


def fingerprint_of(encoder: Encoder, side: Side) -> str:
    """What the vectors of a side depend on; those of pictures may depend on less than all."""
    own = capabilities(encoder).image_fingerprint if side == "images" else ""
    return own or encoder.fingerprint
