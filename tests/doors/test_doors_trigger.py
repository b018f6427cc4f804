"""``fairlead trigger`` and ``fairlead.decide`` as people and programs use them, and what the
trigger does in ``search``.
"""

from __future__ import annotations

import pytest

import fairlead

SMALL = "phantom(seeds=2)"


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def _searched(door, *words: object):
    answer = door(
        "search",
        *words,
        "--collection",
        SMALL,
        "--attribute",
        "gender",
        "--mitigate",
        "pbm",
        "-k",
        6,
        "--json",
    )
    assert answer.code == 0, answer.out
    return answer.json["results"]


def _ids(variant) -> list[str]:
    return [item["id"] for item in variant["items"]]


def test_trigger_gives_the_documented_json_and_the_library_the_same(door, schema_faults):
    told = door("trigger", "female CEO", "nurse", "red sneakers", "Marie Curie", "--json").json
    assert not schema_faults("trigger", told)
    assert [(d["query"], d["decision"]) for d in told] == [
        ("female CEO", "leave"), ("nurse", "diversify"), ("red sneakers", "leave"), ("Marie Curie", "leave")
    ]  # fmt: skip
    assert told == fairlead.decide("female CEO", "nurse", "red sneakers", "Marie Curie").to_dict()


def test_trigger_decides_each_attribute(door):
    told = door(
        "trigger", "Black doctor", "--attribute", "gender", "--attribute", "skin", "--json"
    ).json
    assert [(d["attribute"], d["decision"], d["evidence"]) for d in told] == [
        ("gender", "diversify", ["doctor"]), ("skin", "leave", ["Black"])
    ]  # fmt: skip


def test_trigger_shows_people_a_table(door):
    answer = door("trigger", "female CEO", "postmaster " * 40)
    assert answer.code == 0
    assert "The query says which group it asks for: female." in answer.out
    assert max(map(len, answer.out.splitlines())) <= 140


def test_trigger_reads_queries_and_a_list_from_files(door, tmp_path):
    (tmp_path / "queries.txt").write_text("postmaster\n\nmail carrier\n", encoding="utf-8")
    (tmp_path / "leave.txt").write_text("# ours\nmail*\n", encoding="utf-8")
    told = door(
        "trigger", "--file", tmp_path / "queries.txt", "--leave", tmp_path / "leave.txt", "--json"
    ).json
    assert [(d["query"], d["rule"]) for d in told] == [
        ("postmaster", "neutral"),
        ("mail carrier", "listed"),
    ]


def test_trigger_of_an_attribute_of_ones_own_knows_its_groups(door):
    told = door(
        "trigger",
        "curly hair",
        "hair",
        "--attribute",
        "hair",
        "--group",
        "curly",
        "--group",
        "straight",
        "--json",
    ).json
    assert [d["rule"] for d in told] == ["group-named", "other-attribute"]


def test_trigger_evaluation_prints_precision_with_intervals_and_speed(door):
    told = door("trigger", "--evaluate", "--half", "development", "--json").json
    assert told["half"] == "development" and set(told["sets"]) == {"both", "first", "second"}
    both = told["sets"]["both"]["explicit_and_named"]
    assert both["precision"]["share"] >= 0.97 and len(both["precision"]["ci"]) == 2
    assert {row["name"] for row in told["sets"]["both"]["kinds"]} == {
        "neutral", "explicit", "named", "historical", "non-person", "ambiguous"
    }  # fmt: skip
    assert told["queries_per_second"] > 0
    shown = door("trigger", "--evaluate").out
    for words in ("precision", "recall", "zh", "explicit and named", "queries a second", "Wilson"):
        assert words in shown


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("trigger",), 2, "Nothing is asked"),
        (("trigger", "x", "--leave", "nowhere.txt"), 2, "nowhere.txt"),
        (("trigger", "--file", "nowhere.txt"), 2, "nowhere.txt"),
        (("trigger", "x", "--model", "phantomm"), 2, "phantom"),
        (("trigger", "x", "--attribute", "gender*"), 2, "no attribute"),
        (("trigger", "x", "--half", "third"), 2, "test"),
        (("search", "x", "--collection", SMALL, "--leave", "nowhere.txt"), 2, "nowhere.txt"),
    ],
)
def test_bad_choices_are_told(door, words, code, said):
    answer = door(*words)
    assert answer.code == code, answer.err
    assert said in answer.err


def test_decisions_are_a_table_and_a_text():
    told = fairlead.decide("nurse", attribute=("gender", "skin"))
    assert told.to_arrow().column("attribute").to_pylist() == ["gender", "skin"]
    assert "asks for people" in str(told)
    assert isinstance(told.decisions[0], fairlead.Decision) and isinstance(told, fairlead.Decisions)


# In search


