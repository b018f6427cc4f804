"""fairlead: audit, red-team and mitigate social, language and cultural bias in text-image
retrieval.

Everything public is importable from here and loaded when first used: ``import fairlead`` itself
loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fairlead.store.telemetry import switch_off

switch_off()
__version__ = "0.1.0.dev0"

_HOMES = {
    "fairlead.engine.mitigator": ("Mitigator",),
    "fairlead.results.mitigated": ("MitigatedList",),
    "fairlead.commands.search": ("Searcher",),
    "fairlead.errors": ("BackendError", "DataError", "FairleadError", "MissingExtra", "UsageError"),
    "fairlead.protocols": (
        "Annotator",
        "Benchmark",
        "Encoder",
        "Index",
        "Metric",
        "Probe",
        "Projection",
        "Reranker",
        "Runner",
        "Training",
    ),
    "fairlead.protocols.registry": ("make",),
    "fairlead.protocols.spec": ("Spec", "parse"),
    "fairlead.results.audit": ("Audit",),
    "fairlead.results.check": ("CheckResult",),
    "fairlead.results.decisions": ("Decisions",),
    "fairlead.results.frontier": ("FrontierResult",),
    "fairlead.results.rerank": ("RerankResult",),
    "fairlead.results.score": ("PairedRow", "PerQuery", "Row", "ScoreResult"),
    "fairlead.results.search": ("SearchResult",),
    "fairlead.statistics.power": ("queries_needed", "visible_difference"),
    "fairlead.trigger.decision": ("Decision",),
    "fairlead.types": (
        "Collection",
        "Embeddings",
        "Groups",
        "Queries",
        "Ranking",
        "Relevant",
        "Sets",
        "cross",
    ),
    "fairlead.types.evidence": ("Evidence", "Labelled", "Lists", "Target"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Annotator",
    "Audit",
    "BackendError",
    "Benchmark",
    "CheckResult",
    "Collection",
    "DataError",
    "Decision",
    "Decisions",
    "Embeddings",
    "Encoder",
    "Evidence",
    "FairleadError",
    "FrontierResult",
    "Groups",
    "Index",
    "Labelled",
    "Lists",
    "Metric",
    "MissingExtra",
    "MitigatedList",
    "Mitigator",
    "PairedRow",
    "PerQuery",
    "Probe",
    "Projection",
    "Queries",
    "Ranking",
    "Relevant",
    "RerankResult",
    "Reranker",
    "Row",
    "Runner",
    "ScoreResult",
    "SearchResult",
    "Searcher",
    "Sets",
    "Spec",
    "Target",
    "Training",
    "UsageError",
    "annotate",
    "audit",
    "calibrate",
    "check",
    "compare_labellers",
    "cross",
    "decide",
    "demo",
    "doctor",
    "embed",
    "entries",
    "evaluate_annotator",
    "frontier",
    "human",
    "index",
    "make",
    "neutralise",
    "parse",
    "queries_needed",
    "remove",
    "replay",
    "reproduce",
    "rerank",
    "score",
    "search",
    "simulate",
    "train",
    "visible_difference",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    if name in __all__:
        return import_module("fairlead.commands.functions").public(name)
    raise AttributeError(f"module 'fairlead' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
