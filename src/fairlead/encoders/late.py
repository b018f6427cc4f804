"""``late:ID_OR_FOLDER``: late interaction, many vectors per item.

The models are those of colpali-engine and of transformers' own ports.

A text or an image has a vector of length 1 per token; the score is MaxSim, the sum over the query's
vectors of the greatest inner product with the item's vectors. The family follows from the config's
model type. Vectors of padding are removed by the attention mask. A query gets the prefix and the
extra tokens that its family was trained with; a text that is an item does not.

A folder may hold an adapter (LoRA) on another model: that one is found by the adapter's config, or
given as ``base``.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np

from fairlead.encoders.folders import digest, located, reached, settings_of, state, told, weights_of
from fairlead.encoders.quiet import quiet, versions
from fairlead.encoders.torchvision_repair import repair_torchvision
from fairlead.encoders.towers import Precision, device_of, forward, precision_of
from fairlead.encoders.two_towers import LOADING
from fairlead.encoders.vectors import rgb, unit
from fairlead.errors import DataError, MissingExtra, UsageError
from fairlead.protocols import Capabilities, Role
from fairlead.protocols.reach import HUB, Reach, Things
from fairlead.protocols.spec import Configured, Spec
from fairlead.types import Embeddings
from fairlead.types.ragged import Array, offsets_of

Backend = Literal["pil", "torchvision"]
_FOLDER = (
    "Give a folder that colpali-engine or transformers saved: config.json, weights, "
    "tokenizer and preprocessing config."
)
_CARD = (
    "A model of late interaction, trained on pages of documents more than on photos: its own card "
    "says."
)
_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}


@dataclass(frozen=True)
class LateFamily:
    """A family's classes, and the library that has them."""

    model: str
    processor: str
    library: Literal["colpali_engine.models", "transformers"] = "colpali_engine.models"


FAMILIES = {
    "paligemma": LateFamily("ColPali", "ColPaliProcessor"),
    "qwen2_vl": LateFamily("ColQwen2", "ColQwen2Processor"),
    "qwen2_5_vl": LateFamily("ColQwen2_5", "ColQwen2_5_Processor"),
    "qwen3_vl": LateFamily("ColQwen3", "ColQwen3Processor"),
    "qwen3_5": LateFamily("ColQwen3_5", "ColQwen3_5Processor"),
    "idefics3": LateFamily("ColIdefics3", "ColIdefics3Processor"),
    "modernvbert": LateFamily("ColModernVBert", "ColModernVBertProcessor"),
    "colpali": LateFamily("ColPaliForRetrieval", "ColPaliProcessor", "transformers"),
    "colqwen2": LateFamily("ColQwen2ForRetrieval", "ColQwen2Processor", "transformers"),
}
"""By the model type that a config names."""


def _reached(spec: Spec) -> Things:
    """What a choice reaches: its model, and the base of an adapter."""
    base = dict(spec.args).get("base")
    if not base:
        return reached(spec.address or "")
    return reached(spec.address or "") | reached(str(base))


