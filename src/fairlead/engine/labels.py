"""Assembly of labels: who says which group an item shows. The benchmark's own labels, an
annotator's, or those of a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.annotators.asked import refuse_unseen
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.protocols import Annotator, Encoder, registry
from fairlead.store.fingerprints import fingerprint
from fairlead.store.ids import Universe
from fairlead.store.labels import read_groups
from fairlead.store.runs import Run
from fairlead.types import Collection, Groups, Ranking, Sets, Study, cross
from fairlead.types.joining import mapped

_TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".gz")
"""Names that are meant for a file, not for an annotator."""


@dataclass(frozen=True, eq=False)
class LabelledStudy:
    """A study with the labels somebody gives it.

    Attributes:
        study: The study; ``collection.groups`` and ``roles`` hold the labels.
        coverage: How much of what is ranked each attribute of a file labels.
        path: The file, where it is one.
    """

    study: Study
    coverage: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    path: Path | None = None

    @property
    def inputs(self) -> dict[str, Any]:
        """The file with its fingerprint, for the manifest."""
        if self.path is None:
            return {}
        return {"groups": fingerprint(self.path)}

    @property
    def warnings(self) -> list[str]:
        """What a file does not label."""
        name = ""
        if self.path is not None:
            name = self.path.name
        # Less would be told as 0.0 %.
        missing = {a: c["missing"] for a, c in self.coverage.items() if c["missing"] >= 0.0005}
        return [
            (
                f"{100 * share:.1f} % of the items have no row in {name} for '{a}' and count "
                "as unknown."
            )
            for a, share in missing.items()
        ]


def named(source: object) -> Any:
    """The annotator or the file that a text names; objects and None stay as they are."""
    if isinstance(source, Path):
        source = str(source)
    if not isinstance(source, str):
        return source
    # An annotator by its name alone; a file that is called like one is named with its folder.
    known = registry.entries("annotator")
    if source.partition("(")[0].partition(":")[0].strip() in known:
        return registry.make("annotator", source)
    path = Path(source).expanduser()
    if path.is_file():
        return path
    hint = unknown_name("annotator", source, known).hint
    if path.suffix.lower() in _TABLES or path.parent != Path("."):
        raise UsageError(
            f"There is no file {source}.",
            f"Give a table of labels that is there, or an annotator. {hint}",
        )
    raise UsageError(f"There is neither an annotator nor a file of labels called '{source}'.", hint)


def labelled(
    study: Study,
    source: Any,
    attributes: tuple[str, ...] | None,
    encoder: Encoder | None = None,
    rename: Mapping[str, str] | None = None,
) -> LabelledStudy:
    """The study with labels from an annotator, a file, a data frame or groups; with its own where
    there is no source.

    Args:
        study: Whose items, or candidates, are labelled.
        source: What ``named`` gives.
        attributes: What is asked for; all that the source labels by default.
        encoder: Sees the items, where the annotator needs one.
        rename: New names of groups, as ``types.joining.read_map`` gives them.
    """
    rename = rename or {}
    if source is None:
        return LabelledStudy(_renamed(study, rename))
    if isinstance(source, Groups):
        source = {source.attribute: source}
    if isinstance(source, Mapping) and all(isinstance(g, Groups) for g in source.values()):
        return LabelledStudy(_renamed(_given(study, source), rename))
    if callable(source):
        return LabelledStudy(_annotated(study, source, attributes, encoder, rename))
    return _read(study, source, attributes, rename)


def _renamed(study: Study, rename: Mapping[str, str]) -> Study:
    """The study with its groups under their new names."""
    if not rename:
        return study
    groups = {name: mapped(one, rename) for name, one in study.collection.groups.items()}
    roles = {name: mapped(one, rename) for name, one in study.roles.items()}
    return replace(study, collection=replace(study.collection, groups=groups), roles=roles)


def _given(study: Study, groups: Mapping[str, Groups]) -> Study:
    """The study with labels that the caller brings, one for each item."""
    for name, one in groups.items():
        if len(one) != len(study.collection):
            raise DataError(
                f"'{name}' labels {len(one)} items, {study.name} has {len(study.collection)}.",
                "Give one label for each item, in the order of the collection.",
            )
    own = replace(study.collection, groups=dict(groups))
    return replace(study, collection=own, roles={}, attributes=())


def told(
    annotator: Annotator,
    collection: Collection,
    attributes: Sequence[str] | None = None,
    encoder: Encoder | None = None,
    rename: Mapping[str, str] | None = None,
) -> dict[str, Groups]:
    """What an annotator says of a collection; an intersection is that of its parts as told.

    Args:
        annotator: Who says so.
        collection: The items.
        attributes: What is asked for; by default those the collection has and the annotator can
            tell, or all it can tell.
        encoder: Sees the collection's references, where the annotator needs one.
        rename: New names of groups; those of an intersection are those of its parts.
    """
    can = annotator.attributes(collection)
    own = [name for name in collection.groups if name in can or _crossed(name, can)]
    if not (attributes or own or can):
        raise UsageError(
            f"{annotator} labels whatever it is asked for.", "Name it with --attribute."
        )
    wanted: dict[str, tuple[str, ...]] = {name: (name,) for name in attributes or own or can}
    wanted |= {name: tuple(name.split("*")) for name in wanted if _crossed(name, can)}
    # What no picture shows is refused before any picture is looked at.
    for name in wanted:
        refuse_unseen(annotator, name)
    # Each part is asked once, however many intersections it is in.
    parts = {
        part: mapped(annotator(collection, part, encoder), rename or {})
        for part in dict.fromkeys(p for names in wanted.values() for p in names)
    }
    return {name: reduce(cross, (parts[p] for p in names)) for name, names in wanted.items()}


def _annotated(
    study: Study,
    annotator: Annotator,
    attributes: Sequence[str] | None,
    encoder: Encoder | None,
    rename: Mapping[str, str],
) -> Study:
    """The study as the annotator tells it: its items and, where labels depend on the query, the
    candidates of each.
    """
    asked = attributes or (*study.collection.groups, *study.roles)
    of_pairs = [name for name in asked if name in study.roles]
    of_items = [name for name in asked if name not in study.roles]
    roles, groups = dict[str, Groups](), dict[str, Groups]()
    if of_pairs:
        pairs = Collection(_pairs(study), groups=study.roles)
        roles = told(annotator, pairs, of_pairs, encoder, rename)
    if of_items or not of_pairs:
        # Unless somebody named attributes, those the annotator can tell are its own choice.
        asked_of_items = None
        if attributes:
            asked_of_items = of_items
        groups = told(annotator, study.collection, asked_of_items, encoder, rename)
    return replace(study, collection=replace(study.collection, groups=groups), roles=roles)


def _crossed(name: str, known: Sequence[str]) -> bool:
    return "*" in name and all(part in known and "*" not in part for part in name.split("*"))


def _pairs(study: Study) -> tuple[str, ...]:
    """What each candidate of each query is called: labels that depend on the query are of both
    together.
    """
    candidates = study.queries.candidates
    assert candidates is not None
    ids = study.collection.ids
    return tuple(
        f"{query} {ids[row]}"
        for q, query in enumerate(study.queries.ids)
        for row in candidates.of(q)
    )


def _read(
    study: Study, source: Any, attributes: tuple[str, ...] | None, rename: Mapping[str, str]
) -> LabelledStudy:
    """The study with the labels of a file or a data frame.

    They are of its items or, where candidates are fixed, of the candidates of each query.
    """
    # The reader of labels knows runs: all items are one list of a query that nobody asked.
    candidates, size = study.queries.candidates, len(study.collection)
    lists = Sets(np.array([0, size]), np.arange(size))
    queries: tuple[str, ...] = ("*",)
    fixed = candidates is not None and len(candidates) == len(study.queries)
    if candidates is not None and fixed:
        lists, queries = candidates, study.queries.ids
    ranking = Ranking(lists.offsets, lists.rows, np.zeros(len(lists.rows)))
    run = Run(ranking, queries, Universe.of(study.collection.ids), name=study.name)
    labels = read_groups(source, run, attributes, rename=rename)
    path, name = None, "given"
    if isinstance(source, Path):
        path, name = source, source.name
    if labels.aligned and not fixed:
        raise DataError(
            f"{name} labels items for single queries.",
            f"{study.name} has no candidates of single queries; leave out 'query'.",
        )
    groups, roles = dict[str, Groups](), dict[str, Groups]()
    for attribute, one in labels.attributes.items():
        if labels.aligned:
            roles[attribute] = replace(one, source=name)
        else:
            # A file may label more than there is; those rows stand behind the items.
            groups[attribute] = replace(one.take(np.arange(size)), source=name)
    coverage = {attribute: vars(one) for attribute, one in labels.coverage.items()}
    own = replace(study.collection, groups=groups)
    return LabelledStudy(replace(study, collection=own, roles=roles, attributes=()), coverage, path)
