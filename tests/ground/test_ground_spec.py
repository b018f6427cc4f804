"""The text form: round trip over generated specs, and what is answered to texts and values that are
not accepted.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.protocols.spec import Configured, Spec, format_value, parse

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
many = settings(max_examples=5_000 if FULL else 300, deadline=None, derandomize=not FULL)

names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.*+-]{0,8}", fullmatch=True)
keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
values = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "none",
            "True",
            "1",
            "1e5",
            "-2",
            ".5",
            "a,b",
            "x=1",
            '"',
            "\\",
            "a\n",
            "(",
            ")",
            "@5",
            "",
            " ",
            "é",
            "γ*δ",
        ]
    ),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
addresses = st.one_of(
    st.none(),
    st.text(max_size=15),
    st.sampled_from(
        [
            "ViT-B-32/openai",
            "postgresql://u@host:5432/db?x=1",
            "x@12",
            "x@12y",
            "a b",
            'q"q',
            "",
            "x\n",
            "(",
            "a,b",
            "C:\\new",
        ]
    ),
)


@dataclass(frozen=True)
class Sample(Configured):
    word: Literal["none", "2", "left"] = "left"
    size: float = 0.5
    count: int | None = None
    exact: bool = False
    group: str = ""
    k: int | None = None

    name: ClassVar[str] = "Sample"


@dataclass(frozen=True)
class NoCut(Configured):
    size: float = 1.0

    name: ClassVar[str] = "NoCut"


@many
@given(
    name=names,
    address=addresses,
    args=st.lists(st.tuples(keys, values), max_size=4, unique_by=lambda x: x[0]),
    k=st.none() | st.integers(0, 10**6),
)
@example(name="a", address="x@1", args=[], k=None)
@example(name="a", address="x\n", args=[("w", "word\n")], k=3)
def test_spec_read_back_from_its_text_is_the_same(name, address, args, k):
    spec = Spec(name, address, tuple(args), k)
    again = parse(str(spec))
    assert again == spec
    assert [type(v) for _, v in again.args] == [type(v) for _, v in spec.args]
    assert str(again) == str(spec)


@many
@given(value=values)
def test_value_read_back_from_its_text_is_the_same(value):
    assert parse(f"x(y={format_value(value)})").args == (("y", value),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NDKL@100", Spec("NDKL", k=100)),
        (" pbm ( theta=0.5 ) ".replace(" (", "("), Spec("pbm", args=(("theta", 0.5),))),
        ("open_clip:ViT-B-32/openai", Spec("open_clip", "ViT-B-32/openai")),
        ("pgvector:postgresql://u@h:1/db", Spec("pgvector", "postgresql://u@h:1/db")),
        ("x:y@5", Spec("x", "y", k=5)),
        ('x:"y@5"', Spec("x", "y@5")),
        ("x()", Spec("x")),
        ("x(a=none,b=TRUE,c=1,d=1.,e=-.5e3,f=word,g=)", None),
    ],
)
def test_parse_of_a_hand_written_text(text, expected):
    if expected is None:
        assert parse(text).args == (
            ("a", None),
            ("b", True),
            ("c", 1),
            ("d", 1.0),
            ("e", -500.0),
            ("f", "word"),
            ("g", ""),
        )
    else:
        assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1x",
        "x(",
        "x)",
        "x(a)",
        "x(a=1",
        "x(a=1)(b=2)",
        "x@",
        "x@k",
        "x(a=b c=d))",
        "x y",
        'x(a="b)',
    ],
)
def test_parse_of_a_broken_text_says_so(text):
    with pytest.raises(UsageError):
        parse(text)


def test_parse_of_a_parameter_given_twice_says_so():
    with pytest.raises(UsageError, match="a is given twice"):
        parse("x(a=1,a=2)")


def test_configured_text_holds_what_differs_from_the_defaults():
    assert str(Sample()) == "Sample"
    assert str(Sample(size=0.25, k=10)) == "Sample(size=0.25)@10"
    assert Sample.from_spec(parse("Sample(k=10)")) == Sample(k=10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sample(word=none)", Sample(word="none")),
        ("Sample(word=2)", Sample(word="2")),
        ('Sample(word="2")', Sample(word="2")),
        ("Sample(size=1)", Sample(size=1.0)),
        ("Sample(count=none)", Sample()),
        ("Sample(group=42)", Sample(group="42")),
        ('Sample(group="true")', Sample(group="true")),
    ],
)
def test_configured_reads_words_that_look_like_other_kinds(text, expected):
    assert Sample.from_spec(parse(text)) == expected
    assert Sample.from_spec(parse(str(expected))) == expected


def test_configured_takes_numpy_numbers_as_plain_ones():
    sample = Sample(k=np.int64(5), size=np.float64(0.1), count=np.int16(3))
    assert str(sample) == "Sample(size=0.1,count=3)@5"
    assert type(sample.k) is int and type(sample.size) is float


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"word": "rigt"}, "Accepted: none, 2, left"),
        ({"word": True}, "Accepted: none, 2, left"),
        ({"word": [1]}, "Accepted: none, 2, left"),
        ({"size": "much"}, "a number"),
        ({"size": float("nan")}, "a number"),
        ({"size": float("inf")}, "a number"),
        ({"size": True}, "a number"),
        ({"count": 1.5}, "a whole number"),
        ({"count": True}, "a whole number"),
        ({"exact": 1}, "true or false"),
        ({"group": None}, "a word or quoted text"),
        ({"k": "ten"}, "a whole number"),
    ],
)
def test_configured_refuses_other_kinds_and_says_what_is_accepted(parameters, message):
    with pytest.raises(UsageError, match=message) as caught:
        Sample(**parameters)
    assert next(iter(parameters)) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Sample(grup=x)", "Did you mean group"),
        ("Sample:address", "takes no address"),
        ("Sample(k=3)@5", "cut-off twice"),
        ("Sample(zzzzzz=1)", "Known: count, exact, group, k, size, word"),
    ],
)
def test_configured_refuses_a_text_it_does_not_know(text, message):
    with pytest.raises(UsageError, match=message):
        Sample.from_spec(parse(text))


def test_configured_without_a_cut_off_refuses_one():
    with pytest.raises(UsageError, match="takes no @k"):
        NoCut.from_spec(parse("NoCut@5"))


@dataclass(frozen=True)
class Addressed(Configured):
    path: str
    depth: int = 3

    name: ClassVar[str] = "addressed"
    addressed: ClassVar[str | None] = "path"


def test_addressed_choice_round_trips_through_its_text() -> None:
    made = Addressed.from_spec(parse('addressed:"a b/c@2"(depth=5)'))
    assert made == Addressed("a b/c@2", 5)
    assert Addressed.from_spec(parse(str(made))) == made


def test_addressed_choice_without_its_address_or_with_it_as_a_parameter_is_refused() -> None:
    with pytest.raises(UsageError, match="needs an address"):
        Addressed.from_spec(parse("addressed"))
    with pytest.raises(UsageError, match="no parameter"):
        Addressed.from_spec(parse("addressed:x(path=y)"))
