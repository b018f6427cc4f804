"""The contracts, one a file. Parameters live in the constructor, data in the call; batch is the
only path.
"""

from fairlead.protocols.annotator import Annotator, QueryAnnotator
from fairlead.protocols.benchmark import Benchmark, Referenced, Repeatable, Skewed
from fairlead.protocols.encoder import Encoder, Preparing, Role, Sight
from fairlead.protocols.index import Index, KeptIndex
from fairlead.protocols.metric import Direction, GroupMetric, Metric
from fairlead.protocols.probe import Probe
from fairlead.protocols.projection import Projected, Projection
from fairlead.protocols.reranker import Reranker
from fairlead.protocols.runner import Progress, Runner
from fairlead.protocols.training import DualTowers, Training

__all__ = [
    "Annotator",
    "Benchmark",
    "Direction",
    "DualTowers",
    "Encoder",
    "GroupMetric",
    "Index",
    "KeptIndex",
    "Metric",
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
    "Sight",
    "Skewed",
    "Training",
]
