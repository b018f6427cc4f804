"""Aggregation of raters: Dawid-Skene finds the errors it was given, is no worse than the majority,
and depends on no names.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.statistics.consensus import Majority
from fairlead.statistics.raters import DawidSkene
from fairlead.types.answers import Answers, Task

UNSURE = -1


def _answers(item, rater, value, groups=2, items=None):
    task = Task("gender", tuple(f"g{n}" for n in range(groups)))
    item, rater, value = (np.asarray(x, np.int64) for x in (item, rater, value))
    size = items if items is not None else int(item.max(initial=-1)) + 1
    return Answers(
        task,
        tuple(map(str, range(size))),
        tuple(map(str, range(int(rater.max(initial=-1)) + 1))),
        item,
        rater,
        value,
    )


@dataclass(frozen=True)
class World:
    """Items with known values, raters with known errors."""

    truth: np.ndarray
    confusion: np.ndarray
    answers: Answers

    @classmethod
    def drawn(cls, rng, *, items, raters, per, groups=2, shares=None, quality="mixed"):
        truth = rng.choice(groups, size=items, p=shares)
        right = {
            "equal": np.full((raters, groups), 0.9),
            "mixed": rng.beta(8, 2, (raters, groups)),
            "careless": np.full((raters, groups), 0.92),
        }
        right = right[quality]
        if quality == "careless":  # one in four answers by lot
            right[: max(1, raters // 4)] = 1 / groups
        wrong = rng.dirichlet(np.ones(groups - 1), (raters, groups)) * (1 - right)[:, :, None]
        confusion = np.stack(
            [np.insert(wrong[:, j], j, right[:, j], axis=1) for j in range(groups)], axis=1
        )
        item = np.repeat(np.arange(items), per)
        rater = np.concatenate([rng.choice(raters, per, replace=False) for _ in range(items)])
        chances = confusion[rater, truth[item]].cumsum(1)
        value = np.minimum((rng.random(len(item))[:, None] > chances).sum(1), groups - 1)
        return cls(truth, confusion, _answers(item, rater, value, groups, items))

    def correct(self, share):
        """Share of items whose most probable group is the true one; a tie counts in parts."""
        groups = share[:, : self.confusion.shape[1]]
        top = groups >= groups.max(1, keepdims=True) - 1e-12
        return float((top[np.arange(len(top)), self.truth] / top.sum(1)).mean())


def _votes(answers):
    return answers.counts / answers.counts.sum(1, keepdims=True)


# Recovery


@pytest.mark.parametrize("groups", [2, 3, 5])
def test_dawid_skene_recovers_simulated_error_rates(groups, count, bar):
    errors, known = [], []
    for seed in range(count(4, 60)):
        world = World.drawn(
            np.random.default_rng([seed, groups]), items=2_000, raters=8, per=4, groups=groups
        )
        found = DawidSkene()(world.answers)
        assert found.settled
        rows = found.confusion[:, :groups, :groups]
        errors.append(np.abs(rows - world.confusion).mean())
        known.append(np.abs(_with_truth(world, groups) - world.confusion).mean())
    far, least = float(np.mean(errors)), float(np.mean(known))
    bar(
        f"Dawid-Skene, {groups} groups: mean error of a rate (with the truth known)",
        f"{far:.4f} ({least:.4f})",
        "< 0.02, < 1.6 x",
    )
    assert far < 0.02
    assert far < 1.6 * least


def _with_truth(world, groups):
    """The rates anybody would count who knew the truth: how far luck alone leads astray."""
    seen = np.zeros((len(world.answers.raters), groups, groups))
    np.add.at(seen, (world.answers.rater, world.truth[world.answers.item], world.answers.value), 1)
    return seen / seen.sum(2, keepdims=True)


def test_dawid_skene_error_rates_come_closer_with_more_answers(count):
    far = []
    for items in (100, 400, 1_600):
        worlds = [
            World.drawn(np.random.default_rng([s, 9]), items=items, raters=6, per=3)
            for s in range(count(6, 40))
        ]
        far.append(
            np.mean(
                [
                    np.abs(DawidSkene()(w.answers).confusion[:, :2, :2] - w.confusion).mean()
                    for w in worlds
                ]
            )
        )
    assert far[0] > far[1] > far[2]


def test_dawid_skene_shares_are_calibrated(count, bar):
    sure, right = [], []
    for seed in range(count(8, 80)):
        world = World.drawn(np.random.default_rng([seed, 3]), items=1_000, raters=10, per=3)
        share = DawidSkene()(world.answers).share[:, :2]
        sure.append(share.max(1))
        right.append(share.argmax(1) == world.truth)
    p, hit = np.concatenate(sure), np.concatenate(right)
    bins = np.clip((p * 10).astype(int), 5, 9)
    gap = sum(
        (bins == b).mean() * abs(p[bins == b].mean() - hit[bins == b].mean())
        for b in range(5, 10)
        if (bins == b).any()
    )
    bar("Dawid-Skene: calibration error of the soft shares", f"{gap:.4f}", "< 0.03")
    assert gap < 0.03


# Against the majority

SETTINGS = [
    {
        "items": items,
        "raters": raters,
        "per": per,
        "groups": groups,
        "shares": shares,
        "quality": quality,
    }
    for items, (raters, per), (groups, shares), quality in itertools.product(
        (50, 300),
        ((3, 3), (10, 3), (30, 3), (5, 5)),
        ((2, (0.5, 0.5)), (2, (0.95, 0.05)), (4, (0.25,) * 4), (4, (0.85, 0.05, 0.05, 0.05))),
        ("equal", "mixed", "careless"),
    )
]


def test_dawid_skene_is_never_worse_than_the_majority_by_a_paired_bound(count, full, bar):
    margin, gains, worst = 0.01, [], (math.inf, {})
    for setting in SETTINGS if full else SETTINGS[::7]:
        pairs = []
        for seed in range(count(12, 60)):
            world = World.drawn(np.random.default_rng([seed, 5]), **setting)
            pairs.append(
                world.correct(DawidSkene()(world.answers).share)
                - world.correct(_votes(world.answers))
            )
        mean, error = float(np.mean(pairs)), float(np.std(pairs, ddof=1) / math.sqrt(len(pairs)))
        gains.append(mean)
        worst = min(worst, (mean, setting), key=lambda pair: pair[0])
        assert mean + 2.33 * error > -margin / 10, setting  # nowhere surely worse
        assert mean > -margin, setting
    low = float(np.mean(gains) - 1.96 * np.std(gains, ddof=1) / math.sqrt(len(gains)))
    bar(
        "Dawid-Skene against the majority, share of items right: mean gain (low bound)",
        f"{np.mean(gains):+.4f} ({low:+.4f})",
        "> 0",
    )
    bar(
        "Dawid-Skene against the majority: worst of the settings",
        f"{worst[0]:+.4f}",
        f"> {-margin}",
    )
    assert low > 0


# Laws


@st.composite
def panels(draw):
    items, raters, groups = (
        draw(st.integers(1, 8)),
        draw(st.integers(1, 5)),
        draw(st.integers(2, 4)),
    )
    cells = draw(
        st.lists(
            st.tuples(st.integers(0, items - 1), st.integers(0, raters - 1)),
            unique=True,
            max_size=20,
        )
    )
    values = draw(st.lists(st.integers(-1, groups), min_size=len(cells), max_size=len(cells)))
    item, rater = (np.array([c[n] for c in cells], np.int64) for n in (0, 1))
    return Answers(
        Task("a", tuple(f"g{n}" for n in range(groups))), tuple(map(str, range(items))), tuple(map(str, range(raters))), item, rater,
        np.array(values, np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("method", [Majority(), DawidSkene()], ids=str)
@given(panels(), st.randoms())
def test_aggregation_does_not_depend_on_the_order_of_answers_or_the_names_of_raters(
    method, answers, mix
):
    order, names = list(range(len(answers))), list(range(len(answers.raters)))
    mix.shuffle(order)
    mix.shuffle(names)
    other = Answers(
        answers.task,
        answers.items,
        answers.raters,
        answers.item[order],
        np.array(names, np.int64)[answers.rater[order]],
        answers.value[order],
    )
    a, b = method(answers), method(other)
    assert np.allclose(a.share, b.share, atol=1e-5)
    if a.confusion is not None:
        assert np.allclose(a.confusion, b.confusion[names], atol=1e-4)


@pytest.mark.parametrize("method", [Majority(), DawidSkene()], ids=str)
@given(panels(), st.randoms())
def test_aggregation_does_not_depend_on_the_names_of_groups(method, answers, mix):
    groups = list(range(len(answers.task.values)))
    mix.shuffle(groups)
    renamed = np.where(answers.value < 0, -1, np.array(groups)[answers.value])
    other = Answers(
        answers.task, answers.items, answers.raters, answers.item, answers.rater, renamed
    )
    assert np.allclose(method(answers).share, method(other).share[:, groups], atol=1e-5)


@pytest.mark.parametrize("method", [Majority(), DawidSkene()], ids=str)
@given(panels())
def test_aggregation_gives_shares_and_leaves_the_unsure_mass_unknown(method, answers):
    found = method(answers)
    assert (found.share >= 0).all()
    assert (found.share.sum(1) <= 1 + 1e-9).all()
    assert (found.share[answers.counts.sum(1) == 0] == 0).all()
    if not found.hard:
        unsure = answers.unsure / np.maximum(answers.given, 1)
        assert np.allclose(found.unknown, np.where(answers.given > 0, unsure, 1.0))


def test_majority_ties_and_unsure_are_unknown():
    said = {
        0: (0, 0, 1),
        1: (0, 1),
        2: (0, UNSURE),
        3: (0, 0, UNSURE),
        4: (UNSURE, UNSURE, 1),
        5: (0, 1, UNSURE),
        6: (2, 2, 0),
        7: (),
    }
    item, rater, value = zip(
        *((i, r, v) for i, row in said.items() for r, v in enumerate(row)), strict=True
    )
    found = Majority()(_answers(item, rater, value, items=8)).share
    assert found.argmax(1)[[0, 3, 6]].tolist() == [0, 0, 2]
    assert found.sum(1).tolist() == [1, 0, 0, 1, 0, 0, 1, 0]


def test_dawid_skene_weighs_a_good_rater_more_than_two_careless_ones():
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=600)
    said = np.stack([truth if r < 3 else rng.integers(2, size=600) for r in range(5)])
    said[:3] ^= (rng.random((3, 600)) < 0.05).astype(int)
    item, rater = np.tile(np.arange(600), 5), np.repeat(np.arange(5), 600)
    keep = ~(
        (item < 50) & np.isin(rater, (1, 2))
    )  # the first fifty items were seen by one good rater and two careless ones
    answers = _answers(item[keep], rater[keep], said.reshape(-1)[keep])
    found = DawidSkene()(answers)
    against = (said[0, :50] != said[3, :50]) & (said[3, :50] == said[4, :50])
    assert against.sum() > 5
    assert (found.share[:50].argmax(1)[against] == said[0, :50][against]).all()
    assert (found.confusion[3:, 0, 0] < 0.65).all()


def test_dawid_skene_climbs_the_posterior_in_every_round():
    world = World.drawn(np.random.default_rng(1), items=120, raters=6, per=3, groups=3)
    heights = [
        _height(world.answers, DawidSkene(most=n)(world.answers), DawidSkene())
        for n in range(1, 25)
    ]
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(heights))


def _height(answers, found, method):
    """Logarithm of what EM climbs: the likelihood with the items summed over, times the stated
    prior.
    """
    confusion, prevalence = found.confusion[:, :3, :3], found.prevalence[:3]
    height = float((np.log(confusion) * method._prior(3)).sum() + np.log(prevalence).sum())
    for row in range(len(answers.items)):
        at = answers.item == row
        logs = np.log(prevalence) + np.log(confusion[answers.rater[at], :, answers.value[at]]).sum(
            0
        )
        height += float(np.logaddexp.reduce(logs))
    return height


def test_dawid_skene_many_answers_stay_finite():
    rng = np.random.default_rng(0)
    item, rater = np.repeat(np.arange(3), 3_000), np.tile(np.arange(3_000), 3)
    found = DawidSkene()(
        _answers(item, rater, (rng.random(9_000) < np.array([0.9, 0.1, 0.5])[item]).astype(int))
    )
    assert np.isfinite(found.share).all()
    assert found.share[:2].max(1) == pytest.approx(1)


def test_dawid_skene_no_answer_at_all_and_one_value_only():
    assert DawidSkene()(_answers([], [], [], items=3)).share.tolist() == [[0, 0, 0]] * 3
    assert DawidSkene()(_answers([0, 1], [0, 0], [1, 1])).share.tolist() == [[0, 1, 0]] * 2


@pytest.mark.parametrize("prior", [{"accuracy": 1.0}, {"weight": 0.0}, {"most": 0}])
def test_dawid_skene_impossible_prior_is_refused(prior):
    with pytest.raises(UsageError, match="prior"):
        DawidSkene(**prior)


def test_dawid_skene_text_form_reads_back():
    assert str(DawidSkene()) == "dawid-skene"
    assert str(DawidSkene(weight=5)) == "dawid-skene(weight=5.0)"
