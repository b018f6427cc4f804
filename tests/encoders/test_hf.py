"""``hf:``: every family, saved tiny and loaded by its spec, gives what the library's own forward
pass gives; what goes wrong is told.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from fairlead.encoders.torchvision_repair import repair_torchvision

os.environ["HF_HUB_OFFLINE"] = "1"  # before the hub's library is imported
torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
repair_torchvision()

import transformers

from fairlead.commands import search as searches
from fairlead.encoders import hf
from fairlead.encoders.pixels import PixelRecipe
from fairlead.encoders.quiet import quiet
from fairlead.engine import galleries
from fairlead.errors import BackendError, DataError, FairleadError, MissingExtra, UsageError
from fairlead.protocols import (
    Preparing,
    registry,
)
from fairlead.testing.tiny_models import FAMILIES, SIDE, _pieces, tiny_hf

TEXTS = ["a photo of a nurse", "dogs play", "una foto de una persona que cocina en el parque"]
CLOSE = 1e-5
Tiny = Callable[[str], Path]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """``tiny(family)``: the folder of its tiny model, made once."""
    made: dict[str, Path] = {}

    def folder(family: str) -> Path:
        if family not in made:
            made[family] = tiny_hf(family, tmp_path_factory.mktemp("tiny") / "model")
        return made[family]

    return folder


@pytest.fixture
def copy(tiny: Tiny, tmp_path: Path) -> Path:
    """A CLIP of one's own, to break."""
    return Path(shutil.copytree(tiny("clip"), tmp_path / "copy"))


def pictures(*sizes: tuple[int, int], seed: int = 0) -> list[Image.Image]:
    rng = np.random.default_rng(seed)
    return [Image.fromarray(rng.integers(0, 256, (*size, 3), np.uint8)) for size in sizes]


PICTURES = pictures((40, 53), (64, 33), (90, 90))


def encoder(folder: Path, choices: str = "") -> Any:
    return registry.make("encoder", f'hf:"{folder}"{choices}')


