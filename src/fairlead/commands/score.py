"""``score``, ``rerank``, ``check`` and ``reproduce``: recorded runs, measured and mitigated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from fairlead.engine.check import inspect
from fairlead.engine.plan import LabelPlan, RerankPlan, ScorePlan
from fairlead.engine.recorded import open_bench, warnings_of
from fairlead.engine.reranks import reranked, scored_variants
from fairlead.engine.scores import manifest_in, metrics_in, scored
from fairlead.errors import DataError, unknown_name
from fairlead.protocols import Progress
from fairlead.results.check import CheckResult
from fairlead.results.rerank import RerankResult
from fairlead.results.score import ScoreResult
from fairlead.store.label_counts import read_counts
from fairlead.studies import reproduce as reproducing
from fairlead.studies.ledger.rows import Ledger
from fairlead.studies.ledger.settings import SOURCES


def score(
    run: Any, groups: Any = None, *, progress: Progress | None = None, **choices: Any
) -> ScoreResult:
    """Measure a saved ranking against labels; see ``ScorePlan`` for the choices.

    >>> lists, labels = {"nurse": {"a": 2.0, "b": 1.0}}, {"a": "female", "b": "male"}
    >>> groups = {item: {"gender": label} for item, label in labels.items()}
    >>> score(lists, groups, metric="AbsBias@1").rows[0].mean
    1.0
    """
    return scored(ScorePlan.of(run=run, groups=groups, **choices), progress)


def score_variants(
    run: Any,
    groups: Any,
    *,
    mitigate: Sequence[Any],
    k: int,
    progress: Progress | None = None,
    **choices: Any,
) -> ScoreResult:
    """Measure a run plain and after each reranker; variants are paired with plain."""
    plan = cast(ScorePlan, ScorePlan.of(run=run, groups=groups, **choices))
    return scored_variants(plan, mitigate, k, metrics_in(plan), progress)


def rerank(
    run: Any, groups: Any = None, *, progress: Progress | None = None, **choices: Any
) -> RerankResult:
    """Mitigate a saved ranking; see ``RerankPlan`` for the choices."""
    return reranked(RerankPlan.of(run=run, groups=groups, **choices), progress)


def check(
    run: Any, groups: Any, *, progress: Progress | None = None, **choices: Any
) -> CheckResult:
    """Validate files and report what they hold; see ``LabelPlan`` for the choices."""
    plan = cast(LabelPlan, LabelPlan.of(run=run, groups=groups, **choices))
    bench = open_bench(plan, progress)
    coverage = {name: vars(c) for name, c in bench.labels.coverage.items()}
    return inspect(bench.evidence, coverage, manifest_in("check", plan, bench, warnings_of(bench)))


def reproduce(
    papers: Sequence[str] | None = None,
    *,
    labels: Mapping[str, str | Path] | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Ledger:
    """The ledger of published numbers; ``labels`` are files the user has obtained,
    ``{"occupation1": path, "occupation2": path}``.
    """
    for name in labels or {}:
        if name not in SOURCES:
            raise unknown_name("set of labels", name, SOURCES)
    counts = {}
    for name, path in (labels or {}).items():
        try:
            counts[name] = read_counts(name, Path(path))
        except DataError as error:
            raise DataError(error.message, f"{error.hint} The file is {SOURCES[name]}.") from error
    return reproducing.reproduce(papers, labels=counts, progress=progress, **choices)
