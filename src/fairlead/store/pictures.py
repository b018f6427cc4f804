"""Pictures behind references, opened as RGB and upright, or refused with a reason.

A reference is the path of a file, or ``ARCHIVE.tar::member``.

What comes from elsewhere may be empty, cut off, of another format than its name says, or made to
fill the memory (a few kilobytes that unpack to billions of pixels). Nothing of that stops a run:
every fault is a ``BadPicture`` with one of the ``REASONS``.
"""

from __future__ import annotations

import io
import os
import stat
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairlead.errors import DataError
from fairlead.store import archives

MAX_PIXELS = 200_000_000
"""Pixels of a picture that is still opened: twice what the largest cameras take."""
MAX_BYTES = 1 << 30
"""Bytes of a file that is still read."""
_READ = "jpg jpeg jpe jfif png apng gif webp bmp dib tif tiff jp2 j2k jpx avif ppm pgm pbm pnm mpo"
_NOT_READ = "heic heif jxl svg psd cr2 cr3 nef arw dng orf rw2 raf"
SUFFIXES = frozenset(f".{name}" for name in _READ.split(" "))
"""Names of files that are taken for pictures."""
UNSUPPORTED = frozenset(f".{name}" for name in _NOT_READ.split(" "))
"""Names of pictures in formats that are not read: reported, never passed over."""
REASONS = {
    "missing": "there is no such file",
    "not a file": "a pipe, a socket or a device under the name of a picture",
    "unreadable": "the file could not be read",
    "empty": "the file has no bytes",
    "not a picture": "the bytes are of no known picture format",
    "unsupported format": "a picture format that is not read (HEIC, camera raw, ...)",
    "truncated": "the picture is cut off before its end",
    "damaged": "the picture cannot be decoded",
    "too large": "more pixels or bytes than are allowed",
}
# Raster formats with a signature of their own. Formats that start other programs (EPS) or have
# no signature (TGA) are left out.
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "DIB", "TIFF", "JPEG2000", "AVIF", "PPM")
# How to turn a picture upright, by EXIF's number for how the camera was held.
_TURNS = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
# Pillow has no error of its own for a file that ends too early; its decoders say so in these words.
_WORDS_OF_A_CUT = (
    "truncated",
    "unexpected end",
    "end of file",
    "not enough image data",
    "premature",
    "cannot decode image data",
)


