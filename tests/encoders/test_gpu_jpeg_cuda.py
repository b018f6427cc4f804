"""``decode=gpu`` on a GPU: vectors close to those of ``decode=full``, the same faults, work side by
side that does not mix.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from fairlead.encoders import hf
from fairlead.encoders.gpu_jpeg import Jpegs, nvjpeg
from fairlead.encoders.pixels import PixelRecipe
from fairlead.engine.embedding import embed
from fairlead.errors import UsageError
from fairlead.store import pictures
from fairlead.store.materials import Files
from fairlead.testing.tiny_models import tiny_hf


def _missing() -> str:
    try:
        nvjpeg(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    except UsageError as error:
        return error.message
    return ""


MISSING = _missing()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "there is a GPU")
RECIPE = PixelRecipe(
    size=224, resample=3, crop=(224, 224), scale=1 / 255, mean=(0.5,) * 3, std=(0.5,) * 3
)


def photo(width: int, height: int, seed: int, mode: str = "RGB", **how: Any) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).resize((width, height), Image.Resampling.BICUBIC).convert(mode).save(
        file, "JPEG", quality=90, **how
    )
    return file.getvalue()


def kinds(count: int) -> list[bytes]:
    """Photos of several sizes and samplings."""
    sizes, samplings = ((640, 480), (333, 501), (224, 224)), (0, 1, 2)
    return [photo(*sizes[n % 3], n, subsampling=samplings[n % 4 % 3]) for n in range(count)]


def test_decoded_and_resized_on_the_gpu_differs_by_little() -> None:
    jpegs = [
        pictures.decode(content + b"\0\1\2\3", takes=lambda c: len(c) - 4) for content in kinds(60)
    ]
    device = torch.device("cuda")
    made = Jpegs(RECIPE, nvjpeg(device), device).pixels(jpegs).cpu().numpy().astype(int)
    off = np.abs(made - np.stack([RECIPE.pixels(jpeg.open()) for jpeg in jpegs])).mean((1, 2, 3))
    assert off.max() < 3, off


def test_batches_side_by_side_do_not_mix() -> None:
    jpegs = [pictures.decode(content, takes=len) for content in kinds(64)]
    device = torch.device("cuda")
    decodes = Jpegs(RECIPE, nvjpeg(device), device)
    alone = torch.cat([decodes.pixels([jpeg]) for jpeg in jpegs]).cpu()
    weight = torch.randn(4096, 4096, device=device)
    found = []
    for _ in range(20):
        made = decodes.pixels(jpegs)
        for _ in range(8):  # keeps the other stream busy while the next are decoded
            weight = weight @ weight / 64
        found.append((made.clone(), made.float().sum()))
        del made
    assert all(
        torch.equal(one, found[0][0]) and float(total) == float(found[0][1]) for one, total in found
    )
    assert np.abs(found[0][0].cpu().numpy().astype(int) - alone.numpy()).max() <= 2


@dataclass(frozen=True)
class File:
    id: str
    image: str
    fault: None = None


@dataclass
class Kept:
    """A sink that keeps vectors in memory."""

    contents: dict[str, str] = field(default_factory=dict)
    skipped: list[tuple[str, str, str]] = field(default_factory=list)
    vectors: list[np.ndarray] = field(default_factory=list)

    def keep(self, entry: File, content: str) -> None:
        self.contents[content] = entry.image

    def skip(self, entry: File, reason: str, detail: str) -> None:
        self.skipped.append((entry.id, reason, detail))

    def commit(self, embeddings: Any) -> None:
        self.vectors += [] if embeddings is None else [embeddings.vectors]


def embedded(folder: Path, encoder: Any) -> Kept:
    sink, entries = Kept(), [File(path.name, str(path)) for path in sorted(folder.iterdir())]
    embed(entries, Files(least=encoder.enough, takes=encoder.takes), encoder, sink)
    return sink


def test_embedding_with_the_gpu_is_close_to_that_without_and_tells_the_same_faults(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number, content in enumerate(kinds(70)):
        (folder / f"{number:02}.jpg").write_bytes(content)
    whole = photo(640, 480, 99)
    others = {
        "turned": _turned(),
        "grey": photo(640, 480, 95, "L"),
        "cmyk": photo(640, 480, 98, "CMYK"),
        "progressive": photo(640, 480, 97, progressive=True),
    }
    for name, content in {
        **others,
        "cut": whole[: len(whole) // 2],
        "cut-late": whole[:-60],
    }.items():
        (folder / f"30-{name}.jpg").write_bytes(content)
    Image.open(io.BytesIO(whole)).save(folder / "31.png")
    model = str(tiny_hf("clip", tmp_path / "model"))
    for batch in (16, 600):  # batches of one part, and of all
        plain, gpu = (
            hf.HF(model, "cuda", "fp32", batch=batch, decode=way) for way in ("full", "gpu")
        )  # type: ignore[arg-type]
        first, second = embedded(folder, plain), embedded(folder, gpu)
        assert first.contents == second.contents and first.skipped == second.skipped
        assert ("30-cut.jpg", "truncated") in [fault[:2] for fault in second.skipped]
        one, two = (np.concatenate(sink.vectors) for sink in (first, second))
        assert len(two) == len(second.contents) and (one * two).sum(1).min() > 0.99
        asked = gpu.images(
            [pictures.open_picture(image, takes=gpu.takes) for image in second.contents.values()],
            "query",
        ).vectors
        assert np.array_equal((asked @ two.T).argmax(1), np.arange(len(two))), (
            "every picture finds itself"
        )


def _turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return photo(640, 480, 96, exif=exif)
