"""levelled against its promises: nothing happens within chance, nothing costs more than the price,
no prefix is left behind.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.protocols.registry import make
from fairlead.rerankers import auction
from fairlead.rerankers.auction import ROUNDING
from fairlead.rerankers.levelled import Levelled
from fairlead.rerankers.prevalence import _STEPS, local_shares
from fairlead.statistics import targets
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

LAW = settings(max_examples=60, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def hard(
    seed: int, size: int = 60, groups: int = 2, skew: float = 0.8
) -> tuple[Evidence, np.ndarray, np.ndarray]:
    """One list: codes and falling scores."""
    rng = np.random.default_rng(seed)
    share = np.array([skew, *([(1 - skew) / (groups - 1)] * (groups - 1))])
    codes, scores = (
        rng.choice(groups, size, p=share),
        np.sort(rng.normal(size=size))[::-1].astype(np.float32),
    )
    labels = Groups("g", tuple("abcdefgh"[:groups]), codes=codes)
    evidence = Evidence(
        Ranking.of([list(range(size))], [scores.tolist()]),
        ("q",),
        {"g": Labelled(labels, targets.uniform(labels))},
    )
    return evidence, codes, scores.astype(float)


def lacking(counts: np.ndarray, target: np.ndarray, band: float) -> float:
    """The shortfall by its definition, group by group."""
    total = counts.sum()
    return sum(
        max(0.0, t * total - band * math.sqrt(total * t * (1 - t)) - c)
        for t, c in zip(target, counts, strict=True)
    )


def counts_of(rows: np.ndarray, codes: np.ndarray, groups: int) -> np.ndarray:
    return np.bincount(codes[rows], minlength=groups).astype(float)


def late(rows: list[int], codes: np.ndarray, groups: int, band: float) -> bool:
    """Whether a prefix lags behind the list's own shares by an item and more than the chance band."""
    own = counts_of(np.array(rows), codes, groups) / len(rows)
    for n in range(1, len(rows) + 1):
        held = counts_of(np.array(rows[:n]), codes, groups)
        for g in range(groups):
            bound = own[g] * n - band * math.sqrt(n * own[g] * (1 - own[g]))
            if held[g] < math.floor(bound + 1e-9):
                return True
    return False


def short(
    rows: list[int], codes: np.ndarray, groups: int, band: float, chance: float = 1.0
) -> bool:
    """Whether the list is short of a group beyond so many spreads of chance, or one of its prefixes
    beyond twice as many.
    """
    target = np.full(groups, 1 / groups)

    def beyond(held: np.ndarray, band: float) -> bool:
        n = held.sum()
        return any(
            t * n - band * math.sqrt(n * t * (1 - t)) - c > ROUNDING
            for t, c in zip(target, held, strict=True)
        )

    prefixes = [counts_of(np.array(rows[: n + 1]), codes, groups) for n in range(len(rows))]
    return beyond(prefixes[-1], max(band, chance)) or any(
        beyond(held, max(band, 2 * chance)) for held in prefixes
    )


@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 20))
def test_levelled_with_price_zero_is_the_plain_list(seed: int, groups: int, k: int) -> None:
    evidence, _, _ = hard(seed, groups=groups)
    assert Levelled(price=0)(evidence, k, 0).rows.tolist() == list(range(k))


@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 20), st.floats(0, 2), st.floats(0, 3))
def test_levelled_list_within_chance_at_every_prefix_keeps_its_order(
    seed: int, groups: int, k: int, band: float, chance: float
) -> None:
    evidence, codes, _ = hard(seed, groups=groups, skew=1 / groups)
    if not short(list(range(k)), codes, groups, band, chance):
        assert Levelled(band=band, chance=chance)(evidence, k, 0).rows.tolist() == list(range(k))


