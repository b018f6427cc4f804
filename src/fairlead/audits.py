"""Assembly of audits: a model and a benchmark by name, the whole road from text to report, and the folder that replays it."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from fairlead import __version__, registry
from fairlead.errors import DataError, FairleadError, UsageError, together, unknown_name
from fairlead.phantom.references import is_drawing, pixels
from fairlead.plan import AuditPlan
from fairlead.protocols import Progress
from fairlead.ragged import Array
from fairlead.report.results import ScoreResult
from fairlead.report.strips import Line, Shown, Strip
from fairlead.saving import PAGES, score_place, write_folder
from fairlead.store.atomic import atomic_folder
from fairlead.store.writing import write_ranking
from fairlead.tasks import audit as auditing
from fairlead.tasks.score import Settings
from fairlead.types import Groups, Study


def audit(model: str = "phantom", benchmark: str = "phantom", *, progress: Progress | None = None, **choices: Any) -> auditing.Audit:
    """Audit a model on a benchmark, plain and mitigated; see ``AuditPlan`` for the choices.

    >>> found = audit("phantom_ideal(dose=0.8)", "phantom(seeds=4)", metric="AbsBias@10", attribute="gender")
    >>> found.result.rows[0].excess > 0
    True
    """
    plan = cast(AuditPlan, AuditPlan.of(model=model, benchmark=benchmark, **choices))
    encoder, study, metrics, rerankers, annotator = _made(plan)
    study = _narrowed(study, plan)
    index = registry.make("index", plan.index)
    ranking = auditing.rank(study, encoder, index, progress)
    mitigate = None if not rerankers else _mitigating_labels(study, plan, annotator)
    settings = Settings(plan.null, plan.unknown, plan.interval, None, plan.seed)
    found = auditing.audit(study, ranking, metrics, rerankers=rerankers, mitigate=mitigate, settings=settings, progress=progress)
    about = _manifest(plan, study, encoder, mitigate)
    return replace(found, result=replace(found.result, manifest=about))


def save_audit(found: auditing.Audit, path: str | Path) -> Path:
    """Write an audit: a folder (manifest, scores, values per query, rankings, page), a page or a JSON file. Whole or not at all."""
    with audit_place(path) as write:
        write(found)
    return Path(path)


@contextmanager
def audit_place(path: str | Path | None) -> Iterator[Callable[[auditing.Audit], None]]:
    """A function that writes an audit to its place, which is checked on entering; None writes nothing."""
    if path is None or Path(path).suffix.lower() in (*PAGES, ".json"):
        with score_place(path) as write:
            yield lambda found: write(found.result, () if path is None else strips(found))
        return
    with atomic_folder(path) as folder:
        yield lambda found: _write(found, folder)


def _write(found: auditing.Audit, folder: Path) -> None:
    write_folder(found.result, folder, strips(found))
    (folder / "rankings").mkdir()
    for number, (name, ranking) in enumerate(found.rankings.items()):
        place = folder / "rankings" / f"{number}-{_file_name(name)}.parquet"
        write_ranking(place, _head(ranking, 200), found.study.queries.ids, found.study.collection.ids, tag=name)


def strips(found: auditing.Audit, *, queries: int = 3, shown: int = 10, size: int = 96) -> list[Strip]:
    """The first pictures of the most biased queries in every variant; none where the collection cannot be drawn."""
    collection, asked = found.study.collection, found.study.queries
    attribute = next(iter(collection.groups), None)
    if attribute is None or collection.images is None or not all(is_drawing(image) for image in collection.images):
        return []
    groups = collection.groups[attribute]

    def line(variant: str, query: int) -> Line:
        rows = auditing.head(found.rankings[variant], query, shown)
        pictures = [_picture(p) for p in pixels([collection.images[r] for r in rows], size)]  # type: ignore[index]
        return Line(variant, tuple(Shown(p, _group(groups, int(r))) for p, r in zip(pictures, rows, strict=True)))

    return [
        Strip(asked.ids[q] if asked.texts is None else asked.texts[q], attribute, groups.names, tuple(line(v, q) for v in found.rankings))
        for q in _most_biased(found.result, attribute)[:queries]
    ]


def _most_biased(result: ScoreResult, attribute: str) -> list[int]:
    """The queries by how far the plain ranking lies from chance, by the first measure of the attribute, worst first."""
    part = next((v for v in result.values if v.attribute == attribute and v.null_mean is not None), None)
    if part is None or part.null_mean is None:
        return []
    direction = next(row.direction for row in result.rows if (row.metric, row.attribute) == (part.metric, part.attribute))
    excess = part.value - part.null_mean
    worse = {"lower": excess, "higher": -excess, "either": np.abs(excess)}[direction]
    return [int(q) for q in np.argsort(-worse, kind="stable") if np.isfinite(worse[q])]


def _group(groups: Groups, row: int) -> int | None:
    """The group of an item; of soft labels the most probable one, where it is likelier than not."""
    if groups.codes is not None:
        return int(groups.codes[row]) if groups.codes[row] >= 0 else None
    assert groups.soft is not None
    best = int(groups.soft[row].argmax())
    return best if groups.soft[row, best] > 0.5 else None


def _picture(pixels_: Array) -> str:
    """A picture as a ``data:`` address."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels_).save(file, "JPEG", quality=88, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()


