"""fairlead: audit, red-team and mitigate social, language and cultural bias in text-image retrieval.

Everything public is importable from here and loaded when first used: ``import fairlead`` itself loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlead.annotating import annotate
    from fairlead.audits import audit
    from fairlead.decisions import decide
    from fairlead.engine import check, reproduce, rerank, score
    from fairlead.errors import BackendError, DataError, FairleadError, MissingExtra, UsageError
    from fairlead.evidence import Evidence, Labelled, Lists, Target
    from fairlead.galleries import embed
    from fairlead.protocols import Annotator, Encoder, Index, Metric, Probe, Projection, Reranker, Runner
    from fairlead.registry import make
    from fairlead.report.answers import SearchResult
    from fairlead.report.decisions import Decisions
    from fairlead.report.results import PairedRow, PerQuery, Row, ScoreResult
    from fairlead.searches import Searcher, search
    from fairlead.spec import Spec, parse
    from fairlead.statistics.power import queries_needed, visible_difference
    from fairlead.tasks.audit import Audit
    from fairlead.tasks.check import CheckResult
    from fairlead.tasks.rerank import RerankResult
    from fairlead.trigger.decision import Decision
    from fairlead.types import Collection, Embeddings, Groups, Queries, Ranking, Relevant, Sets, cross

__version__ = "0.1.0.dev0"

_HOMES = {
    "fairlead.annotating": ("annotate",),
    "fairlead.audits": ("audit",),
    "fairlead.decisions": ("decide",),
    "fairlead.engine": ("check", "reproduce", "rerank", "score"),
    "fairlead.galleries": ("embed",),
    "fairlead.report.answers": ("SearchResult",),
    "fairlead.report.decisions": ("Decisions",),
    "fairlead.searches": ("Searcher", "search"),
    "fairlead.trigger.decision": ("Decision",),
    "fairlead.errors": ("BackendError", "DataError", "FairleadError", "MissingExtra", "UsageError"),
    "fairlead.evidence": ("Evidence", "Labelled", "Lists", "Target"),
    "fairlead.protocols": ("Annotator", "Encoder", "Index", "Metric", "Probe", "Projection", "Reranker", "Runner"),
    "fairlead.registry": ("make",),
    "fairlead.report.results": ("PairedRow", "PerQuery", "Row", "ScoreResult"),
    "fairlead.spec": ("Spec", "parse"),
    "fairlead.statistics.power": ("queries_needed", "visible_difference"),
    "fairlead.tasks.audit": ("Audit",),
    "fairlead.tasks.check": ("CheckResult",),
    "fairlead.tasks.rerank": ("RerankResult",),
    "fairlead.types": ("Collection", "Embeddings", "Groups", "Queries", "Ranking", "Relevant", "Sets", "cross"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Annotator", "Audit", "BackendError", "CheckResult", "Collection", "DataError", "Decision", "Decisions", "Embeddings",
    "Encoder", "Evidence", "FairleadError", "Groups", "Index", "Labelled", "Lists", "Metric", "MissingExtra", "PairedRow",
    "PerQuery", "Probe", "Projection", "Queries", "Ranking", "Relevant", "RerankResult", "Reranker", "Row", "Runner",
    "ScoreResult", "SearchResult", "Searcher", "Sets", "Spec", "Target", "UsageError", "annotate", "audit", "check", "cross", "decide",
    "embed", "make", "parse", "queries_needed", "reproduce", "rerank", "score", "search", "visible_difference",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'fairlead' has no attribute '{name}'")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
