"""Closed forms against slow references: histograms by loops, normal equations, numerical solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize

from fairlead.errors import DataError, UsageError
from fairlead.projections.bend import Bend, equalised
from fairlead.projections.calibrated import Calibrated
from fairlead.projections.inlp import Inlp
from fairlead.projections.leace import Leace
from fairlead.projections.mi_clip import BINS, MIClip, mutual_information, smoothed
from fairlead.projections.orthogonal import Orthogonal
from fairlead.projections.reference import Reference, labelled
from fairlead.types import Embeddings, Groups, one_hot

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=20, deadline=None)


def world(
    seed: int, *, items: int = 200, dimensions: int = 6, groups: int = 2, pull: float = 1.0
) -> Reference:
    """Items whose groups differ in mean and, a little, in spread; prompts and sentences of the
    groups.
    """
    rng = np.random.default_rng(seed)
    codes = np.concatenate(
        [np.arange(groups).repeat(2), rng.integers(0, groups, items - 2 * groups)]
    )
    centres = pull * rng.normal(size=(groups, dimensions))
    mixed = rng.normal(size=(dimensions, dimensions)) / np.sqrt(dimensions)
    vectors = (
        rng.normal(size=(items, dimensions)) @ mixed * (1 + 0.2 * codes[:, None]) + centres[codes]
    )
    prompts = rng.normal(size=(groups, dimensions))
    pairs = rng.normal(size=(5, 1, dimensions)) + centres
    return Reference("g", tuple(f"g{n}" for n in range(groups)), vectors, codes, prompts, pairs)


# mi_clip


def information_by_loops(values: np.ndarray, codes: np.ndarray, groups: int) -> float:
    joint = np.zeros((BINS, BINS))
    low, high = values.min(), values.max()
    for value, code in zip(values, codes, strict=True):
        at = min(int((value - low) / (high - low) * BINS), BINS - 1)
        joint[at, min(int(code / (groups - 1) * BINS), BINS - 1)] += 1
    joint = gaussian_filter(joint, 1, mode="constant") + np.finfo(float).eps
    joint /= joint.sum()
    cells = [(a, b) for a in range(BINS) for b in range(BINS)]
    rows, columns = joint.sum(1), joint.sum(0)
    return sum(float(joint[a, b] * np.log(joint[a, b] / (rows[a] * columns[b]))) for a, b in cells)


@FEW
@given(SEEDS, st.integers(2, 5))
def test_mutual_information_any_column_equals_loops_over_bins(seed: int, groups: int) -> None:
    known = world(seed, groups=groups)
    column = known.items[:, 0]
    assert mutual_information(column, known.codes, groups) == pytest.approx(
        information_by_loops(column, known.codes, groups), abs=1e-9
    )


def test_smoothing_equals_scipy() -> None:
    counts = np.random.default_rng(0).integers(0, 9, (64, 64)).astype(float)
    np.testing.assert_allclose(
        smoothed(counts), gaussian_filter(counts, 1, mode="constant"), atol=1e-12
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (MIClip(), 400),  # Wang's code: 400 of 512 are kept
        (MIClip(dims=400), 400),
        (MIClip(reading="dropped"), 200),  # PBM clips 312 of 512
        (MIClip(dims=312, reading="dropped"), 200),
        (MIClip(share=0.5), 256),
        (MIClip(share=0.25, reading="dropped"), 384),
    ],
)
def test_mi_clip_both_published_readings_keep_their_number_of_dimensions(
    text: MIClip, kept: int
) -> None:
    rng = np.random.default_rng(1)
    codes = np.arange(600) % 2
    items = rng.normal(size=(600, 512))
    items[:, 7] += 4 * codes
    fitted = text.fit(Reference("g", ("a", "b"), items, codes))
    assert int(fitted.on_queries.sum()) == kept
    assert fitted.on_queries[7] == 0  # the dimension that tells


def test_mi_clip_more_dimensions_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError, match=r"mi_clip\(dims=400\) counts 400 of 6 dimensions"):
        MIClip(dims=400).fit(world(0))


# orthogonal and calibrated


@FEW
@given(SEEDS, st.integers(2, 4))
def test_orthogonal_equals_the_normal_equations(seed: int, groups: int) -> None:
    known = world(seed, groups=groups)
    columns = known.prompts.T
    expected = np.eye(6) - columns @ np.linalg.inv(columns.T @ columns) @ columns.T
    np.testing.assert_allclose(Orthogonal().fit(known).on_queries, expected, atol=1e-8)


@pytest.mark.parametrize("strength", [0.5, 10.0, 1000.0])
def test_calibrated_equals_a_numerical_minimiser_of_the_published_objective(
    strength: float,
) -> None:
    known = world(3, dimensions=4, groups=3)
    first = Orthogonal().fit(known).on_queries
    pairs = [
        (a, b)
        for sentence in known.pairs
        for a, b in ((sentence[0], sentence[1]), (sentence[0], sentence[2]), tuple(sentence[1:]))
    ]

    def objective(flat: np.ndarray) -> float:
        matrix = flat.reshape(4, 4)
        return float(
            ((matrix - first) ** 2).sum()
            + strength / len(pairs) * sum(((matrix @ (a - b)) ** 2).sum() for a, b in pairs)
        )

    found = minimize(
        objective, first.ravel(), method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}
    )
    fitted = Calibrated(strength=strength).fit(known).on_queries
    assert objective(fitted.ravel()) <= found.fun + 1e-9
    np.testing.assert_allclose(fitted, found.x.reshape(4, 4), atol=1e-4)


def test_calibrated_of_strength_zero_is_orthogonal() -> None:
    known = world(4)
    np.testing.assert_allclose(
        Calibrated(strength=0).fit(known).on_queries, Orthogonal().fit(known).on_queries, atol=1e-12
    )


# bend


@FEW
@given(SEEDS, st.integers(2, 4))
def test_bend_closed_form_equals_a_numerical_solver(seed: int, groups: int) -> None:
    rng = np.random.default_rng(seed)
    query, means = rng.normal(size=8), rng.normal(size=(groups, 8))
    query /= np.linalg.norm(query)
    found = equalised(query, means)
    limits = [{"type": "eq", "fun": lambda x: x @ x - 1, "jac": lambda x: 2 * x}]
    limits += [
        {"type": "eq", "fun": lambda x, g=g: x @ (g - means[0]), "jac": lambda x, g=g: g - means[0]}
        for g in means[1:]
    ]
    solved = minimize(
        lambda x: -x @ query,
        query,
        jac=lambda x: -query,
        method="SLSQP",
        constraints=limits,
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert found @ query == pytest.approx(solved.x @ query, abs=1e-6)
    np.testing.assert_allclose(found, solved.x, atol=1e-6)
    np.testing.assert_allclose(means @ found, means[0] @ found, atol=1e-12)


def test_bend_scores_the_nearest_items_of_every_group_alike() -> None:
    known = world(5, groups=3)
    queries = np.random.default_rng(5).normal(size=(4, 6))
    variants = np.random.default_rng(6).normal(size=(4, 3, 6))
    fitted = Bend(nearest=7, local="differences").fit(known)
    for query, wordings, bent in zip(
        queries, variants, fitted(Embeddings(queries), variants).vectors, strict=True
    ):
        gaps = wordings[1:] - wordings[:1]
        start = query - gaps.T @ np.linalg.lstsq(gaps.T, query, rcond=None)[0]
        items = fitted.items.astype(float)
        means = [
            items[np.argsort(-(items @ start) - 1e6 * (known.codes == g))[:7]].mean(0) @ bent
            for g in range(3)
        ]
        np.testing.assert_allclose(means, means[0], atol=1e-9)
        assert np.linalg.norm(bent) == pytest.approx(1)


def test_bend_query_without_words_loses_the_prompts_alone() -> None:
    known = world(7)
    query = Embeddings(np.random.default_rng(7).normal(size=(1, 6)))
    fitted = Bend(nearest=10).fit(known)
    np.testing.assert_array_equal(
        fitted(query).vectors, fitted(query, np.full((1, 2, 6), np.nan)).vectors
    )


# leace


def leace_by_equations(known: Reference) -> np.ndarray:
    """Row by row: the least change with no covariance left, by Lagrange's equations."""
    centred, labels = known.items - known.items.mean(0), one_hot(known.codes, len(known.names))
    covariance, shared = (
        centred.T @ centred / len(centred),
        centred.T @ (labels - labels.mean(0))[:, 1:] / len(centred),
    )
    size, ties = shared.shape
    system = np.block([[covariance, shared], [shared.T, np.zeros((ties, ties))]])
    sides = np.vstack([covariance, np.zeros((ties, size))])
    return np.linalg.solve(system, sides)[:size].T


