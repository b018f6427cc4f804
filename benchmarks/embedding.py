"""What ``fairlead embed`` costs beyond decoding and encoding: 2,000 JPEG files, read, hashed,
decoded ahead, encoded, committed.
"""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from figures import Figure, best, child
from PIL import Image, ImageEnhance

from fairlead.encoders.pixels import PixelRecipe
from fairlead.engine import galleries
from fairlead.phantom.people import OCCUPATIONS
from fairlead.phantom.references import pixels
from fairlead.protocols import registry
from fairlead.store.pictures import decode

COUNT, SIDE, BATCH = 2_000, 512, 64
RUNS = 3


def bench(full: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        files = pictures(root / "photos")
        encoder = registry.make("encoder", "phantom")
        plain(files[:BATCH], encoder)  # models are loaded, files are in the cache
        decoded = [Image.open(f).convert("RGB") for f in files[:256]]
        alone: list[float] = []
        encode, _ = best(lambda: encoded(decoded, encoder, alone), RUNS)
        both, expected = best(lambda: plain(files, encoder), RUNS)
        rates: list[float] = []
        cpu, found = best(lambda: embedded(root, encoder, rates), RUNS)
        agree = np.array_equal(galleries.open_gallery(found, encoder).embeddings.vectors, expected)
        share = f"{max(rates):,.0f} images a second on {os.cpu_count()} cores, {max(rates) / max(alone):.0%} of the encoder alone"
        note = f"CPU of all threads, {encode * COUNT / len(decoded):.1f} s of it the encoder's; {share}"
        what = f"embed {COUNT:,} files of {SIDE} pixels"
        yield Figure(
            what,
            cpu,
            "s",
            "decode and encode in a loop",
            both,
            "at most 10 % more",
            cpu <= 1.1 * both and agree,
            note,
        )
        yield from reduced(root)
        again, _ = best(lambda: galleries.embed(root / "photos", encoder, found), RUNS)
        yield Figure(
            "embed again, nothing new",
            again,
            note="looks at every file's size and time, reads none",
        )
        out = child("fairlead", "embed", str(root / "photos"), "-o", str(root / "process"))
        yield Figure(
            "embed, peak memory of the process",
            out.peak_mb,
            "MB",
            note=f"the pictures are {COUNT * SIDE * SIDE * 3 / 1e6:,.0f} MB",
        )


def reduced(root: Path) -> Iterator[Figure]:
    """Reading photos for a model that sees 224 pixels: whole, and at the fraction that
    ``decode=reduced`` decodes.
    """
    recipe = PixelRecipe(224, Image.Resampling.BICUBIC, (224, 224), 1 / 255, (0.5,) * 3, (0.5,) * 3)
    rng = np.random.default_rng(0)
    for width, height in ((640, 480), (4000, 3000)):
        stream = io.BytesIO()
        rough = Image.fromarray(rng.integers(0, 256, (height // 8, width // 8, 3), np.uint8))
        rough.resize((width, height), Image.Resampling.BICUBIC).save(stream, "JPEG", quality=88)
        count = 40 if width < 1000 else 4
        reading = partial(read_often, stream.getvalue(), count, recipe)
        whole, few = (best(partial(reading, least), RUNS)[0] for least in (None, 224))
        what = f"read a JPEG of {width} x {height}, reduced"
        yield Figure(
            what,
            1e3 * few / count,
            "ms",
            "whole",
            1e3 * whole / count,
            "quicker",
            few < whole,
            "one thread, decoded and prepared",
        )


def read_often(content: bytes, count: int, recipe: PixelRecipe, least: int | None) -> None:
    for _ in range(count):
        recipe.pixels(decode(content, least=least))


def pictures(folder: Path) -> list[Path]:
    """Portraits at four brightnesses, so that no two files are equal."""
    folder.mkdir()
    names = [
        f"phantom:person/{o}/{g}/{t}/{s}"
        for s in range(9)
        for t in (2, 9)
        for o in OCCUPATIONS
        for g in ("female", "male")
    ]
    for number, drawn in enumerate(pixels(names[: COUNT // 4], 128)):
        large = Image.fromarray(drawn).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        for step in range(4):
            stream = io.BytesIO()
            ImageEnhance.Brightness(large).enhance(0.8 + 0.1 * step).save(
                stream, "JPEG", quality=90
            )
            (folder / f"{4 * number + step:05}.jpg").write_bytes(stream.getvalue())
    return sorted(folder.iterdir())


def plain(files: list[Path], encoder: Any) -> Any:
    """What has to be done anyway: one loop on one thread, nothing kept but the vectors."""
    parts = []
    for start in range(0, len(files), BATCH):
        images = [Image.open(f).convert("RGB") for f in files[start : start + BATCH]]
        parts.append(encoder.images(images, "item").vectors)
    return np.concatenate(parts)


def encoded(images: list[Any], encoder: Any, rates: list[float]) -> None:
    start = time.perf_counter()
    for first in range(0, len(images), BATCH):
        encoder.images(images[first : first + BATCH], "item")
    rates.append(len(images) / (time.perf_counter() - start))


def embedded(root: Path, encoder: Any, rates: list[float]) -> Path:
    out = Path(tempfile.mkdtemp(dir=root)) / "out"
    start = time.perf_counter()
    galleries.embed(root / "photos", encoder, out)
    rates.append(COUNT / (time.perf_counter() - start))
    return out
