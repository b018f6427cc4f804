"""An encoder of two towers on torch: what ``hf`` and ``open_clip`` have in common.

An adapter loads its library's model as ``Loaded``; here texts and images go through it in batches
and come out at unit length.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from threading import Lock, RLock
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.encoders.folders import digest
from fairlead.encoders.gpu_jpeg import Decoder, JpegFile, Jpegs, check_recipe, nvjpeg, plain_jpeg
from fairlead.encoders.long_texts import CountsLongTexts
from fairlead.encoders.pixels import PixelRecipe
from fairlead.encoders.towers import (
    Precision,
    ahead,
    begun,
    device_of,
    forwards,
    moved,
    precision_of,
)
from fairlead.encoders.vectors import in_rgb, unit
from fairlead.errors import DataError, UsageError, words_of
from fairlead.protocols import Capabilities, Role
from fairlead.protocols.spec import Configured
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

Decode = Literal["full", "reduced", "gpu"]
CARD = "A model as it was saved: what it learned, and from whom, its own card says."
"""Of every model that somebody else made."""
# Images of one forward pass. From a larger batch, the next part is stacked while a GPU works on
# the last one.
_AT_ONCE = 256
LOADING = RLock()
"""Held while a model is loaded, so that threads that prepare pictures load it once."""


class Inputs(dict[str, Array]):
    """One prepared image: the model's inputs by name."""

    @property
    def nbytes(self) -> int:
        """Bytes it holds while it waits."""
        return sum(value.nbytes for value in self.values())


