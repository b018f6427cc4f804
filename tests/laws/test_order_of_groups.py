"""The order in which groups are listed changes no number of any command: not in a benchmark, nor in
a file of labels, its soft columns, or a target.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fairlead
from fairlead.commands.annotate import annotate
from fairlead.commands.annotate_compare import compare
from fairlead.commands.annotate_evaluate import evaluate_annotator
from fairlead.commands.audit import audit
from fairlead.commands.frontier import frontier
from fairlead.commands.simulate_labeller import simulate_labeller

PLUG_IN = '''
from dataclasses import dataclass, replace
from typing import ClassVar

from fairlead.benchmarks.phantom import PhantomBenchmark
from fairlead.types import Collection


@dataclass(frozen=True)
class Turned(PhantomBenchmark):
    """The phantom, whose groups may be listed the other way round."""

    turn: bool = False

    name: ClassVar[str] = "turned"

    def study(self):
        found = replace(super().study(), name="turned")
        items = found.collection
        groups = {
            name: one.in_order(sorted(one.names, reverse=self.turn))
            for name, one in items.groups.items()
        }
        turned = Collection(items.ids, items.images, items.texts, groups)
        return replace(found, collection=turned)
'''
_NO_NUMBERS = ("manifest", "source", "ms_per_query")
NAMES = ("dark", "light", "medium")
RERANKERS = ("pbm", "detgreedy", "interleave", "levelled", "detrelaxed", "fair_topk")


@pytest.fixture
def turned(tmp_path, monkeypatch):
    """A benchmark that is installed beside ours."""
    site = tmp_path / "site"
    about = site / "turned-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "turned_phantom.py").write_text(PLUG_IN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: turned\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[fairlead.benchmark]\nturned = turned_phantom:Turned\n"
    )
    monkeypatch.syspath_prepend(str(site))


def numbers(value: Any) -> Any:
    """All numbers of a JSON value with where they stand; texts may name a file or a spec."""
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in value.items() if k not in _NO_NUMBERS}
    if isinstance(value, (list, tuple)):
        return [numbers(v) for v in value]
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return value if isinstance(value, (int, float)) or value is None else ""


def soft_labels(path, names, ids, seed=0):
    """A file of soft labels whose columns stand in the order of ``names``; some are unknown."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(len(names), 0.5), len(ids)).round(6)
    told = [dict(zip(sorted(names), row, strict=True)) for row in shares.tolist()]
    attribute = "gender" if "male" in names else "skin"
    lines = [",".join(["item", *(f"{attribute}={name}" for name in names)])]
    for number, (item, row) in enumerate(zip(ids, told, strict=True)):
        cells = [f"{row[name]:.6f}" if number % 7 else "" for name in names]
        lines.append(",".join([item, *cells]))
    path.write_text("\n".join(lines) + "\n")
    return path


def target_file(path, names):
    shares = dict(zip(NAMES, (0.5, 0.2, 0.3), strict=True))
    rows = [f"*,skin,{name},{shares[name]}" for name in names]
    path.write_text("\n".join(["query,attribute,group,share", *rows]) + "\n")
    return path


IDS = [f"i{n}" for n in range(40)]


def saved_run():
    rng = np.random.default_rng(3)
    scores = {f"q{q}": rng.integers(0, 12, 40).tolist() for q in range(4)}  # with ties
    return {q: dict(zip(IDS, map(float, row), strict=True)) for q, row in scores.items()}


