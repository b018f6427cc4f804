"""Assembly of frontiers: methods with their knobs, over several galleries of a benchmark, with
labels that have to guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Annotated, Any, cast

import numpy as np
from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.candidates import LIMIT
from fairlead.engine.inputs import inputs_of
from fairlead.engine.labels import named
from fairlead.engine.manifest import MADE_BY
from fairlead.engine.mitigations import Mitigation, mitigation_of, parts
from fairlead.engine.questions import OwnFiles, asked_in, refuse_both
from fairlead.engine.setup import Setup
from fairlead.engine.sight import unfit
from fairlead.engine.worlds import Galleries, galleries_of
from fairlead.errors import FairleadError, UsageError, together
from fairlead.protocols import Progress, registry
from fairlead.protocols.spec import parse
from fairlead.results.frontier import FrontierResult, Gap, Level
from fairlead.store.leave_out import left_notes
from fairlead.studies.frontier import PLAIN, Frontier, MethodSetting
from fairlead.studies.frontier import frontier as measured_frontier
from fairlead.studies.harm import Tolerance, verdicts
from fairlead.types import Study

DEFAULT_METHODS = ("pbm", "detgreedy", "fairexpec", "levelled")
_SOLVED = "fairexpec"
"""Of these, the one that needs an extra."""
OURS, THEIRS = "levelled", "pbm"


class FrontierPlan(fields.OwnFields):
    """What each mitigation costs in relevance at each level of bias.

    Every method sees the same labels, which have to guess; bias is measured with the true ones.
    Bounds are the best of lists that take each group's items from the top. With --check, a setting
    passes where the paired interval shows less bias than plain search on held-out queries, where
    nDCG is not lower by more than the tolerance, and where queries that ask for a group by name
    keep their accuracy.
    """

    model: fields.Encoding = fields.BIASED
    benchmark: fields.Benchmark = fields.SKEWED
    mitigate: Annotated[
        fields.Several[fields.MitigationSpec],
        Field(
            default=(),
            description=(
                "Method: a reranker, a projection, or projection+reranker; one that leaves its "
                "knob open is swept over it. Default: pbm, detgreedy, fairexpec, levelled."
            ),
            examples=["pbm", "mi_clip(share=0.5)+levelled"],
        ),
        fields.Cli(metavar="SPEC", kinds=("reranker", "projection")),
    ]
    mitigate_groups: Annotated[
        fields.AnnotatorSpec,
        Field(
            default="noisy(soft=true)",
            description="Labels the methods see.",
            examples=["noisy(accuracy=0.8,soft=true)"],
        ),
        fields.Cli(metavar="SPEC", kinds=("annotator",)),
    ]
    groups: Annotated[
        fields.Labels | None,
        Field(
            default=None,
            description="Labels that measure --collection: a file or an annotator.",
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="FILE|SPEC"),
    ]
    map: fields.Map
    attribute: Annotated[
        str | None,
        Field(
            default=None,
            description="Attribute; the benchmark's first by default.",
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    k: fields.Shown
    repeats: Annotated[
        int,
        Field(default=5, ge=1, description="Galleries, each with a seed of its own.", examples=[2]),
        fields.Cli(metavar="N"),
    ]
    held_out: Annotated[
        bool,
        Field(
            default=True,
            description="Only queries on which no setting was chosen, or all.",
            examples=[False],
        ),
        fields.Cli(off="--all-queries"),
    ]
    trigger: Annotated[
        bool,
        Field(
            default=True,
            description="Leave queries alone that ask for a group by name.",
            examples=[False],
        ),
        fields.Cli(off="--no-trigger"),
    ]
    tolerance: Annotated[
        float,
        Field(default=0.05, ge=0, description="nDCG that a mitigation may cost.", examples=[0.02]),
        fields.Cli(metavar="X"),
    ]
    explicit_tolerance: Annotated[
        float,
        Field(
            default=0.02,
            ge=0,
            le=1,
            description="Share of the accuracy of queries that ask for a group that it may cost.",
            examples=[0.01],
        ),
        fields.Cli(metavar="X"),
    ]
    leave_out: fields.LeaveOut
    seed: fields.Seed
    trust: fields.Trust


def run(plan: FrontierPlan, progress: Progress | None = None) -> FrontierResult:
    """The frontier of every method."""
    methods, galleries = _galleries(plan, progress)
    measured = measure(plan, methods, galleries, progress)
    bounds = {n: [(float(b), float(r)) for b, r in curve] for n, curve in measured.bounds.items()}
    gaps: tuple[Gap, ...] = ()
    ndkl_gaps: tuple[Gap, ...] = ()
    level: Level | None = None
    # Gaps and the level are between our method and the others; without ours there are none.
    if any(method.name == OURS for method in measured.methods):
        gaps = measured.gaps(OURS)
        # NDKL is never 0, so methods are compared by what they have above chance.
        ndkl_gaps = measured.gaps(OURS, by="NDKL_excess")
        level = measured.level(OURS, THEIRS)
    return FrontierResult(
        rows=measured.points(),
        curves=measured.curves(),
        gaps=gaps,
        ndkl_gaps=ndkl_gaps,
        bounds=bounds,
        chance=float(np.nanmean(measured.chance)),
        explicit=measured.explicit,
        level=level,
        verdicts=verdicts(measured, Tolerance(plan.tolerance, plan.explicit_tolerance)),
        manifest=_manifest(plan, galleries, measured),
    )


frontier = as_function("frontier", FrontierPlan, run)


def _manifest(plan: FrontierPlan, galleries: Galleries, measured: Frontier) -> dict[str, Any]:
    """How a frontier came about."""
    against = list(unfit([named(plan.mitigate_groups)], galleries.encoder))
    notes = []
    # Said of our own choice alone: somebody who names fairexpec is told by the error.
    if not plan.mitigate and not _can_solve():
        notes.append("fairexpec is left out: it needs the extra 'lp'.")
    notes += [note for world in galleries.neutral for note in world.notes]
    notes += [*against, *left_notes(galleries.left)]
    about: dict[str, Any] = {
        **MADE_BY,
        "command": "frontier",
        "plan": plan.described(),
        "benchmark": {"spec": _asked(plan), **galleries.card},
        "k": galleries.k,
        "labels": _labels(galleries),
        "queries": len(measured.clusters),
        "inputs": inputs_of(plan),
        "warnings": list(dict.fromkeys(notes)),
        "intervals": measured.law,
    }
    if galleries.left is not None:
        about["left_out"] = galleries.left
    if against:
        about["not_for"] = against
    return about


def _asked(plan: FrontierPlan) -> str:
    """What was asked: the benchmark, or the user's own collection."""
    return str(plan.benchmark if plan.collection is None else plan.collection)