@dataclass(frozen=True)
class Late(Configured):
    """A model of late interaction: ColPali, ColQwen and their relatives.

    On a GPU its weights are kept in the precision asked for.
    """

    path: str
    device: str = "auto"
    precision: Precision = "auto"
    batch: int = 8
    revision: str = ""
    backend: Backend = "pil"
    base: str = ""

    name: ClassVar[str] = "late"
    addressed: ClassVar[str] = "path"
    reaches: ClassVar[Reach] = Reach(HUB, _reached)

    def validate(self) -> None:
        if self.batch < 1:
            raise UsageError(
                f"late(batch={self.batch}) embeds nothing.", "Give a batch of at least 1."
            )

    def __getstate__(self) -> dict[str, Any]:
        # another process loads the model itself
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the files of the model and its base, and some parameters."""
        return digest(_files(self._folders), self.name, self.precision, self.backend)

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself."""
        return Capabilities(card=_CARD, batch=self.batch)

    def about(self) -> dict[str, Any]:
        """What the manifest records."""
        loaded, device = self._loaded, device_of(self.device)
        return {
            "model": self.path,
            **loaded.facts,
            "dimensions": loaded.width,
            "vectors": "many per item, MaxSim",
            "device": str(device),
            "precision": precision_of(self.precision, device),
            "fingerprint": self.fingerprint,
            "warnings": [],
        }

    def afresh(self) -> Self:
        """The encoder itself: it counts nothing."""
        return self

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """Many vectors per text."""
        return self._embed(self._loaded.queries if role == "query" else self._loaded.texts, texts)

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """Many vectors per image: Pillow images or uint8 arrays."""
        return self.prepared([self.prepare(image) for image in images], role)

    def prepare(self, image: Any) -> Any:
        """One image, decoded; the processor does the rest, on batches."""
        return rgb(image)

    def prepared(self, images: Sequence[Any], role: Role) -> Embeddings:
        """Many vectors per prepared image."""
        return self._embed(self._loaded.images, images)

    def _embed(
        self, process: Callable[[list[Any]], Mapping[str, Any]], items: Sequence[Any]
    ) -> Embeddings:
        device = device_of(self.device)
        vectors = [np.empty((0, self._loaded.width), np.float32)]
        sizes = []
        for start in range(0, len(items), self.batch):
            with told(f"{self.path} cannot read these items"):
                inputs = process(list(items[start : start + self.batch]))
            real_tokens: Array = inputs["attention_mask"].bool().numpy()
            moved = {name: value.to(device) for name, value in inputs.items()}
            vectors.append(forward(self._loaded.call, moved, self.precision, device)[real_tokens])
            sizes.append(real_tokens.sum(1))
        flat = unit(np.concatenate(vectors), str(self))
        return Embeddings(
            flat, offsets_of(np.concatenate(sizes) if sizes else np.empty(0, np.int64))
        )

    @cached_property
    def _folders(self) -> tuple[Path, Path | None, str]:
        """The model's folder, that of its base if it is an adapter, and its revision."""
        if importlib.util.find_spec("colpali_engine") is None:
            raise MissingExtra("encoder 'late'", "late")
        folder, revision = located(self.path, self.revision)
        adapter = folder / "adapter_config.json"
        if not adapter.is_file():
            return folder, None, revision
        with told(f"'{adapter}' cannot be read"):
            named = self.base or str(
                json.loads(adapter.read_text("utf-8"))["base_model_name_or_path"]
            )
        if not self.base and not revision and not Path(named).is_dir():
            hint = "Give its folder or hub id, as in (base=FOLDER)."
            raise DataError(
                f"'{self.path}' holds an adapter on {named}, which is not on this machine.", hint
            )
        return folder, located(named)[0], revision

    @cached_property
    def _loaded(self) -> _LoadedLate:
        folder, base, revision = self._folders
        with LOADING:
            repair_torchvision()
            precision = precision_of(self.precision, device_of(self.device))
            return _loaded(
                folder,
                base,
                revision,
                self.device,
                precision,
                self.backend,
                state(_files(self._folders)),
            )


def _files(folders: tuple[Path, Path | None, str]) -> list[Path]:
    files = [
        path
        for folder in folders[:2]
        if folder is not None
        for path in (*weights_of(folder), *settings_of(folder))
    ]
    if not any(path.name == "config.json" for path in files) or not weights_of(folders[0]):
        raise DataError(
            f"'{folders[0]}' is not a saved model: config.json or weights are missing.", _FOLDER
        )
    return files


