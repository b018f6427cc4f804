"""A study's ranking as evidence, and how the study asks to be measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fairlead.measuring.settings import Settings
from fairlead.statistics import targets
from fairlead.types import Groups, Ranking, Sets, Study
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import locate


def evidence_of(
    study: Study,
    ranking: Ranking,
    groups: Mapping[str, Groups],
    roles: Mapping[str, Groups] | None = None,
) -> Evidence:
    """The ranking as evidence, with everything the study knows.

    That is labels of items, labels of each query's candidates, targets, judgements, pool and
    matched sets.
    """
    queries = study.queries
    size = len(study.collection)
    # without candidates of its own a query ranks over the whole collection
    pool = queries.candidates or Sets(np.array([0, size]), np.arange(size))
    attributes = {name: Labelled(g, targets.uniform(g)) for name, g in groups.items()}
    if roles:
        # Labels of candidates lie in the order of the pool; the ranking has its own.
        entries = locate(pool.offsets, pool.rows, ranking.offsets, ranking.rows)
        attributes |= {
            name: Labelled(g.take(entries), targets.uniform(g), aligned=True)
            for name, g in roles.items()
        }
    return Evidence(ranking, queries.ids, attributes, queries.relevant, pool, study.blocks)


def settings_of(study: Study, settings: Settings) -> Settings:
    """The settings with the study's parts and clusters of queries."""
    tags = study.queries.tags
    clusters = settings.clusters
    if study.clusters:
        clusters = np.unique(tags[study.clusters], return_inverse=True)[1]
    return replace(settings, clusters=clusters, by={tag: tags[tag] for tag in study.by})
