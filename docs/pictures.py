"""Draw the pictures of the documentation: ``python docs/pictures.py``.

docs/images/demo.svg is the real output of ``fairlead demo``; it names no font from elsewhere, so it
looks the same without a network. docs/images/phantom.png is a sheet of the phantom's portraits.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

from PIL import Image
from rich.console import Console

FOLDER = Path(__file__).parent / "images"
WIDTH = 140
COLUMNS, ROWS, SIZE, GAP = 8, 3, 120, 8


def recorded() -> Console:
    """A console that holds what ``fairlead demo`` prints."""
    import click

    from fairlead.cli import demo

    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )

    def echo(text: str = "", *, err: bool = False, **_: Any) -> None:
        # what a slow machine says of its progress is no part of the picture
        if not err:
            console.print(text, highlight=False, markup=False)

    echo("$ fairlead demo")
    with patch.object(demo, "show", console.print), patch.object(click, "echo", echo):
        demo.command.main(args=[], standalone_mode=False)
    return console


def drawn() -> str:
    """The picture."""
    svg = recorded().export_svg(title="fairlead demo", unique_id="demo")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas")
    return re.sub(r"<!-- .*? -->\s*", "", svg)


def portraits() -> Image.Image:
    """A sheet of portraits: another occupation in each place, presentations and skin tones in turn."""
    from fairlead.phantom.drawing import draw
    from fairlead.phantom.people import OCCUPATIONS, TONES, Person

    step, genders, names = SIZE + GAP, ("female", "male"), list(OCCUPATIONS)
    page = Image.new("RGB", (COLUMNS * step - GAP, ROWS * step - GAP), "white")
    for place in range(COLUMNS * ROWS):
        row, column = divmod(place, COLUMNS)
        tone = 1 + (3 * place + row) % len(TONES)
        page.paste(
            draw(Person(names[place], genders[(row + column) % 2], tone, 40 + place), SIZE),
            (column * step, row * step),
        )
    return page.quantize(256, dither=Image.Dither.NONE)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "demo.svg").write_text(drawn(), encoding="utf-8")
    portraits().save(FOLDER / "phantom.png", optimize=True)