def test_levelled_list_that_only_starts_on_one_side_is_mended_by_order_alone() -> None:
    codes = np.array([0] * 8 + [1] * 8 + [0, 1] * 10)
    labels = Groups("g", ("a", "b"), codes=codes)
    evidence = Evidence(
        Ranking.of([list(range(36))], [np.linspace(1, 0, 36).tolist()]),
        ("q",),
        {"g": Labelled(labels, targets.uniform(labels))},
    )
    shown = Levelled()(evidence, 16, 0).rows.tolist()
    assert (
        sorted(shown) == list(range(16))
        and short(list(range(16)), codes, 2, 0.25)
        and not short(shown, codes, 2, 0.25)
    )


@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 20), st.floats(0, 2), st.floats(0.01, 8))
def test_levelled_shortfall_never_grows_and_no_prefix_is_left_behind(
    seed: int, groups: int, k: int, band: float, price: float
) -> None:
    evidence, codes, _ = hard(seed, groups=groups)
    shown = Levelled(price=price, band=band)(evidence, k, 0).rows
    target = np.full(groups, 1 / groups)
    assert (
        lacking(counts_of(shown, codes, groups), target, band)
        <= lacking(counts_of(np.arange(k), codes, groups), target, band) + 1e-9
    )
    if groups == 2 and short(
        list(range(k)), codes, groups, band
    ):  # deadlines of more groups may fall on one place
        assert not late(shown.tolist(), codes, groups, max(band, 1))


def worth(scores: np.ndarray, codes: np.ndarray, k: int) -> list[float]:
    """What each item of a list is worth, by its definition: the candidates hold 3 k of each group."""
    last = max(np.flatnonzero(codes == g)[: 3 * k].max(initial=0) for g in np.unique(codes))
    pool = scores[: max(last + 1, 3 * k)]
    found = []
    for rank, score in enumerate(scores, 1):
        share = min(max((score - pool.mean()) / (pool[:k].mean() - pool.mean()) * 3 / 2, 0.0), 1.0)
        found.append((3 * share**2 - 2 * share**3) * math.log2(k + 1) / math.log2(min(rank, k) + 1))
    return found


@LAW
@given(SEEDS, st.integers(1, 20), st.floats(0.02, 4))
def test_levelled_no_exchange_costs_more_than_the_price(seed: int, k: int, price: float) -> None:
    evidence, codes, scores = hard(seed)
    shown = Levelled(price=price, band=0)(evidence, k, 0).rows
    removed, added = (
        sorted(set(range(k)) - set(shown.tolist())),
        sorted(set(shown.tolist()) - set(range(k))),
    )
    if added:
        worths = worth(scores, codes, k)
        assert worths[removed[0]] - worths[added[-1]] <= price + 1e-6


@LAW
@given(SEEDS, st.integers(1, 30), st.integers(1, 60))
def test_worth_of_a_list_is_what_its_definition_says_and_never_rises(
    seed: int, k: int, size: int
) -> None:
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.choice([rng.normal(size=size), rng.integers(0, 3, size)]).astype(float))[
        ::-1
    ]
    if k >= size or scores[0] == scores[-1]:
        return
    found = auction.worth(auction.standing(scores[None], k, np.zeros(1))[0], k)[0]
    height = scores[:k].mean() - scores.mean()
    if height > 1e-6:
        share = np.clip((scores - scores.mean()) / height * 1.5, 0, 1)
        seen = np.array(
            [math.log2(k + 1) / math.log2(min(rank, k) + 1) for rank in range(1, size + 1)]
        )
        np.testing.assert_allclose(found, share**2 * (3 - 2 * share) * seen, atol=1e-6)
    assert (np.diff(found) < 0).all()  # of equal ones the first is worth more, by a hair


@LAW
@given(
    SEEDS, st.integers(2, 4), st.integers(2, 20), st.one_of(st.floats(0, 8), st.floats(1e9, 1e15))
)
def test_levelled_shows_the_best_of_each_group(
    seed: int, groups: int, k: int, price: float
) -> None:
    evidence, codes, _ = hard(seed, groups=groups)
    shown = Levelled(price=price)(evidence, k, 0).rows
    for g in range(groups):
        own = sorted(r for r in shown.tolist() if codes[r] == g)
        assert own == np.flatnonzero(codes == g)[: len(own)].tolist()


