"""Plain preprocessing without the library: resize, centre crop, rescale, normalise.

A library's processor costs milliseconds of Python per picture. Most do only this, and Pillow does
it without holding Python's lock: ``PixelRecipe.pixels`` gives whole numbers (a quarter of the
memory to move), ``PixelRecipe.numbers`` makes floats of them on the device. A recipe is used only
where it gives what the library gives on pictures of awkward sizes (``agrees``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.types.ragged import Array

Box = tuple[int, int, int, int]
"""Left, top, right, bottom."""
_TOLERANCE = 1e-5
# Above so many pixels only the cropped part of a resized picture is made: a picture as thin as a
# thread would fill the memory.
_LARGEST = 2**26
# (height, width) of the pictures on which a recipe is tried: wide, tall, odd margins, one pixel.
_PROBES = ((37, 64), (64, 37), (301, 200), (5, 50), (231, 230), (1, 1))


@dataclass(frozen=True)
class PixelRecipe:
    """Resize to ``size``, crop the centre, then ``(pixels * scale - mean) / std``.

    ``size`` is height and width, or the shorter edge.

    ``rounds``: an odd margin is halved to the even number (torchvision) rather than down
    (transformers).
    """

    size: tuple[int, int] | int
    resample: int
    crop: tuple[int, int] | None
    scale: float
    mean: tuple[float, ...]
    std: tuple[float, ...]
    rounds: bool = False

    def pixels(self, image: Any) -> Array:
        """(height, width, 3) uint8 of a Pillow image in RGB."""
        width, height, box = self.steps(*image.size)
        if box is None:
            return np.asarray(self._resized(image, width, height, None))
        if width * height > _LARGEST and min(box) >= 0:
            return np.asarray(self._resized(image, width, height, box))
        return np.asarray(self._resized(image, width, height, None).crop(box))

    def steps(self, width: int, height: int) -> tuple[int, int, Box | None]:
        """Width and height to which a picture of this size is resized, and the box to cut out of
        that.
        """
        if isinstance(self.size, int):
            short, long = sorted((width, height))
            other = int(self.size * long / short)
            width, height = (self.size, other) if width <= height else (other, self.size)
        else:
            height, width = self.size
        if self.crop is None:
            return width, height, None
        left_edge = self._half(width - self.crop[1])
        top = self._half(height - self.crop[0])
        return width, height, (left_edge, top, left_edge + self.crop[1], top + self.crop[0])

    def numbers(self, pixels: Any) -> Any:
        """(images, 3, height, width) float32 of (images, height, width, 3) uint8, on the same
        device.
        """
        import torch

        times, plus = (
            torch.tensor(part, dtype=torch.float32, device=pixels.device).view(1, -1, 1, 1)
            for part in self._affine
        )
        return pixels.permute(0, 3, 1, 2).to(torch.float32).mul_(times).add_(plus)

    @property
    def _affine(self) -> tuple[list[float], list[float]]:
        """Factors and summands per channel: rescaling and normalising in one."""
        return [self.scale / std for std in self.std], [
            -mean / std for mean, std in zip(self.mean, self.std, strict=True)
        ]

    def _resized(self, image: Any, width: int, height: int, box: Box | None) -> Any:
        if box is None:
            return image.resize((width, height), self.resample)
        across, down = image.size[0] / width, image.size[1] / height
        part = (box[0] * across, box[1] * down, box[2] * across, box[3] * down)
        return image.resize((box[2] - box[0], box[3] - box[1]), self.resample, box=part)

    def _half(self, margin: int) -> int:
        if self.rounds:
            return round(margin / 2)
        return margin // 2


def proven(recipe: PixelRecipe | None, library: Callable[[Any], Array]) -> PixelRecipe | None:
    """A recipe that gives what a library's processor gives; None where there is none such."""
    if recipe is not None and agrees(recipe, library):
        return recipe
    return None


def agrees(recipe: PixelRecipe, library: Callable[[Any], Array]) -> bool:
    """Whether a recipe gives what a library's processor gives, on pictures of awkward sizes.

    Where the library fails (transformers 4 takes the one row of a picture for its one channel)
    there is nothing to differ from.
    """
    import torch
    from PIL import Image

    noise = np.random.default_rng(0)
    for height, width in _PROBES:
        image = Image.fromarray(noise.integers(0, 256, (height, width, 3), np.uint8))
        ours = recipe.numbers(torch.from_numpy(recipe.pixels(image)[None].copy()))[0].numpy()
        try:
            theirs = np.asarray(library(image))
        except (ValueError, KeyError):
            # the library itself fails there: transformers 4 takes one row for one channel
            if min(height, width) > 1:
                return False
            continue
        if ours.shape != theirs.shape or not np.abs(ours - theirs).max() <= _TOLERANCE:
            return False
    return True
