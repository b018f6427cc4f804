"""``open_clip:``: tiny models saved and loaded by their spec give what the library gives; weights
alone warn; what goes wrong is told.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fairlead.encoders.torchvision_repair import repair_torchvision

os.environ["HF_HUB_OFFLINE"] = "1"  # before the hub's library is imported
torch = pytest.importorskip("torch")
repair_torchvision()
open_clip = pytest.importorskip("open_clip")

from fairlead.encoders import torchvision_repair
from fairlead.encoders.pixels import PixelRecipe, agrees
from fairlead.errors import BackendError, DataError, FairleadError, MissingExtra, UsageError
from fairlead.protocols import (
    Preparing,
    registry,
)
from fairlead.testing.tiny_models import tiny_open_clip

TEXTS = ["a photo of a nurse", "dogs", "una foto de una persona", ""]
CLOSE = 1e-5


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as open_clip saves it; its architecture is known to open_clip as ``tiny``."""
    folder = tiny_open_clip(tmp_path_factory.mktemp("open_clip") / "model")
    config = json.loads((folder / "open_clip_config.json").read_text())["model_cfg"]
    named = folder.parent / "tiny.json"
    named.write_text(json.dumps(config))
    open_clip.add_model_config(named)
    return folder


@pytest.fixture
def copy(tiny: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny, tmp_path / "copy"))


def pictures(*sizes: tuple[int, int]) -> list[Image.Image]:
    rng = np.random.default_rng(0)
    return [Image.fromarray(rng.integers(0, 256, (*size, 3), np.uint8)) for size in sizes]


PICTURES = pictures((40, 53), (64, 33), (90, 90), (1, 1))


def encoder(path: Any, choices: str = "") -> Any:
    return registry.make("encoder", f'open_clip:"{path}"{choices}')