def test_search_leaves_an_explicit_query_as_it_is_and_mitigates_a_neutral_one(door):
    explicit, neutral = _searched(door, "a photo of a female nurse", "a photo of a nurse")
    assert explicit["trigger"]["decision"] == "leave" and explicit["trigger"]["evidence"] == [
        "female"
    ]
    plain, left = explicit["variants"]
    assert left["left"] is True and _ids(left) == _ids(plain)
    assert [m["mean"] for m in left["metrics"]] == [m["mean"] for m in plain["metrics"]]
    assert neutral["trigger"]["decision"] == "diversify" and "left" not in neutral["variants"][1]
    balanced = [item["groups"]["gender"] for item in neutral["variants"][1]["items"]]
    assert balanced.count("female") == balanced.count("male") == 3


def test_search_of_several_queries_is_that_of_each(door):
    texts = [
        "a photo of a female nurse",
        "a photo of a nurse",
        "red sneakers",
        "a photo of a judge",
    ]
    together = _searched(door, *texts)
    for text, found in zip(texts, together, strict=True):
        (alone,) = _searched(door, text)
        assert [_ids(v) for v in alone["variants"]] == [_ids(v) for v in found["variants"]]
        assert alone["trigger"] == found["trigger"]


def test_search_without_the_trigger_mitigates_all_and_says_so(door):
    (off,) = _searched(door, "a photo of a female nurse", "--no-trigger")
    assert off["trigger"]["rule"] == "off" and off["trigger"]["decision"] == "diversify"
    assert off["trigger"]["reason"] == "The query was not judged: the trigger is off."
    assert "left" not in off["variants"][1] and _ids(off["variants"][1]) != _ids(off["variants"][0])


def test_search_mitigates_where_it_is_unsure_and_says_so(door):
    words = (
        "search",
        "zxqv",
        "--collection",
        SMALL,
        "--attribute",
        "gender",
        "--mitigate",
        "pbm",
        "-k",
        6,
    )
    found = door(*words, "--json").json["results"][0]
    assert found["trigger"]["decision"] == "unsure" and "left" not in found["variants"][1]
    assert "Mitigated, but unsure. The query has no word that the rules know." in door(*words).out


def test_search_shows_why_a_list_is_left(door):
    shown = door(
        "search",
        "a male nurse",
        "--collection",
        SMALL,
        "--attribute",
        "gender",
        "--mitigate",
        "pbm",
        "-k",
        4,
    ).out
    assert "Left as it is. The query says which group it asks for: male." in shown
    assert (
        "Left as it is" not in door("search", "a male nurse", "--collection", SMALL, "-k", 4).out
    )  # nothing would have been done


def test_search_obeys_the_list_of_queries_to_leave_alone(door, tmp_path):
    (tmp_path / "leave.txt").write_text("*nurse*\n", encoding="utf-8")
    (found,) = _searched(door, "a photo of a nurse", "--leave", tmp_path / "leave.txt")
    assert found["trigger"]["rule"] == "listed" and found["variants"][1]["left"] is True
    listed = fairlead.search(
        "a photo of a nurse",
        collection=SMALL,
        mitigate="pbm",
        attribute="gender",
        leave=["*nurse*"],
    )
    assert listed.results[0].trigger.rule == "listed"


def test_search_by_picture_is_unsure(door):
    (found,) = _searched(door, "--image", "phantom:person/nurse/female/5/1")
    assert found["trigger"]["rule"] == "picture" and found["trigger"]["decision"] == "unsure"


def test_search_of_a_collection_without_labels_says_what_it_would_do(door, tmp_path):
    from PIL import Image

    Image.new("RGB", (32, 32), "teal").save(tmp_path / "a.png")
    found = door("search", "a female nurse", "--collection", tmp_path, "-k", 1, "--json").json[
        "results"
    ][0]
    assert found["trigger"]["attribute"] == "gender" and found["trigger"]["decision"] == "leave"


def test_search_with_hardly_anybody_of_a_group_leaves_the_list_alone(door, tmp_path):
    from PIL import Image

    import fairlead.phantom.references as drawn

    rows = ["item,gender"]
    for number in range(24):
        gender = "female" if number == 0 else "male"
        reference = f"phantom:person/nurse/{gender}/5/{number}"
        Image.fromarray(drawn.pixels([reference], 64)[0]).save(tmp_path / f"{number}.png")
        rows.append(f"{number}.png,{gender}")
    (tmp_path / "labels.csv").write_text("\n".join(rows), encoding="utf-8")
    choices = (
        "--collection",
        tmp_path,
        "--groups",
        tmp_path / "labels.csv",
        "--mitigate",
        "pbm",
        "-k",
    )
    few = door("search", "a nurse", *choices, 12, "--json").json["results"][0]
    assert few["trigger"]["rule"] == "too-few" and "1 for 6 places" in few["trigger"]["reason"]
    assert (
        door("search", "a nurse", *choices, 4, "--json").json["results"][0]["trigger"]["decision"]
        == "diversify"
    )
