"""``hf:ID_OR_FOLDER``: text-image models of transformers, from a folder or from the hub.

``hf_families`` says how each family is called and which of its vectors are used. Texts are cut at
the model's longest. Pictures go through the model's own image processor with an explicit backend,
since backends differ by a little: ``pil`` is the default and needs no torchvision; where it only
resizes, crops and normalises, the same is done without the library (``pixels``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.encoders.folders import located, reached, settings_of, state, told, weights_of
from fairlead.encoders.hf_families import ANY, FAMILIES, UNUSED, Family
from fairlead.encoders.pixels import PixelRecipe, proven
from fairlead.encoders.quiet import quiet, versions
from fairlead.encoders.torchvision_repair import repair_torchvision
from fairlead.encoders.towers import device_of
from fairlead.encoders.two_towers import Loaded, TwoTowers
from fairlead.errors import DataError, MissingExtra
from fairlead.protocols.reach import HUB, Reach
from fairlead.types.ragged import Array

Backend = Literal["pil", "torchvision"]
_FOLDER = (
    "Give a folder that transformers saved: config.json, weights, tokenizer and "
    "preprocessor_config.json."
)
# Tokenizers without a limit give a number far above this.
_ENDLESS = 1_000_000


@dataclass(frozen=True)
class HF(TwoTowers):
    """A text-image model of transformers: CLIP, SigLIP, ALIGN, BLIP, FLAVA, BridgeTower and others.

    The others are Chinese-CLIP, AltCLIP and their relatives.
    """

    revision: str = ""
    backend: Backend = "pil"

    name: ClassVar[str] = "hf"
    reaches: ClassVar[Reach] = Reach(HUB, lambda spec: reached(spec.address or ""))

    def _load(self) -> Loaded:
        folder, revision = located(self.path, self.revision)
        return _loaded(folder, revision, self.device, self.backend, state(self._files()))

    def _files(self) -> list[Path]:
        folder = located(self.path, self.revision)[0]
        weights = weights_of(folder)
        # without such a file the library takes pytorch_model*.bin, whatever else is there
        if not any(path.name.startswith("model") for path in weights):
            weights = sorted({*weights, *folder.glob("pytorch_model*.bin")})
        if not (folder / "config.json").is_file() or not weights:
            lacking = "weights" if (folder / "config.json").is_file() else "config.json"
            raise DataError(f"'{self.path}' is not a saved model: it holds no {lacking}.", _FOLDER)
        return weights + settings_of(folder)

    def _moving(self) -> tuple[str, ...]:
        return (self.precision, self.backend)


class _HfModel(Loaded):
    """A model of transformers with its tokenizer and image processor."""

    def __init__(
        self,
        family: Family,
        model: Any,
        tokenizer: Any,
        processor: Any,
        facts: Mapping[str, Any],
        warnings: Sequence[str],
    ) -> None:
        super().__init__(facts, warnings)
        self.family = family
        self.model = model
        self.tokenizer = tokenizer
        self.processor = processor
        self.limit = _limit(
            model, getattr(model.config, family.text_config, model.config), tokenizer
        )
        recipe = _recipe(processor) if facts["preprocessing"] == "pil" else None
        self.recipe = proven(recipe, lambda image: self.picture(image)["pixel_values"])

    def tokens(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return self.tokenizer(
            list(texts),
            padding=self.family.padding,
            truncation=True,
            max_length=self.limit,
            return_tensors="pt",
        )

    def length(self, text: str) -> int:
        return len(self.tokenizer(text, verbose=False)["input_ids"])

    def text(self, **inputs: Any) -> Any:
        return self.family.text(self.model, inputs)

    def picture(self, image: Any) -> Mapping[str, Array]:
        return {
            name: np.asarray(value)[0]
            for name, value in self.processor(images=[image], return_tensors="pt").items()
        }

    def image(self, **inputs: Any) -> Any:
        return self.family.image(self.model, inputs)


@lru_cache(maxsize=4)
def _loaded(
    folder: Path, revision: str, device: str, backend: Backend, files: tuple[Any, ...]
) -> Loaded:
    """The model in a folder; ``files`` distinguishes one state of the folder from the next."""
    transformers = _library()
    place = device_of(device)
    with quiet():
        with told(f"The config of '{folder}' cannot be read", _FOLDER):
            config = transformers.AutoConfig.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
        family = FAMILIES.get(config.model_type, ANY)
        model = _weights(transformers, folder, config, family)
        with told(f"'{folder}' holds no tokenizer that can be read", _FOLDER):
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
        # without a vocabulary the library makes an empty tokenizer
        if not any((folder / name).is_file() for name in tokenizer.vocab_files_names.values()):
            raise DataError(
                (
                    f"'{folder}' holds no vocabulary "
                    f"({', '.join(tokenizer.vocab_files_names.values())})."
                ),
                _FOLDER,
            )
        processor, warnings = _processor(transformers, folder, config, family, backend)
        facts = {
            "family": config.model_type,
            "revision": revision,
            "preprocessing": _backend(processor),
            "image_processor": type(processor).__name__,
            "libraries": versions("transformers", "tokenizers", "torch", "pillow"),
        }
        return _HfModel(family, model.to(place).eval(), tokenizer, processor, facts, warnings)


def _library() -> Any:
    try:
        repair_torchvision()
        import torch  # noqa: F401
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra("encoder 'hf'", "hf") from error
    return transformers


def _weights(transformers: Any, folder: Path, config: Any, family: Family) -> Any:
    """The model with all its weights: the library would fill gaps with random numbers."""
    import torch

    with told(f"The weights of '{folder}' cannot be read as {config.model_type}", _FOLDER):
        model, info = getattr(transformers, family.model).from_pretrained(
            folder,
            config=config,
            dtype=torch.float32,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    lacking = sorted(
        name for name in info["missing_keys"] if not any(part in name for part in UNUSED)
    )
    if lacking:
        hint = (
            "Give a checkpoint trained for retrieval, with its projections; an older "
            "transformers cannot read all that a newer one saved."
        )
        raise DataError(
            (
                f"The weights of '{folder}' lack {len(lacking)} parts of "
                f"{type(model).__name__}, such as {lacking[0]}."
            ),
            hint,
        )
    if family is ANY and not all(
        hasattr(model, f"get_{kind}_features") for kind in ("text", "image")
    ):
        hint = (
            f"Known by name: {', '.join(FAMILIES)}, and all that have get_text_features and "
            "get_image_features."
        )
        raise DataError(
            f"'{folder}' is a {config.model_type}, which does not embed both texts and images.",
            hint,
        )
    return model


def _processor(
    transformers: Any, folder: Path, config: Any, family: Family, backend: Backend
) -> tuple[Any, list[str]]:
    """The image processor, and warnings about it."""
    choice: dict[str, object]
    if hasattr(transformers, "CLIPImageProcessorPil"):
        choice = {"backend": backend}
    else:
        choice = {"use_fast": backend == "torchvision"}
    if _says_preprocessing(folder):
        with told(f"The preprocessing config of '{folder}' cannot be read", _FOLDER):
            processor = transformers.AutoImageProcessor.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False, **choice
            )
        return processor, []
    maker = getattr(
        transformers, family.processor + ("Pil" if backend == "pil" else ""), None
    ) or getattr(transformers, family.processor)
    with told(f"'{folder}' has no preprocessing config, and none can be assumed", _FOLDER):
        processor = maker(
            **_sizes(
                maker,
                getattr(config, "vision_config", None) or getattr(config, "image_config", config),
            )
        )
    return processor, [
        f"'{folder}' holds no preprocessing config (preprocessor_config.json): "
        f"{type(processor).__name__} with its defaults is assumed. "
        "If the model was trained with another, its vectors are wrong."
    ]


def _backend(processor: Any) -> str:
    """The backend of a processor; transformers 4 only shows it in the name."""
    return getattr(processor, "backend", None) or (
        "torchvision" if type(processor).__name__.endswith("Fast") else "pil"
    )


def _says_preprocessing(folder: Path) -> bool:
    if (folder / "preprocessor_config.json").is_file():
        return True
    with told(f"processor_config.json of '{folder}' cannot be read"):
        nested = folder / "processor_config.json"
        return nested.is_file() and "image_processor" in json.loads(nested.read_text("utf-8"))


def _sizes(processor: Any, vision: Any) -> dict[str, Any]:
    """The picture sizes in the vision tower's config, in the form of the processor's defaults."""
    side = getattr(vision, "image_size", None)
    if not isinstance(side, int):
        return {name: getattr(vision, name) for name in ("patch_size",) if hasattr(vision, name)}
    square = {"height": side, "width": side}
    if "shortest_edge" in (getattr(processor, "size", None) or {}):
        size = {"shortest_edge": side}
    else:
        size = square
    if "shortest_edge" in (getattr(processor, "crop_size", None) or {}):
        crop = {"shortest_edge": side}
    else:
        crop = square
    return {"size": size, "crop_size": crop}


def _recipe(processor: Any) -> PixelRecipe | None:
    """The plain recipe that a processor's settings describe, if there is one."""
    settings = processor.to_dict()
    size, crop = settings.get("size") or {}, settings.get("crop_size") or {}
    side = size.get("shortest_edge") or _square(size)
    crop_size = _square(crop) if settings.get("do_center_crop") else None
    steps = all(settings.get(step) for step in ("do_resize", "do_rescale", "do_normalize"))
    if not steps or side is None or (settings.get("do_center_crop") and crop_size is None):
        return None
    mean, std = (tuple(float(v) for v in settings[name]) for name in ("image_mean", "image_std"))
    return PixelRecipe(
        size=side,
        resample=int(settings["resample"]),
        crop=crop_size,
        scale=float(settings["rescale_factor"]),
        mean=mean,
        std=std,
    )


def _square(size: Mapping[str, int]) -> tuple[int, int] | None:
    """(height, width), where a size has both."""
    if size.get("height") and size.get("width"):
        return (size["height"], size["width"])
    return None


def _limit(model: Any, text: Any, tokenizer: Any) -> int:
    """Tokens of the longest text: the number of positions, or the tokenizer's limit if lower."""
    positions = getattr(text, "max_position_embeddings", _ENDLESS)
    tables = (
        table
        for name, table in model.named_modules()
        if name.endswith("position_embeddings") and hasattr(table, "num_embeddings")
    )
    # towers like RoBERTa count positions from the padding index on
    reserved = max(
        (
            t.padding_idx + 1
            for t in tables
            if t.padding_idx is not None and t.num_embeddings == positions
        ),
        default=0,
    )
    return int(min(positions - reserved, tokenizer.model_max_length))
