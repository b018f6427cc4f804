"""Late interaction: tiny models saved as their libraries save them, loaded by their spec, compared
with the library's own pass.
"""

from __future__ import annotations

import importlib.util
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fairlead.encoders.quiet import quiet
from fairlead.encoders.torchvision_repair import repair_torchvision
from fairlead.errors import DataError, MissingExtra, UsageError
from fairlead.protocols import Preparing, registry
from fairlead.types import Embeddings

_place = importlib.util.spec_from_file_location(
    "tiny_late", Path(__file__).with_name("tiny_late.py")
)
tiny = importlib.util.module_from_spec(_place)
_place.loader.exec_module(tiny)

# a tensor of the library made an array by the library
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
FAMILIES = [*tiny.MAKERS, *tiny.PORTS]
TEXTS = ["a nurse", "a doctor at work, seen from far away in the rain", "x", "a photo of a nurse"]
PICTURES = [
    Image.fromarray(
        np.random.default_rng(i).integers(0, 256, (30 + 15 * i, 60 - 9 * i, 3), np.uint8)
    )
    for i in range(4)
]


@pytest.fixture(scope="module", autouse=True)
def torch() -> Any:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    repair_torchvision()
    yield torch
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, torch: Any) -> Any:
    """``saved(name)``: the folder of a family's model, made once."""
    root, made = tmp_path_factory.mktemp("late"), {}

    def folder(name: str) -> Path:
        if name not in made:
            with quiet():
                made[name] = tiny.save(name, root / name)
        return made[name]

    return folder


def make(folder: Path, rest: str = "") -> Any:
    return registry.make("encoder", f'late:"{folder}"{rest}')


def items(embeddings: Embeddings) -> list[np.ndarray]:
    return [
        embeddings.vectors[a:b]
        for a, b in zip(embeddings.offsets[:-1], embeddings.offsets[1:], strict=True)
    ]


def reference(name: str, folder: Path, torch: Any) -> Any:
    """``own(method, item)``: what the library itself gives for one item, without its padding."""
    kind, processor = tiny.classes(name)
    with quiet():
        import transformers

        model = kind.from_pretrained(folder, dtype=torch.float32).eval()
        reader = processor.from_pretrained(folder)
        reader.image_processor = transformers.AutoImageProcessor.from_pretrained(
            folder, backend="pil"
        )

    def own(method: str, item: Any) -> np.ndarray:
        inputs = getattr(reader, method)([item])
        with torch.inference_mode():
            given = model(**inputs)
        return (given.embeddings if name in tiny.PORTS else given)[0][
            inputs["attention_mask"][0].bool()
        ].numpy()

    return own


