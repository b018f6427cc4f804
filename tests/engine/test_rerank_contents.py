"""``rerank`` and ``score`` in memory: labels and targets as objects, and content that has nothing
to balance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fairlead
from fairlead.errors import DataError
from fairlead.protocols import registry
from fairlead.types import Groups
from fairlead.types.evidence import Target

RUN = {
    "nurse": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5},
    "judge": {"d": 3.0, "a": 2.0, "b": 1.0, "c": 0.5},
}
PLAIN = {"nurse": ["a", "b"], "judge": ["d", "a"]}
NAMES = {"a": "female", "b": "male", "c": "male", "d": "female"}
RERANKERS = tuple(registry.entries("reranker"))


def labels(names: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item: {"gender": name} for item, name in names.items()}


def lists(result: Any) -> dict[str, list[str]]:
    return {
        query: [result.items[row] for row in result.ranking.rows[start:stop]]
        for query, start, stop in zip(
            result.queries, result.ranking.offsets[:-1], result.ranking.offsets[1:], strict=True
        )
    }


def test_groups_and_a_mapping_of_groups_are_labels_as_a_dict_is() -> None:
    groups = Groups.of("gender", list(NAMES.values()), source="mine")
    choices: dict[str, Any] = {"mitigate": "detgreedy", "k": 3}
    same = lists(fairlead.rerank(RUN, labels(NAMES), **choices))
    assert lists(fairlead.rerank(RUN, groups, **choices)) == same
    assert lists(fairlead.rerank(RUN, {"gender": groups}, **choices)) == same
    row = fairlead.score(RUN, groups, metric="AbsBias@2").rows[0]
    other = fairlead.score(RUN, labels(NAMES), metric="AbsBias@2").rows[0]
    assert (row.mean, row.excess, row.source) == (other.mean, other.excess, "mine")


def test_groups_of_another_number_of_items_are_refused() -> None:
    groups = Groups.of("gender", ["female", "male"])
    with pytest.raises(DataError, match="'gender' labels 2 items, the dict ranks 4"):
        fairlead.score(RUN, groups)


def test_groups_cross_and_leave_out_as_a_dict_does() -> None:
    skin = {"a": "dark", "b": "light", "c": "dark", "d": "light"}
    both = {name: {"gender": NAMES[name], "skin": skin[name]} for name in NAMES}
    groups = {
        "gender": Groups.of("gender", list(NAMES.values())),
        "skin": Groups.of("skin", list(skin.values())),
    }
    choices: dict[str, Any] = {"attribute": "gender*skin", "leave_out": ["b"], "metric": "TV@2"}
    one, other = (fairlead.score(RUN, labels, **choices) for labels in (both, groups))
    assert [row.mean for row in one.rows] == [row.mean for row in other.rows]


def test_target_objects_and_soft_labels_are_taken() -> None:
    soft = labels({item: {"female": 0.7, "male": 0.3} for item in NAMES})
    target = Target("mine", np.array([[0.5, 0.5]]))
    found = fairlead.rerank(RUN, soft, target=target, mitigate="pbm", k=2)
    assert found.manifest["plan"]["target"] == "mine"
    row = fairlead.score(RUN, labels(NAMES), target=target, metric="TV@2").rows[0]
    assert row.target == "mine"


@pytest.mark.parametrize("reranker", RERANKERS)
@pytest.mark.parametrize("trigger", [True, False])
@pytest.mark.parametrize(
    ("names", "rule"),
    [
        (dict.fromkeys("abcd", "female"), "one-group"),
        (dict.fromkeys("abcd"), "unlabelled"),
        (dict.fromkeys("abcd") | {"x": "female", "y": "male"}, "unlabelled"),
        ({**dict.fromkeys("abc"), "d": "female", "y": "male"}, "one-group"),
    ],
)
def test_content_with_nothing_to_balance_stays_plain_with_the_reason(
    reranker: str, trigger: bool, names: dict[str, Any], rule: str
) -> None:
    found = fairlead.rerank(RUN, labels(names), mitigate=reranker, k=2, trigger=trigger)
    assert lists(found) == PLAIN
    assert [one.rule for one in found.decisions] == [rule, rule]


def test_score_still_refuses_labels_of_one_group() -> None:
    with pytest.raises(DataError, match="one group only"):
        fairlead.score(RUN, labels(dict.fromkeys("abcd", "female")))
    with pytest.raises(DataError, match="holds no label"):
        fairlead.score(RUN, labels(dict.fromkeys("abcd")))