class _LoadedLate:
    """A model with its processor, called alike whatever the library."""

    def __init__(self, model: Any, processor: Any, facts: dict[str, Any]) -> None:
        self.model, self.processor, self.facts = model, processor, facts
        self.width: int = getattr(model, "dim", None) or model.config.embedding_dim

    def queries(self, texts: list[str]) -> Mapping[str, Any]:
        return self._typed(self.processor.process_queries(texts))

    def texts(self, texts: list[str]) -> Mapping[str, Any]:
        # transformers' own ports only know queries
        if not hasattr(self.processor, "process_texts"):
            start = self.processor.tokenizer.bos_token if self.facts["family"] == "colpali" else ""
            return self._typed(
                self.processor.tokenizer(
                    [start + text for text in texts], return_tensors="pt", padding="longest"
                )
            )
        return self._typed(self.processor.process_texts(texts))

    def images(self, images: list[Any]) -> Mapping[str, Any]:
        inputs = dict(self.processor.process_images(images))
        # only training needs the labels
        inputs.pop("labels", None)
        return inputs

    def call(self, **inputs: Any) -> Any:
        """(items, tokens, dimensions)."""
        output = self.model(**inputs)
        if hasattr(output, "embeddings"):
            return output.embeddings
        return output

    def _typed(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The inputs, with types of tokens for PaliGemma.

        Without types it reads a text alone as a whole, as in training, but from left to right in a
        batch of texts of different lengths.
        """
        if self.facts["family"] not in ("paligemma", "colpali"):
            return inputs
        return {**inputs, "token_type_ids": inputs["input_ids"] * 0}


@lru_cache(maxsize=2)
def _loaded(
    folder: Path,
    base: Path | None,
    revision: str,
    device: str,
    precision: str,
    backend: str,
    files: Any,
) -> _LoadedLate:
    """The model in a folder; ``files`` distinguishes one state of the folder from the next."""
    import transformers

    with quiet():
        with told(f"The config of '{base or folder}' cannot be read", _FOLDER):
            kind = transformers.AutoConfig.from_pretrained(
                base or folder, local_files_only=True, trust_remote_code=False
            ).model_type
        if kind not in FAMILIES:
            hint = (
                f"Known: {', '.join(FAMILIES)}. Models of one vector per item are for hf: or st:."
            )
            raise DataError(
                f"'{folder}' is a {kind}, which is no family of late interaction that we know.",
                hint,
            )
        library = importlib.import_module(FAMILIES[kind].library)
        model = _weights(getattr(library, FAMILIES[kind].model), folder, base, precision)
        settings = folder if any(folder.glob("*processor_config.json")) else base or folder
        with told(
            f"'{settings}' holds no processor of {FAMILIES[kind].model} that can be read", _FOLDER
        ):
            processor = getattr(library, FAMILIES[kind].processor).from_pretrained(
                settings, local_files_only=True
            )
            processor.image_processor = transformers.AutoImageProcessor.from_pretrained(
                settings, local_files_only=True, backend=backend
            )
    facts = {
        "family": kind,
        "class": f"{FAMILIES[kind].library}.{FAMILIES[kind].model}",
        "base": "" if base is None else str(base),
        "revision": revision,
        "preprocessing": getattr(processor.image_processor, "backend", backend),
        "image_processor": type(processor.image_processor).__name__,
        "libraries": versions(
            "colpali_engine", "transformers", "tokenizers", "peft", "torch", "pillow"
        ),
    }
    return _LoadedLate(model.to(device_of(device)).eval(), processor, facts)


def _weights(kind: Any, folder: Path, base: Path | None, precision: str) -> Any:
    """The model with all its weights: the library would fill gaps with random numbers."""
    import torch

    dtype = getattr(torch, _DTYPES[precision])
    with told(f"The weights of '{base or folder}' cannot be read as {kind.__name__}", _FOLDER):
        model, info = kind.from_pretrained(
            base or folder, dtype=dtype, local_files_only=True, output_loading_info=True
        )
    lacking = sorted(name for name in info["missing_keys"] if "lm_head" not in name)
    if lacking:
        hint = "Give a checkpoint trained for late interaction, with its projection."
        raise DataError(
            (
                f"The weights of '{base or folder}' lack {len(lacking)} parts of "
                f"{kind.__name__}, such as {lacking[0]}."
            ),
            hint,
        )
    # nobody needs the next word, and its scores would fill the memory
    if hasattr(getattr(model, "model", None), "lm_head"):
        model.model.lm_head = torch.nn.Identity()
    if base is not None:
        with told(f"The adapter in '{folder}' cannot be read", _FOLDER):
            model.load_adapter(str(folder))
    return model