def replay(path: str | Path, *, progress: Progress | None = None) -> auditing.Audit:
    """Run an audit again from its folder's manifest."""
    place = Path(path) / "manifest.json"
    try:
        plan = json.loads(place.read_text(encoding="utf-8"))["plan"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{path} is no folder of an audit: {place.name} cannot be read.", "Give the folder that --out wrote.") from error
    return audit(progress=progress, **plan)


def _made(plan: AuditPlan) -> tuple[Any, Study, list[Any], list[Any], Any]:
    """Every object the plan names; all unknown names are told together."""
    faults: list[FairleadError] = []

    def make(kind: str, text: Any) -> Any:
        try:
            return registry.make(kind, text)
        except FairleadError as error:
            faults.append(error)
            return None

    encoder, benchmark = make("encoder", plan.model), make("benchmark", plan.benchmark)
    rerankers = [make("reranker", text) for text in plan.mitigate]
    annotator = None if plan.mitigate_groups is None else make("annotator", plan.mitigate_groups)
    study = None if benchmark is None else benchmark.study()
    metrics = [make("metric", text) for text in (plan.metric or (() if study is None else study.metrics))]
    if faults:
        raise together(faults)
    return encoder, cast(Study, study), list(dict.fromkeys(metrics)), rerankers, annotator


def _narrowed(study: Study, plan: AuditPlan) -> Study:
    """The study with the attributes asked for, and the number of shown items."""
    groups = dict(study.collection.groups)
    for name in plan.attribute or ():
        if name not in groups:
            raise unknown_name(f"attribute of {study.name}", name, groups)
    kept = {name: groups[name] for name in plan.attribute or groups}
    k = study.k if plan.k is None else plan.k
    if k < 1:
        raise UsageError(f"k got {k}.", "Show at least one item.")
    return replace(study, collection=replace(study.collection, groups=kept), k=k)


def _mitigating_labels(study: Study, plan: AuditPlan, annotator: Any) -> tuple[str, Groups]:
    """What the rerankers see: the first attribute, as an annotator tells it or, marked as such, the labels that also measure."""
    name = next(iter(study.collection.groups))
    groups = study.collection.groups[name]
    return name, groups if annotator is None else annotator(groups, study.collection.ids)


def _manifest(plan: AuditPlan, study: Study, encoder: Any, mitigate: tuple[str, Groups] | None) -> dict[str, Any]:
    warnings, depth = [], len(study.collection)
    if mitigate is not None and mitigate[1].source == study.collection.groups[mitigate[0]].source:
        warnings.append("The labels that mitigate are the labels that measure: real mitigation has to guess. See --mitigate-groups.")
    return {
        "fairlead": __version__,
        "command": "audit",
        "plan": plan.described(),
        "model": {"spec": str(encoder), "fingerprint": encoder.fingerprint, "card": getattr(encoder, "card", "")},
        "benchmark": {"spec": study.name, **study.card},
        "mitigate": None if mitigate is None else {"attribute": mitigate[0], "labels": mitigate[1].source, "k": study.k},
        "inputs": {},
        "run": {"queries": len(study.queries), "entries": len(study.queries) * depth, "ties": 0.0,
                "depth": {"min": depth, "median": float(depth), "max": depth}},
        "labels": {n: _about(g, study.target) for n, g in study.collection.groups.items()},
        "collection_known": True,
        "warnings": warnings,
    }  # fmt: skip


def _about(groups: Groups, target: str) -> dict[str, Any]:
    """What the labels of an attribute are, and how much of the collection they cover."""
    assert groups.not_applicable is not None
    unknown, absent = float(groups.unknown.mean()), float(groups.not_applicable.mean())
    coverage = {"known": 1 - unknown - absent, "unknown": unknown, "not_applicable": absent, "missing": 0.0}
    return {"coverage": coverage, "groups": list(groups.names), "target": target}


def _head(ranking: Any, depth: int) -> Any:
    """The first ``depth`` of each list."""
    kept = np.flatnonzero(ranking.ranks <= depth)
    return ranking.take(kept, np.minimum(ranking.lengths, depth))


def _file_name(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text).strip("-")
