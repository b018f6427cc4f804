"""Pictures for encoders and for people: the one place where a reference becomes what somebody looks
at.

A drawing of the phantom is drawn, unless the encoder knows it by its reference; a file is read and
decoded, as large as the encoder needs it; an encoder that takes references gets the reference.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlead.errors import DataError
from fairlead.phantom.references import is_drawing, pixels
from fairlead.protocols import Encoder
from fairlead.protocols.encoder import Pictures, capabilities
from fairlead.store import pictures
from fairlead.store.materials import Files
from fairlead.store.sources.entries import SourceEntry

SIDE = 224
"""Pixels of a side of a drawing for encoders that see pixels."""


@dataclass(frozen=True)
class Opening:
    """What is behind an entry that names a picture: its bytes, and what an encoder sees of them.

    Attributes:
        takes: What the encoder takes for a picture.
        files: Opens what is a file.
    """

    takes: Pictures
    files: Files

    def read(self, entry: SourceEntry) -> bytes:
        """The bytes that tell equal contents: of the file, or the reference where none is read."""
        reference = str(entry.image)
        if self.takes == "references" or is_drawing(reference):
            return reference.encode()
        return self.files.read(entry)

    def see(self, entry: SourceEntry, content: bytes) -> Any:
        """The picture, or the reference where the encoder knows it."""
        reference = str(entry.image)
        if _is_known(reference, self.takes):
            return reference
        if is_drawing(reference):
            return drawing(reference, SIDE)
        return self.files.see(entry, content)


def opening(encoder: Encoder, max_pixels: int = pictures.MAX_PIXELS) -> Opening:
    """How pictures are opened for an encoder; larger ones than ``max_pixels`` are refused."""
    able = capabilities(encoder)
    return Opening(able.pictures, Files(max_pixels, able.enough, able.takes))


def open_image(image: Any, encoder: Encoder | None = None) -> Any:
    """A picture as an encoder takes it, or as a Pillow image where no encoder is named.

    A path is opened; a reference stays one for encoders that know it.

    Raises:
        DataError: Where it cannot be opened.
    """
    if not isinstance(image, (str, Path)):
        return image
    able, reference = capabilities(encoder), str(image)
    if _is_known(reference, able.pictures):
        return reference
    if is_drawing(reference):
        return drawing(reference, SIDE)
    return pictures.open_picture(os.path.expanduser(reference), least=able.enough, takes=able.takes)


def thumbnail(reference: str, size: int) -> Any:
    """The picture behind a reference as a square Pillow image of ``size`` pixels a side; None where
    it cannot be opened.
    """
    try:
        if is_drawing(reference):
            return drawing(reference, size)
        return pictures.thumbnail(reference, size)
    except DataError:
        return None


def drawing(reference: str, size: int) -> Any:
    """A drawing of the phantom as a Pillow image."""
    from PIL import Image

    return Image.fromarray(pixels([reference], size)[0])


def _is_known(reference: str, takes: Pictures) -> bool:
    """Whether an encoder knows a picture by its reference."""
    return takes == "references" or (takes == "drawings" and is_drawing(reference))