@FEW
@given(SEEDS, st.integers(2, 4))
def test_leace_equals_lagranges_equations(seed: int, groups: int) -> None:
    known = world(seed, groups=groups)
    np.testing.assert_allclose(Leace().fit(known).on_items, leace_by_equations(known), atol=1e-7)


@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0])
def test_leace_linear_reader_is_at_chance(shrinkage: float) -> None:
    known = world(8, pull=2.0)
    seen = Leace(shrinkage).fit(known).items(Embeddings(known.items)).vectors
    for vectors, chance in ((known.items, False), (seen, True)):
        inputs, labels = np.column_stack([vectors, np.ones(len(vectors))]), known.codes

        def loss(
            weights: np.ndarray, inputs: np.ndarray = inputs, labels: np.ndarray = labels
        ) -> float:
            return float(np.logaddexp(0, -(2 * labels - 1) * (inputs @ weights)).mean())

        found = minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-7})
        share = labels.mean()
        entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
        assert bool(abs(found.fun - entropy) < 1e-6) is chance


@FEW
@given(SEEDS)
def test_leace_changes_items_least_of_all_maps_that_erase(seed: int) -> None:
    known = world(seed)
    rng = np.random.default_rng(seed)
    matrix, mean = Leace().fit(known).on_items, known.items.mean(0)
    centred, labels = known.items - mean, one_hot(known.codes, 2)
    shared = centred.T @ (labels - labels.mean(0))[:, 1:]

    def change(candidate: np.ndarray) -> float:
        return float(((centred @ candidate.T - centred) ** 2).sum())

    free = np.eye(6) - shared @ shared.T / (shared.T @ shared)  # any map times this one erases too
    for candidate in (
        free,
        matrix + rng.normal(size=(6, 6)) @ free,
        np.linalg.qr(rng.normal(size=(6, 6)))[0] @ free,
    ):
        np.testing.assert_allclose(candidate @ shared, 0, atol=1e-7)
        assert change(matrix) <= change(candidate) + 1e-9


