"""Assembly of the analyses of label quality: galleries of a benchmark, a labeller by name, and
mitigations that see its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine import study as auditing
from fairlead.engine.manifest import MADE_BY
from fairlead.engine.shelf import Shelf
from fairlead.engine.sight import model_of, sight
from fairlead.engine.vectors import StudyVectors, of_study
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
# Without the neutral prompt, and milder than CLIP's own temperature: log odds can only be varied
# where every picture has an answer that is not all or nothing.
GRADED = (
    'zeroshot_embedding(prompts="a photo of a woman|a photo of a '
    'man",neutral=none,soft=true,temperature=0.1)'
)
LABELLERS = (GRADED, "zeroshot_embedding", "zeroshot_prompt")
"""The labeller whose log odds are varied, and those of the paper, whose sensitivities are told too.
"""
# In units of the spread of the log odds: from labels as they are to labels that say nothing. The
# paper claims something about both ends.
NOISE = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0)
# Dense towards 0 and 1: a labeller that is sure of itself changes its mind only there, and the
# paper's claim about extreme ratios needs such thresholds.
THRESHOLDS = (0.001, 0.002, 0.004, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.996, 0.998, 0.999)
# From balanced to the top of the range that phantom:skewed draws its occupations' majorities from.
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
    model: fields.Encoding = fields.BIASED
    benchmark: fields.Benchmark = fields.SKEWED
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
    k: fields.Shown
    repeats: Annotated[
        int,
        Field(default=3, ge=1, description="Galleries, each with its own seed.", examples=[5]),
        fields.Cli(metavar="N"),
    ]
    seed: fields.Seed
    trust: fields.Trust


def run(plan: LabelQualityPlan, progress: Progress | None = None) -> LabelQuality:
    """What worse labels do to mitigated lists."""
    seed = plan.seed
    wanted = tuple(dict.fromkeys(plan.analyses)) or ANALYSES
    galleries = _Galleries.of(plan, wanted, progress)
    rerankers = {
        str(text): registry.make("reranker", text)
        for text in dict.fromkeys(tuple(plan.mitigate) or ("pbm",))
    }
    # These galleries are made whatever is asked for: chance and the sensitivities are read in them.
    worlds = galleries.worlds(None, plan.repeats)
    settings = [
        *(("noise", value, worlds) for value in NOISE if "noise" in wanted),
        *(("threshold", value, worlds) for value in THRESHOLDS if "threshold" in wanted),
        *(
            ("prevalence", share, galleries.worlds(share, plan.repeats))
            for share in MAJORITIES
            if "prevalence" in wanted
        ),
    ]
    # Only a gallery says how many items its benchmark shows.
    k = plan.k or galleries.k
    metric = registry.make("metric", f"AbsBias@{k}")
    found = runs(settings, rerankers, metric, k=k, seed=seed, progress=progress)
    # A majority changes who is shown and not what is asked, so all analyses have these clusters.
    clusters = dict.fromkeys(ANALYSES, np.concatenate([world.clusters for world in worlds]))
    chance = float(
        np.mean([null_of(metric, w.true, "gallery", seed=seed).mean.mean() for w in worlds])
    )
    claims = tuple(claim for name in rerankers for claim in findings(found, clusters, name, seed))
    about = _manifest(plan, wanted, galleries, tuple(rerankers), len(clusters["noise"]))
    return LabelQuality(
        steps(found, clusters, seed), galleries.sensitivities(), claims, chance, k, about
    )


def _manifest(
    plan: LabelQualityPlan,
    wanted: Sequence[str],
    galleries: _Galleries,
    rerankers: Sequence[str],
    queries: int,
) -> dict[str, Any]:
    """How the analyses came about."""
    varied, encoder = galleries.annotators[0], galleries.encoder
    labelled_by = f"{varied} by {model_of(varied) or encoder}"
    return {
        **MADE_BY,
        "command": "simulate labeller",
        "model": str(plan.model),
        "benchmark": str(plan.benchmark),
        "labeller": str(varied),
        "mitigate": list(rerankers),
        "analyses": list(wanted),
        "repeats": plan.repeats,
        "seed": plan.seed,
        "queries": queries,
        "warnings": [
            *dict.fromkeys(galleries.notes),
            # No labels measure here: the truth does, so only those that mitigate can be circular.
            *circularities((), [labelled_by], encoder),
        ],
    }


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
        self.benchmark = benchmark
        self.encoder = encoder
        self.annotators = annotators
        self.seed = seed
        self.total = total
        self.progress = progress
        self.k = 0
        self.notes: list[str] = []
        self._said: list[list[tuple[Groups, Groups]]] = [[] for _ in annotators]
        self._made = 0

    @classmethod
    def of(
        cls, plan: LabelQualityPlan, wanted: Sequence[str], progress: Progress | None
    ) -> _Galleries:
        """What a plan names; nothing is drawn yet."""
        encoder = registry.make("encoder", plan.model)
        benchmark = registry.make("benchmark", plan.benchmark)
        texts = tuple(plan.labellers) or LABELLERS
        annotators = [registry.make("annotator", text) for text in texts]
        total = plan.repeats * (1 + len(MAJORITIES) * ("prevalence" in wanted))
        return cls(benchmark, encoder, annotators, seed=plan.seed, total=total, progress=progress)

    def worlds(self, majority: float | None, repeats: int) -> list[Graded]:
        """Galleries of one kind, each with its own seed."""
        return [self.world(majority, number) for number in range(repeats)]

    def world(self, majority: float | None, number: int) -> Graded:
        """One gallery, with another share of the larger group where asked."""
        if self.progress is not None:
            self.progress("galleries", self._made, self.total)
        self._made += 1
        study = self._bench(majority, number).study()
        # Before the vectors are made: encoding may take minutes.
        _refuse_unfit(study)
        visible = of_study(study, self.encoder, self.progress)
        study = visible.study
        self.notes += visible.notes
        self.k = study.k
        attribute = next(iter(study.attributes or study.collection.groups))
        truth = study.collection.groups[attribute]
        # Queries that ask for a group by name must not be balanced, so they are not measured here.
        kept = np.array(
            [q for q, asks in enumerate(_tag(study, "asks", "neutral")) if asks == "neutral"]
        )
        true = self._evidence(visible, attribute).select(kept)
        varied = self._labelled(study, attribute, kept, every=majority is None)
        names = _tag(study, study.clusters or "", None)
        return Graded(
            true,
            log_odds(joined(varied, truth.names, whole=True)[0]),
            np.array([hash_of(names[q]) for q in kept]),
            _pools(study, truth, kept),
        )

    def _evidence(self, visible: StudyVectors, attribute: str) -> Evidence:
        """The ranking of the queries, with the true labels of the attribute."""
        study = visible.study
        index = registry.make("index", "exact")
        index.add(visible.items)
        ranking = auditing.searched(study, visible.queries, index)
        everything = Sets(np.array([0, len(study.collection)]), np.arange(len(study.collection)))
        truth = study.collection.groups[attribute]
        background = None
        if study.queries.candidates is None:
            # Rerankers know what a score is worth in the collection, as on every other road.
            background = Shelf(study.collection, index).background(visible.queries)
        return Evidence(
            ranking,
            study.queries.ids,
            {attribute: Labelled(truth, targets.uniform(truth))},
            study.queries.relevant,
            everything,
            study.blocks,
            background,
        )

    def _labelled(self, study: Study, attribute: str, kept: Any, *, every: bool) -> Groups:
        """What the labeller says that is varied; ``every`` asks the others too."""
        truth = study.collection.groups[attribute]
        annotators = self.annotators[:1]
        # The others are told in the table of sensitivities alone, which is of the benchmark's own
        # galleries: a gallery made rarer on purpose would mix two questions.
        if every:
            annotators = self.annotators
        told = [self._told(annotator, study, attribute, kept) for annotator in annotators]
        for annotator, (said, _) in zip(annotators, told, strict=True):
            _, notes = joined(said, truth.names, whole=True, whose=str(annotator))
            self.notes += [note for note in notes if note not in self.notes]
        if every:
            for own, (said, rows) in zip(self._said, told, strict=True):
                own.append((truth.take(rows), said))
        return told[0][0]

    def sensitivities(self) -> tuple[Sensitivity, ...]:
        """Of every labeller, over all galleries."""
        names = [_short(a) for a in self.annotators]
        # In the table it stands among labellers that nobody changed.
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
        # A hybrid could label by query; it needs to only where its program does.
        if not isinstance(annotator, QueryAnnotator) or "queries" not in annotator.needs:
            return annotator(study.collection, attribute, eyes), np.arange(len(study.collection))
        queries, relevant = study.queries, study.queries.relevant
        # One log odds an item is varied, so the first labeller must say the same for every query.
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
    count = 0
    if groups is not None:
        count = len(groups.names)
    # The analyses vary the log odds of one group against one other.
    if count != 2:
        raise UsageError(
            f"'{attribute}' of {study.name} has {count} groups.", "The analyses are of two groups."
        )
    if study.collection.images is None:
        raise UsageError(
            f"{study.name} has no pictures to label.",
            "Take a benchmark of pictures, e.g. phantom:skewed.",
        )


def _tag(study: Study, name: str, otherwise: str | None) -> Sequence[str]:
    """(queries,) a tag; where the study has none, the same text for all, or each query its id."""
    default: Sequence[str] = study.queries.ids
    if otherwise is not None:
        default = (otherwise,) * len(study.queries)
    return study.queries.tags.get(name, default)


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
    """The labels of several galleries, one after the other."""
    first = parts[0]
    soft = np.concatenate([p.share for p in parts])
    absent = np.concatenate([np.asarray(p.not_applicable) for p in parts])
    return Groups(
        first.attribute, first.names, soft=soft, not_applicable=absent, source=first.source
    )


def _short(annotator: Any) -> str:
    """What the table of sensitivities calls a labeller."""
    # The text form of our own default is too wide for a table.
    if str(annotator) == str(registry.make("annotator", GRADED)):
        return "zeroshot_embedding, our prompts"
    return str(annotator)