def official(family: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of TEXTS and PICTURES by the library's own forward pass over pairs of them."""
    name = {
        "blip": "BlipForImageTextRetrieval",
        "blip-2": "Blip2ForImageTextRetrieval",
        "bridgetower": "BridgeTowerForContrastiveLearning",
    }
    with quiet():
        model = (
            getattr(transformers, name.get(family, "AutoModel"))
            .from_pretrained(folder, dtype=torch.float32)
            .eval()
        )
        processor = transformers.AutoProcessor.from_pretrained(folder)
        processor.image_processor = transformers.AutoImageProcessor.from_pretrained(
            folder, backend="pil"
        )
        full = {"siglip", "siglip2", "align"}
        shape = {"patch_size": 8, "max_num_patches": 16} if family == "siglip2" else {}
        padding = "max_length" if family in full else True
        longest = 24 if family == "blip-2" else 20  # its processor counts the tokens of the image
        inputs = processor(
            text=TEXTS,
            images=PICTURES,
            padding=padding,
            max_length=longest,
            truncation=True,
            return_tensors="pt",
            **shape,
        )
    with torch.inference_mode():
        if family == "blip":
            given = model(**inputs, use_itm_head=False)
            texts = model.text_proj(given.question_embeds[:, 0])
            images = model.vision_proj(given.last_hidden_state[:, 0])
            np.testing.assert_allclose(
                unit(images) @ unit(texts).T, given.itm_score.numpy(), atol=CLOSE
            )
        elif family == "flava":
            given = model(**inputs)
            texts, images = (
                model.text_projection(given.text_embeddings[:, 0]),
                model.image_projection(given.image_embeddings[:, 0]),
            )
        else:
            given = model(**inputs)
            texts, images = given.text_embeds, given.image_embeds
    return unit(texts), unit(images)


def unit(vectors: Any) -> np.ndarray:
    array = vectors.numpy().astype(np.float64)
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_hf_family_saved_and_loaded_by_spec_equals_the_library(family: str, tiny: Tiny) -> None:
    made = encoder(tiny(family), "(batch=2)")
    texts, images = official(family, tiny(family))
    np.testing.assert_allclose(
        made.texts(TEXTS, "query").vectors, texts.reshape(-1, texts.shape[-1]), atol=CLOSE
    )
    np.testing.assert_allclose(
        made.images(PICTURES, "item").vectors, images.reshape(-1, images.shape[-1]), atol=CLOSE
    )
    assert np.ptp(texts @ texts.T) > 1e-3, "the tiny model tells its texts apart"
    assert np.ptp(images.reshape(len(PICTURES), -1), 0).max() > 1e-2, "and its images"


@pytest.mark.parametrize("family", FAMILIES)
def test_hf_family_batch_equals_one_by_one_at_unit_length(family: str, tiny: Tiny) -> None:
    made = encoder(tiny(family))
    seen = [
        *PICTURES,
        *pictures((1, 1), (2, 200) if family != "bridgetower" else (20, 40), (33, 32), seed=1),
    ]
    read = [*TEXTS, "", "x" * 500, "护士"]
    for together, alone in (
        (made.texts(read, "query"), [made.texts([text], "query") for text in read]),
        (made.images(seen, "item"), [made.images([image], "item") for image in seen]),
        (
            made.images(seen, "item"),
            [made.prepared([made.prepare(image)], "item") for image in seen],
        ),
    ):
        np.testing.assert_allclose(
            together.vectors, np.concatenate([one.vectors for one in alone]), atol=CLOSE
        )
        np.testing.assert_allclose(np.linalg.norm(together.vectors, axis=1), 1, atol=CLOSE)
        assert together.vectors.dtype == np.float32
        assert len(together) == len(alone)


def test_hf_large_batch_goes_in_parts_and_keeps_its_order(tiny: Tiny) -> None:
    made = encoder(tiny("clip"), "(batch=1000)")
    ahead = [made.prepare(image) for image in PICTURES]
    rows = np.random.default_rng(0).integers(0, 3, 700)
    vectors = made.prepared([ahead[row] for row in rows], "item").vectors
    np.testing.assert_allclose(vectors, made.prepared(ahead, "item").vectors[rows], atol=CLOSE)
    assert ahead[0].nbytes == 3 * SIDE * SIDE


def test_hf_pictures_prepared_to_different_shapes_keep_their_order(
    tiny: Tiny, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny("align"), tmp_path / "shapes"))  # its tower takes any size
    said = json.loads((folder / "processor_config.json").read_text())
    said["image_processor"] |= {"size": {"shortest_edge": SIDE}, "do_center_crop": False}
    (folder / "processor_config.json").write_text(json.dumps(said))
    made, seen = encoder(folder), [*PICTURES, *PICTURES[::-1]]
    assert len({value.shape for image in PICTURES for value in made.prepare(image).values()}) == 3
    alone = np.concatenate([made.images([image], "item").vectors for image in seen])
    np.testing.assert_allclose(made.images(seen, "item").vectors, alone, atol=CLOSE)


@pytest.mark.parametrize("family", ["clip", "blip-2"])
def test_hf_nothing_to_embed_keeps_the_dimensions(family: str, tiny: Tiny) -> None:
    made = encoder(tiny(family))
    for empty in (made.texts([], "query"), made.images([], "item"), made.prepared([], "item")):
        assert empty.vectors.shape == (0, 12)
        assert len(empty) == 0
    assert isinstance(made, Preparing)


def test_hf_blip2_scores_by_the_greatest_of_an_images_vectors(tiny: Tiny) -> None:
    made = encoder(tiny("blip-2"))
    texts, images = made.texts(TEXTS, "query"), made.images(PICTURES, "item")
    np.testing.assert_array_equal(images.offsets, [0, 4, 8, 12])
    np.testing.assert_array_equal(texts.offsets, [0, 1, 2, 3])
    with quiet():
        model = transformers.Blip2ForImageTextRetrieval.from_pretrained(tiny("blip-2")).eval()
        processor = transformers.AutoProcessor.from_pretrained(tiny("blip-2"), backend="pil")
        inputs = processor(text=TEXTS, images=PICTURES, padding=True, return_tensors="pt")
    with torch.inference_mode():
        scores = model(**inputs).logits_per_image.numpy()
    np.testing.assert_allclose(
        (images.vectors @ texts.vectors.T).reshape(3, 4, 3).max(1), scores, atol=CLOSE
    )