def _labels(galleries: Galleries) -> dict[str, Any]:
    """Who measures, and what lists are held against."""
    first = next(world.true for world in galleries.neutral if len(world.true))
    return {
        name: {"source": one.groups.source, "target": one.target.name}
        for name, one in first.attributes.items()
    }


def _can_solve() -> bool:
    """Whether rerankers that solve programs can be run."""
    return find_spec("scipy") is not None


def _galleries(
    plan: FrontierPlan, progress: Progress | None
) -> tuple[list[MethodSetting], Galleries]:
    """The methods of a plan, and the galleries they are compared on."""
    # Without the extra a default frontier still runs, and its manifest says what is missing.
    texts = plan.mitigate or [name for name in DEFAULT_METHODS if name != _SOLVED or _can_solve()]
    methods, bases = _methods(texts)
    annotator = named(plan.mitigate_groups)
    for source in (plan.mitigate_groups, *(base.groups for base in bases.values())):
        # A file labels the items of one gallery; those of the others have other ids.
        who = named(source)
        if who is not None and not callable(who) and plan.repeats > 1:
            raise UsageError(
                f"'{source}' is a file: several galleries need an annotator for --mitigate-groups.",
                "E.g. noisy(soft=true); or say --repeats 1.",
            )
    refuse_both(plan)
    benchmark, groups = asked_in(plan)
    if not isinstance(benchmark, (Study, OwnFiles)):
        benchmark = registry.make("benchmark", benchmark)
    attribute = None
    if plan.attribute is not None:
        attribute = (plan.attribute,)
    setup = Setup.of(
        plan,
        # Fixed here, whatever else a search may choose: all methods must differ in nothing but
        # themselves, and an approximate index would add losses of its own.
        index="exact",
        groups=groups,
        mitigate=(),
        mitigate_groups=annotator,
        attribute=attribute,
        target="uniform",
        metric=(),
        k=plan.k or 0,
        unknown="ignore",
        null=None,
        interval="studentised",
        leave=None,
        depth=None,
        limit=LIMIT,
    )
    galleries = galleries_of(
        setup, benchmark, bases, repeats=plan.repeats, held=plan.held_out, progress=progress
    )
    if not sum(len(world.true) for world in galleries.neutral):
        raise UsageError(f"{plan.benchmark} has no query left to measure.", "Try --all-queries.")
    return methods, galleries


