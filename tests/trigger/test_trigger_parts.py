"""The parts of the trigger on their own: the list of queries to leave alone, the candidates at
hand, the encoder's geometry, the banks.
"""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from fairlead.engine.leaving import leaving
from fairlead.errors import DataError, UsageError
from fairlead.store.leave_out import read_lines
from fairlead.trigger import Decision, Leave, Trigger
from fairlead.trigger.geometry import PAIRS, THINGS, WORK, Geometry
from fairlead.trigger.reach import within_reach
from fairlead.types import Embeddings
from fairlead.words import LANGUAGES, bank, forms, gender_words, names

# The user's own list


@pytest.mark.parametrize(
    ("line", "query", "listed"),
    [
        ("nurse", "  NURSE ", True),
        ("nurse", "nurses", False),
        ("nurse*", "nurse in scrubs", True),
        ("?urse", "nurse", True),
        ("[a] nurse*", "[a] nurse here", True),
        ("[a] nurse*", "a nurse here", False),
        ("# nurse", "# nurse", False),
        ("café", "CAFÉ", True),
    ],
)
def test_list_of_queries_knows_its_lines(line, query, listed):
    assert (Leave.of([line]).match(query) is not None) == listed


def test_list_of_queries_comes_before_every_rule():
    told = Trigger(Leave.of(["postmaster"]))(["postmaster", "a postmaster"])
    assert [d.rule for d in told] == ["listed", "neutral"]
    assert told[0].reason == "The query is on the list of queries to leave alone: postmaster."


def test_list_of_queries_from_a_file_or_a_list(tmp_path):
    place = tmp_path / "leave.txt"
    place.write_bytes("\ufeff# ours\nnurse\n\n Board of * \n".encode())
    assert (
        leaving(place).lines
        == leaving(str(place)).lines
        == leaving(["nurse", "Board of *"]).lines
        == ("nurse", "Board of *")
    )
    assert leaving(None) == Leave()


@pytest.mark.parametrize("wrong", [3, ["nurse", 3], {"nurse": 1}.values()])
def test_list_of_queries_that_is_none_is_refused(wrong):
    with pytest.raises(UsageError, match="file or a list"):
        leaving(wrong)


def test_list_of_queries_in_a_bad_file_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"no file"):
        read_lines(tmp_path / "nowhere.txt")
    (tmp_path / "picture.txt").write_bytes(b"\xff\xd8\xff\xe0\x00")
    with pytest.raises(DataError, match="UTF-8"):
        read_lines(tmp_path / "picture.txt")


# The candidates at hand


def test_group_with_hardly_any_candidate_leaves_the_list_alone():
    neutral, explicit = Trigger()(["postmaster", "female postmaster"])
    places = {"female": 10.0, "male": 10.0}
    few = within_reach([neutral, explicit], [{"female": 2.0, "male": 90.0}] * 2, [places] * 2)
    assert [d.rule for d in few] == ["too-few", "explicit"]
    assert few[0].decision == "leave" and "2 for 10 places" in few[0].reason


@pytest.mark.parametrize("female", [0.0, 0.3, 2.5, 40.0])
def test_group_with_nobody_or_enough_changes_nothing(female):
    (neutral,) = Trigger()(["postmaster"])
    assert within_reach(
        [neutral], [{"female": female, "male": 90.0}], [{"female": 10.0, "male": 10.0}]
    ) == (neutral,)


# The encoder's geometry


class _Plane:
    """An encoder whose first axis is personhood and whose second is gender; words it was not told
    have neither.
    """

    fingerprint = "plane"

    def __init__(self, told: dict[str, tuple[float, float]], noise: float = 0.0) -> None:
        work = {word: (1.0, 0.3 * (at % 3 - 1)) for at, word in enumerate(WORK)}
        pairs = {
            name: (1.0, sign)
            for pair in PAIRS
            for name, sign in zip(pair, (1.0, -1.0), strict=True)
        }
        self.told = {**work, **dict.fromkeys(THINGS, (-1.0, 0.0)), **pairs, **told}
        self.noise = (
            np.random.default_rng(0).normal(0, noise, (1000, 2)) if noise else np.zeros((1000, 2))
        )

    def texts(self, texts, role):
        assert role == "query"
        known = [self.told.get(t.removeprefix("a photo of ").removeprefix("a "), self.told.get(t.removeprefix("a photo of "), (0.0, 0.0)))
                 for t in texts]  # fmt: skip
        return Embeddings(np.array(known) + self.noise[: len(texts)])

    def images(self, images, role):
        raise NotImplementedError