@pytest.mark.parametrize("mode", ["L", "LA", "RGBA", "CMYK", "P", "1", "YCbCr", "HSV", "I;16"])
def test_hf_picture_of_another_mode_is_seen_in_colour(mode: str, tiny: Tiny) -> None:
    made = encoder(tiny("clip"))
    image = (
        PICTURES[0].convert("L").convert("I").convert(mode)
        if mode == "I;16"
        else PICTURES[0].convert(mode)
    )
    seen = made.images([image, np.asarray(PICTURES[0])], "item").vectors
    np.testing.assert_allclose(np.linalg.norm(seen, axis=1), 1, atol=CLOSE)
    np.testing.assert_allclose(seen[1], made.images(PICTURES[:1], "item").vectors[0], atol=CLOSE)


@pytest.mark.parametrize("thing", ["photo.jpg", None, 3.5, np.zeros((2, 2, 7))])
def test_hf_what_is_no_picture_is_refused(thing: Any, tiny: Tiny) -> None:
    with pytest.raises(DataError, match="picture"):
        encoder(tiny("clip")).images([thing], "item")


def test_hf_picture_the_library_cannot_prepare_is_told(tiny: Tiny) -> None:
    with pytest.raises(DataError, match="cannot prepare a picture of 200 x 2 pixels"):
        encoder(tiny("bridgetower")).images(pictures((2, 200)), "item")
    with pytest.raises(DataError, match="cannot prepare a picture of 0 x 5 pixels"):
        encoder(tiny("clip")).images([Image.new("RGB", (0, 5))], "item")


PLAIN = (
    "clip",
    "siglip",
    "blip",
    "blip-2",
    "flava",
    "chinese_clip",
    "altclip",
    "metaclip_2",
    "vision-text-dual-encoder",
)


@pytest.mark.parametrize("family", FAMILIES)
def test_hf_plain_preprocessing_is_done_without_the_library(family: str, tiny: Tiny) -> None:
    loaded = encoder(tiny(family))._loaded
    assert (loaded.recipe is not None) == (family in PLAIN)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(1, 90),
    st.integers(1, 90),
    st.sampled_from(
        [
            {"shortest_edge": 31},
            {"shortest_edge": 48},
            {"height": 32, "width": 32},
            {"height": 30, "width": 41},
        ]
    ),
    st.sampled_from([None, (32, 32), (31, 20), (60, 60)]),
    st.sampled_from([1, 2, 3]),
)
def test_pixels_recipe_any_size_equals_the_librarys_processor(
    height: int, width: int, size: dict[str, int], crop: tuple[int, int] | None, resample: int
) -> None:
    crops = {} if crop is None else {"crop_size": {"height": crop[0], "width": crop[1]}}
    processor = transformers.CLIPImageProcessorPil(
        size=size, do_center_crop=crop is not None, resample=resample, **crops
    )
    recipe = hf._recipe(processor)
    assert isinstance(recipe, PixelRecipe)
    image = pictures((height, width), seed=height * 100 + width)[0]
    ours = recipe.numbers(torch.from_numpy(recipe.pixels(image)[None].copy()))[0].numpy()
    np.testing.assert_allclose(
        ours, processor(images=[image], return_tensors="np")["pixel_values"][0], atol=CLOSE
    )


def test_pixels_thread_of_a_picture_is_cropped_without_being_made_whole(tiny: Tiny) -> None:
    made = encoder(tiny("clip"))
    thread = pictures((1, 70_000))[0]  # at 32 pixels high it would be 72 million
    assert made.prepare(thread)["pixels"].shape == (SIDE, SIDE, 3)
    recipe = made._loaded.recipe
    image = pictures((100, 1200))[0]
    whole, part = (
        recipe.pixels(image),
        np.asarray(recipe._resized(image, 384, 32, (176, 0, 208, 32))),
    )
    assert np.abs(whole.astype(int) - part).max() <= 1


