"""Content never raises and always has a reason; what is no list of candidates does raise."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import fairlead
from fairlead.engine.overruling import within
from fairlead.errors import DataError, UsageError
from fairlead.protocols.registry import entries
from fairlead.testing.worlds import ranked
from fairlead.trigger.decision import Decision
from fairlead.types import Groups
from fairlead.types.evidence import Target

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
CONTENTS = 20_000 if FULL else 1_000
GROUPS = ("female", "male")
IDS, SCORES = list("abcdef"), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]


def mitigator(name="detgreedy", **choices):
    return fairlead.Mitigator.of(
        name, **{"attribute": "gender", "groups": GROUPS, "k": 4, **choices}
    )


@pytest.mark.parametrize("name", entries("reranker"))
@pytest.mark.parametrize(
    ("labels", "rule"),
    [
        (["male"] * 6, "one-group"),
        (["male", None, "male", None, "not-applicable", None], "one-group"),
        ([None] * 6, "unlabelled"),
        (["not-applicable"] * 6, "unlabelled"),
        (np.zeros((6, 2)), "unlabelled"),
    ],
)
@pytest.mark.parametrize("trigger", [True, False])
def test_nothing_to_choose_gives_the_plain_list_and_the_reason(name, labels, rule, trigger):
    shown = mitigator(name, trigger=trigger)(IDS, SCORES, labels, query="nurse")
    assert shown.ids == ("a", "b", "c", "d") and not shown.changed
    assert shown.decision.rule == rule and shown.reason == shown.decision.reason
    assert shown.reason.startswith("The query has ")


def test_list_that_is_as_it_should_be_says_that_there_was_nothing_to_do():
    shown = mitigator()(IDS, SCORES, ["male", "female"] * 3)
    assert shown.ids == ("a", "b", "c", "d")
    assert shown.reason == "There was nothing to do: detgreedy keeps the plain list."


def test_empty_list_and_single_candidate_are_lists():
    assert mitigator()([], [], []).to_dict()["ids"] == []
    assert mitigator()(["a"], [1.0], ["male"]).ids == ("a",)
    assert mitigator().many([], [], []) == ()


def test_target_that_leaves_a_group_out_keeps_the_plain_list():
    made = mitigator(target={"female": 0.0, "male": 1.0})
    shown = made(IDS, SCORES, ["female", "male"] * 3, query="nurse")
    assert shown.decision.rule == "excluding" and "leave a group out" in shown.reason
    assert shown.ids == ("a", "b", "c", "d")


def test_too_few_candidates_of_a_group_leave_the_list_only_where_some_are_not_shown():
    ids = [f"i{n}" for n in range(20)]
    labels = ["male"] * 19 + ["female"]
    few = mitigator(k=10)(ids, range(20), labels, query="nurse")
    assert few.decision.rule == "too-few" and not few.changed
    every = mitigator(k=20)(ids, range(20, 0, -1), labels, query="nurse")
    assert every.decision.rule == "neutral" and every.changed


def test_rerank_with_every_candidate_shown_mitigates_lists_with_few_of_a_group():
    run = {"nurse": {f"i{n}": float(20 - n) for n in range(20)}}
    labels = {f"i{n}": {"gender": "male" if n < 19 else "female"} for n in range(20)}
    rules = [
        fairlead.rerank(run, labels, mitigate="detgreedy", k=k).decisions[0].rule for k in (10, 20)
    ]
    assert rules == ["too-few", "neutral"]


def test_list_of_one_group_is_left_whatever_the_trigger_said():
    evidence = ranked("FFFFMMMM", "FFFFFFFF")
    decisions = [Decision.by("off", query, "gender") for query in evidence.queries]
    assert [one.rule for one in within(decisions, evidence, 4)] == ["off", "one-group"]


@pytest.mark.parametrize(
    "labels",
    [
        ["male", "male", None, "female", "female", "not-applicable"],
        np.array([1, 1, -1, 0, 0, -2]),
        [1, 1, -1, 0, 0, -2],
        np.array(["male", "male", "", "female", "female", "not-applicable"]),
        np.array(["male", "male", None, "female", "female", "not-applicable"], object),
        ["male", "male", float("nan"), "female", "female", "not-applicable"],
        [{"male": 1}, {"male": 1.0}, {}, {"female": 1}, "female", "not-applicable"],
        dict(zip("abdef", ["male", "male", "female", "female", "not-applicable"], strict=True)),
        {"a": {"male": 1}, "b": "male", "d": {"female": 1}, "e": "female", "f": "not-applicable"},
        Groups.of("gender", ["male", "male", None, "female", "female", "not-applicable"]),
        Groups("gender", ("male", "female"), codes=np.array([0, 0, -1, 1, 1, -2])),
    ],
)
def test_every_form_of_labels_says_the_same(labels):
    assert mitigator()(IDS, SCORES, labels).ids == ("a", "c", "d", "b")


def test_soft_labels_in_every_form_say_the_same():
    shares = np.array([[0.1, 0.9], [0.3, 0.7], [0.2, 0.8], [0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
    forms = [
        shares,
        shares.tolist(),
        [dict(zip(GROUPS, row, strict=True)) for row in shares.tolist()],
        Groups("gender", ("male", "female"), soft=shares[:, ::-1]),
    ]
    lists = {mitigator()(IDS, SCORES, form).ids for form in forms}
    assert lists == {("a", "d", "b", "e")}


def test_rounded_shares_are_taken_and_larger_ones_are_not():
    thirds = np.tile([0.334, 0.334, 0.333], (6, 1))
    made = mitigator(groups=("a", "b", "c"))
    assert len(made(IDS, SCORES, thirds).ids) == 4
    assert Groups("g", ("a", "b", "c"), soft=thirds).share.sum(1) == pytest.approx(np.ones(6))
    with pytest.raises(DataError, match="sum to at most 1"):
        made(IDS, SCORES, thirds + 0.01)


@pytest.mark.parametrize(
    ("ids", "scores", "labels", "error", "says"),
    [
        (IDS, [*SCORES[:5], np.nan], ["male"] * 6, DataError, "candidate 5 is nan"),
        (IDS, [np.inf, *SCORES[1:]], ["male"] * 6, DataError, "candidate 0 is inf"),
        (IDS, [1e39, *SCORES[1:]], ["male"] * 6, DataError, "not a finite number"),
        (IDS, [np.nan] * 6, ["male"] * 6, DataError, "not a finite number"),
        (IDS, SCORES[:5], ["male"] * 6, UsageError, "for 6 ids"),
        (IDS, ["high"] * 6, ["male"] * 6, UsageError, "must be numbers"),
        (IDS, SCORES, ["male"] * 5, UsageError, "5 labels of 'gender' for 6 ids"),
        (IDS, SCORES, ["man"] * 6, UsageError, "no group of 'gender' called 'man'"),
        (IDS, SCORES, [{"man": 1}] * 6, UsageError, "no group of 'gender' called 'man'"),
        (IDS, SCORES, [{"male": "all"}] * 6, DataError, "not a number"),
        (IDS, SCORES, np.full((6, 2), -0.1), DataError, "Shares of 'gender'"),
        (IDS, SCORES, np.full((6, 2), 0.6), DataError, "Shares of 'gender'"),
        (IDS, SCORES, np.full((6, 3), 0.1), DataError, "Shares of 'gender'"),
        (IDS, SCORES, np.full(6, 2), DataError, "Codes of 'gender'"),
        (IDS, SCORES, np.full(6, 0.5), DataError, "Codes of 'gender'"),
        (IDS, SCORES, Groups.of("gender", ["x"] * 6), UsageError, "called 'x'"),
    ],
)
def test_what_is_no_list_of_candidates_is_refused(ids, scores, labels, error, says):
    with pytest.raises(error, match=says):
        mitigator()(ids, scores, labels)


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"k": 0}, "k got 0"),
        ({"groups": ("female",)}, "two or more"),
        ({"groups": ("female", "female")}, "two or more"),
        ({"groups": ("female", "not-applicable")}, "no group"),
        ({"unknown": "guess"}, "policy for unknown"),
        ({"target": "even"}, "Accepted: uniform"),
        ({"target": {"female": 1.0}}, "lacks group 'male'"),
        ({"target": Target("t", [0.2, 0.3, 0.5])}, "one share for each"),
        ({"groups": ("unknown", "known"), "unknown": "own-group"}, "called 'unknown'"),
        ({"name": "detgredy"}, "Did you mean detgreedy"),
        ({"leave": [3]}, "list of texts"),
    ],
)
def test_choices_that_are_none_are_refused_when_it_is_made(choices, says):
    with pytest.raises((UsageError, DataError), match=says) as caught:
        mitigator(**choices)
    assert says in f"{caught.value.message} {caught.value.hint}" or says in str(caught.value)


def test_many_with_another_number_of_parts_is_refused():
    with pytest.raises(UsageError, match="one of each"):
        mitigator().many([IDS], [SCORES], [])


def test_queries_to_leave_alone_are_left():
    shown = mitigator(leave=["nurse*"])(IDS, SCORES, ["male"] * 4 + ["female"] * 2, query="nurses")
    assert shown.decision.rule == "listed" and not shown.changed


def test_random_contents_never_raise():
    rng = np.random.default_rng(0)
    fast = [n for n, entry in entries("reranker").items() if entry.extra is None]
    queries = ["", "nurse", "female CEO", "q1", "Marie Curie", "?!", "  ", "🙂", "nurse " * 50]
    made = [
        fairlead.Mitigator.of(
            fast[n % len(fast)],
            attribute=["gender", "skin*gender", "height"][n % 3],
            groups=[f"g{g}" for g in range(2 + n % 5)],
            target=["uniform", "pool", "zero"][n % 3]
            if n % 3 < 2
            else {f"g{g}": float(g == 0) for g in range(2 + n % 5)},
            k=1 + n % 30,
            unknown=["ignore", "own-group", "spread"][n % 4 % 3],
            trigger=n % 2 == 0,
        )
        for n in range(5 * len(fast))
    ]
    for number in range(CONTENTS):
        one = made[number % len(made)]
        groups, size = len(one.labels.names), int(rng.integers(0, 25))
        scores = rng.choice([0.0, -0.0, 1.0, 1e30, -1e30, 1e-40, rng.standard_normal()], size)
        if rng.random() < 0.5:
            labels = rng.integers(-2, rng.integers(-1, groups + 1), size)
        else:
            labels = rng.dirichlet(np.full(groups + 1, 0.2), size)[:, 1:]
            labels *= rng.random((size, 1)) < rng.random()
        ids = [str(item) for item in rng.integers(0, 20, size)]
        shown = one(ids, scores, labels, query=queries[number % len(queries)])
        assert len(set(shown.order.tolist())) == len(shown.order) <= min(one.k, size)
        assert shown.reason and [ids[place] for place in shown.order] == list(shown.ids)


def test_first_call_loads_nothing_that_it_does_not_need():
    program = (
        "import sys, fairlead\n"
        "m = fairlead.Mitigator.of('levelled', attribute='g', groups=('a', 'b'), k=2)\n"
        "m(['x', 'y'], [1.0, 2.0], ['a', 'b'])\n"
        "heavy = 'pydantic pyarrow click rich onnxruntime PIL scipy importlib.metadata'.split()\n"
        "print([name for name in heavy if name in sys.modules])\n"
        "print('fairlead.words.banks' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["[]", "False"]


def test_built_in_is_found_without_a_look_at_what_is_installed(monkeypatch):
    import importlib.metadata

    def refuse(**_):
        raise AssertionError("entry points were looked at")

    monkeypatch.setattr(importlib.metadata, "entry_points", refuse)
    assert mitigator("levelled")(IDS, SCORES, ["male", "female"] * 3).ids
