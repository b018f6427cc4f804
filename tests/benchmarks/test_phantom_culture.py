"""phantom:culture: a word and three pictures. What the protocol promises, chance, and the dose."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict

import numpy as np
import pytest

from fairlead.commands import audit as audits
from fairlead.errors import DataError, UsageError
from fairlead.indexes.exact import Exact
from fairlead.measuring.score import Settings, score_variants
from fairlead.measuring.study import evidence_of, settings_of
from fairlead.phantom.languages import LANGUAGES, query
from fairlead.phantom.things import CONCEPTS, CULTURES
from fairlead.protocols import registry
from fairlead.testing.rankings import whole_ranking
from fairlead.training.world import Dose
from fairlead.types import Collection, Embeddings, Groups, Queries, Sets, Study

OWN = {culture.language: name for name, culture in CULTURES.items()}
PARTS = ("sp", "sem", "cul", "non", "errors", "nearer")


def spec(part):
    return "SelfPreference" if part == "sp" else f"SelfPreference(part={part})"


@pytest.fixture(scope="module")
def study():
    return registry.make("benchmark", "phantom:culture(seeds=3)").study()


@pytest.fixture(scope="module")
def found():
    """``found[dose]``: the shipped weights."""
    return {
        dose: audits.audit(f"phantom(dose={dose},kind=culture)", "phantom:culture").result
        for dose in (0, 0.5, 1)
    }


def row(result, part, **tag):
    return next(
        r for r in (*result.rows, *result.split) if r.metric == spec(part) and (r.tag or {}) == tag
    )


def trials(study):
    """Concept, language and the three candidates of each trial, read from the ids alone."""
    for number, name in enumerate(study.queries.ids):
        concept, language, _ = name.split("/")
        yield (
            concept,
            language,
            [study.collection.ids[r].split("/") for r in study.queries.candidates.of(number)],
        )


def test_roles_are_what_they_are_called(study):
    roles = study.roles["role"]
    for number, (concept, language, candidates) in enumerate(trials(study)):
        assert study.queries.texts[number] == query(concept, language)
        said = [roles.names[code] for code in roles.codes[3 * number : 3 * number + 3]]
        shown = dict(zip(said, candidates, strict=True))
        assert shown["sem"][0] == concept and shown["sem"][1] != OWN[language]
        assert shown["cul"][0] != concept and shown["cul"][1] == OWN[language]
        assert shown["non"][0] != concept and shown["non"][1] != OWN[language]
        assert [study.collection.ids[r] for r in study.queries.relevant.of(number)] == [
            "/".join(shown["sem"])
        ]


def test_distractors_differ_in_one_thing_only(study):
    """What is not sem differs from non in the culture alone, and sem from non in the thing alone."""
    for _, _, (sem, cul, non) in trials(study):
        assert cul[0] == non[0] and cul[2] == non[2]
        assert sem[1] == non[1]


def test_every_culture_is_as_often_the_own_as_the_other_one(study):
    by_thing = defaultdict(list)
    for number, (concept, _, candidates) in enumerate(trials(study)):
        by_thing[concept, study.queries.ids[number].split("/")[2]].append(candidates)
    for together in by_thing.values():
        sem, cul, non = ([tuple(c[i]) for c in together] for i in range(3))
        assert Counter(cul) == Counter(non) and {c[1] for c in sem} == {c[1] for c in cul} == set(
            CULTURES
        )


def test_every_language_asks_for_every_thing_as_often(study):
    assert set(
        Counter(
            zip(study.queries.tags["language"], study.queries.tags["concept"], strict=True)
        ).values()
    ) == {3}
    assert set(study.queries.tags["language"]) == set(LANGUAGES) and set(
        study.queries.tags["concept"]
    ) == set(CONCEPTS)


class Guess:
    """Vectors that mean nothing."""

    def __init__(self, seed: int) -> None:
        self.seed, self.fingerprint = seed, f"guess {seed}"

    def texts(self, texts, role):
        return Embeddings(np.stack([self._vector(t) for t in texts]))

    images = texts

    def _vector(self, key):
        digest = hashlib.blake2b(f"{self.seed}|{key}".encode(), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest, "little")).normal(size=16)


def test_guessing_model_wins_a_third_for_each_role_and_has_sp_one(study):
    shares = []
    for seed in range(4):
        ranking = whole_ranking(study, Guess(seed), Exact())
        metrics = [registry.make("metric", spec(part)) for part in PARTS]
        evidence = evidence_of(study, ranking, study.collection.groups, study.roles)
        settings = settings_of(study, Settings())
        result = score_variants({"plain": evidence}, metrics, settings=settings)
        shares.append([row(result, part).mean for part in PARTS])
        assert row(result, "nearer").p > 0.005
    sp, sem, cul, non, errors, nearer = np.mean(shares, axis=0)
    assert sem + cul + non == pytest.approx(1)
    assert (sem, cul, non) == pytest.approx((1 / 3,) * 3, abs=0.04)
    assert (
        sp == pytest.approx(1, abs=0.2)
        and errors == pytest.approx(0.5, abs=0.04)
        and nearer == pytest.approx(0.5, abs=0.04)
    )


def test_figures_are_those_of_counting_wins_by_hand(study):
    found = audits.audit(
        "phantom(dose=1,kind=culture)",
        "phantom:culture(seeds=3)",
        metric=[*(spec(p) for p in PARTS), "Hit@1"],
    )
    ranking, wins, nearer = found.rankings["plain"], Counter(), defaultdict(list)
    for number, (_, language, candidates) in enumerate(trials(study)):
        names = {
            "/".join(c): role for c, role in zip(candidates, ("sem", "cul", "non"), strict=True)
        }
        order = [names[study.collection.ids[r]] for r in ranking.rows[3 * number : 3 * number + 3]]
        assert sorted(order) == ["cul", "non", "sem"]
        wins[order[0]] += 1
        wins[language, order[0]] += 1
        nearer[language].append(order.index("cul") < order.index("non"))
    total = len(study.queries)
    for part in ("sem", "cul", "non"):
        assert row(found.result, part).mean == pytest.approx(wins[part] / total)
        for language in LANGUAGES:
            assert row(found.result, part, language=language).mean == pytest.approx(
                wins[language, part] / (total / 10)
            )
    assert row(found.result, "sp").mean == pytest.approx(wins["cul"] / wins["sem"])
    assert row(found.result, "nearer").mean == pytest.approx(
        np.mean([v for some in nearer.values() for v in some])
    )
    for language, values in nearer.items():
        assert row(found.result, "nearer", language=language).mean == pytest.approx(np.mean(values))
    assert found.result.rows[-1].metric == "Hit@1" and found.result.rows[-1].mean == pytest.approx(
        wins["sem"] / total
    )


def test_null_exchanges_the_own_culture_and_the_unrelated_one_word_by_word(study):
    found = audits.audit(
        "phantom(dose=1,kind=culture)", "phantom:culture(seeds=3)", metric=spec("nearer")
    )
    part, words = found.result.values[0], np.array(study.queries.texts)
    rng, drawn = np.random.default_rng(3), []
    for _ in range(1_500):
        flip = {word: rng.random() < 0.5 for word in set(words)}
        drawn.append(
            np.mean([1 - v if flip[w] else v for v, w in zip(part.value, words, strict=True)])
        )
    null = found.result.rows[0].null
    assert null["kind"] == "roles"
    assert null["mean"] == pytest.approx(0.5, abs=0.005) and null["sd"] == pytest.approx(
        np.std(drawn), rel=0.1
    )


def apart(lower, higher):
    """Whether two figures differ by more than both of their intervals allow."""
    return lower.ci[1] < higher.ci[0]


def test_pull_of_the_own_culture_rises_with_the_dose(found, bar):
    low, medium, high = (row(found[dose], "nearer") for dose in (0, 0.5, 1))
    bar(
        "phantom(kind=culture): own culture nearer",
        " < ".join(f"{r.mean:.3f}" for r in (low, medium, high)),
        "low < medium < high",
    )
    assert apart(low, medium) and apart(medium, high)
    assert low.p > 0.01 and medium.q < 0.01 and high.q < 0.01


def test_self_preference_rises_with_the_dose_and_accuracy_falls(found, bar):
    low, medium, high = (row(found[dose], "sp") for dose in (0, 0.5, 1))
    bar(
        "phantom(kind=culture): SelfPreference",
        " < ".join(f"{r.mean:.3f}" for r in (low, medium, high)),
        "low < medium < high",
    )
    assert low.mean < 0.02 and low.p > 0.05, (
        "too few trials are lost at the low dose for an interval"
    )
    assert low.mean + 0.1 < medium.ci[0] and apart(medium, high)
    assert medium.q < 0.01 and high.q < 0.01
    low, medium, high = (row(found[dose], "sem") for dose in (0, 0.5, 1))
    bar(
        "phantom(kind=culture): accuracy",
        " > ".join(f"{r.mean:.3f}" for r in (low, medium, high)),
        "low > medium > high",
    )
    assert apart(medium, low) and apart(high, medium)
    assert low.mean > 0.97 and high.mean > 0.5, (
        "the meaning wins more often than by guessing at every dose"
    )


def test_dose_moves_every_language(found):
    for language in LANGUAGES:
        low, medium, high = (
            row(found[dose], "nearer", language=language).mean for dose in (0, 0.5, 1)
        )
        assert low < medium < high, language
        assert (
            row(found[0], "sp", language=language).mean
            < row(found[1], "sp", language=language).mean
        ), language


def test_half_a_dose_moves_the_tied_words_and_leaves_the_others(found, bar):
    tied = Dose(culture=0.5).loose() > 0
    words = [name.split("/")[:2] for name in found[0].queries]
    own = np.array(
        [
            tied[list(LANGUAGES).index(language), list(CONCEPTS).index(concept)]
            for concept, language in words
        ]
    )
    won = {
        dose: found[dose].values[[r.metric for r in found[dose].rows].index(spec("sem"))].value
        for dose in (0, 0.5)
    }
    assert own.sum() == len(own) / 2
    told = ", ".join(
        f"{won[0][some].mean():.3f} -> {won[0.5][some].mean():.3f}" for some in (own, ~own)
    )
    bar(
        "phantom(dose=0.5,kind=culture): accuracy of tied words, of the others",
        told,
        "others lose <= .03",
    )
    lost = [won[0][some].mean() - won[0.5][some].mean() for some in (own, ~own)]
    assert lost[0] > 0.2 and lost[1] <= 0.03


def test_accuracy_of_every_language_stands_beside_its_self_preference(found, bar):
    for dose, result in found.items():
        told = {r.tag["language"] for r in result.split}
        assert told == set(LANGUAGES)
        worst = min(row(result, "sem", language=language).mean for language in LANGUAGES)
        bar(
            f"phantom(dose={dose},kind=culture): accuracy, worst language",
            f"{worst:.3f}",
            "shown beside SP",
        )
        for language in LANGUAGES:
            sem, cul, non = (
                row(result, part, language=language).mean for part in ("sem", "cul", "non")
            )
            assert sem + cul + non == pytest.approx(1)
            sp = row(result, "sp", language=language)
            assert sp.mean == pytest.approx(cul / sem) and sp.queries == 64


def test_model_of_another_kind_is_warned_of():
    result = audits.audit("phantom(dose=1)", "phantom:culture(seeds=1)", metric=spec("sem")).result
    assert any("injected as kind=gender" in w and "kind=culture" in w for w in result.warnings)
    for model in ("phantom", "phantom(dose=1,kind=culture)"):
        assert not audits.audit(
            model, "phantom:culture(seeds=1)", metric=spec("sem")
        ).result.warnings


def test_forced_choice_cannot_be_mitigated():
    with pytest.raises(UsageError, match="depends on the query"):
        audits.audit("phantom", "phantom:culture(seeds=1)", mitigate="pbm")


def test_ideal_phantom_knows_portraits_only():
    with pytest.raises(DataError, match="knows portraits only"):
        audits.audit("phantom_ideal", "phantom:culture(seeds=1)")


def test_study_refuses_tags_attributes_and_roles_it_does_not_have():
    items = Collection(
        ("a", "b"), images=("a", "b"), groups={"g": Groups("g", ("x", "y"), codes=np.array([0, 1]))}
    )
    asked = Queries(
        ("q",),
        texts=("q",),
        candidates=Sets(np.array([0, 2]), np.array([0, 1])),
        tags={"language": ("thai",)},
    )
    for choice in ({"by": ("langage",)}, {"clusters": "langage"}):
        with pytest.raises(UsageError, match="Did you mean language"):
            Study("s", items, asked, (), **choice)
    with pytest.raises(UsageError, match="attribute of s"):
        Study("s", items, asked, (), attributes=("h",))
    with pytest.raises(DataError, match="labels 1 candidates, the queries have 2"):
        Study("s", items, asked, (), roles={"r": Groups("r", ("x", "y"), codes=np.array([0]))})


class Many(Guess):
    """Two vectors each, of which the second adds nothing: late interaction must rank as one vector
    does.
    """

    def texts(self, texts, role):
        single = super().texts(texts, role).vectors
        second = np.zeros_like(single) if role == "query" else single
        return Embeddings(
            np.stack([single, second], 1).reshape(-1, single.shape[1]),
            2 * np.arange(len(single) + 1),
        )

    images = texts


def test_models_with_many_vectors_an_item_rank_candidates_too(study):
    one, many = (whole_ranking(study, encoder, Exact()) for encoder in (Guess(3), Many(3)))
    assert one.rows.tolist() == many.rows.tolist()
    np.testing.assert_allclose(one.scores, many.scores, rtol=1e-4)