def test_hf_many_threads_at_first_use_load_once(copy: Path) -> None:
    made = encoder(copy)
    hf._loaded.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        prepared = list(pool.map(made.prepare, PICTURES * 8))
    assert hf._loaded.cache_info().misses == 1
    np.testing.assert_allclose(
        made.prepared(prepared[:3], "item").vectors,
        made.images(PICTURES, "item").vectors,
        atol=CLOSE,
    )


def test_hf_many_threads_read_texts_at_once(tiny: Tiny) -> None:
    made = encoder(tiny("clip"))
    read = [[f"a photo of {i}", "nurse " * (i % 40)] for i in range(100)]
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda texts: made.texts(texts, "query").vectors, read))
    np.testing.assert_allclose(
        np.concatenate(given),
        made.texts([t for texts in read for t in texts], "query").vectors,
        atol=CLOSE,
    )


def test_hf_spec_reads_back_and_survives_pickling(tiny: Tiny) -> None:
    made = encoder(tiny("clip"), "(device=cpu,precision=fp32,batch=8)")
    assert registry.make("encoder", str(made)) == made
    made.texts(["a"], "query")
    assert len(pickle.dumps(made)) < 1000, "the model stays where it is"
    assert pickle.loads(pickle.dumps(made)) == made


def test_hf_about_says_what_the_manifest_needs(tiny: Tiny) -> None:
    said = encoder(tiny("siglip2")).about()
    assert said["model"] == str(tiny("siglip2"))
    assert (said["family"], said["preprocessing"], said["dimensions"], said["precision"]) == (
        "siglip2",
        "pil",
        16,
        "fp32",
    )
    assert said["libraries"]["transformers"] == transformers.__version__
    assert said["fingerprint"] == encoder(tiny("siglip2")).fingerprint
    assert said["warnings"] == []
    json.dumps(said)


def test_hf_long_texts_are_cut_and_counted(copy: Path) -> None:
    made = encoder(copy)
    long = "nurse " * 60
    np.testing.assert_allclose(
        made.texts([long], "query").vectors,
        made.texts([long + "at work"], "query").vectors,
        atol=CLOSE,
    )
    made.texts(["short", "also short"], "query")
    assert made.about()["warnings"] == [
        "2 of 4 texts were longer than the model reads (20 tokens) and were cut."
    ]


def test_hf_long_texts_of_another_run_are_not_counted(copy: Path) -> None:
    first, second = encoder(copy), encoder(copy)
    first.texts(["nurse " * 60], "query")
    assert second.about()["warnings"] == [] == first.afresh().about()["warnings"]
    second.texts(["nurse " * 60], "query")
    assert second.about()["warnings"] == [
        "1 of 1 text was longer than the model reads (20 tokens) and was cut."
    ]


def test_hf_cut_texts_are_those_of_one_search_and_cut_captions_those_of_one_folder(
    copy: Path, tmp_path: Path
) -> None:
    table, made = tmp_path / "photos.csv", encoder(copy)
    table.write_text(f"item,caption\na,a nurse\nb,{'nurse ' * 60}\n")
    said = "1 of {} longer than the model reads (20 tokens) and was cut."
    for out in ("first", "second"):
        found = galleries.embed(table, made, tmp_path / out, side="texts")
        assert found.manifest["model"]["warnings"] == [said.format("2 texts was")]
    assert galleries.embed(table, made, tmp_path / "first", side="texts").manifest["model"][
        "warnings"
    ] == [said.format("2 texts was")]
    asks = searches.Searcher.of(searches.SearchPlan(model=made, collection=tmp_path / "first", k=1))
    for _ in range(2):
        told = asks.search(["nurse " * 60]).manifest["warnings"]
        assert said.format("1 text was") in told and not any("of 2 texts" in line for line in told)


def test_hf_fingerprint_is_of_the_files_and_of_what_moves_vectors(
    copy: Path, tmp_path: Path
) -> None:
    made = encoder(copy)
    first = made.fingerprint
    assert len(first) == 16
    moved = Path(shutil.copytree(copy, tmp_path / "elsewhere"))
    assert encoder(moved).fingerprint == encoder(copy, "(batch=3,device=cpu)").fingerprint == first
    assert (
        len(
            {
                first,
                encoder(copy, "(precision=bf16)").fingerprint,
                encoder(copy, "(backend=torchvision)").fingerprint,
            }
        )
        == 3
    )
    before = made.texts(TEXTS, "query").vectors
    change_a_weight(copy)
    changed = encoder(copy)
    assert changed.fingerprint != first
    assert np.abs(changed.texts(TEXTS, "query").vectors - before).max() > CLOSE, (
        "and the new weights are the ones in use"
    )
    (moved / "README.md").write_text("Nothing to do with vectors.")
    assert encoder(moved).fingerprint == first