class Loaded:
    """A library's model, ready to be called; adapters define the five methods.

    These are ``tokens``, ``length``, ``text``, ``picture`` and ``image``.
    """

    limit: int
    """Tokens of the longest text it reads."""
    recipe: PixelRecipe | None
    """Its preprocessing, where that is plain."""

    def __init__(self, facts: Mapping[str, Any], warnings: Sequence[str]) -> None:
        self.facts, self.warnings = dict(facts), list(warnings)
        self.reading = Lock()
        """Held while tokens are made: tokenizers refuse two threads at once."""
        self.shape: tuple[int, ...] = ()

    def tokens(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """Tensors (texts, ...), cut to the limit."""
        raise NotImplementedError

    def length(self, text: str) -> int:
        """How many tokens a text has, before it is cut."""
        raise NotImplementedError

    def text(self, **inputs: Any) -> Any:
        """(texts, dimensions), or (texts, vectors, dimensions)."""
        raise NotImplementedError

    def picture(self, image: Any) -> Mapping[str, Array]:
        """A Pillow image in RGB, as the library's own processor prepares it."""
        raise NotImplementedError

    def image(self, **inputs: Any) -> Any:
        """(images, dimensions), or (images, vectors, dimensions)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Prepares:
    """Makes the inputs of an image, by a recipe or as a library's processor does."""

    model: str
    how: PixelRecipe | Callable[[Any], Mapping[str, Array]]

    def __call__(self, image: Any) -> Inputs | JpegFile:
        """The inputs of a Pillow image or a uint8 array; a ``JpegFile`` stays as it is."""
        if isinstance(image, JpegFile):
            return image
        picture = in_rgb(image)
        try:
            return Inputs(
                {"pixels": self.how.pixels(picture)}
                if isinstance(self.how, PixelRecipe)
                else self.how(picture)
            )
        # Pillow raises OSError and SyntaxError for broken files
        except (ValueError, KeyError, ZeroDivisionError, OSError, SyntaxError) as error:
            width, height = picture.size
            raise DataError(
                f"{self.model} cannot prepare a picture of {width} x {height} pixels: "
                f"{words_of(error)}."
            ) from error


@dataclass(frozen=True)
class TwoTowers(CountsLongTexts, Configured):
    """A model of two towers. ``device``: auto, cpu, cuda, mps; ``precision``: auto is bf16 on a GPU
    and fp32 elsewhere.

    ``decode`` says how files are decoded, and moves vectors by a little: ``reduced`` decodes large
    JPEGs at a half, a quarter or an eighth, whichever still holds the model's input; ``gpu``
    decodes and resizes plain JPEGs on the GPU.
    """

    path: str
    device: str = "auto"
    precision: Precision = "auto"
    batch: int = 64
    decode: Decode = "full"

    addressed: ClassVar[str] = "path"

    def validate(self) -> None:
        if self.batch < 1:
            raise UsageError(
                f"{self.name}(batch={self.batch}) embeds nothing.", "Give a batch of at least 1."
            )

    def __getstate__(self) -> dict[str, Any]:
        # another process loads the model itself
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the model's files, and parameters that change vectors."""
        return digest(
            self._files(),
            self.name,
            *self._moving(),
            *(() if self.decode == "full" else (self.decode,)),
        )

    @property
    def enough(self) -> int | None:
        """Pixels of a picture's shorter side that the model can use, where ``decode=reduced``."""
        recipe = self._loaded.recipe if self.decode == "reduced" else None
        if recipe is None:
            return None
        if isinstance(recipe.size, int):
            return recipe.size
        return max(recipe.size)

    @property
    def takes(self) -> Callable[[bytes], int] | None:
        """How many bytes of a file the encoder decodes itself, 0 where it does not decode it.

        None where it decodes no files.

        Files that are asked with go the way of the collection's, so that a picture finds itself.
        """
        if self.decode == "gpu" and self._loaded:
            return plain_jpeg
        return None

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself."""
        return Capabilities(card=CARD, enough=self.enough, takes=self.takes, batch=self.batch)

    def about(self) -> dict[str, Any]:
        """What the manifest records."""
        loaded, device = self._loaded, device_of(self.device)
        return {
            "model": self.path,
            **loaded.facts,
            "dimensions": self._shape[-1],
            "longest_text": loaded.limit,
            "device": str(device),
            "precision": precision_of(self.precision, device),
            "fingerprint": self.fingerprint,
            "warnings": [*loaded.warnings, *self._long.notes(loaded.limit)],
        }

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) unit vectors; texts that are too long are cut, and counted in
        ``about``.
        """
        loaded = self._loaded
        # a token takes at least one byte; four more leave room for the marks at both ends
        long = [text for text in texts if len(text.encode("utf-8", "replace")) + 4 > loaded.limit]
        with loaded.reading:
            self._long.count(len(texts), sum(loaded.length(text) > loaded.limit for text in long))
        return self._embeddings(
            self._read(texts) if len(texts) else np.empty((0, *self._shape), np.float32)
        )

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) unit vectors of Pillow images or uint8 arrays."""
        return self.prepared([self.prepare(image) for image in images], role)

    def prepare(self, image: Any) -> Any:
        """One image as the model's inputs, still on the CPU, or as its file has it; thread-safe."""
        plain = self.preparer
        if plain is None:
            return Prepares(str(self), self._loaded.picture)(image)
        return plain(image)

    @property
    def preparer(self) -> Prepares | None:
        """What prepares an image without the model, so that other processes can.

        None where only the library's processor can.
        """
        recipe = self._loaded.recipe
        if recipe is None:
            return None
        return Prepares(str(self), recipe)

    def prepared(self, images: Sequence[Mapping[str, Array] | JpegFile], role: Role) -> Embeddings:
        """(images, dimensions) unit vectors of prepared images; those of one shape go together."""
        return self.begin(images, role)()

    def begin(
        self, images: Sequence[Mapping[str, Array] | JpegFile], role: Role
    ) -> Callable[[], Embeddings]:
        """The same, begun: call the result to wait for the vectors while a GPU works on them."""
        if not len(images):
            return lambda: self._embeddings(np.empty((0, *self._shape), np.float32))
        shapes: dict[Any, list[int]] = defaultdict(list)
        for row, image in enumerate(images):
            shapes[self._kind(image)].append(row)
        device, step = device_of(self.device), min(self.batch, _AT_ONCE)
        parts = [
            rows[start : start + step]
            for rows in shapes.values()
            for start in range(0, len(rows), step)
        ]
        inputs = ahead(
            lambda part: self._moved([images[row] for row in part], device), parts, device
        )
        waiting = begun(self._seen, inputs, self.precision, device)
        order = np.argsort([row for part in parts for row in part])
        return lambda: self._embeddings(waiting()[order])

    def _kind(self, image: Mapping[str, Array] | JpegFile) -> Any:
        """What images that go together have in common: their shape, or where they are decoded."""
        if isinstance(image, Mapping):
            return tuple(value.shape for value in image.values())
        recipe = self._jpegs.recipe
        return "compressed", None if recipe.crop else recipe.steps(*image.size)

    def _moved(self, images: Sequence[Any], device: Any) -> Mapping[str, Any]:
        """Images of one kind as the model's inputs, on the device."""
        if isinstance(images[0], Mapping):
            return moved(images, device)
        return {"pixels": self._jpegs.pixels(images)}

    def _read(self, texts: Sequence[str]) -> Array:
        device = device_of(self.device)
        parts = [texts[start : start + self.batch] for start in range(0, len(texts), self.batch)]
        with self._loaded.reading:
            tokens = [self._loaded.tokens(part) for part in parts]
        moving = ({name: value.to(device) for name, value in part.items()} for part in tokens)
        return forwards(self._loaded.text, moving, self.precision, device)

    def _seen(self, **inputs: Any) -> Any:
        loaded = self._loaded
        if loaded.recipe is None:
            return loaded.image(**inputs)
        return loaded.image(pixel_values=loaded.recipe.numbers(inputs["pixels"]))

    def _embeddings(self, output: Array) -> Embeddings:
        """Unit vectors of (items, dimensions) or (items, vectors, dimensions)."""
        vectors = unit(output.reshape(-1, output.shape[-1]), str(self))
        return Embeddings(
            vectors,
            None
            if output.ndim == 2
            else np.arange(len(output) + 1, dtype=np.int64) * output.shape[1],
        )

    @property
    def _shape(self) -> tuple[int, ...]:
        """The shape of a text's vector: (dimensions,), or (1, dimensions) with many per item."""
        loaded = self._loaded
        if not loaded.shape:
            loaded.shape = self._read(["a"]).shape[1:]
        return loaded.shape

    @cached_property
    def _loaded(self) -> Loaded:
        with LOADING:
            loaded = self._load()
            if self.decode == "gpu":
                check_recipe(loaded.recipe, str(self))
                # a missing decoder is reported now, not at the first picture
                _ = self._decoder
            return loaded

    @cached_property
    def _decoder(self) -> Decoder:
        """The decoder for ``decode=gpu``."""
        return nvjpeg(device_of(self.device))

    @cached_property
    def _jpegs(self) -> Jpegs:
        with LOADING:
            recipe = self._loaded.recipe
            assert recipe is not None, "checked when it was loaded"
            return Jpegs(recipe, self._decoder, device_of(self.device))

    def _load(self) -> Loaded:
        raise NotImplementedError

    def _files(self) -> list[Path]:
        raise NotImplementedError

    def _moving(self) -> tuple[str, ...]:
        """The parameters that change vectors."""
        return (self.precision,)
