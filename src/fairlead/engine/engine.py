"""The engine: opens what a plan names once, and answers queries, plain and mitigated, measured.

Searches and audits are the same road with other queries: a search brings words, an audit brings a
benchmark's queries, with what is relevant to them and the candidates that its protocol fixes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.engine.ask_trigger import trigger_in
from fairlead.engine.asked import Asked
from fairlead.engine.candidates import DEPTH
from fairlead.engine.exclusion import refuse_one_group
from fairlead.engine.live import Depths, Live
from fairlead.engine.mitigate import Clock, MadeLists, Rules, mitigated
from fairlead.engine.mitigations import Mitigation
from fairlead.engine.opened import Opened
from fairlead.engine.projections import Fitted, for_source
from fairlead.engine.setup import Setup
from fairlead.engine.shelf import Shelf, for_retrieval
from fairlead.engine.targets import is_stated
from fairlead.engine.treatments import Treatment, variants_of
from fairlead.errors import UsageError
from fairlead.measuring.score import Settings, score_variants
from fairlead.protocols import Index, Progress
from fairlead.results.score import ScoreResult
from fairlead.store.leave_out import LeaveOut
from fairlead.trigger import Trigger
from fairlead.types import Embeddings, Groups
from fairlead.types.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a run of the engine gives: lists, and what was measured on them.

    Attributes:
        asked: The queries.
        lists: The lists of every variant, with what was decided.
        evidence: The lists of every variant as metrics saw them.
        scores: What was measured; None where nothing was.
        queries: Vectors of the queries as they were asked.
    """

    asked: Asked
    lists: MadeLists
    evidence: Mapping[str, Evidence]
    scores: ScoreResult | None
    queries: Embeddings


