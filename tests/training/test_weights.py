"""Mitigation on weights: the methods on towers of a few numbers, where what they promise can be
held against what they do.
"""

from __future__ import annotations

import copy
import importlib.util

import numpy as np
import pytest

ABSENT = [
    name for name in ("torch", "onnx", "onnxscript") if importlib.util.find_spec(name) is None
]
pytestmark = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'train' is not installed: no {', '.join(ABSENT)}"
)
if not ABSENT:
    import torch

    from fairlead.testing.toy_towers import KINDS, ToyTowers, toy_material
    from fairlead.training.weights.adversarial import Adversarial
    from fairlead.training.weights.adversary import certainty, probe
    from fairlead.training.weights.contrast import OUT, caption_loss
    from fairlead.training.weights.fair_sample import FairSample
    from fairlead.training.weights.loop import TowerRecipe, reached, train
    from fairlead.training.weights.prompt_array import PromptArray
    from fairlead.training.weights.sampling import log_weights
    from fairlead.training.weights.towers import read, seen


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def leaning():
    """Towers that learnt from captions that lean, and the material."""
    towers = ToyTowers()
    material = toy_material(towers, 0.95)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FairSample, "recipe", TowerRecipe(steps=120, batch=128, rate=2e-2))
        _, told = train(FairSample("batch", images=True), towers, material)
    assert (
        told["after"]["caption_loss"] < 0.5 * told["before"]["caption_loss"]
        and told["after"]["adversary"] > 0.85
    )
    assert told["losses"][-1] < 0.5 * told["losses"][0]
    return towers, material


@pytest.fixture
def biased(leaning):
    """A copy of them."""
    return copy.deepcopy(leaning[0]), leaning[1]


def gap(towers, material, prompt=None) -> float:
    """How much more similar neutral queries are to one group of their own occupation than to the
    other, on held-out items.
    """
    rows = torch.nonzero(material.held).flatten()
    scores = (
        read(towers, material.asked, prompt) @ seen(towers, material.pictures[rows]).T
    ).numpy()
    kind, group = material.meaning[rows].T.numpy()
    return float(np.mean([abs(scores[q][(kind == q) & (group == 0)].mean() - scores[q][(kind == q) & (group == 1)].mean())
                          for q in range(KINDS)]))  # fmt: skip


def told_apart(towers, material, prompt=None) -> float:
    """The share of held-out pictures whose own occupation is the nearest query."""
    rows = torch.nonzero(material.held).flatten()
    best = (seen(towers, material.pictures[rows]) @ read(towers, material.asked, prompt).T).argmax(
        1
    )
    return float((best == material.meaning[rows, 0]).float().mean())


def test_adversarial_training_evens_out_neutral_queries_and_keeps_the_occupation(
    biased, monkeypatch
):
    monkeypatch.setattr(
        Adversarial, "recipe", TowerRecipe(steps=150, batch=128, rate=5e-3, warm=50, turns=4)
    )
    towers, material = biased
    before, texts = gap(towers, material), read(towers, material.tokens)
    train(Adversarial(), towers, material, seed=1)
    assert gap(towers, material) < 0.7 * before and told_apart(towers, material) > 0.8
    assert torch.equal(read(towers, material.tokens), texts)


def test_adversarial_with_weight_zero_hides_nothing(biased, monkeypatch):
    monkeypatch.setattr(Adversarial, "recipe", TowerRecipe(steps=40, batch=64, rate=1e-3))
    _, told = train(Adversarial(0.0), *biased)
    assert told["after"]["adversary"] > told["before"]["adversary"] - 0.1


def test_prompt_with_the_text_tower_hides_the_group_and_leaves_pictures_alone(biased, monkeypatch):
    monkeypatch.setattr(
        PromptArray, "recipe", TowerRecipe(steps=100, batch=128, rate=1e-2, warm=50, turns=3)
    )
    towers, material = biased
    pictures = seen(towers, material.pictures)
    course, told = train(PromptArray(text=True), towers, material)
    assert torch.equal(seen(towers, material.pictures), pictures)
    assert (
        course.prompt.shape == (2, 16)
        and course.prompt.abs().max() > 0
        and len(told["losses"]) == 100
    )
    assert (
        told["after"]["adversary"] < told["before"]["adversary"] - 0.05
        and told_apart(towers, material, course.prompt) > 0.8
    )


def test_prompt_alone_leaves_the_text_tower_alone(biased, monkeypatch):
    monkeypatch.setattr(PromptArray, "recipe", TowerRecipe(steps=10, batch=32, rate=1e-2))
    towers, material = biased
    words = read(towers, material.tokens)
    course, _ = train(PromptArray(), towers, material)
    assert torch.equal(read(towers, material.tokens), words) and not torch.equal(
        read(towers, material.tokens, course.prompt), words
    )


