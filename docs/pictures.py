"""Draw the real output of ``fairlead demo`` as docs/images/demo.svg: ``python docs/pictures.py``.

The drawing names no font from elsewhere, so it looks the same without a network.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rich.console import Console

PLACE = Path(__file__).parent / "images" / "demo.svg"
WIDTH = 140


def recorded() -> Console:
    """A console that holds what ``fairlead demo`` prints."""
    import click

    from fairlead.cli import demo

    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")

    def echo(text: str = "", **_: Any) -> None:
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


if __name__ == "__main__":
    PLACE.parent.mkdir(exist_ok=True)
    PLACE.write_text(drawn(), encoding="utf-8")
