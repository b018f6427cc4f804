"""The rules every registered encoder keeps. A new one is one line of ``ENCODERS``: how to make it,
given an empty folder.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fairlead.phantom.people import Person
from fairlead.phantom.references import refer
from fairlead.protocols import registry
from fairlead.testing.encoders import all_laws
from fairlead.testing.tiny_models import FAMILIES, tiny_hf, tiny_open_clip

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# a tensor of a library made an array by a library
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
TEXTS = ("a photo of a nurse", "a doctor at work, seen from far away", "ein Bild", "x", "护士")
PHOTOS = tuple(
    Image.fromarray(
        np.random.default_rng(i).integers(0, 256, (30 + 15 * i, 60 - 9 * i, 3), np.uint8)
    )
    for i in range(4)
)
OWN = """
import zlib, numpy as np
class Encoder:
    batch = 2
    fingerprint = "1"
    def texts(self, texts): return np.stack([np.random.default_rng(zlib.crc32(t.encode())).normal(size=6) for t in texts])
    def images(self, images): return np.stack([np.random.default_rng(zlib.crc32(i.tobytes())).normal(size=6) for i in images])
"""
Made = tuple[str, tuple[Any, ...]]
"""The spec of an encoder, and images it can see."""


def late(place: Path) -> Made:
    spec = importlib.util.spec_from_file_location(
        "tiny_late", Path(__file__).parents[1] / "encoders" / "tiny_late.py"
    )
    assert spec is not None and spec.loader is not None
    tiny = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tiny)
    return f'late:"{tiny.save(next(iter(tiny.MAKERS)), place)}"', PHOTOS


def own(place: Path) -> Made:
    (place / "laws_own_encoder.py").write_text(OWN)
    return "py:laws_own_encoder:Encoder", PHOTOS


def precomputed(place: Path) -> Made:
    rng, names = np.random.default_rng(0), ("a.jpg", "b.jpg", "c.jpg")
    for half, lines in (("images", names), ("texts", TEXTS)):
        np.save(place / f"{half}.npy", rng.normal(size=(len(lines), 7)).astype(np.float32))
        (place / f"{half}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return f'precomputed:"{place}"', names


PORTRAITS = tuple(
    refer(Person(who, "female", tone, 3))
    for who, tone in (("nurse", 2), ("farmer", 5), ("nurse", 9))
)
ENCODERS: dict[str, Callable[[Path], Made]] = {
    "phantom": lambda place: ("phantom(dose=0.5)", (*PHOTOS, *PORTRAITS)),
    "phantom_ideal": lambda place: ("phantom_ideal(dose=1.0)", PORTRAITS),
    "py": own,
    "precomputed": precomputed,
    "open_clip": lambda place: (f'open_clip:"{tiny_open_clip(place)}"(batch=3)', PHOTOS),
    "st": lambda place: (f'st:"{tiny_hf("clip", place)}"', PHOTOS),
    "late": late,
    "lite": lambda place: ("lite(batch=2)", PHOTOS),
    "lite_tower": lambda place: ("lite_tower(batch=2)", PHOTOS),
    "lite_tower mirrored": lambda place: ("lite_tower(mirror=true)", PHOTOS),
    **{
        f"hf {family}": lambda place, family=family: (
            f'hf:"{tiny_hf(family, place)}"(batch=3)',
            PHOTOS,
        )
        for family in FAMILIES
    },
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", ENCODERS)
def test_encoder_on_texts_and_images_keeps_the_laws(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("FAIRLEAD_CACHE", str(request.config.cache.mkdir("fairlead")))
    spec, images = ENCODERS[name](tmp_path)
    features = name.startswith("lite_tower")  # which reads no texts
    all_laws(
        registry.make("encoder", spec),
        () if features else TEXTS,
        images,
        unit=name != "phantom_ideal" and not features,
    )


def test_encoder_registered_is_held_to_the_laws() -> None:
    assert set(registry.entries("encoder")) == {name.partition(" ")[0] for name in ENCODERS}
