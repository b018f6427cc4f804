"""``embed``: the vectors of a collection, kept in a folder."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.galleries import embed as embedded
from fairlead.protocols import Progress
from fairlead.results.embed import EmbedResult

_MILLION = 1e6


class EmbedPlan(fields.Plan):
    """Embed a collection of images: vectors in a folder that search and index can use.

    The source is a folder of images, a table (.csv, .tsv, .jsonl, .parquet) with paths, or
    WebDataset archives (one .tar, a folder of them, or "shard-{000..005}.tar"). Run it again after
    adding images, or after it was killed: only what is new is embedded.
    """

    positional = ("source",)

    source: Annotated[
        fields.Path,
        Field(
            description="A folder of images, a table of paths, or tar archives.",
            examples=["~/photos"],
        ),
        fields.Cli(argument=True, file=True),
    ]
    model: fields.Encoding
    out: Annotated[
        fields.Path,
        Field(
            description="Folder of the vectors; continued where it exists.",
            examples=["photos.fairlead"],
        ),
        fields.Cli(flags=("-o", "--out"), metavar="DIR", file=True, writes=True),
    ]
    side: fields.Side
    half: Annotated[
        bool,
        Field(
            default=False,
            description="Keep 16-bit numbers: half the size, and ranks that hardly change.",
            examples=[True],
        ),
    ]
    workers: Annotated[
        int | None,
        Field(
            default=None,
            ge=1,
            description="Readers that decode pictures; the number of cores by default.",
            examples=[4],
        ),
        fields.Cli(metavar="N"),
    ]
    processes: Annotated[
        bool | None,
        Field(
            default=None,
            description=(
                "Read with processes, or with threads only: processes by default on the "
                "command line, threads in a program of yours."
            ),
            examples=[False],
        ),
        fields.Cli(off="--threads"),
    ]
    max_megapixels: Annotated[
        float,
        Field(default=200.0, gt=0, description="Larger pictures are skipped.", examples=[50.0]),
    ]
    trust: fields.Trust


def run(plan: EmbedPlan, progress: Progress | None = None) -> EmbedResult:
    """What became of every picture."""
    return embedded(
        plan.source,
        plan.model,
        plan.out,
        side=plan.side,
        half=plan.half,
        workers=plan.workers,
        # Not given means threads: a program of the user's may not be guarded by __main__, which new
        # processes need. The command line sets it.
        processes=bool(plan.processes),
        max_pixels=round(plan.max_megapixels * _MILLION),
        progress=progress,
    )


embed = as_function("embed", EmbedPlan, run)
