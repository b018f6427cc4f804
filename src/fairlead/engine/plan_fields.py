"""Fields that the plans of several verbs share: each is described once, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fairlead.engine.plan_values import (
    AnnotatorSpec,
    BenchmarkSpec,
    Data,
    EncoderSpec,
    IndexSpec,
    Labels,
    Lines,
    MetricSpec,
    MitigationSpec,
    Path,
    Several,
    Some,
    Stated,
    several,
)
from fairlead.errors import UsageError
from fairlead.statistics.cells import SMALLEST, limit
from fairlead.types.joining import read_map


@dataclass(frozen=True)
class Cli:
    """How a field is written on the command line, where its name and type do not say it.

    Attributes:
        flags: The option's names; ``--field-name`` by default.
        metavar: What stands for the value in the help.
        argument: Whether it is an argument and not an option.
        off: The flag that says no, of a field that is true by default.
        file: Whether the value is a path, which the shell completes.
        kinds: Kinds of the registry whose names the shell offers.
        shows_default: Whether the help tells the default.
        writes: Whether it names what is written: a file or folder that takes the place of another.
        updates: Whether it names a file that is read and added to.
        about: Whether a note on who gave the labels is written beside what is written.
    """

    flags: tuple[str, ...] = ()
    metavar: str | None = None
    argument: bool = False
    off: str = ""
    file: bool = False
    kinds: tuple[str, ...] = ()
    shows_default: bool = True
    writes: bool = False
    updates: bool = False
    about: bool = False

    @classmethod
    def of(cls, field: Any) -> Cli:
        """How a field of a plan is written."""
        return next((one for one in field.metadata if isinstance(one, cls)), cls())


def _kept(least: int) -> int:
    """A limit for small counts that can be kept."""
    try:
        return limit(least)
    except UsageError as error:
        # Only a ValueError is collected by pydantic; anything else would hide the other faults.
        raise ValueError(f"{error.message.rstrip('.')}: {error.hint.rstrip('.').lower()}") from None


def _renames(value: Any) -> Any:
    """New names of groups as texts; what cannot be read is refused when the plan is made."""
    if isinstance(value, Mapping):
        value = [f"{old}={new}" for old, new in value.items()]
    texts = several(value)
    # Read for its refusals alone: the plan keeps texts, because a manifest is written from them.
    read_map(texts)
    return texts


BIASED = "phantom(dose=1)"
"""The model of verbs that show what a mitigation does: one whose bias is known."""
SKEWED = "phantom:skewed"
"""The benchmark of verbs that weigh balance against relevance: in it balance costs some."""
Seed = Annotated[
    int,
    Field(default=0, ge=0, description="Seed of every random choice.", examples=[7]),
]
Least = Annotated[
    int,
    AfterValidator(_kept),
    Field(
        default=SMALLEST,
        description=(
            "Counts of fewer people are withheld, and what would give them away; 0 shows all."
        ),
        examples=[10],
    ),
    Cli(metavar="N"),
]
LeaveOut = Annotated[
    Lines | None,
    Field(
        default=None,
        description=(
            "What is neither labelled nor measured: one item per line, or 'query: TEXT'; "
            "* and ? stand for any letters."
        ),
        examples=["withdrawn.txt"],
    ),
    Cli(metavar="FILE", file=True),
]
Trust = Annotated[
    Some[Path],
    Field(
        default=None,
        description=(
            "A file or folder whose choices are followed, even where it names code, a hub or a "
            "server; may be given again."
        ),
        examples=["photos.fairlead"],
    ),
    Cli(metavar="PATH", file=True),
]
Unknown = Annotated[
    Literal["ignore", "own-group", "spread"],
    Field(default="ignore", description="What becomes of unknown labels.", examples=["own-group"]),
]
Null = Annotated[
    Literal["order", "gallery", "target"] | None,
    Field(
        default=None,
        description="Chance level; chosen by what is known by default.",
        examples=["gallery"],
    ),
]
Interval = Annotated[
    Literal["studentised", "percentile"],
    Field(
        default="studentised",
        description="How the bootstrap over queries makes its intervals.",
        examples=["percentile"],
    ),
]
Trigger = Annotated[
    bool,
    Field(
        default=True,
        description="Leave alone what names a group, a person, the past or no person.",
        examples=[False],
    ),
    Cli(off="--no-trigger"),
]
Leave = Annotated[
    Lines | None,
    Field(
        default=None,
        description="More queries to leave alone, one per line; * and ? stand for any letters.",
        examples=["leave.txt"],
    ),
    Cli(metavar="FILE", file=True),
]
Qrels = Annotated[
    Data | None,
    Field(
        default=None,
        description="Relevance judgements: TREC qrels or query,item,gain.",
        examples=["qrels.txt"],
    ),
    Cli(metavar="FILE", file=True),
]
MitigateGroups = Annotated[
    Labels | None,
    Field(
        default=None,
        description="Labels the rerankers see; those that measure by default.",
        examples=["noisy(accuracy=0.9)", "predicted.csv"],
    ),
    Cli(metavar="SPEC|FILE"),
]
Map = Annotated[
    tuple[str, ...],
    BeforeValidator(_renames),
    Field(
        default=(),
        description=(
            "Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given "
            "again."
        ),
        examples=["woman=female", "gender:woman=female"],
    ),
    Cli(metavar="OLD=NEW"),
]
Depth = Annotated[
    int | None,
    Field(
        default=None,
        ge=1,
        description=(
            "How many to fetch, of each group where lists are mitigated; by default 200, or k "
            "where that is more."
        ),
        examples=[200],
    ),
    Cli(metavar="N"),
]
Limit = Annotated[
    int,
    Field(
        default=10_000,
        ge=1,
        description="Deepest fetch where a target is out of reach.",
        examples=[1_000],
    ),
    Cli(metavar="N"),
]
Targeted = Annotated[
    Stated,
    Field(
        default="uniform",
        description="What lists are held against.",
        examples=["pool", "targets.csv"],
    ),
    Cli(metavar="uniform|pool|FILE"),
]
Encoding = Annotated[
    EncoderSpec,
    Field(
        default="phantom",
        description="Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.",
        examples=["lite", "hf:./clip"],
    ),
    Cli(metavar="SPEC", kinds=("encoder",)),
]
Indexing = Annotated[
    IndexSpec,
    Field(
        default="exact",
        description="Index, e.g. exact, faiss(kind=ivf), pgvector:ADDRESS.",
        examples=["faiss(kind=hnsw)"],
    ),
    Cli(metavar="SPEC", kinds=("index",)),
]
Benchmark = Annotated[
    BenchmarkSpec,
    Field(
        default="phantom",
        description=(
            "Benchmark: phantom, phantom:skewed, phantom:language, phantom:culture; "
            "flickr8k:DIR, a folder of yours (docs/flickr8k.md)."
        ),
        examples=["phantom:skewed"],
    ),
    Cli(metavar="SPEC", kinds=("benchmark",)),
]
Shown = Annotated[
    int | None,
    Field(
        default=None,
        ge=1,
        description="How many items are shown; the benchmark's own by default.",
        examples=[20],
    ),
    Cli(flags=("-k",), metavar="N"),
]
HumanStore = Annotated[
    Path,
    Field(description="The file of human labels.", examples=["labels.db"]),
    Cli(argument=True, file=True, updates=True),
]
Annotating = Annotated[
    AnnotatorSpec,
    Field(
        description="Annotator, e.g. face, caption, mlp:gender.npz.",
        examples=["face", "mlp:gender.npz"],
    ),
    Cli(flags=("--with",), metavar="SPEC", kinds=("annotator",)),
]
EncodingForLabels = Annotated[
    EncoderSpec | None,
    Field(
        default=None,
        description="Encoder, where the annotator needs one and names none, e.g. hf:DIR.",
        examples=["lite"],
    ),
    Cli(metavar="SPEC", kinds=("encoder",)),
]
Mitigations = Annotated[
    Several[MitigationSpec],
    Field(
        default=(),
        description=(
            "Mitigation: a reranker, a projection or both, e.g. pbm, fitted:FILE, leace+pbm."
        ),
        examples=["pbm", "leace+pbm"],
    ),
    Cli(metavar="SPEC", kinds=("reranker", "projection")),
]
Metrics = Annotated[
    Several[MetricSpec],
    Field(
        default=(),
        description=(
            "Metric, e.g. NDKL@100 or Bias(positive=female)@10. See 'fairlead list metrics'."
        ),
        examples=["NDKL@50", "AbsBias@10"],
    ),
    Cli(metavar="SPEC", kinds=("metric",)),
]
Side = Annotated[
    Literal["images", "texts"] | None,
    Field(
        default=None,
        description="Pictures or captions; pictures where there are any.",
        examples=["texts"],
    ),
]
StepsFactor = Annotated[
    float,
    Field(default=1.0, gt=0, description="Share of the steps; 0.1 is a try.", examples=[0.1]),
]
OwnCollection = Annotated[
    Data | None,
    Field(
        default=None,
        description=(
            "Your own data instead of a benchmark: a folder of images, a table, an archive; "
            "with --queries."
        ),
        examples=["~/photos"],
    ),
    Cli(metavar="PATH", file=True),
]
OwnQueries = Annotated[
    Data | None,
    Field(
        default=None,
        description="What is asked of --collection: a table with query, text or image, or .txt.",
        examples=["queries.csv"],
    ),
    Cli(metavar="FILE", file=True),
]
