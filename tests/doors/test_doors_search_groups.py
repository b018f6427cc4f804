"""What ``search`` says of one group alone, of groups that only a target names, of cuts deeper than
a list, of queries left alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import fairlead

SMALL = "phantom(seeds=2)"
SEARCH = ["search", "a photo of a nurse", "--collection", SMALL, "-k", "6"]
ABSENT = (
    "query,attribute,group,share\n*,gender,female,0.4\n*,gender,male,0.4\n*,gender,nonbinary,0.2\n"
)


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def one_group(tmp_path: Path) -> Path:
    from fairlead.protocols.registry import make

    ids = make("benchmark", SMALL).study().collection.ids
    place = tmp_path / "labels.csv"
    place.write_text("item,gender\n" + "".join(f"{item},female\n" for item in ids))
    return place


@pytest.mark.parametrize(
    "flags", [[], ["--attribute", "gender"], ["--attribute", "gender", "--mitigate", "pbm"]]
)
def test_search_by_labels_of_one_group_is_refused_as_score_refuses_it(door, one_group, flags):
    told = door(*SEARCH, "--groups", one_group, *flags)
    assert (
        told.code == 4
        and "Attribute 'gender' has one group only ('female'), so nothing can be compared."
        in told.err
    )
    assert "Name the missing groups in a target file" in told.err


def test_search_for_rerankers_that_see_one_group_is_refused(door, one_group):
    told = door(
        *SEARCH, "--attribute", "gender", "--mitigate", "pbm", "--mitigate-groups", one_group
    )
    assert told.code == 4 and "has one group only ('female')" in told.err


def test_search_by_labels_of_one_group_counts_those_the_target_names(door, one_group, tmp_path):
    (tmp_path / "target.csv").write_text(
        "query,attribute,group,share\n*,gender,female,0.5\n*,gender,male,0.5\n"
    )
    answer = door(
        *SEARCH,
        "--groups",
        one_group,
        "--target",
        tmp_path / "target.csv",
        "--metric",
        "AbsBias@6",
        "--json",
    ).json
    assert answer["manifest"]["labels"]["gender"]["groups"] == ["female", "male"]
    assert answer["results"][0]["variants"][0]["metrics"][0]["mean"] == 1


def test_search_of_a_collection_with_one_group_of_its_own_answers_and_says_so(door, tmp_path):
    from PIL import Image

    for number in range(3):
        Image.new("RGB", (32, 32), (80 * number, 60, 30)).save(tmp_path / f"{number}.png")
    (tmp_path / "table.csv").write_text(
        "image,caption,place\n" + "".join(f"{n}.png,a person,here\n" for n in range(3))
    )
    asked = ["search", "a person", "--collection", tmp_path / "table.csv", "-k", "2"]
    answer = door(*asked, "--json").json
    assert (
        answer["results"][0]["variants"][0]["metrics"] == []
        and len(answer["results"][0]["variants"][0]["items"]) == 2
    )
    assert (
        "'place' has one group only ('here'), so it is not measured."
        in answer["manifest"]["warnings"]
    )
    assert door(*asked, "--attribute", "place").code == 4
    assert door(*asked, "--mitigate", "pbm").code == 4


@pytest.mark.parametrize("mitigate", ["pbm", "levelled", "detgreedy", "orthogonal", "leace+pbm"])
@pytest.mark.parametrize("index", ["exact", "faiss(kind=flat)"])
def test_search_takes_a_target_that_names_a_group_nobody_shows(
    door, schema_faults, tmp_path, mitigate, index
):
    if index != "exact":
        pytest.importorskip("faiss")
    (tmp_path / "target.csv").write_text(ABSENT)
    told = door(
        *SEARCH,
        "--attribute",
        "gender",
        "--mitigate",
        mitigate,
        "--target",
        tmp_path / "target.csv",
        "--index",
        index,
        "--json",
    )
    assert told.code == 0, told.err
    assert schema_faults("search", told.json) == []
    assert told.json["manifest"]["labels"]["gender"]["groups"] == ["female", "male", "nonbinary"]
    if mitigate != "orthogonal":
        assert told.json["results"][0]["reach"]["available"]["nonbinary"] == 0


def test_search_takes_a_target_for_single_queries_and_refuses_the_others(door, tmp_path):
    (tmp_path / "target.csv").write_text(ABSENT.replace("*", "a photo of a nurse"))
    choices = ("--attribute", "gender", "--target", tmp_path / "target.csv")
    assert door(*SEARCH, *choices).code == 0
    answer = door("search", "a photo of a judge", *SEARCH[2:], *choices)
    assert answer.code == 4 and "Add rows with query *." in answer.err


def test_search_measured_deeper_than_its_lists_says_so_as_score_does(door):
    answer = door(
        *SEARCH, "--attribute", "gender", "--metric", "AbsBias@500", "--metric", "NDKL@6", "--json"
    ).json
    said = [note for note in answer["manifest"]["warnings"] if "fewer than k" in note]
    assert said == [
        "1 of 1 query has fewer than k = 500 results (least 448); it is measured as it is."
    ]
    assert not [
        n
        for n in door(*SEARCH, "--attribute", "gender", "--json").json["manifest"]["warnings"]
        if "fewer than k" in n
    ]


@pytest.mark.parametrize(("query", "how"), [
    ("female CEO", "what was asked for is not bias, however far from chance."),
    ("Marie Curie", "what was asked for is not bias, however far from chance."),
    ("red sneakers", "the numbers are of the list as found."),
])  # fmt: skip
def test_search_left_alone_has_its_caveat_beside_the_numbers(door, schema_faults, query, how):
    flags = ["search", query, "--collection", SMALL, "--attribute", "gender", "-k", "6"]
    mitigated, plain = (door(*flags, *more).out for more in (["--mitigate", "pbm"], []))
    assert f"Left alone: {how}" in mitigated and mitigated.count("The query ") == 1
    assert f"Left alone: {how} The query " in plain
    answer = door(*flags, "--mitigate", "pbm", "--json").json
    assert schema_faults("search", answer) == []
    notes = {
        note
        for variant in answer["results"][0]["variants"]
        for row in variant["metrics"]
        for note in row["notes"]
    }
    assert notes == {f"left alone: {answer['results'][0]['trigger']['reason']}"}


def test_search_that_is_not_left_alone_has_no_caveat(door):
    assert "Left alone" not in door(*SEARCH, "--attribute", "gender", "--mitigate", "pbm").out


def test_searcher_is_made_of_choices_and_asked_again_and_again():
    searcher = fairlead.Searcher.of(collection=SMALL, mitigate="pbm", attribute="gender", k=4)
    first, again = (searcher.search(["a photo of a nurse", "female CEO"]) for _ in range(2))
    alone = fairlead.search(
        "a photo of a nurse", collection=SMALL, mitigate="pbm", attribute="gender", k=4
    )
    assert [a.variants[1].items for a in first.results] == [
        a.variants[1].items for a in again.results
    ]
    assert first.results[0].variants[1].items == alone.results[0].variants[1].items
    with pytest.raises(
        fairlead.UsageError, match=r"must be a list of texts, not one text\. Write \[query\]"
    ):
        searcher.search("a photo of a nurse")
    with pytest.raises(fairlead.UsageError, match="no choice called 'mitigates'"):
        fairlead.Searcher.of(mitigates="pbm")
    with pytest.raises(fairlead.UsageError, match="Give one of the two"):
        fairlead.Searcher.of(searcher.plan, k=3)
