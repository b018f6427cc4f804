from __future__ import annotations

import doctest
import unicodedata
from collections import Counter
from string import Formatter

import pytest

from fairlead.errors import UsageError
from fairlead.phantom import languages
from fairlead.phantom.languages import LANGUAGES, Language, caption, query, tier
from fairlead.phantom.things import CONCEPTS

each = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))

_SCRIPTS = {
    "zh": "CJK",
    "ja": "CJK HIRAGANA KATAKANA",
    "ar": "ARABIC",
    "hi": "DEVANAGARI",
    "th": "THAI",
}


@each
def test_every_concept_has_a_word_and_no_two_share_one(language: Language) -> None:
    assert tuple(language.words) == tuple(language.phrases) == CONCEPTS
    assert len(set(language.words.values())) == len(CONCEPTS)
    assert all(word and word == word.strip() for word in language.words.values())


@each
def test_text_is_in_nfc(language: Language) -> None:
    for text in (*language.words.values(), *language.phrases.values(), *language.templates):
        assert unicodedata.is_normalized("NFC", text)


@each
def test_words_are_in_the_languages_own_script(language: Language) -> None:
    known = _SCRIPTS.get(language.code, "LATIN").split()
    for word in language.words.values():
        letters = [
            c for c in word if unicodedata.category(c) == "Lo" or (unicodedata.category(c) == "Ll")
        ]
        assert letters
        assert all(unicodedata.name(c).split()[0] in known for c in letters), word


@each
def test_templates_have_one_place_and_format_cleanly(language: Language) -> None:
    assert len(set(language.templates)) >= 3
    for template in language.templates:
        assert [name for _, name, _, _ in Formatter().parse(template) if name is not None] == [""]
        for concept in CONCEPTS:
            made = template.format(language.phrases[concept])
            assert language.words[concept] in made
            assert "  " not in made and made == made.strip() and "{" not in made


def test_no_word_belongs_to_two_languages() -> None:
    counts = Counter(word for language in LANGUAGES.values() for word in language.words.values())
    assert max(counts.values()) == 1


def test_phrases_have_the_right_articles() -> None:
    english = LANGUAGES["english"]
    for concept, phrase in english.phrases.items():
        article = "" if concept in ("bread", "tea") else "an " if concept[0] in "aeiou" else "a "
        assert phrase == article + concept
    for name, articles in (("french", ("un ", "une ", "du ")), ("spanish", ("un ", "una "))):
        language = LANGUAGES[name]
        for concept, phrase in language.phrases.items():
            assert phrase.endswith(language.words[concept])
            assert phrase.startswith(articles) or (
                name == "spanish" and concept in ("bread", "tea")
            )


def test_shares_sum_to_one_and_follow_the_tiers() -> None:
    shares = [language.share for language in LANGUAGES.values()]
    assert sum(shares) == pytest.approx(1)
    assert shares == sorted(shares, reverse=True)
    order = ["High", "Medium", "Low"]
    ranks = [order.index(language.tier) for language in LANGUAGES.values()]
    assert ranks == sorted(ranks)


def test_both_sides_of_lbkl_have_as_many_languages() -> None:
    low = sum(tier(name) == "Low" for name in LANGUAGES)
    assert low * 2 == len(LANGUAGES) == 10


def test_caption_chooses_the_same_template_in_every_language() -> None:
    for seed in range(30):
        chosen = set()
        for name, language in LANGUAGES.items():
            made = caption("drum", name, seed)
            chosen.add(
                next(
                    i
                    for i, t in enumerate(language.templates)
                    if t.format(language.phrases["drum"]) == made
                )
            )
        assert len(chosen) == 1


def test_caption_uses_every_template_and_is_deterministic() -> None:
    for name, language in LANGUAGES.items():
        assert len({caption("tea", name, seed) for seed in range(60)}) == len(language.templates)
    assert [caption("boat", "yoruba", seed) for seed in range(9)] == [
        caption("boat", "yoruba", seed) for seed in range(9)
    ]


def test_query_is_the_bare_word() -> None:
    assert query("house", "japanese") == "家"
    assert query("bicycle", "yoruba") == "kẹ̀kẹ́"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: query("hous", "thai"), "Did you mean house?"),
        (lambda: caption("house", "yorubá", 0), "Did you mean yoruba?"),
        (lambda: tier("klingon"), "no language called 'klingon'"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(call, message) -> None:
    with pytest.raises(UsageError) as error:
        call()
    assert message in str(error.value)


def test_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(languages).failed == 0
