"""The nouns: frozen values over numpy arrays, validated once when made. No I/O, no torch.

Items are addressed by row number inside and by id outside; queries likewise. Ragged data is an
``offsets`` array (queries + 1) and flat arrays: the entries of query ``q`` are
``flat[offsets[q]:offsets[q + 1]]``.
"""

from fairlead.types.arrays import frozen, one_hot
from fairlead.types.collection import Collection
from fairlead.types.embeddings import Embeddings
from fairlead.types.groups import NOT_APPLICABLE, UNKNOWN, Groups, cross
from fairlead.types.queries import Queries
from fairlead.types.ranking import Ranking, Relevant, Sets
from fairlead.types.study import Study

__all__ = [
    "NOT_APPLICABLE",
    "UNKNOWN",
    "Collection",
    "Embeddings",
    "Groups",
    "Queries",
    "Ranking",
    "Relevant",
    "Sets",
    "Study",
    "cross",
    "frozen",
    "one_hot",
]
