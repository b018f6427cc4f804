"""Assembly of labelling: an annotator by name, a collection by its path, what the annotator sees
with, and files of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fairlead.annotators.asked import refuse_unseen
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.galleries import open_collection, open_gallery
from fairlead.engine.labels import told
from fairlead.engine.sight import Seeing, model_of
from fairlead.engine.sight import unfit as unfit_for
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.protocols import Progress, QueryAnnotator, registry
from fairlead.statistics.cells import SMALLEST
from fairlead.store import embedded
from fairlead.store.atomic import atomic
from fairlead.store.cells import write_cells
from fairlead.store.label_writing import (
    noted_labels,
    write_about,
    write_candidate_labels,
    write_labels,
)
from fairlead.store.labels import item_column, read_label_columns
from fairlead.store.leave_out import LeaveOut, left_notes, read_leave_out
from fairlead.store.names import rows_of
from fairlead.store.runs import read_run
from fairlead.studies.annotation import Evaluation, LabelTally, tally
from fairlead.studies.annotation import evaluate as evaluating
from fairlead.types import Collection, Groups, Queries, Sets
from fairlead.types.groups import NO_LABEL, NOBODY
from fairlead.types.joining import mapped, refuse_idle
from fairlead.types.ragged import offsets_of
from fairlead.words.counts import agreeing, part_of
from fairlead.words.neutral import neutralised


@dataclass(frozen=True, eq=False)
class Annotation:
    """What an annotator said: of the items of a collection or, with queries, of the candidates of
    each.

    Attributes:
        collection: The items.
        groups: The labels, one for each item or candidate.
        queries: What was asked; None where labels are of the items.
        candidates: The rows of each query's candidates.
        wanted: Ids of the items that people should label next.
        least: The lowest count that is told; 0 tells all.
        left: How many items and queries were left out, where a list asked for it.
        unfit: What the card of the model says against such use, where it does.
    """

    collection: Collection
    groups: Groups
    queries: Queries | None = None
    candidates: Sets | None = None
    wanted: tuple[str, ...] = ()
    least: int = SMALLEST
    left: Mapping[str, int] | None = None
    unfit: str = ""

    @property
    def tally(self) -> LabelTally:
        """What the labels add up to."""
        return tally(self.groups, self.least)

    @property
    def lists(self) -> list[dict[str, Any]]:
        """Who labelled how many items of each list; nothing where one source labelled all."""
        if self.groups.given_by is None:
            return []
        if self.queries is None or self.candidates is None:
            return [{"query": None, "labels": self.groups.labels_by_source()}]
        spans = pairwise(self.candidates.offsets.tolist())
        return [
            {"query": query, "labels": self.groups.labels_by_source(np.arange(first, last))}
            for query, (first, last) in zip(self.queries.ids, spans, strict=True)
        ]

    @property
    def notes(self) -> list[str]:
        """What a reader must know."""
        return [*filter(None, [self.unfit]), *left_notes(self.left)]

    @property
    def provenance(self) -> dict[str, Any]:
        """Who labelled each list, and what was left out; nothing of what does not apply."""
        about: dict[str, Any] = {}
        if lists := self.lists:
            about["lists"] = lists
        if self.left is not None:
            about["left_out"] = dict(self.left)
        return about

    def to_dict(self) -> dict[str, Any]:
        """Counts for programs; labels of single items are only ever written to a file."""
        about = {
            **self.tally.to_dict(),
            "items": len(self.collection),
            "wanted": len(self.wanted),
            **self.provenance,
        }
        if self.notes:
            about["notes"] = self.notes
        return about

    def write(self, path: str | Path) -> int:
        """Write the labels as a table that every command reads, and beside it who gave them and
        when. Returns how many lines.
        """
        with noted_labels(path) as (file, note):
            if self.queries is None or self.candidates is None:
                count = write_labels(
                    file, {self.groups.attribute: (self.collection.ids, self.groups)}
                )
            else:
                pairs = [
                    (query, self.collection.ids[row])
                    for number, query in enumerate(self.queries.ids)
                    for row in self.candidates.of(number)
                ]
                count = write_candidate_labels(file, pairs, self.groups)
            sources = {self.groups.attribute: self.groups.source}
            now = datetime.now(UTC)
            write_about(note, path, sources, now, labels=count, **self.provenance)
        return count

    def write_wanted(self, path: str | Path) -> int:
        """Write the items that people should label next, as ``fairlead annotate human plan
        --items`` reads them.
        """
        # A collection of captions has no pictures; the column stays, so that the file has one form.
        images = dict(zip(self.collection.ids, self.collection.images or (), strict=False))
        with atomic(path) as file, file.open("w", encoding="utf-8", newline="") as stream:
            rows = ((item, images.get(item, "")) for item in self.wanted)
            write_cells(stream, ("item", "image"), rows)
        return len(self.wanted)


class AnnotatePlan(fields.Plan):
    """Label a collection, and say what the labels add up to.

    Labels of single items are written only where you ask for them; the table is one that --groups
    reads. Beside it stands FILE.about.json: who gave the labels, and when.
    """

    positional = ("collection", "annotator", "attribute")

    collection: Annotated[
        fields.Path,
        Field(
            description=(
                "A folder of images, a table, archives, an embedded folder, or a benchmark."
            ),
            examples=["photos"],
        ),
        fields.Cli(argument=True, file=True),
    ]
    annotator: fields.Annotating
    attribute: Annotated[
        str | None,
        Field(
            default=None,
            description="What to label; what the annotator labels, where that is one thing.",
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    model: fields.EncodingForLabels
    queries: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="Query, for labels that depend on it; its candidates are all items.",
            examples=["a photo of a nurse"],
        ),
        fields.Cli(flags=("--query",), metavar="TEXT"),
    ]
    run: Annotated[
        fields.Run | None,
        Field(
            default=None,
            description="Ranking, for labels that depend on the query: the first -k of each.",
            examples=["run.csv"],
        ),
        fields.Cli(metavar="RUN", file=True),
    ]
    k: Annotated[
        int,
        Field(default=200, ge=1, description="How many of each query of the run.", examples=[50]),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    leave_out: fields.LeaveOut
    least: fields.Least
    trust: fields.Trust


def run(plan: AnnotatePlan, progress: Progress | None = None) -> Annotation:
    """The labels of a collection."""
    queries, run = plan.queries, plan.run
    made = registry.make("annotator", plan.annotator)
    out = read_leave_out(plan.leave_out) or LeaveOut()
    every, sight = see(plan.collection, made, plan.model, progress)
    items = _kept(every, out)
    name = plan.attribute or _only(made, items)
    refuse_unseen(made, name)
    unfit = " ".join(unfit_for([made], sight.encoder))

    def annotation(groups: Groups, asked: tuple[Queries, Sets], **rest: Any) -> Annotation:
        wanted = _wanted(made, items, name, asked, sight)
        return Annotation(items, groups, wanted=wanted, least=plan.least, unfit=unfit, **rest)

    if run is None and not queries:
        groups = told(made, items, (name,), sight)[name]
        # Who says what is wanted thinks in lists; without queries the collection is the only one.
        whole = Queries(("all",)), Sets(np.array([0, len(items)]), np.arange(len(items)))
        return annotation(groups, whole, left=_left(plan, out, every))
    if run is not None and queries:
        raise UsageError("A run and queries were given.", "Give one: the run has its queries.")
    if not isinstance(made, QueryAnnotator):
        raise UsageError(
            f"The labels of {made} do not depend on the query.", "Leave out --query and --run."
        )
    if run is None:
        left = _left(plan, out, every, queries)
        asked = _asked([query for query in queries if out.query(query) is None], items)
    else:
        left = _left(plan, out, every, read_run(run).queries)
        asked = _of_run(run, plan.k, items, out)
    if not len(asked[0]):
        raise DataError(
            "No query is left to label the results of.",
            "The list of what to leave out names all of them.",
        )
    groups = made.of_candidates(items, name, *asked, sight)
    return annotation(groups, asked, queries=asked[0], candidates=asked[1], left=left)


annotate = as_function("annotate", AnnotatePlan, run)


def _left(
    plan: AnnotatePlan, out: LeaveOut, items: Collection, *queries: Sequence[str]
) -> dict[str, int] | None:
    """How much was left out; None where there was no list, which is not the same as nothing."""
    if plan.leave_out is None:
        return None
    return out.left(items.ids, queries)


def _kept(items: Collection, out: LeaveOut) -> Collection:
    """The items that may be labelled."""
    kept = items
    if out:
        kept = items.take(np.flatnonzero(~out.items(items.ids)))
    if not len(kept) and len(items):
        raise DataError(
            "No item is left to label.", "The list of what to leave out names all of them."
        )
    return kept


def neutralise(collection: str | Path, out: str | Path) -> tuple[int, int]:
    """Write the captions of a collection without words that name a gender. Returns how many
    changed, and how many there are.
    """
    items = open_collection(collection)
    if items.texts is None:
        raise DataError(
            f"{collection} has no captions.",
            "Put them beside the pictures (a.txt), or into captions.csv (file,caption).",
        )
    plain = neutralised(items.texts)
    with atomic(out) as file, file.open("w", encoding="utf-8", newline="") as stream:
        write_cells(stream, ("item", "caption"), zip(items.ids, plain, strict=True))
    return sum(new != old for new, old in zip(plain, items.texts, strict=True)), len(plain)


def see(
    source: str | Path, annotator: Any, model: Any, progress: Progress | None = None
) -> tuple[Collection, Seeing]:
    """A collection, and what an annotator sees it with: vectors where it needs an encoder, which
    are embedded once and kept.
    """
    # Nothing is embedded for those who read captions, files or pixels.
    if "encoder" not in annotator.needs:
        return open_collection(source), Seeing(progress=progress)
    spec = model_of(annotator) or model
    # The folder knows which model made its vectors; no other could read them.
    if not spec and embedded.is_embedded(source):
        named = embedded.read_manifest(Path(source).expanduser())["model"]["spec"]
        spec = registry.vetted("encoder", str(named), source)
    if not spec:
        raise UsageError(
            f"{annotator} needs a model to see with.", "Name one with --model, e.g. hf:DIR."
        )
    encoder = registry.make("encoder", spec)
    gallery = open_gallery(source, encoder, side="images", progress=progress)
    # Annotators ask for pictures by their references; the vectors are there already.
    rows = {reference: row for row, reference in enumerate(gallery.collection.images or ())}
    return gallery.collection, Seeing(encoder, gallery.embeddings, rows)


def evaluate(
    images: str | Path,
    annotator: Any,
    labels: str | Path,
    attribute: str,
    *,
    by: Sequence[str] = (),
    model: Any = None,
    rename: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Hold an annotator against known labels of pictures.

    Args:
        images: The collection of pictures.
        annotator: The annotator, or its text form.
        labels: A table that names pictures (``file``, ``item``) and has the columns ``attribute``
            and ``by``.
        attribute: What to label.
        by: Columns whose combinations are the cells.
        model: The encoder, where the annotator needs one and names none.
        rename: New names of groups, of the annotator's or of the known labels.
        progress: Told how many pictures are seen.
    """
    made = registry.make("annotator", annotator)
    refuse_unseen(made, attribute)
    columns, name = read_label_columns(labels), Path(labels).name
    item = item_column(name, columns)
    for column in (attribute, *by):
        if column not in columns:
            raise unknown_name(f"column in {name}", column, [c for c in columns if c != item])
    # Matched before anything is encoded: a table of other pictures would cost minutes.
    every = open_collection(images)
    rows = rows_of([str(value) for value in columns[item]], every.ids)
    found = [place for place, row in enumerate(rows) if row >= 0]
    if not found:
        example = next(iter(every.ids), "")
        raise DataError(
            (
                f"{name} names no picture of {images}: it has '{columns[item][0]}', the "
                f"pictures are '{example}'."
            ),
            "The file names of both must be spelled alike.",
        )
    truth = Groups.of(attribute, [_label(columns[attribute][place]) for place in found])
    ids = tuple(every.ids[rows[place]] for place in found)
    # Pictures that cannot be opened are missing here, and are unknown below.
    items, sight = see(images, made, model, progress)
    groups = _labelled(made, _narrowed(items, ids, truth), attribute, sight, ids)
    refuse_idle(rename or {}, (truth, groups), f"{name}")
    groups, truth = mapped(groups, rename or {}), mapped(truth, rename or {})
    missing = len(rows) - len(found)
    notes = []
    if missing:
        idle = f"{part_of(missing, len(rows), 'row')} of {name}"
        notes.append(f"{idle} {agreeing(missing, 'names', 'name')} no picture.")
    # An empty cell is a cell of its own: leaving it out would hide items from a table that hides
    # none.
    cells = {column: [columns[column][place] or "unknown" for place in found] for column in by}
    return evaluating(groups, truth, cells, notes)