def change_a_weight(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    tensors["text_projection.weight"] = tensors["text_projection.weight"] + torch.eye(12, 16)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def test_hf_weights_of_torch_are_read_and_known_by_their_content(copy: Path) -> None:
    from safetensors.torch import load_file

    expected = encoder(copy).texts(TEXTS, "query").vectors
    tensors = load_file(copy / "model.safetensors")
    torch.save(tensors, copy / "pytorch_model.bin")
    shutil.move(copy / "model.safetensors", copy / "adapter_of_something.safetensors")
    made = encoder(copy)
    np.testing.assert_allclose(made.texts(TEXTS, "query").vectors, expected, atol=CLOSE)
    before = made.fingerprint
    torch.save(
        {**tensors, "text_projection.weight": -tensors["text_projection.weight"]},
        copy / "pytorch_model.bin",
    )
    assert encoder(copy).fingerprint != before
    np.testing.assert_allclose(encoder(copy).texts(TEXTS, "query").vectors, -expected, atol=CLOSE)


@pytest.mark.parametrize("family", FAMILIES)
def test_hf_weights_without_preprocessing_config_warn(
    family: str, tiny: Tiny, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny(family), tmp_path / "bare"))
    (folder / "processor_config.json").unlink()
    made = encoder(folder)
    assert made.images(PICTURES[2:], "item").vectors.shape[1] in (12, 16)
    assert any("no preprocessing config" in warning for warning in made.about()["warnings"])


def test_hf_torchvision_backend_is_another_and_is_recorded(tiny: Tiny) -> None:
    made = encoder(tiny("clip"), "(backend=torchvision)")
    assert made.about()["preprocessing"] == "torchvision"
    close = made.images(PICTURES, "item").vectors
    assert np.abs(close - encoder(tiny("clip")).images(PICTURES, "item").vectors).max() < 0.05


def test_hf_half_precision_is_near(tiny: Tiny) -> None:
    made = encoder(tiny("clip"), "(precision=bf16)")
    near = made.images(PICTURES, "item").vectors
    np.testing.assert_allclose(
        near, encoder(tiny("clip")).images(PICTURES, "item").vectors, atol=0.05
    )
    assert made.about()["precision"] == "bf16"