def official(
    name: str, pretrained: str | None = None, **choices: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of TEXTS and PICTURES by the library's own forward pass over both."""
    model, _, transform = open_clip.create_model_and_transforms(
        name, pretrained=pretrained, **choices
    )
    with torch.inference_mode():
        images, texts, *_ = model.eval()(
            torch.stack([transform(p) for p in PICTURES]), open_clip.get_tokenizer(name)(TEXTS)
        )
    return texts.numpy(), images.numpy()


def same(made: Any, expected: tuple[np.ndarray, np.ndarray]) -> None:
    np.testing.assert_allclose(made.texts(TEXTS, "query").vectors, expected[0], atol=CLOSE)
    np.testing.assert_allclose(made.images(PICTURES, "item").vectors, expected[1], atol=CLOSE)


@pytest.mark.parametrize("form", ["{}", "local-dir:{}"])
def test_open_clip_folder_loaded_by_spec_equals_the_library(form: str, tiny: Path) -> None:
    made = encoder(form.format(tiny), "(batch=3)")
    same(made, official(f"local-dir:{tiny}"))
    assert made._loaded.recipe is not None
    assert made.about()["warnings"] == []


@pytest.mark.parametrize("suffix", [".safetensors", ".pt"])
def test_open_clip_weights_alone_equal_the_library_and_warn(
    suffix: str, tiny: Path, tmp_path: Path
) -> None:
    file = tiny_open_clip(tmp_path, weights=f"mine{suffix}") / f"mine{suffix}"
    made = encoder(f"tiny/{file}")
    same(made, official("tiny", str(file)))
    (warning,) = made.about()["warnings"]
    assert "does not say how pictures are prepared" in warning


def test_open_clip_weights_alone_of_siglip_name_the_published_preprocessing(tmp_path: Path) -> None:
    file = tmp_path / "weights.pt"
    torch.save({}, file)
    from fairlead.encoders.open_clip import _source

    (warning,) = _source(f"ViT-B-16-SigLIP2/{file}", "").warnings
    assert "webli" in warning and "like=TAG" in warning
    source = _source(f"ViT-B-16-SigLIP2/{file}", "webli")
    assert source.warnings == ()
    assert source.config["preprocess"] == {
        "mean": [0.5, 0.5, 0.5],
        "std": [0.5, 0.5, 0.5],
        "interpolation": "bicubic",
        "resize_mode": "squash",
    }
    assert _source(f"ViT-B-32/{file}", "openai").config["quick"], (
        "OpenAI's own activation comes with its tag"
    )


def test_open_clip_config_without_preprocessing_warns(copy: Path) -> None:
    config = json.loads((copy / "open_clip_config.json").read_text())
    del config["preprocess_cfg"]
    (copy / "open_clip_config.json").write_text(json.dumps(config))
    (warning,) = encoder(copy).about()["warnings"]
    assert "does not say how pictures are prepared (mean, std)" in warning


def test_open_clip_batch_equals_one_by_one_at_unit_length(tiny: Path) -> None:
    made = encoder(tiny)
    for together, alone in (
        (made.texts(TEXTS, "query"), [made.texts([text], "query") for text in TEXTS]),
        (made.images(PICTURES, "item"), [made.images([image], "item") for image in PICTURES]),
        (
            made.images(PICTURES, "item"),
            [made.prepared([made.prepare(image)], "item") for image in PICTURES],
        ),
    ):
        np.testing.assert_allclose(
            together.vectors, np.concatenate([one.vectors for one in alone]), atol=CLOSE
        )
        np.testing.assert_allclose(np.linalg.norm(together.vectors, axis=1), 1, atol=CLOSE)
    assert isinstance(made, Preparing)
    for empty in (made.texts([], "query"), made.images([], "item"), made.prepared([], "item")):
        assert empty.vectors.shape == (0, 12)


@pytest.mark.parametrize("mode", ["L", "LA", "RGBA", "CMYK", "P", "1", "YCbCr"])
def test_open_clip_picture_of_another_mode_is_made_colour_first(mode: str, tiny: Path) -> None:
    image = PICTURES[0].convert(mode)
    np.testing.assert_array_equal(
        encoder(tiny).images([image], "item").vectors,
        encoder(tiny).images([image.convert("RGB")], "item").vectors,
    )


@pytest.mark.parametrize("mode", ["shortest", "longest", "squash"])
@pytest.mark.parametrize("filtering", ["bicubic", "bilinear"])
def test_open_clip_every_resize_mode_equals_the_library(
    mode: str, filtering: str, copy: Path
) -> None:
    config = json.loads((copy / "open_clip_config.json").read_text())
    config["preprocess_cfg"] |= {"resize_mode": mode, "interpolation": filtering}
    (copy / "open_clip_config.json").write_text(json.dumps(config))
    made = encoder(copy)
    same(made, official(f"local-dir:{copy}"))
    assert (made._loaded.recipe is None) == (mode == "longest")


def test_open_clip_recipe_that_differs_in_a_pixel_is_not_used(tiny: Path) -> None:
    loaded = encoder(tiny)._loaded
    right = loaded.recipe

    def library(image: Any) -> Any:
        return loaded.picture(image)["pixel_values"]

    assert agrees(right, library)
    for wrong in ({"rounds": False}, {"resample": 3}, {"mean": (0.5, 0.5, 0.501)}, {"size": 33}):
        assert not agrees(PixelRecipe(**{**vars(right), **wrong}), library)


def test_open_clip_tower_of_timm_works_beside_the_repair(tmp_path: Path) -> None:
    tower = {
        "timm_model_name": "test_vit",
        "timm_model_pretrained": False,
        "timm_pool": "",
        "timm_proj": "linear",
        "image_size": 160,
    }
    text = {"context_length": 20, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 1}
    config = {"embed_dim": 12, "custom_text": True, "vision_cfg": tower, "text_cfg": text}
    saved(
        tmp_path,
        config,
        lambda: open_clip.model.CustomTextCLIP(embed_dim=12, vision_cfg=tower, text_cfg=text),
    )
    same(encoder(tmp_path), official(f"local-dir:{tmp_path}"))


def test_open_clip_text_tower_of_transformers_reads_its_own_tokenizer(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from fairlead.encoders.quiet import quiet
    from fairlead.testing.tiny_models import _TOWER, _xlmr_tokenizer

    with quiet():
        tokens = _xlmr_tokenizer(transformers)
        tokens.save_pretrained(tmp_path)
        transformers.XLMRobertaConfig(
            **_TOWER, vocab_size=len(tokens), max_position_embeddings=24
        ).save_pretrained(tmp_path)
    text = {
        "hf_model_name": str(tmp_path),
        "hf_tokenizer_name": str(tmp_path),
        "hf_pooler_type": "mean_pooler",
        "context_length": 20,
    }
    vision = {"image_size": 32, "layers": 1, "width": 64, "patch_size": 8}
    config = {"embed_dim": 12, "vision_cfg": vision, "text_cfg": text}
    with quiet():
        saved(
            tmp_path,
            config,
            lambda: open_clip.model.CustomTextCLIP(
                embed_dim=12, vision_cfg=vision, text_cfg={**text, "hf_model_pretrained": False}
            ),
        )
        same(encoder(tmp_path), official(f"local-dir:{tmp_path}"))
        made = encoder(tmp_path)
        made.texts(["nurse " * 40], "query")
    assert "longer than the model reads (20 tokens)" in made.about()["warnings"][0]


def saved(folder: Path, config: dict[str, Any], model: Callable[[], Any]) -> None:
    from safetensors.torch import save_file

    preprocess = {
        "size": 160,
        "mean": [0.5] * 3,
        "std": [0.5] * 3,
        "interpolation": "bicubic",
        "resize_mode": "squash",
    }
    (folder / "open_clip_config.json").write_text(
        json.dumps({"model_cfg": config, "preprocess_cfg": preprocess})
    )
    torch.manual_seed(0)
    save_file(
        {name: value.clone() for name, value in model().state_dict().items()},
        folder / "open_clip_model.safetensors",
    )


def test_open_clip_fingerprint_is_of_weights_config_and_what_moves_vectors(
    copy: Path, tmp_path: Path
) -> None:
    first = encoder(copy).fingerprint
    assert (
        encoder(
            Path(shutil.copytree(copy, tmp_path / "elsewhere")), "(batch=2,device=cpu)"
        ).fingerprint
        == first
    )
    seen = {first, encoder(copy, "(precision=bf16)").fingerprint}
    before = encoder(copy).texts(TEXTS, "query").vectors
    tiny_open_clip(copy, seed=1)
    seen.add(encoder(copy).fingerprint)
    assert np.abs(encoder(copy).texts(TEXTS, "query").vectors - before).max() > CLOSE, (
        "and the new weights are the ones in use"
    )
    config = json.loads((copy / "open_clip_config.json").read_text())
    config["preprocess_cfg"]["mean"] = [0.1, 0.1, 0.1]
    (copy / "open_clip_config.json").write_text(json.dumps(config))
    seen.add(encoder(copy).fingerprint)
    file = copy / "open_clip_model.safetensors"
    seen.add(encoder(f"tiny/{file}").fingerprint)
    assert len(seen) == 5


def test_open_clip_folder_with_weights_of_two_kinds_knows_which_changed(copy: Path) -> None:
    other = copy / "model.safetensors"  # open_clip prefers the .bin, by its name
    shutil.move(copy / "open_clip_model.safetensors", other)
    tiny_open_clip(copy, seed=1, weights="open_clip_pytorch_model.bin")
    same(encoder(copy), official(f"local-dir:{copy}"))
    before = encoder(copy).fingerprint
    tiny_open_clip(copy, seed=2, weights="open_clip_pytorch_model.bin")
    assert encoder(copy).fingerprint != before


def test_open_clip_hub_id_is_read_from_the_hubs_cache(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    place = tmp_path / "models--tests-of-open-clip--tiny"
    shutil.copytree(tiny, place / "snapshots" / commit)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    made = encoder("hf-hub:tests-of-open-clip/tiny")
    same(made, official(f"local-dir:{tiny}"))
    assert made.about()["revision"] == commit


def test_open_clip_long_texts_are_cut_and_counted(copy: Path) -> None:
    made = encoder(copy)
    made.texts(["nurse " * 30, "nurse"], "query")
    assert made.about()["warnings"] == [
        "1 of 2 texts was longer than the model reads (20 tokens) and was cut."
    ]


def test_open_clip_about_and_spec_say_what_the_manifest_needs(tiny: Path) -> None:
    made = encoder(tiny, "(device=cpu)")
    said = made.about()
    assert (said["family"], said["preprocessing"], said["dimensions"], said["longest_text"]) == (
        "CLIP",
        "pil",
        12,
        20,
    )
    assert said["libraries"]["open_clip_torch"] == open_clip.__version__
    json.dumps(said)
    assert registry.make("encoder", str(made)) == made
    assert pickle.loads(pickle.dumps(made)) == made


def broken(folder: Path, how: str) -> None:
    weights, config = folder / "open_clip_model.safetensors", folder / "open_clip_config.json"
    if how == "weights cut short":
        weights.write_bytes(weights.read_bytes()[:5000])
    elif how == "weights of another size":
        config.write_text(config.read_text().replace('"embed_dim": 12', '"embed_dim": 13'))
    elif how == "broken json":
        config.write_text("{")
    elif how == "json of something else":
        config.write_text('{"a": 1}')
    elif how == "pickled weights":
        weights.unlink()
        (folder / "open_clip_pytorch_model.bin").write_bytes(pickle.dumps({"a": print}))
    else:
        (weights if how == "no weights" else config).unlink()


@pytest.mark.parametrize(
    "how",
    [
        "weights cut short",
        "weights of another size",
        "broken json",
        "json of something else",
        "pickled weights",
        "no weights",
        "no config",
    ],
)
def test_open_clip_broken_folder_is_refused_by_name(how: str, copy: Path) -> None:
    broken(copy, how)
    with pytest.raises(DataError, match="copy"):
        encoder(copy).texts(["a"], "query")


def test_open_clip_pickled_file_of_weights_is_refused(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "evil.pt").write_bytes(pickle.dumps({"a": print}))
    (tmp_path / "weights.npz").write_bytes(b"")
    for name in ("evil.pt", "weights.npz"):
        with pytest.raises(DataError, match=name):
            encoder(f"tiny/{tmp_path / name}").texts(["a"], "query")


@pytest.mark.parametrize(
    ("path", "kind", "says"),
    [
        ("/no/such/folder", DataError, "There is no folder '/no/such/folder'"),
        ("local-dir:/no/such/folder", DataError, "There is no folder"),
        ("ViT-B-32//no/such/file.pt", DataError, "There is no file '/no/such/file.pt'"),
        ("ViT-B-32/mine.safetensors", DataError, "There is no file 'mine.safetensors'"),
        (
            "ViT-B-33/openai",
            UsageError,
            "no architecture of open_clip called 'ViT-B-33'. Did you mean ViT-B-32",
        ),
        ("ViT-B-32/openay", UsageError, "no tag of ViT-B-32 called 'openay'. Did you mean openai"),
        ("ViT-B-32", UsageError, "names no weights"),
        ("ViT-B-32/laion2b_s34b_b79k", BackendError, "cannot be fetched"),
        ("hf-hub:owner/name", BackendError, "cannot be had from the hub"),
    ],
)
def test_open_clip_missing_model_is_told(path: str, kind: type[FairleadError], says: str) -> None:
    with pytest.raises(kind, match=says):
        encoder(path).texts(["a"], "query")


def test_open_clip_like_belongs_to_a_file(tiny: Path) -> None:
    for path in (tiny, "ViT-B-32/openai"):
        with pytest.raises(UsageError, match="takes no like=openai"):
            encoder(path, "(like=openai)").texts(["a"], "query")
    with pytest.raises(UsageError, match="no tag of tiny called 'openai'"):
        encoder(f"tiny/{tiny / 'open_clip_model.safetensors'}", "(like=openai)").texts(
            ["a"], "query"
        )


def test_open_clip_without_its_extra_names_it(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(MissingExtra, match="needs the extra 'open-clip'"):
        encoder("ViT-B-32/openai").texts(["a"], "query")


def test_repair_makes_both_libraries_importable_in_a_fresh_process() -> None:
    code = (
        "from fairlead.encoders.torchvision_repair import repair_torchvision as repair; repair(); repair()\n"
        "import torchvision, open_clip\nfrom transformers import CLIPModel\nprint(torchvision.__version__)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.fixture
def no_torchvision(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.usefixtures("no_torchvision")
def test_repair_leaves_other_faults_and_working_ones_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('something else is broken')")
    with pytest.raises(RuntimeError, match="something else"):
        torchvision_repair.repair_torchvision()
    (package / "__init__.py").write_text("works = True")
    declared = len(torchvision_repair._declared)
    torchvision_repair.repair_torchvision()
    assert sys.modules["torchvision"].works
    assert len(torchvision_repair._declared) == declared


@pytest.mark.usefixtures("no_torchvision")
def test_repair_without_torchvision_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    sys.path_importer_cache.clear()
    torchvision_repair.repair_torchvision()
    assert "torchvision" not in sys.modules
