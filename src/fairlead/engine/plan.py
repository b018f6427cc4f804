"""Plans: what a verb is asked to do, checked before anything is opened. Unknown fields are refused,
all faults told together.

A verb's own plan stands in ``commands``, beside what it runs. What several verbs share stands here:
the plans they begin with, and from ``plan_fields`` and ``plan_values`` their fields and the types
of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fairlead.engine.plan_fields import (
    BIASED,
    SKEWED,
    Annotating,
    Benchmark,
    Cli,
    Depth,
    Encoding,
    EncodingForLabels,
    HumanStore,
    Indexing,
    Interval,
    Least,
    Leave,
    LeaveOut,
    Limit,
    Map,
    Metrics,
    MitigateGroups,
    Mitigations,
    Null,
    OwnCollection,
    OwnQueries,
    Qrels,
    Seed,
    Shown,
    Side,
    StepsFactor,
    Targeted,
    Trigger,
    Trust,
    Unknown,
)
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
    Pairs,
    Path,
    ProjectionSpec,
    RerankerSpec,
    Run,
    Several,
    Some,
    Stated,
    TrainingSpec,
)
from fairlead.errors import FairleadError, UsageError, together
from fairlead.types.evidence import Target

# Plans of verbs take all of this from one place, as ``fields``.
__all__ = [
    "BIASED",
    "SKEWED",
    "Annotating",
    "AnnotatorSpec",
    "Benchmark",
    "BenchmarkSpec",
    "Cli",
    "Data",
    "Depth",
    "EncoderSpec",
    "Encoding",
    "EncodingForLabels",
    "HumanStore",
    "IndexSpec",
    "Indexing",
    "Interval",
    "LabelPlan",
    "Labels",
    "Least",
    "Leave",
    "LeaveOut",
    "Limit",
    "Lines",
    "Map",
    "MetricSpec",
    "Metrics",
    "MitigateGroups",
    "MitigationSpec",
    "Mitigations",
    "Null",
    "OwnCollection",
    "OwnFields",
    "OwnQueries",
    "Pairs",
    "Path",
    "Plan",
    "ProjectionSpec",
    "Qrels",
    "RerankerSpec",
    "Run",
    "SearchedLabels",
    "Seed",
    "Several",
    "Shown",
    "Side",
    "Some",
    "Stated",
    "StepsFactor",
    "Targeted",
    "TrainingSpec",
    "Trigger",
    "Trust",
    "Unknown",
]


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

    @classmethod
    def outputs(cls) -> dict[str, Cli]:
        """The fields that name what is written, or added to."""
        said = {name: Cli.of(field) for name, field in cls.model_fields.items()}
        return {name: cli for name, cli in said.items() if cli.writes or cli.updates}

    def described(self) -> dict[str, Any]:
        """The plan for the manifest, as text; of objects that are no text the type alone is told,
        but for a target, whose shares are what a reader must know.
        """
        about = {
            name: _text(getattr(self, name))
            for name in type(self).model_fields
            if getattr(self, name) is not None
        }
        target = getattr(self, "target", None)
        if isinstance(target, Mapping) and _is_plain(target):
            about["target"] = target
        return about


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
    trust: Trust


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
    return {"object": type(value).__name__}


def is_object(value: Any) -> bool:
    """Whether a manifest only knows that somebody gave an object, which cannot be named again."""
    return isinstance(value, dict) and value.keys() == {"object"}


def _is_plain(target: Mapping[Any, Any]) -> bool:
    """Whether a target is shares by group, by name."""
    parts = [one for one in target.values() if isinstance(one, Mapping)]
    flat = [one for one in target.values() if not isinstance(one, Mapping)]
    names = [*target, *(name for part in parts for name in part)]
    shares = [*flat, *(share for part in parts for share in part.values())]
    return all(isinstance(name, str) for name in names) and all(
        isinstance(share, (int, float)) for share in shares
    )
