"""``fairlead demo``."""

from __future__ import annotations

from pathlib import Path

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json

_CHOICES = {
    "model": "phantom(dose=1)",
    "benchmark": "phantom(seeds=8)",
    "attribute": "gender",
    "metric": ["AbsBias@20", "NDKL@20", "nDCG@20"],
    "mitigate": "pbm",
    "mitigate_groups": "noisy(accuracy=0.9)",
}
_BEFORE = """\
The phantom is a small image search that fairlead draws and trained itself, with gender stereotypes put into half of its 28 occupations
on purpose. Asked for "a photo of a nurse", does it show women and men alike? Chance says how uneven lists get by luck alone.

  AbsBias@20   how uneven the first 20 are: 0 is as many women as men, 1 is all of one
  NDKL@20      the same from the first picture on, early ones counting most: 0 is even throughout
  nDCG@20      how many of the first 20 show the occupation asked for: 1 is every one
  plain, pbm   the search as it is, and its first 20 reordered by pbm, which sees labels of which one in ten is wrong

It is an instrument of known bias: an example, no evidence about any real search.
"""
_PAGE = (
    "\n  fairlead demo --out demo               the same as a page with pictures: demo/report.html"
)
_AFTER = """
  fairlead audit --help                  other doses, kinds of bias and mitigations
  fairlead calibrate                     every measure and mitigation against a bias of known dose
  fairlead score RUN --groups LABELS     your own ranking (formats: fairlead score --help)"""


@click.command()
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    metavar="DIR|FILE.html|FILE.json",
    help="Also write the result: a folder, a page or a JSON file.",
)
@json_option
def command(as_json: bool, out: str | None) -> None:
    """Audit the phantom, a small image search of known bias, plain and mitigated.

    Everything it needs ships with fairlead. The bias was put in on purpose: an example, not
    evidence about any real search.

    \b
    Examples:
      fairlead demo
      fairlead demo --out demo
    """
    from fairlead.commands import audit as audits
    from fairlead.report.terminal import score_view

    with audits.audit_place(out) as write, progress_bar(as_json) as progress:
        found = audits.audit(progress=progress, **_CHOICES)
        write(found)
    if as_json:
        show_json(found.result.to_dict())
        return
    click.echo(_BEFORE)
    show(score_view(found.result))
    if out is None:
        click.echo(f"\nWhat to do next{_PAGE}{_AFTER}")
        return
    page = Path(out) / "report.html" if Path(out).is_dir() else Path(out)
    click.echo(
        f"\nWritten to {out}"
        + ("" if page.suffix == ".json" else f". Open {page} in a browser.")
        + f"\nWhat to do next{_AFTER}"
    )
