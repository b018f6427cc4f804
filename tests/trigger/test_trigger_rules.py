"""Each rule of the trigger on queries that only it should decide, attribute by attribute, and what
must not fool it.
"""

from __future__ import annotations

import pytest

from fairlead.errors import UsageError
from fairlead.trigger import RULES, Leave, Trigger

TRIGGER = Trigger(Leave.of(["board of *"]))


def _rules(query: str) -> tuple[str, str, str]:
    gender, skin, age = (
        TRIGGER([query], attribute)[0].rule for attribute in ("gender", "skin", "age")
    )
    return gender, skin, age


@pytest.mark.parametrize(
    ("query", "rules"),
    [
        ("postmaster sorting letters", ("neutral",) * 3),
        ("female postmaster", ("explicit", "neutral", "neutral")),
        ("young female Kenyan postmaster", ("explicit",) * 3),
        ("postmaster in Kenya", ("neutral", "place", "neutral")),
        ("Kenyan postmaster", ("neutral", "explicit", "neutral")),
        ("travellers in Kenya", ("neutral", "place-visited", "neutral")),
        ("postmaster aged 61", ("neutral", "neutral", "explicit")),
        ("pregnant postmaster", ("trait", "neutral", "neutral")),
        ("postmaster in a gown", ("hint", "neutral", "neutral")),
        ("men and women at the counter", ("both-named", "neutral", "neutral")),
        ("boys and girls at school", ("both-named", "neutral", "explicit")),
        ("multiracial crew of postmasters", ("neutral", "range-asked", "neutral")),
        ("diverse women at a desk", ("explicit", "range-asked", "range-asked")),
        ("Board of Trade members", ("listed",) * 3),
        ("Rosa Luxemburg speaking", ("name",) * 3),
        ("our postmaster", ("one-person",) * 3),
        ("the chancellor of Austria", ("one-person",) * 3),
        ("postmaster Fritz", ("maybe-name",) * 3),
        ("Bavarian hussars of 1813", ("past",) * 3),
        ("hussar reenactment", ("past-today",) * 3),
        ("wooden letterbox key", ("no-person",) * 3),
        ("jogger pants", ("no-person",) * 3),
        ("driver golf", ("no-person",) * 3),
        ("student discount logo", ("no-person",) * 3),
        ("dishwasher", ("neutral",) * 3),
        ("railway platform without people", ("nobody",) * 3),
        ("wedding", ("maybe-person",) * 3),
        ("robot postmaster", ("depiction",) * 3),
        ("zxqv", ("unknown",) * 3),
        ("   ", ("empty",) * 3),
        ("?!", ("no-words",) * 3),
    ],
)
def test_rule_decides_each_attribute(query, rules):
    assert _rules(query) == rules


@pytest.mark.parametrize(
    ("explicit", "not_explicit"),
    [
        ("women's rugby players", "women's shoe shop owner"),
        ("female engineer", "female plug and engineer"),
        ("nurse, not a man", "nurse at the Frauenkirche"),
        ("enfermera", "enfermero"),
        ("la dentista", "los dentistas"),
        ("Ärztinnen", "Ärztinnen und Ärzte"),
        ("Lehrerin", "Lehrer:innen"),
        ("infirmière", "infirmiers et infirmières"),
        ("une femme médecin", "sage-femme"),
        ("女医生", "医生"),
        ("女の教師", "教師"),
        ("ممرضة", "ممرض"),
        ("महिला डॉक्टर", "डॉक्टर"),
        ("dókítà obìnrin", "dókítà"),
        ("👩‍🚒", "🧑‍🚒"),
        ("doctor (f)", "Arzt (m/w/d)"),
        ("chef and his knives", "chef and their knives"),
    ],
)
def test_gender_of_a_query_is_seen_and_not_imagined(explicit, not_explicit):
    first, second = Trigger()([explicit, not_explicit], "gender")
    assert first.decision == "leave" and first.family == "explicit", first
    assert second.decision != "leave" or second.family != "explicit", second


@pytest.mark.parametrize(
    "query",
    ["a black conductor", "médico negro", "schwarzer Arzt", "femme noire", "黑人医生", "👩🏿‍🏫"],
)
def test_skin_of_a_person_is_seen(query):
    assert Trigger()([query], "skin")[0].rule == "explicit"


@pytest.mark.parametrize(
    "query",
    [
        "conductor with a black cat",
        "médico con un gato negro",
        "Arzt mit schwarzer Katze",
        "Chinese restaurant owner",
        "white van driver",
    ],
)
def test_skin_of_a_thing_is_no_skin(query):
    assert Trigger()([query], "skin")[0].decision == "diversify"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ('the word "woman" on a wall', "no-person"),
        ('"female conductor"', "explicit"),
        ('the "female" conductor', "explicit"),
        ("sign that says “men”", "no-person"),
    ],
)
def test_quoted_words_are_mentioned_or_meant(query, said):
    assert Trigger()([query])[0].rule == said


def test_intersection_is_left_where_one_part_is():
    both, one, none = Trigger()(["Black woman", "woman", "conductor"], "gender*skin")
    assert (both.decision, one.decision, none.decision) == ("leave", "leave", "diversify")
    assert one.attribute == "gender*skin"


def test_attribute_by_another_name_has_the_same_words():
    assert (
        Trigger()(["Black conductor"], "skin_tone")[0].rule
        == Trigger()(["Black conductor"], "Ethnicity")[0].rule
        == "explicit"
    )


def test_attribute_without_words_is_unsure_but_for_its_groups_and_for_names():
    asked = ["curly hair at a party", "hair at a party", "Marie Curie", "red sneakers"]
    told = Trigger()(asked, "hair", ("curly", "straight"))
    assert [d.rule for d in told] == ["group-named", "other-attribute", "name", "other-attribute"]


def test_group_names_of_an_attribute_that_are_all_named_decide_nothing():
    assert (
        Trigger()(["curly or straight hair"], "hair", ("curly", "straight"))[0].rule
        == "other-attribute"
    )


@pytest.mark.parametrize("attribute", ["", "*", "gender*", "  "])
def test_attribute_that_is_none_is_refused(attribute):
    with pytest.raises(UsageError, match="no attribute"):
        Trigger()(["nurse"], attribute)


def test_queries_that_are_no_list_of_texts_are_refused():
    with pytest.raises(UsageError, match="list of texts"):
        Trigger()("nurse")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="not int"):
        Trigger()(["nurse", 3])  # type: ignore[list-item]


def test_every_rule_says_something_and_decides_one_of_three():
    for rule, (decision, family, says) in RULES.items():
        assert decision in ("diversify", "leave", "unsure") and family and says, rule
