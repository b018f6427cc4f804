"""Zero-shot labels: the nearest prompt, what the neutral one takes, shares by temperature, and
labels that depend on the query.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from fairlead.annotators.zeroshot_prompt import filled
from fairlead.commands import audit as audits
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.types import Collection, Embeddings, Queries, Sets


class Directions:
    """An encoder whose vectors are known: each text and image is an angle in degrees."""

    fingerprint = "angles"

    def __init__(self, texts, images):
        self._texts, self._images = texts, images

    def __str__(self):
        return "angles"

    def texts(self, texts, role):
        return self._vectors([self._texts[text] for text in texts])

    def images(self, images, role):
        return self._vectors([self._images[image] for image in images])

    @staticmethod
    def _vectors(angles):
        turned = np.radians(np.array(angles, float))
        return Embeddings(
            3 * np.stack([np.cos(turned), np.sin(turned)], 1).astype(np.float32)
        )  # lengths do not matter


class Blind(Directions):
    def texts(self, texts, role):
        raise UsageError("no texts here")


IMAGES = {"a": 5, "b": 85, "c": 50, "d": 44}
WORDS = {"Woman": 0, "Man": 90, "Unknown Gender": 45}
EYES = Directions(WORDS, IMAGES)
ITEMS = Collection(tuple(IMAGES), images=tuple(IMAGES))


def make(text):
    return registry.make("annotator", text)


def test_nearest_prompt_is_the_label_and_the_neutral_one_is_unknown():
    told = make("zeroshot_embedding")(ITEMS, "gender", EYES)
    assert told.names == ("female", "male") and told.codes.tolist() == [0, 1, -1, -1]
    assert told.source == "zeroshot_embedding by angles"
    assert make("zeroshot_embedding(neutral=not-applicable)")(
        ITEMS, "gender", EYES
    ).codes.tolist() == [0, 1, -2, -2]
    assert make("zeroshot_embedding(neutral=none)")(ITEMS, "gender", EYES).codes.tolist() == [
        0,
        1,
        1,
        0,
    ]


def test_soft_shares_are_a_softmax_of_cosines_and_leave_the_neutral_share_unknown():
    told = make("zeroshot_embedding(soft=true,temperature=0.2)")(ITEMS, "gender", EYES)
    for row, angle in enumerate(IMAGES.values()):
        powers = [math.exp(math.cos(math.radians(angle - word)) / 0.2) for word in WORDS.values()]
        assert told.soft[row] == pytest.approx(
            [power / sum(powers) for power in powers[:2]], abs=1e-6
        )
        assert told.unknown[row] == pytest.approx(powers[2] / sum(powers), abs=1e-6)
    gone = make("zeroshot_embedding(soft=true,neutral=not-applicable)")(ITEMS, "gender", EYES)
    assert gone.not_applicable.tolist() == [False, False, True, True] and gone.soft[2].tolist() == [
        0,
        0,
    ]


def test_prompts_of_ones_own_label_any_attribute():
    eyes = Directions({"a hat": 0, "no hat": 90, "a head": 45}, IMAGES)
    told = make('zeroshot_embedding(prompts="a hat|no hat|a head",groups="hat|bare")')(
        ITEMS, "hat", eyes
    )
    assert told.names == ("hat", "bare") and told.codes.tolist() == [0, 1, -1, -1]
    plain = make('zeroshot_embedding(prompts="a hat|no hat")')(ITEMS, "hat", eyes)
    assert plain.names == ("a hat", "no hat") and plain.codes.tolist() == [0, 1, 1, 0]
    words = Directions({"a photo of a woman": 0, "a photo of a man": 90, "a photo": 45}, IMAGES)
    told = make('zeroshot_embedding(prompts="a photo of a woman|a photo of a man|a photo")')(
        ITEMS, "gender", words
    )
    assert told.names == ("female", "male") and told.codes.tolist() == [0, 1, -1, -1]


@pytest.mark.parametrize(("text", "attribute", "said"), [
    ("zeroshot_embedding", "age", "cannot label 'age'. It can label: gender, skin"),
    ('zeroshot_embedding(prompts="a|b|c|d",groups="x|y")', "age", "4 prompts for 2 groups"),
    ('zeroshot_embedding(prompts="a")', "age", "1 prompts for 1 groups"),
])  # fmt: skip
def test_prompts_that_do_not_fit_are_told(text, attribute, said):
    with pytest.raises(UsageError, match=said):
        make(text)(ITEMS, attribute, EYES)


@pytest.mark.parametrize("text", [
    'zeroshot_embedding(prompts="a||b")', 'zeroshot_embedding(groups="a|a")', "zeroshot_embedding(temperature=0)",
    'zeroshot_prompt(prompts="a|b")',
])  # fmt: skip
def test_parameters_that_make_no_labels_are_refused(text):
    with pytest.raises(UsageError):
        make(text)


def test_encoder_that_reads_no_texts_is_told():
    with pytest.raises(UsageError, match="cannot give it vectors of texts: no texts here"):
        make("zeroshot_embedding")(ITEMS, "gender", Blind(WORDS, IMAGES))
    with pytest.raises(UsageError, match="needs a model"):
        make("zeroshot_embedding")(ITEMS, "gender")
    with pytest.raises(DataError, match="the collection has none"):
        make("zeroshot_embedding")(Collection(("a",)), "gender", EYES)


def test_encoder_with_many_vectors_an_item_is_refused():
    class Many(Directions):
        def texts(self, texts, role):
            found = super().texts(texts, role)
            return Embeddings(found.vectors, np.arange(len(texts) + 1))

    with pytest.raises(UsageError, match="one vector for each"):
        make("zeroshot_embedding")(ITEMS, "gender", Many(WORDS, IMAGES))


# Labels that depend on the query

ASKED = {
    "Female nurse": 0,
    "Male nurse": 90,
    "nurse": 45,
    "Female pilot": 180,
    "Male pilot": 50,
    "pilot": 270,
}


def test_labels_of_candidates_follow_their_query():
    queries = Queries(("q1", "q2"), texts=("nurse", "pilot"))
    lists = Sets(np.array([0, 3, 5]), np.array([0, 1, 2, 2, 0]))
    told = make("zeroshot_prompt").of_candidates(
        ITEMS, "gender", queries, lists, Directions(ASKED, IMAGES)
    )
    assert told.codes.tolist() == [0, 1, -1, 1, 1]
    with pytest.raises(UsageError, match="labels candidates of queries"):
        make("zeroshot_prompt")(ITEMS, "gender", EYES)
    with pytest.raises(DataError, match="queries in words"):
        make("zeroshot_prompt").of_candidates(
            ITEMS,
            "gender",
            Queries(("q",), images=("a",)),
            Sets(np.array([0, 0]), np.array([])),
            EYES,
        )


@pytest.mark.parametrize(("query", "said"), [
    ("nurse", "Female nurse"), ("a photo of an engineer", "a photo of a Female engineer"),
    ("a photo of nurses", "a photo of Female nurses"),
    ("the close-up portrait of the nurse", "the close-up portrait of the Female nurse"), ("photo", "Female photo"),
])  # fmt: skip
def test_word_stands_behind_the_frame_of_a_query(query, said):
    assert filled("Female {}", query) == said
    assert filled("{}", query) == query


def test_audit_mitigated_by_labels_of_the_query_says_so():
    choices = {"attribute": "gender", "metric": "AbsBias@10", "mitigate": "pbm", "k": 10}
    spec = 'zeroshot_prompt(prompts="a woman as {}|a man as {}|{}")'
    found = audits.audit(
        "phantom(dose=1)", "phantom(seeds=2)", mitigate_groups=spec, **choices
    ).result
    assert found.manifest["mitigate"]["labels"] == f"{spec} by phantom(dose=1.0)"
    assert found.rows[1].mean != found.rows[0].mean
    with pytest.raises(UsageError, match="labels candidates of queries"):
        audits.audit(
            "phantom",
            "phantom(seeds=2)",
            groups="zeroshot_prompt",
            attribute="gender",
            metric="AbsBias@10",
        )
