"""Queries that rank the same candidates are one look at chance together."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.measuring.score import Settings, score
from fairlead.protocols import registry
from fairlead.statistics.distributions import Distribution
from fairlead.statistics.nulls import null_of
from fairlead.statistics.roles import RoleNull
from fairlead.types import Groups, Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled, Target

CLUSTERS, ALIKE = 12, 6
MEMBER = np.repeat(np.arange(CLUSTERS), ALIKE)
BIAS = registry.make("metric", "Bias(positive=a)@10")


def copies(rng: np.random.Generator) -> Evidence:
    """Twelve random lists of ten of forty items, each six times over."""
    groups = Groups("g", ("a", "b"), codes=np.arange(40) % 2)
    lists = [rng.permutation(40)[:10].tolist() for _ in range(CLUSTERS)]
    ranking = Ranking.of([one for one in lists for _ in range(ALIKE)])
    labelled = Labelled(groups, Target("uniform", np.array([0.5, 0.5])))
    return Evidence(
        ranking,
        tuple(f"q{i}" for i in range(len(ranking))),
        {"g": labelled},
        pool=Sets(np.array([0, 40]), np.arange(40)),
    )


def test_p_of_clustered_copies_is_uniform_and_without_clusters_far_too_small(count) -> None:
    rng, found = np.random.default_rng(1), {True: [], False: []}
    for _ in range(count(300, 2_000)):
        evidence = copies(rng)
        values, null = BIAS(evidence)[0], null_of(BIAS, evidence, "gallery", seed=0)
        for clustered, p in found.items():
            p.append(null.row(values, 499, rng, MEMBER if clustered else None)[2])
    right, wrong = (np.array(found[clustered]) for clustered in (True, False))
    assert 0.02 <= np.mean(right < 0.05) <= 0.085
    assert 0.4 <= np.mean(right < 0.5) <= 0.6
    assert np.mean(wrong < 0.05) > 0.3


def test_spread_of_clustered_copies_is_that_of_the_clusters_alone() -> None:
    evidence = copies(np.random.default_rng(2))
    values, null = BIAS(evidence)[0], null_of(BIAS, evidence, "gallery", seed=0)
    alone = null.select(np.arange(0, len(values), ALIKE))
    want = alone.row(values[::ALIKE], 99, np.random.default_rng(0))
    got = null.row(values, 99, np.random.default_rng(0), MEMBER)
    assert got[:2] == pytest.approx(want[:2])
    assert null.row(values, 99, np.random.default_rng(0))[1] == pytest.approx(
        want[1] / np.sqrt(ALIKE)
    )


def test_clusters_of_one_query_each_change_nothing_but_the_draws() -> None:
    evidence = copies(np.random.default_rng(3))
    values, null = BIAS(evidence)[0], null_of(BIAS, evidence, "gallery", seed=0)
    alone = null.row(values, 4_999, np.random.default_rng(0))
    ones = null.row(values, 4_999, np.random.default_rng(0), np.arange(len(values)))
    assert ones[:2] == pytest.approx(alone[:2]) and ones[2] == pytest.approx(alone[2], abs=0.04)


@pytest.mark.parametrize(
    "made",
    [
        Distribution.exact(np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.5, 0.3])),
        Distribution(np.sort(np.random.default_rng(0).normal(size=5_000))),
    ],
)
def test_values_at_even_places_have_the_moments_of_the_distribution(made: Distribution) -> None:
    values = made.at((np.arange(20_000) + 0.5) / 20_000)
    assert (values.mean(), values.std()) == pytest.approx(made.moments, abs=1e-3)
    assert (np.diff(values) >= 0).all()


def test_words_asked_several_times_are_swapped_together() -> None:
    wins = np.repeat([1.0, 1.0, 1.0, 0.0], 5)
    null = RoleNull("lower", (wins, np.ones(20)), (1 - wins, np.ones(20)))
    one, many = (
        null.row(20_000, np.random.default_rng(0), np.repeat(np.arange(4), 5)),
        null.row(20_000, np.random.default_rng(0)),
    )
    assert one[0] == pytest.approx(0.5, abs=0.01) and one[1] == pytest.approx(0.25, rel=0.03)
    assert many[1] == pytest.approx(np.sqrt(0.25 / 20), rel=0.03)
    assert one[2] == pytest.approx(5 / 16, abs=0.015)  # three or four of four words
    assert many[2] < 0.03


def test_rows_of_parts_are_those_of_the_parts_measured_alone() -> None:
    evidence = copies(np.random.default_rng(4))
    told = tuple("even" if q % 2 == 0 else "odd" for q in range(len(evidence)))
    metrics = [BIAS, registry.make("metric", "NDKL@5")]
    whole = score(evidence, metrics, settings=Settings(by={"side": told}))
    assert len(whole.rows) == 2 and [(r.metric, r.tag) for r in whole.split] == [
        (str(m), {"side": side}) for m in metrics for side in ("even", "odd")
    ]
    for side, first in (("even", 0), ("odd", 1)):
        alone = score(evidence.select(np.arange(first, len(evidence), 2)), metrics)
        for got, want in zip(
            [r for r in whole.split if r.tag == {"side": side}], alone.rows, strict=True
        ):
            assert (got.mean, got.queries, got.null["mean"]) == pytest.approx(
                (want.mean, want.queries, want.null["mean"])
            )
            assert got.excess == pytest.approx(want.excess) and got.p == pytest.approx(
                want.p, abs=0.05
            )


def test_parts_count_among_the_looks_that_are_corrected_for() -> None:
    evidence = copies(np.random.default_rng(5))
    told = tuple(f"t{q % 8}" for q in range(len(evidence)))
    found = score(evidence, [BIAS], settings=Settings(by={"side": told}))
    rows = (*found.rows, *found.split)
    p, q = (np.array([getattr(r, name) for r in rows]) for name in ("p", "q"))
    order = np.argsort(p)
    want = np.minimum.accumulate((p[order] * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
    assert q[order] == pytest.approx(np.minimum(want, 1))
