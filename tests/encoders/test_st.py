"""Models of sentence-transformers: tiny ones, saved, loaded by their spec, compared with the
library's own pass.
"""

from __future__ import annotations

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
from fairlead.errors import BackendError, DataError, MissingExtra, UsageError
from fairlead.protocols import Preparing, registry

# a tensor of the library made an array by the library
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
TEXTS = ["a nurse", "a doctor at work, seen from far away", "x", ""]
PICTURES = [
    Image.fromarray(
        np.random.default_rng(i).integers(0, 256, (30 + 15 * i, 60 - 9 * i, 3), np.uint8)
    )
    for i in range(4)
]
OWN_CODE = '''
import numpy as np
import torch
from sentence_transformers.base.modules import InputModule


class Colours(InputModule):
    """Sums of bytes or of pixels, turned by a task."""

    forward_kwargs = {"task"}
    config_keys = []
    save_in_root = True
    modalities = ["text", "image"]

    def __init__(self):
        super().__init__()
        self.turn = torch.nn.Parameter(torch.arange(1.0, 5.0))

    def preprocess(self, inputs, prompt=None, **kwargs):
        rows = []
        for given in inputs:
            if isinstance(given, str):
                codes = list(((prompt or "") + given).encode())
                rows.append([float(sum(codes[i::4])) + 1 for i in range(4)])
            else:
                rows.append([*np.asarray(given, float).mean((0, 1)), 50.0])
        return {"rows": torch.tensor(rows)}

    def forward(self, features, task="plain"):
        turned = {"plain": features["rows"], "retrieval": features["rows"] * self.turn}[task]
        return {**features, "sentence_embedding": turned}

    def get_embedding_dimension(self):
        return 4

    @property
    def max_seq_length(self):
        return 100

    @property
    def tokenizer(self):
        return None

    def save(self, output_path, *args, **kwargs):
        pass

    @classmethod
    def load(cls, model_name_or_path, **kwargs):
        return cls()
'''


@pytest.fixture(scope="module", autouse=True)
def torch() -> Any:
    repair_torchvision()
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(before)


def tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "</s>", "<pad>", "<unk>"]
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=letters, show_progress=False
    )
    made.train_from_iterator(["a photo of a nurse", "a doctor at work"] * 3, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=48, **names)


SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory, torch: Any) -> Path:
    """A folder of CLIP as transformers saves it."""
    import transformers as t

    torch.manual_seed(0)
    folder, words = tmp_path_factory.mktemp("st") / "clip", tokenizer()
    text = {
        **SIZES,
        "vocab_size": len(words),
        "max_position_embeddings": 48,
        "bos_token_id": 0,
        "eos_token_id": 1,
        "pad_token_id": 2,
    }
    vision = {**SIZES, "image_size": 32, "patch_size": 8}
    pictures = t.CLIPImageProcessor(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    with quiet():
        t.CLIPModel(
            t.CLIPConfig(text_config=text, vision_config=vision, projection_dim=24)
        ).save_pretrained(folder)
        t.CLIPProcessor(image_processor=pictures, tokenizer=words).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory, torch: Any) -> Path:
    """A model of texts with prompts, as sentence-transformers saves it."""
    import transformers as t
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    torch.manual_seed(1)
    folder, words = tmp_path_factory.mktemp("st"), tokenizer()
    with quiet():
        t.BertModel(
            t.BertConfig(**SIZES, vocab_size=len(words), max_position_embeddings=48, pad_token_id=2)
        ).save_pretrained(folder / "raw")
        words.save_pretrained(folder / "raw")
        body = Transformer(str(folder / "raw"))
        prompts = {"query": "ask: ", "passage": "page: ", "corpus": "shelf: ", "hush": "quiet, "}
        made = SentenceTransformer(
            modules=[body, Pooling(body.get_embedding_dimension(), "mean")],
            prompts=prompts,
            device="cpu",
        )
        made.save(str(folder / "bert"), create_model_card=False)
    return folder / "bert"


