"""Assembly of the analyses of label quality: galleries of a benchmark, a labeller by name, and
mitigations that see its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead import __version__
from fairlead.engine import study as auditing
from fairlead.engine.sight import Seeing, model_of
from fairlead.errors import UsageError, unknown_name
from fairlead.measuring.circular import circularities
from fairlead.protocols import Progress, QueryAnnotator, Repeatable, Skewed, registry
from fairlead.results.label_quality import LabelQuality, Sensitivity
from fairlead.statistics import targets
from fairlead.statistics.nulls import null_of
from fairlead.studies.frontier import hash_of
from fairlead.studies.label_quality import Graded, findings, log_odds, runs, sensitivities, steps
from fairlead.types import Groups, Queries, Sets, Study
from fairlead.types.evidence import Evidence, Labelled
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


def simulate_labeller(
    *,
    model: str = "phantom(dose=1)",
    benchmark: str = "phantom:skewed",
    labellers: Sequence[str] = (),
    mitigate: Sequence[str] = (),
    analyses: Sequence[str] = (),
    k: int | None = None,
    repeats: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> LabelQuality:
    """What the quality of a labeller does to mitigated lists.

    Args:
        model: The encoder that ranks.
        benchmark: A benchmark whose first attribute has two groups.
        labellers: Annotators; the log odds of the first, which must be soft, are varied, and the
            sensitivities of all are told.
        mitigate: Reranker specs; ``pbm`` by default.
        analyses: Of ``noise``, ``threshold`` and ``prevalence``; all by default.
        k: How many items are shown; the benchmark's own by default.
        repeats: Galleries, each with a seed of its own.
        seed: Seed of every random choice.
        progress: Told what is done.
    """
    wanted = _wanted(analyses, repeats)
    encoder, bench = registry.make("encoder", model), registry.make("benchmark", benchmark)
    annotators = [registry.make("annotator", text) for text in tuple(labellers) or LABELLERS]
    rerankers = {
        text: registry.make("reranker", text) for text in dict.fromkeys(tuple(mitigate) or ("pbm",))
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
        "model": model,
        "benchmark": benchmark,
        "labeller": str(annotators[0]),
        "mitigate": list(rerankers),
        "analyses": list(wanted),
        "repeats": repeats,
        "seed": seed,
        "queries": len(clusters["noise"]),
        "warnings": circularities(
            (), [f"{annotators[0]} by {model_of(annotators[0]) or encoder}"], encoder
        ),
    }
    return LabelQuality(
        steps(found, clusters, seed), made.sensitivities(), claims, chance, k, about
    )


def _wanted(analyses: Sequence[str], repeats: int) -> tuple[str, ...]:
    """The analyses asked for, all where none is."""
    for name in analyses:
        if name not in ANALYSES:
            raise unknown_name("analysis", name, ANALYSES)
    if repeats < 1:
        raise UsageError(f"--repeats is {repeats}.", "Give 1 or more.")
    return tuple(dict.fromkeys(analyses)) or ANALYSES


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

    def world(self, majority: float | None, number: int) -> Graded:
        """One gallery, with another share of the larger group where asked."""
        if self.progress is not None:
            self.progress("galleries", self._made, self.total)
        self._made += 1
        study = self._bench(majority, number).study()
        self.k = study.k
        attribute, truth = next(
            (n, study.collection.groups[n]) for n in study.attributes or study.collection.groups
        )
        if len(truth.names) != 2:
            raise UsageError(
                f"'{attribute}' of {study.name} has {len(truth.names)} groups.",
                "The analyses are of two groups.",
            )
        seen = self._seeing(study, self.encoder)
        ranking = auditing.rank(study, seen, registry.make("index", "exact"))
        kept = np.array(
            [q for q, asks in enumerate(_tag(study, "asks", "neutral")) if asks == "neutral"]
        )
        told = [
            self._told(a, study, attribute, kept, seen)
            for a in (self.annotators if majority is None else self.annotators[:1])
        ]
        if majority is None:
            for own, (said, rows) in zip(self._said, told, strict=True):
                own.append((truth.take(rows), said))
        everything = Sets(np.array([0, len(study.collection)]), np.arange(len(study.collection)))
        labelled = {attribute: Labelled(truth, targets.uniform(truth))}
        true = Evidence(
            ranking, study.queries.ids, labelled, study.queries.relevant, everything, study.blocks
        ).select(kept)
        names = _tag(study, study.clusters or "", None)
        return Graded(
            true,
            log_odds(told[0][0]),
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

    def _seeing(self, study: Study, encoder: Any) -> Seeing:
        images = study.collection.images
        if images is None:
            raise UsageError(
                f"{study.name} has no pictures to label.",
                "Take a benchmark of pictures, e.g. phantom:skewed.",
            )
        return Seeing(
            encoder,
            encoder.images(images, "item"),
            {reference: row for row, reference in enumerate(images)},
        )

    def _told(
        self, annotator: Any, study: Study, attribute: str, kept: Any, seen: Seeing
    ) -> tuple[Groups, Any]:
        """What a labeller says, and of which items; labels that depend on the query are of the
        items relevant to it.
        """
        named = model_of(annotator)
        sight = self._seeing(study, registry.make("encoder", named)) if named else seen
        if not isinstance(annotator, QueryAnnotator) or "queries" not in annotator.needs:
            return annotator(study.collection, attribute, sight), np.arange(len(study.collection))
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
            study.collection, attribute, Queries(texts, texts=texts), sets, sight
        ), sets.rows


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
