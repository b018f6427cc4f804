"""``annotate compare``: labellers held against people, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.labels import named
from fairlead.engine.run_items import first_of, without
from fairlead.errors import UsageError
from fairlead.protocols import DetectingAnnotator, Progress, QueryAnnotator
from fairlead.store.labels import read_item_groups
from fairlead.store.leave_out import left_notes
from fairlead.studies.labellers import Comparison, Labeller, compare_labellers
from fairlead.types import Collection, Groups, Queries, Sets
from fairlead.types.joining import mapped, read_map, refuse_idle
from fairlead.words.counts import agreeing, part_of

# What a data frame is called: it has no name of its own.
_GIVEN = "given"


class ComparePlan(fields.Plan):
    """Compare labellers with people, query by query: how much each detects, and how far a group's
    ratio is off.

    Face services are not asked: their results are read from files. A file names its pictures: a
    folder of ITEM.json, lines {"item": ..., "response": ...}, or an object of responses by item.
    """

    positional = ("run", "human", "labellers")

    run: Annotated[
        fields.Run,
        Field(description="The ranking.", examples=["run.csv"]),
        fields.Cli(argument=True, file=True),
    ]
    human: Annotated[
        fields.Labels,
        Field(
            description="What people say: human:labels.db, or a table of labels.",
            examples=["human:labels.db"],
        ),
        fields.Cli(metavar="SOURCE"),
    ]
    labellers: Annotated[
        fields.Several[fields.Labels],
        Field(
            description=(
                "Labeller: a table of labels, or rekognition:FILE, azure:FILE, "
                "facepp:FILE, luxand:FILE; may be given again."
            ),
            examples=["labels.csv"],
        ),
        fields.Cli(flags=("--with",), metavar="SOURCE", kinds=("annotator",)),
    ]
    attribute: Annotated[
        str | None,
        Field(
            default=None,
            description="What is labelled; what people label, where that is one thing.",
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    map: fields.Map
    group: Annotated[
        str | None,
        Field(
            default=None,
            description="The group whose ratio is compared; the first by default.",
            examples=["female"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    k: Annotated[
        int,
        Field(default=200, ge=1, description="How many items of each query.", examples=[50]),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    threshold: Annotated[
        float,
        Field(
            default=0.5,
            ge=0,
            le=1,
            description=(
                "From this share of detected items on, a query is trusted; 0.5 as in the paper."
            ),
            examples=[0.8],
        ),
        fields.Cli(metavar="SHARE"),
    ]
    leave_out: fields.LeaveOut
    least: fields.Least
    seed: fields.Seed


def run(plan: ComparePlan, progress: Progress | None = None) -> Comparison:
    """How far each labeller is off."""
    labellers, k = plan.labellers, plan.k
    if not labellers:
        raise UsageError("There is nobody to compare with people.", "Name labellers with --with.")
    kept, left = without(plan.run, plan.leave_out)
    queries, lists, ids = first_of(kept, k)
    # Ids alone: labellers are files here, and files know items by name.
    items = Collection(tuple(ids))
    name, people = _human(plan.human, items, plan.attribute)
    sets = Sets(lists.offsets, lists.rows)
    # A run has no other words for a query than its id.
    asked = Queries(tuple(queries), texts=tuple(queries)), sets
    labelling = [_labeller(labeller, items, name, asked) for labeller in labellers]
    rename = read_map(plan.map)
    # Asked of all labellers together: a new name may be for one of them alone.
    refuse_idle(rename, [people, *(one.groups for one in labelling)], "the labellers")
    people = mapped(people, rename)
    labelling = [replace(one, groups=mapped(one.groups, rename)) for one in labelling]
    found = compare_labellers(
        queries,
        sets,
        people,
        _apart(labelling),
        k=k,
        group=plan.group,
        threshold=plan.threshold,
        least=plan.least,
        seed=plan.seed,
    )
    return replace(found, notes=(*found.notes, *left_notes(left)))


compare = as_function("compare_labellers", ComparePlan, run)


def _human(source: Any, items: Collection, attribute: str | None) -> tuple[str, Groups]:
    """The attribute, and what people say of it."""
    who = _who(source)
    if callable(who):
        known = tuple(who.attributes(items))
    else:
        known = tuple(read_item_groups(who, items.ids))
    if attribute is None and len(known) != 1:
        raise UsageError(
            f"{source} labels {', '.join(known) or 'nothing'}.", "Say which with --attribute."
        )
    name = attribute or known[0]
    return name, _told(who, items, name)


def _labeller(
    source: Any, items: Collection, attribute: str, asked: tuple[Queries, Sets]
) -> Labeller:
    """One labeller: its labels, where it found faces, and what its file does not know."""
    who = _who(source)
    name = _name(who)
    if isinstance(who, QueryAnnotator):
        labels = who.of_candidates(items, attribute, *asked)
        aligned = True
    else:
        labels = _told(who, items, attribute)
        aligned = False
    if not isinstance(who, DetectingAnnotator):
        return Labeller(name, labels, aligned=aligned)
    # A picture that a service was never asked about looks like one without a face.
    missing = who.missing(items)
    notes: tuple[str, ...] = ()
    if missing:
        words = agreeing(
            missing, "was never asked about and counts", "were never asked about and count"
        )
        notes = (f"{part_of(missing, len(items), 'item')} {words} as not detected.",)
    return Labeller(name, labels, who.detected(items), notes)


def _name(who: Any) -> str:
    """The short name of a labeller: its title, its text form, or the name of its file."""
    if isinstance(who, Path):
        return who.stem
    # Asked of annotators alone: a data frame may have a column called title.
    if callable(who):
        return getattr(who, "title", None) or str(who)
    return _GIVEN


def _apart(labellers: Sequence[Labeller]) -> list[Labeller]:
    """Labellers whose short names are the same are called by what they are in full."""
    names = [labeller.name for labeller in labellers]
    return [
        one if names.count(one.name) == 1 else replace(one, name=one.groups.source)
        for one in labellers
    ]


def _who(source: Any) -> Any:
    """An annotator that reads a file, a table, or a data frame."""
    who = source
    if isinstance(source, (str, Path)):
        who = named(str(source))
    # A run is all there is: no picture can be opened, and no caption read.
    if callable(who) and set(getattr(who, "needs", ())):
        hint = (
            f"Label them first: fairlead annotate COLLECTION --with {str(who)!r} -o FILE, and "
            "compare the file."
        )
        raise UsageError(
            f"{who} looks at the items themselves, and a run has their names alone.", hint
        )
    return who


def _told(who: Any, items: Collection, attribute: str) -> Groups:
    """The labels of an annotator, a table or a data frame."""
    if callable(who):
        groups: Groups = who(items, attribute)
        return groups
    source = _GIVEN
    if isinstance(who, Path):
        source = str(who)
    return replace(read_item_groups(who, items.ids, (attribute,))[attribute], source=source)
