"""What a query says comes before what it may mean: a named group beats every doubt, and a word that
is only guessed decides nothing.
"""

from __future__ import annotations

import pytest

from fairlead.trigger import ATTRIBUTES, RULES, Trigger
from fairlead.trigger.characters import simplified
from fairlead.trigger.lexicon import lexicon
from fairlead.words import bank

TRIGGER = Trigger()
DOUBTS = (
    "{} statue",
    "statue of a {}",
    "robot {}",
    "cartoon {}",
    "{} of Charlotte",
    "Victoria {} doctor",
    "Viking {} festival",
)


def _told(query, attribute="gender"):
    return TRIGGER([query], attribute)[0]


@pytest.mark.parametrize("doubt", DOUBTS)
@pytest.mark.parametrize(
    "word", ["woman", "man", "girl", "boy", "grandmother", "policewoman", "mermaid", "uncle"]
)
def test_word_for_a_group_beats_every_doubt(doubt, word):
    told = _told(doubt.format(word))
    assert told.decision == "leave", told
    assert word in told.reason or told.family == "non-person", told


@pytest.mark.parametrize(
    "query",
    [
        "female robot", "icon of a male user", "female mannequin", "figurine of a ballerina", "estatua de una mujer", "statue d'une femme",
        "Statue einer Frau", "caricatura de una mujer", "女性雕像", "تمثال امرأة", "lego policewoman", "wax figure of a queen",
    ],
)  # fmt: skip
def test_likeness_of_a_group_is_left_and_the_caveat_told(query):
    told = _told(query)
    assert (told.decision, told.rule) == ("leave", "explicit"), told
    assert "a likeness" in told.reason


@pytest.mark.parametrize(
    "query",
    ["statue of a scientist", "robot nurse", "scientist doll", "nurse Maria", "Viking festival"],
)
def test_doubt_without_a_word_for_a_group_stays_one(query):
    assert _told(query).decision == "unsure"


def test_doubt_stays_for_the_attributes_that_nothing_is_said_of():
    told = [_told("statue of an elderly woman", attribute).decision for attribute in ATTRIBUTES]
    assert told == ["leave", "unsure", "leave"]


@pytest.mark.parametrize("ending", ["er", "smith", "wright"])
@pytest.mark.parametrize("stem", ["brast", "Brast", "BRAST", "kolind", "Tarn"])
def test_bare_ending_is_a_guess_and_says_so(stem, ending):
    word = stem + (ending.upper() if stem.isupper() else ending)
    told = _told(word)
    assert (told.decision, told.rule) == ("unsure", "guess"), told
    assert "guess" in told.reason and word in told.reason


@pytest.mark.parametrize(
    "query",
    [
        "portrait of a braster",
        "a smiling braster",
        "young braster",
        "braster who lost",
        "brasters laughing",
    ],
)
def test_ending_with_evidence_of_a_person_is_one(query):
    assert _told(query).decision == "diversify"


@pytest.mark.parametrize(
    "query",
    [
        "a black braster",
        "braster on the table",
        "photo of a braster",
        "an old braster",
        "the braster",
    ],
)
def test_ending_with_what_things_have_too_is_a_guess(query):
    assert _told(query).rule == "guess"


@pytest.mark.parametrize(
    "word",
    [
        "Manchester", "Zucker", "Denver", "Jupiter", "Winter", "Leicester", "Lancaster", "Dover", "Westminster", "Vancouver", "Münster",
        "Hannover", "Sommer", "Pullover", "Teller", "Becher", "Wecker", "Rechner", "Drucker", "Adler", "Hubschrauber", "Staubsauger",
        "Frankfurter Würstchen", "printer", "router", "pointer", "strainer", "baker street", "Bäckerei", "Kugelschreiber", "Rasenmäher",
        "Plattenspieler", "Wiener Schnitzel", "Santander", "hole puncher", "Rochester", "Anzeiger", "Scheinwerfer", "Kleiderständer",
    ],
)  # fmt: skip
def test_thing_or_place_that_ends_like_a_person_is_not_said_to_be_one(word):
    told = _told(word)
    assert told.decision != "diversify" and "asks for people" not in told.reason, told


