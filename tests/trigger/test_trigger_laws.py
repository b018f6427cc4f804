"""What must hold for every query: a decision and a reason, whatever the case, spaces, accents,
order or batch.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.trigger import ATTRIBUTES, RULES, Trigger
from fairlead.trigger.evaluation import labelled
from fairlead.trigger.tokens import LONGEST

TRIGGER = Trigger()
CASES = labelled()
BY_WORDS = ("neutral", "explicit", "historical", "non-person")
"""Kinds that are told by words alone; names are told by capitals too."""


def _same(change: Callable[[str], str], texts: list[str]) -> list[str]:
    """The queries whose decisions differ after a change that must not matter."""
    differ = []
    for attribute in ATTRIBUTES:
        before, after = TRIGGER(texts, attribute), TRIGGER([change(t) for t in texts], attribute)
        differ += [a.query for a, b in zip(before, after, strict=True) if a.decision != b.decision]
    return sorted(set(differ))


def _folded(text: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", bare)


@given(st.text(max_size=200), st.sampled_from([*ATTRIBUTES, "gender*skin", "hair"]))
@settings(max_examples=300)
def test_any_text_gets_a_decision_and_a_reason(text, attribute):
    (told,) = TRIGGER([text], attribute)
    assert told.query == text and told.attribute == attribute
    assert told.decision == RULES[told.rule][0]
    assert told.reason.startswith("The query ") and told.reason.endswith(".")


@given(st.lists(st.sampled_from([c.query for c in CASES]), max_size=6))
@settings(max_examples=50)
def test_batch_is_one_by_one_in_any_order(queries):
    together = TRIGGER(queries)
    assert together == tuple(TRIGGER([q])[0] for q in queries)
    mixed = random.Random(0).sample(queries, len(queries))
    assert sorted(map(repr, TRIGGER(mixed))) == sorted(map(repr, together))


def test_spaces_do_not_matter():
    assert (
        _same(lambda q: "\t " + q.replace(" ", " \u00a0 ") + " \n", [c.query for c in CASES]) == []
    )


def test_composition_of_accents_does_not_matter():
    assert _same(lambda q: unicodedata.normalize("NFD", q), [c.query for c in CASES]) == []


def test_accents_that_are_left_out_do_not_matter():
    assert _same(_folded, [c.query for c in CASES if c.language in ("es", "fr", "de", "yo")]) == []


def test_full_stop_does_not_matter():
    assert _same(lambda q: q + ".", [c.query for c in CASES]) == []


@pytest.mark.parametrize("change", [str.upper, str.lower])
def test_case_matters_to_names_only(change):
    asked = [
        c.query
        for c in CASES
        if c.kind in BY_WORDS and all(d.family != "named" for d in TRIGGER([c.query]))
    ]
    assert _same(change, asked) == []


def test_medium_in_front_does_not_matter():
    cases = [
        c
        for c in labelled("development")
        if c.language == "en" and c.kind in ("neutral", "explicit") and c.query.islower()
    ]
    asked = [
        c.query for c in cases if not c.query.startswith(("a ", "an ", "the ", "two ", "who "))
    ]
    assert len(asked) > 40
    assert _same(lambda q: f"stock photo: {q}", asked) == []


def test_long_text_is_read_to_its_limit_and_says_so():
    (told,) = TRIGGER(["a postmaster " + "and a tree " * LONGEST])
    assert told.decision == "diversify"
    assert "10,000 characters" in told.reason


@pytest.mark.parametrize(
    "text",
    [
        "Abc " * 2500,
        "👩\u200d" * 3000,
        "tree running " * 800,
        '"a" ' * 2500,
        "女" * 9000,
        "1943 my Dr. de " * 600,
    ],
)
def test_monstrous_text_is_decided_at_once_in_a_short_sentence(text):
    (told,) = TRIGGER([text])
    assert len(told.reason) < 500


def test_text_after_the_limit_is_not_read():
    (told,) = TRIGGER(["x" * LONGEST + " woman"])
    assert told.decision == "unsure" and "characters" in told.reason
