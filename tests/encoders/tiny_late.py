"""Tiny models of late interaction with random weights, saved as their libraries save them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_HIDDEN = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
_QWEN = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
]
_SPLIT = [
    "<image>",
    "<fake_token_around_image>",
    "<global-img>",
    *(f"<row_{r}_col_{c}>" for r in (1, 2, 3) for c in (1, 2, 3)),
]


def tokenizer(special: list[str], **named: str) -> Any:
    """A byte-level tokenizer with merges of a few words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=special, initial_alphabet=letters, show_progress=False
    )
    made.train_from_iterator(
        ["a photo of a nurse", "describe the image", "a doctor at work"] * 3, trainer
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, **named)


def paligemma() -> tuple[Any, Any]:
    import transformers as t

    words = tokenizer(
        ["<pad>", "<eos>", "<bos>", "<image>"],
        pad_token="<pad>",
        eos_token="<eos>",
        bos_token="<bos>",
    )
    pictures = t.SiglipImageProcessor(size={"height": 32, "width": 32})
    pictures.image_seq_length = 16
    vision = {
        **_HIDDEN,
        "model_type": "siglip_vision_model",
        "image_size": 32,
        "patch_size": 8,
        "vision_use_head": False,
        "projection_dim": 32,
    }
    # its processor adds a thousand words for places
    text = {
        **_HIDDEN,
        "model_type": "gemma",
        "vocab_size": len(words) + 1200,
        "num_key_value_heads": 1,
        "head_dim": 8,
        "pad_token_id": 0,
    }
    config = t.PaliGemmaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=3,
        projection_dim=32,
        hidden_size=32,
    )
    return config, {"image_processor": pictures, "tokenizer": words}


def qwen(config: str, video: str, sections: list[int]) -> tuple[Any, Any]:
    import transformers as t

    words = tokenizer(_QWEN, pad_token="<|endoftext|>", eos_token="<|im_end|>")
    patches = {"patch_size": 4, "spatial_merge_size": 2, "temporal_patch_size": 2}
    vision = {**patches, "depth": 2, "hidden_size": 32, "num_heads": 2, "intermediate_size": 48}
    if config == "Qwen2VLConfig":
        vision |= {"embed_dim": 32, "mlp_ratio": 2}
    else:
        vision |= {"out_hidden_size": 32, "window_size": 16, "fullatt_block_indexes": [1]}
        vision |= {"deepstack_visual_indexes": [0], "num_position_embeddings": 64}
    turning = {
        "rope_type": "default",
        "mrope_section": sections,
        "rope_theta": 10000.0,
        "mrope_interleaved": config.startswith("Qwen3"),
    }
    text = {
        **_HIDDEN,
        "vocab_size": len(words),
        "num_key_value_heads": 2,
        "head_dim": 8,
        "rope_parameters": turning,
    }
    text |= {"max_position_embeddings": 512, "bos_token_id": 0, "eos_token_id": 2}
    if config == "Qwen3_5Config":
        text |= {
            "layer_types": ["linear_attention", "full_attention"],
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
        }
        text |= {"linear_key_head_dim": 8, "linear_value_head_dim": 8}
    tokens = {
        f"{kind}_token_id": words.convert_tokens_to_ids(f"<|{kind}_pad|>")
        for kind in ("image", "video")
    }
    tokens |= {
        f"vision_{end}_token_id": words.convert_tokens_to_ids(f"<|vision_{end}|>")
        for end in ("start", "end")
    }
    sides = {"patch_size": 4, "merge_size": 2, "temporal_patch_size": 2}
    pictures = t.Qwen2VLImageProcessor(**sides, min_pixels=128, max_pixels=1920)
    parts = {
        "image_processor": pictures,
        "tokenizer": words,
        "video_processor": getattr(t, video)(**sides),
    }
    return getattr(t, config)(text_config=text, vision_config=vision, **tokens), parts


def split(
    config: str, vision: dict[str, Any], text: dict[str, Any], start: str, **more: int
) -> tuple[Any, Any]:
    import transformers as t

    special = ["<|endoftext|>", start, "<end_of_utterance>", *_SPLIT]
    words = tokenizer(
        special, pad_token="<|endoftext|>", eos_token="<end_of_utterance>", bos_token=start
    )
    vision = {**_HIDDEN, **vision, "image_size": 32, "patch_size": 8}
    text = {
        **_HIDDEN,
        **text,
        "vocab_size": len(words),
        "pad_token_id": 0,
        "max_position_embeddings": 512,
    }
    made = getattr(t, config)(
        vision_config=vision,
        text_config=text,
        image_token_id=words.convert_tokens_to_ids("<image>"),
        **more,
    )
    pictures = t.Idefics3ImageProcessor(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}
    )
    return made, {"image_processor": pictures, "tokenizer": words, "image_seq_len": 4}


_BERT = {
    "model_type": "modernbert",
    "bos_token_id": 1,
    "eos_token_id": 2,
    "cls_token_id": 1,
    "sep_token_id": 2,
    "local_attention": 32,
}
MAKERS = {
    "ColPali": paligemma,
    "ColQwen2": lambda: qwen("Qwen2VLConfig", "Qwen2VLVideoProcessor", [1, 1, 2]),
    "ColQwen2_5": lambda: qwen("Qwen2_5_VLConfig", "Qwen2VLVideoProcessor", [1, 1, 2]),
    "ColQwen3": lambda: qwen("Qwen3VLConfig", "Qwen3VLVideoProcessor", [2, 1, 1]),
    "ColQwen3_5": lambda: qwen("Qwen3_5Config", "Qwen3VLVideoProcessor", [2, 1, 1]),
    "ColIdefics3": lambda: split(
        "Idefics3Config",
        {},
        {"model_type": "llama", "num_key_value_heads": 2},
        "<|im_start|>",
        scale_factor=2,
        pad_token_id=0,
    ),
    "ColModernVBert": lambda: split(
        "ModernVBertConfig",
        {"model_type": "siglip_vision_model"},
        _BERT,
        "<|begin_of_text|>",
        pixel_shuffle_factor=2,
    ),
}
"""The families of colpali-engine."""
PORTS = {"ColPaliForRetrieval": "ColPali", "ColQwen2ForRetrieval": "ColQwen2"}
"""Transformers' own ports of them."""


def classes(name: str) -> tuple[Any, Any]:
    """The library's classes of model and processor."""
    import colpali_engine.models
    import transformers

    if name in PORTS:
        return getattr(transformers, name), getattr(transformers, f"{PORTS[name]}Processor")
    return getattr(colpali_engine.models, name), getattr(
        colpali_engine.models,
        "ColQwen2_5_Processor" if name == "ColQwen2_5" else f"{name}Processor",
    )


def save(name: str, folder: Path) -> Path:
    """A random model of a family and its processor, saved."""
    import torch
    import transformers

    torch.manual_seed(0)
    model, processor = classes(name)
    config, parts = MAKERS[PORTS.get(name, name)]()
    if name in PORTS:
        config = getattr(transformers, f"{PORTS[name]}Config")(vlm_config=config, embedding_dim=16)
        parts = {key: parts[key] for key in ("image_processor", "tokenizer")}
    model(config).save_pretrained(folder)
    processor(**parts).save_pretrained(folder)
    return folder
