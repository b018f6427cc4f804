"""A contact sheet: the pictures of the plain and the mitigated lists one below the other, with a
ribbon that says their groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fairlead.report.answer_view import cost, decided, likeliest, unnamed
from fairlead.report.strips import letters
from fairlead.report.wording import number, shortened
from fairlead.results.search import Found, QueryAnswer, SearchResult, Variant

_PALETTE = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (120, 94, 240),
    (90, 90, 90),
)
"""Colours that colour-blind people tell apart (Okabe and Ito), each with a letter beside it."""
_INK, _PAPER, _QUIET, _NONE = (28, 32, 38), (255, 255, 255), (108, 114, 122), (196, 200, 206)
_GAP, _RIBBON, _MARGIN, _LINE = 8, 22, 28, 20
_UNNAMED = ("?", "–")
"""Marks of what is unknown, and of what an attribute does not apply to."""
_FEWEST = 5
"""Pictures for which there is room in any case, because titles need some."""


def sheet(
    result: SearchResult, picture: Callable[[str, int], Any], *, size: int = 128, across: int = 10
) -> Any:
    """A Pillow image of all answers.

    Args:
        result: What was found.
        picture: Opens an image reference at a size, as a square Pillow image; None where it cannot.
        size: Pixels of a side of each picture.
        across: Pictures of a row, at most.
    """
    from PIL import Image, ImageDraw

    names = {
        name: tuple(about["groups"]) for name, about in result.manifest.get("labels", {}).items()
    }
    longest = max((len(v.items) for answer in result.results for v in answer.variants), default=0)
    across = min(across, max(longest, _FEWEST))
    blocks = [_Block(answer, names, size, across) for answer in result.results]
    width = 2 * _MARGIN + across * (size + _GAP) - _GAP
    page = Image.new("RGB", (width, _MARGIN + sum(b.height for b in blocks)), _PAPER)
    draw, top = ImageDraw.Draw(page), _MARGIN
    for block in blocks:
        block.paint(page, draw, top, picture)
        top += block.height
    return page


class _Block:
    """One answer on the sheet."""

    def __init__(
        self, answer: QueryAnswer, names: dict[str, tuple[str, ...]], size: int, across: int
    ) -> None:
        self.answer, self.size, self.across = answer, size, across
        self.attribute = next(iter(names), None)
        self.groups: tuple[str, ...] = ()
        if self.attribute is not None:
            self.groups = names[self.attribute]
        self.ribbon = _RIBBON if self.groups else 0
        self.width = across * (size + _GAP) - _GAP
        self.said = [self._lines(variant) for variant in answer.variants]
        each = zip(answer.variants, self.said, strict=True)
        self.height = 62 + sum(
            self._rows(v) * (size + self.ribbon + _GAP) + 40 + _LINE * (len(said) - 1)
            for v, said in each
        )

    def _rows(self, variant: Variant) -> int:
        return max(1, -(-len(variant.items) // self.across))

    def _lines(self, variant: Variant) -> list[str]:
        """What is said of a variant beside its name, and below it where that is too long."""
        room = self.width - _font(17).getlength(variant.name) - 16
        # There is always a first line, for the name stands in it.
        said: list[str] = []
        for part in _said(variant, self.answer.variants[0]):
            longer = "   ".join([*said[-1:], part])
            if said and _font(15).getlength(longer) <= room:
                said[-1] = longer
            else:
                said.append(part)
        return said or [""]

    def _legend(self) -> list[tuple[str, str, tuple[int, int, int]]]:
        """Mark, meaning and colour of each group, and of what belongs to none where it occurs."""
        named = zip(letters(self.groups), self.groups, strict=True)
        legend = [
            (mark, group, _PALETTE[at % len(_PALETTE)]) for at, (mark, group) in enumerate(named)
        ]
        if self.attribute is None:
            return legend
        rest = zip(_UNNAMED, unnamed(self.answer, self.attribute, self.groups), strict=True)
        return legend + [(mark, meaning, _NONE) for mark, meaning in rest if meaning]

    def _mark(self, label: str | None) -> tuple[str, tuple[int, int, int]]:
        """Mark and colour of a group, or of what belongs to none."""
        if label is not None and label in self.groups:
            at = self.groups.index(label)
            return letters(self.groups)[at], _PALETTE[at % len(_PALETTE)]
        # A label that is no group says that the attribute does not apply; none, that it is unknown.
        return _UNNAMED[bool(label)], _NONE

    def paint(self, page: Any, draw: Any, top: int, picture: Callable[[str, int], Any]) -> None:
        draw.text((_MARGIN, top), self.answer.query, fill=_INK, font=_font(26))
        draw.text((_MARGIN, top + 32), decided(self.answer), fill=_QUIET, font=_font(13))
        # From right to left, so that the legend ends at the margin whatever its length.
        left = page.width - _MARGIN
        for mark, group, colour in reversed(self._legend()):
            text = f"{mark} {group}"
            left -= int(draw.textlength(text, font=_font(15))) + 8
            draw.text((left, top + 10), text, fill=_INK, font=_font(15))
            left -= 20
            draw.rounded_rectangle((left, top + 12, left + 14, top + 26), 4, fill=colour)
            left -= 12
        top += 52
        for variant, said in zip(self.answer.variants, self.said, strict=True):
            draw.text((_MARGIN, top), variant.name, fill=_INK, font=_font(17))
            beside = _MARGIN + int(draw.textlength(variant.name, font=_font(17))) + 16
            for at, line in enumerate(said):
                draw.text((beside, top + 2 + at * _LINE), line, fill=_QUIET, font=_font(15))
            top += 28 + _LINE * (len(said) - 1)
            for at, item in enumerate(variant.items):
                x = _MARGIN + at % self.across * (self.size + _GAP)
                y = top + at // self.across * (self.size + self.ribbon + _GAP)
                self._item(page, draw, (x, y), item, picture)
            top += self._rows(variant) * (self.size + self.ribbon + _GAP) + 12

    def _item(
        self,
        page: Any,
        draw: Any,
        at: tuple[int, int],
        item: Found,
        picture: Callable[[str, int], Any],
    ) -> None:
        x, y = at
        shown = None
        if item.image is not None:
            shown = picture(item.image, self.size)
        if shown is None:
            draw.rectangle((x, y, x + self.size - 1, y + self.size - 1), outline=_NONE)
            name = shortened(item.text or item.id, 18)
            draw.text((x + 6, y + 6), name, fill=_QUIET, font=_font(12))
        else:
            page.paste(shown, (x, y))
        if not self.groups or self.attribute is None:
            return
        mark, colour = self._mark(likeliest(item.groups.get(self.attribute)))
        draw.rectangle(
            (x, y + self.size, x + self.size - 1, y + self.size + _RIBBON - 5), fill=colour
        )
        draw.text(
            (x + self.size / 2, y + self.size + _RIBBON / 2 - 2),
            mark,
            fill=_PAPER,
            font=_font(13),
            anchor="mm",
        )


def _said(variant: Variant, plain: Variant) -> list[str]:
    """The numbers of a variant beside their chance levels, and what it costs."""
    rows = [row for row in variant.metrics if row.null is not None]
    numbers = [
        f"{row.metric} {number(row.mean, 2)} (chance {number(row.null['mean'], 2)})"
        for row in rows[:2]
        if row.null
    ]
    return [part for part in (*numbers, cost(variant, plain)) if part]


def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def blocks(image: Any, columns: int = 12) -> Any:
    """A picture as coloured half blocks for a terminal: two pixels a character."""
    from rich.color import Color
    from rich.style import Style
    from rich.text import Text

    small = image.convert("RGB").resize((columns, columns))
    pixels: Sequence[Any] = [
        [small.getpixel((x, y)) for x in range(columns)] for y in range(columns)
    ]
    lines = Text()
    for y in range(0, columns - 1, 2):
        for x in range(columns):
            lines.append(
                "▀",
                Style(
                    color=Color.from_rgb(*pixels[y][x]), bgcolor=Color.from_rgb(*pixels[y + 1][x])
                ),
            )
        lines.append("\n")
    return lines
