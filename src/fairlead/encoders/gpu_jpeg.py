"""JPEG files decoded, resized and cropped on a GPU (``decode=gpu``).

It helps where decoding on the processor limits the speed of embedding.

Readers hand on the bytes of files that are plain (``plain_jpeg``); a batch of them is decoded by
nvJPEG in one call (``nvjpeg``), and brought to the layout that ``PixelRecipe.pixels`` gives by
the same two passes that Pillow makes, each rounded to whole numbers (``fitted``). All but the
decoder runs on any device; the decoder is a parameter. What it refuses is decoded by Pillow, alone.

nvJPEG gives a picture for a file that is cut off, where Pillow refuses it, so only a file whose
picture has its end goes this way. Its pixels differ a little from libjpeg's, which interpolates
colour more finely. Grey files come out wrong from torchvision 0.26 on an H200, some of them,
without an error; they are decoded by Pillow.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np

from fairlead.encoders.pixels import PixelRecipe
from fairlead.encoders.torchvision_repair import repair_torchvision
from fairlead.errors import UsageError, words_of

Decoder = Callable[[Sequence[Any]], Sequence[Any]]
"""uint8 tensors (bytes,) of files, on the CPU, to uint8 tensors (3, height, width); a
``RuntimeError`` where it cannot.
"""
_ELSE = "Leave it out, or give decode=reduced, which reads large JPEGs quicker on the processor."
# Pillow's numbers of the filters that torch has too.
_MODES = {2: "bilinear", 3: "bicubic"}
# Bytes of decoded pictures on the device at a time; resizing takes five times as much.
_AT_ONCE = 512 << 20
_SIDES, _MOST, _LONGEST = (16, 16_384), 1 << 26, 8
"""Pixels of a side, pixels in all, and the ratio of the sides up to which a picture is an ordinary
one.
"""
_BASELINE = 0xC0
_TABLES = {0xC4, 0xDB}
_SCAN = 0xDA
_END = 0xD9
_ADOBE = 0xEE
# Progressive, lossless, arithmetic and hierarchical frames. nvJPEG also reads progressive files,
# but one by one and on one core.
_OTHER_FRAMES = frozenset(range(0xC1, 0xD0)) - {0xC4, 0xC8} | {0xDE}
_SAMPLINGS = frozenset({0x11, 0x21, 0x12, 0x22})
# A marker among coded pixels: their own bytes 0xFF are followed by 0, and restarts (D0 to D7)
# belong to them.
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


@runtime_checkable
class JpegFile(Protocol):
    """A picture as its file has it; ``size`` is (width, height).

    ``open`` decodes it on the CPU, or raises a ``DataError``.
    """

    @property
    def content(self) -> bytes: ...
    @property
    def size(self) -> tuple[int, int]: ...
    def open(self) -> Any: ...


def plain_jpeg(content: bytes) -> int:
    """How many bytes of a file are a plain JPEG with its end; 0 where it is no such file.

    Plain means baseline, 8 bits, YCbCr, and an ordinary size.
    """
    segments: dict[int, bytes] = {}
    start = 0
    for kind, body, after in _segments(content):
        if kind in _OTHER_FRAMES or (kind == _BASELINE and kind in segments):
            return 0
        if kind != _ADOBE or body[:5] == b"Adobe":
            segments[kind] = body
        start = after
    if not segments.keys() >= {_BASELINE, _SCAN, *_TABLES} or not _ordinary(
        segments[_BASELINE], segments[_SCAN], segments.get(_ADOBE)
    ):
        return 0
    marker = _MARKER.search(content, start)
    if marker is not None and content[marker.end() - 1] == _END:
        return marker.end()
    return 0


def _segments(content: bytes) -> Iterator[tuple[int, bytes, int]]:
    """The segments of a JPEG up to the scan's: kind, body, and where the next begins."""
    at, kind = 2, 0
    while (
        content[:2] == b"\xff\xd8"
        and kind != _SCAN
        and len(content) > at + 4
        and content[at] == 0xFF
    ):
        kind = content[at + 1]
        after = at + 2 + int.from_bytes(content[at + 2 : at + 4], "big")
        # markers without a length, or stuffing: such files are left to Pillow
        if kind < 0xC0 or 0xD0 <= kind <= 0xD9 or kind == 0xFF or after < at + 4:
            return
        yield kind, content[at + 4 : after], after
        at = after


