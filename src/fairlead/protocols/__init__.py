"""The contracts, one a file.

Parameters live in the constructor, data in the call. Batch is the only path.
"""

from fairlead.protocols.annotator import (
    Annotator,
    DetectingAnnotator,
    ModelAnnotator,
    QueryAnnotator,
)
from fairlead.protocols.benchmark import Benchmark, Referenced, Repeatable, Skewed
from fairlead.protocols.encoder import (
    Beginning,
    Capabilities,
    Capable,
    Counting,
    Encoder,
    Injection,
    Loading,
    Preparing,
    Role,
    Side,
    Sight,
)
from fairlead.protocols.index import Index, KeptIndex, LiveIndex
from fairlead.protocols.metric import Direction, GroupMetric, KnownChance, Metric
from fairlead.protocols.probe import Probe
from fairlead.protocols.projection import Projected, Projection
from fairlead.protocols.reranker import Reranker
from fairlead.protocols.runner import Progress, Runner
from fairlead.protocols.source import LiveCollection, LiveSource
from fairlead.protocols.training import DualTowers, Training

__all__ = [
    "Annotator",
    "Beginning",
    "Benchmark",
    "Capabilities",
    "Capable",
    "Counting",
    "DetectingAnnotator",
    "Direction",
    "DualTowers",
    "Encoder",
    "GroupMetric",
    "Index",
    "Injection",
    "KeptIndex",
    "KnownChance",
    "LiveCollection",
    "LiveIndex",
    "LiveSource",
    "Loading",
    "Metric",
    "ModelAnnotator",
    "Preparing",
    "Probe",
    "Progress",
    "Projected",
    "Projection",
    "QueryAnnotator",
    "Referenced",
    "Repeatable",
    "Reranker",
    "Role",
    "Runner",
    "Side",
    "Sight",
    "Skewed",
    "Training",
]