@pytest.fixture(scope="module")
def routed(tmp_path_factory: pytest.TempPathFactory, torch: Any) -> Path:
    """A model with one route for queries and another for documents."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Router
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    torch.manual_seed(2)
    folder = tmp_path_factory.mktemp("st") / "routed"
    with quiet():
        parts = [[StaticEmbedding(tokenizer(), embedding_dim=12)] for _ in range(2)]
        SentenceTransformer(modules=[Router.for_query_document(*parts)], device="cpu").save(
            str(folder), create_model_card=False
        )
    return folder


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that brings its own code."""
    folder = tmp_path_factory.mktemp("st") / "own"
    folder.mkdir()
    (folder / "own_colours.py").write_text(OWN_CODE)
    (folder / "modules.json").write_text(
        json.dumps([{"idx": 0, "name": "0", "path": "", "type": "own_colours.Colours"}])
    )
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "ask: ", "passage": "page: "}})
    )
    return folder


def make(folder: Path, rest: str = "") -> Any:
    return registry.make("encoder", f'st:"{folder}"{rest}')


def library(folder: Path, **named: Any) -> Any:
    from sentence_transformers import SentenceTransformer

    with quiet():
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True, **named)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_st_folder_of_clip_gives_the_vectors_of_transformers(clip: Path, torch: Any) -> None:
    import transformers as t

    encoder = make(clip, "(batch=3)")
    with quiet():
        model = t.CLIPModel.from_pretrained(clip, dtype=torch.float32).eval()
        words, pictures = (
            t.AutoTokenizer.from_pretrained(clip),
            t.AutoImageProcessor.from_pretrained(clip, backend="pil"),
        )
    with torch.inference_mode():
        texts = np.vstack(
            [
                model.get_text_features(**words([x], return_tensors="pt")).pooler_output.numpy()
                for x in TEXTS
            ]
        )
        images = np.vstack(
            [
                model.get_image_features(**pictures([x], return_tensors="pt")).pooler_output.numpy()
                for x in PICTURES
            ]
        )
    assert not np.allclose(np.linalg.norm(texts, axis=1), 1)
    np.testing.assert_allclose(encoder.texts(TEXTS, "query").vectors, unit(texts), atol=1e-5)
    np.testing.assert_allclose(encoder.images(PICTURES, "item").vectors, unit(images), atol=1e-5)
    assert (
        encoder.texts([], "query").vectors.shape
        == encoder.images([], "item").vectors.shape
        == (0, 24)
    )


def test_st_folder_saved_by_the_library_gives_the_vectors_of_the_library(
    clip: Path, bert: Path, tmp_path: Path
) -> None:
    with quiet():
        library(clip).save(str(tmp_path / "saved"), create_model_card=False)
    np.testing.assert_allclose(
        make(tmp_path / "saved").images(PICTURES, "item").vectors,
        make(clip).images(PICTURES, "item").vectors,
        atol=1e-6,
    )
    model = library(bert)
    np.testing.assert_allclose(
        make(bert).texts(TEXTS, "query").vectors, unit(model.encode_query(TEXTS)), atol=1e-5
    )
    np.testing.assert_allclose(
        make(bert).texts(TEXTS, "item").vectors,
        unit(model.encode(TEXTS, prompt_name="passage")),
        atol=1e-5,
    )


def test_st_batch_equals_one_by_one(clip: Path, bert: Path, routed: Path) -> None:
    for folder, method, given in (
        (clip, "texts", TEXTS),
        (clip, "images", PICTURES),
        (bert, "texts", TEXTS),
        (routed, "texts", TEXTS[:3]),
    ):
        encoder = make(folder)
        together = getattr(encoder, method)(given, "item").vectors
        alone = np.vstack([getattr(encoder, method)([one], "item").vectors for one in given])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_st_prompts_are_names_or_words(bert: Path) -> None:
    model = library(bert)
    for spec, role, words in (
        ("", "query", "ask: "),
        ("", "item", "page: "),
        ("(query_prompt=hush)", "query", "quiet, "),
        ('(query_prompt="find this: ")', "query", "find this: "),
        ("(item_prompt=corpus)", "item", "shelf: "),
    ):
        expected = unit(model.encode(["a nurse", "x"], prompt=words))
        np.testing.assert_allclose(
            make(bert, spec).texts(["a nurse", "x"], role).vectors, expected, atol=1e-5
        )
    prints = [
        make(bert, spec).fingerprint for spec in ("", "(query_prompt=hush)", "(item_prompt=corpus)")
    ]
    assert len(set(prints)) == 3
    assert make(bert, "(query_prompt=hush)").about()["prompts"] == {
        "query": "hush",
        "item": "passage",
    }