def test_leace_full_shrinkage_is_the_projection_off_the_difference_of_means() -> None:
    known = world(9)
    gap = known.items[known.codes == 1].mean(0) - known.items[known.codes == 0].mean(0)
    np.testing.assert_allclose(
        Leace(1.0).fit(known).on_items, np.eye(6) - np.outer(gap, gap) / (gap @ gap), atol=1e-9
    )


def test_leace_fewer_items_than_dimensions_says_what_to_do_and_shrinkage_does_it() -> None:
    known = world(10, items=12, dimensions=30)
    with pytest.raises(DataError, match=r"12 items of 30 dimensions.*leace\(shrinkage=0.1\)"):
        Leace().fit(known)
    assert (
        "fitted on 12 items of 30 dimensions" in Leace(0.1).fit(known).notes[0]
        and Leace(0.1).fit(world(10)).notes == ()
    )
    seen = Leace(0.1).fit(known).items(Embeddings(known.items)).vectors
    np.testing.assert_allclose(
        seen[known.codes == 0].mean(0), seen[known.codes == 1].mean(0), atol=1e-9
    )


# inlp


def test_inlp_many_rounds_leave_a_reader_near_chance() -> None:
    known = world(11, items=400, dimensions=12, pull=1.5)

    def accuracy(vectors: np.ndarray) -> float:
        inputs = np.column_stack([vectors, np.ones(len(vectors))])
        weights = np.linalg.lstsq(inputs, 2.0 * known.codes - 1, rcond=None)[0]
        return float((((inputs @ weights) > 0) == known.codes).mean())

    chance = max(known.codes.mean(), 1 - known.codes.mean())
    assert accuracy(known.items) > 0.95
    assert (
        accuracy(Inlp(rounds=11).fit(known).items(Embeddings(known.items)).vectors) < chance + 0.1
    )


