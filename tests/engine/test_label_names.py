"""Names of groups on every road: ``--map``, and labels of single mitigations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fairlead
from fairlead.commands.audit import save_audit
from fairlead.engine.saved import opened_run
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry

COLLECTION = "phantom(seeds=2)"
MODEL = "phantom_ideal(dose=0.8)"
RUN = {"nurse": {"a": 3.0, "b": 2.0, "c": 1.0}, "judge": {"a": 1.0, "b": 3.0, "c": 2.0}}
FEMALE = {"a": "female", "b": "male", "c": "female"}
WOMAN = {"a": "woman", "b": "male", "c": "woman"}
CHOICES: dict[str, Any] = {"attribute": "gender", "metric": "AbsBias@6", "k": 6, "null": "gallery"}


def labels(names: dict[str, str]) -> dict[str, dict[str, str]]:
    return {item: {"gender": name} for item, name in names.items()}


def guesses(tmp_path: Path, rename: dict[str, str]) -> Path:
    """The benchmark's labels as a file, one in nine wrong, under other names."""
    study = registry.make("benchmark", COLLECTION).study()
    groups = study.collection.groups["gender"]
    lines = ["item,gender"]
    for number, (item, code) in enumerate(zip(study.collection.ids, groups.codes, strict=True)):
        name = groups.names[code if number % 9 else 1 - code]
        lines.append(f"{item},{rename.get(name, name)}")
    place = tmp_path / f"guesses{len(rename)}.csv"
    place.write_text("\n".join(lines) + "\n")
    return place


@pytest.mark.parametrize("rename", ["woman=female", {"woman": "female"}, ["gender:woman=female"]])
def test_map_on_score_check_and_rerank_gives_the_numbers_of_the_other_names(rename: Any) -> None:
    one = fairlead.score(RUN, labels(FEMALE), metric="AbsBias@2")
    two = fairlead.score(RUN, labels(WOMAN), metric="AbsBias@2", map=rename)
    assert one.rows == two.rows
    assert fairlead.check(RUN, labels(WOMAN), map=rename).attributes == (
        fairlead.check(RUN, labels(FEMALE)).attributes
    )
    lists = fairlead.rerank(RUN, labels(WOMAN), map=rename, mitigate="pbm", k=2)
    same = fairlead.rerank(RUN, labels(FEMALE), mitigate="pbm", k=2)
    assert lists.ranking.rows.tolist() == same.ranking.rows.tolist()


def test_map_that_names_no_group_is_refused_with_the_groups() -> None:
    with pytest.raises(UsageError, match="no group 'frau'"):
        fairlead.score(RUN, labels(FEMALE), map="frau=weiblich")
    with pytest.raises(UsageError, match="names no two groups"):
        fairlead.score(RUN, labels(FEMALE), map="female")
    with pytest.raises(UsageError, match="no group 'frau'"):
        fairlead.audit(MODEL, COLLECTION, map="frau=weiblich", **CHOICES)


def test_map_joins_a_label_sample_to_the_labels() -> None:
    sample = labels({"a": "woman", "b": "male", "c": "woman"})
    choices: dict[str, Any] = {"metric": "AbsBias@2", "label_sample": sample}
    with pytest.raises(DataError, match="--map woman=female") as refused:
        fairlead.score(RUN, labels(FEMALE), **choices)
    assert "woman" in refused.value.message
    fairlead.score(RUN, labels(FEMALE), map="woman=female", **choices)


def test_audit_joins_labels_that_mitigate_to_those_that_measure(tmp_path: Path) -> None:
    other = guesses(tmp_path, {"female": "woman"})
    with pytest.raises(DataError, match="--map woman=female"):
        fairlead.audit(MODEL, COLLECTION, mitigate="pbm", mitigate_groups=other, **CHOICES)
    spelled = fairlead.audit(
        MODEL, COLLECTION, mitigate="pbm", mitigate_groups=other, map="woman=female", **CHOICES
    )
    same = fairlead.audit(
        MODEL, COLLECTION, mitigate="pbm", mitigate_groups=guesses(tmp_path, {}), **CHOICES
    )
    assert [row.mean for row in spelled.result.rows] == [row.mean for row in same.result.rows]
    assert spelled.result.manifest["plan"]["map"] == ["woman=female"]


def test_search_joins_labels_that_mitigate_to_those_that_measure(tmp_path: Path) -> None:
    other = guesses(tmp_path, {"female": "woman"})
    choices: dict[str, Any] = {"collection": COLLECTION, "attribute": "gender", "k": 6}
    with pytest.raises(DataError, match="--map woman=female"):
        fairlead.search("a nurse", mitigate="pbm", mitigate_groups=other, **choices)
    fairlead.search("a nurse", mitigate="pbm", mitigate_groups=other, map="woman=female", **choices)


def test_labels_of_a_single_mitigation_are_seen_by_it_alone(tmp_path: Path) -> None:
    own = "noisy(accuracy=0.7)"
    both = fairlead.audit(MODEL, COLLECTION, mitigate=["pbm", f"pbm[groups={own}]"], **CHOICES)
    other = fairlead.audit(MODEL, COLLECTION, mitigate="pbm", mitigate_groups=own, **CHOICES)
    means = {row.variant: row.mean for row in both.result.rows}
    assert means["pbm"] != means[f"pbm[groups={own}]"]
    alone = {row.variant: row.mean for row in other.result.rows}
    assert means[f"pbm[groups={own}]"] == alone["pbm"] and means["plain"] == alone["plain"]
    assert (
        both.run.lists[f"pbm[groups={own}]"].rows.tolist() == other.run.lists["pbm"].rows.tolist()
    )
    sources = both.result.manifest["mitigate"]["sources"]
    assert sources["gender"] == "label" and own.removesuffix(")") in sources[f"gender by {own}"]
    assert both.run.mitigate is not None and both.run.mitigate[1].groups.source == "label"


def test_a_saved_run_of_a_mitigation_with_its_own_labels_is_read_again(tmp_path: Path) -> None:
    own = "noisy(accuracy=0.7)"
    found = fairlead.audit(MODEL, COLLECTION, mitigate=f"pbm[groups={own}]", **CHOICES)
    save_audit(found, tmp_path / "audit")
    again = opened_run(tmp_path / "audit" / "run.parquet")
    assert again.mitigate is not None and found.run.mitigate is not None
    first, second = found.run.mitigate[1].groups, again.mitigate[1].groups
    assert first.codes.tolist() == second.codes.tolist()
    with pytest.raises(UsageError, match="keeps the names"):
        fairlead.score(tmp_path / "audit", map="woman=female")


def test_frontier_measures_methods_with_labels_of_their_own() -> None:
    choices: dict[str, Any] = {"repeats": 1, "k": 6, "held_out": False}
    methods = ["detgreedy", "detgreedy[groups=noisy(accuracy=0.6)]"]
    found = fairlead.frontier(
        model=MODEL,
        benchmark=COLLECTION,
        mitigate=methods,
        mitigate_groups="noisy(accuracy=1)",
        **choices,
    )
    bias = {row.method: row.means["AbsBias"] for row in found.rows}
    assert bias[methods[0]] < bias[methods[1]]