def _ordinary(frame: bytes, scan: bytes, adobe: bytes | None) -> bool:
    """Whether a frame has 8 bits, YCbCr in one scan, usual sampling and an ordinary size."""
    if len(frame) != 15 or frame[0] != 8 or frame[5] != 3 or not scan or scan[0] != 3:
        return False
    height = int.from_bytes(frame[1:3], "big")
    width = int.from_bytes(frame[3:5], "big")
    short, long = sorted((height, width))
    if not _SIDES[0] <= short <= long <= min(_SIDES[1], _LONGEST * short) or short * long > _MOST:
        return False
    names, samplings = frame[6::3], frame[7::3]
    # where Adobe's note is there, it says whether the colours are YCbCr
    ycbcr = adobe is None or (len(adobe) > 11 and adobe[11] == 1)
    return ycbcr and names != b"RGB" and samplings[0] in _SAMPLINGS and samplings[1:] == b"\x11\x11"


def fitted(pictures: Any, recipe: PixelRecipe) -> Any:
    """(pictures, height, width, 3) uint8 of (pictures, 3, height, width), on any device.

    The result is what ``PixelRecipe.pixels`` gives.
    """
    from torch.nn.functional import pad

    high, wide = pictures.shape[2:]
    width, height, box = recipe.steps(wide, high)
    left, top, right, bottom = box or (0, 0, width, height)
    # columns that are cut off need no second pass
    across = pad(_resized(pictures, (high, width), recipe), (-left, right - width))
    down = pad(_resized(across, (height, right - left), recipe), (0, 0, -top, bottom - height))
    return down.permute(0, 2, 3, 1).contiguous()


def _resized(pictures: Any, size: tuple[int, int], recipe: PixelRecipe) -> Any:
    """One pass of resizing, rounded as Pillow rounds."""
    import torch

    if pictures.shape[2:] == size:
        return pictures
    resized = torch.nn.functional.interpolate(
        pictures.float(),
        size=size,
        mode=_MODES[recipe.resample],
        antialias=True,
        align_corners=False,
    )
    return resized.add_(0.5).floor_().clamp_(0, 255).to(torch.uint8)


class Jpegs:
    """Turns files into pixels: decoded in one call, stacked by size, resized, cropped.

    Args:
        recipe: The model's preprocessing.
        decoder: Decodes files.
        device: Where the pixels are wanted.
    """

    def __init__(self, recipe: PixelRecipe, decoder: Decoder, device: Any) -> None:
        _quiet_about_bytes()
        self.recipe, self.decoder, self.device = recipe, decoder, device
        self._stream = _stream(str(device)) if device.type == "cuda" else None

    def pixels(self, jpegs: Sequence[JpegFile]) -> Any:
        """(jpegs, height, width, 3) uint8 on the device.

        All must come to one shape; a broken file raises a ``DataError``.
        """
        import torch

        with self._aside():
            pixels = torch.cat([self._fitted(jpegs[start:end]) for start, end in _portions(jpegs)])
        if self._stream is not None:
            pixels.record_stream(torch.cuda.current_stream(self.device))
        return pixels

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """Work on a stream of its own, so that the model can go on with the last batch."""
        import torch

        if self._stream is None:
            yield
            return
        with torch.cuda.stream(self._stream):
            yield
        torch.cuda.current_stream(self.device).wait_stream(self._stream)

    def _fitted(self, jpegs: Sequence[JpegFile]) -> Any:
        import torch

        decoded = self._decoded(jpegs)
        shapes: dict[Any, list[int]] = defaultdict(list)
        for row, picture in enumerate(decoded):
            shapes[tuple(picture.shape)].append(row)
        pixels = torch.cat(
            [
                fitted(torch.stack([decoded[row] for row in rows]), self.recipe)
                for rows in shapes.values()
            ]
        )
        order = np.argsort([row for rows in shapes.values() for row in rows])
        if len(shapes) == 1:
            return pixels
        return pixels[torch.from_numpy(order).to(pixels.device)]

    def _decoded(self, jpegs: Sequence[JpegFile]) -> Sequence[Any]:
        """The pictures, decoded together or, where one of them is refused, one by one."""
        try:
            # what becomes of a file must not depend on the other files
            return self.decoder(_tensors(jpegs))
        except RuntimeError:
            return [self._alone(jpeg) for jpeg in jpegs]

    def _alone(self, jpeg: JpegFile) -> Any:
        import torch

        try:
            return self.decoder(_tensors([jpeg]))[0]
        except RuntimeError:
            return torch.from_numpy(np.array(jpeg.open())).permute(2, 0, 1).to(self.device)


