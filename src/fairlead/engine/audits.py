"""Audits: a benchmark's own queries on the live road, and the lists they give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from fairlead.engine.asked import Asked, of_study
from fairlead.engine.engine import Engine, Outcome
from fairlead.engine.kept.index import searched_index
from fairlead.engine.labels import named
from fairlead.engine.leave_out import left_of, narrowed
from fairlead.engine.live import Sighted
from fairlead.engine.manifest import manifest
from fairlead.engine.opened import Opened, labels_of
from fairlead.engine.questions import seen, study_of
from fairlead.engine.setup import Setup
from fairlead.engine.sight import sight, unfit
from fairlead.engine.sources import Faults, metrics_of, mitigations_of
from fairlead.errors import UsageError
from fairlead.measuring.circular import circularities
from fairlead.protocols import Index, Progress, registry
from fairlead.protocols.encoder import capabilities
from fairlead.store.leave_out import LeaveOut, left_notes, read_leave_out
from fairlead.types import Embeddings, Groups, Study
from fairlead.words.counts import agreeing, part_of

FEW_KNOWN = 0.5
"""Below this share of labelled candidates, a mitigation that did little says why."""


@dataclass(frozen=True, eq=False)
class Audited:
    """An opened audit: the engine, the benchmark's queries and their vectors."""

    engine: Engine
    asked: Asked
    vectors: Embeddings
    study: Study

    def run(self, progress: Progress | None = None) -> Outcome:
        """The lists of the benchmark's queries, measured."""
        return self.engine.run(self.asked, self.vectors, progress=progress)


def open_audit(setup: Setup, benchmark: Any, progress: Progress | None = None) -> Audited:
    """A model on a benchmark.

    Args:
        setup: What was asked for; k of 0 stands for the benchmark's own.
        benchmark: The benchmark, by its text form or as an object; a study, or one's own files.
        progress: Told what is encoded.
    """
    faults = Faults()
    encoder = faults.of(registry.make, "encoder", setup.model)
    index = faults.of(registry.make, "index", setup.index)
    whole = faults.of(study_of, benchmark)
    mitigations = mitigations_of(setup.mitigate, faults)
    if whole is not None:
        judged = whole.queries.relevant is not None
        texts = setup.metric or _followed(whole, setup.k)
        how = f"{whole.name} does not say what is relevant."
        metrics = metrics_of(texts, faults, judged=judged, how=how)
    # Nothing is encoded before all names are known to be good.
    faults.tell()
    assert whole is not None and encoder is not None
    out = read_leave_out(setup.leave_out)
    visible = seen(benchmark, narrowed(whole, out), encoder, progress)
    study = visible.study
    shown, notes = _shown(setup, study)
    # From here on the benchmark's own k and target are as good as asked for.
    setup = replace(setup, k=shown, target=_target(setup, study))

    def see(annotator: Any) -> Any:
        return sight(annotator, encoder, visible.study, progress)

    study, labels, about = labels_of(study, setup, mitigations, see, strict=True)
    opened = Opened(
        study,
        visible.items,
        encoder,
        whole.name,
        labels,
        mitigating=named(setup.mitigate_groups),
        coverage=about["coverage"],
        inputs=about["inputs"],
        warnings=(*notes, *study.notes, *about["warnings"], *visible.notes),
        leave_out=out or LeaveOut(),
        left=left_of([whole], out),
    )

    def fill(empty: Any, by: Mapping[str, Groups]) -> Index:
        # One's own collection is kept as a search keeps it: both find the same index.
        if visible.gallery is not None:
            return searched_index(empty, visible.gallery, by)[0]
        empty.add(opened.embeddings, by)
        return cast(Index, empty)

    engine = Engine.of(setup, opened, index, mitigations, metrics, fill, progress)
    return Audited(engine, of_study(study), visible.queries, study)


def _shown(setup: Setup, study: Study) -> tuple[int, tuple[str, ...]]:
    """How many items lists show, and what is said of it."""
    shown, size = setup.k or study.k, len(study.collection)
    if shown < 1:
        raise UsageError(f"k got {shown}.", "Show at least one item.")
    # A benchmark's own k is part of its protocol, however small a part of it is left.
    if setup.k > size:
        return size, (f"k is {size:,}, not {shown:,}: the collection has no more.",)
    return shown, ()


def _followed(study: Study, k: int) -> tuple[str, ...]:
    """The study's metrics; those that follow how many items are shown, at another k if asked."""
    if not k or not study.follows_k:
        return study.metrics
    depth = f"@{study.k}"
    return tuple(
        text.removesuffix(depth) + f"@{k}" if text.endswith(depth) else text
        for text in study.metrics
    )