def test_geometry_tells_people_things_and_what_is_too_gendered():
    plane = _Plane({"zxq": (1.0, 0.0), "wvk": (-1.0, 0.1), "qrr": (0.6, 0.9), "nnn": (0.0, 0.0)})
    trigger = Trigger(second=Geometry(plane))
    assert [d.rule for d in trigger(["zxq", "wvk", "qrr", "postmaster"])] == [
        "model-person",
        "model-no-person",
        "model-gendered",
        "neutral",
    ]
    assert trigger(["qrr"], "skin")[0].rule != "model-gendered"
    assert (
        trigger(["qrr"])[0].decision == "unsure"
    )  # a margin is also what is to be mitigated: it never leaves a query alone


def test_geometry_of_an_encoder_that_cannot_tell_is_silent():
    geometry = Geometry(_Plane({"zxq": (1.0, 0.0)}, noise=30.0))
    assert geometry.anchors("en").quality < 0.9
    assert geometry(["zxq"], "gender") == [None]


def test_geometry_is_not_asked_in_a_language_it_cannot_tell_or_has_no_words_for():
    plane = _Plane({})
    assert Geometry(plane)(["зебра", "見知らぬ物"], "gender") == [None, None]


def test_geometry_of_many_vectors_or_of_some_texts_only_is_silent():
    class Late(_Plane):
        def texts(self, texts, role):
            return Embeddings(np.ones((len(texts), 2)), np.arange(len(texts) + 1))

    class Few(_Plane):
        def texts(self, texts, role):
            raise DataError("no such text")

    for encoder in (Late({}), Few({})):
        assert Geometry(encoder)(["zxq"], "gender") == [None]
        assert Trigger(second=Geometry(encoder))(["zxq"])[0].rule == "unknown"


def test_geometry_of_the_phantom_is_silent():
    from fairlead.protocols import registry

    anchors = Geometry(registry.make("encoder", "phantom")).anchors("en")
    assert anchors is not None and anchors.quality < 0.9


# The banks


@pytest.mark.parametrize("name", [*LANGUAGES, "names"])
def test_bank_is_tidy(name):
    text = (files("fairlead.words") / "data" / f"{name}.json").read_text(encoding="utf-8")
    for section, lines in json.loads(text).items():
        words = [
            word
            for line in ([lines] if isinstance(lines, str) else lines)
            for word in line.split(", ")
        ]
        assert words == sorted(set(words)), section
        assert all(word == word.strip() and word for word in words), section
    assert json.dumps(json.loads(text), ensure_ascii=False, indent=1) + "\n" == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_bank_has_what_the_rules_need(language):
    read = bank(language)
    assert {
        "head",
        "function",
        "gender.female",
        "gender.male",
        "age.child",
        "persons",
        "work",
        "things",
        "both",
    } <= set(read)
    assert read["head"][0] in ("first", "last")
    found = gender_words(language)
    assert not set(found["female"]) & set(found["male"])


def test_forms_begin_with_the_word():
    assert forms("policeman", "en") == ("policeman", "policemen")
    assert forms("baby", "en") == ("baby", "babies")
    assert forms("女", "zh") == ("女",)
    assert all(
        forms(word, language)[0] == word
        for language in LANGUAGES
        for word in bank(language)["gender.female"][:20]
    )


def test_names_and_banks_that_are_none_are_told():
    assert "marie curie" in names()["people"]
    with pytest.raises(UsageError, match="'xx'"):
        bank("xx")


def test_decision_shows_its_words_once():
    told = Decision.by("explicit", "woman and woman", "gender", ("woman", "woman"))
    assert (
        told.evidence == ("woman",)
        and told.reason == "The query says which group it asks for: woman."
    )
    assert told.to_dict()["evidence"] == ["woman"]