class BadPicture(DataError):
    """A picture that cannot be used; ``reason`` is one of ``REASONS``."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True)
class Compressed:
    """An upright picture as its file has it, decoded elsewhere; ``size`` is (width, height)."""

    content: bytes
    size: tuple[int, int]

    @property
    def nbytes(self) -> int:
        """Bytes it holds while it waits."""
        return len(self.content)

    def open(self) -> Any:
        """The picture, decoded here after all."""
        return decode(self.content)


Takes = Callable[[bytes], int]
"""How many bytes of a file, from its beginning, are a picture that the asker decodes; 0 where it
does not.
"""


def open_picture(
    reference: str | Path,
    *,
    max_pixels: int = MAX_PIXELS,
    least: int | None = None,
    takes: Takes | None = None,
) -> Any:
    """The picture behind a reference, as an upright Pillow image in RGB.

    Args:
        reference: A path, or ``ARCHIVE.tar::member``.
        max_pixels: More pixels are refused before any is decoded.
        least: Pixels of the shorter side that suffice, as for ``decode``.
        takes: Which files are wanted as they are, as for ``decode``.

    Raises:
        BadPicture: With the reason.
    """
    try:
        return decode(read(str(reference)), max_pixels=max_pixels, least=least, takes=takes)
    except BadPicture as error:
        raise BadPicture(
            error.reason, f"{reference} cannot be used ({error.reason}). {error.message}"
        ) from error


def thumbnail(reference: str | Path, size: int, *, max_pixels: int = MAX_PIXELS) -> Any:
    """The picture behind a reference as a square of ``size`` pixels a side, its middle cut out."""
    from PIL import Image, ImageOps

    content = read(str(reference))
    return ImageOps.fit(
        decode(content, max_pixels=max_pixels, least=2 * size),
        (size, size),
        Image.Resampling.LANCZOS,
    )


def read(reference: str, *, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes behind a reference."""
    archive, member = archives.split(reference)
    if member is not None:
        try:
            return archives.read(archive, member, whole=max_bytes)
        except archives.MemberTooLarge as error:
            raise BadPicture("too large", error.message) from error
        except DataError as error:
            raise BadPicture(
                "missing" if not os.path.exists(archive) else "unreadable", error.message
            ) from error
    try:
        status = os.stat(reference)
        # opening a pipe would wait for ever
        if not stat.S_ISREG(status.st_mode):
            raise BadPicture("not a file", f"It is a {_kind(status.st_mode)}.")
        if status.st_size > max_bytes:
            raise BadPicture(
                "too large", f"It has {status.st_size:,} bytes, more than {max_bytes:,}."
            )
        with open(reference, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError) as error:
        link = os.path.islink(reference)
        raise BadPicture(
            "missing", "It is a link that leads nowhere." if link else "There is no such file."
        ) from error
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise BadPicture(
            "unreadable", f"It cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error


def decode(
    content: bytes,
    *,
    max_pixels: int = MAX_PIXELS,
    least: int | None = None,
    takes: Takes | None = None,
) -> Any:
    """An upright Pillow image in RGB from the bytes of a file; of an animation its first frame.

    Args:
        content: The bytes.
        max_pixels: More pixels are refused before any is decoded.
        least: Pixels of the shorter side that suffice; a JPEG is then decoded at a fraction of its
            size, which is quicker.
        takes: Which files are wanted as they are; of those only the header is read here, and
            upright ones come as ``Compressed``.
    """
    if not content:
        raise BadPicture("empty", "It has no bytes.")
    with quiet():
        image = _identified(content)
        if image.width * image.height > max_pixels:
            allowed = f"{max_pixels / 1e6:,.0f} megapixels are allowed"
            raise BadPicture(
                "too large", f"It has {image.width:,} x {image.height:,} pixels; {allowed}."
            )
        # who decodes elsewhere turns nothing: a picture that lies on its side is decoded here
        if takes is not None and (end := takes(content)) and _orientation(image) not in _TURNS:
            return Compressed(content[:end], image.size)
        try:
            if least is not None:
                image.draft("RGB", (least, least))
            image.load()
            return _turned(_rgb(image), _orientation(image))
        except MemoryError as error:
            raise BadPicture(
                "too large", f"{image.width:,} x {image.height:,} pixels do not fit in memory."
            ) from error
        except Exception as error:  # decoders of foreign bytes raise anything
            raise _fault(error) from error


def _identified(content: bytes) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        # Pillow's own limit applies to the whole process; the caller checks ours
        with _OPENING:
            limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
            try:
                return Image.open(io.BytesIO(content), formats=_formats())
            finally:
                Image.MAX_IMAGE_PIXELS = limit
    except UnidentifiedImageError as error:
        name = _looks_like(content)
        if name in ("HEIC", "SVG"):
            raise BadPicture(
                "unsupported format", f"It is {name}; save it as JPEG or PNG."
            ) from error
        if name is not None:
            raise BadPicture(
                "damaged", f"It begins like {name}, but its header cannot be read."
            ) from error
        raise BadPicture("not a picture", "Its bytes are of no known picture format.") from error
    except Exception as error:
        raise _fault(error) from error


_OPENING = threading.Lock()


@lru_cache(maxsize=1)
def _formats() -> tuple[str, ...]:
    """The formats that this Pillow was built with."""
    from PIL import Image

    Image.init()
    return tuple(name for name in _FORMATS if name in Image.OPEN)


def _fault(error: Exception) -> BadPicture:
    from PIL import Image

    words = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
    if isinstance(error, Image.DecompressionBombError):
        return BadPicture("too large", f"It is refused: {words}.")
    reason = "damaged"
    if isinstance(error, EOFError) or any(word in words.lower() for word in _WORDS_OF_A_CUT):
        reason = "truncated"
    return BadPicture(reason, f"It cannot be decoded: {words}.")


def _looks_like(content: bytes) -> str | None:
    """What the first bytes claim, where no decoder agrees."""
    head = content[:256]
    signatures = {
        b"\xff\xd8\xff": "JPEG",
        b"\x89PNG": "PNG",
        b"GIF8": "GIF",
        b"II*\0": "TIFF",
        b"MM\0*": "TIFF",
        b"BM": "BMP",
    }
    format_name = next((name for start, name in signatures.items() if head.startswith(start)), None)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WebP"
    if head[4:8] == b"ftyp":
        if head[8:12] in (b"avif", b"avis"):
            return "AVIF"
        return "HEIC"
    if b"<svg" in head:
        return "SVG"
    return format_name


def is_picture(head: bytes) -> bool:
    """Whether the first bytes of a file without a suffix are those of a picture."""
    return _looks_like(head) not in (None, "SVG")


def _rgb(image: Any) -> Any:
    """The picture in RGB: transparent parts on white, 16-bit grey levels brought to 8 bits."""
    from PIL import Image

    # Pillow's own conversion would drop transparency and clip grey levels
    if image.has_transparency_data:
        layered = image.convert("RGBA")
        return Image.alpha_composite(
            Image.new("RGBA", layered.size, (255, 255, 255, 255)), layered
        ).convert("RGB")
    if not image.mode.startswith("I;16"):
        return image.convert("RGB")
    import numpy as np

    return Image.fromarray((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8)).convert(
        "RGB"
    )


def _orientation(image: Any) -> int:
    """How the camera was held; 1 (upright) where the notes (EXIF) are damaged."""
    try:
        return int(image.getexif().get(0x0112, 1))
    except Exception:
        return 1


def _turned(image: Any, orientation: int) -> Any:
    from PIL.Image import Transpose

    if orientation in _TURNS:
        return image.transpose(Transpose[_TURNS[orientation]])
    return image


def _kind(mode: int) -> str:
    kinds = {
        stat.S_ISDIR: "folder",
        stat.S_ISFIFO: "pipe",
        stat.S_ISSOCK: "socket",
        stat.S_ISCHR: "device",
        stat.S_ISBLK: "device",
    }
    return next((name for test, name in kinds.items() if test(mode)), "special file")


class _Quiet:
    """Silences Pillow's warnings about damaged notes.

    All threads share one, because filters of warnings are global.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._caught = warnings.catch_warnings()

    def enter(self) -> None:
        with self._lock:
            if not self._inside:
                self._caught = warnings.catch_warnings()
                self._caught.__enter__()
                warnings.filterwarnings("ignore", module=r"PIL\.")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._caught.__exit__(None, None, None)


_QUIET = _Quiet()


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings of Pillow inside the block: what matters is raised as an error."""
    _QUIET.enter()
    try:
        yield
    finally:
        _QUIET.leave()
