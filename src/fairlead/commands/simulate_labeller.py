"""Assembly of the analyses of label quality: galleries of a benchmark, a labeller by name, and
mitigations that see its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fairlead import __version__
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine import study as auditing
from fairlead.engine.shelf import Shelf
from fairlead.engine.sight import model_of, sight
from fairlead.engine.vectors import of_study
from fairlead.errors import UsageError
from fairlead.measuring.circular import circularities
from fairlead.protocols import Progress, QueryAnnotator, Repeatable, Skewed, registry
from fairlead.results.label_quality import LabelQuality, Sensitivity
from fairlead.statistics import targets
from fairlead.statistics.nulls import null_of
from fairlead.studies.frontier import hash_of
from fairlead.studies.label_quality import Graded, findings, log_odds, runs, sensitivities, steps
from fairlead.types import Groups, Queries, Sets, Study
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.joining import joined
from fairlead.types.ragged import offsets_of

ANALYSES = ("noise", "threshold", "prevalence")
GRADED = (
    'zeroshot_embedding(prompts="a photo of a woman|a photo of a '
    'man",neutral=none,soft=true,temperature=0.1)'
)
LABELLERS = (GRADED, "zeroshot_embedding", "zeroshot_prompt")
"""The labeller whose log odds are varied, and those of the paper, whose sensitivities are told too.
"""
NOISE = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0)
THRESHOLDS = (0.001, 0.002, 0.004, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.996, 0.998, 0.999)
MAJORITIES = (0.5, 0.7, 0.8, 0.9, 0.95)


class LabelQualityPlan(fields.Plan):
    """What the quality of labels does to mitigated lists: the analyses of the PBM paper, and one of
    ours.

    noise: worse and worse labels, by noise on the log odds. threshold: labels that favour one
    group, by another threshold. prevalence: the same labels where one group is rarer and rarer.
    Lists are made with the labels and measured with the truth.
    """

    analyses: Annotated[
        fields.Several[Literal["noise", "threshold", "prevalence"]],
        Field(
            default=(),
            description="What to vary; may be given again. All three by default.",
            examples=["noise"],
        ),
        fields.Cli(flags=("--analysis",)),
    ]
    model: fields.Encoding = "phantom(dose=1)"
    benchmark: fields.Benchmark = "phantom:skewed"
    labellers: Annotated[
        fields.Several[fields.AnnotatorSpec],
        Field(
            default=(),
            description=(
                "Annotator; the first, a soft one, is varied, the sensitivities of all "
                "are told. Default: zero-shot ones."
            ),
            examples=["mlp:gender.npz"],
        ),
        fields.Cli(flags=("--labeller",), metavar="SPEC", kinds=("annotator",)),
    ]
    mitigate: Annotated[
        fields.Several[fields.RerankerSpec],
        Field(
            default=(),
            description="Mitigation that sees the labels; may be given again. Default: pbm.",
            examples=["levelled"],
        ),
        fields.Cli(metavar="SPEC", kinds=("reranker",)),
    ]
    k: Annotated[
        int | None,
        Field(
            default=None,
            ge=1,
            description="How many items are shown; the benchmark's own by default.",
            examples=[20],
        ),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    repeats: Annotated[
        int,
        Field(default=3, ge=1, description="Galleries, each with its own seed.", examples=[5]),
        fields.Cli(metavar="N"),
    ]
    seed: fields.Seed


def run(plan: LabelQualityPlan, progress: Progress | None = None) -> LabelQuality:
    """What worse labels do to mitigated lists."""
    model, benchmark, labellers, mitigate = (
        plan.model,
        plan.benchmark,
        plan.labellers,
        plan.mitigate,
    )
    repeats, k, seed = plan.repeats, plan.k, plan.seed
    wanted = tuple(dict.fromkeys(plan.analyses)) or ANALYSES
    encoder, bench = registry.make("encoder", model), registry.make("benchmark", benchmark)
    annotators = [registry.make("annotator", text) for text in tuple(labellers) or LABELLERS]
    rerankers = {
        str(text): registry.make("reranker", text)
        for text in dict.fromkeys(tuple(mitigate) or ("pbm",))
    }
    total = repeats * (1 + len(MAJORITIES) * ("prevalence" in wanted))
    made = _Galleries(bench, encoder, annotators, seed=seed, total=total, progress=progress)
    worlds = [made.world(None, number) for number in range(repeats)]
    k = made.k if k is None else k
    metric = registry.make("metric", f"AbsBias@{k}")
    rising = (
        {m: [made.world(m, number) for number in range(repeats)] for m in MAJORITIES}
        if "prevalence" in wanted
        else {}
    )
    settings = [("noise", v, worlds) for v in NOISE] + [
        ("threshold", v, worlds) for v in THRESHOLDS
    ]
    settings = [s for s in settings if s[0] in wanted] + [
        ("prevalence", m, rising[m]) for m in rising
    ]
    found = runs(settings, rerankers, metric, k=k, seed=seed, progress=progress)
    clusters = {a: np.concatenate([w.clusters for w in worlds]) for a in ANALYSES}
    chance = float(
        np.mean([null_of(metric, w.true, "gallery", seed=seed).mean.mean() for w in worlds])
    )
    claims = tuple(claim for name in rerankers for claim in findings(found, clusters, name, seed))
    about = {
        "fairlead": __version__,
        "command": "simulate labeller",
        "model": str(model),
        "benchmark": str(benchmark),
        "labeller": str(annotators[0]),
        "mitigate": list(rerankers),
        "analyses": list(wanted),
        "repeats": repeats,
        "seed": seed,
        "queries": len(clusters["noise"]),
        "warnings": [
            *dict.fromkeys(made.notes),
            *circularities(
                (), [f"{annotators[0]} by {model_of(annotators[0]) or encoder}"], encoder
            ),
        ],
    }
    return LabelQuality(
        steps(found, clusters, seed), made.sensitivities(), claims, chance, k, about
    )


simulate_labeller = as_function("labeller", LabelQualityPlan, run)


class _Galleries:
    """Makes galleries: ranks them, lets labellers see them once, and keeps what they said for the
    table of sensitivities.
    """

    def __init__(
        self,
        benchmark: Any,
        encoder: Any,
        annotators: Sequence[Any],
        *,
        seed: int,
        total: int,
        progress: Progress | None,
    ) -> None:
        self.benchmark, self.encoder, self.annotators, self.seed, self.progress = (
            benchmark,
            encoder,
            annotators,
            seed,
            progress,
        )
        self.k, self.total = 0, total
        self._said: list[list[tuple[Groups, Groups]]] = [[] for _ in annotators]
        self._made = 0
        self.notes: list[str] = []

    def world(self, majority: float | None, number: int) -> Graded:
        """One gallery, with another share of the larger group where asked."""
        if self.progress is not None:
            self.progress("galleries", self._made, self.total)
        self._made += 1
        study = self._bench(majority, number).study()
        _refuse_unfit(study)
        visible = of_study(study, self.encoder, self.progress)
        study = visible.study
        self.notes += visible.notes
        self.k = study.k
        attribute, truth = next(
            (n, study.collection.groups[n]) for n in study.attributes or study.collection.groups
        )
        index = registry.make("index", "exact")
        index.add(visible.items)
        ranking = auditing.searched(study, visible.queries, index)
        kept = np.array(
            [q for q, asks in enumerate(_tag(study, "asks", "neutral")) if asks == "neutral"]
        )
        told = [
            self._told(a, study, attribute, kept)
            for a in (self.annotators if majority is None else self.annotators[:1])
        ]
        for annotator, (said, _) in zip(self.annotators, told, strict=False):
            _, notes = joined(said, truth.names, whole=True, whose=str(annotator))
            self.notes += [note for note in notes if note not in self.notes]
        if majority is None:
            for own, (said, rows) in zip(self._said, told, strict=True):
                own.append((truth.take(rows), said))
        everything = Sets(np.array([0, len(study.collection)]), np.arange(len(study.collection)))
        labelled = {attribute: Labelled(truth, targets.uniform(truth))}
        background = None
        if study.queries.candidates is None:
            # Rerankers know what a score is worth in the collection, as on every other road.
            background = Shelf(study.collection, index).background(visible.queries)
        true = Evidence(
            ranking,
            study.queries.ids,
            labelled,
            study.queries.relevant,
            everything,
            study.blocks,
            background,
        ).select(kept)
        names = _tag(study, study.clusters or "", None)
        return Graded(
            true,
            log_odds(joined(told[0][0], truth.names, whole=True)[0]),
            np.array([hash_of(names[q]) for q in kept]),
            _pools(study, truth, kept),
        )

    def sensitivities(self) -> tuple[Sensitivity, ...]:
        """Of every labeller, over all galleries."""
        names = [_short(a) for a in self.annotators]
        names[0] += " (varied)"
        return tuple(
            sensitivities(
                name, _joined([true for true, _ in own]), _joined([said for _, said in own])
            )
            for name, own in zip(names, self._said, strict=True)
        )

    def _bench(self, majority: float | None, number: int) -> Any:
        benchmark = self.benchmark
        if isinstance(benchmark, Repeatable):
            benchmark = benchmark.numbered(self.seed + number)
        if majority is None:
            return benchmark
        if not isinstance(benchmark, Skewed):
            raise UsageError(
                f"The majority of {benchmark} cannot be set.",
                "Leave out the analysis 'prevalence', or take phantom:skewed.",
            )
        return benchmark.with_majority(majority)

    def _told(self, annotator: Any, study: Study, attribute: str, kept: Any) -> tuple[Groups, Any]:
        """What a labeller says, and of which items; labels that depend on the query are of the
        items relevant to it.
        """
        eyes = sight(annotator, self.encoder, study, self.progress)
        if not isinstance(annotator, QueryAnnotator) or "queries" not in annotator.needs:
            return annotator(study.collection, attribute, eyes), np.arange(len(study.collection))
        queries, relevant = study.queries, study.queries.relevant
        if annotator is self.annotators[0] or relevant is None or queries.texts is None:
            raise UsageError(
                f"The labels of {annotator} depend on the query.",
                "Name one that labels items first.",
            )
        lists = [relevant.of(q) for q in kept]
        texts = tuple(queries.texts[q] for q in kept)
        sets = Sets(offsets_of(np.array([len(r) for r in lists])), np.concatenate(lists))
        return annotator.of_candidates(
            study.collection, attribute, Queries(texts, texts=texts), sets, eyes
        ), sets.rows


def _refuse_unfit(study: Study) -> None:
    """Refuse a study that cannot be analysed, before anything of it is encoded."""
    attribute = next(iter(study.attributes or study.collection.groups))
    groups = study.collection.groups.get(attribute)
    if groups is None or len(groups.names) != 2:
        count = 0 if groups is None else len(groups.names)
        raise UsageError(
            f"'{attribute}' of {study.name} has {count} groups.", "The analyses are of two groups."
        )
    if study.collection.images is None:
        raise UsageError(
            f"{study.name} has no pictures to label.",
            "Take a benchmark of pictures, e.g. phantom:skewed.",
        )


def _tag(study: Study, name: str, otherwise: str | None) -> Sequence[str]:
    return study.queries.tags.get(
        name, study.queries.ids if otherwise is None else (otherwise,) * len(study.queries)
    )


def _pools(study: Study, truth: Groups, kept: Any) -> Any:
    """(queries,) the share of the larger group among the relevant items."""
    relevant = study.queries.relevant
    if relevant is None:
        raise UsageError(
            f"{study.name} does not say what is relevant.",
            "Take a benchmark with relevance, e.g. phantom:skewed.",
        )
    return np.array([truth.share[relevant.of(q)].mean(0).max() for q in kept])


def _joined(parts: Sequence[Groups]) -> Groups:
    soft, absent = (
        np.concatenate([p.share for p in parts]),
        np.concatenate([np.asarray(p.not_applicable) for p in parts]),
    )
    return Groups(
        parts[0].attribute, parts[0].names, soft=soft, not_applicable=absent, source=parts[0].source
    )


def _short(annotator: Any) -> str:
    return (
        "zeroshot_embedding, our prompts"
        if str(annotator) == str(registry.make("annotator", GRADED))
        else str(annotator)
    )
