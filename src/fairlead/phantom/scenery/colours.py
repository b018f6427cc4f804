"""Colours of the scenes: the dress of a thing, by culture or plain, and the light of the day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairlead.phantom.drawing.canvas import Ink
from fairlead.phantom.drawing.palette import ink, mix


@dataclass(frozen=True)
class Dress:
    """The colours a thing wears.

    Attributes:
        main: Its largest coloured area.
        second: The colour beside it.
        accent: Small bright parts.
        pale: Cloth, paper or plaster.
        dark: Lines and iron.
        wood: Timber of the region.
    """

    main: Ink
    second: Ink
    accent: Ink
    pale: Ink
    dark: Ink
    wood: Ink


def _dress(text: str) -> Dress:
    return Dress(*(ink(part) for part in text.split()))


DRESSES: Mapping[str, Dress] = {
    "british": _dress("2f6152 a94a3f d8b25a f3ead6 2b3742 7a4f33"),
    "french": _dress("7f9cc9 b9a3d0 e9c767 fbf3e2 44506e b58d63"),
    "mexican": _dress("e2447f 1faea6 f6b63a fff1d8 5a2b5c a5602f"),
    "chinese": _dress("c9392f 3f8f70 ecb844 fdf1dc 4c2422 8c3b2a"),
    "japanese": _dress("35568f e9a9b6 c8503f f7f1e3 2c2d3a 6d4a36"),
    "arab": _dress("138a8c 2f5fa8 dca64a f2dfb8 27404f 96683c"),
    "indian": _dress("f2981f a3254f 0f7f88 fdeccb 5a2038 86502c"),
    "yoruba": _dress("7e2444 2a3a82 dba83f efe0c4 23244a 6b3d27"),
    "thai": _dress("6d4496 14805f e8b83c fbeed2 43263f 8d4b26"),
    "swahili": _dress("e4623f 1b86b4 f4c04c fff3e0 22384a 5e3b2a"),
}
"""The palette of each culture."""

PLAIN: tuple[Dress, ...] = (
    _dress("73808c b49c86 cfc0a4 efebe2 454b54 97795d"),
    _dress("9a7f6e 7d8f8c d2bd98 f0eae0 4d4743 8e7056"),
    _dress("788a74 a58a80 cbc19c eeece2 464d47 967b5e"),
    _dress("857b93 9a9a80 cfb8a6 efeae7 494652 91745d"),
)
"""Muted palettes of things whose culture does not show in their colours."""

STRAW, CRUST, CRUMB, CLAY, STONE, WATER = (
    ink(c) for c in ("dcb36c", "c98a4b", "f1d9a8", "b96a45", "b9b2a6", "7fb8c8")
)
GLOW = ink("ffe9a8")


@dataclass(frozen=True)
class Day:
    """The light of a scene: the sky from top to horizon, the sun, and percent per channel over the
    whole picture.
    """

    top: Ink
    low: Ink
    sun: Ink
    tint: tuple[int, int, int]


DAYS: Mapping[str, Day] = {
    "noon": Day(ink("a5d3ea"), ink("e3f1f0"), ink("fff3c4"), (100, 100, 100)),
    "morning": Day(ink("c6dfe6"), ink("fdead0"), ink("fff0d2"), (102, 100, 96)),
    "cloudy": Day(ink("bccbd5"), ink("e4e9e8"), ink("eef1ee"), (96, 98, 101)),
    "golden": Day(ink("f2cf9a"), ink("fdeccd"), ink("fff6dd"), (103, 98, 91)),
    "dusk": Day(ink("aeaed8"), ink("f3d3cd"), ink("fde3cf"), (96, 93, 101)),
}


def far(colour: Ink, percent: int = 30) -> Ink:
    """A colour seen through air."""
    return mix(colour, (232, 236, 236), percent)
