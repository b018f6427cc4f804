"""Rerankers: k = 100 of 10,000 against ``reranking``, FairRankTune and AIF360; every reranker k =
100 of 1,000.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import FairRankTune
import numpy as np
import pandas as pd
import plain_python
import reranking
from figures import Figure, against, below, best
from shapes import evidence_of, names, soft_evidence

from fairlead.engine.mitigator import Mitigator
from fairlead.protocols import registry
from fairlead.rerankers.fairexpec import FairExpec
from fairlead.rerankers.mopr import MOPR, families
from fairlead.rerankers.selection import select
from fairlead.rerankers.single import SingleLists, one_by_one
from fairlead.types.evidence import Evidence

K, LISTS = 100, 50
PROGRAMS = {
    "fairexpec": ("", "(delta=0.05)"),
    "mopr": ("",),
    "exposure_lp": ("",),
    "noisy_fair": ("", "(block=5)"),
}
"""They solve a program for each query: their times are stated, with no bar."""
ONE_BY_ONE = ("mmr", "xquad", "pm2", "constrained")
"""They follow each list to its end, so that a batch is no quicker."""
PEERS = {"detgreedy": "det_greedy", "detconstsort": "det_const_sort"}


def bench(full: bool) -> Iterator[Figure]:
    rng = np.random.default_rng(0)
    for groups in (2, 8):
        codes = rng.integers(0, groups, (LISTS, 10_000))
        for ours in PEERS:
            yield from through_the_door(ours, codes, groups)
            yield from compare(ours, codes, groups)
    for name in registry.entries("reranker"):
        if name in PROGRAMS:
            yield from programs(name)
            continue
        if name not in ONE_BY_ONE:
            yield from limits(name, rng)
        yield from soft_limits(name)
    yield from soft_limits("constrained(slack=0.05)")  # upper and lower counts bind at once


def through_the_door(name: str, codes: np.ndarray, groups: int) -> Iterator[Figure]:
    """One reranker from ids and labels, as text, to the ids that are shown; so is each peer."""
    named = names(groups)
    ids, scores = [f"img_{n:06}.jpg" for n in range(10_000)], np.linspace(1, 0, 10_000)
    labels = [np.array(named, object)[row] for row in codes]
    target = dict.fromkeys(named, 1 / groups)
    mitigator = Mitigator.of(name, attribute="group", groups=named, k=K)

    def theirs() -> list[str]:
        order = reranking.rerank(labels[0], target, k_max=K, algorithm=PEERS[name])
        return [ids[place] for place in order]

    alone, shown = best(lambda: mitigator(ids, scores, labels[0]), 50)
    batch, _ = best(lambda: mitigator.many([ids] * LISTS, [scores] * LISTS, labels), 3)
    peer, order = best(theirs, 10)
    note = "the same list" if order == list(shown.ids) else "its list breaks lower bounds"
    what = f"{name} k=100 of 10,000 ids, {groups} groups, from text to ids"
    yield against(
        f"{what}, alone", 1e3 * alone, "reranking", 1e3 * peer, unit="ms", least=8, note=note
    )
    yield against(
        f"{what}, per list of {LISTS}", 1e3 * batch / LISTS, "reranking", 1e3 * peer, unit="ms"
    )
    if name == "detgreedy":
        given, falling = labels[0].tolist(), scores.tolist()
        python, order = best(lambda: plain_python.detgreedy(ids, falling, given, target, K), 20)
        note = "the same list" if order == list(shown.ids) else "another list"
        yield against(
            f"{what}, alone", 1e3 * alone, "plain Python", 1e3 * python, unit="ms", note=note
        )


def compare(name: str, codes: np.ndarray, groups: int) -> Iterator[Figure]:
    """One kernel on lists of 10,000, in a batch and alone, against the peers that have it; from
    whole numbers to places, as the peers are given here.
    """
    reranker, many = registry.make("reranker", name), evidence_of(codes, groups)
    one = many.select(np.array([0]))
    batch, _ = best(timed(reranker, many), 10)
    alone, ranking = best(timed(reranker, one), 50)
    target = dict.fromkeys(range(groups), 1 / groups)
    theirs, order = best(
        lambda: reranking.rerank(codes[0], target, k_max=K, algorithm=PEERS[name]), 10
    )
    same = (
        "the same list"
        if one.ranking.rows[order].tolist() == ranking.rows.tolist()
        else "its list breaks lower bounds"
    )
    what = f"{name} k=100 of 10,000, {groups} groups, the kernel"
    yield against(
        f"{what}, per list of {LISTS}",
        1e3 * batch / LISTS,
        "reranking",
        1e3 * theirs,
        unit="ms",
        least=100,
        note=same,
    )
    yield against(
        f"{what}, alone", 1e3 * alone, "reranking", 1e3 * theirs, unit="ms", least=100, note=same
    )
    if name == "detconstsort":
        frame, scores = pd.DataFrame(range(10_000)), pd.DataFrame(np.linspace(1, 0, 10_000))
        lookup, share = dict(enumerate(codes[0].tolist())), dict.fromkeys(range(groups), 1 / groups)
        theirs, _ = best(lambda: FairRankTune.DETCONSTSORT(frame, lookup, scores, share, K), 5)
        yield against(
            f"{what}, alone",
            1e3 * alone,
            "FairRankTune",
            1e3 * theirs,
            unit="ms",
            note="its list breaks lower bounds",
        )
    if groups == 2:
        theirs = toolkit(codes[0], "Greedy" if name == "detgreedy" else "Constrained")
        note = "its list may repeat items" if name == "detgreedy" else ""
        yield against(f"{what}, alone", 1e3 * alone, "AIF360", 1e3 * theirs, unit="ms", note=note)


def toolkit(codes: np.ndarray, kind: str) -> float:
    """Seconds AIF360 needs to predict, its model fitted before."""
    logging.disable(logging.WARNING)
    from aif360.algorithms.postprocessing import DeterministicReranking
    from aif360.datasets import RegressionDataset

    frame = pd.DataFrame({"group": codes.astype(float), "score": np.linspace(1, 0, len(codes))})
    data = RegressionDataset(
        frame, "score", protected_attribute_names=["group"], privileged_classes=[[1.0]]
    )
    model = DeterministicReranking(
        unprivileged_groups=[{"group": 0.0}], privileged_groups=[{"group": 1.0}]
    )
    model.fit(data)
    seconds, _ = best(
        lambda: model.predict(data, rec_size=K, target_prop=[0.5, 0.5], rerank_type=kind), 5
    )
    logging.disable(logging.NOTSET)
    return seconds


def limits(name: str, rng: np.random.Generator) -> Iterator[Figure]:
    """One reranker on lists of 1,000: the worst of 2, 4 and 8 groups."""
    reranker = registry.make("reranker", name)
    alone, batch = {}, {}
    for groups in (2, 4, 8):
        many = evidence_of(
            rng.choice(groups, (200, 1_000), p=rng.dirichlet(np.full(groups, 5.0))), groups
        )
        one = many.select(np.array([0]))
        batch[groups] = 1e3 * best(timed(reranker, many), 7)[0] / 200
        alone[groups] = 1e3 * best(timed(reranker, one), 40)[0]
    for what, spent, most in (("in a batch of 200, per query", batch, 0.2), ("alone", alone, 1.0)):
        note = ", ".join(f"{g} groups {ms:.3f}" for g, ms in spent.items())
        yield below(f"{name} k=100 of 1,000 {what}", max(spent.values()), most, "ms", note=note)


def soft_limits(name: str) -> Iterator[Figure]:
    """One reranker on lists of 1,000 with soft labels of 8 groups, alone and in a batch."""
    reranker, many = registry.make("reranker", name), soft_evidence(50, 1_000, 8)
    batch = 1e3 * best(timed(reranker, many), 3)[0] / len(many)
    alone = 1e3 * best(timed(reranker, many.select(np.array([0]))), 20)[0]
    yield below(
        f"{name} k=100 of 1,000, 8 groups, soft labels",
        max(alone, batch),
        1.0,
        "ms",
        note=f"alone {alone:.3f}, in a batch {batch:.3f}",
    )


def programs(name: str) -> Iterator[Figure]:
    """One reranker that solves programs, on a few lists of 1,000 and of 200: milliseconds a query,
    the mean of three.
    """
    for setting in PROGRAMS[name]:
        for groups, k, size in ((2, 20, 200), (8, 20, 200), (2, 100, 1_000), (8, 100, 1_000)):
            reranker, evidence = (
                registry.make("reranker", name + setting),
                soft_evidence(3, size, groups),
            )
            seconds, _ = best(timed(reranker, evidence, k), 1)
            note = gaps(reranker, evidence, k) if name in ("fairexpec", "mopr") else ""
            yield Figure(
                f"{name}{setting} k={k} of {size:,}, {groups} groups, soft labels",
                1e3 * seconds / 3,
                "ms",
                note=note,
            )


def gaps(reranker: FairExpec | MOPR, evidence: Evidence, k: int) -> str:
    """How far the sets of whole-numbered programs lie below their bounds, at most."""
    off: list[float] = []

    def order(case: SingleLists) -> np.ndarray:
        of = (
            families(evidence.attribute.groups.names)
            if isinstance(reranker, MOPR)
            else np.eye(len(case.target))
        )
        found = select(
            case,
            case.excess @ of,
            (reranker.rho if isinstance(reranker, MOPR) else reranker.delta) * case.k,
        )
        off.append((found.bound - found.value) / found.bound)
        return found.places

    one_by_one(evidence, k, order)
    return f"relative gap {max(off):.0e} at most"


def timed(reranker: Callable[..., object], evidence: Evidence, k: int = K) -> Callable[[], object]:
    return lambda: reranker(fresh(evidence), k, 0)


def fresh(evidence: Evidence) -> Evidence:
    """The same evidence with nothing kept from the last run."""
    return Evidence(evidence.ranking, evidence.queries, evidence.attributes)
