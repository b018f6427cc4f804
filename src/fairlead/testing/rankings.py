"""The plain ranking of a study, the shortest way: what longer roads are held against."""

from __future__ import annotations

from fairlead.engine.study import encode_items, encode_queries, searched
from fairlead.protocols import Encoder, Index
from fairlead.types import Ranking, Study


def whole_ranking(study: Study, encoder: Encoder, index: Index) -> Ranking:
    """The ranking of every query over the whole collection, or over the candidates the protocol
    fixes.
    """
    index.add(encode_items(study, encoder))
    return searched(study, encode_queries(study, encoder), index)
