"""Write a sheet of the phantom's second world: a row for each concept, a column for each culture.

    python examples/things.py things.png [--size 96] [--seed 0] [--concept tea ...]

Things in a row share a seed: they differ in the motifs of their culture only. Without --seed each
    row takes the first seed that shows
every motif; with it, some motifs are hidden.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from fairlead.phantom.languages import query
from fairlead.phantom.scenery import draw
from fairlead.phantom.things import CONCEPTS, CULTURES, MOTIFS, Thing, setting_of

PAPER, PENCIL, GAP = (250, 247, 240), (92, 82, 98), 6


def first_full(concept: str) -> int:
    return next(seed for seed in range(1000) if len(setting_of(concept, seed).shown) == len(MOTIFS))


def sheet(concepts: list[str], size: int, seed: int | None) -> Image.Image:
    left, top, step = 84, 28, size + GAP
    page = Image.new(
        "RGB", (left + len(CULTURES) * step + GAP, top + len(concepts) * step + GAP), PAPER
    )
    pen, font = ImageDraw.Draw(page), ImageFont.load_default()
    for column, culture in enumerate(CULTURES):
        pen.text((left + column * step, 10), culture, PENCIL, font)
    for row, concept in enumerate(concepts):
        pen.text((12, top + row * step + size // 2 - 6), query(concept, "english"), PENCIL, font)
        for column, culture in enumerate(CULTURES):
            thing = Thing(concept, culture, first_full(concept) if seed is None else seed)
            page.paste(draw(thing, size), (left + column * step, top + row * step))
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--concept", nargs="+", default=list(CONCEPTS))
    asked = parser.parse_args()
    sheet(asked.concept, asked.size, asked.seed).save(asked.file)
    print(f"Wrote {asked.file}.")


if __name__ == "__main__":
    main()
