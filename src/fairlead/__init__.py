"""fairlead: audit, red-team and mitigate social, language and cultural bias in text-image
retrieval.

Everything public is importable from here and loaded when first used: ``import fairlead`` itself
    loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlead.commands.annotate import annotate
    from fairlead.commands.audit import audit
    from fairlead.commands.score import check, reproduce, rerank, score
    from fairlead.commands.search import Searcher, search
    from fairlead.commands.trigger import decide
    from fairlead.engine.galleries import embed
    from fairlead.errors import BackendError, DataError, FairleadError, MissingExtra, UsageError
    from fairlead.protocols import (
        Annotator,
        Benchmark,
        Encoder,
        Index,
        Metric,
        Probe,
        Projection,
        Reranker,
        Runner,
        Training,
    )
    from fairlead.protocols.registry import make
    from fairlead.protocols.spec import Spec, parse
    from fairlead.results.audit import Audit
    from fairlead.results.check import CheckResult
    from fairlead.results.decisions import Decisions
    from fairlead.results.rerank import RerankResult
    from fairlead.results.score import PairedRow, PerQuery, Row, ScoreResult
    from fairlead.results.search import SearchResult
    from fairlead.statistics.power import queries_needed, visible_difference
    from fairlead.trigger.decision import Decision
    from fairlead.types import (
        Collection,
        Embeddings,
        Groups,
        Queries,
        Ranking,
        Relevant,
        Sets,
        cross,
    )
    from fairlead.types.evidence import Evidence, Labelled, Lists, Target

__version__ = "0.1.0.dev0"

_HOMES = {
    "fairlead.commands.annotate": ("annotate",),
    "fairlead.commands.audit": ("audit",),
    "fairlead.commands.trigger": ("decide",),
    "fairlead.commands.score": ("check", "reproduce", "rerank", "score"),
    "fairlead.engine.galleries": ("embed",),
    "fairlead.results.search": ("SearchResult",),
    "fairlead.results.decisions": ("Decisions",),
    "fairlead.commands.search": ("Searcher", "search"),
    "fairlead.trigger.decision": ("Decision",),
    "fairlead.errors": ("BackendError", "DataError", "FairleadError", "MissingExtra", "UsageError"),
    "fairlead.types.evidence": ("Evidence", "Labelled", "Lists", "Target"),
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
    "fairlead.results.score": ("PairedRow", "PerQuery", "Row", "ScoreResult"),
    "fairlead.protocols.spec": ("Spec", "parse"),
    "fairlead.statistics.power": ("queries_needed", "visible_difference"),
    "fairlead.results.audit": ("Audit",),
    "fairlead.results.check": ("CheckResult",),
    "fairlead.results.rerank": ("RerankResult",),
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
    "Groups",
    "Index",
    "Labelled",
    "Lists",
    "Metric",
    "MissingExtra",
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
    "check",
    "cross",
    "decide",
    "embed",
    "make",
    "parse",
    "queries_needed",
    "reproduce",
    "rerank",
    "score",
    "search",
    "visible_difference",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'fairlead' has no attribute '{name}'")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
