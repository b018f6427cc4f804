"""Faults a strict reader found, each with the smallest case that showed it."""

from __future__ import annotations

import numpy as np
import pytest

import fairlead
from fairlead.protocols import registry
from fairlead.statistics import targets
from fairlead.statistics.intervals import interval
from fairlead.statistics.nulls import null_of
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled


def lists(queries: int, depth: int, seed: int = 0, female: float = 0.5) -> tuple[dict, dict]:
    rng = np.random.default_rng(seed)
    run = {f"q{q}": {f"i{q}-{i}": float(-i) for i in range(depth)} for q in range(queries)}
    labels = {
        item: {"gender": str(rng.choice(["female", "male"], p=[female, 1 - female]))}
        for items in run.values()
        for item in items
    }
    return run, labels


def test_role_null_is_of_the_run_that_is_measured() -> None:
    def trials(wins: str) -> tuple[dict, list]:
        run = {f"t{i}": {f"{r}{i}": 1.0 + (r == w) for r in "scn"} for i, w in enumerate(wins)}
        return run, [
            {"query": f"t{i}", "item": f"{r}{i}", "role": {"s": "sem", "c": "cul", "n": "non"}[r]}
            for i in range(len(wins))
            for r in "scn"
        ]

    good, labels = trials("s" * 50 + "n" * 8 + "c" * 2)
    bad, _ = trials("s" * 20 + "c" * 35 + "n" * 5)
    alone = fairlead.score(good, labels, metric="SelfPreference").rows[0]
    against = fairlead.score(good, labels, metric="SelfPreference", against=bad).rows[0]
    assert against.p == pytest.approx(alone.p, abs=0.02) and against.p > 0.9


def test_self_preference_without_a_semantic_win_is_undefined_and_says_so() -> None:
    run = {f"t{i}": {f"c{i}": 2.0, f"s{i}": 1.0, f"n{i}": 0.0} for i in range(12)}
    labels = [
        {"query": f"t{i}", "item": f"{r}{i}", "role": name}
        for i in range(12)
        for r, name in (("s", "sem"), ("c", "cul"), ("n", "non"))
    ]
    row = fairlead.score(run, labels, metric="SelfPreference").rows[0]
    assert np.isnan(row.mean) and np.isnan(row.p) and any("part=errors" in n for n in row.notes)


@pytest.mark.parametrize("metric", ["NDKL", "NDKL@20", "AbsBias@20"])
def test_shortened_variant_is_held_against_chance_of_its_own_length(metric: str) -> None:
    plain, labels = lists(30, 40)
    cut = {q: dict(list(items.items())[:5]) for q, items in plain.items()}
    row = fairlead.score(cut, labels, metric=metric, against=plain, null="order").rows[0]
    alone = fairlead.score(cut, labels, metric=metric, null="target").rows[0]
    assert row.null["mean"] == pytest.approx(alone.null["mean"], abs=0.03)
    assert row.p > 0.01


def test_soft_labels_with_unknown_have_the_target_null_of_the_same_hard_labels() -> None:
    rng = np.random.default_rng(1)
    codes = rng.choice([0, 1, -1], p=[0.25, 0.25, 0.5], size=20 * 20)
    ranking, ids = (
        Ranking.of(np.arange(400).reshape(20, 20).tolist()),
        tuple(f"q{i}" for i in range(20)),
    )
    hard, soft = (
        Groups("g", ("a", "b"), codes=codes),
        Groups("g", ("a", "b"), soft=(codes[:, None] == np.arange(2)).astype(float)),
    )
    for spec in ("AbsBias@10", "NDKL@10"):
        metric = registry.make("metric", spec)
        means = [
            null_of(
                metric,
                Evidence(ranking, ids, {"g": Labelled(g, targets.uniform(g))}),
                "target",
                seed=0,
                draws=4_000,
            ).mean
            for g in (hard, soft)
        ]
        assert means[1] == pytest.approx(means[0], abs=0.03)


def test_own_group_share_does_not_count_items_that_only_the_judgements_name() -> None:
    run, labels = lists(10, 20)
    for item in list(labels)[::4]:
        labels[item]["gender"] = ""
    few = {q: {next(iter(items)): 1} for q, items in run.items()}
    many = {q: {**judged, **{f"extra-{q}-{i}": 1 for i in range(60)}} for q, judged in few.items()}
    means = [
        fairlead.score(run, labels, metric="TV@10", unknown="own-group", qrels=q).rows[0].mean
        for q in (few, many)
    ]
    assert means[0] == pytest.approx(means[1])


def test_query_without_a_target_keeps_its_chance_level_where_no_target_is_used() -> None:
    run, labels = lists(12, 30, female=0.4)
    qrels = {f"q{q}": {f"i{q}-{i}": 1 for i in range(10)} for q in range(8)}
    row = fairlead.score(
        run, labels, metric="AbsBias@10", target="relevant", qrels=qrels, null="order"
    ).rows[0]
    even = fairlead.score(run, labels, metric="AbsBias@10", null="order").rows[0]
    assert row.excess == pytest.approx(even.excess) and row.p == pytest.approx(even.p, abs=0.02)
    assert row.excess_ci[0] <= row.excess <= row.excess_ci[1]