@pytest.mark.parametrize("unknown", ["ignore", "own-group", "spread"])
def test_score_does_not_depend_on_the_order_of_groups(tmp_path, unknown):
    found = []
    for order in (NAMES, NAMES[::-1], (NAMES[1], NAMES[2], NAMES[0])):
        labels = soft_labels(tmp_path / "l.csv", order, IDS)
        target = target_file(tmp_path / "t.csv", order)
        ask = {"metric": ("NDKL@10", "AbsBias@10", "MaxSkew@5", "TV"), "unknown": unknown}
        found.append(numbers(fairlead.score(saved_run(), labels, target=target, **ask).to_dict()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("reranker", RERANKERS)
def test_rerank_does_not_depend_on_the_order_of_groups(tmp_path, reranker):
    found = []
    for order in (NAMES, NAMES[::-1]):
        labels = soft_labels(tmp_path / "l.csv", order, IDS)
        target = target_file(tmp_path / "t.csv", order)
        ask = {"mitigate": reranker, "k": 9, "target": target, "trigger": False}
        found.append(fairlead.rerank(saved_run(), labels, **ask).ranking.rows.tolist())
    assert found[0] == found[1]


def test_groups_that_a_target_alone_names_may_stand_in_any_order(tmp_path):
    found = []
    labels = {item: {"skin": NAMES[n % 2]} for n, item in enumerate(IDS)}
    for order in (NAMES, NAMES[::-1]):
        target = target_file(tmp_path / "t.csv", order)
        found.append(numbers(fairlead.score(saved_run(), labels, target=target).to_dict()))
    assert found[0] == found[1]


@pytest.mark.parametrize("who", ["noisy", "noisy(soft=true,accuracy=0.7)", "zeroshot_embedding"])
def test_audit_with_annotators_does_not_depend_on_the_order_of_groups(turned, who):
    found = []
    for turn in ("false", "true"):
        ask = {"mitigate": ("pbm", "levelled"), "mitigate_groups": who, "attribute": "skin"}
        ask |= {"metric": ("NDKL@20", "AbsBias@20")}
        if who == "zeroshot_embedding":
            ask["attribute"] = "gender"
        made = audit("phantom(dose=0.8)", f"turned(seeds=1,turn={turn})", **ask)
        found.append(numbers(made.result.to_dict()))
    assert found[0] == found[1]


def test_audit_with_a_file_of_labels_does_not_depend_on_the_order_of_its_columns(turned, tmp_path):
    ids = audit("phantom", "turned(seeds=1)", metric="AbsBias@5").study.collection.ids
    found = []
    for turn, order in (("false", ("female", "male")), ("true", ("male", "female"))):
        labels = soft_labels(tmp_path / "l.csv", order, ids)
        made = audit(
            "phantom(dose=0.8)",
            f"turned(seeds=1,turn={turn})",
            attribute="gender",
            metric=("NDKL@20", "AbsBias@20"),
            groups=str(labels),
            mitigate="detgreedy",
            mitigate_groups=str(labels),
        )
        found.append(numbers(made.result.to_dict()))
    assert found[0] == found[1]


def test_frontier_does_not_depend_on_the_order_of_groups(turned):
    found = [
        numbers(
            frontier(
                benchmark=f"turned:skewed(seeds=1,turn={turn})", mitigate=("pbm",), repeats=1
            ).to_dict()
        )
        for turn in ("false", "true")
    ]
    assert found[0] == found[1]


PROMPTS = ("a photo of a woman", "female"), ("a photo of a man", "male")


def labeller(order):
    prompts, groups = ("|".join(parts) for parts in zip(*order, strict=True))
    return (
        f'zeroshot_embedding(prompts="{prompts}",groups="{groups}",neutral=none,soft=true,'
        "temperature=0.1)"
    )


def test_simulated_labeller_does_not_depend_on_the_order_of_groups(turned):
    found = []
    for turn, order in (("false", PROMPTS), ("true", PROMPTS[::-1])):
        made = simulate_labeller(
            benchmark=f"turned:skewed(turn={turn})",
            labellers=(labeller(order),),
            analyses=("threshold",),
            repeats=1,
        )
        found.append([(one.method, one.bias, one.sensitivity, one.ratio) for one in made.steps])
    for one, other in zip(*found, strict=True):
        assert one[0] == other[0]
        np.testing.assert_allclose((one[1], *one[2], one[3]), (other[1], *other[2], other[3]))


def test_annotate_evaluate_does_not_depend_on_the_order_of_groups(turned, tmp_path):
    items = annotate("phantom(seeds=1)", "noisy", "gender")
    ids, codes = items.collection.ids, items.groups.codes
    truth = tmp_path / "truth.csv"
    lines = [f"{item},{items.groups.names[code]}" for item, code in zip(ids, codes, strict=True)]
    truth.write_text("\n".join(["item,gender", *lines]) + "\n")
    found = []
    for order in (("female", "male"), ("male", "female")):
        labels = soft_labels(tmp_path / "l.csv", order, ids)
        told = evaluate_annotator("phantom(seeds=1)", f'table:"{labels}"', truth, "gender")
        found.append(numbers(told.to_dict()))
    assert found[0] == found[1]
    assert found[0]["overall"]["accuracy"] == pytest.approx(0.5, abs=0.2)


def test_annotate_compare_does_not_depend_on_the_order_of_groups(tmp_path):
    found = []
    for order in (("female", "male"), ("male", "female")):
        human = soft_labels(tmp_path / "human.csv", order, IDS, seed=1)
        other = soft_labels(tmp_path / "other.csv", order[::-1], IDS, seed=2)
        told = compare(saved_run(), human, (other,), attribute="gender", k=20)
        assert told.group == "female"
        found.append(numbers(told.to_dict()))
    assert found[0] == found[1]
