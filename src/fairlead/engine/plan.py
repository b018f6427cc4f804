"""Plans: what a verb is asked to do, checked before anything is opened. Unknown fields are refused,
all faults told together.

A verb's own plan stands in ``commands``, beside what it runs. Here are the fields that several
verbs share: each is described once, and its default is written once.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SkipValidation,
    ValidationError,
    WithJsonSchema,
)

from fairlead.errors import FairleadError, UsageError, together
from fairlead.protocols import Annotator, Encoder, Index, Metric, Projection, Reranker
from fairlead.statistics.cells import SMALLEST, limit
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Target
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
    """

    flags: tuple[str, ...] = ()
    metavar: str | None = None
    argument: bool = False
    off: str = ""
    file: bool = False
    kinds: tuple[str, ...] = ()
    shows_default: bool = True


class Plan(BaseModel):
    """What all plans share."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False
    )

    positional: ClassVar[tuple[str, ...]] = ()
    """Fields that the Python function takes by position; ``*field`` takes any number of values."""

    @classmethod
    def of(cls, **choices: Any) -> Any:
        """A plan, or a UsageError that tells all faults. None is as good as not given."""
        given = {name: value for name, value in choices.items() if value is not None}
        try:
            return cls(**given)
        except ValidationError as error:
            raise together([_fault(one) for one in error.errors()]) from None

    def described(self) -> dict[str, Any]:
        """The plan as text, for the manifest; objects that are no text are named by their type."""
        return {
            name: _text(getattr(self, name))
            for name in type(self).model_fields
            if getattr(self, name) is not None
        }


# --- types of values ---------------------------------------------------------------------------

Item = TypeVar("Item")


def _several(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(value)
    return (value,)


def _some(value: Any) -> Any:
    if not value and not hasattr(value, "__fspath__"):
        return None
    return _several(value)


def _kept(least: int) -> int:
    """A limit for small counts that can be kept."""
    try:
        return limit(least)
    except UsageError as error:
        raise ValueError(f"{error.message.rstrip('.')}: {error.hint.rstrip('.').lower()}") from None


def _pairs(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value
    pairs = {}
    for text in _several(value):
        name, equals, path = str(text).partition("=")
        if not equals:
            raise ValueError("write NAME=FILE, e.g. occupation1=labels.csv")
        pairs[name] = path
    return pairs


def _renames(value: Any) -> Any:
    """New names of groups as texts; what cannot be read is refused when the plan is made."""
    if isinstance(value, Mapping):
        value = [f"{old}={new}" for old, new in value.items()]
    texts = _several(value)
    read_map(texts)
    return texts


_AS_TEXT = WithJsonSchema({"type": "string"})
"""In JSON, objects are named by their text form."""

Several = Annotated[tuple[Item, ...], BeforeValidator(_several)]
"""One value or several."""
Some = Annotated[tuple[Item, ...] | None, BeforeValidator(_some)]
"""One value or several; None, the default, where there is none."""
Path = Annotated[str | pathlib.Path, SkipValidation, _AS_TEXT]
Pairs = Annotated[dict[str, Path], BeforeValidator(_pairs)]
"""Files by name; on the command line NAME=FILE."""
Data = Annotated[str | os.PathLike[str] | Mapping[Any, Any] | object, SkipValidation, _AS_TEXT]
"""A file, a mapping, a data frame. It is read by ``store``, which says what is wrong with it."""
Lines = Annotated[str | os.PathLike[str] | Sequence[str] | object, SkipValidation, _AS_TEXT]
"""A text file, or a list of its lines."""
Run = Annotated[
    str | os.PathLike[str] | Mapping[str, Mapping[str, float]] | Ranking | object,
    SkipValidation,
    _AS_TEXT,
]
Labels = Annotated[
    str | os.PathLike[str] | Mapping[str, Any] | Groups | Annotator | object,
    SkipValidation,
    _AS_TEXT,
]
"""Labels of items: a file, a mapping, a data frame, ``Groups``, an annotator or its spec."""
EncoderSpec = Annotated[str | Encoder, SkipValidation, _AS_TEXT]
IndexSpec = Annotated[str | Index, SkipValidation, _AS_TEXT]
MetricSpec = Annotated[str | Metric, SkipValidation, _AS_TEXT]
AnnotatorSpec = Annotated[str | Annotator, SkipValidation, _AS_TEXT]
RerankerSpec = Annotated[str | Reranker, SkipValidation, _AS_TEXT]
ProjectionSpec = Annotated[str | Projection, SkipValidation, _AS_TEXT]
MitigationSpec = Annotated[str | Reranker | Projection, SkipValidation, _AS_TEXT]
BenchmarkSpec = Annotated[str | object, SkipValidation, _AS_TEXT]
TrainingSpec = Annotated[str | object, SkipValidation, _AS_TEXT]

# --- fields that several verbs share -----------------------------------------------------------

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
Stated = Annotated[
    str | os.PathLike[str] | Mapping[str, float] | Mapping[str, Any] | Target,
    SkipValidation,
    _AS_TEXT,
]
"""``uniform``, ``pool`` or ``relevant``, a file, or given shares."""
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


class LabelPlan(Plan):
    """A run, its labels and a target: what ``score``, ``rerank`` and ``check`` begin with."""

    positional = ("run", "groups")

    run: Annotated[
        Run,
        Field(
            description=(
                "A run: a file (TREC, or CSV, JSONL or Parquet with query, item, score), "
                "a mapping, a data frame, a ranx.Run, scored documents."
            ),
            examples=["run.csv"],
        ),
        Cli(argument=True, file=True),
    ]
    groups: Annotated[
        Labels | None,
        Field(
            default=None,
            description=(
                "Labels: CSV, TSV, JSONL or Parquet with 'item' and one column per attribute. "
                "The run's own where it was saved with them."
            ),
            examples=["labels.csv"],
        ),
        Cli(metavar="FILE", file=True),
    ]
    attribute: Annotated[
        Some[str],
        Field(
            default=None,
            description="Attribute; gender*skin is the intersection. All by default.",
            examples=["gender", "gender*skin"],
        ),
        Cli(metavar="NAME"),
    ]
    target: Annotated[
        Stated,
        Field(
            default="uniform",
            description="What lists are held against.",
            examples=["pool", "targets.csv"],
        ),
        Cli(metavar="uniform|pool|relevant|FILE"),
    ]
    qrels: Qrels
    unknown: Unknown
    ties: Annotated[
        Literal["hash", "stable"],
        Field(
            default="hash",
            description="Order of equal scores: a seeded hash, or as in the file.",
            examples=["stable"],
        ),
    ]
    blocks: Annotated[
        str | None,
        Field(
            default=None,
            description=(
                "Column of the labels that names matched sets (images drawn from one seed)."
            ),
            examples=["seed"],
        ),
        Cli(metavar="COLUMN"),
    ]
    map: Map
    source: Annotated[
        str,
        Field(
            default="label",
            description="Who made the labels; printed beside every number.",
            examples=["people", "mlp:gender.npz"],
        ),
    ]
    leave_out: LeaveOut
    least: Least
    seed: Seed


class OwnFields(Plan):
    """One's own data instead of a benchmark: what is searched, what is asked, what is relevant."""

    collection: OwnCollection
    queries: OwnQueries
    qrels: Annotated[
        Data | None,
        Field(
            default=None,
            description="What is relevant in --collection: TREC qrels or query,item,gain.",
            examples=["qrels.txt"],
        ),
        Cli(metavar="FILE", file=True),
    ]


