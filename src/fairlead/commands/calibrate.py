"""Assembly of calibrations: every registered fairness metric and reranker on the ideal phantom,
over rising doses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine import study as auditing
from fairlead.protocols import Progress, registry
from fairlead.studies.calibration import Calibration
from fairlead.studies.calibration import calibrate as calibrated
from fairlead.types import Embeddings, Queries, Ranking, Study
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

DOSES = (0.0, 0.1, 0.2, 0.4, 0.8)
SHOWN = 20
_GROUP = "male"
_FEW_SEEDS = 12
"""Seeds for rerankers that solve a program for each query."""


class CalibratePlan(fields.Plan):
    """Hold every fairness metric and every reranker against a bias of known dose.

    On the ideal phantom the dose is known exactly: more dose must read more, and a mitigation must
    leave less. On the command line it exits with 1 where something does not respond, and with 3
    where fewer repetitions than the default leave that open.
    """

    seeds: Annotated[
        int,
        Field(default=60, ge=3, description="Repetitions, paired over the doses.", examples=[12]),
    ]
    doses: Annotated[
        fields.Several[float],
        Field(
            default=DOSES,
            description="Doses of bias, rising; may be given again.",
            examples=[(0.0, 0.4, 0.8)],
        ),
        fields.Cli(flags=("--dose",), metavar="DOSE"),
    ]
    matched: Annotated[
        int,
        Field(
            default=8, ge=1, description="Matched sets of drawings in the gallery.", examples=[4]
        ),
        fields.Cli(metavar="N"),
    ]


def run(plan: CalibratePlan, progress: Progress | None = None) -> Calibration:
    """The dose-response of everything registered; signed metrics on occupations injected one way,
    the others on all injected ones.
    """
    seeds, doses, matched = plan.seeds, plan.doses, plan.matched
    study = registry.make("benchmark", f"phantom(seeds={matched})").study()
    # Gender is what the ideal phantom injects, and the first attribute is the one that is read.
    study = replace(
        study,
        collection=replace(study.collection, groups={"gender": study.collection.groups["gender"]}),
    )
    # Occupations without a pull show no dose; those of opposite pulls would cancel in a signed
    # mean.
    pull = np.array([int(p) for p in study.queries.tags["gender_pull"]])
    signed, unsigned = dict[str, Any](), dict[str, Any]()
    for metric in fairness_metrics():
        (signed if metric.direction == "either" else unsigned)[str(metric)] = metric
    reader = registry.make("metric", f"AbsBias@{SHOWN}")
    quick, slow = _rerankers()
    injected, one_way = (asked(study, np.flatnonzero(at)) for at in (pull != 0, pull > 0))
    first = calibrated(
        injected,
        ranker(injected),
        metrics={**unsigned, "reader": reader},
        rerankers=quick,
        doses=doses,
        seeds=seeds,
        progress=progress,
    )
    second = calibrated(
        one_way,
        ranker(one_way),
        metrics={**signed, "reader": reader},
        doses=doses,
        seeds=seeds,
        progress=progress,
    )
    # They cost too much for the seeds of the others; the lists are the same, seed by seed.
    few = min(seeds, _FEW_SEEDS)
    third = calibrated(
        injected,
        ranker(injected),
        metrics={"reader": reader},
        rerankers=slow,
        doses=doses,
        seeds=few,
        progress=progress,
    )
    return Calibration(first.metrics + second.metrics, first.rerankers + third.rerankers, seeds)


calibrate = as_function("calibrate", CalibratePlan, run)


def _rerankers() -> tuple[list[Any], list[Any]]:
    """Every registered reranker, those that solve a program for each query apart; without their
    extra these are left out.
    """
    entries = registry.entries("reranker")
    solvers = [name for name, entry in entries.items() if entry.extra is not None]
    quick = [registry.make("reranker", name) for name in entries if name not in solvers]
    # A reranker needs an extra only where it solves programs, and all of these need scipy.
    if find_spec("scipy") is None:
        return quick, []
    return quick, [registry.make("reranker", name) for name in solvers]


def fairness_metrics() -> list[Any]:
    """Every registered metric of group labels in lists, cut off at what is shown; those of one
    group look at the injected one.
    """
    found = []
    for name in registry.entries("metric"):
        kind = registry.load("metric", name)
        # Metrics of relevance, and of roles in a forced choice, measure no lists of labels.
        if not hasattr(kind, "measure"):
            continue
        known = {f.name for f in dataclasses.fields(kind)}
        found.append(
            kind(**{key: _GROUP for key in ("positive", "group") if key in known}, k=SHOWN)
        )
    return found


def asked(study: Study, queries: Array) -> Study:
    """The study with some of its queries."""
    all_ = study.queries
    # Evidence knows how to take queries with their judgements; the lists in it do not matter.
    empty = Evidence(Ranking.of([[]] * len(all_)), all_.ids, relevant=all_.relevant).select(queries)
    tags = {name: tuple(values[q] for q in queries) for name, values in all_.tags.items()}
    texts = None
    if all_.texts is not None:
        texts = tuple(all_.texts[q] for q in queries)
    return replace(
        study,
        queries=Queries(empty.queries, texts=texts, relevant=empty.relevant, tags=tags),
        blocks=None,
    )


def ranker(study: Study) -> Callable[[float, int], Ranking]:
    """The ranking of the ideal phantom at a dose and seed; the gallery of a seed is encoded once
    for all doses.
    """

    # Doses are the inner loop: every dose of a seed asks for the same gallery, whose noise does not
    # depend on the dose.
    @lru_cache(maxsize=2)
    def items(seed: int) -> Embeddings:
        # No noise is shared in a matched set: the study below has no blocks, so that its items are
        # taken as independent.
        encoder = registry.make("encoder", f"phantom_ideal(shared=0,seed={seed})")
        return auditing.encode_items(study, encoder)

    def ranked(dose: float, seed: int) -> Ranking:
        encoder = registry.make("encoder", f"phantom_ideal(dose={dose!r},shared=0,seed={seed})")
        index = registry.make("index", "exact")
        index.add(items(seed))
        found: Ranking = index.search(auditing.encode_queries(study, encoder), 10 * SHOWN)
        return found

    return ranked
