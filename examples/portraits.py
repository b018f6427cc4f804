"""Write a sheet of the phantom's portraits: a row for each occupation, a column for each
presentation and skin group.

    python examples/portraits.py portraits.png [--size 96] [--seed 0] [--occupation nurse ...]

People in a row share a seed: they differ in presentation and skin only.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import cast

from PIL import Image, ImageDraw, ImageFont

from fairlead.phantom.drawing import draw
from fairlead.phantom.people import GENDERS, OCCUPATIONS, SKIN_GROUPS, Gender, Person

PAPER, PENCIL, GAP = (250, 247, 240), (92, 82, 98), 6


def sheet(occupations: list[str], size: int, seed: int) -> Image.Image:
    columns = [(gender, skin) for gender in GENDERS for skin in SKIN_GROUPS]
    left, top, step = 104, 40, size + GAP
    page = Image.new(
        "RGB", (left + len(columns) * step + GAP, top + len(occupations) * step + GAP), PAPER
    )
    pen, font = ImageDraw.Draw(page), ImageFont.load_default()
    for column, (gender, skin) in enumerate(columns):
        pen.text((left + column * step, 10), f"{gender}\n{skin}", PENCIL, font)
    for row, occupation in enumerate(occupations):
        pen.text((12, top + row * step + size // 2 - 6), occupation, PENCIL, font)
        for column, (gender, skin) in enumerate(columns):
            tones = SKIN_GROUPS[skin]
            person = Person(
                occupation, cast(Gender, gender), tones[(row + column) % len(tones)], seed + row
            )
            page.paste(draw(person, size), (left + column * step, top + row * step))
    return page


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--occupation", action="append", choices=list(OCCUPATIONS), metavar="NAME")
    chosen = parser.parse_args()
    sheet(chosen.occupation or list(OCCUPATIONS), chosen.size, chosen.seed).save(chosen.out)
    print(f"wrote {chosen.out}")


if __name__ == "__main__":
    main()
