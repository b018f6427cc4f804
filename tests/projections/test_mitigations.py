"""Mitigations by their text, alone and one after the other, in audits and searches; never fitted on
what is measured.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fairlead.commands import audit as audits
from fairlead.commands import search as searches
from fairlead.engine import projections as projecting
from fairlead.engine.mitigations import Mitigation, mitigation_of, parts
from fairlead.engine.study import encode_items, encode_queries, searched
from fairlead.engine.treatments import completed
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.results.audit import Audit
from fairlead.statistics import targets
from fairlead.store.projection_file import numbers_of
from fairlead.types.evidence import Evidence, Labelled

MODEL, BENCHMARK = "phantom_ideal(dose=0.8)", "phantom(seeds=2)"
METRICS = ("AbsBias@20", "NDKL@20", "nDCG@20")
ALL = sorted(registry.entries("projection"))


# By their text


@pytest.mark.parametrize(
    ("text", "projection", "reranker"),
    [
        ("pbm", None, "pbm"),
        ("leace", "leace", None),
        ("mi_clip(share=0.5)+pbm(theta=0.5)", "mi_clip(share=0.5)", "pbm(theta=0.5)"),
        (" bend + detgreedy ", "bend", "detgreedy"),
        ("fitted:gender.npz+levelled", "fitted:gender.npz", "levelled"),
        ('fitted:"a+b (1).npz"+pbm', 'fitted:"a+b (1).npz"', "pbm"),
        ('orthogonal(prompts="a+b|c(d")+pbm', 'orthogonal(prompts="a+b|c(d")', "pbm"),
    ],
)
def test_text_names_a_projection_and_a_reranker(
    text: str, projection: str | None, reranker: str | None
) -> None:
    found = mitigation_of(text)
    assert (None if found.projection is None else str(found.projection)) == projection
    assert (None if found.reranker is None else str(found.reranker)) == reranker
    assert mitigation_of(str(found)) == found
    assert mitigation_of(found) is found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pbm+leace", "behind a reranker.*leace\\+pbm"),
        ("leace+inlp", "two projections"),
        ("pbm+pbm", "two rerankers"),
        ("leac", "no reranker or projection called 'leac'.*leace"),
        ("leace+pmb", "pbm"),
        ("leace+", "not of the form"),
        ("mi_clip(dmis=3)", "no parameter of mi_clip called 'dmis'.*dims"),
    ],
)
def test_text_that_names_none_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        mitigation_of(text)


def test_objects_are_passed_through() -> None:
    pbm, leace = registry.make("reranker", "pbm"), registry.make("projection", "leace")
    assert mitigation_of(pbm) == Mitigation(reranker=pbm)
    assert mitigation_of(leace) == Mitigation(leace)
    assert parts("a(b+c)+d") == ["a(b+c)", "d"]


# In audits


@pytest.fixture(scope="module")
def audit() -> Audit:
    texts = ("pbm", *ALL, *(f"{name}+pbm" for name in ALL))
    return audits.audit(
        MODEL,
        BENCHMARK,
        attribute="gender",
        metric=METRICS,
        mitigate=texts,
        mitigate_groups="noisy(accuracy=0.9)",
    )


def mean(audit: Audit, variant: str, metric: str) -> float:
    return next(
        row.mean for row in audit.result.rows if (row.variant, row.metric) == (variant, metric)
    )


@pytest.mark.parametrize("name", ALL)
def test_audit_projection_then_reranker_is_the_reranker_on_what_the_projection_ranks(
    audit: Audit, name: str
) -> None:
    study = registry.make("benchmark", BENCHMARK).study()
    encoder, annotator = (
        registry.make("encoder", MODEL),
        registry.make("annotator", "noisy(accuracy=0.9)"),
    )
    index = registry.make("index", "exact")
    index.add(encode_items(study, encoder))
    fit = projecting.for_source(
        registry.make("projection", name),
        encoder,
        study.name,
        attribute="gender",
        names=study.collection.groups["gender"].names,
        ids=study.collection.ids,
        annotator=annotator,
    )
    queries = fit(encode_queries(study, encoder), encoder, study.queries.texts or ())
    anew = searched(study, queries, index)
    np.testing.assert_array_equal(anew.rows, audit.rankings[name].rows)
    groups = annotator(study.collection, "gender")
    seen = Evidence(anew, study.queries.ids, {"gender": Labelled(groups, targets.uniform(groups))})
    expected = completed(anew, registry.make("reranker", "pbm")(seen, study.k, 0))
    np.testing.assert_array_equal(expected.rows, audit.rankings[f"{name}+pbm"].rows)


def test_audit_projections_that_see_pictures_lower_the_bias_of_the_phantom(
    audit: Audit,
) -> None:
    plain = mean(audit, "plain", "NDKL@20")
    for name in ("bend", "leace", "inlp"):
        assert mean(audit, name, "NDKL@20") < plain
        assert mean(audit, f"{name}+pbm", "NDKL@20") < plain
    for name in ("leace", "inlp"):
        assert mean(audit, name, "nDCG@20") > mean(audit, "plain", "nDCG@20") - 0.05


def test_audit_card_says_what_it_was_fitted_on(audit: Audit) -> None:
    cards = audit.result.manifest["projections"]
    assert sorted(cards) == ALL
    assert (
        cards["leace"]["source"] == "phantom(seeds=4,first=2)"
        and cards["leace"]["labels"] == "noisy"
    )
    assert cards["orthogonal"]["samples"] == {}


@pytest.mark.parametrize(
    "benchmark", ["phantom(seeds=2)", "phantom:skewed", "phantom(seeds=20,first=7)"]
)
def test_reference_shares_no_item_with_what_is_measured(benchmark: str) -> None:
    study, encoder = registry.make("benchmark", benchmark).study(), registry.make("encoder", MODEL)
    names = study.collection.groups["gender"].names
    fit = projecting.for_source(
        registry.make("projection", "leace"),
        encoder,
        study.name,
        attribute="gender",
        names=names,
        ids=study.collection.ids,
    )
    assert len(fit.seen) > 500
    assert not np.isin(numbers_of(study.collection.ids), fit.seen).any()
    looks = {
        name.partition("/")[0] + name.rpartition("/")[2] for name in study.collection.ids
    }  # an occupation's seed is its look
    beside = registry.make("benchmark", fit.about["source"]).study().collection.ids
    assert not looks & {name.partition("/")[0] + name.rpartition("/")[2] for name in beside}


def test_audit_with_a_file_fitted_on_what_is_measured_warns(tmp_path: Path) -> None:
    fitted = projecting.train_projection(
        "leace", model=MODEL, collection=BENCHMARK, attribute="gender"
    )
    fitted.write(tmp_path / "own.npz")
    found = audits.audit(
        MODEL,
        BENCHMARK,
        attribute="gender",
        metric=("AbsBias@20",),
        mitigate=f"fitted:{tmp_path / 'own.npz'}",
    )
    assert any(
        "100 % of the items that are measured" in note for note in found.result.manifest["warnings"]
    )
    with pytest.raises(DataError, match="was fitted on vectors of"):
        audits.audit(
            "phantom_ideal(dose=0.1)",
            BENCHMARK,
            attribute="gender",
            mitigate=f"fitted:{tmp_path / 'own.npz'}",
        )


def test_audit_without_reference_material_asks_for_a_file() -> None:
    model = "phantom(dose=1,kind=language)"
    with pytest.raises(
        UsageError,
        match=r"none beside 'phantom:language'.*fairlead train projection .* --groups LABELS ",
    ):
        audits.audit(model, "phantom:language", mitigate="leace")


# In searches


SEARCH = {"model": MODEL, "collection": BENCHMARK, "k": 6, "metric": ("AbsBias@6",), "seed": 1}


def shown(found: searches.SearchResult, variant: str, query: int = 0) -> list[str]:
    return next([i.id for i in v.items] for v in found.results[query].variants if v.name == variant)


def test_search_projection_and_composition_rank_the_stored_index_anew() -> None:
    texts = ("a photo of a nurse", "a photo of a pilot")
    found = searches.search(
        *texts, mitigate=("pbm", "leace", "leace+pbm"), attribute="gender", trigger=False, **SEARCH
    )
    assert [v.name for v in found.results[0].variants] == ["plain", "pbm", "leace", "leace+pbm"]
    encoder, study = registry.make("encoder", MODEL), registry.make("benchmark", BENCHMARK).study()
    own = {"attribute": "gender", "names": ("female", "male"), "ids": study.collection.ids}
    leace = registry.make("projection", "leace")
    fit = projecting.for_source(leace, encoder, BENCHMARK, **own)
    vectors = encoder.images(study.collection.images, "item").vectors.astype(float)
    for number, text in enumerate(texts):
        query = fit(encoder.texts((text,), "query"), encoder, (text,)).vectors[0].astype(float)
        best = np.argsort(-(vectors @ query), kind="stable")[:6]
        assert shown(found, "leace", number) == [study.collection.ids[row] for row in best]
    genders = [name.split("/")[1] for name in shown(found, "leace+pbm")]
    assert genders.count("female") == 3
    assert shown(found, "leace") != shown(found, "plain")


def test_search_query_that_asks_for_a_group_is_left_alone_by_projections_too() -> None:
    found = searches.search(
        "a photo of a female pilot", mitigate=("leace", "bend+pbm"), attribute="gender", **SEARCH
    )
    assert found.results[0].trigger.decision == "leave"
    assert shown(found, "leace") == shown(found, "bend+pbm") == shown(found, "plain")
    assert all(v.left for v in found.results[0].variants[1:])


def test_search_collection_without_labels_may_be_mitigated_by_texts_and_files_only(
    tmp_path: Path,
) -> None:
    from fairlead.engine.galleries import embed

    folder = tmp_path / "photos"
    folder.mkdir()
    from PIL import Image

    for shade in range(4):
        Image.new("RGB", (8, 8), (60 * shade, 10, 10)).save(folder / f"{shade}.png")
    embed(folder, "phantom(dose=1)", tmp_path / "vectors")
    choices = {"model": "phantom(dose=1)", "collection": str(tmp_path / "vectors"), "k": 2}
    found = searches.search(
        "a photo of a nurse", mitigate="orthogonal", attribute="gender", **choices
    )
    assert [v.name for v in found.results[0].variants] == ["plain", "orthogonal"]
    projecting.train_projection("calibrated", model="phantom(dose=1)", attribute="gender").write(
        tmp_path / "texts.npz"
    )
    found = searches.search(
        "a photo of a nurse", mitigate=f"fitted:{tmp_path / 'texts.npz'}", **choices
    )
    assert len(found.results[0].variants) == 2
    for mitigate, words in (
        ("leace", "none beside"),
        ("orthogonal+pbm", "No item of the collection is labelled"),
    ):
        with pytest.raises((UsageError, DataError), match=words):
            searches.search("a photo of a nurse", mitigate=mitigate, attribute="gender", **choices)
    with pytest.raises(DataError, match=r"No item of the collection is labelled.*--groups FILE"):
        projecting.train_projection(
            "leace", model="phantom(dose=1)", collection=tmp_path / "vectors", attribute="gender"
        )
    with pytest.raises(UsageError, match="Nobody says what orthogonal is to mitigate"):
        searches.search("a photo of a nurse", mitigate="orthogonal", **choices)


@pytest.mark.parametrize(
    "benchmark", ["phantom:skewed", "phantom:people(seeds=1)", "phantom:skewed(majority=0.7)"]
)
def test_projection_is_fitted_on_any_benchmark_that_can_be_named(benchmark: str) -> None:
    found = projecting.train_projection(
        "leace", model=MODEL, collection=benchmark, attribute="gender"
    )
    items = registry.make("benchmark", benchmark).study().collection
    assert sum(found.about["samples"].values()) == len(items) and found.about["source"] == benchmark