@pytest.mark.parametrize("name", FAMILIES)
def test_late_family_by_its_spec_gives_the_vectors_of_the_library(
    name: str, saved: Any, torch: Any
) -> None:
    encoder, own = make(saved(name), "(batch=3)"), reference(name, saved(name), torch)
    roads = [
        (encoder.texts(TEXTS, "query"), "process_queries", TEXTS),
        (encoder.images(PICTURES, "item"), "process_images", PICTURES),
    ]
    if name not in tiny.PORTS:
        roads.append((encoder.texts(TEXTS, "item"), "process_texts", TEXTS))
    for embeddings, method, given in roads:
        assert len(embeddings) == len(given) and embeddings.vectors.dtype == np.float32
        for vectors, item in zip(items(embeddings), given, strict=True):
            expected = own(method, item)
            assert vectors.shape == expected.shape
            np.testing.assert_allclose(vectors, expected, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(roads[0][0].vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_late_batch_equals_one_by_one(name: str, saved: Any) -> None:
    encoder = make(saved(name))
    for method, role, given in (
        ("texts", "query", TEXTS),
        ("texts", "item", TEXTS),
        ("images", "item", PICTURES),
    ):
        together, alone = (
            getattr(encoder, method)(given, role),
            [getattr(encoder, method)([item], role) for item in given],
        )
        np.testing.assert_array_equal(
            np.diff(together.offsets), [len(one.vectors) for one in alone]
        )
        np.testing.assert_allclose(
            together.vectors, np.concatenate([one.vectors for one in alone]), atol=1e-5
        )


def test_late_scores_are_maxsim_of_the_library(saved: Any, torch: Any) -> None:
    encoder, processor = make(saved("ColQwen2")), tiny.classes("ColQwen2")[1]
    queries, images = items(encoder.texts(TEXTS, "query")), items(encoder.images(PICTURES, "item"))
    assert len({len(i) for i in images}) > 1, (
        "images of different sizes should have different numbers of vectors"
    )
    for query in queries:
        # one pair at a time: in a batch the library pads with zeros, which count where all else is
        # below 0
        for image in images:
            theirs = processor.score_multi_vector(
                [torch.from_numpy(query.copy())], [torch.from_numpy(image.copy())], device="cpu"
            )
            assert (query @ image.T).max(1).sum() == pytest.approx(theirs.item(), abs=1e-4)


def test_late_query_gets_more_vectors_than_the_same_text_as_an_item(saved: Any) -> None:
    encoder = make(saved("ColQwen2"))
    assert (
        len(encoder.texts(["x"], "query").vectors) == len(encoder.texts(["x"], "item").vectors) + 10
    )


def test_late_of_nothing_is_empty_and_of_any_picture_is_rgb(saved: Any) -> None:
    encoder = make(saved("ColPali"))
    for nothing in (encoder.texts([], "query"), encoder.images([], "item")):
        assert nothing.vectors.shape == (0, 128) and nothing.offsets.tolist() == [0]
    kinds = [PICTURES[0], PICTURES[0].convert("RGBA"), np.asarray(PICTURES[0])]
    given = items(encoder.images(kinds, "item"))
    np.testing.assert_allclose(given[1], given[0], atol=1e-6)
    np.testing.assert_allclose(given[2], given[0], atol=1e-6)
    assert isinstance(encoder, Preparing)
    with pytest.raises(DataError, match="reference, not a picture"):
        encoder.images(["a.jpg"], "item")


def test_late_adapter_is_laid_on_its_base(saved: Any, torch: Any, tmp_path: Path) -> None:
    import peft

    with quiet():
        base = tiny.classes("ColQwen2")[0].from_pretrained(saved("ColQwen2"), dtype=torch.float32)
        torch.manual_seed(1)
        model = peft.get_peft_model(
            base,
            peft.LoraConfig(
                r=2, target_modules=["q_proj", "custom_text_proj"], init_lora_weights=False
            ),
        ).eval()
        model.save_pretrained(tmp_path / "adapter")
        processor = tiny.classes("ColQwen2")[1].from_pretrained(saved("ColQwen2"))
    inputs = processor.process_queries(TEXTS[:1])
    with torch.inference_mode():
        expected = model(**inputs)[0].numpy()
    encoder = make(tmp_path / "adapter")
    np.testing.assert_allclose(encoder.texts(TEXTS[:1], "query").vectors, expected, atol=1e-5)
    assert not np.allclose(
        make(saved("ColQwen2")).texts(TEXTS[:1], "query").vectors, expected, atol=1e-3
    )
    assert encoder.fingerprint != make(saved("ColQwen2")).fingerprint
    config = tmp_path / "adapter" / "adapter_config.json"
    config.write_text(
        json.dumps(
            json.loads(config.read_text()) | {"base_model_name_or_path": "somebody/colqwen2-base"}
        )
    )
    with pytest.raises(
        DataError,
        match=r"adapter on somebody/colqwen2-base, which is not on this machine.*base=FOLDER",
    ):
        make(tmp_path / "adapter").texts(["a"], "query")
    moved = make(tmp_path / "adapter", f'(base="{saved("ColQwen2")}")')
    np.testing.assert_allclose(moved.texts(TEXTS[:1], "query").vectors, expected, atol=1e-5)


def test_late_about_and_fingerprint_say_what_vectors_depend_on(saved: Any, tmp_path: Path) -> None:
    encoder = make(saved("ColIdefics3"))
    about = encoder.about()
    assert (about["family"], about["dimensions"], about["preprocessing"]) == (
        "idefics3",
        128,
        "pil",
    )
    assert about["fingerprint"] == encoder.fingerprint and len(encoder.fingerprint) == 16
    assert {"colpali_engine", "transformers", "torch"} <= set(about["libraries"])
    other = make(saved("ColIdefics3"), "(backend=torchvision)")
    assert (
        other.fingerprint != encoder.fingerprint and other.about()["preprocessing"] == "torchvision"
    )
    assert make(saved("ColIdefics3"), "(batch=2,device=cpu)").fingerprint == encoder.fingerprint
    assert registry.make("encoder", str(other)) == other == pickle.loads(pickle.dumps(other))


def _copy(folder: Path, to: Path) -> Path:
    to.mkdir()
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


def test_late_of_what_it_cannot_load_says_why(saved: Any, torch: Any, tmp_path: Path) -> None:
    import safetensors.torch

    with pytest.raises(DataError, match="no folder"):
        make(tmp_path / "no where").texts(["a"], "query")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"is not a saved model"):
        make(tmp_path / "empty").texts(["a"], "query")
    with pytest.raises(UsageError, match="embeds nothing"):
        make(saved("ColPali"), "(batch=0)")
    folder = _copy(saved("ColQwen2"), tmp_path / "headless")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "custom_text_proj" not in name}
    safetensors.torch.save_file(kept, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(DataError, match=r"lack 2 parts of ColQwen2, such as custom_text_proj.bias"):
        make(folder).texts(["a"], "query")
    folder = _copy(saved("ColQwen2"), tmp_path / "other")
    (folder / "config.json").write_text(json.dumps({"model_type": "clip"}))
    with pytest.raises(
        DataError, match=r"is a clip, which is no family of late interaction.*qwen2_vl.*hf:"
    ):
        make(folder).texts(["a"], "query")
    folder = _copy(saved("ColQwen2"), tmp_path / "unread")
    (folder / "processor_config.json").unlink()
    with pytest.raises(DataError, match=r"holds no processor of ColQwen2"):
        make(folder).texts(["a"], "query")
    folder = _copy(saved("ColQwen2"), tmp_path / "cut")
    (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:500])
    with pytest.raises(DataError, match=r"weights of .* cannot be read as ColQwen2"):
        make(folder).texts(["a"], "query")