def measure(
    plan: FrontierPlan,
    methods: Sequence[MethodSetting],
    galleries: Galleries,
    progress: Progress | None = None,
) -> Frontier:
    """The frontier of a plan over its galleries."""
    k, explicit = galleries.k, galleries.explicit
    # The first of each is the frontier's own; the others stand beside it.
    relevance = {"nDCG": f"nDCG@{k}", "P@1": "P@1", "P": f"P@{k}"}
    bias = {"AbsBias": f"AbsBias@{k}", "NDKL": f"NDKL@{k}"}
    judged, grouped = (
        {name: registry.make("metric", text) for name, text in table.items()}
        for table in (relevance, bias)
    )
    accuracy = None
    if explicit:
        accuracy = {name: judged[name] for name in ("P@1", "nDCG")}
    return measured_frontier(
        galleries.neutral,
        methods,
        relevance=judged,
        bias=grouped,
        k=k,
        explicit=explicit,
        accuracy=accuracy,
        seed=plan.seed,
        progress=progress,
    )


def _methods(specs: Sequence[Any]) -> tuple[list[MethodSetting], dict[str, Mitigation]]:
    """Plain, and every method at every setting of its knob, and the projections they start from.

    Of ``projection+reranker`` the knob of the last part that leaves one open is swept; a method
    without an open knob is a point.
    """
    found = [MethodSetting(PLAIN, None)]
    bases = dict[str, Mitigation]()
    faults = list[FairleadError]()
    for text in dict.fromkeys(specs):
        try:
            for method, base in _settings(text):
                found.append(method)
                if method.projection:
                    bases[method.projection] = base
        except FairleadError as error:
            faults.append(error)
    if faults:
        # Told together, so that nobody mends one and meets the next.
        raise together(faults)
    return found, bases


def _settings(text: Any) -> Iterator[tuple[MethodSetting, Mitigation]]:
    """The settings of one mitigation."""
    made = mitigation_of(text, own_labels=True)
    both = {"reranker": made.reranker, "projection": made.projection}
    # The reranker stands first, so its knob is swept where both parts leave one open.
    swept = next((which for which, part in both.items() if _open_knob(text, part)), "")
    if not swept:
        yield MethodSetting(text, made.reranker, projection=_base(made)), made
        return
    name, values = cast(Any, both[swept]).knob
    for value in values:
        one = replace(made, **{swept: replace(cast(Any, both[swept]), **{name: value})})
        yield MethodSetting(text, one.reranker, name, float(value), _base(one)), one


def _open_knob(text: str, part: Any) -> bool:
    """Whether a part of a mitigation has a knob that its text does not set."""
    name, _ = getattr(part, "knob", ("", ()))
    return bool(name) and all(
        name not in dict(parse(one).args) for one in parts(text) if parse(one).name == part.name
    )


def _base(made: Mitigation) -> str:
    """What a method starts from where that is not what most do: a projection, labels of its own."""
    # Most methods start from the candidates as they are, with the labels of --mitigate-groups.
    if made.projection is None and made.groups is None:
        return ""
    return str(replace(made, reranker=None))
