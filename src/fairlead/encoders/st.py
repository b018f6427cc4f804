"""``st:ID_OR_FOLDER``: models of sentence-transformers, for texts and, where possible, images.

It also loads a plain folder of transformers (CLIP, say), and models that bring their own code, such
as GME-Qwen2 and jina-embeddings-v4: that code runs only with ``trust=true``. Vectors are brought to
unit length here, once, since the library leaves most as they are. Queries and items are encoded as
the model says (its prompts, its routes), or with ``query_prompt`` and ``item_prompt``: the name of
one of its prompts, or the words themselves. ``task`` goes to models that know tasks.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.encoders.folders import digest, located, reached, state, told
from fairlead.encoders.long_texts import CountsLongTexts
from fairlead.encoders.quiet import quiet, versions
from fairlead.encoders.torchvision_repair import repair_torchvision
from fairlead.encoders.towers import Precision, device_of, forward, precision_of
from fairlead.encoders.two_towers import CARD, LOADING
from fairlead.encoders.vectors import rgb, unit
from fairlead.errors import DataError, MissingExtra, UsageError
from fairlead.protocols import Capabilities, Role
from fairlead.protocols.reach import CODE, Reach, Things
from fairlead.protocols.spec import Configured, Spec
from fairlead.types import Embeddings
from fairlead.words.counts import counted

Backend = Literal["pil", "torchvision"]
_FOLDER = "Give a folder that sentence-transformers or transformers saved, or a hub id."
_KEPT = (".json", ".txt", ".model", ".jinja", ".tiktoken", ".py", ".safetensors", ".bin")
# Other formats of the same weights.
_LEFT = ("onnx/*", "openvino/*")
_PROMPTS: dict[Role, tuple[str, ...]] = {
    "query": ("query",),
    "item": ("document", "passage", "corpus"),
}
_ROUTES: dict[Role, str] = {"query": "query", "item": "document"}
_MISSING = re.compile(r"^([\w.]+)\s*\|.*MISSING", re.MULTILINE)


def _reached(spec: Spec) -> Things:
    """What a choice reaches: the model's own code where it is trusted, else what its path says."""
    if dict(spec.args).get("trust", False) is not False:
        return CODE
    return reached(spec.address or "")


@dataclass(frozen=True)
class SentenceTransformers(CountsLongTexts, Configured):
    """A model of sentence-transformers, or a plain folder of a transformers model."""

    path: str
    device: str = "auto"
    precision: Precision = "auto"
    batch: int = 64
    revision: str = ""
    backend: Backend = "pil"
    query_prompt: str = ""
    item_prompt: str = ""
    task: str = ""
    trust: bool = False

    name: ClassVar[str] = "st"
    addressed: ClassVar[str] = "path"
    reaches: ClassVar[Reach] = Reach(CODE, _reached)

    def validate(self) -> None:
        if self.batch < 1:
            raise UsageError(
                f"st(batch={self.batch}) embeds nothing.", "Give a batch of at least 1."
            )

    def __getstate__(self) -> dict[str, Any]:
        # another process loads the model itself
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the model's files, and parameters that change vectors."""
        moving = (self.precision, self.backend, self.query_prompt, self.item_prompt, self.task)
        return digest(_files(self._folder[0]), self.name, *moving)

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself."""
        return Capabilities(card=CARD, batch=self.batch)

    def about(self) -> dict[str, Any]:
        """What the manifest records."""
        loaded, device = self._loaded, device_of(self.device)
        return {
            "model": self.path,
            **loaded.facts,
            "dimensions": loaded.width,
            "device": str(device),
            "precision": precision_of(self.precision, device),
            "trust": self.trust,
            "prompts": {
                role: self._how(role).get("prompt") or self._how(role).get("prompt_name") or ""
                for role in _ROUTES
            },
            "fingerprint": self.fingerprint,
            "warnings": [*loaded.warnings, *self._long.notes(loaded.limit)],
        }

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) unit vectors; texts that are too long are cut, and counted in
        ``about``.
        """
        loaded = self._loaded
        self._long.count(len(texts), sum(map(loaded.too_long, texts)))
        return self._embed([loaded.read(text) for text in texts], role)

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) unit vectors of Pillow images or uint8 arrays, where the model sees
        images.
        """
        return self.prepared([self.prepare(image) for image in images], role)

    def prepare(self, image: Any) -> Any:
        """One image, decoded; the rest of the work is the library's."""
        return rgb(image)

    def prepared(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) unit vectors of images that were prepared."""
        if not self._loaded.model.supports("image"):
            kinds = ", ".join(map(str, self._loaded.model.modalities))
            raise UsageError(
                f"'{self.path}' has no images: it encodes {kinds}.",
                "Give a text-image model, such as a folder of CLIP.",
            )
        return self._embed(list(images), role)

    def _embed(self, items: list[Any], role: Role) -> Embeddings:
        loaded, device = self._loaded, device_of(self.device)
        if not items:
            return Embeddings(np.empty((0, loaded.width), np.float32))
        how = {
            **self._how(role),
            "batch_size": self.batch,
            "show_progress_bar": False,
            "convert_to_tensor": True,
        }
        vectors = forward(lambda: loaded.model.encode(items, **how), {}, self.precision, device)
        return Embeddings(unit(vectors, str(self)))

    def _how(self, role: Role) -> dict[str, Any]:
        """The prompt and the task of a role, in the library's terms."""
        loaded = self._loaded
        words = self.query_prompt if role == "query" else self.item_prompt
        prompts = loaded.model.prompts
        # without a prompt "document" the library adds an empty one, and then overlooks "passage"
        offered = sorted(
            (name for name in _PROMPTS[role] if name in prompts), key=lambda name: not prompts[name]
        )
        name = words or next(iter(offered), None)
        how = {"prompt_name" if name is None or name in prompts else "prompt": name}
        if self.task and not loaded.tasks:
            raise UsageError(f"'{self.path}' knows no tasks (task={self.task}).", "Leave task out.")
        if self.task:
            return {**how, "task": self.task}
        if loaded.tasks and not loaded.routed:
            return how
        return {**how, "task": _ROUTES[role]}

    @cached_property
    def _folder(self) -> tuple[Path, str]:
        _check_installed()
        if "/" in self.path or Path(self.path).exists():
            name = self.path
        else:
            name = f"sentence-transformers/{self.path}"
        return located(
            name, self.revision, "*.bin", also=("*.py",) if self.trust else (), leave=_LEFT
        )

    @cached_property
    def _loaded(self) -> _LoadedSentence:
        folder, revision = self._folder
        with LOADING:
            repair_torchvision()
            precision = precision_of(self.precision, device_of(self.device))
            return _loaded(
                folder,
                revision,
                self.device,
                precision,
                self.backend,
                self.trust,
                state(_files(folder)),
            )