def _labelled(
    annotator: Any, items: Collection, attribute: str, sight: Seeing, ids: Sequence[str]
) -> Groups:
    """What the annotator says of the items with these ids; those that could not be seen are
    unknown.
    """
    groups: Groups = annotator(items, attribute, sight)
    place = {name: row for row, name in enumerate(items.ids)}
    rows = np.array([place.get(name, -1) for name in ids])
    if (rows >= 0).all():
        return groups.take(rows)
    # One blank row at the end, which -1 takes: a picture that could not be opened has no label, and
    # must not count as answered.
    blank = np.zeros((1, len(groups.names)))
    soft = np.concatenate([groups.share, blank])
    absent = np.append(groups.not_applicable, False)  # type: ignore[arg-type]
    given_by = groups.given_by
    if given_by is not None:
        given_by = np.append(given_by, NOBODY)[rows]
    return replace(
        groups, codes=None, soft=soft[rows], not_applicable=absent[rows], given_by=given_by
    )


def _narrowed(items: Collection, ids: Sequence[str], truth: Groups) -> Collection:
    """The items with known labels, and these labels: what an annotator that works on labels makes
    its errors on.
    """
    row = {name: row for row, name in enumerate(items.ids)}
    own = {name: row for row, name in enumerate(ids)}
    kept = [name for name in ids if name in row]
    images, texts = (
        None if part is None else tuple(part[row[name]] for name in kept)
        for part in (items.images, items.texts)
    )
    return Collection(
        tuple(kept),
        images,
        texts,
        {truth.attribute: truth.take(np.array([own[n] for n in kept], np.int64))},
    )


