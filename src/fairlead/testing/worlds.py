"""Small evidence for tests: written by hand, or random and meeting every corner on purpose.

Random evidence has empty lists, unknown and not applicable items, soft labels, intersections,
targets with zeros or without a value, ties, and queries without relevant items. Same seed, same
evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairlead.statistics.targets import uniform
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups, Ranking, Relevant, Sets, cross
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.ragged import Array, offsets_of

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota")


def ranked(
    *lists: str,
    names: str = "FM",
    target: ArrayLike | None = None,
    scores: Sequence[Sequence[float]] | None = None,
) -> Evidence:
    """Evidence from texts, one per query, with one letter per item.

    A letter of ``names`` is a group, ``?`` unknown, ``-`` not applicable.

    >>> ranked("FF?M").labels.codes.tolist()
    [0, 0, -1, 1]
    """
    labels = [
        {"?": None, "-": "not-applicable"}.get(letter, letter) for text in lists for letter in text
    ]
    groups = Groups.of("attribute", labels, names=tuple(names))
    goal = uniform(groups) if target is None else Target("given", np.asarray(target))
    starts = offsets_of(np.array([len(text) for text in lists])).tolist()
    # not strict: there is one offset more than lists, the end of the last
    rows = [range(start, start + len(text)) for start, text in zip(starts, lists, strict=False)]
    return Evidence(
        Ranking.of(rows, scores),
        tuple(f"q{q}" for q in range(len(lists))),
        {"attribute": Labelled(groups, goal)},
    )


def coded_lists(
    codes: Sequence[Sequence[int]], groups: int, target: ArrayLike | None = None
) -> Evidence:
    """Evidence on hard labels, one list of codes per query; every entry is an item of its own.

    ``target`` is (1 or queries, groups); uniform by default.
    """
    sizes = np.array([len(part) for part in codes], np.int64)
    flat = np.array([code for part in codes for code in part], np.int16)
    ranking = Ranking(offsets_of(sizes), np.arange(len(flat)), -np.arange(len(flat), dtype=float))
    labels = Groups("a", tuple(f"g{g}" for g in range(groups)), codes=flat)
    goal = uniform(labels) if target is None else Target("given", np.asarray(target))
    return Evidence(
        ranking, tuple(f"q{q}" for q in range(len(codes))), {"a": Labelled(labels, goal)}
    )


def drawn_lists(seed: int, queries: int, depth: int = 14) -> Evidence:
    """Random candidates for rerankers: ragged lists, tied scores, all kinds of labels and targets.

    Some lists are empty; labels are hard, soft or query-dependent; targets have zeros and gaps.
    """
    rng = np.random.default_rng(seed)
    groups, items = int(rng.integers(1, 9)), 60
    rows = [rng.permutation(items)[: rng.integers(0, depth + 1)] for _ in range(queries)]
    # few values, so that ties are common, and eighths, which 32 bits hold exactly
    scores = [np.sort(rng.integers(0, 12, len(r)) / 8)[::-1] for r in rows]
    sizes = np.array([len(r) for r in rows])
    ranking = Ranking(offsets_of(sizes), _joined(rows), _joined(scores))
    weights = rng.integers(0, 5, (queries if rng.random() < 0.7 else 1, groups)) + 0.0
    weights[weights.sum(1) == 0] = 1
    weights[rng.random(len(weights)) < 0.1] = np.nan
    aligned = bool(rng.random() < 0.3)
    size = len(ranking.rows) if aligned else items
    names = tuple(f"g{g}" for g in range(groups))
    if rng.random() < 0.6:
        labels = Groups("a", names, codes=rng.integers(NOT_APPLICABLE, groups, size))
    else:
        soft = rng.dirichlet(np.full(groups + 1, 0.5), size)[:, 1:]
        absent = rng.random(size) < 0.1
        labels = Groups("a", names, soft=soft * ~absent[:, None], not_applicable=absent)
    target = Target("given", weights / weights.sum(1, keepdims=True))
    ids = tuple(f"query {q}" for q in range(queries))
    return Evidence(ranking, ids, {"a": Labelled(labels, target, aligned)})


def small_evidence(
    seed: int, *, least_groups: int = 1, most_groups: int = 9, soft: bool | None = None
) -> Evidence:
    """Random evidence on one attribute, of a few queries and a few items.

    Args:
        seed: Same seed, same evidence.
        least_groups: Fewest groups; they are named by ``NAMES`` from the first on.
        most_groups: Most groups.
        soft: Whether labels are soft; None leaves it to chance.
    """
    rng = np.random.default_rng(seed)
    items, queries = int(rng.integers(1, 20)), int(rng.integers(1, 6))
    ranking = _ranking(rng, queries, items)
    names = NAMES[: int(rng.integers(least_groups, most_groups + 1))]
    aligned = bool(rng.random() < 0.2)
    labelled = len(ranking.rows) if aligned else items
    is_soft = bool(rng.random() < 0.5) if soft is None else soft
    groups = _soft(rng, names, labelled) if is_soft else _hard(rng, names, labelled)
    target = _target(rng, groups, queries)
    relevant = _sets(rng, queries, items)
    gains = rng.choice([1.0, 1.0, 2.0, 0.5], len(relevant.rows))
    return Evidence(
        ranking,
        tuple(f"q{q}" for q in range(queries)),
        {"attribute": Labelled(groups, target, aligned)},
        relevant=Relevant(relevant.offsets, relevant.rows, gains),
        pool=Sets(np.array([0, items]), np.arange(items)) if rng.random() < 0.5 else None,
    )


def crossed(evidence: Evidence, seed: int) -> Evidence:
    """The same evidence on the intersection of its attribute with a second, random one."""
    # a stream of its own: with the same one, both attributes would have the same draws
    rng = np.random.default_rng([seed, 1])
    labelled = evidence.attribute
    size = len(labelled.groups)
    if rng.random() < 0.5:
        second = _soft(rng, ("old", "young"), size)
    else:
        second = _hard(rng, ("old", "young"), size)
    both = cross(labelled.groups, second)
    return Evidence(
        evidence.ranking,
        evidence.queries,
        {both.attribute: Labelled(both, uniform(both), labelled.aligned)},
        evidence.relevant,
    )


def _ranking(rng: np.random.Generator, queries: int, items: int) -> Ranking:
    # lists of nothing, of one item and of everything, as often as all lengths in between
    sizes = [
        (0, 1, items, int(rng.integers(0, items + 1)))[rng.integers(0, 4)] for _ in range(queries)
    ]
    lists = [rng.permutation(items)[:size] for size in sizes]
    scores = [np.sort(rng.integers(-3, 3, len(x)))[::-1] for x in lists]
    return Ranking(offsets_of(np.array([len(x) for x in lists])), _joined(lists), _joined(scores))


def _hard(rng: np.random.Generator, names: tuple[str, ...], size: int) -> Groups:
    codes = rng.integers(0, len(names), size)
    # everybody of one group, so that the shares of all others are 0
    if rng.random() < 0.2:
        codes = np.full(size, rng.integers(0, len(names)))
    gaps = rng.random(size) < rng.choice([0.0, 0.3, 1.0], p=[0.3, 0.6, 0.1])
    return Groups(
        "attribute", names, codes=np.where(gaps, rng.choice([UNKNOWN, NOT_APPLICABLE], size), codes)
    )


def _soft(rng: np.random.Generator, names: tuple[str, ...], size: int) -> Groups:
    # rows that sum to one, to less, and to nearly nothing: what they lack is unknown
    share = rng.dirichlet(np.full(len(names), 0.5), size) * rng.choice([1.0, 0.7, 0.05], (size, 1))
    share[rng.random(share.shape) < 0.2] = 0.0
    # an annotator may be certain of some items
    hard = rng.random(size) < 0.3
    share[hard] = np.eye(len(names))[rng.integers(0, len(names), int(hard.sum()))]
    absent = rng.random(size) < 0.1
    share[(rng.random(size) < rng.choice([0.1, 1.0], p=[0.9, 0.1])) | absent] = 0.0
    return Groups("attribute", names, soft=share, not_applicable=absent, source="random")


def _target(rng: np.random.Generator, groups: Groups, queries: int) -> Target:
    kind = rng.choice(["uniform", "shared", "own"])
    if kind == "uniform":
        return uniform(groups)
    shares = rng.dirichlet(np.ones(len(groups.names)), queries if kind == "own" else 1)
    if len(groups.names) > 1 and rng.random() < 0.3:
        shares[:, rng.integers(0, len(groups.names))] = 0.0
    shares /= shares.sum(1, keepdims=True)
    if kind == "own" and rng.random() < 0.3:
        shares[0] = np.nan
    return Target("random", shares)


def _sets(rng: np.random.Generator, queries: int, items: int) -> Sets:
    lists = [rng.permutation(items)[: int(rng.integers(0, items + 1))] for _ in range(queries)]
    return Sets(offsets_of(np.array([len(x) for x in lists])), _joined(lists))


def _joined(parts: list[Any]) -> Array:
    if parts:
        return np.concatenate([np.asarray(p) for p in parts])
    return np.empty(0)