def test_matched_negatives_undo_what_captions_lean_to_and_balanced_ones_do_not(
    leaning, monkeypatch
):
    monkeypatch.setattr(FairSample, "recipe", TowerRecipe(steps=150, batch=128, rate=3e-2))
    found = {}
    for negatives in ("batch", "balanced", "matched"):
        towers, material = copy.deepcopy(leaning[0]), leaning[1]
        train(FairSample(negatives), towers, material)
        found[negatives] = gap(towers, material)
    assert found["matched"] < 0.75 * found["batch"]
    assert (
        found["balanced"] > 0.75 * found["batch"]
    )  # the batch is even already: nothing is left to balance


def test_weights_of_negatives_equal_those_counted_one_by_one():
    rng = np.random.default_rng(0)
    for _ in range(30):
        size, count = int(rng.integers(3, 12)), int(rng.integers(2, 4))
        groups, neutral = rng.integers(-1, count, size), rng.random(size) < 0.6
        true = (rng.random((size, size)) < 0.2) | np.eye(size, dtype=bool)
        for negatives in ("balanced", "matched"):
            slow = np.ones((size, size))
            for i in range(size):
                others = [j for j in range(size) if not true[i, j] and groups[j] >= 0]
                there = sorted({groups[j] for j in others})
                wanted = [groups[i]] if negatives == "matched" else there
                if not neutral[i] or not set(wanted) & set(there):
                    continue
                for j in range(size):
                    same = sum(groups[o] == groups[j] for o in others)
                    if groups[j] >= 0:
                        slow[i, j] = (
                            len(others) / len(wanted) / same
                            if groups[j] in wanted and same
                            else 0.0
                        )
            made = log_weights(
                *(torch.from_numpy(x) for x in (groups, neutral, true)), count, negatives
            )
            np.testing.assert_allclose(made.exp().numpy(), slow, atol=1e-6)


def test_balanced_negatives_of_an_uneven_batch_weigh_every_group_alike():
    groups, neutral = torch.tensor([0, 0, 0, 0, 1, -1]), torch.ones(6, dtype=torch.bool)
    weights = log_weights(groups, neutral, torch.eye(6, dtype=torch.bool), 2, "balanced").exp()
    apart = weights * ~torch.eye(6, dtype=torch.bool)
    assert (
        torch.allclose(apart[0][groups == 0].sum(), apart[0][groups == 1].sum())
        and apart[0, 5] == 1
    )
    assert torch.equal(
        log_weights(groups, ~neutral, torch.eye(6, dtype=torch.bool), 2, "balanced"),
        torch.zeros(6, 6),
    )


def test_caption_loss_leaves_out_what_a_caption_is_true_of_too():
    said, other = (torch.nn.functional.normalize(torch.randn(5, 4), dim=1) for _ in range(2))
    true = torch.eye(5, dtype=torch.bool)
    true[0, 1] = True
    logits = (said @ other.T / 0.1).masked_fill(true & ~torch.eye(5, dtype=torch.bool), OUT).numpy()

    def slow(x: np.ndarray) -> float:
        return float(
            np.mean(
                [np.log(np.exp(row).sum()) - row[i] for i, row in enumerate(x.astype(np.float64))]
            )
        )

    assert float(caption_loss(said, other, true, 0.1)) == pytest.approx(
        (slow(logits) + slow(logits.T)) / 2, rel=1e-5
    )


def test_certainty_is_zero_at_even_odds_alone():
    assert float(certainty(torch.full((4, 3), 2.0))) == pytest.approx(0, abs=1e-6)
    assert float(certainty(torch.tensor([[3.0, 0.0]]))) > 0.5


def test_probe_tells_what_is_there_and_nothing_else():
    torch.manual_seed(0)
    codes = torch.arange(600) % 2
    noise = torch.randn(600, 5)
    told = noise + codes[:, None]
    assert probe(told[:400], codes[:400], told[400:], codes[400:]) > 0.8
    assert abs(probe(noise[:400], codes[:400], noise[400:], codes[400:]) - 0.5) < 0.15


def test_same_seed_gives_the_same_weights_and_another_others(monkeypatch):
    monkeypatch.setattr(Adversarial, "recipe", TowerRecipe(steps=20, batch=32, rate=1e-3, warm=20))

    def made(seed: int) -> np.ndarray:
        towers = ToyTowers()
        material = toy_material(towers)
        train(Adversarial(), towers, material, seed=seed, factor=0.2)
        return seen(towers, material.pictures).numpy()

    assert np.array_equal(made(3), made(3)) and not np.array_equal(made(3), made(4))


def test_card_figures_do_not_move_the_stream_of_random_numbers():
    towers = ToyTowers()
    course = Adversarial().start(towers, toy_material(towers))
    torch.manual_seed(1)
    first = torch.rand(3)
    torch.manual_seed(1)
    reached(course)
    assert torch.equal(torch.rand(3), first)
