"""``fairlead demo``."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say

_BEFORE = """\
The phantom is a small image search that fairlead draws and trained itself, with gender stereotypes
put into half of its 28 occupations on purpose. Asked for "a photo of a nurse", does it show women
and men alike? Chance says how uneven lists get by luck alone.
"""
_WORDS = {
    "AbsBias@20": "how uneven the first 20 are: 0 is as many women as men, 1 is all of one",
    "NDKL@20": (
        "the same from the first picture on, early ones counting most: 0 is even throughout"
    ),
    "nDCG@20": "how many of the first 20 show the occupation asked for: 1 is every one",
    "plain, pbm": (
        "the search as it is, and its first 20 reordered by pbm, which sees labels of which one in "
        "ten is wrong"
    ),
}
_CAUTION = "It is an instrument of known bias: an example, no evidence about any real search."
_MARGIN = 15
_PAGE = (
    "\n  fairlead demo --out demo               the same as a page with pictures: demo/report.html"
)
_AFTER = """
  fairlead audit --help                  other doses, kinds of bias and mitigations
  fairlead calibrate                     every measure and mitigation against a bias of known dose
  fairlead score RUN --groups LABELS     your own ranking (formats: fairlead score --help)"""


@command_of(
    "demo",
    "fairlead demo",
    "fairlead demo --out demo",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="DIR|FILE.html|FILE.json",
    help="Also write the result: a folder, a page or a JSON file.",
)
@json_option
def command(choices: dict[str, Any], as_json: bool, out: str | None) -> None:
    """Audit the phantom, and say what is seen and what to do next."""
    from fairlead.commands.audit import audit_place
    from fairlead.commands.demo import demo
    from fairlead.report.terminal import score_view

    with audit_place(out) as write, progress_bar(as_json) as progress:
        found = demo(progress=progress, **choices)
        write(found)
    if as_json:
        show_json(found.result.to_dict())
        return
    say(_before())
    show(score_view(found.result))
    if out is None:
        say(f"\nWhat to do next{_PAGE}{_AFTER}")
        return
    # Asked only now: a folder that was not there before has been made meanwhile.
    page = Path(out)
    if page.is_dir():
        page /= "report.html"
    written = f"\nWritten to {out}"
    if page.suffix != ".json":
        written += f". Open {page} in a browser."
    say(f"{written}\nWhat to do next{_AFTER}")


def _before() -> str:
    """What is seen, as wide as the terminal."""
    width = shutil.get_terminal_size((100, 24)).columns
    words = [
        textwrap.fill(about, width, initial_indent=f"  {word:<13}", subsequent_indent=" " * _MARGIN)
        for word, about in _WORDS.items()
    ]
    about, caution = (textwrap.fill(" ".join(text.split()), width) for text in (_BEFORE, _CAUTION))
    return "\n".join([about, "", *words, "", caution, ""])
