"""Target files: the group shares that a user states.

Their columns are ``query,attribute,group,share``, with ``*`` for all queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.store.lines import Kind
from fairlead.store.runs import QUERY_ALIASES
from fairlead.store.tables import Header, LoadedTable, read_table

TargetShares = dict[str, dict[tuple[str, str], float]]
"""``{attribute: {(query id or "*", group): share}}``: what ``fairlead.statistics.targets.given``
takes, attribute by attribute.
"""


def read_target(source: Any) -> TargetShares:
    """Read stated target shares.

    Args:
        source: A CSV, TSV, JSON-lines or Parquet file or a data frame with ``query, attribute,
            group, share``; or ``{attribute: {group: share}}`` for all queries.

    Raises:
        DataError: For a share that is no number in [0, 1], a group stated twice, a missing column.
            Whether the shares of a query sum to one and name every group is checked against the
            labels, by ``fairlead.statistics.targets.given``.
    """
    if (
        isinstance(source, Mapping)
        and source
        and all(isinstance(v, Mapping) for v in source.values())
    ):
        source = [
            {"query": "*", "attribute": str(attribute), "group": str(group), "share": share}
            for attribute, shares in source.items()
            for group, share in shares.items()
        ]
    return _shares(read_table(source, _pick))


def _pick(header: Header) -> dict[str, Kind]:
    ids: dict[str, Kind] = {
        header.need("query", QUERY_ALIASES): "id",
        header.need("attribute", ()): "id",
        header.need("group", ()): "id",
    }
    return ids | {header.need("share", ()): "number"}


def _shares(table: LoadedTable) -> TargetShares:
    (share,) = table.numbers.values()
    # written so that NaN, which no comparison holds for, is wrong too
    wrong = ~((share >= 0) & (share <= 1))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise DataError(
            f"{table.place(at)}: the share {share[at]:g} is not in [0, 1].",
            "The shares of a query sum to 1.",
        )
    queries, attributes, groups = (
        np.array(names[:], object)[rows] for names, rows in table.ids.values()
    )
    targets: TargetShares = {}
    for at, (query, attribute, group) in enumerate(zip(queries, attributes, groups, strict=True)):
        shares = targets.setdefault(attribute, {})
        if (query, group) in shares:
            raise DataError(
                (
                    f"{table.place(at)}: the share of '{group}' of '{attribute}' for query "
                    f"'{query}' is stated twice."
                ),
                "Keep one of the two.",
            )
        shares[query, group] = float(share[at])
    return targets
