"""Searches: queries of anybody's on the live road, as often as wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from fairlead.engine import vectors as looking
from fairlead.engine.answers import answers_of, unlabelled
from fairlead.engine.asked import Asked, of_ids, of_texts
from fairlead.engine.audits import mitigating_of, seen_by, warnings_of
from fairlead.engine.engine import Engine, Outcome, lines_of
from fairlead.engine.galleries import Gallery, open_gallery, skipped_note
from fairlead.engine.inputs import inputs_of
from fairlead.engine.kept.index import place, recall_of, searched_index
from fairlead.engine.labels import named
from fairlead.engine.manifest import manifest
from fairlead.engine.mitigations import Mitigation
from fairlead.engine.opened import Opened, labels_of
from fairlead.engine.recorded import short_lists
from fairlead.engine.saved import saved_run
from fairlead.engine.setup import Setup
from fairlead.engine.shelf import for_retrieval
from fairlead.engine.sight import sight_of_gallery, unfit
from fairlead.engine.sources import Faults, metrics_of, mitigations_of
from fairlead.engine.treatments import PLAIN
from fairlead.errors import DataError, UsageError
from fairlead.protocols import Counting, Encoder, Index, KeptIndex, Progress, registry
from fairlead.protocols.encoder import about, afresh, capabilities, ready
from fairlead.protocols.trust import spoken
from fairlead.results.search import SearchResult
from fairlead.store.leave_out import LeaveOut, left_notes, read_leave_out
from fairlead.types import Embeddings, Groups, Queries, Study
from fairlead.types.saved import SavedRun

DEFAULT_METRICS = ("AbsBias", "NDKL")
_NOT_DRAWN = (
    "The phantom was trained on its own drawings only; what it finds among other pictures "
    "means nothing."
)


@dataclass(frozen=True, eq=False)
class Searchable:
    """An opened collection with all that answers need: the state of a ``LiveSearch``."""

    engine: Engine
    gallery: Gallery
    warnings: tuple[str, ...]
    not_for: tuple[str, ...]
    inputs: Mapping[str, Any]


class LiveSearch:
    """A collection that is opened once and asked any number of times, from several threads too."""

    def __init__(self, plan: Any, progress: Progress | None = None, *, saved: bool = False) -> None:
        self.plan, self.saved, self._lock = plan, saved, threading.Lock()
        # Opened again by ``refresh``, on whatever thread: what the user said goes with the plan.
        with spoken(vars(plan)):
            self._opened = open_search(plan, progress, saved=saved)

    @property
    def engine(self) -> Engine:
        """What answers."""
        return self._opened.engine

    def __len__(self) -> int:
        return len(self._opened.gallery.collection)

    def refresh(self, progress: Progress | None = None) -> int:
        """Take in what was added to the collection since it was opened: only that is embedded.

        Searches that are under way go on with what they began with. Returns how many items there
        are now.
        """
        # One after the other, because the folder of the vectors refuses a second writer. Searches
        # need no lock: they take ``_opened`` once, and what they took does not change.
        with self._lock, spoken(vars(self.plan)):
            self._opened = open_search(self.plan, progress, saved=self.saved)
            return len(self)

    def search(
        self,
        texts: Sequence[str] = (),
        images: Sequence[Any] = (),
        *,
        vectors: Any = None,
        ids: Sequence[str] | None = None,
        k: int | None = None,
        offset: int = 0,
        measure: bool = True,
    ) -> SearchResult:
        """Answer queries in words and by picture, in that order.

        Args:
            texts: Queries in words.
            images: Queries by picture: paths, or Pillow images.
            vectors: (queries, dimensions) vectors of the queries, where they are at hand; ``texts``
                are then what the trigger reads, one for each vector, or none.
            ids: What the queries are called; their words by default.
            k: How many items to show; the plan's own by default.
            offset: How many items to pass over: the second page of 10 is ``offset=10``.
            measure: Whether metrics are computed.
        """
        if isinstance(texts, str):
            raise UsageError("Queries must be a list of texts, not one text.", "Write [query].")
        refuse_empty(texts)
        opened, shown = self._opened, self.plan.k
        if k is not None:
            shown = k
        if shown < 1 or offset < 0:
            raise UsageError(
                f"k got {shown}, offset {offset}.", "Show at least one item, from 0 on."
            )
        start = time.perf_counter()
        encoder = afresh(opened.engine.opened.encoder)
        asked = asked_of(texts, images, vectors, ids)
        if not len(asked):
            return SearchResult((), self._manifest(opened, None, encoder, asked))
        embeddings = encoded(encoder, texts, images) if vectors is None else _given(vectors)
        # A batch shares its time: every step is told in milliseconds a query.
        encode = 1e3 * (time.perf_counter() - start) / len(asked)
        # A page further down is cut from a list that reaches as far, so that pages fit together.
        size = len(opened.gallery.collection)
        outcome = opened.engine.run(
            asked, embeddings, k=min(shown + offset, size), measure=measure, paired=False
        )
        return self._result(opened, outcome, encoder, (shown, offset), encode)

    def answered(
        self, texts: Sequence[str], images: Sequence[Any], ids: Sequence[str] | None
    ) -> tuple[SearchResult, SavedRun | None]:
        """The answers to queries and, where the searcher was opened for saving, their lists with
        all that is needed to measure and mitigate them again.
        """
        # As ``search`` does, but at the plan's own k, with variants compared with plain: a saved
        # run is scored again from these very lists.
        opened, start = self._opened, time.perf_counter()
        encoder, asked = afresh(opened.engine.opened.encoder), asked_of(texts, images, None, ids)
        embeddings = encoded(encoder, texts, images)
        encode = 1e3 * (time.perf_counter() - start) / max(len(asked), 1)
        outcome = opened.engine.run(asked, embeddings, paired=self.saved)
        result = self._result(opened, outcome, encoder, (opened.engine.setup.k, 0), encode)
        if not self.saved:
            return result, None
        run = saved_run(opened.engine, outcome, result.manifest)
        # What is left out is not measured, so it is not there to be measured again either.
        gone = [line is not None for line in lines_of(asked, opened.engine.opened.leave_out)]
        return result, run.without(np.zeros(len(run.items), np.bool_), np.array(gone, np.bool_))

    def _result(
        self,
        opened: Searchable,
        outcome: Outcome,
        encoder: Any,
        page: tuple[int, int],
        encode: float,
    ) -> SearchResult:
        """The answers as people read them: a page of each list, with the time it took."""
        asked = outcome.asked
        answers = answers_of(opened.engine, outcome, k=page[0], offset=page[1])
        out = opened.engine.opened.leave_out
        # What is left out is neither labelled nor measured, so its answer is taken back here: the
        # lists of a batch are made together.
        answers = tuple(
            unlabelled(answer, line)
            for answer, line in zip(answers, lines_of(asked, out), strict=True)
        )
        timed = tuple(
            replace(a, variants=tuple(replace(v, ms=_total(v.ms, encode)) for v in a.variants))
            for a in answers
        )
        return SearchResult(timed, self._manifest(opened, outcome, encoder, asked))

    def run(self, asked: Asked, embeddings: Embeddings, **choices: Any) -> Outcome:
        """The lists of queries whose vectors are at hand, for those who save or measure them."""
        return self._opened.engine.run(asked, embeddings, **choices)

    def _manifest(
        self, opened: Searchable, outcome: Outcome | None, encoder: Any, asked: Asked
    ) -> dict[str, Any]:
        """How an answer came about."""
        engine, gallery = opened.engine, opened.gallery
        model, left = model_of(encoder), engine.opened.left
        if left is not None:
            # The items were counted when the collection was opened, the queries only come now.
            words = [word or "" for word in asked.words]
            gone = engine.opened.leave_out.queries(asked.ids, words)
            left = {**left, "queries": int(gone.sum())}
        judges = warnings_of(engine.opened, engine.opened.study, seen_by(engine, outcome))
        notes = [
            *opened.warnings,
            *judges,
            *opened.not_for,
            *model.get("warnings", ()),
            *left_notes(left),
        ]
        about: dict[str, Any] = {
            "model": model,
            "collection": {"items": len(gallery.collection), **gallery.manifest},
            "mitigate": mitigating_of(engine, outcome),
            "left_out": left,
            "not_for": list(opened.not_for) or None,
            "inputs": dict(opened.inputs),
            "projections": {t: dict(fit.about) for t, fit in engine.fits.items()} or None,
        }
        plan = self.plan.described() | {"queries": len(asked)}
        if outcome is None:
            return {"command": "search", "plan": plan, "warnings": notes, **about}
        notes += outcome.lists.notes
        plain = outcome.evidence[PLAIN]
        if engine.metrics and outcome.scores is not None:
            lengths = plain.ranking.lengths
            notes += short_lists(engine.metrics, lengths)
        return manifest("search", plan, plain, scores=outcome.scores, warnings=notes, **about)


def open_search(plan: Any, progress: Progress | None = None, *, saved: bool = False) -> Searchable:
    """A collection by what a plan names, ready to be asked; all unknown names are told together."""
    encoder, index, mitigations, metrics = _made(plan)
    # An empty folder is refused before a list can be blamed for leaving nothing.
    whole = filled(open_gallery(plan.collection, encoder, side=plan.side, progress=progress))
    out = read_leave_out(plan.leave_out)
    gallery, left = _without(whole, out)
    size, notes = len(gallery.collection), list[str]()
    setup = Setup.of(plan, k=min(plan.k, size), saved=saved)
    if plan.k > size:
        notes.append(f"k is {size:,}, not {plan.k:,}: the collection has no more.")
        # Metrics that somebody named are kept as named; their note says that lists are short.
        if not plan.metric:
            metrics = metrics_of(_defaults(size), Faults(), judged=False)
    see = partial(_seen, plan, encoder, gallery, progress)
    study, labels, about = labels_of(
        study_of(gallery, plan.collection), setup, mitigations, see, strict=False
    )
    opened = Opened(
        study,
        gallery.embeddings,
        encoder,
        plan.collection,
        labels,
        mitigating=named(plan.mitigate_groups),
        coverage=about["coverage"],
        inputs=about["inputs"],
        warnings=tuple(about["warnings"]),
        leave_out=out or LeaveOut(),
        left=left,
    )

    def fetch_by(empty: Any, by: Mapping[str, Groups]) -> Index:
        return searched_index(empty, gallery, by)[0]

    # A search without labels is a plain search, not an error.
    if not labels.measure:
        metrics = ()
    engine = Engine.of(setup, opened, index, mitigations, metrics, fetch_by, progress)
    notes += [*about["warnings"], *_warnings(opened, gallery), *_fit_notes(engine)]
    _warm(plan, engine, gallery, progress)
    annotators = [named(plan.groups)]
    if mitigations:
        annotators.append(named(plan.mitigate_groups))
    return Searchable(
        engine,
        gallery,
        tuple(dict.fromkeys(notes)),
        tuple(unfit(annotators, encoder)),
        inputs_of(plan),
    )


def _made(plan: Any) -> tuple[Encoder, Any, tuple[Mitigation, ...], tuple[Any, ...]]:
    """The encoder, the index, the mitigations and the metrics that a plan names."""
    faults = Faults()
    encoder = faults.of(registry.make, "encoder", plan.model)
    index = faults.of(registry.make, "index", plan.index)
    mitigations = mitigations_of(plan.mitigate, faults)
    how = "A search has none; audit a benchmark that knows what is relevant."
    metrics = metrics_of(plan.metric or _defaults(plan.k), faults, judged=False, how=how)
    faults.tell()
    assert encoder is not None
    return encoder, index, mitigations, metrics


def _seen(
    plan: Any, encoder: Encoder, gallery: Gallery, progress: Progress | None, annotator: Any
) -> Any:
    """What an annotator sees the collection with; None for files, which see nothing."""
    if not callable(annotator):
        return None
    return sight_of_gallery(annotator, plan.collection, encoder, gallery, progress)


def study_of(gallery: Gallery, source: Any) -> Study:
    """A gallery as what is asked, before anything is asked of it."""
    return Study(str(source), gallery.collection, Queries(()), ())


def asked_of(
    texts: Sequence[str], images: Sequence[Any], vectors: Any, ids: Sequence[str] | None
) -> Asked:
    """The queries of one call."""
    if vectors is None:
        asked = of_texts(texts, images)
        if ids is None:
            return asked
        return replace(asked, ids=tuple(ids))
    count = len(vectors)
    if images or (texts and len(texts) != count) or (ids is not None and len(ids) != count):
        raise UsageError(
            f"{count} vectors, {len(texts)} texts and {len(images)} pictures were given.",
            "Give a text for each vector, or none, and no picture.",
        )
    names = ids or texts or [f"query {number}" for number in range(1, count + 1)]
    return of_ids(names, texts or (None,) * count)


def encoded(encoder: Any, texts: Sequence[str], images: Sequence[Any]) -> Embeddings:
    """One call for all texts, one for all pictures."""
    parts = []
    if texts:
        parts.append(looking.of_texts(texts, encoder, "query"))
    if images:
        parts.append(looking.of_pictures(images, encoder, "query"))
    if len(parts) == 1:
        single: Embeddings = parts[0]
        return single
    if any(part.offsets is not None for part in parts):
        raise UsageError(
            "Words and pictures cannot be asked together of a model with many vectors an item.",
            "Ask one after the other.",
        )
    return Embeddings(np.concatenate([part.vectors for part in parts]))


def filled(gallery: Gallery) -> Gallery:
    """The gallery, unless nothing is in it."""
    if not len(gallery.collection):
        path = gallery.manifest.get("source", {}).get("path", "The collection")
        hint = skipped_note(gallery) or "Give a folder with pictures in it."
        raise DataError(f"{path} has nothing to search.", hint)
    return gallery


def model_of(encoder: Any) -> dict[str, Any]:
    """What a manifest says of a model."""
    known = {"spec": str(encoder), "fingerprint": encoder.fingerprint}
    return dict(about(encoder)) or known


def refuse_empty(texts: Sequence[str]) -> None:
    """Refuse a query without words."""
    if not all(text.strip() for text in texts):
        raise UsageError("A query has no words in it.", "Say what to look for, or leave it out.")


def _given(vectors: Any) -> Embeddings:
    """Vectors that the caller brings."""
    if isinstance(vectors, Embeddings):
        return vectors
    array = np.asarray(vectors, np.float32)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise DataError(
            f"Vectors of shape {array.shape} were given.",
            "Give one row of finite numbers for each query.",
        )
    return Embeddings(array)


def _defaults(k: int) -> tuple[str, ...]:
    return tuple(f"{name}@{k}" for name in DEFAULT_METRICS)


def _total(ms: Mapping[str, float], encode: float) -> dict[str, float]:
    """The time of each step, with encoding and the sum."""
    spent = {"encode": encode, **ms}
    return {**spent, "total": sum(spent.values())}


def _fit_notes(engine: Engine) -> list[str]:
    # The warning is about items that are measured; without metrics there are none.
    ids: Sequence[str] = ()
    if engine.metrics:
        ids = engine.opened.study.collection.ids
    return [note for fit in engine.fits.values() for note in fit.warnings(ids)]


def _warm(plan: Any, engine: Engine, gallery: Gallery, progress: Progress | None) -> None:
    """Load what the first search would load, so that its time is its own."""
    encoder = engine.opened.encoder
    sides: list[Any] = []
    if plan.text or not plan.image:
        sides.append("texts")
    if plan.image:
        sides.append("images")
    ready(encoder, sides, progress)
    if plan.text and not isinstance(encoder, Counting):
        # Encoders that count their texts have loaded already, and would count one more.
        looking.of_texts(plan.text[:1], encoder, "query")
    # An index loads with its first search, and by group it may load more.
    by = next(iter(engine.opened.labels.mitigate), None)
    first = gallery.embeddings.take(np.array([0]))
    engine.shelf.index.search(first, engine.setup.k, by)


def _without(gallery: Gallery, out: LeaveOut | None) -> tuple[Gallery, dict[str, int] | None]:
    """The gallery without what is left out, as if it had never been there, and how much that is."""
    if out is None:
        return gallery, None
    gone, left = out.items(gallery.collection.ids), out.left(gallery.collection.ids)
    if not gone.any():
        return gallery, left
    rows = np.flatnonzero(~gone)
    if not len(rows):
        raise DataError(
            "Nothing of the collection is left to search.",
            "The list of what to leave out names all of it.",
        )
    return gallery.take(rows), left


def _warnings(opened: Opened, gallery: Gallery) -> list[str]:
    """What a reader must know of the collection, the model and who labelled."""
    notes = [*gallery.manifest.get("warnings", ())]
    if skipped := skipped_note(gallery):
        notes.append(skipped)
    if capabilities(opened.encoder).pictures == "drawings" and not gallery.drawn:
        notes.append(f"{_NOT_DRAWN} Choose a --model for photos, e.g. lite.")
    return notes


def built(
    plan: Any, recall: int | None, *, labelled: bool, progress: Progress | None = None
) -> dict[str, Any]:
    """An index of a collection, kept where the next search finds it.

    Args:
        plan: The plan of a search.
        recall: How many of the first ones are compared with exact search.
        labelled: Whether it is to fetch by groups.
        progress: Told what is done.
    """
    faults = Faults()
    encoder = faults.of(registry.make, "encoder", plan.model)
    index = faults.of(registry.make, "index", plan.index)
    faults.tell()
    assert encoder is not None and index is not None
    gallery = filled(open_gallery(plan.collection, encoder, progress=progress))

    see = partial(_seen, plan, encoder, gallery, progress)
    _, labels, _ = labels_of(
        study_of(gallery, plan.collection), Setup.of(plan), (), see, strict=labelled
    )
    # Under the name and in the form that a search fetches by: else it would not be found again.
    by = dict[str, Groups]()
    if labelled:
        name = next(iter(labels.measure))
        by = {name: for_retrieval(labels.measure[name])}
    searched, held = searched_index(index, gallery, by)
    about: dict[str, Any] = {"index": str(searched), "rows": len(searched), "reused": held}
    about |= {"recall": None, "place": None, "attributes": list(labels.measure)}
    if recall is not None:
        about["recall"] = recall_of(searched, gallery, recall, by)
    if isinstance(searched, KeptIndex):
        about["place"] = str(place(searched, gallery, by))
    return about
