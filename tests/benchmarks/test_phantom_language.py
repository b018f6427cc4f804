"""phantom:language: captions in ten languages for scenes in ten cultures. What the protocol
promises, chance, and the dose.
"""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

from fairlead.commands import audit as audits
from fairlead.errors import UsageError
from fairlead.indexes.exact import Exact
from fairlead.measuring.score import Settings, score
from fairlead.measuring.study import evidence_of
from fairlead.phantom.languages import LANGUAGES, caption
from fairlead.phantom.things import CONCEPTS, CULTURES
from fairlead.protocols import Capabilities, registry
from fairlead.testing.rankings import whole_ranking
from fairlead.types import Embeddings

HIGH = {"english", "chinese", "japanese", "spanish", "french"}


@pytest.fixture(scope="module")
def study():
    return registry.make("benchmark", "phantom:language(seeds=2)").study()


@pytest.fixture(scope="module")
def found():
    """``found[dose]``: the shipped weights, one scene of each thing in each culture."""
    return {
        dose: audits.audit(
            f"phantom(dose={dose},kind=language)", "phantom:language(seeds=1)"
        ).result
        for dose in (0, 0.5, 1)
    }


def row(result, metric, **tag):
    return next(
        r for r in (*result.rows, *result.split) if r.metric == metric and (r.tag or {}) == tag
    )


def test_every_thing_is_captioned_in_every_language_and_wording(study):
    told = [name.split("/") for name in study.collection.ids]
    assert Counter((concept, language) for concept, language, _ in told) == {
        (c, n): 3 for c in CONCEPTS for n in LANGUAGES
    }
    for text, (concept, language, _) in zip(study.collection.texts, told, strict=True):
        assert text in {caption(concept, language, seed) for seed in range(40)}
    assert len(set(study.collection.texts)) == len(study.collection)


def test_matched_set_says_the_same_in_ten_languages(study):
    for block in np.unique(study.blocks):
        told = [study.collection.ids[i].split("/") for i in np.flatnonzero(study.blocks == block)]
        assert {language for _, language, _ in told} == set(LANGUAGES) and len(told) == len(
            LANGUAGES
        )
        assert len({(concept, wording) for concept, _, wording in told}) == 1


def test_resource_puts_high_and_medium_on_one_side_half_of_the_gallery_each(study):
    groups = study.collection.groups
    labels = [groups["resource"].names[code] for code in groups["resource"].codes]
    assert labels == [
        "high" if name.split("/")[1] in HIGH else "low" for name in study.collection.ids
    ]
    assert labels.count("high") == labels.count("low")
    assert [groups["language"].names[code] for code in groups["language"].codes] == [
        n.split("/")[1] for n in study.collection.ids
    ]


def test_scenes_are_tagged_with_what_they_show_and_find_all_captions_of_it(study):
    queries = study.queries
    assert len(queries) == 2 * len(CONCEPTS) * len(CULTURES) and study.modality == "image-to-text"
    for number, name in enumerate(queries.ids):
        concept, culture, _ = name.split("/")
        own = "high" if CULTURES[culture].language in HIGH else "low"
        assert {tag: values[number] for tag, values in queries.tags.items()} == {
            "concept": concept, "culture": culture, "own_resource": own}  # fmt: skip
        relevant = {study.collection.ids[r] for r in queries.relevant.of(number)}
        assert relevant == {i for i in study.collection.ids if i.startswith(f"{concept}/")}
        assert queries.images[number] == f"phantom:thing/{name}"


class Blind:
    """Knows what is drawn and what is said, nothing of languages; scenes of a thing differ a
    little.
    """

    def __init__(self, seed: int, apart: float) -> None:
        self.seed, self.apart, self.fingerprint = seed, apart, f"blind {seed} {apart}"

    def capabilities(self):
        return Capabilities(pictures="drawings")

    def texts(self, texts, role):
        named = {
            LANGUAGES[n].templates[w].format(LANGUAGES[n].phrases[c]): c
            for n in LANGUAGES
            for c in CONCEPTS
            for w in range(3)
        }
        return Embeddings(np.stack([self._vector(named[t], t, 1.0) for t in texts]))

    def images(self, images, role):
        return Embeddings(np.stack([self._vector(i.split("/")[1], i, self.apart) for i in images]))

    def _vector(self, concept, key, spread):
        noise, own = (self._normals(k) for k in (f"{key}", f"thing {concept}"))
        return np.concatenate(
            [
                9.0 * (np.array(CONCEPTS) == concept),
                own + spread * noise if key.startswith("phantom") else noise,
            ]
        )

    def _normals(self, key):
        seed = int.from_bytes(
            hashlib.blake2b(f"{self.seed}|{key}".encode(), digest_size=8).digest(), "little"
        )
        return np.random.default_rng(seed).normal(size=8)


def blind_evidence(study, encoder):
    ranking = whole_ranking(study, encoder, Exact())
    return evidence_of(study, ranking, {"resource": study.collection.groups["resource"]})


