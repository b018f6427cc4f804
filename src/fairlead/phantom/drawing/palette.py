"""Colours: one palette for the whole world, so that any two portraits sit well side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from fairlead.phantom.drawing.canvas import Ink


@lru_cache(maxsize=4096)
def ink(hexed: str) -> Ink:
    """The colour of six hexadecimal digits."""
    digits = hexed.lstrip("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


@lru_cache(maxsize=4096)
def mix(first: Ink, second: Ink, percent: int) -> Ink:
    """So many percent of the second colour in the first."""
    # In whole numbers, half rounded up: the same on every machine.
    r, g, b = (
        (x * (100 - percent) + y * percent + 50) // 100 for x, y in zip(first, second, strict=True)
    )
    return r, g, b


@lru_cache(maxsize=4096)
def tinted(first: Ink, red: int, green: int, blue: int) -> Ink:
    """Each channel at so many percent."""
    return (
        min(255, first[0] * red // 100),
        min(255, first[1] * green // 100),
        min(255, first[2] * blue // 100),
    )


def darker(colour: Ink, percent: int = 18) -> Ink:
    """A shade of the same cloth or wood."""
    return mix(colour, (38, 30, 52), percent)


def lighter(colour: Ink, percent: int = 22) -> Ink:
    """A lit part of the same cloth or wood."""
    return mix(colour, (255, 248, 236), percent)


def choose(colours: tuple[str, ...], number: int) -> Ink:
    """One of the colours."""
    # For a second choice from one number divide it by the number of colours of the first: the same
    # number again would pair each colour with one other only.
    return ink(colours[number % len(colours)])


INK, CREAM, WHITE = ink("2f2a3a"), ink("fbf4e6"), ink("fffdf8")
STEEL, IRON, BRASS, WOOD, OAK = (
    ink("c3ccd6"),
    ink("6c7788"),
    ink("e2b14a"),
    ink("b5804f"),
    ink("8a5a38"),
)
RED, LEAF, SUN, AMBER, BLUE = (
    ink("d65a4a"),
    ink("5f9b6b"),
    ink("f4c64e"),
    ink("ee9d45"),
    ink("4f83c4"),
)

FABRICS: Mapping[str, Ink] = {
    "brick": ink("b8574a"),
    "ochre": ink("cf9741"),
    "moss": ink("77854f"),
    "teal": ink("3d8580"),
    "navy": ink("3d4f78"),
    "plum": ink("80507a"),
    "oat": ink("d9c5a2"),
    "slate": ink("687889"),
}

# One list for all skin tones, so that hair tells no tone.
HAIR: Mapping[str, Ink] = {
    "black": ink("2a2730"),
    "espresso": ink("40302c"),
    "walnut": ink("5f4434"),
    "chestnut": ink("7d5138"),
    "auburn": ink("8f4a31"),
    "honey": ink("b98a4e"),
    "ash": ink("948c86"),
    "silver": ink("c2bfbc"),
}

EYES: Mapping[str, Ink] = {
    "umber": ink("46291c"),
    "chestnut": ink("6b4127"),
    "hazel": ink("7a5a30"),
    "moss": ink("5a5f38"),
}


@dataclass(frozen=True)
class Room:
    """The colours of a room: the wall, its shadow, its light, and an accent that stands apart from
    it.
    """

    wall: Ink
    deep: Ink
    pale: Ink
    accent: Ink


_ROOMS: Mapping[str, tuple[str, str]] = {
    "sage": ("bccdb9", "d98f6a"),
    "sky": ("b5d0e0", "e0a35a"),
    "sand": ("e2cfae", "6f9a98"),
    "lilac": ("cdc3dd", "d9a35f"),
    "rose": ("e6c3bb", "6d93a6"),
    "mist": ("b3d3ce", "d9856d"),
    "butter": ("ecd9a3", "7f97b8"),
    "clay": ("d8b199", "5f8f8b"),
}
# Percent of red, green and blue. The light falls on the room alone: a tinted skin would not be the
# tone it is labelled with.
_LIGHTS: Mapping[str, tuple[int, int, int]] = {
    "warm": (103, 100, 95),
    "neutral": (100, 100, 100),
    "cool": (96, 99, 103),
}


@lru_cache(maxsize=64)
def room(backdrop: str, light: str) -> Room:
    """The colours of a backdrop in a light."""
    wall, accent = (tinted(ink(c), *_LIGHTS[light]) for c in _ROOMS[backdrop])
    return Room(wall, mix(wall, ink("584a6e"), 26), mix(wall, ink("fffaf0"), 46), accent)


@dataclass(frozen=True)
class Skin:
    """The colours of skin: shading follows the tone and stays warm in every light."""

    base: Ink
    shade: Ink
    deep: Ink
    lit: Ink
    blush: Ink
    lips: Ink
    rouge: Ink
    line: Ink
    dark: bool

    @property
    def fold(self) -> Ink:
        """The colour of a thin line in the skin."""
        # The shade of dark skin is too near to it for a line to show.
        if self.dark:
            return self.deep
        return self.shade


@lru_cache(maxsize=32)
def skin(hexed: str) -> Skin:
    """The colours of a skin tone. The tone itself is the largest area of the face."""
    base = ink(hexed)
    # True from tone 7 on: the skin group ``tan`` has a tone on either side.
    if sum(base) < 300:
        return _dark_skin(base)
    return _pale_skin(base)


# Shade takes least from red, here and below, so that a cheek stays warm in every tone.
def _dark_skin(base: Ink) -> Skin:
    return Skin(
        base=base,
        shade=tinted(base, 80, 75, 76),
        deep=tinted(base, 56, 50, 52),
        lit=mix(base, ink("e8a880"), 32),
        blush=mix(base, ink("c8543f"), 36),
        lips=mix(base, ink("b8625a"), 56),
        rouge=mix(base, ink("c23a52"), 70),
        line=tinted(base, 40, 36, 38),
        dark=True,
    )


def _pale_skin(base: Ink) -> Skin:
    return Skin(
        base=base,
        shade=tinted(base, 91, 79, 71),
        deep=tinted(base, 76, 58, 51),
        lit=mix(base, ink("fff3e2"), 50),
        blush=mix(base, ink("ef7a64"), 56),
        lips=mix(base, ink("b4574e"), 52),
        rouge=mix(base, ink("c2304a"), 72),
        line=tinted(base, 48, 34, 30),
        dark=False,
    )
