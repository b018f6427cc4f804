"""Plans: what a command is asked to do, checked before anything is opened. Unknown fields are
refused, all faults told together.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from fairlead.errors import FairleadError, UsageError, together
from fairlead.statistics.cells import limit


def _kept(least: int) -> int:
    """A limit for small counts that can be kept."""
    try:
        return limit(least)
    except UsageError as error:
        raise ValueError(f"{error.message.rstrip('.')}: {error.hint.rstrip('.').lower()}") from None


class Plan(BaseModel):
    """What all plans share."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False
    )

    @classmethod
    def of(cls, **choices: Any) -> Plan:
        """A plan, or a UsageError that tells all faults."""
        try:
            return cls(**{k: v for k, v in choices.items() if v is not None})
        except ValidationError as error:
            raise together([_fault(e) for e in error.errors()]) from None

    def described(self) -> dict[str, Any]:
        """The plan as text, for the manifest; objects that are no text are named by their type."""
        return {
            name: _text(getattr(self, name))
            for name in type(self).model_fields
            if getattr(self, name) is not None
        }


class LabelPlan(Plan):
    """A run, its labels and a target.

    Attributes:
        run: A run: a file, a mapping, a data frame, a ``ranx.Run``, scored documents.
        groups: Labels of the items: a file or a data frame.
        attribute: Attributes to look at, all by default; ``gender*skin`` is the intersection.
        target: ``uniform``, ``pool``, ``relevant``, a file or a mapping of given shares.
        qrels: Relevance judgements.
        unknown: What becomes of unknown labels.
        ties: How equal scores are ordered: by a seeded hash, or as in the file.
        blocks: Column of the labels that names matched sets.
        source: Who made the labels; printed beside every number.
        leave_out: Items and queries that are neither labelled nor measured: a file, or a list of
            lines.
        least: The lowest count of people that reports show; 0 shows all.
        seed: Seed of every random choice.
    """

    run: Any
    groups: Any = None
    attribute: tuple[str, ...] | None = None
    target: Any = "uniform"
    qrels: Any = None
    unknown: Literal["ignore", "own-group", "spread"] = "ignore"
    ties: Literal["hash", "stable"] = "hash"
    blocks: str | None = None
    source: str = "label"
    leave_out: Any = None
    least: int = 5
    seed: int = 0

    _limit = field_validator("least")(_kept)

    @field_validator("attribute", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value or None


class ScorePlan(LabelPlan):
    """What ``score`` is asked.

    Attributes:
        metric: Metric specs; a sensible few by default.
        null: Which chance level; chosen by what is known by default.
        against: A second run over the same queries, to compare with.
        interval: How intervals over queries are made.
        clusters: Which queries belong together, for a cluster bootstrap: ``{query id: cluster}`` or
            a file.
        detect: A difference to plan for.
        label_sample: True labels of some of the ranked items, as people gave them: corrects every
            metric of groups for label error.
        label_error: Whether to say how wrong the labels would have to be to overturn each reading.
        ranked_by: Spec or fingerprint of the model that ranked, where known: a warning where it
            also made the labels.
    """

    metric: tuple[Any, ...] = ()
    null: Literal["order", "gallery", "target"] | None = None
    against: Any = None
    interval: Literal["studentised", "percentile"] = "studentised"
    clusters: Any = None
    detect: float | None = Field(default=None, gt=0)
    label_sample: Any = None
    label_error: bool | None = None
    ranked_by: str | None = None

    @field_validator("metric", mode="before")
    @classmethod
    def _one_or_many_metrics(cls, value: Any) -> Any:
        return value if isinstance(value, (tuple, list)) else (value,)


class AuditPlan(Plan):
    """What ``audit`` is asked.

    Attributes:
        model: Encoder spec.
        benchmark: Benchmark spec.
        mitigate: Mitigations to try: a reranker, a projection or both (``leace+pbm``).
        metric: Metric specs; the benchmark's own by default.
        attribute: Attributes to look at, the benchmark's own choice by default; the first is
            mitigated.
        groups: Labels that measure: an annotator spec or a file; the benchmark's own by default.
        mitigate_groups: Labels the rerankers see: an annotator spec or a file; those that measure
            by default.
        k: How many items a mitigated list shows; the benchmark's own by default.
        index: Index spec.
        null: Which chance level; chosen by what is known by default.
        unknown: What becomes of unknown labels.
        interval: How intervals over queries are made.
        leave_out: Items and queries that are neither labelled nor measured: a file, or a list of
            lines.
        least: The lowest count of people that reports show; 0 shows all.
        seed: Seed of every random choice.
    """

    model: Any = "phantom"
    benchmark: Any = "phantom"
    mitigate: tuple[Any, ...] = ()
    metric: tuple[Any, ...] = ()
    attribute: tuple[str, ...] | None = None
    groups: Any = None
    mitigate_groups: Any = None
    k: int | None = None
    index: Any = "exact"
    target: Any = "uniform"
    depth: int | None = Field(default=None, ge=1)
    limit: int = Field(default=10_000, ge=1)
    null: Literal["order", "gallery", "target"] | None = None
    unknown: Literal["ignore", "own-group", "spread"] = "ignore"
    interval: Literal["studentised", "percentile"] = "studentised"
    trigger: bool = True
    leave: Any = None
    leave_out: Any = None
    least: int = 5
    seed: int = 0

    _limit = field_validator("least")(_kept)

    @field_validator("mitigate", "metric", "attribute", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("groups", "mitigate_groups", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return str(value) if hasattr(value, "__fspath__") else value


class SearchPlan(Plan):
    """What ``search`` is asked.

    Attributes:
        text: Queries in words.
        image: Queries by picture: paths of files.
        model: Encoder spec.
        collection: A folder of images, a table, an archive, an embedded collection, or ``phantom``.
        index: Index spec.
        attribute: Attributes to look at, all that are labelled by default; the first is mitigated.
        groups: Labels that measure: a file, a data frame or an annotator spec; the collection's own
            by default.
        mitigate: Mitigations to try: a reranker, a projection or both (``leace+pbm``).
        mitigate_groups: Labels the rerankers see: a file, a data frame or an annotator spec; those
            that measure by default.
        target: ``uniform``, ``pool``, a file or a mapping of given shares.
        metric: Metric specs; a sensible few by default.
        k: How many items to show.
        depth: How many candidates to fetch, of each group where lists are mitigated; ``k`` by
            default.
        limit: The deepest fetch where a target is out of reach.
        side: Whether images or captions are searched; images by default where there are any.
        null: Which chance level; chosen by what is known by default.
        unknown: What becomes of unknown labels.
        interval: How intervals are made.
        trigger: Whether queries that must not be diversified are left as they are.
        leave: Queries to leave alone: a file, or a list of queries and patterns.
        leave_out: Items and queries that are neither labelled nor measured: a file, or a list of
            lines; such items are not shown either.
        seed: Seed of every random choice.
    """

    text: tuple[str, ...] = ()
    image: tuple[Any, ...] = ()
    model: Any = "phantom"
    collection: Any = "phantom"
    index: Any = "exact"
    attribute: tuple[str, ...] | None = None
    groups: Any = None
    mitigate: tuple[Any, ...] = ()
    mitigate_groups: Any = None
    target: Any = "uniform"
    metric: tuple[Any, ...] = ()
    k: int = Field(default=10, ge=1)
    depth: int | None = Field(default=None, ge=1)
    limit: int = Field(default=10_000, ge=1)
    side: Literal["images", "texts"] | None = None
    null: Literal["order", "gallery", "target"] | None = None
    unknown: Literal["ignore", "own-group", "spread"] = "ignore"
    interval: Literal["studentised", "percentile"] = "studentised"
    trigger: bool = True
    leave: Any = None
    leave_out: Any = None
    seed: int = 0

    @field_validator("text", "image", "mitigate", "metric", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return value if isinstance(value, (tuple, list)) else (value,)

    @field_validator("attribute", mode="before")
    @classmethod
    def _all_or_some(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value or None


class FrontierPlan(Plan):
    """What ``frontier`` is asked.

    Attributes:
        model: Encoder spec.
        benchmark: Benchmark spec; a skewed gallery by default, so that balance costs relevance.
        mitigate: Reranker specs; one that leaves its knob open is swept over it.
        mitigate_groups: Annotator whose labels the methods see.
        attribute: What is mitigated and measured; the benchmark's first by default.
        k: How many items are shown; the benchmark's own by default.
        repeats: Galleries, each with a seed of its own.
        held_out: Whether only the half of the queries is measured that settings were not chosen on.
        trigger: Whether queries that the trigger leaves alone keep their plain list.
        tolerance: Relevance that a mitigation may cost before ``checks`` refuse it.
        explicit_tolerance: Share of the accuracy of queries that ask for a group that it may cost.
        leave_out: Items and queries that are neither labelled nor measured: a file, or a list of
            lines.
        seed: Seed of every random choice.
    """

    model: str = "phantom(dose=1)"
    benchmark: str = "phantom:skewed"
    mitigate: tuple[str, ...] = ()
    mitigate_groups: str | None = "noisy(soft=true)"
    attribute: str | None = None
    k: int | None = Field(default=None, ge=1)
    repeats: int = Field(default=5, ge=1)
    held_out: bool = True
    trigger: bool = True
    tolerance: float = Field(default=0.05, ge=0)
    explicit_tolerance: float = Field(default=0.02, ge=0, le=1)
    leave_out: Any = None
    seed: int = Field(default=0, ge=0)

    @field_validator("mitigate", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class RerankPlan(LabelPlan):
    """What ``rerank`` is asked.

    Attributes:
        mitigate: Reranker spec.
        k: How many to show.
        trigger: Whether queries that must not be diversified are left as they are; query ids are
            read as what was asked.
        leave: Queries to leave alone: a file, or a list of queries and patterns.
    """

    mitigate: Any
    k: int
    trigger: bool = True
    leave: Any = None


def _fault(error: Any) -> FairleadError:
    field = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return UsageError(f"There is no choice called '{field}'.")
    if error["type"] == "missing":
        return UsageError(f"'{field}' must be given.")
    return UsageError(f"{field} got {error['input']!r}: {error['msg'].lower()}.")


def _text(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_text(v) for v in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return (
        str(value)
        if hasattr(value, "spec") or hasattr(value, "__fspath__")
        else type(value).__name__
    )
