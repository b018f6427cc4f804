"""Assembly of projections: what they are fitted on, which is never what is measured; their files;
and the wordings of queries.

A projection by its text form is fitted on reference material: what the benchmark names beside
itself (other drawings, the training split) or, for those who look at texts alone, the texts. One
that was fitted before is ``fitted:FILE``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from fairlead.annotators.prompts import split
from fairlead.annotators.zeroshot_prompt import filled
from fairlead.engine.galleries import Gallery, is_benchmark, open_gallery, skipped_note
from fairlead.engine.labels import named, told
from fairlead.engine.manifest import MADE_BY
from fairlead.engine.sight import sight_of_gallery
from fairlead.errors import DataError, UsageError, unknown_name, words_of
from fairlead.projections.reference import Reference, labelled
from fairlead.protocols import (
    Encoder,
    Progress,
    Projected,
    Projection,
    QueryAnnotator,
    Referenced,
    registry,
)
from fairlead.protocols.spec import Configured, parse
from fairlead.store.labels import read_item_groups
from fairlead.store.leave_out import LeaveOut
from fairlead.store.projection_file import HINT, Kept, numbers_of, read_projection, write_projection
from fairlead.store.shapes import TORN
from fairlead.types import Embeddings, Groups
from fairlead.types.ragged import Array

# The phantom's queries ask for all of these, which favours ``calibrated`` there, as its page says;
# ``classes`` names others.
CLASSES = (
    "doctor",
    "nurse",
    "teacher",
    "engineer",
    "cook",
    "judge",
    "pilot",
    "farmer",
    "librarian",
    "firefighter",
    "programmer",
    "waiter",
    "carpenter",
    "hairdresser",
    "police officer",
    "chemist",
)
"""Occupations that the sentences of ``calibrated`` name."""
_NAMES: Mapping[str, tuple[str, ...]] = {"gender": ("female", "male"), "skin": ("dark", "light")}
"""Groups of the attributes that texts can name without any label."""


@dataclass(frozen=True)
class Saved(Configured):
    """A projection from a file of ``fairlead train projection``: ``fitted:gender.npz``."""

    path: str

    name: ClassVar[str] = "fitted"
    addressed: ClassVar[str | None] = "path"


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted projection with its card, and numbers of the items it was fitted on."""

    projection: Projection
    projected: Projected
    about: Mapping[str, Any]
    seen: Array

    @property
    def attribute(self) -> str:
        """What it mitigates."""
        return str(self.about["attribute"])

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the attribute."""
        return tuple(self.about["groups"])

    def write(self, path: str | Path) -> None:
        """Write the file (``.npz``): arrays and JSON."""
        write_projection(path, Kept(self.about, self.projected.arrays(), self.seen))

    def __call__(
        self, queries: Embeddings, encoder: Encoder, texts: Sequence[str] = ()
    ) -> Embeddings:
        """Queries for the stored items; ``texts`` are the words of the first of them, the others
        have none.
        """
        # Wordings are encoded anew for every query, so only who needs them pays for them.
        if "wordings" not in self.projection.needs:
            return self.projected(queries)
        return self.projected(
            queries, wordings(encoder, texts, self.attribute, self.groups, len(queries))
        )

    def warnings(self, ids: Sequence[str]) -> list[str]:
        """What a reader must know where these items are measured."""
        notes, shared = list(self.projected.notes), 0.0
        if len(ids) and len(self.seen):
            shared = np.isin(numbers_of(ids), self.seen).mean()
        if shared > 0:
            notes.append(
                f"{100 * shared:.0f} % of the items that are measured are among those that "
                f"{self.about['projection']} was fitted on: "
                "it may do worse on others."
            )
        return notes


def train_projection(
    spec: str | Configured,
    *,
    model: Any = "phantom",
    collection: str | Path | None = None,
    attribute: str | None = None,
    groups: Any = None,
    progress: Progress | None = None,
) -> Fitted:
    """Fit a projection, to be written to a file and applied as ``fitted:FILE``.

    Args:
        spec: The projection.
        model: The encoder whose vectors it is for.
        collection: Labelled items to fit on: a collection, or a benchmark by name; none for those
            who look at texts alone.
        attribute: What is mitigated; the first that is labelled by default.
        groups: Labels of the items: a file, a data frame or an annotator spec; the collection's own
            by default.
        progress: Told how many items are encoded.
    """
    projection, encoder = made(spec), registry.make("encoder", model)
    if isinstance(projection, Saved):
        raise UsageError(
            f"{projection} was fitted already.",
            f"Known: {', '.join(registry.entries('projection'))}.",
        )
    if "items" not in projection.needs and collection is None:
        return fit(projection, encoder, attribute or "gender", _named_groups(attribute or "gender"))
    if collection is None:
        raise UsageError(
            f"{projection} is fitted on labelled items.",
            "Name them with --collection or --benchmark.",
        )
    gallery = open_gallery(collection, encoder, progress=progress)
    known = _labels(groups, collection, encoder, gallery, attribute, progress)
    if not known:
        raise DataError(
            "No item of the collection is labelled, so nothing can be fitted.",
            "Give labels with --groups FILE.",
        )
    name = attribute or next(iter(known))
    if name not in known:
        raise unknown_name("labelled attribute", name, known)
    return fit(
        projection,
        encoder,
        name,
        known[name].names,
        gallery=gallery,
        groups=known[name],
        source=str(collection),
    )


def made(spec: str | Configured) -> Any:
    """The projection that a text names, or a file of one."""
    if not isinstance(spec, str):
        return spec
    parsed = parse(spec)
    if parsed.name == Saved.name:
        return Saved.from_spec(parsed)
    return registry.make("projection", spec)


def fit(
    projection: Any,
    encoder: Encoder,
    attribute: str,
    names: Sequence[str],
    *,
    gallery: Gallery | None = None,
    groups: Groups | None = None,
    source: str = "",
    apart: Sequence[str] = (),
) -> Fitted:
    """Fit a projection.

    Args:
        projection: What is fitted.
        encoder: Its model.
        attribute: What is mitigated.
        names: Its groups.
        gallery: Items to fit on, for those who need them.
        groups: Their labels.
        source: Where they are from.
        apart: Ids of what is measured: such items are not fitted on.
    """
    if len(names) < 2:
        raise DataError(
            (
                f"Attribute '{attribute}' has one group only ({', '.join(names)}): nothing "
                "can be told apart."
            ),
            "Label items of a second group too.",
        )
    about: dict[str, Any] = {
        **MADE_BY,
        "projection": str(projection),
        "attribute": attribute,
        "groups": list(names),
    }
    about["model"] = {"spec": str(encoder), "fingerprint": encoder.fingerprint}
    items = codes = prompts = pairs = None
    seen: Sequence[str] = ()
    samples = dict[str, int]()
    if "items" in projection.needs:
        assert gallery is not None
        assert groups is not None
        # By id, because the reference may share items with what is measured.
        measured, ids = set(apart), gallery.collection.ids
        rows = np.array([row for row, name in enumerate(ids) if name not in measured], np.int64)
        items, codes = labelled(gallery.embeddings.take(rows), groups.take(rows))
        seen = [ids[row] for row in rows]
        about |= {"source": source, "labels": groups.source}
        counts = np.bincount(codes, minlength=len(names)).tolist()
        samples = dict(zip(names, counts, strict=True))
    about["samples"] = samples
    if "prompts" in projection.needs:
        prompts = _prompts(projection, encoder, attribute, names)
    if "pairs" in projection.needs:
        pairs = _pairs(projection, encoder, attribute, names)
    projected = projection.fit(Reference(attribute, tuple(names), items, codes, prompts, pairs))
    return Fitted(
        projection, projected, {**about, "notes": list(projected.notes)}, numbers_of(seen)
    )


def read(path: str | Path, encoder: Encoder, attribute: str | None = None) -> Fitted:
    """The projection of a file, for vectors of this encoder alone.

    Raises:
        DataError: If the file is none, or was fitted on another model's vectors.
        UsageError: If it is for another attribute.
    """
    kept = read_projection(path)
    model, name = kept.about["model"], Path(path).name
    # Vectors of another model have other directions: the file would act, and mean nothing.
    if model["fingerprint"] != encoder.fingerprint:
        raise DataError(
            f"{name} was fitted on vectors of {model['spec']} (fingerprint "
            f"{model['fingerprint']}), not of {encoder} "
            f"({encoder.fingerprint}).",
            (
                f'Fit it again: fairlead train projection "{kept.about["projection"]}" '
                f'--model "{encoder}" ... -o {name}'
            ),
        )
    if attribute is not None and kept.about["attribute"] != attribute:
        raise UsageError(
            f"{name} was fitted for '{kept.about['attribute']}', and '{attribute}' is mitigated.",
            "Name it with --attribute.",
        )
    projection = registry.make(
        "projection", registry.vetted("projection", str(kept.about["projection"]), path)
    )
    try:
        projected = replace(
            projection.restore(kept.arrays), notes=tuple(kept.about.get("notes", ()))
        )
    except TORN as error:
        raise DataError(
            f"{path} cannot be read as a projection: {words_of(error)}.", HINT
        ) from error
    return Fitted(projection, projected, kept.about, kept.seen)


def for_source(
    projection: Any,
    encoder: Encoder,
    source: Any,
    *,
    attribute: str,
    names: Sequence[str],
    ids: Sequence[str] = (),
    annotator: Any = None,
    leave_out: LeaveOut | None = None,
    progress: Progress | None = None,
) -> Fitted:
    """A projection for what is measured: read from its file, or fitted on reference material beside
    it.

    Args:
        projection: A projection, or a file of one.
        encoder: The model that ranks.
        source: What is measured: a benchmark by name, or a collection.
        attribute: What is mitigated.
        names: Its groups; those that texts can name where there are none.
        ids: Ids of what is measured.
        annotator: Labels the reference, where one is named that needs no queries; its own labels by
            default.
        leave_out: Items that are neither labelled nor fitted on.
        progress: Told how many items are encoded.

    Raises:
        UsageError: Where there is no reference material.
    """
    if isinstance(projection, Saved):
        return read(projection.path, encoder, attribute or None)
    if "items" not in projection.needs:
        return fit(projection, encoder, attribute, tuple(names) or _named_groups(attribute))
    beside = _reference(source)
    if beside is None:
        raise _nothing_beside(projection, encoder, source, attribute)
    gallery = open_gallery(beside, encoder, progress=progress)
    if not len(gallery.collection):
        raise DataError(
            f"{beside} has nothing to fit {projection} on.",
            skipped_note(gallery) or "Name another collection to train on.",
        )
    if leave_out:
        gallery = gallery.take(np.flatnonzero(~leave_out.items(gallery.collection.ids)))
    # A file labels what is measured, not what lies beside it; and beside it nothing is asked.
    who = None
    if callable(annotator) and not isinstance(annotator, QueryAnnotator):
        who = annotator
    known = _labels(who, beside, encoder, gallery, attribute, progress)
    if attribute not in known:
        raise unknown_name(f"attribute of {beside}", attribute, known)
    return fit(
        projection,
        encoder,
        attribute,
        known[attribute].names,
        gallery=gallery,
        groups=known[attribute],
        source=beside,
        apart=ids,
    )


def _nothing_beside(projection: Any, encoder: Encoder, source: Any, attribute: str) -> UsageError:
    """The error for a source that names nothing beside itself to fit a projection on."""
    return UsageError(
        (
            f"{projection} is fitted on labelled items that are not measured, and there "
            f"are none beside '{source}'."
        ),
        f'Fit it on others: fairlead train projection "{projection}" --model "{encoder}" '
        "--collection DIR --groups LABELS "
        f"--attribute {attribute} -o FILE.npz, then --mitigate fitted:FILE.npz.",
    )


def wordings(
    encoder: Encoder, texts: Sequence[str], attribute: str, groups: Sequence[str], queries: int
) -> Array:
    """(queries, groups, dimensions) vectors of queries worded for each group; NaN for those without
    words, which stand last.
    """
    worded = [filled(f"{_word(attribute, group)} {{}}", text) for text in texts for group in groups]
    if not worded:
        return np.full((queries, len(groups), 1), np.nan)
    vectors = _vectors(encoder, worded).reshape(len(texts), len(groups), -1)
    return np.concatenate([vectors, np.full((queries - len(texts), *vectors.shape[1:]), np.nan)])


def _reference(source: Any) -> str | None:
    """The benchmark of other items beside a benchmark, where it knows of one."""
    if not is_benchmark(source):
        return None
    benchmark = registry.make("benchmark", source)
    if not isinstance(benchmark, Referenced):
        return None
    beside = benchmark.reference()
    if beside is None:
        return None
    return str(beside)


def _labels(
    source: Any,
    collection: Any,
    encoder: Encoder,
    gallery: Gallery,
    attribute: str | None,
    progress: Progress | None,
) -> dict[str, Groups]:
    """Labels of a gallery's items: its own, as an annotator tells them, or those of a file."""
    if source is None:
        return dict(gallery.collection.groups)
    who, asked = source, None
    if isinstance(source, str):
        who = named(source)
    if attribute is not None:
        asked = (attribute,)
    if callable(who):
        sight = sight_of_gallery(cast(Any, who), collection, encoder, gallery, progress)
        return told(who, gallery.collection, asked, sight)
    return read_item_groups(who, gallery.collection.ids, asked, progress=progress)


