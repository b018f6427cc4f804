"""Labels from the words of captions: one gender named is the label; both, or none, is unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.types import Collection
from fairlead.words import LANGUAGES, gender_words
from fairlead.words.gendered import UNSPACED, found
from fairlead.words.neutral import neutralised


def labelled(*texts: str, language: str = "en") -> list[int]:
    collection = Collection(tuple(f"i{n}" for n in range(len(texts))), texts=texts)
    return registry.make("annotator", f"caption(language={language})")(
        collection, "gender"
    ).codes.tolist()


def test_caption_names_one_gender_and_is_labelled_by_it():
    assert labelled(
        "A woman on a bicycle.",
        "two boys play",
        "The noblewoman's dog",
        "HIS HAT",
        "a woman of color",
    ) == [0, 1, 0, 1, 0]


def test_caption_with_both_or_none_is_unknown():
    assert (
        labelled(
            "a man and a woman",
            "men and women at work",
            "a dog",
            "",
            "a nonbinary person",
            "her husband",
        )
        == [-1] * 6
    )


@pytest.mark.parametrize(
    "text",
    [
        "a king crab",
        "cowboy boots",
        "a human",
        "a german shepherd",
        "many specimen",
        "man-made lake",
        "mantle",
    ],
)
def test_caption_words_that_only_look_like_one_name_nobody(text):
    assert labelled(text) == [-1]


@pytest.mark.parametrize(("language", "text", "code"), [
    ("de", "Eine Ärztin mit Kind", 0), ("de", "Die Großmutter liest", 0), ("de", "ein Feuerwehrmann", 1), ("es", "una enfermera joven", 0),
    ("fr", "un homme au marché", 1), ("zh", "一位女医生", 0), ("zh", "弹吉他的人", -1), ("ja", "男性の看護師", 1),
    ("ar", "الطبيبة في المستشفى", 0),
    ("hi", "एक महिला डॉक्टर", 0), ("yo", "obìnrin kan", 0), ("de", "man sieht her", -1),
])  # fmt: skip
def test_caption_in_its_language_is_labelled(language, text, code):
    assert labelled(text, language=language) == [code]


@pytest.mark.parametrize("language", LANGUAGES)
def test_caption_every_word_of_a_bank_is_found_in_a_text(language):
    join = "" if language in UNSPACED else " "
    for gender in ("female", "male"):
        for word in gender_words(language)[gender]:
            said = [
                w
                for w in found(join.join(("xx", word.upper(), "xx")), language)
                if w.gender != "neither"
            ]
            assert said, (language, word)


@given(st.text(max_size=60))
def test_caption_any_text_gives_words_that_stand_where_they_say(text):
    for language in ("en", "zh", "ar"):
        for word in found(text, language):
            assert 0 <= word.start < word.end and word.text


def test_caption_without_captions_or_for_another_attribute_is_refused():
    with pytest.raises(DataError, match="the collection has none"):
        registry.make("annotator", "caption")(Collection(("a",)), "gender")
    with pytest.raises(UsageError, match=r"cannot label 'age'. It can label: gender\."):
        registry.make("annotator", "caption")(Collection(("a",), texts=("x",)), "age")
    with pytest.raises(UsageError, match="has no words"):
        registry.make("annotator", "caption(language=xx)")


# Captions without gender


@pytest.mark.parametrize(("text", "plain"), [
    ("A woman hands her sons an umbrella.", "A person hands their children an umbrella."),
    ("Three female doctors and a policeman", "Three doctors and a police officer"),
    ("Female doctors smile", "Doctors smile"),
    ("A man in a cowboy hat waves at her .", "A person in a cowboy hat waves at them ."),
    ("an actress", "an actor"),
    ("A girl on an umbrella", "A child on an umbrella"),
    ("MEN AT WORK", "PEOPLE AT WORK"),
    ("He is a male .", "The person is a person ."),
    ("the noblewoman and the swordsmen", "the nobleperson and the swordspeople"),
    ("a dog in the snow", "a dog in the snow"),
])  # fmt: skip
def test_neutral_captions_name_nobody_and_leave_the_rest(text, plain):
    assert neutralised([text]) == (plain,)


WORDS = sorted(
    {w for g in ("female", "male") for w in gender_words("en")[g]}
    | {"a", "the", "an", "dog", "runs", "red", "and", ",", "."}
)


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join))
def test_neutral_captions_of_any_words_name_no_gender(text):
    (plain,) = neutralised([text])
    assert not [w for w in found(plain, "en") if w.gender in ("female", "male")], (text, plain)
    assert neutralised([plain]) == (plain,)


def test_neutral_captions_are_english_only():
    with pytest.raises(UsageError, match="cannot be rewritten"):
        neutralised(["un homme"], "fr")
