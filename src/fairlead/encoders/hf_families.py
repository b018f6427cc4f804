"""How each family of text-image models in transformers is called, where it differs.

Most families offer ``get_text_features`` and ``get_image_features``: those of CLIP, SigLIP, ALIGN,
AltCLIP, MetaCLIP 2 and the dual encoder of any two towers (multilingual CLIP with an XLM-R text
tower). The others:

- SigLIP and SigLIP 2 read the last token, so texts are padded to their full length, as in training.
- Chinese-CLIP's text tower is read at its first token, as its forward pass does;
  ``get_text_features`` of transformers 4 fails.
- FLAVA gives a vector per token; the first one is the contrastive one.
- BLIP: the projections of its contrastive head (ITC), as its retrieval model uses them with
  ``use_itm_head=False``.
- BLIP-2: the same of its Q-Former. An image has one vector per query token, and its score with a
  text is the greatest of them: many vectors per item, by MaxSim. Asked by image, MaxSim adds over
  these vectors, where the model itself would take the greatest.
- BridgeTower: the two contrastive heads on its text and image towers before they meet; the vector
  of a pair is not used.

The matching heads (ITM) of the last three read text and image together. They cannot be searched
with, and are not used.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Call = Callable[[Any, Mapping[str, Any]], Any]
"""Model and inputs to a tensor (items, dimensions), or (items, vectors, dimensions) where an item
has many.
"""


def _offered(method: str) -> Call:
    """A call of the model's own method with those inputs that it takes."""

    def call(model: Any, inputs: Mapping[str, Any]) -> Any:
        function = getattr(model, method)
        accepted = inspect.signature(function).parameters
        output = function(**{name: value for name, value in inputs.items() if name in accepted})
        # transformers 4 gives the tensor itself
        return output if hasattr(output, "shape") else output.pooler_output

    return call


def _first(call: Call) -> Call:
    return lambda model, inputs: call(model, inputs)[:, 0]


def _chinese_text(model: Any, inputs: Mapping[str, Any]) -> Any:
    output = model.text_model(
        **{
            name: inputs[name]
            for name in ("input_ids", "attention_mask", "token_type_ids")
            if name in inputs
        }
    )
    return model.text_projection(output.last_hidden_state[:, 0])


def _blip_text(model: Any, inputs: Mapping[str, Any]) -> Any:
    output = model.text_encoder(
        input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
    )
    return model.text_proj(output.last_hidden_state[:, 0])


def _blip_image(model: Any, inputs: Mapping[str, Any]) -> Any:
    return model.vision_proj(
        model.vision_model(pixel_values=inputs["pixel_values"]).last_hidden_state[:, 0]
    )


def _blip2_text(model: Any, inputs: Mapping[str, Any]) -> Any:
    words = model.embeddings(input_ids=inputs["input_ids"])
    output = model.qformer(
        query_embeds=words, query_length=0, attention_mask=inputs["attention_mask"]
    )
    return model.text_projection(output.last_hidden_state[:, :1])


def _blip2_image(model: Any, inputs: Mapping[str, Any]) -> Any:
    features = model.vision_model(pixel_values=inputs["pixel_values"]).last_hidden_state
    query_tokens = model.query_tokens.expand(len(features), -1, -1)
    output = model.qformer(
        query_embeds=query_tokens,
        encoder_hidden_states=features,
        encoder_attention_mask=features.new_ones(features.shape[:2]).long(),
    )
    return model.vision_projection(output.last_hidden_state)


def _bridgetower_text(model: Any, inputs: Mapping[str, Any]) -> Any:
    output = model.bridgetower.text_model(
        input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
    )
    return model.itc_text_head(output.last_hidden_state[:, 0])


def _bridgetower_image(model: Any, inputs: Mapping[str, Any]) -> Any:
    tower = model.bridgetower
    visual = model.bridgetower.vision_model.visual
    features = visual.forward_pre(inputs["pixel_values"])
    for block in visual.transformer.resblocks[: len(tower.text_model.encoder.layer)]:
        features = block(features)
    kind = tower.token_type_embeddings.weight[1]
    return model.itc_image_head(
        (tower.cross_modal_image_transform(visual.forward_post(features)) + kind)[:, 0]
    )


_TEXT = _offered("get_text_features")
_IMAGE = _offered("get_image_features")


@dataclass(frozen=True)
class Family:
    """How a family's model is loaded and called."""

    model: str = "AutoModel"
    text: Call = _TEXT
    image: Call = _IMAGE
    padding: Literal["longest", "max_length"] = "longest"
    text_config: str = "text_config"
    processor: str = "CLIPImageProcessor"
    """What its pictures are assumed to go through where the weights come without a preprocessing
    config.
    """
    many: bool = False
    """Whether an item has many vectors."""


ANY = Family()
FAMILIES = {
    "align": Family(processor="EfficientNetImageProcessor"),
    "blip": Family(
        "BlipForImageTextRetrieval", _blip_text, _blip_image, processor="BlipImageProcessor"
    ),
    "blip-2": Family(
        "Blip2ForImageTextRetrieval",
        _blip2_text,
        _blip2_image,
        text_config="qformer_config",
        processor="BlipImageProcessor",
        many=True,
    ),
    "bridgetower": Family(
        "BridgeTowerForContrastiveLearning",
        _bridgetower_text,
        _bridgetower_image,
        processor="BridgeTowerImageProcessor",
    ),
    "chinese_clip": Family(text=_chinese_text, processor="ChineseCLIPImageProcessor"),
    "flava": Family("FlavaModel", _first(_TEXT), _first(_IMAGE), processor="FlavaImageProcessor"),
    "siglip": Family(padding="max_length", processor="SiglipImageProcessor"),
    "siglip2": Family(padding="max_length", processor="Siglip2ImageProcessor"),
}
UNUSED = ("logit_scale", "logit_bias", "itm_head", "itc_cross_modal_head", "temperature")
"""Parts that no vector depends on: weights may lack them."""