def test_chance_level_is_that_of_languages_exchanged_within_matched_sets(study):
    evidence = blind_evidence(study, Blind(1, 0.3)).select(np.array([0, 77]))
    result, ranking = (
        score(evidence, [registry.make("metric", m) for m in ("LBKL@10", "DLBKL@10")]),
        evidence.ranking,
    )
    rng, codes = np.random.default_rng(5), study.collection.groups["resource"].codes
    weights = {"LBKL@10": np.ones(10), "DLBKL@10": 1 / np.log2(np.arange(2, 12))}
    for part in result.values:
        weight = weights[part.metric] / weights[part.metric].sum()
        for query in (0, 1):
            rows, drawn = ranking.rows[ranking.offsets[query] : ranking.offsets[query] + 10], []
            sets = [
                np.flatnonzero(study.blocks == block) for block in np.unique(study.blocks[rows])
            ]
            for _ in range(2_000):
                shuffled = codes.copy()
                for at in sets:
                    shuffled[at] = rng.permutation(codes[at])
                high = weight[shuffled[rows] == 0].sum()
                drawn.append(
                    sum(0.5 * np.log(0.5 / max(share, 1e-8)) for share in (high, 1 - high))
                )
            assert part.null_mean[query] == pytest.approx(
                np.mean(drawn), abs=5 * np.std(drawn) / np.sqrt(2_000)
            )


def test_language_blind_model_reads_chance_though_scenes_of_a_thing_rank_alike(study, count):
    """Twenty pictures of a house that find the same captions are one look at chance, not twenty."""
    models, found, metric = (
        count(5, 60),
        {True: [], False: []},
        [registry.make("metric", "Bias(positive=high)@10")],
    )
    things = np.unique(study.queries.tags["concept"], return_inverse=True)[1]
    for seed in range(models):
        evidence, nulls = blind_evidence(study, Blind(seed, 0.0)), {}
        for clustered, p in found.items():
            settings = Settings(clusters=things if clustered else None)
            p.append(
                score(evidence, metric, settings=settings, plain=evidence, nulls=nulls).rows[0].p
            )
    assert np.sum(np.array(found[True]) < 0.05) <= 1 + models // 10
    assert np.mean(np.array(found[False]) < 0.05) > 0.3


def test_high_resource_share_and_divergence_rise_with_the_dose(found, bar):
    for metric in ("Bias(positive=high)@10", "LBKL@10", "DLBKL@10"):
        low, medium, high = (row(found[dose], metric) for dose in (0, 0.5, 1))
        bar(
            f"phantom(kind=language): {metric}",
            " < ".join(f"{r.mean:.3f}" for r in (low, medium, high)),
            "low < medium < high",
        )
        assert low.mean < medium.mean < high.mean
        assert row(found[1], metric).q < 0.01
    low, medium, high = (row(found[dose], "Bias(positive=high)@10") for dose in (0, 0.5, 1))
    assert low.ci[1] < medium.ci[0] and medium.ci[1] < high.ci[0]
    assert low.p > 0.05 and abs(low.mean) < 0.2


def test_high_resource_share_rises_with_the_dose_for_pictures_of_every_culture(found):
    for tag, values in (("culture", CULTURES), ("own_resource", ("high", "low"))):
        for value in values:
            low, medium, high = (
                row(found[dose], "Bias(positive=high)@10", **{tag: value}) for dose in (0, 0.5, 1)
            )
            assert low.mean < medium.mean < high.mean, value
            assert high.queries == len(found[1].queries) / len(values)


def test_what_is_found_stays_relevant_at_every_dose(found, bar):
    for dose, result in found.items():
        bar(
            f"phantom(dose={dose},kind=language): Hit@5",
            f"{row(result, 'Hit@5').mean:.3f}",
            ">= .98",
        )
        assert row(result, "Hit@5").mean >= 0.98 and row(result, "nDCG@10").mean >= 0.95


def test_culture_dose_moves_pictures_towards_the_side_of_their_own_language():
    result = audits.audit(
        "phantom(dose=1,kind=culture)", "phantom:language(seeds=1)", metric="Bias(positive=high)@10"
    ).result
    high, low = (
        row(result, "Bias(positive=high)@10", own_resource=side).mean for side in ("high", "low")
    )
    assert high > 0.1 and low < -0.1
    assert any("injected by kind=language" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("phantom:langage", "Did you mean language"),
        ("phantom:nowhere", "no world of the phantom called 'nowhere'"),
        ("phantom:language(seeds=0)", "at least one seed"),
        ("phantom:language(first=-1)", "at least one seed"),
        ("phantom:language(sedes=2)", "Did you mean seeds"),
        ("phantom(world=culture)", "no parameter of phantom"),
    ],
)
def test_unknown_world_or_parameter_is_told(text, match):
    with pytest.raises(UsageError, match=match):
        registry.make("benchmark", text)


def test_worlds_have_text_forms_that_read_back():
    for text in (
        "phantom",
        "phantom:language",
        "phantom:culture(seeds=2)",
        "phantom(seeds=3,first=5)",
    ):
        made = registry.make("benchmark", text)
        assert str(made) == text and registry.make("benchmark", str(made)) == made
    assert str(registry.make("benchmark", "phantom:people")) == "phantom"
