"""``search``: a collection asked in words or by picture, plain and mitigated side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
from pydantic import Field

from fairlead import __version__
from fairlead.commands.functions import as_function
from fairlead.commands.trigger import trigger
from fairlead.engine import plan as fields
from fairlead.engine import search as searching
from fairlead.engine.exclusion import refuse
from fairlead.engine.galleries import (
    thumbnail,
)
from fairlead.engine.labels import named
from fairlead.engine.mitigations import Mitigation, fitted, mitigation_of
from fairlead.engine.projections import Fitted, Saved
from fairlead.engine.projections import read as read_fitted
from fairlead.engine.recorded import short_lists
from fairlead.engine.search import unlabelled
from fairlead.engine.search_labels import labels_of, reader_of
from fairlead.engine.sight import unfit
from fairlead.errors import DataError, FairleadError, UsageError, together
from fairlead.measuring.circular import circularities
from fairlead.protocols import Index, KeptIndex, Progress, registry
from fairlead.report.sheet import blocks, sheet
from fairlead.results.search import SearchResult
from fairlead.store.atomic import atomic


class _Question(fields.Plan):
    """What is asked, and of which model."""

    text: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="A query in words; several are answered one by one.",
            examples=["a photo of a nurse"],
        ),
        fields.Cli(argument=True),
    ]
    image: Annotated[
        fields.Several[fields.Path],
        Field(
            default=(),
            description="Ask with a picture; may be given several times.",
            examples=["portrait.jpg"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    model: fields.Encoding
    index: fields.Indexing


class SearchPlan(fields.SearchedLabels, _Question):
    """Search a collection, and see the mitigated list beside the plain one.

    One text is one query. Candidates are fetched for each group, so that nobody is missing from
    them.

    >>> import fairlead
    >>> found = fairlead.search("a photo of a nurse", mitigate="pbm", attribute="gender", k=4)
    >>> [variant.name for variant in found.results[0].variants]
    ['plain', 'pbm']
    """

    positional = ("*text",)

    metric: fields.Metrics
    k: Annotated[
        int,
        Field(default=10, ge=1, description="How many items to show.", examples=[20]),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    depth: Annotated[
        int | None,
        Field(
            default=None,
            ge=1,
            description="How many to fetch, of each group where lists are mitigated; k by default.",
            examples=[200],
        ),
        fields.Cli(metavar="N"),
    ]
    limit: Annotated[
        int,
        Field(
            default=10_000,
            ge=1,
            description="Deepest fetch where a target is out of reach.",
            examples=[1_000],
        ),
        fields.Cli(metavar="N"),
    ]
    side: fields.Side
    trigger: fields.Trigger
    leave: fields.Leave
    leave_out: fields.LeaveOut
    seed: fields.Seed


def run(plan: SearchPlan, progress: Progress | None = None) -> SearchResult:
    """The answers to the queries of a plan."""
    return _body(plan, progress)


search = as_function("search", SearchPlan, run)


def _body(plan: SearchPlan, progress: Progress | None = None) -> SearchResult:
    if not plan.text and not plan.image:
        raise UsageError("Nothing is asked.", "Give a text, or a picture with --image.")
    refuse_empty(plan.text)
    return Searcher(plan, progress).search(plan.text, plan.image)


class Searcher(LiveSearch):
    """A collection that is opened once and asked any number of times, from several threads too."""

    @classmethod
    def of(
        cls, plan: SearchPlan | None = None, progress: Progress | None = None, **choices: Any
    ) -> Searcher:
        """Everything a plan names, or the choices of one; all unknown names are told together.

        >>> opened = Searcher.of(collection="phantom(seeds=2)", mitigate="pbm", k=4,
        ...                      attribute="gender")
        >>> [answer.query for answer in opened.search(["a photo of a nurse", "a judge"]).results]
        ['a photo of a nurse', 'a judge']
        """
        if plan is not None and choices:
            raise UsageError("A plan was given, and choices beside it.", "Give one of the two.")
        plan = cast(SearchPlan, SearchPlan.of(**choices)) if plan is None else plan
        encoder, index, mitigations, metrics = _made(plan)
        decides = trigger(plan.leave, encoder) if plan.trigger else None
        out = read_leave_out(plan.leave_out)
        gallery, left = _without(
            _filled(
                open_gallery(cast(str, plan.collection), encoder, side=plan.side, progress=progress)
            ),
            out,
        )
        plan, metrics, capped = _capped(plan, metrics, len(gallery.collection))
        reordered, reader = (
            any(one.reranker is not None for one in mitigations),
            reader_of(plan, encoder, gallery, progress),
        )
        measure, mitigate, single = labels_of(
            plan, gallery, reordered, reader, optional=bool(mitigations) and not reordered
        )
        _refuse_exclusion(plan, mitigate, mitigations)
        fits = _fits(plan, encoder, gallery, mitigations, measure, out, progress)
        fill(index, gallery, None if mitigate is None else mitigate[1].groups)
        if not measure:
            metrics = ()
        shelf = searching.Shelf(gallery.collection, index, measure, mitigate)
        notes = [
            note
            for fit in fits.values()
            for note in fit.warnings(gallery.collection.ids if metrics else ())
        ]
        warnings = (*capped, *single, *_warnings(plan, encoder, gallery, measure, mitigate), *notes)
        _warm(plan, encoder, shelf, gallery, progress)
        against = tuple(unfit(_annotators(plan, mitigations), encoder))
        return cls(
            plan,
            encoder,
            gallery,
            shelf,
            mitigations,
            fits,
            metrics,
            warnings,
            decides,
            out or LeaveOut(),
            left,
            against,
        )


def build_index(
    collection: Any,
    *,
    recall: int | None = None,
    attribute: str | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> dict[str, Any]:
    """Build an index of a collection and keep it where the next search finds it.

    ``recall`` compares its first ones with exact search.
    """
    plan = cast(SearchPlan, SearchPlan.of(collection=collection, attribute=attribute, **choices))
    return built(
        plan, recall, labelled=attribute is not None or plan.groups is not None, progress=progress
    )


SHEETS = (".png", ".jpg", ".jpeg", ".webp")


@contextmanager
def sheet_place(path: str | Path | None) -> Iterator[Callable[[SearchResult], None]]:
    """A function that writes the contact sheet of a result; its place is checked on entering, None
    writes nothing.
    """
    if path is None:
        yield lambda found: None
        return
    if Path(path).suffix.lower() not in SHEETS:
        raise UsageError(
            f"A contact sheet cannot be written to '{path}'.",
            f"Give a file that ends in {', '.join(SHEETS)}.",
        )
    with atomic(path) as file:
        yield lambda found: sheet(found, thumbnail).save(file)


def small_pictures(wanted: bool | None) -> Callable[[str], Any] | None:
    """Draws a picture in a terminal, where that can show colours or the user wants it."""
    from fairlead.report.terminal import plain_console

    console = plain_console()
    if wanted is False or (
        wanted is None and not (console.is_terminal and console.color_system == "truecolor")
    ):
        return None

    def small(reference: str) -> Any:
        picture = thumbnail(reference, 48)
        return None if picture is None else blocks(picture)

    return small


def build_index(
    collection: Any,
    *,
    recall: int | None = None,
    attribute: str | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> dict[str, Any]:
    """Build an index of a collection and keep it where the next search finds it; ``recall``
    compares its first ones with exact search.
    """
    plan = cast(SearchPlan, SearchPlan.of(collection=collection, attribute=attribute, **choices))
    encoder, index, _, _ = _made(plan)
    gallery = _filled(open_gallery(cast(str, plan.collection), encoder, progress=progress))
    reader = reader_of(plan, encoder, gallery, progress)
    measure, mitigate, _ = labels_of(
        plan, gallery, attribute is not None or plan.groups is not None, reader
    )
    groups = None if mitigate is None else mitigate[1].groups
    held = fill(index, gallery, groups)
    kept = None
    if isinstance(index, KeptIndex) and gallery.folder is not None:
        kept = place(index, gallery, groups)
        index.keep(kept, owner(gallery, groups))
    found = None if recall is None else _recall(index, gallery, recall, groups)
    return {
        "index": str(index),
        "rows": len(index),
        "reused": held,
        "recall": found,
        "place": None if kept is None else str(kept),
        "attributes": list(measure),
    }


def _recall(index: Index, gallery: Gallery, depth: int, groups: Groups | None) -> dict[str, float]:
    """The share of what exact search finds that an index finds too: in all, and of each group
    (minorities are lost first).
    """
    rows = np.random.default_rng(0).permutation(len(gallery.collection))[:200]
    queries, exact = gallery.embeddings.take(np.sort(rows)), registry.make("index", "exact")
    fill(exact, replace(gallery, folder=None), groups)
    found = {"all": searching.recall(index.search(queries, depth), exact.search(queries, depth))}
    if groups is not None:
        labels = searching.for_retrieval(groups)
        mine, true = (one.search(queries, depth, groups.attribute) for one in (index, exact))
        found |= {
            name: searching.recall(mine, true, labels, code)
            for code, name in enumerate(groups.names)
        }
    return found


def fill(index: Index, gallery: Gallery, groups: Groups | None) -> int:
    """Give an index the vectors it does not hold yet, with the labels it fetches by; says how many
    rows were there already.
    """
    labels = None if groups is None else searching.for_retrieval(groups)
    held = 0
    if isinstance(index, KeptIndex) and gallery.folder is not None:
        held = index.open(place(index, gallery, groups), owner(gallery, groups))
    if held < len(gallery.collection):
        rest = np.arange(held, len(gallery.collection))
        vectors = gallery.embeddings if not held else gallery.embeddings.take(rest)
        index.add(
            vectors,
            None if labels is None else {labels.attribute: labels.take(rest) if held else labels},
        )
    return held


def owner(gallery: Gallery, groups: Groups | None) -> str:
    """Who an index belongs to: the vectors, and the labels it fetches by."""
    digest = hashlib.sha256(gallery.fingerprint.encode())
    if groups is not None:
        codes = searching.for_retrieval(groups).codes
        assert codes is not None
        digest.update(
            groups.attribute.encode()
            + b"|".join(n.encode() for n in groups.names)
            + codes.tobytes()
        )
    return digest.hexdigest()[:16]


def place(index: Index, gallery: Gallery, groups: Groups | None) -> Path:
    """The folder of an index beside its vectors."""
    assert gallery.folder is not None
    slug = "".join(c if c.isalnum() else "-" for c in str(index)).strip("-")
    return gallery.folder / INDEXES / f"{slug}-{owner(gallery, groups)}"


def _encoded(encoder: Any, texts: Sequence[str], images: Sequence[Any]) -> Embeddings:
    """One call for all texts, one for all pictures."""
    parts = [] if not texts else [encoder.texts(tuple(texts), "query")]
    if images:
        parts.append(encoder.images([open_image(i, encoder) for i in images], "query"))
    if len(parts) == 1:
        return parts[0]
    if any(p.offsets is not None for p in parts):
        raise UsageError(
            "Words and pictures cannot be asked together of a model with many vectors an item.",
            "Ask one after the other.",
        )
    return Embeddings(np.concatenate([p.vectors for p in parts]))


def _model(encoder: Any) -> dict[str, Any]:
    about = getattr(encoder, "about", None)
    return (
        about() if about is not None else {"spec": str(encoder), "fingerprint": encoder.fingerprint}
    )


def _with_time(variant: Variant, encode: float, project: float | None) -> Variant:
    spent = {"encode": encode, **({} if project is None else {"project": project}), **variant.ms}
    return replace(variant, ms={**spent, "total": sum(spent.values())})


def _refuse_empty(texts: Sequence[str]) -> None:
    if not all(text.strip() for text in texts):
        raise UsageError("A query has no words in it.", "Say what to look for, or leave it out.")


def _filled(gallery: Gallery) -> Gallery:
    """The gallery, unless nothing is in it."""
    if not len(gallery.collection):
        path = gallery.manifest.get("source", {}).get("path", "The collection")
        raise DataError(
            f"{path} has nothing to search.",
            skipped_note(gallery) or "Give a folder with pictures in it.",
        )
    return gallery


def _capped(
    plan: SearchPlan, metrics: tuple[Any, ...], size: int
) -> tuple[SearchPlan, tuple[Any, ...], list[str]]:
    """The plan with at most all of the collection shown, what is then measured by default, and a
    note where more was asked for.
    """
    if plan.k <= size:
        return plan, metrics, []
    capped = plan.model_copy(update={"k": size})
    return (
        capped,
        metrics if plan.metric else _default_metrics(size),
        [f"k is {size:,}, not {plan.k:,}: the collection has no more."],
    )


def _default_metrics(k: int) -> tuple[Any, ...]:
    return tuple(registry.make("metric", f"{name}@{k}") for name in DEFAULT_METRICS)


def _warm(
    plan: SearchPlan,
    encoder: Any,
    shelf: searching.Shelf,
    gallery: Gallery,
    progress: Progress | None,
) -> None:
    """Load what the first search would load, so that its time is its own."""
    ready(
        encoder,
        (
            *(("texts",) if plan.text or not plan.image else ()),
            *(("images",) if plan.image else ()),
        ),
        progress,
    )
    if plan.text and not hasattr(
        encoder, "about"
    ):  # the others loaded, and would count a text more
        encoder.texts(plan.text[:1], "query")
    shelf.index.search(
        gallery.embeddings.take(np.array([0])),
        plan.k,
        None if shelf.mitigate is None else shelf.mitigate[0],
    )


def _made(plan: SearchPlan) -> tuple[Any, Index, tuple[Mitigation, ...], tuple[Any, ...]]:
    faults: list[FairleadError] = []

    def make(kind: str, text: Any) -> Any:
        try:
            return mitigation_of(text) if kind == "mitigation" else registry.make(kind, text)
        except FairleadError as error:
            faults.append(error)
            return None

    encoder, index = make("encoder", plan.model), make("index", plan.index)
    mitigations = tuple(dict.fromkeys(make("mitigation", text) for text in plan.mitigate))
    metrics = tuple(
        dict.fromkeys(make("metric", text) for text in plan.metric)
    ) or _default_metrics(plan.k)
    faults += [
        UsageError(f"{m} needs relevance judgements, which a search has not.")
        for m in metrics
        if m and "relevant" in m.needs
    ]
    if faults:
        raise together(faults)
    return encoder, index, mitigations, metrics


def _fits(
    plan: SearchPlan,
    encoder: Any,
    gallery: Gallery,
    mitigations: Sequence[Mitigation],
    measure: Mapping[str, Labelled],
    out: LeaveOut | None,
    progress: Progress | None,
) -> dict[str, Fitted]:
    """The projections, by their text: read from their files, or fitted beside what is searched."""
    fits = dict[str, Fitted]()
    annotator = named(plan.mitigate_groups) if isinstance(plan.mitigate_groups, str) else None
    for one in mitigations:
        if one.projection is None or str(one.projection) in fits:
            continue
        name = next(iter((*(plan.attribute or ()), *measure)), None)
        if name is None and isinstance(one.projection, Saved):
            fits[str(one.projection)] = read_fitted(one.projection.path, encoder)
            continue
        if name is None:
            raise UsageError(
                f"Nobody says what {one.projection} is to mitigate.",
                "Name it with --attribute, e.g. gender.",
            )
        groups, ids = measure[name].groups.names if name in measure else (), gallery.collection.ids
        own: dict[str, Any] = {
            "attribute": name,
            "names": groups,
            "ids": ids,
            "annotator": annotator,
            "leave_out": out,
        }
        fits[str(one.projection)] = cast(
            Fitted, fitted(one, encoder, plan.collection, **own, progress=progress)
        )
    return fits


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


def _refuse_exclusion(
    plan: SearchPlan, mitigate: tuple[str, Labelled] | None, mitigations: Sequence[Mitigation]
) -> None:
    """Refuse targets and rerankers whose only effect is to leave a group out."""
    stated = not isinstance(plan.target, str) or plan.target not in ("uniform", "pool")
    for one in mitigations:
        if one.reranker is not None and mitigate is not None:
            groups, target = mitigate[1].groups, mitigate[1].target
            refuse(
                groups, target.shares if stated else None, groups.mass()[0][None], (), one.reranker
            )


def _annotators(plan: SearchPlan, mitigations: Sequence[Mitigation]) -> list[Any]:
    """Who says which group an item shows, where a plan names an annotator: who measures and, where
    lists are mitigated, who mitigates.
    """
    sources = (plan.groups, plan.mitigate_groups if mitigations else None)
    return [named(source) if isinstance(source, str) else source for source in sources]


def _warnings(
    plan: SearchPlan,
    encoder: Any,
    gallery: Gallery,
    measure: Mapping[str, Labelled],
    mitigate: tuple[str, Labelled] | None,
) -> tuple[str, ...]:
    notes = [
        *gallery.manifest.get("warnings", ()),
        *((said,) if (said := skipped_note(gallery)) else ()),
    ]
    if encoder.name.startswith("phantom") and not gallery.drawn:
        notes.append(_NOT_DRAWN + " Choose a --model for photos, e.g. lite.")
    if mitigate is not None and mitigate[1].groups.source == measure[mitigate[0]].groups.source:
        notes.append(
            "The labels that mitigate are the labels that measure: real mitigation has "
            "to guess. See --mitigate-groups."
        )
    mitigating = () if mitigate is None else (mitigate[1].groups.source,)
    notes += circularities([one.groups.source for one in measure.values()], mitigating, encoder)
    return tuple(dict.fromkeys(notes))
