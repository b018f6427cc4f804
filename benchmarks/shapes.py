"""Made-up data in the shapes of the bars. SISPI: 194 professions with 256 images each, 2 genders x
4 ethnicities.
"""

from __future__ import annotations

import numpy as np

from fairlead.statistics import targets
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled

QUERIES, OWN, ITEMS = 194, 256, 194 * 256
GENDERS, ETHNICITIES = ("female", "male"), ("asian", "black", "latin", "white")


def names(groups: int) -> tuple[str, ...]:
    return tuple(f"group{g}" for g in range(groups))


def evidence_of(codes: np.ndarray, groups: int) -> Evidence:
    """Evidence of (queries, items) group codes in ranked order, one item per entry, target uniform."""
    queries, size = codes.shape
    labels = Groups("group", names(groups), codes=codes.ravel())
    ranking = Ranking(
        np.arange(queries + 1) * size,
        np.arange(codes.size),
        np.tile(-np.arange(size, dtype=np.float32), queries),
    )
    return Evidence(
        ranking,
        tuple(f"q{q}" for q in range(queries)),
        {"group": Labelled(labels, targets.uniform(labels))},
    )


def soft_evidence(queries: int, size: int, groups: int, seed: int = 0) -> Evidence:
    """Evidence on soft labels of groups of unequal size, falling scores, target uniform; eight
    groups are intersections of two and four.
    """
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(rng.dirichlet(np.full(groups, 5.0)) * groups * 0.3, queries * size)
    own = tuple(f"{g}*{e}" for g in GENDERS for e in ETHNICITIES) if groups == 8 else names(groups)
    labels = Groups("group", own, soft=shares)
    scores = np.sort(rng.standard_normal((queries, size)), axis=1)[:, ::-1]
    ranking = Ranking(np.arange(queries + 1) * size, np.arange(queries * size), scores.ravel())
    return Evidence(
        ranking,
        tuple(f"q{q}" for q in range(queries)),
        {"group": Labelled(labels, targets.uniform(labels))},
    )


def balanced(groups: int, seed: int = 0) -> np.ndarray:
    """(194, 256) codes in random order, every group equally often in every list."""
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(OWN) % groups, (QUERIES, 1)), axis=1)


def unbalanced(groups: int, seed: int = 0) -> np.ndarray:
    """(194, 256) codes whose counts differ from list to list."""
    rng = np.random.default_rng(seed)
    return np.stack(
        [rng.choice(groups, OWN, p=rng.dirichlet(np.full(groups, 3.0))) for _ in range(QUERIES)]
    )


def gallery() -> list[str]:
    """The 49,664 file names, profession_seed_gender_ethnicity.jpg, as the benchmark spells them."""
    sets = [
        f"{seed:02d}_{g}_{e}.jpg" for seed in range(OWN // 8) for g in GENDERS for e in ETHNICITIES
    ]
    return [f"images/profession{p:03d}_{name}" for p in range(QUERIES) for name in sets]


def similarities(seed: int = 0) -> np.ndarray:
    """(194, 49,664) float32 scores: a query's own images stand higher, and each query leans to a
    group of its own.
    """
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((QUERIES, ITEMS), dtype=np.float32) * np.float32(
        0.03
    ) + np.float32(0.2)
    lean = rng.standard_normal((QUERIES, 8)).astype(np.float32) * np.float32(0.01)
    for query in range(QUERIES):
        scores[query, query * OWN : (query + 1) * OWN] += np.float32(0.08) + np.tile(
            lean[query], OWN // 8
        )
    return scores