class SearchedLabels(Plan):
    """What is searched, and which labels measure and mitigate it."""

    collection: Annotated[
        Data,
        Field(
            default="phantom",
            description=(
                "A folder of images, a table, an archive, or what 'fairlead embed' wrote; "
                "embedded on first use and kept."
            ),
            examples=["~/photos", "photos.fairlead"],
        ),
        Cli(metavar="PATH", file=True),
    ]
    attribute: Annotated[
        Some[str],
        Field(
            default=None,
            description="Attribute; all that are labelled by default. The first is mitigated.",
            examples=["gender"],
        ),
        Cli(metavar="NAME"),
    ]
    groups: Annotated[
        Labels | None,
        Field(
            default=None,
            description=(
                "Labels that measure: a file with 'item' (or 'file') and one column per attribute, "
                "or an annotator."
            ),
            examples=["labels.csv", "zeroshot_prompt"],
        ),
        Cli(metavar="FILE|SPEC"),
    ]
    mitigate: Mitigations
    mitigate_groups: MitigateGroups
    map: Map
    target: Targeted


def _fault(error: Any) -> FairleadError:
    field = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return UsageError(f"There is no choice called '{field}'.")
    if error["type"] == "missing":
        return UsageError(f"'{field}' must be given.")
    return UsageError(f"{field} got {error['input']!r}: {error['msg'].lower()}.")


def _text(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_text(one) for one in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Target):
        return value.name
    if hasattr(value, "spec") or hasattr(value, "__fspath__"):
        return str(value)
    return type(value).__name__
