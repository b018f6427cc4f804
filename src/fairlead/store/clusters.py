"""Clusters of queries: which queries belong together, for a cluster bootstrap.

The queries of a cluster are templates of one occupation, say, or paraphrases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.store.lines import Kind
from fairlead.store.runs import QUERY_ALIASES
from fairlead.store.tables import Header, read_table


def read_clusters(source: Any) -> dict[str, str]:
    """Read ``{query: cluster}`` from a table with ``query, cluster``, or from such a mapping."""
    if isinstance(source, Mapping):
        return {str(query): str(cluster) for query, cluster in source.items()}
    table = read_table(source, _pick)
    queries, clusters = (np.array(names[:], object)[rows] for names, rows in table.ids.values())
    cluster_of: dict[str, str] = {}
    for at, (query, cluster) in enumerate(zip(queries, clusters, strict=True)):
        if cluster_of.setdefault(query, cluster) != cluster:
            raise DataError(
                f"{table.place(at)}: query '{query}' is in cluster '{cluster_of[query]}' already.",
                "Give each query one cluster.",
            )
    return cluster_of


def _pick(header: Header) -> dict[str, Kind]:
    return {header.need("query", QUERY_ALIASES): "id", header.need("cluster", ()): "id"}
