"""The Mitigator gives the lists that ``rerank`` gives: every reranker, policy for unknown labels, form
of labels and target.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import fairlead
from fairlead.protocols.registry import entries

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
RUNS = 40 if FULL else 3
GROUPS = ("a", "b", "c")
QUERIES = ("nurse", "female CEO", "q17", "a photo of a judge")
TARGETS = ("uniform", "pool", {"a": 0.5, "b": 0.3, "c": 0.2})


def candidates(seed: int, *, soft: bool):
    """Ids, scores with ties, and labels by name, in every group somebody and some unknown."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(6, 40))
    ids = [f"item{n}" for n in rng.permutation(1_000)[:size]]
    scores = rng.integers(0, 12, size) / 4 if rng.random() < 0.5 else rng.standard_normal(size)
    if soft:
        shares = np.round(rng.dirichlet(np.full(4, 0.5), size)[:, 1:], 4)
        return ids, scores, shares
    names = [None, *GROUPS]
    labels = [names[code] for code in rng.integers(0, 4, size)]
    labels[:3] = GROUPS
    return ids, scores, labels


def reranked(query, ids, scores, labels, target, k, **choices):
    """What ``rerank`` gives for one list, and its decision."""
    run = {query: dict(zip(ids, map(float, scores), strict=True))}
    if isinstance(labels, np.ndarray):
        columns = {f"g={g}": labels[:, n] for n, g in enumerate(GROUPS)}
        table = {"item": ids, **columns}
    else:
        table = {"item": ids, "g": [label or "" for label in labels]}
    stated = {"g": target} if isinstance(target, dict) else target
    result = fairlead.rerank(run, table, target=stated, k=k, **choices)
    return [result.items[row] for row in result.ranking.rows], result.decisions[0]


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("unknown", ["ignore", "own-group", "spread"])
@pytest.mark.parametrize("name", entries("reranker"))
def test_any_list_is_the_one_that_rerank_gives(name, unknown, soft):
    for seed in range(RUNS):
        ids, scores, labels = candidates(seed, soft=soft)
        rng = np.random.default_rng(seed + 1)
        query, target = QUERIES[seed % 4], TARGETS[int(rng.integers(0, 3))]
        choices = {"mitigate": name, "unknown": unknown, "trigger": bool(rng.random() < 0.7)}
        k, seed = int(rng.integers(1, 15)), int(rng.integers(0, 5))
        expected, decision = reranked(query, ids, scores, labels, target, k, seed=seed, **choices)
        mitigator = fairlead.Mitigator.of(
            name,
            attribute="g",
            groups=GROUPS,
            target=target,
            k=k,
            unknown=unknown,
            trigger=choices["trigger"],
            seed=seed,
        )
        shown = mitigator(ids, scores, labels, query=query)
        assert list(shown.ids) == expected
        assert shown.decision == decision
        assert shown.changed == (expected != plain(ids, scores, query, seed)[: len(expected)])


def plain(ids, scores, query, seed):
    """The order of a run: the plain list of ``rerank``."""
    from fairlead.store.runs import read_run

    run = read_run({query: dict(zip(ids, map(float, scores), strict=True))}, seed=seed)
    return [run.items[row] for row in run.ranking.rows]


@pytest.mark.parametrize("unknown", ["ignore", "own-group", "spread"])
@pytest.mark.parametrize("name", entries("reranker"))
def test_many_lists_are_those_of_one_by_one(name, unknown):
    lists = [candidates(seed, soft=seed % 3 == 0) for seed in range(7)] + [([], [], [])]
    queries = [QUERIES[n % 4] for n in range(len(lists))]
    mitigator = fairlead.Mitigator.of(
        name, attribute="g", groups=GROUPS, target="pool", k=5, unknown=unknown
    )
    together = mitigator.many(*map(list, zip(*lists, strict=True)), queries=queries)
    alone = [mitigator(*one, query=query) for one, query in zip(lists, queries, strict=True)]
    assert [one.to_dict() for one in together] == [one.to_dict() for one in alone]


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("name", ["detgreedy", "levelled", "constrained", "pm2"])
def test_order_of_group_names_changes_nothing(name, soft):
    for seed in range(5):
        ids, scores, labels = candidates(seed, soft=soft)
        if not soft:
            labels = np.array([-1 if x is None else GROUPS.index(x) for x in labels])
        made = {"attribute": "g", "target": {"a": 0.5, "b": 0.3, "c": 0.2}, "k": 8}
        given = fairlead.Mitigator.of(name, groups=GROUPS, **made)(ids, scores, labels)
        turned = np.array([2, 0, 1])
        names = tuple(GROUPS[n] for n in turned)
        other = labels[:, turned] if soft else np.append(np.argsort(turned), -1)[labels]
        again = fairlead.Mitigator.of(name, groups=names, **made)(ids, scores, other)
        assert again.to_dict() == given.to_dict()