def test_late_picture_that_the_model_refuses_is_told(saved: Any) -> None:
    with pytest.raises(DataError, match=r"cannot read these items: .*aspect ratio"):
        make(saved("ColQwen2")).images([Image.new("RGB", (2000, 2))], "item")


def test_late_in_half_precision_gives_nearly_the_same_vectors(saved: Any) -> None:
    for name in ("ColQwen2", "ColPali", "ColIdefics3"):
        for method, given in (("texts", TEXTS), ("images", PICTURES)):
            whole = getattr(make(saved(name)), method)(given, "query").vectors
            half = getattr(make(saved(name), "(precision=bf16)"), method)(given, "query").vectors
            assert half.dtype == np.float32 and not np.array_equal(half, whole)
            assert np.median((half * whole).sum(1)) > 0.999
            np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1, atol=1e-6)


def test_late_without_its_extra_says_so(saved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(saved("ColPali"))
    monkeypatch.setitem(sys.modules, "colpali_engine", None)
    with pytest.raises(MissingExtra, match="needs the extra 'late'"):
        model.texts(["a"], "query")


def test_late_module_loads_nothing_heavy() -> None:
    import subprocess

    code = "import sys; from fairlead.protocols import registry; registry.make('encoder', 'late:somewhere'); print('torch' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "False"
    )
