"""Assembly of frontiers: methods with their knobs, over several galleries of a benchmark, with
labels that have to guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from fairlead import __version__
from fairlead.commands.trigger import trigger
from fairlead.engine import study as auditing
from fairlead.engine.labels import named
from fairlead.engine.labels import told as labels_told
from fairlead.engine.leave_out import left_of, list_behind, narrowed
from fairlead.engine.mitigations import Mitigation, fitted, mitigation_of, parts, ranked
from fairlead.engine.plan import FrontierPlan
from fairlead.engine.projections import Fitted
from fairlead.engine.sight import sight, unfit
from fairlead.errors import FairleadError, UsageError, together, unknown_name
from fairlead.measuring.circular import circularities
from fairlead.protocols import Progress, registry
from fairlead.protocols.spec import parse
from fairlead.results.frontier import FrontierResult
from fairlead.statistics import targets
from fairlead.store.leave_out import LeaveOut, left_notes, read_leave_out
from fairlead.studies.frontier import PLAIN, Frontier, Method, World, frontier, hash_of
from fairlead.studies.harm import Tolerance, verdicts
from fairlead.types import Ranking, Sets, Study
from fairlead.types.evidence import Evidence, Labelled

DEFAULT_METHODS = ("pbm", "detgreedy", "fairexpec", "levelled")
_SOLVED = "fairexpec"
"""Of these, the one that needs an extra."""
OURS, THEIRS = "levelled", "pbm"


def run(*, progress: Progress | None = None, **choices: Any) -> FrontierResult:
    """What each mitigation costs at each level of bias; see ``FrontierPlan`` for the choices."""
    plan = cast(FrontierPlan, FrontierPlan.of(**choices))
    worlds = _worlds(plan, progress)
    found, against = measure(plan, worlds, progress), list(worlds.not_for)
    ours = any(m.name == OURS for m in found.methods)
    bounds = {
        name: [(float(b), float(r)) for b, r in curve] for name, curve in found.bounds.items()
    }
    notes = (
        [] if plan.mitigate or _can_solve() else ["fairexpec is left out: it needs the extra 'lp'."]
    )
    notes += [*worlds.notes, *against, *left_notes(worlds.left)]
    about = {
        "fairlead": __version__,
        "command": "frontier",
        "plan": plan.described(),
        "queries": len(found.clusters),
        "warnings": notes,
    }
    about["intervals"] = found.law
    about |= (
        {}
        if worlds.left is None
        else {"left_out": worlds.left, "inputs": list_behind(plan.leave_out)}
    )
    about |= {"not_for": against} if against else {}
    return FrontierResult(
        rows=found.points(),
        curves=found.curves(),
        gaps=found.gaps(OURS) if ours else (),
        ndkl_gaps=found.gaps(OURS, by="NDKL_excess") if ours else (),
        bounds=bounds,
        chance=float(np.nanmean(found.chance)),
        explicit=found.explicit,
        level=found.level(OURS, THEIRS) if ours else None,
        verdicts=verdicts(found, Tolerance(plan.tolerance, plan.explicit_tolerance)),
        manifest=about,
    )


def _can_solve() -> bool:
    """Whether rerankers that solve programs can be run."""
    return find_spec("scipy") is not None


@dataclass(frozen=True, eq=False)
class _Worlds:
    """The galleries of a plan, ranked and labelled.

    Attributes:
        methods: Settings to try; the first is plain.
        neutral: Queries that ask for no group, by gallery.
        explicit: Queries that ask for a group by name, by gallery.
        k: How many items are shown.
        left: How much was left out, where a list asked for it.
        not_for: What speaks against the model that labels.
    """

    methods: tuple[Method, ...]
    neutral: tuple[World, ...]
    explicit: tuple[World, ...]
    k: int
    left: Mapping[str, int] | None
    not_for: tuple[str, ...]

    @property
    def notes(self) -> list[str]:
        """What a reader must know of who labelled and what was fitted, each once."""
        return list(dict.fromkeys(note for world in self.neutral for note in world.notes))


def _worlds(plan: FrontierPlan, progress: Progress | None) -> _Worlds:
    """The galleries of a plan."""
    methods, bases = _methods(
        plan.mitigate or [name for name in DEFAULT_METHODS if name != _SOLVED or _can_solve()]
    )
    annotator = named(plan.mitigate_groups)
    if annotator is not None and not callable(annotator):
        hint = "E.g. noisy(soft=true)."
        raise UsageError(
            (
                f"'{plan.mitigate_groups}' is a file: several galleries need an annotator for "
                "--mitigate-groups."
            ),
            hint,
        )
    encoder, benchmark = (
        registry.make("encoder", plan.model),
        registry.make("benchmark", plan.benchmark),
    )
    out, wholes = read_leave_out(plan.leave_out), list[Study]()
    neutral, explicit, k = list[World](), list[World](), plan.k or 0
    for number in range(plan.repeats):
        wholes.append(_numbered(benchmark, "first", number + plan.seed).study())
        study = narrowed(wholes[-1], out)
        k = k or study.k
        world = _world(study, plan, encoder, number, bases, annotator, out)
        asked = [
            np.flatnonzero([_kept(study, q, plan, asks) for q in range(len(study.queries))])
            for asks in (True, False)
        ]
        neutral.append(world.take(asked[0]))
        explicit += [world.take(asked[1])] if len(asked[1]) else []
        if progress is not None:
            progress("ranking", number + 1, plan.repeats)
    if not sum(len(world.true) for world in neutral):
        raise UsageError(f"{plan.benchmark} has no query left to measure.", "Try --all-queries.")
    against = tuple(unfit([annotator], encoder))
    return _Worlds(
        tuple(methods), tuple(neutral), tuple(explicit), k, left_of(wholes, out), against
    )


def measure(plan: FrontierPlan, worlds: _Worlds, progress: Progress | None = None) -> Frontier:
    """The frontier of a plan over its galleries."""
    k, explicit = worlds.k, worlds.explicit
    relevance = {"nDCG": f"nDCG@{k}", "P@1": "P@1", "P": f"P@{k}"}
    bias = {"AbsBias": f"AbsBias@{k}", "NDKL": f"NDKL@{k}"}
    made = [
        {name: registry.make("metric", text) for name, text in table.items()}
        for table in (relevance, bias)
    ]
    accuracy = {name: made[0][name] for name in ("P@1", "nDCG")} if explicit else None
    return frontier(
        worlds.neutral,
        worlds.methods,
        relevance=made[0],
        bias=made[1],
        k=k,
        explicit=explicit,
        accuracy=accuracy,
        seed=plan.seed,
        progress=progress,
    )


def _methods(specs: Sequence[str]) -> tuple[list[Method], dict[str, Mitigation]]:
    """Plain, and every method at every setting of its knob, and the projections they start from.

    Of ``projection+reranker`` the knob of the last part that leaves one open is swept; a method
    without an open knob is a point.
    """
    found, bases, faults = [Method(PLAIN, None)], dict[str, Mitigation](), list[FairleadError]()
    for text in dict.fromkeys(specs):
        try:
            for method, base in _settings(text):
                found.append(method)
                bases |= {method.projection: base} if method.projection else {}
        except FairleadError as error:
            faults.append(error)
    if faults:
        raise together(faults)
    return found, bases


def _settings(text: str) -> Iterator[tuple[Method, Mitigation]]:
    """The settings of one mitigation."""
    made = mitigation_of(text)
    both = {"reranker": made.reranker, "projection": made.projection}
    swept = next((which for which, part in both.items() if _open_knob(text, part)), "")
    if not swept:
        yield Method(text, made.reranker, projection=_base(made)), made
        return
    name, values = cast(Any, both[swept]).knob
    for value in values:
        one = replace(made, **{swept: replace(cast(Any, both[swept]), **{name: value})})
        yield Method(text, one.reranker, name, float(value), _base(one)), one


def _open_knob(text: str, part: Any) -> bool:
    """Whether a part of a mitigation has a knob that its text does not set."""
    name, _ = getattr(part, "knob", ("", ()))
    return bool(name) and all(
        name not in dict(parse(one).args) for one in parts(text) if parse(one).name == part.name
    )


def _base(made: Mitigation) -> str:
    return "" if made.projection is None else str(made.projection)


def _world(
    study: Study,
    plan: FrontierPlan,
    encoder: Any,
    number: int,
    bases: dict[str, Mitigation],
    annotator: Any,
    out: LeaveOut | None,
) -> World:
    """One gallery: the plain ranking of its queries and those of projections, with the labels that
    mitigate and those that measure.
    """
    attribute = plan.attribute or next(iter(study.attributes or study.collection.groups))
    if attribute not in study.collection.groups:
        raise unknown_name(f"attribute of {study.name}", attribute, study.collection.groups)
    index = registry.make("index", "exact")
    ranking = auditing.rank(study, encoder, index)
    true, queries = study.collection.groups[attribute], study.queries
    seen = true
    if annotator is not None:
        who, items = (
            _numbered(annotator, "seed", number + plan.seed),
            replace(study.collection, groups={attribute: true}),
        )
        seen = labels_told(who, items, (attribute,), sight(who, encoder))[attribute]
    notes = circularities((), (seen.source,), encoder)
    everything = Sets(np.array([0, len(study.collection)]), np.arange(len(study.collection)))
    told, real = (
        Evidence(
            ranking,
            queries.ids,
            {attribute: Labelled(g, targets.uniform(g))},
            queries.relevant,
            everything,
            study.blocks,
        )
        for g in (seen, true)
    )
    names = queries.tags.get(study.clusters or "", queries.ids)
    left = np.zeros(len(queries), np.bool_)
    if plan.trigger and queries.texts is not None:
        left = np.array(
            [d.decision == "leave" for d in trigger()(queries.texts, attribute, true.names)]
        )
    anew: dict[str, Ranking] = {}
    for name, base in bases.items():
        own = {
            "attribute": attribute,
            "names": true.names,
            "ids": study.collection.ids,
            "annotator": annotator,
            "leave_out": out,
        }
        fit = cast(Fitted, fitted(base, encoder, study.name, **own))
        notes += fit.warnings(study.collection.ids)
        anew[name] = ranked(study, encoder, index, base, attribute=attribute, fit=fit)
    return World(told, real, np.array([hash_of(name) for name in names]), left, anew, tuple(notes))


def _kept(study: Study, query: int, plan: FrontierPlan, neutral: bool) -> bool:
    """Whether a query is measured: the neutral ones, or those that ask for a group by name."""
    tags = study.queries.tags
    asks = tags["asks"][query] == "neutral" if "asks" in tags else True
    return asks == neutral and (
        not plan.held_out or held_out(tags.get(study.clusters or "", study.queries.ids)[query])
    )


def held_out(name: str) -> bool:
    """Whether a query belongs to the half that settings were not chosen on."""
    return hash_of(f"held out {name}") % 2 == 0


def _numbered(thing: Any, field: str, by: int) -> Any:
    """The same choice with another seed, where it has one."""
    return (
        replace(thing, **{field: getattr(thing, field) + by})
        if any(f.name == field for f in fields(thing))
        else thing
    )