def _label(value: str | None) -> str | None:
    """A cell of a table of known labels; None where it says that nobody knows."""
    if value in NO_LABEL:
        return None
    return value


def _only(annotator: Any, items: Collection) -> str:
    """The attribute that an annotator labels, where it is one."""
    known: Mapping[str, None] = dict.fromkeys(annotator.attributes(items))
    if len(known) != 1:
        one = "it"
        if known:
            one = f"one of {', '.join(known)}"
        raise UsageError(f"{annotator} is not told what to label.", f"Name {one} with --attribute.")
    return next(iter(known))


def _wanted(
    annotator: Any, items: Collection, attribute: str, asked: tuple[Queries, Sets], sight: Seeing
) -> tuple[str, ...]:
    """What people should label next, where the annotator is one that asks people."""
    wanted = getattr(annotator, "wanted", None)
    if wanted is None:
        return ()
    return tuple(wanted(items, attribute, *asked, sight))


def _asked(queries: Sequence[str], items: Collection) -> tuple[Queries, Sets]:
    """Queries whose candidates are all items."""
    sizes = np.full(len(queries), len(items))
    return Queries(tuple(queries), texts=tuple(queries)), Sets(
        offsets_of(sizes), np.tile(np.arange(len(items)), len(queries))
    )


def _of_run(run: Any, k: int, items: Collection, out: LeaveOut) -> tuple[Queries, Sets]:
    """The queries of a run with the first ``k`` of each that are in the collection; the ids of
    queries are their texts.
    """
    found = read_run(run)
    # Before the cut: the next items move up, so that k of each query are labelled all the same.
    if out:
        found = found.without(out.items(found.items), out.queries(found.queries))
    top = found.ranking.take(
        np.flatnonzero(found.ranking.ranks <= k), np.minimum(found.ranking.lengths, k)
    )
    place = {name: row for row, name in enumerate(items.ids)}
    rows = np.array([place.get(found.items[int(row)], -1) for row in top.rows])
    if (rows < 0).all():
        raise DataError(
            f"The run ranks no item of the collection: it has '{found.items[0]}'.",
            "The ids of both must be spelled alike.",
        )
    # Some items may be gone from the collection since it was ranked; the others can be labelled.
    kept = rows >= 0
    sizes = np.bincount(top.query_of[kept], minlength=len(top))
    texts = tuple(map(str, found.queries))
    return Queries(texts, texts=texts), Sets(offsets_of(sizes), rows[kept])