@dataclass(frozen=True, eq=False)
class Engine:
    """What is slow to make, made once: encoder, vectors, index, labels, projections.

    Attributes:
        setup: What was asked for.
        opened: The collection with its vectors and the labels that measure and mitigate.
        shelf: The same in an index.
        mitigations: What lists are made besides the plain one.
        fits: The projections, by their text form.
        metrics: What is measured.
        trigger: Decides which lists stay as they are; None where all are treated.
        whole: Whether the protocol measures whole lists.
    """

    setup: Setup
    opened: Opened
    shelf: Shelf
    mitigations: tuple[Mitigation, ...]
    fits: Mapping[str, Fitted]
    metrics: tuple[Any, ...]
    trigger: Trigger | None
    whole: bool = False

    @classmethod
    def of(
        cls,
        setup: Setup,
        opened: Opened,
        index: Any,
        mitigations: tuple[Mitigation, ...],
        metrics: tuple[Any, ...],
        fill: Callable[[Any, Mapping[str, Groups]], Index],
        progress: Progress | None = None,
    ) -> Engine:
        """Fit projections, fill the index, and be ready for queries.

        Args:
            setup: What was asked for.
            opened: The collection with its vectors and labels.
            index: Takes the vectors, unless the collection brings an index of its own.
            mitigations: What lists are made besides the plain one.
            metrics: What is measured.
            fill: Gives the index the vectors and the labels to fetch by; says which index answers.
            progress: Told what is done.
        """
        # Refused now and not with the first list, before anything is fitted or filled.
        for one in mitigations:
            refuse_one_group(one.reranker)
        fits = _fits(setup, opened, mitigations, progress)
        by = {
            source: for_retrieval(groups)
            for source, groups in opened.labels.mitigate.items()
            if isinstance(groups, Groups)
        }
        study = opened.study
        shelf = Shelf(study.collection, fill(index, by), study.blocks)
        # With matched sets chance is drawn within the lists, and some metrics count to the last
        # rank: then no list may be cut.
        whole = study.blocks is not None or any(metric.whole_lists for metric in metrics)
        return cls(setup, opened, shelf, mitigations, fits, metrics, trigger_in(setup), whole)

    def run(
        self,
        asked: Asked,
        vectors: Embeddings,
        *,
        k: int | None = None,
        measure: bool = True,
        paired: bool = True,
        progress: Progress | None = None,
    ) -> Outcome:
        """Lists of queries, plain and mitigated, and what is measured on them.

        Args:
            asked: The queries.
            vectors: Their vectors.
            k: How many items lists show; the plan's own by default.
            measure: Whether metrics are computed.
            paired: Whether variants are compared with plain, query by query.
            progress: Told what is measured.
        """
        shown = self.setup.k
        if k is not None:
            shown = k
        # Projecting is timed apart from searching: it is what a mitigation adds.
        clock, projected = Clock(len(asked)), dict[str, tuple[Embeddings, float]]()
        for text, fit in self.fits.items():
            projected[text] = (self._projected(fit, vectors, asked), clock.lap())
        road = self.road(asked, vectors, shown)
        treatments = [self._treatment(one, projected) for one in self.mitigations]
        lists = mitigated(road, treatments, self._rules(asked, shown))
        for one in self.mitigations:
            if str(one.projection) in projected:
                lists.ms[str(one)]["project"] = projected[str(one.projection)][1]
        clock.lap()
        evidence = variants_of(road.evidence(lists.plain), lists.measured)
        scores, nulls = None, None
        if self._keeps_nulls(asked):
            nulls = self.shelf.nulls
        if measure and self.metrics:
            scores = score_variants(
                evidence,
                self.metrics,
                settings=self.settings(asked),
                nulls=nulls,
                paired=paired,
                progress=progress,
            )
        # All variants are measured in one go, so each is told an equal part of the time.
        spent = clock.lap() / max(len(lists.shown), 1)
        for steps in lists.ms.values():
            steps["measure"] = spent
        return Outcome(asked, lists, evidence, scores, vectors)

    def road(self, asked: Asked, vectors: Embeddings, k: int) -> Live:
        """Where the candidates of queries come from."""
        setup = self.setup
        plain, depth = None, DEPTH
        if not self.whole:
            # As deep as the deepest metric looks, even where fewer are shown.
            plain = max([k, *(metric.k for metric in self.metrics if metric.k is not None)])
        if setup.depth is not None:
            depth = setup.depth
        # A saved run keeps it too: whoever reranks it may read what this run did not need.
        background = any(
            one.reranker is not None and one.reranker.reads_background for one in self.mitigations
        )
        return Live(
            self.shelf,
            asked,
            vectors,
            self.opened.labels,
            Depths(k, plain, max(depth, k), setup.limit),
            background=background or setup.saved,
        )

    def settings(self, asked: Asked) -> Settings:
        """How the plan asks to be measured."""
        setup = self.setup
        return Settings(
            setup.null,
            setup.unknown,
            setup.interval,
            asked.clusters,
            setup.seed,
            by=dict(asked.by),
        )

    def _rules(self, asked: Asked, k: int) -> Rules:
        setup = self.setup
        # Without a mitigation the trigger is asked all the same, of what is measured first: its
        # answer stands beside every plain list.
        names = next((one.names for one in self.opened.labels.measure.values()), ())
        return Rules(
            k=k,
            seed=setup.seed,
            unknown=setup.unknown,
            trigger=self.trigger,
            lines=lines_of(asked, self.opened.leave_out),
            stated=is_stated(setup.target),
            groups=names,
        )

    def _treatment(
        self, one: Mitigation, projected: Mapping[str, tuple[Embeddings, float]]
    ) -> Treatment:
        vectors = None
        if one.projection is not None:
            vectors = projected[str(one.projection)][0]
        source = self.opened.source_of(one)
        return Treatment(str(one), one.reranker, vectors, source)

    def _projected(self, fit: Fitted, vectors: Embeddings, asked: Asked) -> Embeddings:
        # Wordings are made for all queries or for none: a projection takes the first ones as those
        # with words, and pictures may stand between them.
        texts = tuple(word for word in asked.words if word is not None)
        if len(texts) < len(asked):
            texts = ()
        return fit(vectors, self.opened.encoder, texts)

    def _keeps_nulls(self, asked: Asked) -> bool:
        """Whether chance levels hold for other queries too: they do where the collection is the
        pool of all and one target is the target of all.
        """
        labels = self.opened.labels
        own_target = labels.shares is not None and any(
            query != "*" for shares in labels.shares.values() for query, _ in shares
        )
        return asked.candidates is None and not own_target and self.setup.target != "relevant"


def lines_of(asked: Asked, out: LeaveOut) -> tuple[str | None, ...]:
    """The line of a list of what is left out that names each query, by its words or its id."""
    return tuple(
        out.query(words) or out.query(name)
        for words, name in zip(asked.names, asked.ids, strict=True)
    )


def _fits(
    setup: Setup,
    opened: Opened,
    mitigations: Sequence[Mitigation],
    progress: Progress | None,
) -> dict[str, Fitted]:
    """The projections by text form: read from their files, or fitted beside what is asked."""
    fits = dict[str, Fitted]()
    # ``leace`` and ``leace+pbm`` share one fit: by its text form it is made once.
    for one in mitigations:
        if one.projection is None or str(one.projection) in fits:
            continue
        name = opened.labels.attribute
        # A file of a projection knows its attribute.
        if not name and "fitted" not in str(one.projection):
            raise UsageError(
                f"Nobody says what {one.projection} is to mitigate.",
                "Name it with --attribute, e.g. gender.",
            )
        names: tuple[str, ...] = ()
        if name in opened.labels.measure:
            names = opened.labels.measure[name].names
        fits[str(one.projection)] = for_source(
            one.projection,
            opened.encoder,
            opened.source,
            attribute=name,
            names=names,
            ids=opened.study.collection.ids,
            annotator=opened.mitigating,
            leave_out=opened.leave_out or None,
            progress=progress,
        )
    return fits
