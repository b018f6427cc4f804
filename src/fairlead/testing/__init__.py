"""Laws of each protocol and small data, for authors of plug-ins.

One call checks everything that an extension's kind promises.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlead.testing.annotators import all_laws as annotator_laws
    from fairlead.testing.benchmarks import all_laws as benchmark_laws
    from fairlead.testing.encoders import all_laws as encoder_laws
    from fairlead.testing.metrics import all_laws as metric_laws
    from fairlead.testing.probes import all_laws as probe_laws
    from fairlead.testing.projections import all_laws as projection_laws
    from fairlead.testing.rerankers import all_laws as reranker_laws
    from fairlead.testing.trainings import all_laws as training_laws

_LAWS = {
    "annotator_laws": "annotators",
    "benchmark_laws": "benchmarks",
    "encoder_laws": "encoders",
    "metric_laws": "metrics",
    "probe_laws": "probes",
    "projection_laws": "projections",
    "reranker_laws": "rerankers",
    "training_laws": "trainings",
}

__all__ = [
    "annotator_laws",
    "benchmark_laws",
    "encoder_laws",
    "metric_laws",
    "probe_laws",
    "projection_laws",
    "reranker_laws",
    "training_laws",
]


def __getattr__(name: str) -> Any:
    # loaded when first used, since the laws of trainings need torch
    if name not in _LAWS:
        raise AttributeError(f"module 'fairlead.testing' has no attribute '{name}'")
    return import_module(f"fairlead.testing.{_LAWS[name]}").all_laws
