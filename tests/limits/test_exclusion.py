"""Use that only leaves a group out: refused with the reason and a way out; what was asked for, and
what is only measured, is not.
"""

from __future__ import annotations

import numpy as np
import pytest

import fairlead
from fairlead.commands import audit as audits
from fairlead.commands.score import score_variants
from fairlead.engine.exclusion import refuse, refuse_one_group
from fairlead.errors import UsageError
from fairlead.types import Groups

RUN = {
    q: {f"i{n}": 20.0 - n for n in range(12)}
    for q in ("a photo of a nurse", "a portrait of a woman")
}
LABELS = {f"i{n}": {"gender": "female" if n % 3 else "male"} for n in range(12)}
ONLY = {"gender": {"female": 1.0, "male": 0.0}}


def test_rerank_to_a_share_of_nothing_is_refused():
    with pytest.raises(UsageError, match="no place for 'male', 33% of what could be shown") as told:
        fairlead.rerank(RUN, LABELS, mitigate="pbm", k=5, target=ONLY)
    assert "ask for it in the query" in told.value.hint


@pytest.mark.parametrize("share", [0.0, 1e-6, 0.009])
def test_rerank_to_next_to_nothing_is_no_way_around(share):
    with pytest.raises(UsageError, match="leave a group out"):
        fairlead.rerank(
            RUN,
            LABELS,
            mitigate="detgreedy",
            k=5,
            target={"gender": {"female": 1 - share, "male": share}},
        )


def test_rerank_of_a_query_that_asks_for_a_group_is_what_was_asked():
    asked = {"a portrait of a woman": RUN["a portrait of a woman"]}
    assert len(fairlead.rerank(asked, LABELS, mitigate="pbm", k=5, target=ONLY).queries) == 1


def test_rerank_where_nobody_of_the_group_could_be_shown_leaves_nobody_out():
    labels = {item: {"gender": "female"} for item in LABELS} | {"elsewhere": {"gender": "male"}}
    assert len(fairlead.rerank(RUN, labels, mitigate="pbm", k=5, target=ONLY).queries) == 2


def test_rerank_to_a_low_share_of_a_rare_group_is_allowed():
    labels = {f"i{n}": {"gender": "female" if n else "male"} for n in range(12)}
    assert fairlead.rerank(
        RUN, labels, mitigate="pbm", k=5, target={"gender": {"female": 0.98, "male": 0.02}}
    ).queries


def test_score_measures_against_any_target():
    assert fairlead.score(RUN, LABELS, metric="TV@5", target=ONLY).rows


def test_score_variants_mitigates_and_so_refuses():
    with pytest.raises(UsageError, match="leave a group out"):
        score_variants(RUN, LABELS, mitigate=["pbm"], k=5, metric="TV@5", target=ONLY)


def test_search_to_a_share_of_nothing_is_refused_and_measuring_it_is_not():
    choices = {
        "collection": "phantom(seeds=2)",
        "model": "phantom_ideal",
        "attribute": "gender",
        "k": 4,
        "target": ONLY,
    }
    with pytest.raises(UsageError, match="no place for 'male', 50% of what could be shown"):
        fairlead.search("a photo of a nurse", mitigate="pbm", **choices)
    assert fairlead.search("a photo of a nurse", **choices).results


@pytest.mark.parametrize("door", ["rerank", "audit", "search"])
def test_reranker_with_a_floor_of_one_group_alone_is_refused(door):
    spec = "fair_topk(p=1,protected=female)"
    doors = {
        "rerank": lambda: fairlead.rerank(RUN, LABELS, mitigate=spec, k=5),
        "audit": lambda: audits.audit(
            "phantom_ideal",
            "phantom(seeds=2)",
            attribute="gender",
            mitigate=spec,
            metric="AbsBias@10",
        ),
        "search": lambda: fairlead.search(
            "nurse",
            mitigate=spec,
            collection="phantom(seeds=2)",
            model="phantom_ideal",
            attribute="gender",
        ),
    }
    with pytest.raises(UsageError, match="anybody but one group"):
        doors[door]()
    refuse_one_group(None)


@pytest.mark.parametrize("seed", range(20))
def test_refusal_is_where_a_target_is_next_to_nothing_and_the_group_is_there(seed):
    rng = np.random.default_rng(seed)
    groups = Groups.of("gender", ["a", "b", "c"])
    target = rng.dirichlet([0.1, 0.1, 0.1], size=1)
    present = rng.integers(0, 3, (1, 3)) * rng.random((1, 3))
    share = present[0] / max(present.sum(), 1e-12)
    left_out = any(t < 0.01 and s > 10 * t for t, s in zip(target[0], share, strict=True))
    try:
        refuse(groups, target, present, (), None)
        refused = False
    except UsageError:
        refused = True
    assert refused == left_out
