"""Assembly of frontiers: methods with their knobs, over several galleries of a benchmark, with labels that have to guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, cast

import numpy as np

from fairlead import __version__, registry, targets
from fairlead.errors import FairleadError, UsageError, together, unknown_name
from fairlead.evidence import Evidence, Labelled
from fairlead.labelling import named
from fairlead.plan import FrontierPlan
from fairlead.protocols import Progress
from fairlead.report.frontier import FrontierResult
from fairlead.seeing import sight
from fairlead.spec import parse
from fairlead.tasks import audit as auditing
from fairlead.tasks.frontier import Frontier, Method, World, frontier, hash_of, narrowed
from fairlead.types import Sets, Study

DEFAULT_METHODS = ("pbm", "detgreedy", "levelled")
OURS = "levelled"


def run(*, progress: Progress | None = None, **choices: Any) -> FrontierResult:
    """What each mitigation costs at each level of bias; see ``FrontierPlan`` for the choices."""
    plan = cast(FrontierPlan, FrontierPlan.of(**choices))
    found = measure(plan, progress)
    gaps = found.gaps(OURS) if any(m.name == OURS for m in found.methods) else ()
    bounds = {name: [(float(b), float(r)) for b, r in curve] for name, curve in found.bounds.items()}
    about = {"fairlead": __version__, "command": "frontier", "plan": plan.described(), "queries": len(found.clusters)}
    return FrontierResult(found.points(), found.curves(), gaps, bounds, float(np.nanmean(found.chance)), about)


def measure(plan: FrontierPlan, progress: Progress | None = None) -> Frontier:
    """The frontier of a plan."""
    methods = _methods(plan.mitigate or DEFAULT_METHODS)
    encoder, benchmark = registry.make("encoder", plan.model), registry.make("benchmark", plan.benchmark)
    worlds, k = [], plan.k
    for number in range(plan.repeats):
        study = _numbered(benchmark, "first", number + plan.seed).study()
        k = study.k if k is None else k
        worlds.append(_world(study, plan, encoder, number))
        if progress is not None:
            progress("ranking", number + 1, plan.repeats)
    relevance = {"nDCG": f"nDCG@{k}", "P@1": "P@1", "P": f"P@{k}"}
    bias = {"AbsBias": f"AbsBias@{k}", "NDKL": f"NDKL@{k}"}
    made = [{name: registry.make("metric", text) for name, text in table.items()} for table in (relevance, bias)]
    return frontier(worlds, methods, relevance=made[0], bias=made[1], k=cast(int, k), seed=plan.seed, progress=progress)


def _methods(specs: Sequence[str]) -> list[Method]:
    """Plain, and every method at every setting of its knob; one whose knob is given is a point."""
    found, faults = [Method("plain", None)], list[FairleadError]()
    for text in specs:
        try:
            spec = parse(text)
            kind = registry.load("reranker", spec.name)
            name, values = getattr(kind, "knob", ("", ()))
            if not name or name in dict(spec.args):
                found.append(Method(text, kind.from_spec(spec)))
            else:
                made = kind.from_spec(spec)
                found += [Method(text, replace(made, **{name: value}), name, value) for value in values]
        except FairleadError as error:
            faults.append(error)
    if faults:
        raise together(faults)
    return found


def _world(study: Study, plan: FrontierPlan, encoder: Any, number: int) -> World:
    """One gallery: the plain ranking of its held-out neutral queries, with the labels that mitigate and those that measure."""
    attribute = plan.attribute or next(iter(study.attributes or study.collection.groups))
    if attribute not in study.collection.groups:
        raise unknown_name(f"attribute of {study.name}", attribute, study.collection.groups)
    ranking = auditing.rank(study, encoder, registry.make("index", "exact"))
    true = study.collection.groups[attribute]
    annotator = named(plan.mitigate_groups)
    if annotator is not None and not callable(annotator):
        raise UsageError(
            "A frontier over several galleries needs an annotator for --mitigate-groups, not a file.", "E.g. noisy(soft=true)."
        )
    seen = true
    if annotator is not None:
        seen = _numbered(annotator, "seed", number + plan.seed)(study.collection, attribute, sight(annotator, encoder))
    everything = Sets(np.array([0, len(study.collection)]), np.arange(len(study.collection)))
    queries, relevant = study.queries.ids, study.queries.relevant
    told, real = (
        Evidence(ranking, queries, {attribute: Labelled(g, targets.uniform(g))}, relevant, everything, study.blocks) for g in (seen, true)
    )
    tags = study.queries.tags
    names = tags.get(study.clusters or "", queries)
    world = World(told, real, np.array([hash_of(name) for name in names]))
    asks = tags.get("asks", ("neutral",) * len(queries))
    kept = [q for q in range(len(queries)) if asks[q] == "neutral" and (held_out(names[q]) or not plan.held_out)]
    return narrowed(world, np.array(kept))


def held_out(name: str) -> bool:
    """Whether a query belongs to the half that settings were not chosen on."""
    return hash_of(f"held out {name}") % 2 == 0


def _numbered(thing: Any, field: str, by: int) -> Any:
    """The same choice with another seed, where it has one."""
    return replace(thing, **{field: getattr(thing, field) + by}) if any(f.name == field for f in fields(thing)) else thing
