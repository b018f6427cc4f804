"""Worlds: galleries of a benchmark as frontiers compare methods on them, by the road of audits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fairlead.engine.audits import Audited, open_audit, seen_by
from fairlead.engine.labels import named
from fairlead.engine.leave_out import left_of
from fairlead.engine.mitigate import Rules, decisions_of
from fairlead.engine.mitigations import Mitigation
from fairlead.engine.questions import OwnFiles, study_of
from fairlead.engine.setup import Setup
from fairlead.engine.treatments import Treatment, evidence_of
from fairlead.measuring.circular import circularities
from fairlead.protocols import Repeatable, Reranker
from fairlead.rerankers.described import DescribedReranker
from fairlead.store.leave_out import read_leave_out
from fairlead.studies.frontier import World, hash_of
from fairlead.types import Ranking, Study
from fairlead.types.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Galleries:
    """The galleries of a benchmark, ranked and labelled.

    Attributes:
        neutral: Queries that ask for no group, by gallery.
        explicit: Queries that ask for a group by name, by gallery.
        k: How many items are shown.
        left: How much was left out, where a list asked for it.
        encoder: The model that ranks.
        card: What the benchmark says of itself.
    """

    neutral: tuple[World, ...]
    explicit: tuple[World, ...]
    k: int
    left: Mapping[str, int] | None
    encoder: Any
    card: Mapping[str, str]


class _Asks(DescribedReranker):
    """A reranker that only says that lists are to be reordered: candidates are then fetched for
    each group, with what a score is worth in the collection.
    """

    name: ClassVar[str] = "candidates"
    reads_background: ClassVar[bool] = True

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return evidence.ranking.head(k)


def galleries_of(
    setup: Setup,
    benchmark: Any,
    bases: Mapping[str, Mitigation],
    *,
    repeats: int,
    held: bool,
    progress: Any = None,
) -> Galleries:
    """Galleries of a benchmark, each with a seed of its own.

    Args:
        setup: What was asked for; k of 0 stands for the benchmark's own.
        benchmark: The benchmark; one without seeds is one gallery.
        bases: The projections and labels that methods start from, by their text form.
        repeats: How many galleries.
        held: Whether only the half of the queries counts that no setting was chosen on.
        progress: Told how many galleries are ranked.
    """
    neutral, explicit, wholes = list[World](), list[World](), list[Study]()
    annotator, k, encoder = setup.mitigate_groups, setup.k, None
    for number in range(repeats):
        one = numbered(benchmark, number + setup.seed)
        if number and one == benchmark:
            # Without a seed of its own every gallery would be the same.
            break
        wholes.append(study_of(one))
        starts = {key: _drawn(base, number + setup.seed) for key, base in bases.items()}
        mine = replace(
            setup,
            mitigate=(_Asks(), *starts.values()),
            mitigate_groups=numbered(annotator, number + setup.seed),
            metric=(f"AbsBias@{setup.k or wholes[0].k}",),
        )
        # One's own files are opened by what they are, so that their vectors are found again.
        question: Any = wholes[-1]
        if isinstance(one, OwnFiles):
            question = one
        audited = open_audit(mine, question, progress)
        encoder, k = audited.engine.opened.encoder, audited.engine.setup.k
        world = world_of(audited, starts)
        groups = [_kept(audited.study, asks, held) for asks in (True, False)]
        neutral.append(world.take(groups[0]))
        if len(groups[1]):
            explicit.append(world.take(groups[1]))
        if progress is not None:
            progress("ranking", number + 1, repeats)
    left = left_of(wholes, read_leave_out(setup.leave_out))
    card = wholes[-1].card
    return Galleries(tuple(neutral), tuple(explicit), k, left, encoder, card)


def world_of(audited: Audited, bases: Mapping[str, Mitigation]) -> World:
    """One gallery: what methods may choose from, plain and after each projection, with the labels
    that mitigate and those that measure.
    """
    engine, asked, setup = audited.engine, audited.asked, audited.engine.setup
    road, attribute = engine.road(asked, audited.vectors, setup.k), engine.opened.labels.attribute
    reader: Reranker = _Asks()

    def seen(vectors: Any, labels: str) -> Evidence:
        treatment = Treatment("candidates", reader, vectors, labels)
        candidates, labelled = road.candidates(treatment)
        assert labelled is not None
        return evidence_of(candidates, asked.ids, attribute, labelled, road.pool, setup.unknown)

    plain = seen(None, attribute)
    rules = Rules(k=setup.k, unknown=setup.unknown, trigger=engine.trigger)
    left = np.zeros(len(asked), np.bool_)
    if engine.trigger is not None:
        left = np.array([d.decision == "leave" for d in decisions_of(road, rules, plain)])
    projected = {}
    notes = list(engine.opened.warnings)
    notes += circularities((), list(seen_by(engine, None).values())[:1], engine.opened.encoder)
    # A query without words is worded as nothing, so that wordings stand by their queries.
    texts = tuple(word or "" for word in asked.words)
    for name, base in bases.items():
        source, vectors = engine.opened.source_of(replace(base, reranker=reader)), None
        if base.projection is not None:
            fit = engine.fits[str(base.projection)]
            notes += fit.warnings(audited.study.collection.ids)
            vectors = fit(audited.vectors, engine.opened.encoder, texts)
        projected[name] = seen(vectors, source)
    names = np.array([hash_of(name) for name in _clusters(audited.study)])
    true = road.evidence(plain.ranking).on(attribute)
    return World(plain, true, names, left, projected, tuple(notes))


def _drawn(base: Mitigation, number: int) -> Mitigation:
    """What methods start from in one gallery: labels that are drawn are drawn anew."""
    if base.groups is None:
        return replace(base, reranker=None)
    own = numbered(named(base.groups), number)
    return replace(base, reranker=_Asks(), groups=str(own))


def held_out(name: str) -> bool:
    """Whether a query belongs to the half that settings were not chosen on."""
    return hash_of(f"held out {name}") % 2 == 0


def numbered(choice: Any, by: int) -> Any:
    """The same choice with another seed, where it can be drawn again."""
    if not isinstance(choice, Repeatable):
        return choice
    return choice.numbered(by)


def _kept(study: Study, neutral: bool, held: bool) -> Any:
    """The queries that are measured: the neutral ones, or those that ask for a group by name."""
    asks = study.queries.tags.get("asks", ("neutral",) * len(study.queries))
    names = _clusters(study)
    return np.flatnonzero(
        [
            (tag == "neutral") == neutral and (not held or held_out(name))
            for tag, name in zip(asks, names, strict=True)
        ]
    )


def _clusters(study: Study) -> tuple[str, ...]:
    """What queries are counted by: those of one name do not stand for themselves."""
    return study.queries.tags.get(study.clusters or "", study.queries.ids)
