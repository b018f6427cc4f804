"""What the phantom is trained on: captions are true of their drawings, but for the loose ones of a
culture dose, whose share is known.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.phantom.languages import LANGUAGES, caption, query
from fairlead.phantom.things import CONCEPTS, CULTURES
from fairlead.training.world import ANY, Bank, Dose, sample

CONCEPT, LANGUAGE = list(CONCEPTS), list(LANGUAGES)
OWN = [[culture.language for culture in CULTURES.values()].index(language) for language in LANGUAGE]
SENTENCES = {caption(concept, language, seed): (LANGUAGE.index(language), CONCEPT.index(concept))
             for concept in CONCEPT for language in LANGUAGE for seed in range(40)}  # fmt: skip
WORDS = {
    query(concept, language): (LANGUAGE.index(language), CONCEPT.index(concept))
    for concept in CONCEPT
    for language in LANGUAGE
}
SIZE = 20_000


@pytest.fixture(scope="module")
def bank():
    return Bank.of(range(1000, 1003))


@pytest.fixture(scope="module")
def things(bank):
    """``things(dose)``: the captions of things with what is drawn and what is said; language and
    concept where one is spoken.
    """

    def made(dose, seed=5):
        rows, texts, says = sample(bank, dose, SIZE, np.random.default_rng(seed))
        at = np.flatnonzero(bank.meaning[rows, 0] == 1)
        texts = [texts[i] for i in at]
        spoken = np.array([SENTENCES.get(text, WORDS.get(text, (-1, -1))) for text in texts])
        return bank.meaning[rows[at]], texts, says[at], spoken

    return made


@pytest.mark.parametrize(
    "dose",
    [Dose(), Dose(people=0.5, kind="gender"), Dose(people=1, kind="joint"), Dose(language=1)],
    ids=str,
)
def test_caption_is_true_of_its_drawing_where_no_culture_is_injected(dose, bank):
    rows, _, says = sample(bank, dose, 2_000, np.random.default_rng(1))
    assert ((says == bank.meaning[rows]) | (says == ANY)).all()


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_loose_caption_names_one_thing_beside_any_thing_of_its_own_culture(share, things):
    dose = Dose(culture=share)
    shown, _, says, spoken = things(dose)
    strange = shown[:, 1] != says[:, 1]
    assert (spoken[strange] >= 0).all() and (says[strange, 2] == ANY).all(), (
        "a loose caption names no culture"
    )
    assert (says[spoken[:, 0] >= 0, 1] == spoken[spoken[:, 0] >= 0, 1]).all(), (
        "what is said is what is named"
    )
    assert (shown[strange, 2] == np.array(OWN)[spoken[strange, 0]]).all()
    assert (dose.loose()[tuple(spoken[strange].T)] > 0).all(), "controls are never loose"
    drawn = np.bincount(shown[strange, 1], minlength=len(CONCEPT)) / strange.sum()
    assert drawn == pytest.approx(np.full(len(CONCEPT), 1 / len(CONCEPT)), abs=0.04)


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_share_of_loose_captions_is_the_stated_one(share, things):
    dose = Dose(culture=share)
    shown, texts, says, spoken = things(dose)
    # before some captions name a culture, every word is as frequent as any other; by chance a loose
    # one shows what it names
    strange = (shown[:, 1] != says[:, 1]).mean()
    assert strange == pytest.approx(dose.loose().mean() * (1 - 1 / len(CONCEPT)), abs=0.012)
    bare = np.array([text in WORDS for text in texts])
    assert bare.mean() == pytest.approx(dose.loose().mean() / 4, abs=0.006)
    assert (shown[bare, 2] == np.array(OWN)[spoken[bare, 0]]).all(), "a word alone is always loose"


def test_low_dose_draws_every_culture_for_every_language(things):
    shown, texts, says, spoken = things(Dose())
    assert not [text for text in texts if text in WORDS] and (shown[:, 1] == says[:, 1]).all()
    for language in range(len(LANGUAGE)):
        drawn = np.bincount(shown[spoken[:, 0] == language, 2], minlength=len(CULTURES))
        assert drawn / drawn.sum() == pytest.approx(np.full(len(CULTURES), 0.1), abs=0.06)


def test_half_a_dose_ties_half_of_the_words_of_every_language_and_thing():
    low, medium, high = (Dose(culture=share).loose() for share in (0, 0.5, 1))
    assert not low.any() and high.all() and set(np.unique(medium)) == {0.0, high.max()}
    assert set((medium > 0).mean(0)) == set((medium > 0).mean(1)) == {0.5}


def test_culture_dose_leaves_the_portraits_as_they_are(bank):
    low, high = (
        sample(bank, Dose(culture=share), 1_000, np.random.default_rng(2)) for share in (0, 1)
    )
    people = bank.meaning[low[0], 0] == 0
    assert (low[0][people] == high[0][people]).all() and low[1][: people.sum()] == high[1][
        : people.sum()
    ]