@LAW
@given(SEEDS, st.floats(0.1, 50), st.floats(-5, 5))
def test_levelled_does_not_depend_on_the_scale_of_the_scores(
    seed: int, times: float, plus: float
) -> None:
    evidence, _, scores = hard(seed)
    other = Ranking.of([list(range(len(scores)))], [(scores * times + plus).tolist()])
    one, two = (
        Levelled()(e, 10, 0).rows.tolist() for e in (evidence, evidence.with_ranking(other))
    )
    assert len(set(one) ^ set(two)) <= 2  # float32 may break a tie between two bids


@LAW
@given(SEEDS, st.integers(2, 8), st.floats(0.2, 0.9))
def test_levelled_reaches_parity_of_any_groups_where_price_is_no_object(
    seed: int, groups: int, skew: float
) -> None:
    evidence, codes, _ = hard(seed, size=400, groups=groups, skew=skew)
    k = 4 * groups
    if min(np.bincount(codes, minlength=groups)) < 6:
        return
    plain, found = (
        counts_of(rows, codes, groups)
        for rows in (np.arange(k), Levelled(price=1_000, band=0)(evidence, k, 0).rows)
    )
    if short(list(range(k)), codes, groups, 0):
        assert np.abs(found - 4).max() <= 1
    else:
        assert found.tolist() == plain.tolist()


@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 4), st.floats(0, 3))
def test_filled_places_are_the_best_set_at_the_price_where_labels_are_sure(
    seed: int, groups: int, k: int, price: float
) -> None:
    rng = np.random.default_rng(seed)
    codes, value = rng.integers(0, groups, 9), np.sort(rng.random(9) * 2)[::-1]
    least, bidding = rng.uniform(-1, 3, groups), rng.random(groups) < 0.7
    part = auction.Auction(
        value[None],
        value[None],
        np.eye(groups)[codes][None],
        np.full((1, groups), 1 / groups),
        1.0,
        0.0,
        k,
    )
    shown, held = part._filled(least[None], bidding[None], price)

    def total(rows: tuple[int, ...]) -> float:
        bought = sum(
            min(int((codes[list(rows)] == g).sum()), max(math.ceil(least[g]), 0))
            for g in range(groups)
            if bidding[g]
        )
        return float(value[list(rows)].sum() + price * bought)

    assert total(tuple(np.flatnonzero(shown[0]))) == pytest.approx(
        max(map(total, combinations(range(9), k)))
    )
    assert held[0].tolist() == counts_of(np.flatnonzero(shown[0]), codes, groups).tolist()


@LAW
@given(SEEDS, st.integers(2, 8), st.floats(0.05, 4))
def test_levelled_of_one_batch_is_that_of_each_list_alone(
    seed: int, groups: int, price: float
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 400, 5)
    soft = rng.dirichlet(np.full(groups, 0.3), int(sizes.sum()))
    labels = Groups(
        "g",
        tuple("abcdefgh"[:groups]),
        soft=(soft / (soft.sum(1, keepdims=True) * (1 + 1e-6))).astype(np.float32),
    )
    starts = np.concatenate([[0], np.cumsum(sizes)])
    lists = [list(range(a, b)) for a, b in pairwise(starts)]
    scores = [np.sort(rng.normal(size=len(rows)))[::-1].tolist() for rows in lists]
    labelled = {"g": Labelled(labels, targets.uniform(labels))}
    reranker = Levelled(price=price)
    together = reranker(Evidence(Ranking.of(lists, scores), tuple("abcde"), labelled), 8, 0)
    for n, (rows, falling) in enumerate(zip(lists, scores, strict=True)):
        alone = reranker(Evidence(Ranking.of([rows], [falling]), ("a",), labelled), 8, 0)
        assert (
            alone.rows.tolist()
            == together.rows[together.offsets[n] : together.offsets[n + 1]].tolist()
        )


