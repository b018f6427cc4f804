"""Assembly of labels: who says which group an item shows. The benchmark's own labels, an annotator's, or those of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from fairlead import registry
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.store.fingerprints import fingerprint
from fairlead.store.ids import Universe
from fairlead.store.labels import read_groups
from fairlead.store.runs import Run
from fairlead.types import Groups, Ranking, Study, cross


@dataclass(frozen=True, eq=False)
class Labelled:
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
        return {} if self.path is None else {"groups": fingerprint(self.path)}

    @property
    def warnings(self) -> list[str]:
        """What a file does not label."""
        name = "" if self.path is None else self.path.name
        missing = {a: c["missing"] for a, c in self.coverage.items() if c["missing"] >= 0.0005}
        return [f"{100 * share:.1f} % of the items have no row in {name} for '{a}' and count as unknown." for a, share in missing.items()]


def named(source: str | None) -> Any:
    """The annotator a text names, or the path of the file it is; None stays None."""
    if source is None:
        return None
    known = registry.entries("annotator")
    if source.partition("(")[0].partition(":")[0].strip() in known:
        return registry.make("annotator", source)
    path = Path(source).expanduser()
    if path.is_file():
        return path
    hint = unknown_name("annotator", source, known).hint
    raise UsageError(f"There is neither an annotator nor a file of labels called '{source}'.", hint)


def labelled(study: Study, source: Any, attributes: tuple[str, ...] | None) -> Labelled:
    """The study with labels from an annotator or a file (see ``named``); with its own where there is none."""
    if source is None:
        return Labelled(study)
    return _read(study, source, attributes) if isinstance(source, Path) else Labelled(_annotated(study, source))


def _annotated(study: Study, annotator: Any) -> Study:
    """Every attribute as the annotator tells it; an intersection is that of its parts as told."""
    ids, own = study.collection.ids, study.collection.groups
    told = {name: annotator(groups, ids) for name, groups in own.items() if not _crossed(name, own)}
    groups = {name: told[name] if name in told else reduce(cross, (told[p] for p in name.split("*"))) for name in own}
    roles = {name: annotator(groups, _pairs(study)) for name, groups in study.roles.items()}
    return replace(study, collection=replace(study.collection, groups=groups), roles=roles)


def _crossed(name: str, known: Mapping[str, Groups]) -> bool:
    return "*" in name and all(part in known and "*" not in part for part in name.split("*"))


def _pairs(study: Study) -> tuple[str, ...]:
    """What each candidate of each query is called: labels that depend on the query are of both together."""
    candidates = study.queries.candidates
    assert candidates is not None
    ids = study.collection.ids
    return tuple(f"{query} {ids[row]}" for q, query in enumerate(study.queries.ids) for row in candidates.of(q))


def _read(study: Study, path: Path, attributes: tuple[str, ...] | None) -> Labelled:
    """The study with the labels of a file: of its items or, where candidates are fixed, of the candidates of each query."""
    candidates, size = study.queries.candidates, len(study.collection)
    fixed = candidates is not None and len(candidates) == len(study.queries)
    offsets, rows = (candidates.offsets, candidates.rows) if fixed and candidates is not None else (np.array([0, size]), np.arange(size))
    asked = study.queries.ids if fixed else ("*",)
    run = Run(Ranking(offsets, rows, np.zeros(len(rows))), asked, Universe.of(study.collection.ids), name=study.name)
    found = read_groups(path, run, attributes)
    if found.aligned and not fixed:
        raise DataError(
            f"{path.name} labels items for single queries.", f"{study.name} has no candidates of single queries; leave out 'query'."
        )
    groups = {n: replace(g if found.aligned else g.take(np.arange(size)), source=path.name) for n, g in found.attributes.items()}
    coverage = {name: vars(c) for name, c in found.coverage.items()}
    own = replace(study.collection, groups={} if found.aligned else groups)
    return Labelled(replace(study, collection=own, roles=groups if found.aligned else {}, attributes=()), coverage, path)
