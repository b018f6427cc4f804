"""Assembly of audits: a model and a benchmark by name, the whole road from text to report, and the
folder that replays it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
from pydantic import Field

from fairlead import __version__
from fairlead.annotators.asked import refuse_unseen
from fairlead.commands.functions import as_function
from fairlead.engine import labels as labelling
from fairlead.engine import plan as fields
from fairlead.engine import study as auditing
from fairlead.engine.exclusion import refuse_one_group
from fairlead.engine.leave_out import left_of, list_behind, narrowed
from fairlead.engine.mitigations import Mitigation, fitted, mitigation_of, ranked
from fairlead.engine.projections import Fitted
from fairlead.engine.sight import sight, unfit
from fairlead.errors import DataError, FairleadError, UsageError, together, unknown_name
from fairlead.measuring.circular import circularities
from fairlead.measuring.score import Settings
from fairlead.measuring.study import settings_of
from fairlead.protocols import Index, Progress, QueryAnnotator, registry
from fairlead.report.pictures import strips
from fairlead.report.saving import PAGES, check_folder_name, score_place, write_folder
from fairlead.results.audit import Audit
from fairlead.store.atomic import atomic_folder
from fairlead.store.writing import write_ranking


class AuditPlan(fields.Plan):
    """Audit a model on a benchmark, plain and mitigated.

    Who mitigates is not who measures: rerankers see the labels of --mitigate-groups, metrics those
    of --groups.

    >>> import fairlead
    >>> found = fairlead.audit(
    ...     "phantom_ideal(dose=0.8)", "phantom(seeds=4)", metric="AbsBias@10", attribute="gender"
    ... )
    >>> found.result.rows[0].excess > 0
    True
    """

    positional = ("model", "benchmark")

    model: fields.Encoding
    benchmark: fields.Benchmark
    mitigate: fields.Mitigations
    metric: fields.Metrics
    attribute: Annotated[
        fields.Some[str],
        Field(
            default=None,
            description="Attribute; the benchmark's own by default. The first is mitigated.",
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    groups: Annotated[
        fields.Labels | None,
        Field(
            default=None,
            description=(
                "Labels that measure, e.g. noisy(accuracy=0.95) or labels.csv; the benchmark's "
                "own by default."
            ),
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="SPEC|FILE"),
    ]
    mitigate_groups: fields.MitigateGroups
    k: Annotated[
        int | None,
        Field(
            default=None,
            description="How many items a mitigated list shows; the benchmark's own by default.",
            examples=[20],
        ),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    index: fields.Indexing
    null: fields.Null
    unknown: fields.Unknown
    interval: fields.Interval
    leave_out: fields.LeaveOut
    least: fields.Least
    seed: fields.Seed


def run(plan: AuditPlan, progress: Progress | None = None) -> Audit:
    """The audit of a model."""
    return _body(plan, progress)


audit = as_function("audit", AuditPlan, run)


def _body(plan: AuditPlan, progress: Progress | None = None) -> Audit:
    made, out = _made(plan), read_leave_out(plan.leave_out)
    made, left = replace(made, study=narrowed(made.study, out)), left_of([made.study], out)
    labels = labelling.labelled(
        made.study, made.measuring, plan.attribute or None, sight(made.measuring, made.encoder)
    )
    study = _narrowed(labels.study, plan)
    told = (
        _mitigating_labels(study, made)
        if any(m.reranker is not None for m in made.mitigations)
        else None
    )
    fits = _fits(made, study, out, progress)
    index = registry.make("index", plan.index)
    ranking = auditing.rank(study, made.encoder, index, progress)
    variants = _variants(made, study, index, ranking, told, fits)
    mitigate = next(
        (variant.mitigate for variant in variants if variant.mitigate is not None), None
    )
    settings = settings_of(study, Settings(plan.null, plan.unknown, plan.interval, None, plan.seed))
    found = auditing.audit(
        study, ranking, made.metrics, variants=variants, settings=settings, progress=progress
    )
    about = _manifest(plan, labels, study, made.encoder, ranking, mitigate)
    about |= {} if left is None else {"left_out": left}
    about["warnings"] += left_notes(left)
    about["warnings"] += [
        note for fit in fits.values() for note in fit.warnings(study.collection.ids)
    ]
    about |= (
        {"not_for": against}
        if (against := unfit((made.measuring, made.mitigating), made.encoder))
        else {}
    )
    about["warnings"] += against
    about |= {"projections": {name: dict(fit.about) for name, fit in fits.items()}} if fits else {}
    return replace(found, result=replace(found.result, manifest=about))


def save_audit(found: Audit, path: str | Path) -> Path:
    """Write an audit: a folder (manifest, scores, values per query, rankings, page), a page or a
    JSON file. Whole or not at all.
    """
    with audit_place(path) as write:
        write(found)
    return Path(path)


@contextmanager
def audit_place(path: str | Path | None) -> Iterator[Callable[[Audit], None]]:
    """A function that writes an audit to its place, which is checked on entering; None writes
    nothing.
    """
    if path is None or Path(path).suffix.lower() in (*PAGES, ".json"):
        with score_place(path) as write:
            yield lambda found: write(found.result, () if path is None else strips(found))
        return
    check_folder_name(path)
    with atomic_folder(path, {"command": "audit"}) as folder:
        yield lambda found: _write(found, folder)


def _write(found: Audit, folder: Path) -> None:
    write_folder(found.result, folder, strips(found))
    (folder / "rankings").mkdir()
    for number, (name, ranking) in enumerate(found.rankings.items()):
        place = folder / "rankings" / f"{number}-{_file_name(name)}.parquet"
        write_ranking(
            place,
            ranking.head(200),
            found.study.queries.ids,
            found.study.collection.ids,
            tag=name,
        )


@dataclass(frozen=True)
class _Made:
    """Every object a plan names; who measures and who mitigates are an annotator, a file or None."""

    encoder: Any
    study: Study
    metrics: list[Any]
    mitigations: list[Mitigation]
    measuring: Any
    mitigating: Any


def _made(plan: AuditPlan) -> _Made:
    """Every object the plan names; all unknown names are told together."""
    faults: list[FairleadError] = []

    def make(make: Callable[..., Any], *what: Any) -> Any:
        try:
            return make(*what)
        except FairleadError as error:
            faults.append(error)
            return None

    encoder, benchmark = (
        make(registry.make, *what)
        for what in (("encoder", plan.model), ("benchmark", plan.benchmark))
    )
    mitigations = [make(mitigation_of, text) for text in plan.mitigate]
    measuring, mitigating = (
        make(labelling.named, source) for source in (plan.groups, plan.mitigate_groups)
    )
    study = None if benchmark is None else benchmark.study()
    metrics = [
        make(registry.make, "metric", text)
        for text in (plan.metric or (() if study is None else study.metrics))
    ]
    if faults:
        raise together(faults)
    return _Made(
        encoder,
        cast(Study, study),
        list(dict.fromkeys(metrics)),
        mitigations,
        measuring,
        mitigating,
    )


def _narrowed(study: Study, plan: AuditPlan) -> Study:
    """The study with the attributes asked for, and the number of shown items."""
    known = {**study.collection.groups, **study.roles}
    wanted = plan.attribute or study.attributes or tuple(known)
    for name in wanted:
        if name not in known:
            raise unknown_name(f"attribute of {study.name}", name, known)
    k = study.k if plan.k is None else plan.k
    if k < 1:
        raise UsageError(f"k got {k}.", "Show at least one item.")
    groups, roles = (
        {n: part[n] for n in wanted if n in part} for part in (study.collection.groups, study.roles)
    )
    return replace(
        study, collection=replace(study.collection, groups=groups), roles=roles, attributes=(), k=k
    )


def _mitigated(study: Study) -> str:
    """The attribute that is mitigated: the first."""
    name = next(iter((*study.collection.groups, *study.roles)))
    if name in study.roles:
        raise UsageError(
            (
                f"'{name}' of {study.name} depends on the query: it is the answer of a forced "
                "choice, so no list can be mitigated by it."
            ),
            "Leave out --mitigate.",
        )
    return name


def _fits(
    made: _Made, study: Study, out: LeaveOut | None, progress: Progress | None
) -> dict[str, Fitted]:
    """The projections, by their text: read from their files, or fitted beside what is measured."""
    fits = dict[str, Fitted]()
    for one in made.mitigations:
        if one.projection is not None and str(one.projection) not in fits:
            name, ids = _mitigated(study), study.collection.ids
            own = {
                "attribute": name,
                "names": study.collection.groups[name].names,
                "ids": ids,
                "annotator": made.mitigating,
            }
            own["leave_out"] = out
            fits[str(one.projection)] = cast(
                Fitted, fitted(one, made.encoder, study.name, **own, progress=progress)
            )
    return fits


def _variants(
    made: _Made,
    study: Study,
    index: Index,
    ranking: Ranking,
    told: tuple[str, Groups | None] | None,
    fits: Mapping[str, Fitted],
) -> list[auditing.Variant]:
    """What the mitigations start from, plain or ranked anew, and what their rerankers see."""
    variants = []
    for one in made.mitigations:
        refuse_one_group(one.reranker)
        fit = fits.get(str(one.projection))
        start = (
            ranking
            if fit is None
            else ranked(study, made.encoder, index, one, attribute=_mitigated(study), fit=fit)
        )
        seen = (
            None
            if told is None or one.reranker is None
            else (told[0], _seen(*told, made, study, start))
        )
        variants.append(auditing.Variant(str(one), start, one.reranker, seen))
    return variants


def _mitigating_labels(study: Study, made: _Made) -> tuple[str, Groups | None]:
    """What the rerankers see: the first attribute as an annotator or a file tells it or, marked as
    such, the labels that also measure.

    None stands for labels that depend on the query: they are told when it is known what is ranked.
    """
    own, source, name = made.study, made.mitigating, _mitigated(study)
    if source is None:
        return name, study.collection.groups[name]
    if isinstance(source, QueryAnnotator):
        return name, None
    if not isinstance(source, Path):
        groups = own.collection.groups.get(name, study.collection.groups[name])
        items = replace(own.collection, groups={name: groups})
        return name, labelling.told(source, items, (name,), sight(source, made.encoder))[name]
    told = labelling.labelled(own, source, (name,)).study.collection.groups
    if name not in told:
        raise DataError(
            f"{source.name} labels items for single queries.",
            "Rerankers need labels of the items: no 'query' column.",
        )
    return name, told[name]


def _seen(
    name: str, groups: Groups | None, made: _Made, study: Study, ranking: Ranking
) -> Labelled:
    """The labels that rerankers see, with their target; those that depend on the query are of the
    entries of the ranking.
    """
    if groups is not None:
        return Labelled(groups, targets.uniform(groups))
    annotator, lists = made.mitigating, Sets(ranking.offsets, ranking.rows)
    refuse_unseen(annotator, name)
    told = annotator.of_candidates(
        made.study.collection, name, study.queries, lists, sight(annotator, made.encoder)
    )
    return Labelled(told, targets.uniform(told), aligned=True)


def _warnings(study: Study, encoder: Any, mitigate: tuple[str, Labelled] | None) -> list[str]:
    notes, kind = [], getattr(encoder, "kind", None)
    if (
        study.kinds
        and kind is not None
        and kind not in study.kinds
        and getattr(encoder, "dose", 0) > 0
    ):
        right = (
            f"kind={study.kinds[0]}"
            if len(study.kinds) == 1
            else f"kind={', '.join(study.kinds[:-1])} or {study.kinds[-1]}"
        )
        notes.append(
            f"The bias of {encoder} was injected as kind={kind}; what {study.name} looks "
            f"for is injected by {right}."
        )
    if (
        mitigate is not None
        and mitigate[1].groups.source == study.collection.groups[mitigate[0]].source
    ):
        notes.append(
            "The labels that mitigate are the labels that measure: real mitigation has "
            "to guess. See --mitigate-groups."
        )
    measuring = [
        groups.source for groups in (*study.collection.groups.values(), *study.roles.values())
    ]
    return notes + circularities(
        measuring, () if mitigate is None else (mitigate[1].groups.source,), encoder
    )


def _manifest(
    plan: AuditPlan,
    labels: labelling.Labelled,
    study: Study,
    encoder: Any,
    ranking: Ranking,
    mitigate: tuple[str, Labelled] | None,
) -> dict[str, Any]:
    lengths, groups = ranking.lengths, {**study.collection.groups, **study.roles}
    return {
        "fairlead": __version__,
        "command": "audit",
        "plan": plan.described(),
        "model": {
            "spec": str(encoder),
            "fingerprint": encoder.fingerprint,
            "card": getattr(encoder, "card", ""),
        },
        "benchmark": {"spec": study.name, **study.card},
        "mitigate": None
        if mitigate is None
        else {"attribute": mitigate[0], "labels": mitigate[1].groups.source, "k": study.k},
        "inputs": labels.inputs | list_behind(plan.leave_out),
        "run": {
            "queries": len(lengths),
            "entries": int(lengths.sum()),
            "ties": 0.0,
            "depth": {
                "min": int(lengths.min()),
                "median": float(np.median(lengths)),
                "max": int(lengths.max()),
            },
        },
        "labels": {n: _about(g, study.target, labels.coverage.get(n)) for n, g in groups.items()},
        "collection_known": True,
        "warnings": labels.warnings + _warnings(study, encoder, mitigate),
    }


def _about(groups: Groups, target: str, coverage: Mapping[str, float] | None) -> dict[str, Any]:
    """What the labels of an attribute are, and how much of the collection they cover."""
    assert groups.not_applicable is not None
    unknown, absent = float(groups.unknown.mean()), float(groups.not_applicable.mean())
    own = {
        "known": 1 - unknown - absent,
        "unknown": unknown,
        "not_applicable": absent,
        "missing": 0.0,
    }
    return {"coverage": dict(coverage or own), "groups": list(groups.names), "target": target}


def _file_name(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text).strip("-")