def test_query_without_a_chance_level_is_left_out_and_told() -> None:
    run, labels = lists(12, 20)
    for i in range(20):
        labels[f"i0-{i}"]["gender"] = ""
    row = fairlead.score(run, labels, metric="TV@5", null="order").rows[0]
    assert not np.isnan(row.p) and row.queries == 11


def test_run_and_its_pair_have_one_value_under_the_pool_target() -> None:
    plain, labels = lists(12, 30, female=0.3)
    cut = {q: dict(list(items.items())[:10]) for q, items in plain.items()}
    result = fairlead.score(cut, labels, metric="TV@10", target="pool", against=plain)
    assert result.paired[0].first == pytest.approx(result.rows[0].mean)


def test_paired_rows_resample_clusters_together() -> None:
    rng = np.random.default_rng(0)
    first, labels = lists(24, 20)
    second = {q: {item: float(rng.normal()) for item in items} for q, items in first.items()}
    clusters = {q: f"c{int(q[1:]) // 6}" for q in first}
    loose, tight = (
        fairlead.score(first, labels, metric="AbsBias@5", against=second, clusters=c).paired[0]
        for c in (None, clusters)
    )
    assert loose.ci != tight.ci and any("only 4" in n for n in tight.notes)


def test_first_minus_second_is_the_difference_where_a_query_is_undefined_in_one() -> None:
    first, labels = lists(10, 12)
    second = {q: {item: -score for item, score in items.items()} for q, items in first.items()}
    for i in range(5):
        labels[f"i0-{i}"]["gender"] = ""
    row = fairlead.score(first, labels, metric="TV@5", against=second).paired[0]
    assert row.first - row.second == pytest.approx(row.difference)


def test_unknown_mass_is_that_of_what_the_metric_looks_at() -> None:
    run, labels = lists(6, 10)
    qrels = {q: dict.fromkeys(list(items)[::2], 1) for q, items in run.items()}
    for q in run:
        for item in list(run[q])[1::2]:
            labels[item]["gender"] = ""
    row = fairlead.score(run, labels, metric="NDKL(over=relevant)", qrels=qrels).rows[0]
    assert row.unknown_mass == 0.0


def test_explicit_gallery_takes_the_label_file_as_the_collection() -> None:
    run, labels = lists(6, 12)
    row = fairlead.score(run, labels, metric="AbsBias@5", null="gallery").rows[0]
    assert row.null["kind"] == "gallery" and row.null["sd"] > 0


def test_explicit_gallery_holds_what_is_ranked_though_it_is_not_labelled() -> None:
    run, labels = lists(4, 12)
    few = {item: labels[item] for item in list(labels)[:5]}
    row = fairlead.score(run, few, metric="AbsBias@10", null="gallery").rows[0]
    assert row.null["kind"] == "gallery"


@pytest.mark.parametrize("share", [0.05, 0.15, 0.5])
def test_interval_of_sparse_bounded_values_covers(share: float, count) -> None:
    seeds, covered = count(300, 2_000), 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        found = interval(
            (rng.random(24) < share).astype(float),
            np.ones(24),
            rng=rng,
            within=(0.0, 1.0),
            draws=499,
        )
        covered += found.low <= share <= found.high
    assert covered / seeds >= 0.93 - (0.03 if seeds < 2_000 else 0)


@pytest.mark.parametrize("values", [[0.3, 0.2], [0.2, 0.2, 0.25], [1.0] + [0.0] * 23])
def test_interval_of_few_or_sparse_values_never_collapses(values: list[float]) -> None:
    found = interval(
        np.array(values), np.ones(len(values)), rng=np.random.default_rng(0), within=(0.0, 1.0)
    )
    assert found.high - found.low > 0.1 and found.low >= 0 and found.high <= 1 and found.note


def test_target_null_of_a_variant_is_of_its_own_missing_labels() -> None:
    """Two variants of one length that hide different shares of unknown items must not share a
    chance level.
    """
    from fairlead.measuring.score import Settings, score_variants

    codes = np.tile([0, 1, 0, 1, -1, -1, -1, -1], (6, 1))
    groups = Groups("g", ("a", "b"), codes=codes.ravel())
    rows = np.arange(48).reshape(6, 8)
    plain = Evidence(
        Ranking.of(rows.tolist()), tuple("abcdef"), {"g": Labelled(groups, targets.uniform(groups))}
    )
    turned = plain.with_ranking(Ranking.of(np.roll(rows, -3, axis=1).tolist()))
    found = score_variants(
        {"plain": plain, "turned": turned},
        [registry.make("metric", "AbsBias@4")],
        settings=Settings(null="target"),
    )
    means = {row.variant: row.null["mean"] for row in found.rows}
    assert means["plain"] == pytest.approx(0.375) and means["turned"] == pytest.approx(0.25)
