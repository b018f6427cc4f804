"""Whether a mitigation may be switched on, and frontiers of queries of which some have nothing
relevant left.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fairlead.commands import frontier as frontiers
from fairlead.commands.frontier import _methods
from fairlead.engine import projections as projecting
from fairlead.results.frontier import Explicit, least_kept
from fairlead.studies.bounds import Options, bound
from fairlead.studies.frontier import PLAIN, Frontier, Measured, MethodSetting
from fairlead.studies.harm import Tolerance, verdicts

RNG = np.random.default_rng(5)
BIAS, GOOD = RNG.uniform(0.6, 1.0, 40), RNG.uniform(0.5, 1.0, 40)


def made(cost: np.ndarray, gain: float = 0.3, explicit: tuple[Explicit, ...] = ()) -> Frontier:
    """Plain search, and a method that takes some bias away at a cost in relevance, query by query."""
    noise = np.random.default_rng(6).normal(0, 0.02, len(BIAS))
    measured = (
        Measured({"nDCG": GOOD, "AbsBias": BIAS}),
        Measured({"nDCG": GOOD - cost, "AbsBias": BIAS - gain + noise}),
    )
    methods = (MethodSetting(PLAIN, None), MethodSetting("ours", None))
    return Frontier(
        methods,
        measured,
        np.arange(len(BIAS)),
        "nDCG",
        "AbsBias",
        np.full(len(BIAS), 0.2),
        explicit=explicit,
    )


def explicit(method: str, metric: str, plain: float, kept: float) -> Explicit:
    return Explicit(method, "", math.nan, metric, plain, kept, kept, (math.nan, math.nan))


def test_check_refuses_a_cost_that_the_interval_does_not_rule_out_even_where_the_mean_is_above_plain():
    wild = np.random.default_rng(7).normal(0, 1.0, len(BIAS))
    cost = wild - wild.mean() - 0.01  # a mean that gains, and an interval that reaches far below
    (verdict,) = verdicts(made(cost), Tolerance(0.05))
    assert verdict.relevance > 0 > verdict.relevance_ci[0] + 0.05
    assert not verdict.passed and "may fall by more than 0.05" in verdict.reasons[0]


def test_check_passes_a_small_cost_and_lists_that_did_not_change_their_relevance():
    small = np.random.default_rng(8).normal(0.01, 0.01, len(BIAS))
    for cost in (small, np.zeros(len(BIAS))):
        (verdict,) = verdicts(made(cost), Tolerance(0.05))
        assert verdict.passed and verdict.reasons == ()


def test_check_sees_what_explicit_queries_lose_where_another_measure_says_nothing():
    rows = (
        explicit(PLAIN, "P@1", 0.0, 0.0),
        explicit("ours", "P@1", 0.0, 0.0),
        explicit(PLAIN, "nDCG", 0.8, 0.8),
        explicit("ours", "nDCG", 0.8, 0.4),
    )
    (verdict,) = verdicts(made(np.zeros(len(BIAS)), explicit=rows), Tolerance(0.05, 0.02))
    assert (
        verdict.explicit == pytest.approx(0.5)
        and not verdict.passed
        and "keep 50.0 %" in verdict.reasons[0]
    )
    assert (
        least_kept(rows[1::2]) == pytest.approx(0.5)
        and math.isnan(least_kept(rows[:1]))
        and math.isnan(least_kept(()))
    )


def test_frontier_query_without_anything_relevant_hides_no_gap_and_no_level():
    whole = made(np.full(len(BIAS), 0.1))
    blank = [
        Measured({**m.values, "nDCG": np.append(m.values["nDCG"][1:], np.nan)})
        for m in whole.measured
    ]
    found = replace(
        whole, methods=(*whole.methods, MethodSetting("theirs", None)), measured=(*blank, blank[1])
    )
    (gap,) = found.gaps("ours")
    assert gap.relevance == pytest.approx(
        np.nanmean(blank[1].values["nDCG"])
    ) and gap.difference == pytest.approx(0.0)
    level = replace(found, chance=np.full(len(BIAS), 0.6)).level("ours", "theirs")
    assert level is not None and not math.isnan(level.ours)


def test_bound_query_without_anything_relevant_is_passed_over():
    bias, relevance = RNG.random((6, 4)), RNG.random((6, 4))
    blank = np.vstack([relevance, np.full((1, 4), np.nan)])
    expected, found = (
        bound([Options(bias, relevance)]),
        bound([Options(np.vstack([bias, bias[:1]]), blank)]),
    )
    assert expected is not None and found is not None
    np.testing.assert_allclose(found, expected)
    assert bound([Options(bias[:1], np.full((1, 4), np.nan))]) is None


@pytest.mark.parametrize(
    "text", ['orthogonal(prompts="a+b|c d")+levelled', 'fitted:"a+b.npz"+levelled']
)
def test_methods_with_a_plus_in_quotes_sweep_their_knob(text):
    methods, bases = _methods([text])
    assert {m.knob for m in methods[1:]} == {"price"} and len(methods) > 2 and len(bases) == 1


def test_frontier_says_where_a_projection_was_fitted_on_what_is_measured_and_who_ranks_and_labels(
    tmp_path,
):
    model, asks = "phantom(dose=1)", {"repeats": 1, "k": 3, "held_out": False}
    projecting.train_projection(
        "leace", model=model, collection="phantom:skewed", attribute="gender"
    ).write(tmp_path / "seen.npz")
    found = frontiers.frontier(
        model=model,
        mitigate=f"fitted:{tmp_path / 'seen.npz'}",
        mitigate_groups="zeroshot_embedding",
        **asks,
    )
    told = found.manifest["warnings"]
    assert any(
        "100 % of the items that are measured are among those that leace was fitted on" in note
        for note in told
    )
    assert any("labels that mitigate" in note and "the same model ranked" in note for note in told)
    plain = frontiers.frontier(model=model, mitigate="detgreedy", **asks)
    assert plain.manifest["warnings"] == []