def test_st_routes_take_queries_and_items_apart(routed: Path) -> None:
    encoder, model = make(routed), library(routed)
    np.testing.assert_allclose(
        encoder.texts(["a nurse"], "query").vectors,
        unit(model.encode_query(["a nurse"])),
        atol=1e-5,
    )
    np.testing.assert_allclose(
        encoder.texts(["a nurse"], "item").vectors,
        unit(model.encode_document(["a nurse"])),
        atol=1e-5,
    )
    assert not np.allclose(
        encoder.texts(["a nurse"], "query").vectors, encoder.texts(["a nurse"], "item").vectors
    )


def test_st_code_of_a_model_runs_only_where_it_is_trusted(own: Path) -> None:
    with pytest.raises(
        UsageError, match=r"brings code of its own, which is not run unasked.*trust=true"
    ):
        make(own).texts(["a"], "query")
    encoder, model = make(own, "(trust=true)"), library(own, trust_remote_code=True)
    np.testing.assert_allclose(
        encoder.texts(TEXTS, "query").vectors, unit(model.encode(TEXTS, prompt="ask: ")), atol=1e-5
    )
    np.testing.assert_allclose(
        encoder.texts(TEXTS, "item").vectors, unit(model.encode(TEXTS, prompt="page: ")), atol=1e-5
    )
    np.testing.assert_allclose(
        encoder.images(PICTURES, "item").vectors, unit(model.encode(PICTURES)), atol=1e-5
    )
    assert encoder.about()["trust"] is True


def test_st_task_goes_to_a_model_that_knows_tasks(own: Path, clip: Path) -> None:
    encoder, model = make(own, "(trust=true,task=retrieval)"), library(own, trust_remote_code=True)
    np.testing.assert_allclose(
        encoder.images(PICTURES, "item").vectors,
        unit(model.encode(PICTURES, task="retrieval")),
        atol=1e-5,
    )
    assert not np.allclose(
        encoder.images(PICTURES, "item").vectors,
        make(own, "(trust=true)").images(PICTURES, "item").vectors,
    )
    with pytest.raises(UsageError, match=r"knows no tasks \(task=retrieval\)"):
        make(clip, "(task=retrieval)").texts(["a"], "query")


