"""Tiny text-image models with random weights, to try an encoder without a download.

>>> sorted(FAMILIES)[:3]
['align', 'altclip', 'blip']
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairlead.encoders.quiet import quiet
from fairlead.encoders.torchvision_repair import repair_torchvision

WORDS = (
    "a photo of a nurse at work",
    "a teacher in front of the class",
    "una foto de una persona que cocina",
    "ein bild von einem arzt im krankenhaus",
    "dogs play in the park while children laugh",
    "the quick brown fox jumps over the lazy dog",
    "一张 照片 护士",
    "0123456789 !?.,;:-'",
)
"""What the tokenizers are trained on."""
SIDE = 32
"""Pixels of a side of the pictures the models see."""
_TOWER = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
_VISION = {**_TOWER, "image_size": SIDE, "patch_size": 8}
_LONGEST = 20


def tiny_hf(family: str, folder: Path, *, seed: int = 0) -> Path:
    """Save a tiny model of a family to a folder with transformers, and return the folder.

    Its tokenizer and image processor are saved with it.
    """
    repair_torchvision()
    import torch
    import transformers

    torch.manual_seed(seed)
    with quiet():
        model, processor = FAMILIES[family](transformers)
        with torch.no_grad():
            # far apart, so that one text or image does not look like the next
            for weight in model.parameters():
                if weight.ndim > 1:
                    weight.normal_(0, 0.3)
        model.save_pretrained(folder)
        processor.save_pretrained(folder)
    return folder


def tiny_open_clip(
    folder: Path, *, seed: int = 0, weights: str = "open_clip_model.safetensors"
) -> Path:
    """Save a tiny model of open_clip to a folder, and return the folder.

    It has a config and weights (.safetensors or .pt).
    """
    repair_torchvision()
    import open_clip
    import torch
    from safetensors.torch import save_file

    config = {
        "embed_dim": 12,
        "vision_cfg": {"image_size": SIDE, "layers": 2, "width": 64, "patch_size": 8},
        "text_cfg": {
            "context_length": _LONGEST,
            # open_clip brings a tokenizer of its own, with so many tokens
            "vocab_size": 49408,
            "width": 16,
            "heads": 2,
            "layers": 2,
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    preprocess = {
        "size": SIDE,
        "mean": [0.5, 0.5, 0.5],
        "std": [0.25, 0.25, 0.25],
        "interpolation": "bilinear",
        "resize_mode": "shortest",
    }
    (folder / "open_clip_config.json").write_text(
        json.dumps({"model_cfg": config, "preprocess_cfg": preprocess})
    )
    torch.manual_seed(seed)
    model = open_clip.model.CLIP(**config)
    tensors = {name: value.contiguous() for name, value in model.state_dict().items()}
    save_file(tensors, folder / weights) if weights.endswith(".safetensors") else torch.save(
        tensors, folder / weights
    )
    return folder


def _bpe(suffix: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Vocabulary and merges of a byte-level BPE."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    ending: dict[str, Any] = {"end_of_word_suffix": suffix} if suffix else {}
    trained = Tokenizer(models.BPE(**ending))
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=5000, initial_alphabet=letters, show_progress=False, **ending
    )
    trained.train_from_iterator(WORDS, trainer)
    unordered = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
    # the trainer gives ties in any order
    merges = sorted(unordered, key=lambda pair: (len("".join(pair)), pair))
    tokens = [
        *sorted(letters),
        *(f"{letter}{suffix}" for letter in sorted(letters) if suffix),
        *(a + b for a, b in merges),
    ]
    return {token: code for code, token in enumerate(dict.fromkeys(tokens))}, merges


def _clip_tokenizer(library: Any) -> Any:
    vocabulary, merges = _bpe("</w>")
    for token in ("<|startoftext|>", "<|endoftext|>"):
        vocabulary[token] = len(vocabulary)
    return library.CLIPTokenizer(vocab=vocabulary, merges=merges, model_max_length=_LONGEST)


def _roberta_tokenizer(library: Any) -> Any:
    vocabulary, merges = _bpe("")
    first = {token: code for code, token in enumerate(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))}
    shifted = {token: code + len(first) for token, code in vocabulary.items()}
    return library.RobertaTokenizer(vocab=first | shifted, merges=merges, model_max_length=_LONGEST)


def _bert_tokenizer(library: Any) -> Any:
    words = sorted(
        {word for line in WORDS for word in line.split()}
        | {letter for line in WORDS for letter in line if letter.strip()}
    )
    pieces = [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *pieces]
    return library.BertTokenizer(
        vocab={token: code for code, token in enumerate(tokens)}, model_max_length=_LONGEST
    )


def _pieces(**choices: Any) -> bytes:
    """A trained model of sentencepiece."""
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(WORDS),
        model_writer=model,
        vocab_size=90,
        hard_vocab_limit=False,
        minloglevel=2,
        **choices,
    )
    return model.getvalue()


def _xlmr_tokenizer(library: Any) -> Any:
    import sentencepiece

    trained = sentencepiece.SentencePieceProcessor(model_proto=_pieces())
    first = ["<s>", "<pad>", "</s>", "<unk>"]
    # the first three are sentencepiece's own <unk>, <s> and </s>, which XLM-R numbers otherwise
    pieces = [
        (trained.id_to_piece(code), trained.get_score(code)) for code in range(3, len(trained))
    ]
    vocabulary = [*((token, 0.0) for token in first), *pieces, ("<mask>", 0.0)]
    return library.XLMRobertaTokenizer(vocab=vocabulary, model_max_length=_LONGEST)


def _siglip_tokenizer(library: Any) -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "spiece.model"
        file.write_bytes(_pieces(bos_id=-1, eos_id=1, unk_id=2, pad_id=0))
        tokenizer = library.SiglipTokenizer(str(file), model_max_length=_LONGEST)
        tokenizer.save_pretrained(place)
        return tokenizer


def _siglip2_tokenizer(library: Any) -> Any:
    vocabulary, _ = _bpe("")
    first = {
        token: code
        for code, token in enumerate(("<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "▁"))
    }
    letters = [token for token in vocabulary if len(token) == 1]
    return library.Siglip2Tokenizer(
        vocab=first | {token: code + len(first) for code, token in enumerate(letters)},
        merges=[],
        model_max_length=_LONGEST,
    )


def _clip_pictures(library: Any) -> Any:
    # like all processors here, the one on Pillow, which needs no torchvision
    return library.CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    )


def _clip(library: Any) -> tuple[Any, Any]:
    tokens = _clip_tokenizer(library)
    text = {
        **_TOWER,
        "vocab_size": len(tokens),
        "max_position_embeddings": _LONGEST,
        "eos_token_id": tokens.eos_token_id,
    }
    config = library.CLIPConfig(text_config=text, vision_config=_VISION, projection_dim=12)
    return library.CLIPModel(config), library.CLIPProcessor(_clip_pictures(library), tokens)


def _metaclip_2(library: Any) -> tuple[Any, Any]:
    tokens = _xlmr_tokenizer(library)
    text = {
        **_TOWER,
        "vocab_size": len(tokens),
        "max_position_embeddings": _LONGEST,
        "eos_token_id": tokens.eos_token_id,
    }
    config = library.MetaClip2Config(text_config=text, vision_config=_VISION, projection_dim=12)
    return library.MetaClip2Model(config), library.CLIPProcessor(_clip_pictures(library), tokens)


def _siglip(library: Any) -> tuple[Any, Any]:
    tokens = _siglip_tokenizer(library)
    text = {**_TOWER, "vocab_size": len(tokens), "max_position_embeddings": _LONGEST}
    config = library.SiglipConfig(text_config=text, vision_config=_VISION)
    pictures = library.SiglipImageProcessorPil(size={"height": SIDE, "width": SIDE})
    return library.SiglipModel(config), library.SiglipProcessor(pictures, tokens)


def _siglip2(library: Any) -> tuple[Any, Any]:
    tokens = _siglip2_tokenizer(library)
    text = {**_TOWER, "vocab_size": len(tokens), "max_position_embeddings": _LONGEST}
    config = library.Siglip2Config(
        text_config=text, vision_config={**_TOWER, "patch_size": 8, "num_patches": 16}
    )
    pictures = library.Siglip2ImageProcessorPil(patch_size=8, max_num_patches=16)
    return library.Siglip2Model(config), library.Siglip2Processor(pictures, tokens)


def _align(library: Any) -> tuple[Any, Any]:
    tokens = _bert_tokenizer(library)
    text = {**_TOWER, "vocab_size": len(tokens), "max_position_embeddings": _LONGEST}
    shape = {
        "kernel_sizes": [3, 3],
        "in_channels": [32, 8],
        "out_channels": [8, 12],
        "strides": [1, 2],
        "depthwise_padding": [],
    }
    more = {
        "num_block_repeats": [1, 1],
        "expand_ratios": [1, 2],
        "hidden_dim": 16,
        "width_coefficient": 1.0,
        "depth_coefficient": 1.0,
    }
    config = library.AlignConfig(
        text_config=text, vision_config={**shape, **more, "image_size": SIDE}, projection_dim=16
    )
    pictures = library.EfficientNetImageProcessorPil(
        size={"height": SIDE, "width": SIDE}, rescale_offset=True, include_top=False
    )
    return library.AlignModel(config), library.AlignProcessor(pictures, tokens)


def _blip_pictures(library: Any) -> Any:
    return library.BlipImageProcessorPil(size={"height": SIDE, "width": SIDE})


def _blip(library: Any) -> tuple[Any, Any]:
    tokens = _bert_tokenizer(library)
    text = {
        **_TOWER,
        "vocab_size": len(tokens),
        "max_position_embeddings": _LONGEST,
        "encoder_hidden_size": 16,
        "projection_dim": 12,
    }
    config = library.BlipConfig(
        text_config=text, vision_config=_VISION, projection_dim=12, image_text_hidden_size=12
    )
    return library.BlipForImageTextRetrieval(config), library.BlipProcessor(
        _blip_pictures(library), tokens
    )


def _blip_2(library: Any) -> tuple[Any, Any]:
    tokens = _bert_tokenizer(library)
    processor = library.Blip2Processor(_blip_pictures(library), tokens, num_query_tokens=4)
    asking = {
        **_TOWER,
        "vocab_size": len(tokens),
        "max_position_embeddings": _LONGEST,
        "encoder_hidden_size": 16,
    }
    asking |= {"use_qformer_text_input": True, "cross_attention_frequency": 1}
    shape = {
        "num_query_tokens": 4,
        "image_text_hidden_size": 12,
        "image_token_index": tokens.convert_tokens_to_ids("<image>"),
    }
    config = library.Blip2Config(vision_config=_VISION, qformer_config=asking, **shape)
    return library.Blip2ForImageTextRetrieval(config), processor


def _flava(library: Any) -> tuple[Any, Any]:
    tokens = _bert_tokenizer(library)
    text = {**_TOWER, "vocab_size": len(tokens), "max_position_embeddings": _LONGEST}
    config = library.FlavaConfig(
        image_config=_VISION,
        text_config=text,
        multimodal_config=_TOWER,
        hidden_size=16,
        projection_dim=12,
    )
    pictures = library.FlavaImageProcessorPil(
        size={"height": SIDE, "width": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    )
    return library.FlavaModel(config), library.FlavaProcessor(pictures, tokens)


def _bridgetower(library: Any) -> tuple[Any, Any]:
    tokens = _roberta_tokenizer(library)
    wide = {**_TOWER, "hidden_size": 64, "num_hidden_layers": 3}
    # RoBERTa counts places from behind its padding token, so there are two more of them
    text = {**wide, "vocab_size": len(tokens), "max_position_embeddings": _LONGEST + 2}
    config = library.BridgeTowerConfig(
        text_config=text,
        vision_config={**wide, "image_size": SIDE, "patch_size": 8},
        **{
            **wide,
            "num_hidden_layers": 2,
            "contrastive_hidden_size": 12,
            "logit_scale_init_value": 2.6,
        },
    )
    pictures = library.BridgeTowerImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"shortest_edge": SIDE}, size_divisor=8
    )
    return library.BridgeTowerForContrastiveLearning(config), library.BridgeTowerProcessor(
        pictures, tokens
    )


def _chinese_clip(library: Any) -> tuple[Any, Any]:
    tokens = _bert_tokenizer(library)
    text = {**_TOWER, "vocab_size": len(tokens), "max_position_embeddings": _LONGEST}
    config = library.ChineseCLIPConfig(text_config=text, vision_config=_VISION, projection_dim=12)
    # as the published model: the whole picture is resized, and nothing cut off
    pictures = library.ChineseCLIPImageProcessorPil(
        size={"height": SIDE, "width": SIDE}, do_center_crop=False
    )
    return library.ChineseCLIPModel(config), library.ChineseCLIPProcessor(pictures, tokens)


def _altclip(library: Any) -> tuple[Any, Any]:
    tokens = _xlmr_tokenizer(library)
    text = {
        **_TOWER,
        "vocab_size": len(tokens),
        "max_position_embeddings": _LONGEST + 2,
        "project_dim": 16,
    }
    config = library.AltCLIPConfig(text_config=text, vision_config=_VISION, projection_dim=12)
    return library.AltCLIPModel(config), library.AltCLIPProcessor(_clip_pictures(library), tokens)


def _dual_encoder(library: Any) -> tuple[Any, Any]:
    tokens = _xlmr_tokenizer(library)
    text = library.XLMRobertaConfig(
        **_TOWER,
        vocab_size=len(tokens),
        max_position_embeddings=_LONGEST + 2,
        pad_token_id=tokens.pad_token_id,
    )
    config = library.VisionTextDualEncoderConfig.from_vision_text_configs(
        library.CLIPVisionConfig(**_VISION), text, projection_dim=12
    )
    model = library.VisionTextDualEncoderModel(config)
    return model, library.VisionTextDualEncoderProcessor(_clip_pictures(library), tokens)


FAMILIES: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "clip": _clip,
    "siglip": _siglip,
    "siglip2": _siglip2,
    "align": _align,
    "blip": _blip,
    "blip-2": _blip_2,
    "flava": _flava,
    "bridgetower": _bridgetower,
    "chinese_clip": _chinese_clip,
    "altclip": _altclip,
    "metaclip_2": _metaclip_2,
    "vision-text-dual-encoder": _dual_encoder,
}
"""By the library's own name of the family: a function of the library that makes the model and its
processor.
"""
