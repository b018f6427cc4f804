"""Labels with errors of a known rate."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.errors import UsageError
from fairlead.protocols import registry
from fairlead.types import Collection, Groups


@pytest.mark.parametrize("accuracy", [0.5, 0.9, 1.0])
def test_noisy_labels_are_right_as_often_as_stated(accuracy: float) -> None:
    codes = np.tile([0, 1, 2], 2_000)
    groups, ids = (
        Groups("g", ("a", "b", "c"), codes=codes),
        tuple(f"i{i}" for i in range(len(codes))),
    )
    told = registry.make("annotator", f"noisy(accuracy={accuracy})")(
        Collection(ids, groups={"g": groups}), "g"
    )
    right = np.mean(told.codes == codes)
    assert right == pytest.approx(accuracy, abs=4 * np.sqrt(0.25 / len(codes)))
    assert told.source.startswith("noisy")
    wrong = (told.codes - codes)[told.codes != codes] % 3
    assert not len(wrong) or np.mean(wrong == 1) == pytest.approx(0.5, abs=0.05)


def test_noisy_error_of_an_item_does_not_depend_on_the_others() -> None:
    groups, ids = (
        Groups("g", ("a", "b"), codes=np.zeros(50, int)),
        tuple(f"i{i}" for i in range(50)),
    )
    noisy = registry.make("annotator", "noisy(accuracy=0.5)")
    whole = noisy(Collection(ids, groups={"g": groups}), "g").codes
    part = Collection(ids[10:20], groups={"g": groups.take(np.arange(10, 20))})
    assert noisy(part, "g").codes.tolist() == whole[10:20].tolist()


def test_unknown_stays_unknown_and_impossible_rates_are_refused() -> None:
    groups = Groups("g", ("a", "b"), codes=np.array([-1, -2]))
    collection = Collection(("x", "y"), groups={"g": groups})
    noisy = registry.make("annotator", "noisy(accuracy=0)")
    assert noisy(collection, "g").codes.tolist() == [-1, -2]
    with pytest.raises(UsageError, match=r"cannot label 'age'. It can label: g\."):
        noisy(collection, "age")
    with pytest.raises(UsageError, match="no share"):
        registry.make("annotator", "noisy(accuracy=1.5)")