def test_st_text_that_looks_like_a_picture_is_still_a_text(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    PICTURES[0].save("nurse.png")
    encoder, words = (
        make(clip),
        ["https://example.org/nurse.jpg", "nurse.png", "data:image/png;base64,AAAA", "a nurse"],
    )
    vectors = encoder.texts(words, "query").vectors
    plain = library(clip).tokenizer(words, padding=True, return_tensors="pt")
    expected = (
        library(clip).transformers_model.get_text_features(**plain).pooler_output.detach().numpy()
    )
    np.testing.assert_allclose(vectors, unit(expected), atol=1e-5)


def test_st_of_any_picture_is_rgb_and_prepared_alike(clip: Path) -> None:
    encoder = make(clip)
    kinds = [PICTURES[0], PICTURES[0].convert("RGBA"), np.asarray(PICTURES[0])]
    vectors = encoder.images(kinds, "item").vectors
    np.testing.assert_allclose(vectors, np.repeat(vectors[:1], 3, axis=0), atol=1e-6)
    assert isinstance(encoder, Preparing)
    np.testing.assert_array_equal(
        encoder.prepared([encoder.prepare(k) for k in kinds], "item").vectors, vectors
    )
    with pytest.raises(DataError, match="reference, not a picture"):
        encoder.images(["a.jpg"], "item")


def test_st_model_of_texts_says_that_it_has_no_images(bert: Path) -> None:
    with pytest.raises(UsageError, match=r"has no images: it encodes text\."):
        make(bert).images(PICTURES, "item")


def test_st_about_and_fingerprint_say_what_vectors_depend_on(clip: Path, tmp_path: Path) -> None:
    encoder = make(clip)
    about = encoder.about()
    assert (about["family"], about["dimensions"], about["preprocessing"], about["warnings"]) == (
        "clip",
        24,
        "pil",
        [],
    )
    assert about["modalities"] == ["text", "image"] and about["fingerprint"] == encoder.fingerprint
    assert {"sentence-transformers", "transformers", "torch"} <= set(about["libraries"])
    other = make(clip, "(backend=torchvision)")
    assert (
        other.fingerprint != encoder.fingerprint and other.about()["preprocessing"] == "torchvision"
    )
    assert make(clip, "(batch=2,device=cpu)").fingerprint == encoder.fingerprint
    assert registry.make("encoder", str(other)) == other == pickle.loads(pickle.dumps(other))


def _copy(folder: Path, to: Path) -> Path:
    to.mkdir()
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


def test_st_weights_that_lack_parts_are_warned_of(clip: Path, bert: Path, tmp_path: Path) -> None:
    import safetensors.torch

    folder = _copy(clip, tmp_path / "headless")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "projection" not in name}
    safetensors.torch.save_file(kept, folder / "model.safetensors", {"format": "pt"})
    (warning,) = make(folder).about()["warnings"]
    assert (
        "lack 2 parts" in warning and "projection.weight" in warning and "random numbers" in warning
    )
    assert make(bert).about()["warnings"] == []


def test_st_text_that_is_cut_is_counted(clip: Path, tmp_path: Path) -> None:
    encoder = make(_copy(clip, tmp_path / "clip"))
    encoder.texts(["z" * 100, "a nurse", "z" * 46, "z" * 47], "query")
    assert (
        "2 of 4 texts were longer than the model reads (48 tokens)"
        in encoder.about()["warnings"][0]
    )
    assert make(tmp_path / "clip").about()["warnings"] == []


def test_st_in_half_precision_gives_nearly_the_same_vectors(clip: Path) -> None:
    for method, given in (("texts", TEXTS), ("images", PICTURES)):
        whole = getattr(make(clip), method)(given, "item").vectors
        half = getattr(make(clip, "(precision=bf16)"), method)(given, "item").vectors
        assert half.dtype == np.float32 and not np.array_equal(half, whole)
        assert (half * whole).sum(1).min() > 0.999
    assert make(clip, "(precision=bf16)").about()["precision"] == "bf16"


def test_st_without_its_extra_or_the_hub_says_so(
    clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        BackendError, match=r"'nobody/nothing' is no folder here and cannot be had from the hub"
    ):
        registry.make("encoder", "st:nobody/nothing").texts(["a"], "query")
    with pytest.raises(BackendError, match=r"'sentence-transformers/nothing' is no folder here"):
        registry.make("encoder", "st:nothing").texts(["a"], "query")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match="needs the extra 'st'"):
        make(clip).texts(["a"], "query")


def test_st_of_what_it_cannot_load_says_why(clip: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no folder"):
        make(tmp_path / "no where").texts(["a"], "query")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"holds no modules.json and no config.json"):
        make(tmp_path / "empty").texts(["a"], "query")
    with pytest.raises(UsageError, match="embeds nothing"):
        make(clip, "(batch=0)")
    folder = _copy(clip, tmp_path / "unread")
    (folder / "processor_config.json").unlink()
    with pytest.raises(
        DataError, match=r"cannot be loaded by sentence-transformers: Can't load image processor"
    ):
        make(folder).texts(["a"], "query")
    folder = _copy(clip, tmp_path / "weightless")
    (folder / "model.safetensors").unlink()
    with pytest.raises(DataError, match=r"cannot be loaded by sentence-transformers"):
        make(folder).texts(["a"], "query")
