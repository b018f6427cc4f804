"""The whole SISPI-shaped evaluation: nDCG and AP over 194 x 49,664, and three NDKL on each query's
own 256 images.

The peer is what the authors' script does with scikit-learn and ``reranking``: find the relevant
images and their labels by file name, query by query, sort everything, call the libraries. The
libraries' share of its time is given too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
import reranking
from figures import Figure, against, best
from shapes import ETHNICITIES, GENDERS, ITEMS, OWN, QUERIES, gallery, similarities
from sklearn.metrics import average_precision_score, ndcg_score

from fairlead.metrics.average_precision import AP
from fairlead.metrics.ndcg import NDCG
from fairlead.metrics.ndkl import NDKL
from fairlead.statistics import targets
from fairlead.types import Groups, Ranking, Relevant, cross
from fairlead.types.evidence import Evidence, Labelled

Labels = tuple[Groups, Groups]


def bench(full: bool) -> Iterator[Figure]:
    files, scores = gallery(), similarities()
    labels, relevant = read(files)
    ours, values = best(lambda: measure(scores, labels, relevant), 7)
    whole, _ = best(lambda: measure(scores, *read(files)), 3)
    start = time.process_time()
    others, libraries = script(files, scores)
    theirs = time.process_time() - start
    gap = max(abs(a - b) for a, b in zip(values, others, strict=True))
    note, what = f"values agree to {gap:.0e}", "SISPI evaluation: nDCG, AP, 3 NDKL"
    yield against(
        f"{what}, file names to means",
        whole,
        "authors' script",
        theirs,
        least=50,
        agree=gap < 1e-6,
        note=note,
    )
    yield against(
        f"{what}, scores to means",
        ours,
        "scikit-learn + reranking alone",
        libraries,
        note="the peers' time within their own calls",
    )


def read(files: list[str]) -> tuple[Labels, Relevant]:
    """Labels and relevant images from the file names."""
    parts = [os.path.basename(name)[:-4].split("_") for name in files]
    gender = Groups.of("gender", [p[2] for p in parts], names=GENDERS)
    ethnicity = Groups.of("ethnicity", [p[3] for p in parts], names=ETHNICITIES)
    _, owner = np.unique([p[0] for p in parts], return_inverse=True)
    rows = np.argsort(owner, kind="stable")
    return (gender, ethnicity), Relevant(np.arange(QUERIES + 1) * OWN, rows)


def measure(scores: np.ndarray, labels: Labels, relevant: Relevant) -> list[float]:
    """Five means from dense scores."""
    groups = [*labels, cross(*labels)]
    attributes = {g.attribute: Labelled(g, targets.uniform(g)) for g in groups}
    ranking = Ranking.of_relevant(scores, relevant)
    evidence = Evidence(ranking, tuple(f"q{q}" for q in range(QUERIES)), attributes, relevant)
    ndkl = [NDKL(over="relevant")(evidence.on(name))[0] for name in attributes]
    return [float(np.mean(v)) for v in (NDCG()(evidence)[0], AP()(evidence)[0], *ndkl)]


def script(files: list[str], scores: np.ndarray) -> tuple[list[float], float]:
    """The same five means the authors' way, and the seconds spent inside scikit-learn and
    ``reranking``.
    """
    order = np.argsort(-scores, axis=1)
    wanted = [
        dict.fromkeys(GENDERS, 1 / 2),
        dict.fromkeys(ETHNICITIES, 1 / 4),
        {f"{g}_{e}": 1 / 8 for g in GENDERS for e in ETHNICITIES},
    ]
    values: list[list[float]] = [[] for _ in range(5)]
    inside = 0.0
    for query in range(QUERIES):
        profession = f"profession{query:03d}"
        relevance = np.zeros((1, ITEMS))
        for column, name in enumerate(files):
            if os.path.basename(name).startswith(profession):
                relevance[0, column] = 1.0
        seen: list[list[str]] = [[], [], []]
        for column in order[query]:
            name = files[column]
            if os.path.basename(name).startswith(profession):
                _, _, gender, ethnicity = os.path.basename(name).split(".")[0].split("_")
                for kept, label in zip(
                    seen, (gender, ethnicity, f"{gender}_{ethnicity}"), strict=True
                ):
                    kept.append(label)
        start = time.process_time()
        values[0].append(ndcg_score(relevance, scores[query : query + 1]))
        values[1].append(average_precision_score(relevance[0], scores[query]))
        for kept, labels, target in zip(values[2:], seen, wanted, strict=True):
            kept.append(reranking.ndkl(labels, target))
        inside += time.process_time() - start
    return [float(np.mean(v)) for v in values], inside
