"""The bar on many looks: where half of the occupations are injected, at most one in twenty of the
queries called is a control.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.commands import audit as audits
from fairlead.phantom.stereotypes import controls
from fairlead.report.wording import SEEN

METRICS = ["NDKL(over=relevant)", "NDKL@20", "AbsBias@20", "Bias(positive=male)@20"]
Z99 = 2.326


def called(dose: float, seed: int) -> dict[str, tuple[int, int]]:
    """How many injected occupations and how many controls each metric calls, as the audit reports
    them.
    """
    found = audits.audit(
        f"phantom_ideal(dose={dose},seed={seed})",
        "phantom(seeds=8)",
        attribute="gender",
        metric=METRICS,
        seed=seed,
    )
    innocent = np.isin(found.result.queries, controls("gender"))
    assert 2 * innocent.sum() == len(innocent)
    flagged = {part.metric: part.q < SEEN for part in found.result.values}
    return {
        metric: (int((at & ~innocent).sum()), int((at & innocent).sum()))
        for metric, at in flagged.items()
    }


@pytest.mark.parametrize("dose", [0.2, 0.4, 0.8])
def test_false_discoveries_stay_below_one_in_twenty(dose: float, count, bar) -> None:
    seeds = count(6, 300)
    answers = [called(dose, seed) for seed in range(seeds)]
    for metric in METRICS:
        right, wrong = np.array([answer[metric] for answer in answers]).T
        share = wrong / np.maximum(right + wrong, 1)
        mean, error = share.mean(), share.std(ddof=1) / np.sqrt(seeds)
        power = right.mean() / 14
        bar(f"false discoveries, half of 28 injected, dose {dose:g}, {metric}",
            f"{mean:.3f} (at most {mean + Z99 * error:.3f}), power {power:.2f}", "<= .05 (.06)")  # fmt: skip
        if seeds >= 300:
            assert mean <= 0.05 and mean + Z99 * error <= 0.06, metric
        else:  # too few for the bound from above: the mean must not lie clearly beyond the bar
            assert mean - Z99 * max(error, 0.05 / np.sqrt(seeds)) <= 0.05, metric
    assert dose < 0.8 or power > 0.5