def _named_groups(attribute: str) -> tuple[str, ...]:
    if attribute not in _NAMES:
        raise UsageError(
            f"Nobody says which groups '{attribute}' has.",
            "Name a labelled --collection or --benchmark.",
        )
    return _NAMES[attribute]


def _prompts(projection: Any, encoder: Encoder, attribute: str, names: Sequence[str]) -> Array:
    """(texts, dimensions) vectors of texts that name the groups."""
    if projection.prompts:
        return _vectors(encoder, split(projection.prompts))
    # Where the groups are those of gender, the texts are those of Chuang et al. 2023.
    nouns = dict[str, str]()
    if attribute == "gender":
        nouns = {"female": "a photo of a woman", "male": "a photo of a man"}
    own = [
        nouns.get(name.lower()) or filled(f"{_word(attribute, name)} {{}}", "a photo of a person")
        for name in names
    ]
    return _vectors(encoder, own)


def _pairs(projection: Any, encoder: Encoder, attribute: str, names: Sequence[str]) -> Array:
    """(classes, groups, dimensions) vectors of sentences that differ in the group only."""
    classes: Sequence[str] = CLASSES
    if projection.classes:
        classes = split(projection.classes)
    texts = [
        filled(f"{_word(attribute, name)} {{}}", f"a photo of a {one}")
        for one in classes
        for name in names
    ]
    return _vectors(encoder, texts).reshape(len(classes), len(names), -1)


def _word(attribute: str, name: str) -> str:
    """What stands before a noun for a group: ``female``, ``female dark-skinned``."""
    parts = zip(attribute.split("*"), name.split("*"), strict=False)
    words = []
    for what, part in parts:
        # ``dark`` alone would read as a dark photo.
        if what == "skin" and "skin" not in part:
            part = f"{part}-skinned"
        words.append(part)
    return " ".join(words)


def _vectors(encoder: Encoder, texts: Sequence[str]) -> Array:
    """(texts, dimensions) unit vectors."""
    found = encoder.texts(tuple(texts), "query")
    if found.offsets is not None:
        raise UsageError(
            "A projection needs one vector for each text; this model gives many.",
            "Take another --model.",
        )
    vectors = np.asarray(found.vectors, np.float64)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