def test_inlp_few_items_is_noted() -> None:
    assert (
        "fitted on 12 items of 30 dimensions"
        in Inlp().fit(world(12, items=12, dimensions=30)).notes[0]
    )
    assert Inlp().fit(world(12)).notes == ()


def test_bend_fewer_items_of_a_group_than_it_looks_at_is_noted() -> None:
    known = world(13, items=12, dimensions=30)
    counts = np.bincount(known.codes)
    assert Bend(nearest=100).fit(known).notes == (
        f"bend looks at the 100 nearest items of each group; there are fewer to choose from: g0 {counts[0]}, g1 {counts[1]}.",
    )
    assert Bend(nearest=2).fit(known).notes == ()


# what a reference may be


def test_labels_of_one_group_are_refused() -> None:
    vectors = Embeddings(np.ones((3, 2)))
    with pytest.raises(DataError, match=r"one group only \(a 3, b 0\)"):
        labelled(vectors, Groups("g", ("a", "b"), codes=np.zeros(3, int)))


def test_group_of_one_item_is_refused_and_one_of_none_is_passed_over() -> None:
    vectors = Embeddings(np.arange(10.0).reshape(5, 2))
    with pytest.raises(DataError, match="c has fewer than 2 labelled items"):
        labelled(vectors, Groups("g", ("a", "b", "c"), codes=np.array([0, 0, 1, 1, 2])))
    items, codes = labelled(vectors, Groups("g", ("a", "b", "c"), codes=np.array([0, 0, 1, 1, -1])))
    for projection in (Leace(0.1), Inlp(), MIClip(share=0.5), Bend(prompts="x|y")):
        found = projection.fit(
            Reference("g", ("a", "b", "c"), items, codes, prompts=np.eye(2)[:1])
        )(vectors)
        assert np.isfinite(found.vectors).all()


def test_labels_unknown_and_soft_are_read() -> None:
    vectors = Embeddings(np.arange(10.0).reshape(5, 2))
    items, codes = labelled(vectors, Groups("g", ("a", "b"), codes=np.array([0, -1, 1, 0, 1])))
    assert items[:, 0].tolist() == [0, 4, 6, 8] and codes.tolist() == [0, 1, 0, 1]
    soft = np.array([[0.9, 0.1], [0.2, 0.3], [0.3, 0.7], [0.6, 0.0], [0.4, 0.6]])
    items, codes = labelled(vectors, Groups("g", ("a", "b"), soft=soft))
    assert items[:, 0].tolist() == [0, 4, 6, 8] and codes.tolist() == [0, 1, 0, 1]


def test_many_vectors_an_item_are_refused() -> None:
    with pytest.raises(UsageError, match="one vector for each item"):
        labelled(
            Embeddings(np.ones((4, 2)), np.array([0, 2, 4])),
            Groups("g", ("a", "b"), codes=np.array([0, 1])),
        )


@FEW
@given(SEEDS)
def test_imputed_constants_rank_as_clipping_does(seed: int) -> None:
    """Why imputation has no projection of its own: with inner products it is another choice of
    dimensions to leave out.
    """
    rng = np.random.default_rng(seed)
    queries, items, values = (
        rng.normal(size=(3, 6)),
        rng.normal(size=(20, 6)),
        rng.normal(size=(2, 6)),
    )
    chosen = rng.permutation(6)[:3]
    imputed = [vectors.copy() for vectors in (queries, items)]
    for vectors, constants in zip(imputed, values, strict=True):
        vectors[:, chosen] = constants[chosen]
    kept = np.ones(6)
    kept[chosen] = 0
    np.testing.assert_allclose(
        imputed[0] @ imputed[1].T - values[0, chosen] @ values[1, chosen],
        (queries * kept) @ items.T,
        atol=1e-9,
    )