@pytest.mark.parametrize(
    "word",
    ["quilter", "luthier", "postmaster", "falconer", "cheesemonger", "Fensterbauer", "Chorleiter"],
)
def test_known_work_and_what_is_made_of_it_are_people(word):
    assert _told(word).decision == "diversify"


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("Damenmannschaft", "explicit"), ("Herrenfriseur", "explicit"), ("Frauenfußball", "explicit"), ("Mädchenchor", "explicit"),
        ("Damenhandschuhe", "no-person"), ("Herrenrucksack", "no-person"), ("girlboss", "explicit"), ("mompreneur", "explicit"),
        ("ladyboss", "explicit"), ("stepdads and kids", "explicit"), ("Frauenarzt", "neutral"), ("moment", "unknown"),
    ],
)  # fmt: skip
def test_word_made_of_a_group_and_what_follows(query, rule):
    assert _told(query).rule == rule


@pytest.mark.parametrize(
    "query",
    [
        "Frida",
        "Virgen de Guadalupe",
        "la virgen",
        "première dame",
        "fiancée",
        "Mädels",
        "la Sainte Vierge",
        "Jungfrau Maria",
    ],
)
def test_group_or_name_is_known(query):
    assert _told(query).decision == "leave"


@pytest.mark.parametrize(
    ("traditional", "common"),
    [
        ("護士", "护士"), ("女醫生", "女医生"), ("老爺爺", "老爷爷"), ("電腦", "电脑"), ("婚禮", "婚礼"), ("工程師在開會", "工程师在开会"),
        ("陳醫生", "陈医生"), ("機器人護士", "机器人护士"), ("攝影師", "摄影师"), ("瑪麗·居里", "玛丽·居里"), ("女鞋", "女鞋"),
    ],
)  # fmt: skip
def test_traditional_characters_are_read_as_common_ones(traditional, common):
    assert _told(traditional).rule == _told(common).rule
    assert simplified(traditional) == common


def test_every_pair_of_characters_is_a_pair():
    pairs = bank("zh")["traditional"]
    assert all(len(pair) == 2 and pair[0] != pair[1] for pair in pairs)
    assert len({pair[0] for pair in pairs}) == len(pairs) and not {pair[0] for pair in pairs} & {
        pair[1] for pair in pairs
    }


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("man page of ls", "no-person"),
        ("men at work sign", "no-person"),
        ("Victoria's Secret models", "trait"),
    ],
)
def test_decision_has_the_right_reason(query, rule):
    assert _told(query).rule == rule


def test_endings_are_a_guess_or_a_person_and_not_both():
    assert RULES["guess"][0] == "unsure"
    told = lexicon().suffixes["en"]
    assert not {word for word, kind in told if kind == "guess"} & {
        word for word, kind in told if kind == "person"
    }


def test_second_opinion_is_asked_where_there_is_only_a_guess():
    asked: list[str] = []

    def second(queries, attribute):
        asked.extend(queries)
        return [("model-no-person", ())] * len(queries)

    told = Trigger(second=second)(["brastwright", "nurse", "statue of a woman"])
    assert asked == ["brastwright"]
    assert [d.rule for d in told] == ["model-no-person", "neutral", "explicit"]


@pytest.mark.parametrize("query", ["Marie", "Luis", "Nina"])
def test_given_name_that_is_also_a_word_for_a_group_names_no_group(query):
    assert _told(query).rule == "maybe-name"


@pytest.mark.parametrize(
    "word", ["speedskater", "clever", "weather", "Oppenheimer", "prefer", "former", "whoever"]
)
def test_end_of_a_word_that_is_a_word_elsewhere_tells_nothing(word):
    assert _told(word).rule in ("guess", "unknown", "neutral", "name") and (
        _told(word).rule != "neutral" or word == "speedskater"
    )


@pytest.mark.parametrize(
    ("explicit", "not_explicit"),
    [
        ("Rentnerin", "Rentnerinnen und Rentner"), ("una jubilada", "una persona jubilada"), ("une patiente", "une personne retraitée"),
        ("Touristin", "Touristen"), ("las gitanas", "música gitana"), ("les employées", "les employées et les employés"),
    ],
)  # fmt: skip
def test_feminine_form_names_a_group_and_an_agreeing_one_does_not(explicit, not_explicit):
    assert _told(explicit).rule == "explicit"
    assert _told(not_explicit).rule != "explicit"