class _LoadedSentence:
    """The library's model, with what is known of it."""

    def __init__(self, model: Any, facts: dict[str, Any], warnings: list[str]) -> None:
        from sentence_transformers.base.modules import Router

        self.model, self.facts, self.warnings = model, facts, warnings
        self.tasks = "task" in model.get_model_kwargs()
        self.routed = any(isinstance(module, Router) for module in model)
        self.limit: int | None = getattr(model, "max_seq_length", None)

    @cached_property
    def width(self) -> int:
        return int(
            self.model.get_embedding_dimension()
            or len(self.model.encode("a", show_progress_bar=False))
        )

    def too_long(self, text: str) -> bool:
        """Whether a text is longer than the model reads, where the library can tell."""
        count = getattr(self.model, "tokenizer", None)
        # a token takes at least one byte; four more leave room for the marks at both ends
        if (
            not self.limit
            or not callable(count)
            or len(text.encode("utf-8", "replace")) + 4 <= self.limit
        ):
            return False
        return len(count(text, verbose=False)["input_ids"]) > self.limit

    def read(self, text: str) -> Any:
        """A text as the library must get it: one like a picture's address stays a text."""
        # the library would open such an address as a picture
        from sentence_transformers.base.modality import infer_modality

        if infer_modality(text, supported_modalities=self.model.modalities) == "text":
            return text
        return {"text": text}


def _check_installed() -> None:
    if importlib.util.find_spec("sentence_transformers") is None:
        raise MissingExtra("encoder 'st'", "st")


def _files(folder: Path) -> list[Path]:
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in _KEPT and path.is_file()]
    files = [
        path
        for path in files
        if not any(path.relative_to(folder).match(pattern) for pattern in _LEFT)
    ]
    if not any(path.name in ("config.json", "modules.json") for path in files):
        raise DataError(
            f"'{folder}' is not a saved model: it holds no modules.json and no config.json.",
            _FOLDER,
        )
    return files


@lru_cache(maxsize=4)
def _loaded(
    folder: Path, revision: str, device: str, precision: str, backend: str, trust: bool, files: Any
) -> _LoadedSentence:
    """The model in a folder; ``files`` distinguishes one state of the folder from the next."""
    from sentence_transformers import SentenceTransformer

    place = str(device_of(device))
    # the model's own processor may not know backends
    reading = {} if trust else {"backend": backend}
    with quiet() as heard, told(f"'{folder}' cannot be loaded by sentence-transformers", _FOLDER):
        try:
            model = SentenceTransformer(
                str(folder),
                device=place,
                local_files_only=not revision,
                trust_remote_code=trust,
                processor_kwargs=reading,
            )
        except ValueError as error:
            if "trust_remote_code" not in str(error):
                raise
            hint = "If you have read that code and trust it, add (trust=true)."
            raise UsageError(
                f"'{folder}' brings code of its own, which is not run unasked.", hint
            ) from error
        model = model.float() if precision == "fp32" else model
    images = getattr(getattr(model, "processor", None), "image_processor", None)
    modules = [type(module).__name__ for module in model]
    facts = {
        "family": getattr(model.config, "model_type", ""),
        "modules": modules,
        "modalities": [str(kind) for kind in model.modalities],
        "revision": revision,
        "preprocessing": getattr(images, "backend", backend) if images is not None else "",
        "image_processor": type(images).__name__ if images is not None else "",
        "libraries": versions(
            "sentence-transformers", "transformers", "tokenizers", "torch", "pillow"
        ),
    }
    return _LoadedSentence(model.eval(), facts, _lacking(heard, folder, modules))


def _lacking(heard: list[str], folder: Path, modules: list[str]) -> list[str]:
    """A warning where the files lack weights: the library fills gaps with random numbers."""
    names = [name for message in heard for name in _MISSING.findall(message)]
    # with a pooling module, the pooler that many text models have is not used
    if "Pooling" in modules:
        names = [name for name in names if "pooler." not in name]
    if not names:
        return []
    return [
        (
            f"The weights in '{folder}' lack {counted(len(names), 'part')}, such as "
            f"{names[0]}: random numbers stand in for them."
        )
    ]