def test_levelled_takes_what_stands_high_above_the_collection_as_good_even_if_the_model_ranks_a_group_below_another() -> (
    None
):
    codes, scores = (
        np.repeat([0, 1], 20),
        np.concatenate([np.linspace(0.90, 0.86, 20), np.linspace(0.82, 0.79, 20)]),
    )
    labels = Groups("g", ("a", "b"), codes=codes)
    evidence = Evidence(
        Ranking.of([list(range(40))], [scores.tolist()]),
        ("q",),
        {"g": Labelled(labels, targets.uniform(labels))},
    )
    alone = Levelled()(evidence, 10, 0).rows
    known = {
        zero: Levelled()(replace(evidence, background=np.array([zero])), 10, 0).rows
        for zero in (0.2, 0.75)
    }
    counts = [counts_of(rows, codes, 2).tolist() for rows in (alone, known[0.2], known[0.75])]
    assert counts == [
        [10.0, 0.0],
        [5.0, 5.0],
        [10.0, 0.0],
    ]  # who knows only these takes the lower half for worse


def test_levelled_meets_a_stated_target() -> None:
    _, codes, scores = hard(3, size=200)
    labels = Groups("g", ("a", "b"), codes=codes)
    labelled = Labelled(labels, Target("given", np.array([[0.3, 0.7]])))
    evidence = Evidence(Ranking.of([list(range(200))], [scores.tolist()]), ("q",), {"g": labelled})
    assert counts_of(Levelled(price=1_000, band=0)(evidence, 10, 0).rows, codes, 2).tolist() == [
        3.0,
        7.0,
    ]


def slow_local(shares: np.ndarray, window: int) -> np.ndarray:
    """One list, one entry at a time: blocks of a quarter of the window, two neighbours on either
    side.
    """
    size, groups = -(-window // 4), shares.shape[1]
    blocks = [list(range(s, min(s + size, len(shares)))) for s in range(0, len(shares), size)]
    mix, found = np.full((len(shares), groups), 1 / groups), shares
    for _ in range(_STEPS):
        found = np.array(
            [
                q * m / (q * m).sum() * q.sum() if q.sum() else q
                for q, m in zip(shares, mix, strict=True)
            ]
        )
        new = mix.copy()
        for b, block in enumerate(blocks):
            low = min(max(b - 2, 0), max(len(blocks) - 5, 0))
            near = [e for c in blocks[low : low + 5] for e in c]
            mass = found[near].sum(0) + 2 / groups
            leap = (mass / mass.sum()) ** 2 / mix[block[0]]
            new[block] = leap / leap.sum()
        mix = new
    return found


@LAW
@given(SEEDS, st.integers(1, 50), st.integers(1, 30), st.integers(2, 4))
def test_local_shares_equal_a_slow_computation_in_any_batch(
    seed: int, size: int, window: int, groups: int
) -> None:
    rng = np.random.default_rng(seed)
    parts = [
        rng.dirichlet(np.ones(groups), size) * rng.choice([1.0, 0.7, 0.0], (size, 1))
        for _ in range(2)
    ]
    offsets = np.array([0, size, 2 * size])
    np.testing.assert_allclose(
        local_shares(np.vstack(parts), offsets, window),
        np.vstack([slow_local(p, window) for p in parts]),
        atol=1e-9,
    )


def test_local_shares_leave_hard_labels_alone() -> None:
    shares = np.eye(3)[np.random.default_rng(0).integers(0, 3, 50)]
    assert local_shares(shares, np.array([0, 50]), 20) is shares


@pytest.mark.parametrize("rare", [0.05, 0.1, 0.3, 0.5])
def test_local_shares_are_calibrated_where_a_group_is_rare(rare: float) -> None:
    rng = np.random.default_rng(7)
    true = rng.random(20_000) < rare
    told = np.where(rng.random(20_000) < 0.9, true, ~true)
    said = np.where(told, 0.9, 0.1)
    found = local_shares(np.column_stack([1 - said, said]), np.array([0, 20_000]), 8_000)[:, 1]
    assert found[told].mean() == pytest.approx(true[told].mean(), abs=0.04)
    assert said[told].mean() == pytest.approx(
        0.9
    )  # what the labels say of themselves, however rare the group


def test_levelled_refuses_what_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="at least 0"):
        make("reranker", "levelled(price=-1)")