def broken(folder: Path, how: str) -> None:
    if how == "weights cut short":
        whole = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    elif how == "weights of text":
        (folder / "model.safetensors").write_text("not weights at all")
    elif how == "weights of another size":
        (folder / "config.json").write_text(
            (folder / "config.json")
            .read_text()
            .replace('"projection_dim": 12', '"projection_dim": 13')
        )
    elif how == "broken json":
        (folder / "config.json").write_text("{")
    elif how == "unknown family":
        (folder / "config.json").write_text(json.dumps({"model_type": "no-such-thing"}))
    elif how == "broken preprocessing":
        (folder / "preprocessor_config.json").write_text("[")
        (folder / "processor_config.json").unlink()
    elif how == "pickled weights":
        (folder / "model.safetensors").unlink()
        (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": print}))
    else:
        (folder / how.removeprefix("no ")).unlink()


FAULTS = [
    "weights cut short",
    "weights of text",
    "weights of another size",
    "broken json",
    "unknown family",
    "broken preprocessing",
]


@pytest.mark.parametrize(
    "how",
    [*FAULTS, "pickled weights", "no config.json", "no model.safetensors", "no tokenizer.json"],
)
def test_hf_broken_folder_is_refused_by_name(how: str, copy: Path) -> None:
    broken(copy, how)
    with pytest.raises(DataError, match="copy"):
        encoder(copy).texts(["a"], "query")


def test_hf_weights_without_projections_are_refused_not_random(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    kept = {
        name: value
        for name, value in load_file(copy / "model.safetensors").items()
        if "projection" not in name
    }
    save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(DataError, match="lack 2 parts of CLIPModel"):
        encoder(copy).texts(["a"], "query")


def test_hf_model_of_text_alone_is_refused(tmp_path: Path, tiny: Tiny) -> None:
    with quiet():
        model = transformers.BertModel(
            transformers.BertConfig(
                hidden_size=8, num_hidden_layers=1, num_attention_heads=1, vocab_size=40
            )
        )
        model.save_pretrained(tmp_path)
    with pytest.raises(DataError, match="is a bert, which does not embed both"):
        encoder(tmp_path).texts(["a"], "query")


@pytest.mark.parametrize(
    ("path", "kind", "says"),
    [
        ("/no/such/folder", DataError, "There is no folder"),
        ("./nowhere", DataError, "There is no folder"),
        ("some-owner/some-model", BackendError, "is no folder here and cannot be had from the hub"),
    ],
)
def test_hf_missing_model_is_told(path: str, kind: type[FairleadError], says: str) -> None:
    with pytest.raises(kind, match=says):
        registry.make("encoder", f"hf:{path}").texts(["a"], "query")


def test_hf_file_for_a_folder_and_bad_choices_are_refused(copy: Path) -> None:
    with pytest.raises(DataError, match="is a file"):
        encoder(copy / "config.json").texts(["a"], "query")
    for choices, says in (
        ("(batch=0)", "batch"),
        ("(device=tpu9)", "device"),
        ("(revision=main)", "revision"),
        ("(device=cuda)", "no device"),
    ):
        if choices == "(device=cuda)" and torch.cuda.is_available():
            continue
        with pytest.raises(UsageError, match=says):
            encoder(copy, choices).texts(["a"], "query")


def test_hf_hub_id_is_read_from_the_hubs_cache(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    place = tmp_path / "models--tests-of-hf--tiny"
    shutil.copytree(tiny("clip"), place / "snapshots" / commit)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    made = registry.make("encoder", "hf:tests-of-hf/tiny")
    assert made.about()["revision"] == commit
    assert made.fingerprint == encoder(tiny("clip")).fingerprint
    np.testing.assert_array_equal(
        made.texts(TEXTS, "query").vectors, encoder(tiny("clip")).texts(TEXTS, "query").vectors
    )


def test_hf_vocabulary_of_sentencepiece_alone_reads_the_same(tiny: Tiny, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny("altclip"), tmp_path / "pieces"))
    (folder / "tokenizer.json").unlink()
    (folder / "sentencepiece.bpe.model").write_bytes(_pieces())
    np.testing.assert_allclose(
        encoder(folder).texts(TEXTS, "query").vectors,
        encoder(tiny("altclip")).texts(TEXTS, "query").vectors,
    )


def test_hf_without_its_extra_names_it(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(MissingExtra, match="needs the extra 'hf'"):
        encoder(copy).texts(["a"], "query")


def test_reduced_reading_decodes_less_moves_vectors_a_little_and_is_another_model_to_the_cache(
    tiny: Tiny, tmp_path: Path
) -> None:
    from fairlead.engine.pictures import open_image

    rng = np.random.default_rng(0)
    coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), np.uint8)).resize(
        (8 * SIDE, 6 * SIDE), Image.Resampling.BICUBIC
    )
    coarse.save(tmp_path / "a.jpg", quality=95)
    coarse.save(tmp_path / "a.png")
    whole, reduced = hf.HF(str(tiny("clip"))), hf.HF(str(tiny("clip")), decode="reduced")
    assert (
        whole.enough is None and reduced.enough == SIDE and whole.fingerprint != reduced.fingerprint
    )
    assert (
        open_image(tmp_path / "a.jpg", whole).size
        == coarse.size
        == open_image(tmp_path / "a.png", reduced).size
    )
    small = open_image(tmp_path / "a.jpg", reduced)
    assert SIDE <= min(small.size) < 6 * SIDE
    one, two = (
        e.images([open_image(tmp_path / "a.jpg", e)], "item").vectors[0] for e in (whole, reduced)
    )
    assert 0.99 < float(one @ two) <= 1.00001
