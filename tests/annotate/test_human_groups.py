"""What people say, as groups and as a status: unsure stays unknown, not applicable is itself, small
counts are not shown.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from fairlead.annotators.human import Human
from fairlead.engine.human import tasks as human_tasks
from fairlead.engine.human import work as human_work
from fairlead.errors import UsageError
from fairlead.statistics.consensus import Majority
from fairlead.statistics.panel import human_groups, method_of
from fairlead.statistics.raters import DawidSkene
from fairlead.store.human import HumanStore
from fairlead.store.label_writing import write_labels
from fairlead.store.labels import read_item_groups
from fairlead.studies.human import cost_of, spent, status_of
from fairlead.studies.human_plan import plan_of
from fairlead.types import Collection, Groups, Ranking
from fairlead.types.answers import Answer, Answers, Task

TIME = datetime(2026, 5, 1, 10, tzinfo=UTC)
TASK = Task("gender", ("female", "male"), price=0.05, seconds=9)


def _given(said, task=TASK, **rest):
    """Answers from ``{item: "f m unsure"}``, one rater a word."""
    words = {"f": "female", "m": "male", "n": "not-applicable", "u": "unsure"}
    return [
        Answer(
            item,
            task.attribute,
            f"r{n}",
            words[word],
            TIME + timedelta(seconds=n),
            version=1,
            **rest,
        )
        for item, row in said.items()
        for n, word in enumerate(row)
    ]


SAID = {"a": "fff", "b": "ffm", "c": "fmu", "d": "nnn", "e": "uuu", "g": "ffu", "h": "nnf"}


def test_groups_by_the_majority_are_hard_and_say_who_made_them():
    found = human_groups(Answers.of(TASK, _given(SAID), [*SAID, "z"]), Majority())
    assert found.codes.tolist() == [0, 0, -1, -2, -1, 0, -2, -1]
    assert found.source == "human(3 raters, majority)"
    assert found.unknown.sum() == 3


def test_groups_by_dawid_skene_are_soft_and_leave_unsure_answers_unknown():
    found = human_groups(Answers.of(TASK, _given(SAID), [*SAID, "z"]), DawidSkene())
    unknown = dict(zip([*SAID, "z"], found.unknown, strict=True))
    assert unknown["c"] >= 1 / 3
    assert unknown["e"] == unknown["z"] == 1
    assert unknown["d"] == 0
    assert found.not_applicable.tolist() == [False, False, False, True, False, False, True, False]
    assert found.source == "human(3 raters, dawid-skene)"
    assert found.soft[0, 0] > found.soft[1, 0] > 0.5


def test_groups_source_tells_how_many_raters_items_have():
    some = _given({"a": "f", "b": "ffm"})
    assert (
        human_groups(Answers.of(TASK, some), DawidSkene(weight=5)).source
        == "human(1-3 raters, dawid-skene(weight=5.0))"
    )
    assert (
        human_groups(Answers.of(TASK, _given({"a": "f"})), Majority()).source
        == "human(1 rater, majority)"
    )


def test_method_unknown_is_answered_with_the_known_ones():
    assert method_of("dawid-skene(accuracy=0.9)") == DawidSkene(accuracy=0.9)
    with pytest.raises(UsageError, match="aggregation"):
        method_of("average")


def test_annotator_human_labels_a_collection(tmp_path):
    path = tmp_path / "labels.db"
    human_tasks.define(path, "gender", TIME, groups=["female", "male"])
    with HumanStore(path) as store:
        store.add(_given(SAID))
    found = Human(str(path), aggregate="majority")(Collection(("a", "nobody", "d")), "gender")
    assert found.codes.tolist() == [0, -1, -2]
    assert str(Human("labels.db")) == "human:labels.db"
    with pytest.raises(UsageError, match="no task 'age'"):
        Human(str(path))(Collection(("a",)), "age")


@pytest.mark.parametrize("method", [Majority(), DawidSkene()], ids=str)
def test_labels_written_are_read_back(tmp_path, method):
    said = {**SAID, "i": "mmm"}
    found = human_groups(Answers.of(TASK, _given(said), list(said)), method)
    write_labels(tmp_path / "labels.csv", {"gender": (list(said), found)})
    read = read_item_groups(tmp_path / "labels.csv", list(said))["gender"]
    assert np.allclose(read.share, found.share, atol=1e-8)
    assert read.not_applicable.tolist() == found.not_applicable.tolist()


def test_labels_written_of_two_attributes_stand_in_one_table(tmp_path):
    labels = {
        "gender": (["a", "b"], Groups.of("gender", ["f", None])),
        "age": (["b", "c"], Groups.of("age", ["old", "not-applicable"])),
    }
    assert write_labels(tmp_path / "labels.csv", labels) == 3
    assert (tmp_path / "labels.csv").read_text().split() == [
        "item,gender,age",
        "a,f,",
        "b,unknown,old",
        "c,,not-applicable",
    ]


# Status


def _status(history, asked=(), versions=None, **choices):
    return status_of(history, versions or {1: TASK}, asked, **{"seed": 0, "least": 5, **choices})


def test_status_counts_items_answers_and_what_is_missing():
    found = _status(_given({"a": "fff", "b": "ff", "c": "fmu"}), asked=["b", "z"])
    assert (found.items, found.begun, found.complete, found.answers) == (4, 3, 2, 8)
    assert (found.left.labels, found.left.money) == (4, pytest.approx(0.2))
    assert found.left.hours == pytest.approx(4 * 9 / 3600)
    assert found.unsure == pytest.approx(1 / 8)
    assert found.disputed == 1


def test_status_corrections_count_once_and_cost_once():
    history = [
        *_given({"a": "fff"}),
        Answer("a", "gender", "r0", "male", TIME + timedelta(days=1), version=1, seconds=30),
    ]
    found = _status(history)
    assert (found.answers, found.corrected, found.spent.labels) == (3, 1, 3)
    assert found.spent.money == pytest.approx(0.15)
    assert found.spent.hours == pytest.approx((3 * 9 + 30) / 3600)


def test_cost_is_that_of_the_version_answered():
    versions = {1: TASK, 2: Task("gender", ("female", "male"), price=0.10, seconds=4, version=2)}
    answers = [Answer("a", "gender", f"r{v}", "male", TIME, version=v) for v in (1, 2)]
    assert spent(answers, versions).money == pytest.approx(0.15)
    assert cost_of(100, versions[2]).money == pytest.approx(10.0)
    assert dict(_status(answers, versions=versions).by_version) == {1: 1, 2: 1}


def test_status_names_who_disagrees_and_hides_who_said_little():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    words = ("female", "male")
    history = [
        Answer(f"i{n}", "gender", rater, words[t if rater != "odd" else 1 - t], TIME, version=1)
        for n, t in enumerate(truth)
        for rater in ("ann", "bo", "cy", "odd")
    ] + [Answer("i0", "gender", "shy", "male", TIME, version=1)]
    found = _status(history)
    assert found.raters[0].rater == "odd"
    assert found.raters[0].agree < 0.1 < 0.5 < found.raters[1].agree
    assert found.raters[0].accuracy < 0.4
    assert (found.raters_hidden, len(found.raters)) == (1, 4)


def test_status_small_counts_are_not_shown_nor_to_be_computed():
    found = _status(_given({**{f"f{n}": "fff" for n in range(20)}, "m": "mmm", "d": "nnn"}))
    assert found.counts == {"female": None, "male": None, "not-applicable": 1}
    assert _status(_given({"f": "fff", "m": "mmm"}), least=1).counts == {
        "female": 1,
        "male": 1,
        "not-applicable": 0,
    }


def test_status_of_nothing_says_nothing():
    found = _status([])
    plain = found.to_dict()
    assert (found.items, plain["unsure"], plain["agreement"]["alpha"]) == (0, None, None)
    assert "no item" in plain["agreement"]["note"]


# Plans


def test_plan_costs_answers_times_price_and_seconds():
    made = plan_of(
        TASK,
        _given({"a": "ff"}),
        Ranking.of([[0, 1, 2]]),
        ["a", "b", "c"],
        budget=None,
        by="interval",
        seed=0,
    )
    assert made.cost.labels == made.whole.labels == 7
    assert made.cost.money == pytest.approx(0.35)
    assert made.cost.hours == pytest.approx(7 * 9 / 3600)
    assert dict(zip(made.items, made.labels, strict=True)) == {"a": 1, "b": 3, "c": 3}
    assert made.width_then[0] < made.width_now[0]


def test_plan_takes_raters_for_as_good_as_they_have_been():
    good = _given({f"i{n}": "fff" if n % 2 else "mmm" for n in range(100)})
    bad = _given({f"i{n}": ("fmf", "mfm", "ffm", "mmf")[n % 4] for n in range(100)})
    ids = [f"i{n}" for n in range(100)]
    plans = [
        plan_of(TASK, a, Ranking.of([range(100)]), ids, budget=10, by="random", seed=0)
        for a in (good, bad, [])
    ]
    assert plans[0].accuracy > plans[1].accuracy
    assert plans[2].accuracy == DawidSkene().accuracy


def test_plan_of_a_run_looks_at_the_first_k(tmp_path):
    path = tmp_path / "labels.db"
    human_tasks.define(path, "gender", TIME, groups=["female", "male"])
    run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 9.0, "a": 8.0}}
    assert set(human_work.plan(path, "gender", run=run, k=1).items) == {"a", "d"}
    assert set(human_work.plan(path, "gender", run=run, k=2).items) == {"a", "b", "d"}
    with pytest.raises(UsageError, match="nothing to choose from"):
        human_work.plan(path, "gender")
    human_work.ask(path, human_work.plan(path, "gender", run=run, k=2), TIME)
    assert set(human_work.plan(path, "gender").items) == {"a", "b", "d"}
