"""Soft labels in a dictionary, through ``rerank`` and ``score``."""

from __future__ import annotations

import pytest

import fairlead
from fairlead.errors import DataError

RUN = {"nurse": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
SOFT = {
    "a": {"gender": {"female": 0.2, "male": 0.8}},
    "b": {"gender": {"male": 1}},
    "c": {"gender": "female"},
    "d": {"gender": {"female": 0.334, "male": 0.667}},
}


def test_soft_labels_in_a_dictionary_give_the_list_of_a_table():
    columns = {
        "item": list("abcd"),
        "gender=female": [0.2, 0.0, 1.0, 0.334],
        "gender=male": [0.8, 1.0, 0.0, 0.667],
    }
    lists = [
        fairlead.rerank(RUN, labels, mitigate="detgreedy", k=3, trigger=False).to_dict()["results"]
        for labels in (SOFT, columns)
    ]
    assert lists[0] == lists[1] and lists[0][0]["items"] == ["a", "c", "b"]


def test_items_without_a_soft_label_are_unknown_and_what_does_not_apply_is_told():
    labels = {**SOFT, "b": {"gender": None}, "d": {"gender": "not-applicable"}}
    coverage = fairlead.check(RUN, labels).to_dict()["manifest"]["labels"]["gender"]["coverage"]
    assert coverage["known"] == pytest.approx(0.5)
    assert coverage["not_applicable"] == pytest.approx(0.25)


@pytest.mark.parametrize("share", ["much", 1.2, -0.1])
def test_share_that_is_none_is_refused_in_our_words(share):
    labels = {**SOFT, "a": {"gender": {"female": share}}}
    with pytest.raises(DataError, match="share"):
        fairlead.rerank(RUN, labels, mitigate="detgreedy", k=3)