def _target(setup: Setup, study: Study) -> Any:
    """The target that was asked for; without one the benchmark's own, counted or stated."""
    # ``uniform`` is the default of every plan, so it cannot be told from not asking.
    if setup.target != "uniform":
        return setup.target
    return study.stated or study.target


def manifest_of(plan: Mapping[str, Any], audited: Audited, outcome: Outcome) -> dict[str, Any]:
    """How an audit came about."""
    engine, opened = audited.engine, audited.engine.opened
    encoder, fits = opened.encoder, engine.fits
    against = unfit((opened.mitigating,), encoder)
    warnings = [
        *opened.warnings,
        *warnings_of(opened, audited.study, seen_by(engine, outcome)),
        *_of_lists(outcome),
        *outcome.lists.notes,
        *left_notes(opened.left),
        *(note for fit in fits.values() for note in fit.warnings(audited.study.collection.ids)),
        *against,
    ]
    return manifest(
        "audit",
        plan,
        outcome.evidence["plain"],
        scores=outcome.scores,
        coverage=opened.coverage,
        warnings=warnings,
        model={
            "spec": str(encoder),
            "fingerprint": encoder.fingerprint,
            "card": capabilities(encoder).card,
        },
        benchmark={"spec": audited.study.name, **audited.study.card},
        mitigate=mitigating_of(engine, outcome),
        inputs=dict(opened.inputs),
        left_out=opened.left,
        not_for=against or None,
        projections={name: dict(fit.about) for name, fit in fits.items()} or None,
    )


def mitigating_of(engine: Engine, outcome: Outcome | None) -> dict[str, Any] | None:
    """What is mitigated, and who says to rerankers which group an item shows."""
    labels, sources = engine.opened.labels, seen_by(engine, outcome)
    if not sources:
        return None
    first = next(iter(sources.values()))
    about: dict[str, Any] = {"attribute": labels.attribute, "labels": first, "k": engine.setup.k}
    if len(sources) > 1:
        about["sources"] = sources
    return about


def seen_by(engine: Engine, outcome: Outcome | None) -> dict[str, str]:
    """Who says to rerankers which group an item shows, by the name the labels go by.

    Labels that depend on the query name their source when they are given, so it is read off what
    the first reranker saw.
    """
    sources = {name: _source(one) for name, one in engine.opened.labels.mitigate.items()}
    if not sources or outcome is None:
        return sources
    evidence = outcome.lists.evidence
    if evidence is not None:
        sources[next(iter(sources))] = evidence.attribute.groups.source
    return sources


def warnings_of(opened: Opened, study: Study, seen: Mapping[str, str]) -> list[str]:
    """What a reader must know of who ranked, who labelled, and who mitigated."""
    notes, labels, sources = list[str](), opened.labels, list(seen.values())
    measuring = [one.source for one in (*labels.measure.values(), *labels.roles.values())]
    if sources and sources[0] == labels.measure[labels.attribute].source:
        notes.append(
            "The labels that mitigate are the labels that measure: real mitigation has to guess. "
            "See --mitigate-groups."
        )
    # A bias of the wrong kind is not there to be found, and the audit would read as all clear.
    put = capabilities(opened.encoder).injected
    if study.kinds and put is not None and put.kind not in study.kinds and put.dose > 0:
        right = f"kind={', '.join(study.kinds[:-1])} or {study.kinds[-1]}"
        if len(study.kinds) == 1:
            right = f"kind={study.kinds[0]}"
        notes.append(
            f"The bias of {opened.encoder} was injected as kind={put.kind}; "
            f"what {study.name} looks for is injected by {right}."
        )
    return notes + circularities(measuring, sources, opened.encoder)


def _of_lists(outcome: Outcome) -> list[str]:
    """What a reader must know of lists that stay as they are, and of candidates without labels."""
    notes, lists = list[str](), outcome.lists
    if lists.evidence is None:
        return notes
    left = [lists.decisions[query] for query in lists.left]
    if left:
        are = agreeing(len(left), "stays as it is", "stay as they are")
        notes.append(
            f"{part_of(len(left), len(lists.decisions), 'list')} {are} in every variant, e.g. of "
            f"'{left[0].query}': {left[0].reason}"
        )
    share = lists.evidence.attribute.groups.share
    rows = lists.evidence.ranking.rows
    if lists.evidence.attribute.aligned:
        rows = np.arange(len(rows))
    known = float(share[rows].sum() / max(len(rows), 1))
    if known < FEW_KNOWN:
        notes.append(
            f"The labels that mitigate know {known:.0%} of the candidates, and rerankers can only "
            "balance what they know."
        )
    return notes


def _source(labels: Groups | Sighted) -> str:
    if isinstance(labels, Groups):
        return labels.source
    return str(labels.annotator)
