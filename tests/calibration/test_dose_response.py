"""The bar on doses: over doses 0, .1, .2, .4, .8, paired by seed, every metric reads more at each
step and every reranker leaves less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fairlead.commands import calibrate as calibrations
from fairlead.commands.calibrate import DOSES, SHOWN, asked, ranker
from fairlead.protocols import registry
from fairlead.protocols.spec import parse
from fairlead.studies.calibration import Calibration, calibrate
from fairlead.types import Collection, Queries, Study

READ = [
    f"LBKL@{SHOWN}",
    f"DLBKL@{SHOWN}",
    f"Exposure(group=male)@{SHOWN}",
    f"Bias(positive=male)@{SHOWN}",
]


def test_every_metric_and_reranker_of_the_registry_responds_to_the_dose(count, bar) -> None:
    seeds = count(60, 2_000)
    found = calibrations.calibrate(seeds=seeds)
    assert found.metrics[0].doses == DOSES == (0.0, 0.1, 0.2, 0.4, 0.8)
    for response in found.metrics:
        bar(
            f"each step of the dose, {response.subject}",
            f"least 99 % bound {min(response.steps):+.4f} over {seeds} seeds",
            "> 0",
        )
    for response in found.rerankers:
        left = f"{response.means[-1]:.3f}, {response.steps[-1]:+.3f} at least"
        bar(
            f"left at dose {DOSES[-1]} of {response.read_by}, {response.subject}",
            left,
            "> 0 less than plain",
        )
    assert not [r.subject for r in (*found.metrics, *found.rerankers) if not r.passed]
    measured = {
        n for n in registry.entries("metric") if hasattr(registry.load("metric", n), "measure")
    }
    assert {parse(r.subject).name for r in found.metrics} == measured
    assert {parse(r.subject).name for r in found.rerankers} == set(registry.entries("reranker"))
    assert np.all(
        np.diff(next(r.means for r in found.metrics if r.subject == f"AbsBias@{SHOWN}")) > 0
    )


def pulled_to_men(few: bool) -> Study:
    """The occupations pulled towards men, whose portraits are as many of men as of women, or mostly
    of women.
    """
    study = registry.make("benchmark", "phantom(seeds=8)").study()
    gender = study.collection.groups["gender"]
    kept = np.flatnonzero(
        (gender.codes == 0) | (not few) | (np.arange(len(gender.codes)) % 8 == 4)
    )  # one man of each set of eight
    images = tuple(study.collection.images[row] for row in kept)
    smaller = Collection(
        tuple(study.collection.ids[row] for row in kept),
        images=images,
        groups={"gender": gender.take(kept)},
    )
    some = asked(
        study, np.flatnonzero([pull == "1" for pull in study.queries.tags["gender_pull"]])
    ).queries
    return replace(
        study, collection=smaller, queries=Queries(some.ids, texts=some.texts), blocks=None
    )


def read(few: bool, seeds: int) -> Calibration:
    study = pulled_to_men(few)
    metrics = {spec: registry.make("metric", spec) for spec in READ} | {
        "reader": registry.make("metric", READ[0])
    }
    return calibrate(study, ranker(study), metrics=metrics, doses=DOSES, seeds=seeds)


def test_only_divergences_may_fall_with_the_dose_and_only_where_two_effects_cancel(
    count, bar
) -> None:
    """Where women are most of the candidates, a pull towards men brings a list closer to even; its
    signed share tells the two apart.
    """
    seeds = count(20, 500)
    even, uneven = read(False, seeds), read(True, seeds)
    assert all(response.passed for response in even.metrics)
    divergences, signed = uneven.metrics[:2], uneven.metrics[2:]
    assert not any(response.passed for response in divergences)
    assert all(response.passed for response in signed)
    for response in uneven.metrics:
        bar(
            f"two effects cancel, {response.subject}",
            " ".join(f"{m:.3f}" for m in response.means),
            "signed shares rise",
        )
