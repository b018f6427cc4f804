"""Portraits of the phantom as files, drawn once for all tests."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from fairlead.phantom.people import OCCUPATIONS
from fairlead.phantom.references import pixels

NAMES = [
    f"phantom:person/{occupation}/{gender}/{tone}/{seed}"
    for seed in range(16)
    for tone in (2, 5, 9)
    for occupation in OCCUPATIONS
    for gender in ("female", "male")
]


@pytest.fixture(scope="session")
def portraits() -> Callable[[int], list[bytes]]:
    """``portraits(n)``: the bytes of n different pictures, PNG and JPEG in turn."""
    drawn: list[bytes] = []

    def some(count: int) -> list[bytes]:
        for start in range(len(drawn), count, 64):
            for picture in pixels(NAMES[start : start + 64], 64):
                stream = io.BytesIO()
                Image.fromarray(picture).save(stream, "JPEG" if len(drawn) % 2 else "PNG")
                drawn.append(stream.getvalue())
        return drawn[:count]

    return some


@pytest.fixture
def photos(tmp_path: Path, portraits: Callable[[int], list[bytes]]) -> Callable[..., Path]:
    """``photos(n)``: a folder of n portraits; ``photos(n, first=m)`` adds those from number m on."""

    def folder(count: int, name: str = "photos", *, first: int = 0) -> Path:
        place = tmp_path / name
        place.mkdir(exist_ok=True)
        for number, content in list(enumerate(portraits(first + count)))[first:]:
            (place / f"{number:04}.{'jpg' if number % 2 else 'png'}").write_bytes(content)
        return place

    return folder


@pytest.fixture
def files() -> Callable[[Path], dict[str, bytes]]:
    """``files(folder)``: the content of every file below a folder, by its path there."""
    return lambda folder: {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }
