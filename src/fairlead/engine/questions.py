"""What an audit asks: a benchmark's study, or one's own queries of one's own collection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.benchmarks.own import OwnData
from fairlead.engine.embedding import taken
from fairlead.engine.galleries import Gallery, open_collection, open_gallery, skipped_note
from fairlead.engine.inputs import file_behind
from fairlead.engine.labels import named
from fairlead.engine.narrowing import without
from fairlead.engine.vectors import of_side, of_study
from fairlead.errors import UsageError
from fairlead.protocols import Encoder, Progress, Side, registry
from fairlead.store.queries import read_queries
from fairlead.types import Collection, Embeddings, Queries, Study
from fairlead.words.counts import agreeing, part_of


@dataclass(frozen=True, eq=False)
class OwnFiles:
    """One's own data, named file by file.

    Attributes:
        collection: What is searched.
        queries: What is asked: a file, or queries.
        labels: A file of labels; None where an annotator says who is shown, or the collection does.
        qrels: What is relevant.
        target: The target shares.
    """

    collection: Any
    queries: Any
    labels: Any = None
    qrels: Any = None
    target: Any = "uniform"

    @property
    def asked(self) -> Queries:
        """The queries."""
        if isinstance(self.queries, Queries):
            return self.queries
        return read_queries(self.queries)

    def study(self, collection: Collection | None = None) -> Study:
        """The study of these files; of a collection that was opened already, where one is given."""
        items = collection
        if items is None:
            items = open_collection(self.collection)
        name = str(self.collection)
        data = OwnData(items, self.asked, self.labels, self.qrels, self.target, name=name)
        study = replace(data.study(), files={**data.files, **self.files})
        if "groups" not in study.files:
            return study
        # A file of labels says who labelled by its name, as it does on every other road.
        source = study.files["groups"].name
        groups = {n: replace(g, source=source) for n, g in study.collection.groups.items()}
        roles = {n: replace(g, source=source) for n, g in study.roles.items()}
        return replace(study, collection=replace(study.collection, groups=groups), roles=roles)

    @property
    def files(self) -> dict[str, Path]:
        """The file of queries, which was read before the rest."""
        path = file_behind(self.queries)
        return {} if path is None else {"queries": path}


@dataclass(frozen=True, eq=False)
class SeenStudy:
    """A study as an encoder sees it, with its vectors.

    Attributes:
        study: Without items and queries that cannot be opened.
        queries: Vectors of its queries.
        items: Vectors of its items.
        notes: What is not in it, and why.
        gallery: The collection with its vectors, where it is one's own: it may bring an index.
    """

    study: Study
    queries: Embeddings
    items: Embeddings
    notes: tuple[str, ...] = ()
    gallery: Gallery | None = None


def refuse_both(plan: Any) -> None:
    """Refuse a benchmark beside data of one's own: one of them would be passed over."""
    own = [plan.collection, plan.queries, plan.qrels]
    if any(one is not None for one in own) and _is_named(plan, "benchmark"):
        raise UsageError(
            f"{plan.benchmark} has a collection, queries and judgements of its own.",
            "Leave out --benchmark, or --collection, --queries and --qrels.",
        )


def _is_named(plan: Any, name: str) -> bool:
    # A manifest names all choices, also those that were not made.
    return bool(getattr(plan, name) != type(plan).model_fields[name].default)


def asked_in(plan: Any) -> tuple[Any, Any]:
    """What a plan asks: its benchmark or one's own files; and the labels that measure, where they
    are not among these files.
    """
    files = [getattr(plan, name) for name in ("collection", "queries", "qrels")]
    if all(one is None for one in files):
        return plan.benchmark, getattr(plan, "groups", None)
    if plan.collection is None or plan.queries is None:
        raise UsageError(
            "Data of your own need a collection and queries.",
            "Give both: --collection PATH --queries FILE. Or a folder of both: own:DIR.",
        )
    groups = named(getattr(plan, "groups", None))
    # A file of labels is one of the files; an annotator labels whatever they hold.
    labels, other = groups, None
    if callable(groups):
        labels, other = None, groups
    target = getattr(plan, "target", "uniform")
    return OwnFiles(plan.collection, plan.queries, labels, plan.qrels, target), other


def study_of(question: Any) -> Study:
    """The study of a benchmark by its text form, of a benchmark object or of one's own files; a
    study as it is.
    """
    if isinstance(question, Study):
        return question
    if isinstance(question, OwnFiles):
        return question.study()
    study: Study = registry.make("benchmark", question).study()
    return study


def seen(
    question: Any, study: Study, encoder: Encoder, progress: Progress | None = None
) -> SeenStudy:
    """A study with the vectors of both its sides.

    Args:
        question: What it was made from: one's own collection is opened as a search opens it, so
            that both keep the same vectors.
        study: The study, without what is left out.
        encoder: Makes the vectors.
        progress: Told how many things are encoded.
    """
    if not isinstance(question, OwnFiles):
        visible = of_study(study, encoder, progress)
        return SeenStudy(visible.study, visible.queries, visible.items, visible.notes)
    side: Side = "images"
    if study.modality == "image-to-text":
        side = "texts"
    gallery = open_gallery(question.collection, encoder, side=side, progress=progress)
    place = {name: row for row, name in enumerate(gallery.collection.ids)}
    rows = np.array([place.get(name, -1) for name in study.collection.ids], np.int64)
    asked = of_side(study, encoder, "query", progress)
    gone, silent, notes = rows < 0, asked.missing, list[str]()
    if gone.any() or silent.any():
        study = without(study, gone, silent, "Nothing of it can be opened.")
        if gone.any():
            notes.append(skipped_note(gallery))
        if silent.any():
            count = int(silent.sum())
            words = agreeing(count, "cannot be opened and is", "cannot be opened and are")
            notes.append(f"{part_of(count, len(silent), 'query')} {words} left out.")
    # Taken only where it must be: a gallery as it is keeps its fingerprint, and with it its index.
    if len(rows) != len(gallery.collection) or (rows != np.arange(len(rows))).any():
        gallery = gallery.take(rows[rows >= 0])
    queries = taken(asked.embeddings, ~silent[asked.rows])
    return SeenStudy(study, queries, gallery.embeddings, tuple(notes), gallery)
