"""One's own data, wherever the files lie, and the study that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairlead.benchmarks.own.checking import check_data
from fairlead.benchmarks.own.tables import BLOCKS, ROLE, ROLES
from fairlead.errors import DataError, FairleadError, UsageError, together
from fairlead.store.faults import FileFault
from fairlead.store.ids import Universe
from fairlead.store.labels import RunLabels, read_groups
from fairlead.store.qrels import Qrels, read_qrels
from fairlead.store.queries import read_queries
from fairlead.store.runs import ITEM_ALIASES, QUERY_ALIASES, Run
from fairlead.store.sources.entries import SourceEntry
from fairlead.store.sources.items import read_items
from fairlead.store.tables import Header, read_table
from fairlead.store.targets import TargetShares, read_target
from fairlead.types import Collection, Groups, Queries, Ranking, Relevant, Sets, Study
from fairlead.types.ragged import offsets_of
from fairlead.words.counts import counted

SHOWN = 20
"""How many items a list shows, by default."""
TARGETS = ("uniform", "pool", "relevant")
CLUSTERS = ("cluster", "clusters", "pair")
"""Tags whose queries do not stand for themselves, by default the first that is there."""
BY = ("language", "country", "culture")
"""Tags by which results are also told apart, by default."""
# With all its parts: the ratio alone mixes preference with not reading the language.
_FORCED = (
    "SelfPreference",
    *(f"SelfPreference(part={part})" for part in ("sem", "cul", "non", "errors", "nearer")),
)
_UNSTATED = "not stated"
# A table with another kind of ids has a fault on every line.
_MOST_TOLD = 100


@dataclass(frozen=True)
class Choices:
    """How one's own data are measured; what is left out has a default.

    Attributes:
        k: How many items a list shows.
        metrics: What is measured.
        attributes: What is looked at; everything that the labels tell, by default.
        by: Tags by whose values the results are also told apart.
        clusters: The tag whose queries do not stand for themselves.
        asks: Who searches, where a query has both a text and a picture.
    """

    k: int | None = None
    metrics: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    clusters: str = ""
    asks: Literal["auto", "text", "image"] = "auto"


@dataclass(frozen=True, eq=False)
class OwnData:
    """One's own data, named file by file.

    Attributes:
        collection: What is searched: a folder of pictures, a table of pictures or captions, an
            archive, an embedded folder, or a collection.
        queries: What is asked: a file (see ``store.queries``), or queries.
        groups: Labels of the items: a table, or ``{item: {attribute: label}}``; the columns of the
            collection by default.
        qrels: What is relevant, as ``score`` reads it.
        target: ``uniform``, ``pool``, ``relevant``, or stated shares: a file or a mapping.
        candidates: A table with ``query, item`` of what each query ranks, where it ranks not all;
            every other column labels the candidate for that query, such as ``role``.
        choices: How the answers are measured.
        name: What the data are called.
        card: Name, revision, licence, citation, how to obtain.
        strays: Notes on files beside these that are not read.
        rename: New names of groups, which the target goes by.
    """

    collection: Any
    queries: Any
    groups: Any = None
    qrels: Any = None
    target: Any = "uniform"
    candidates: Any = None
    choices: Choices = field(default_factory=Choices)
    name: str = "own data"
    card: Mapping[str, str] = field(default_factory=dict)
    strays: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)

    def study(self) -> Study:
        """The study of these files.

        Raises:
            DataError: Where anything is wrong with them: all of it, with file and line.
        """
        try:
            return self.assembled()
        except (DataError, UsageError) as error:
            raise self._every(error) from error

    def faults(self) -> tuple[FileFault, ...]:
        """Everything that is wrong with these files, with file and line; grave faults first."""
        return check_data(self)

    @cached_property
    def items(self) -> tuple[Collection, tuple[SourceEntry, ...]]:
        """The collection, and the entries of its source that cannot be used."""
        if isinstance(self.collection, Collection):
            return self.collection, ()
        return read_items(self.collection)

    @cached_property
    def asked(self) -> Queries:
        """The queries."""
        if isinstance(self.queries, Queries):
            return self.queries
        return read_queries(self.queries)

    @cached_property
    def stated(self) -> TargetShares:
        """Target shares that a user states; empty where they are to be computed."""
        if isinstance(self.target, str) and self.target in TARGETS:
            return {}
        return read_target(self.target)

    @property
    def target_name(self) -> str:
        """The text form of the target, or the name of its file."""
        if isinstance(self.target, str) and self.target in TARGETS:
            return self.target
        if isinstance(self.target, (str, Path)):
            return Path(self.target).name
        return "given"

    def sets(self) -> Sets | None:
        """The candidates of each query, in the order of the queries; None where all items are
        candidates.
        """
        if self.candidates is None:
            return None
        table = read_table(self.candidates, _pair)
        (query_ids, asks), (names, codes) = table.ids.values()
        query = Universe.of(self.asked.ids).rows(query_ids.values)[asks].astype(np.int64)
        row = Universe.of(self.items[0].ids).rows(names.values)[codes].astype(np.int64)
        if (query < 0).any() or (row < 0).any():
            at = int(np.flatnonzero((query < 0) | (row < 0))[0])
            raise DataError(
                f"{table.place(at)}: there is no such query or item.",
                "Spell ids as in the queries and the collection.",
            )
        # Tables need not be sorted by query; within one, candidates stay as they are listed.
        order = np.argsort(query, kind="stable")
        sizes = np.bincount(query, minlength=len(self.asked))
        return Sets(offsets_of(sizes), row[order])

    def assembled(self) -> Study:
        """The study of these files; raises the first fault."""
        collection, queries, sets = self.items[0], self.asked, self.sets()
        whole = self.run(None)
        labels = self._labels(whole, sets)
        roles = self._roles(sets)
        if labels is not None and labels.aligned:
            roles |= labels.attributes
        blocks = None
        if labels is not None and not labels.aligned:
            rows = np.arange(len(collection))
            groups = {name: one.take(rows) for name, one in labels.attributes.items()}
            # The table may label more than the collection holds; those are the rows behind.
            if labels.blocks is not None:
                blocks = labels.blocks[rows]
            collection = replaced(collection, groups={**collection.groups, **groups})
        # The roles are what a forced choice is about; labels of its items stand beside.
        attributes = tuple(roles)
        if labels is not None and not is_forced(roles):
            attributes = tuple(dict.fromkeys((*roles, *labels.attributes)))
        judged = None
        relevant = _meant(sets, roles)
        if self.qrels is not None:
            judged = read_qrels(self.qrels, whole)
            relevant = _among(judged, len(collection))
        choices = self._chosen(queries, relevant, roles, len(collection))
        return Study(
            self.name,
            collection,
            replaced(queries, relevant=relevant, candidates=sets),
            choices.metrics,
            k=choices.k or SHOWN,
            target=self.target_name,
            blocks=blocks,
            modality=modality(collection, queries, self.choices.asks),
            roles=roles,
            attributes=self.choices.attributes or attributes,
            by=choices.by,
            clusters=choices.clusters,
            card=self._card(),
            stated=self.stated,
            notes=self._notes(labels, judged),
            files=self.files,
            follows_k=not self.choices.metrics and not is_forced(roles),
        )

    @property
    def files(self) -> dict[str, Path]:
        """The files among these data, by what they say."""
        parts = ("queries", "groups", "qrels", "target", "candidates")
        paths = {name: getattr(self, name) for name in parts}
        return {
            name: Path(path).expanduser()
            for name, path in paths.items()
            if isinstance(path, (str, Path)) and path not in TARGETS
        }

    def run(self, sets: Sets | None) -> Run:
        """The candidates as a run without scores, into which labels and judgements are read."""
        collection, queries = self.items[0], self.asked
        size = len(collection)
        # The first query ranks all items, the others none. Every item must stand in some list, for
        # labels and judgements to be read by id; queries times items would not fit.
        if sets is None:
            offsets = size * (np.arange(len(queries) + 1) > 0)
            sets = Sets(offsets, np.arange(size))
        ranking = Ranking(sets.offsets, sets.rows, np.zeros(len(sets.rows)))
        return Run(ranking, queries.ids, Universe.of(collection.ids), name="the collection")

    def _labels(self, whole: Run, sets: Sets | None) -> RunLabels | None:
        """The labels of the items or, where the table has queries, of the candidates."""
        if self.groups is None:
            return None
        attributes = self.choices.attributes or None
        columns = columns_of(self.groups)
        if columns is None:
            return read_groups(self.groups, whole, attributes)
        blocks = next((name for name in BLOCKS if name in columns.columns), None)
        if columns.find("query", QUERY_ALIASES) is None:
            return read_groups(self.groups, whole, attributes, blocks=blocks)
        if sets is None:
            raise DataError(
                f"{columns.name} labels items for single queries.",
                "Name the candidates of each query too, or leave out 'query'.",
            )
        return read_groups(self.groups, self.run(sets), attributes, blocks=blocks)

    def _roles(self, sets: Sets | None) -> dict[str, Groups]:
        """Labels in the table of candidates."""
        if sets is None:
            return {}
        columns = columns_of(self.candidates)
        if columns is None or not other_columns(columns):
            return {}
        return dict(read_groups(self.candidates, self.run(sets)).attributes)

    def _chosen(
        self, queries: Queries, relevant: Relevant | None, roles: Mapping[str, Groups], size: int
    ) -> Choices:
        """The choices, with the defaults for what is left out."""
        choices, forced = self.choices, is_forced(roles)
        shown = SHOWN
        # A trial has three candidates, and all of them are looked at.
        if forced:
            shown = len(ROLES)
        k = choices.k or min(shown, size)
        metrics = _FORCED
        if not forced:
            metrics = self._metrics(k, relevant)
        clusters = next((tag for tag in CLUSTERS if tag in queries.tags), "")
        by = tuple(tag for tag in BY if tag in queries.tags)
        return replaced(
            choices,
            k=k,
            metrics=choices.metrics or metrics,
            by=choices.by or by,
            clusters=choices.clusters or clusters,
        )

    def _metrics(self, k: int, relevant: Relevant | None) -> tuple[str, ...]:
        """The metrics by default."""
        bias = f"AbsBias@{k}"
        # AbsBias only knows parity, so another target is measured by the distance to it.
        if self.target_name != "uniform":
            bias = f"TV@{k}"
        judged: tuple[str, ...] = ()
        if relevant is not None:
            judged = (f"nDCG@{k}", f"P@{k}", f"Recall@{k}")
        return (f"NDKL@{k}", bias, *judged)

    def _card(self) -> dict[str, str]:
        defaults = {"name": self.name, "obtain": "data of your own"}
        unknown = dict.fromkeys(("revision", "licence", "citation"), _UNSTATED)
        return {**unknown, **defaults, **self.card}

    def _notes(self, labels: RunLabels | None, judged: Qrels | None) -> tuple[str, ...]:
        """What a reader must know; ``check`` names the lines."""
        collection, faulty = self.items
        notes = list(self.strays)
        if faulty:
            notes.append(f"{counted(len(faulty), 'item')} cannot be used and is left out.")
        for what, table in (("labels", labels), ("judgements", judged)):
            if table is None:
                continue
            strange = len(table.items) - len(collection)
            if strange:
                of = counted(strange, "item")
                notes.append(f"{table.name} has {what} of {of} that the collection lacks.")
        if judged is not None and judged.judged < len(self.asked):
            count = counted(len(self.asked) - judged.judged, "query")
            notes.append(f"{judged.name} judges nothing relevant to {count}.")
        return tuple(notes)

    def _every(self, error: FairleadError) -> FairleadError:
        """All faults, where the files have more than the first one."""
        # The files are read once more, for all that is wrong: a reader stops at its first fault.
        faults = [DataError(f.message, f.hint) for f in check_data(self) if f.grave]
        if not faults:
            return error
        errors = list[FairleadError](faults[:_MOST_TOLD])
        if len(faults) > _MOST_TOLD:
            errors.append(DataError(f"{len(faults) - _MOST_TOLD} more faults are not listed."))
        return together(errors)


def modality(
    collection: Collection, queries: Queries, asks: str = "auto"
) -> Literal["text-to-image", "image-to-text"]:
    """Who searches whom.

    Raises:
        DataError: Where neither words can search pictures nor pictures words.
    """
    # Items that came as vectors alone may show neither: words ask for them as for pictures.
    shows = collection.images is not None or collection.texts is None
    by_text = queries.texts is not None and shows
    by_image = queries.images is not None and collection.texts is not None
    if by_text and asks != "image":
        return "text-to-image"
    if by_image and asks != "text":
        return "image-to-text"
    has = "pictures" if shows else "captions"
    words = "words" if queries.texts is not None else "pictures"
    raise DataError(
        f"The queries ask with {words}, and the collection holds {has}.",
        "Words search pictures, and pictures search captions.",
    )


def _among(judged: Qrels, size: int) -> Relevant:
    """The relevant items that are in the collection, whose items are the first ``size``."""
    keep = judged.relevant.rows < size
    owner = np.repeat(np.arange(len(judged.relevant)), np.diff(judged.relevant.offsets))[keep]
    sizes = np.bincount(owner, minlength=len(judged.relevant))
    return Relevant(offsets_of(sizes), judged.relevant.rows[keep], judged.relevant.gains[keep])


def _meant(sets: Sets | None, roles: Mapping[str, Groups]) -> Relevant | None:
    """In a forced choice without judgements, the candidate with the same meaning is relevant."""
    if sets is None or not is_forced(roles):
        return None
    same = np.flatnonzero(roles[ROLE].codes == roles[ROLE].names.index(ROLES[0]))
    owner = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))[same]
    return Relevant(offsets_of(np.bincount(owner, minlength=len(sets))), sets.rows[same])


def is_forced(roles: Mapping[str, Groups]) -> bool:
    """Whether every query is a forced choice between candidates with roles."""
    return ROLE in roles and set(ROLES) <= set(roles[ROLE].names)


def other_columns(columns: Header) -> tuple[str, ...]:
    """The columns of a table of candidates that label them."""
    roles = {columns.find("query", QUERY_ALIASES), columns.find("item", ITEM_ALIASES)}
    return tuple(column for column in columns.columns if column not in roles)


def columns_of(source: Any) -> Header | None:
    """The columns of a table; None for labels that come as a mapping of items."""
    if isinstance(source, Mapping) and all(isinstance(v, Mapping) for v in source.values()):
        return None
    # Only the header is wanted; one column is read, as a table must have one.
    headers: list[Header] = []

    def pick(header: Header) -> Any:
        headers.append(header)
        return {header.columns[0]: "any"}

    read_table(source, pick)
    return headers[0]


def _pair(header: Header) -> Any:
    query = header.need("query", QUERY_ALIASES)
    return {query: "id", header.need("item", ITEM_ALIASES): "id"}
