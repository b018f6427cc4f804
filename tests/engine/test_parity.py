"""One road: the same plan gives the same lists and the same rows, wherever candidates come from.

An audit, a search with the audit's query ids, the audit's saved run scored again, and its saved
candidates reranked again are held against each other, for every registered reranker.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import fairlead
from fairlead.commands.audit import audit
from fairlead.commands.rerank import rerank
from fairlead.commands.score import score
from fairlead.commands.search import Searcher
from fairlead.protocols import registry
from fairlead.store.saved_run import read_saved, write_saved
from fairlead.types import Groups, Ranking, Study

COLLECTION = "phantom(seeds=2)"
MODEL = "phantom(dose=1)"
K = 8
QUERIES = 4
RERANKERS = tuple(registry.entries("reranker"))
METRICS = (f"AbsBias@{K}", f"NDKL@{K}")
TARGETS: dict[str, Any] = {"uniform": "uniform", "pool": "pool", "given": "given"}
CASES = tuple(
    itertools.product(
        ("ignore", "own-group", "spread"),
        (True, False),
        TARGETS,
        (True, False),
        ("gender", "skin", "gender*skin"),
    )
)
NULLS = (None, "gallery", "target", "order")
"""Chance levels, in turn; None is what each road takes by itself."""
REDUCED = CASES[::22]
"""Of 108 settings every twenty-second: each value of each choice is there, with all rerankers."""


def labels_of(study: Study, attribute: str, *, soft: bool, seed: int) -> Groups:
    """Labels with gaps: one in eight unknown, one in twenty not applicable, some of them wrong."""
    true, rng = study.collection.groups[attribute], np.random.default_rng(seed)
    assert true.codes is not None
    count, groups = len(true), len(true.names)
    wrong = rng.random(count) < 0.1
    codes = np.where(wrong, rng.integers(0, groups, count), true.codes)
    unknown, absent = rng.random(count) < 1 / 8, rng.random(count) < 1 / 20
    if not soft:
        codes = np.where(absent, -2, np.where(unknown, -1, codes))
        return Groups(attribute, true.names, codes=codes, source=f"hard {seed}")
    share = np.full((count, groups), 0.2 / groups)
    share[np.arange(count), codes] += 0.7
    share[unknown | absent] = 0.0
    return Groups(attribute, true.names, soft=share, not_applicable=absent, source=f"soft {seed}")


def asked(study: Study) -> Study:
    """The study with some of its queries, one of them explicit, so that the trigger has work."""
    texts = list(study.queries.texts or ())[:QUERIES]
    texts[1] = "a photo of a female " + texts[1].rpartition(" ")[2]
    queries = replace(
        study.queries,
        ids=study.queries.ids[:QUERIES],
        texts=tuple(texts),
        relevant=None,
        tags={},
    )
    return replace(study, queries=queries, metrics=METRICS, blocks=None, clusters="", by=())


def shares_of(groups: Groups, kind: str) -> Any:
    """A target as a user states it."""
    if kind != "given":
        return kind
    shares = np.arange(len(groups.names), 0, -1) / np.arange(len(groups.names), 0, -1).sum()
    return {name: float(share) for name, share in zip(groups.names, shares, strict=True)}


def listed(ranking: Ranking, query: int, k: int = K) -> list[int]:
    start, stop = ranking.offsets[query : query + 2]
    return ranking.rows[start:stop][:k].tolist()


def pytest_generate_tests(metafunc: Any) -> None:
    if "case" in metafunc.fixturenames:
        import os

        full = os.environ.get("FAIRLEAD_BARS") == "full"
        metafunc.parametrize(
            "case", CASES if full else REDUCED, ids=lambda c: "-".join(map(str, c))
        )


def test_every_road_gives_the_same_lists_and_rows(case: Any, tmp_path: Path) -> None:
    unknown, trigger, kind, hard, attribute = case
    study = asked(registry.make("benchmark", COLLECTION).study())
    measuring = labels_of(study, attribute, soft=False, seed=1)
    mitigating = labels_of(study, attribute, soft=not hard, seed=2)
    stated = shares_of(measuring, kind)
    target = {attribute: stated} if kind == "given" else stated
    choices: dict[str, Any] = {
        "attribute": attribute,
        "groups": measuring,
        "mitigate_groups": mitigating,
        "mitigate": list(RERANKERS),
        "metric": list(METRICS),
        "unknown": unknown,
        "trigger": trigger,
        "target": target,
        "null": NULLS[CASES.index(case) % len(NULLS)],
        "k": K,
        "seed": 3,
    }
    audited = audit(MODEL, study, **choices)

    # search, with the same query ids
    searcher = Searcher.of(model=MODEL, collection=COLLECTION, **choices)
    found = searcher.search(study.queries.texts, ids=study.queries.ids)
    place = {name: row for row, name in enumerate(study.collection.ids)}
    for query, answer in enumerate(found.results):
        for variant in answer.variants:
            rows = [place[item.id] for item in variant.items]
            assert rows == listed(audited.rankings[variant.name], query), (variant.name, query)
            for row in variant.metrics:
                part = next(
                    v
                    for v in audited.result.values
                    if (v.variant, v.metric) == (variant.name, row.metric)
                )
                np.testing.assert_equal(row.mean, float(part.value[query]))
                np.testing.assert_equal(row.p, float(part.p[query]))

    # saved, and scored again
    write_saved(tmp_path / "run.parquet", audited.run, labels=True)
    again = score(tmp_path / "run.parquet")
    assert again.rows == audited.result.rows or str(again.rows) == str(audited.result.rows)
    assert str(again.paired) == str(audited.result.paired)

    # the saved candidates, reranked
    saved = read_saved(tmp_path / "run.parquet")
    for name in RERANKERS:
        mitigated = rerank(tmp_path / "run.parquet", mitigate=name, k=K, trigger=trigger)
        for query in range(QUERIES):
            expected = listed(audited.rankings[name], query)
            assert listed(mitigated.ranking, query) == expected, (name, query)
    assert saved.queries == study.queries.ids


def test_every_reranker_is_held_against_every_road() -> None:
    assert set(RERANKERS) == set(registry.entries("reranker")) and len(RERANKERS) >= 19


def test_searched_lists_of_the_python_function_are_those_of_the_searcher() -> None:
    choices = {"model": MODEL, "collection": COLLECTION, "attribute": "gender", "k": 5}
    one = fairlead.search("a photo of a judge", mitigate="pbm", **choices)
    other = Searcher.of(mitigate="pbm", **choices).search(["a photo of a judge"])
    for mine, theirs in zip(one.results[0].variants, other.results[0].variants, strict=True):
        assert [item.id for item in mine.items] == [item.id for item in theirs.items]