def _tensors(jpegs: Sequence[JpegFile]) -> Sequence[Any]:
    """The bytes of files, not copied, since nobody writes into them."""
    import torch

    return [torch.frombuffer(jpeg.content, dtype=torch.uint8) for jpeg in jpegs]


@lru_cache
def _stream(device: str) -> Any:
    """One stream for all on a device: each stream has memory of its own."""
    import torch

    return torch.cuda.Stream(torch.device(device))


def _quiet_about_bytes() -> None:
    """Let torch give its one warning now, unheard, that bytes must not be written into."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.frombuffer(b"0", dtype=torch.uint8)


def _portions(jpegs: Sequence[JpegFile]) -> Iterator[tuple[int, int]]:
    """Bounds of portions whose decoded pictures fit on the device together."""
    start = size_so_far = 0
    for row, jpeg in enumerate(jpegs):
        size = 3 * jpeg.size[0] * jpeg.size[1]
        if size_so_far and size_so_far + size > _AT_ONCE:
            yield start, row
            start, size_so_far = row, 0
        size_so_far += size
    yield start, len(jpegs)


def check_recipe(recipe: PixelRecipe | None, model: str) -> None:
    """Refuse a model whose preprocessing cannot be done on the GPU."""
    if recipe is None or recipe.resample not in _MODES:
        if recipe is None:
            why = "does more than resize, crop and normalise"
        else:
            why = "resizes by a filter that torch does not have"
        raise UsageError(f"decode=gpu is not for {model}, whose preprocessing {why}.", _ELSE)


def nvjpeg(device: Any) -> Decoder:
    """The decoder of torchvision on a GPU, tried on a small picture.

    Raises:
        UsageError: Where the device is no GPU of CUDA, or torchvision is missing or cannot decode
            on it.
    """
    import torch

    if device.type != "cuda":
        raise UsageError(f"decode=gpu needs a GPU with CUDA, and the device is {device}.", _ELSE)
    try:
        repair_torchvision()
        from torchvision.io import ImageReadMode, decode_jpeg
    except ImportError as error:
        raise UsageError(
            "decode=gpu needs torchvision, of the build of torch.",
            f"pip install torchvision. {_ELSE}",
        ) from error

    def decoder(files: Sequence[Any]) -> Sequence[Any]:
        # it decodes on a stream of its own into memory that counts as free on this one; wait until
        # nothing here reads that memory any more
        torch.cuda.current_stream(device).synchronize()
        return decode_jpeg(list(files), mode=ImageReadMode.UNCHANGED, device=device)

    try:
        decoder([torch.frombuffer(bytearray(_small()), dtype=torch.uint8)])
    except (RuntimeError, AttributeError, NotImplementedError) as error:
        message = (
            "decode=gpu needs a torchvision that decodes on the GPU, and this one does not: "
            f"{words_of(error)}."
        )
        raise UsageError(
            message, f"Install the torchvision of the build of torch. {_ELSE}"
        ) from error
    return decoder


def _small() -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (32, 32), "red").save(file, "JPEG")
    return file.getvalue()
