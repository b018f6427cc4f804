"""``open_clip:ARCH/TAG``, ``open_clip:ARCH/FILE``, ``open_clip:FOLDER``, ``open_clip:hf-hub:ID``:
models of open_clip.

A folder holds open_clip_config.json and the weights, as open_clip saves them. A file is
.safetensors or .pt (read with ``weights_only``), with an architecture that open_clip knows by name.
A tag is fetched by open_clip, being named.

A file of weights says nothing of how pictures were prepared in training, and open_clip then assumes
what OpenAI's CLIP did, which is wrong for SigLIP and others: ``about`` warns. ``like=TAG`` takes
preprocessing and activation from published weights of the architecture.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from fairlead.encoders.folders import located, reached, settings_of, state, told
from fairlead.encoders.open_clip_prompt import (
    FILE,
    prompt_before,
    read_prompt,
    table_of,
    with_places,
)
from fairlead.encoders.pixels import PixelRecipe, proven
from fairlead.encoders.quiet import versions
from fairlead.encoders.torchvision_repair import repair_torchvision
from fairlead.encoders.towers import device_of
from fairlead.encoders.two_towers import Loaded, TwoTowers
from fairlead.errors import (
    BackendError,
    DataError,
    MissingExtra,
    UsageError,
    unknown_name,
    words_of,
)
from fairlead.protocols.reach import FILES, HUB, Reach, Things
from fairlead.protocols.spec import Spec
from fairlead.store.versions import refuse_other_folder
from fairlead.types.ragged import Array

_FORM = "Write open_clip:ARCH/TAG, open_clip:ARCH/FILE or open_clip:FOLDER."
_FOLDER = "Give a folder with open_clip_config.json and open_clip_model.safetensors."
_WEIGHTS = (".safetensors", ".pt", ".pth", ".bin", ".ckpt")
_PREPARING = ("mean", "std", "interpolation", "resize_mode")


def _reached(spec: Spec) -> Things:
    """What a choice reaches: a folder and a file are here, a tag and a hub id are fetched."""
    path = spec.address or ""
    _, _, weights = path.partition("/")
    if path.startswith("hf-hub:"):
        return HUB
    folder = path.removeprefix("local-dir:")
    if reached(folder) == FILES:
        return _named_in(Path(folder).expanduser())
    return reached(weights)


def _named_in(folder: Path) -> Things:
    """What a folder reaches: its config may name a model of the hub that reads the texts."""
    try:
        settings = json.loads((folder / "open_clip_config.json").read_text("utf-8"))
        named = settings["model_cfg"]["text_cfg"]["hf_model_name"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return FILES
    return reached(str(named))


@dataclass(frozen=True)
class OpenCLIP(TwoTowers):
    """A model of open_clip; a file of weights can share the preprocessing of weights named
    ``like``.
    """

    like: str = ""

    name: ClassVar[str] = "open_clip"
    reaches: ClassVar[Reach] = Reach(HUB, _reached)

    def _load(self) -> Loaded:
        source = _source(self.path, self.like)
        return _loaded(self.path, self.like, self.device, state(source.files))

    @property
    def loaded(self) -> Any:
        """The model with its tokenizer and its preprocessing."""
        return self._loaded

    def settings(self) -> dict[str, Any]:
        """The model's open_clip_config.json, or what it would contain: architecture and
        preprocessing.
        """
        source = _source(self.path, self.like)
        if source.folder is not None:
            return dict(json.loads((source.folder / "open_clip_config.json").read_text("utf-8")))
        arch = dict(source.config["arch"]) | (
            {"quick_gelu": True} if source.config.get("quick") else {}
        )
        return {"model_cfg": arch, "preprocess_cfg": dict(source.config["preprocess"])}

    def _files(self) -> list[Path]:
        return _source(self.path, self.like).files

    def _moving(self) -> tuple[str, ...]:
        return (self.precision, json.dumps(_source(self.path, self.like).config, sort_keys=True))


@dataclass(frozen=True)
class _Source:
    """Where a model comes from, in open_clip's words."""

    model: str
    files: list[Path]
    pretrained: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    """What the files do not say: architecture, preprocessing, activation."""
    folder: Path | None = None
    revision: str = ""
    warnings: tuple[str, ...] = ()


class _OpenClipModel(Loaded):
    """A model of open_clip with its tokenizer and its transform of pictures."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        transform: Any,
        facts: Mapping[str, Any],
        warnings: Sequence[str],
        prompt: Any = None,
    ) -> None:
        super().__init__(facts, warnings)
        self.model = model
        self.tokenizer = tokenizer
        self.transform = transform
        self.prompt = prompt
        self.limit = int(tokenizer.context_length) - (0 if prompt is None else len(prompt))
        self.prompting = Lock()
        recipe = _recipe(model.visual.preprocess_cfg)
        self.recipe = proven(recipe, lambda image: self.picture(image)["pixel_values"])

    def tokens(self, texts: Sequence[str]) -> Mapping[str, Any]:
        tokens = self.tokenizer(list(texts))
        return {"text": tokens if self.prompt is None else with_places(tokens, len(self.prompt))}

    def length(self, text: str) -> int:
        inner = getattr(self.tokenizer, "tokenizer", None)
        if inner is None:
            return len(self.tokenizer.encode(text)) + 2
        return len(inner(text)["input_ids"])

    def text(self, **inputs: Any) -> Any:
        if self.prompt is None:
            return self.model.encode_text(inputs["text"])
        with self.prompting, prompt_before(self.model, self.prompt):
            return self.model.encode_text(inputs["text"])

    def picture(self, image: Any) -> Mapping[str, Array]:
        return {"pixel_values": self.transform(image).numpy()}

    def image(self, **inputs: Any) -> Any:
        return self.model.encode_image(inputs["pixel_values"])


def _library() -> Any:
    try:
        repair_torchvision()
        import open_clip
    except ModuleNotFoundError as error:
        raise MissingExtra("encoder 'open_clip'", "open-clip") from error
    return open_clip


def _source(path: str, like: str) -> _Source:
    """The source that a path means."""
    folder = path.removeprefix("local-dir:")
    if path.startswith("hf-hub:"):
        hub = path.removeprefix("hf-hub:")
        copy, revision = located(hub)
        # other weights there may be for transformers
        if not any(copy.glob("open_clip*.safetensors")):
            located(hub, also=("open_clip*.bin",))
        return _in_folder(copy, like, revision)
    if folder != path or Path(folder).expanduser().is_dir():
        if not Path(folder).expanduser().is_dir():
            raise DataError(f"There is no folder '{folder}'.", _FOLDER)
        return _in_folder(Path(folder).expanduser(), like, "")
    if path.startswith(("/", ".", "~")):
        raise DataError(
            f"There is no folder '{path}'.",
            f"{_FOLDER} A file of weights needs its architecture: open_clip:ARCH/FILE.",
        )
    arch, _, weights = path.partition("/")
    library = _library()
    if arch not in library.list_models():
        raise unknown_name("architecture of open_clip", arch, library.list_models())
    tags = library.list_pretrained_tags_by_model(arch)
    if not weights:
        raise UsageError(
            f"open_clip:{arch} names no weights.",
            f"{_FORM} Published tags: {', '.join(tags) or 'none'}.",
        )
    published = _published(library, arch, like or weights)
    if like and not published:
        raise unknown_name(f"tag of {arch}", like, tags)
    if Path(weights).expanduser().is_file():
        return _in_file(library, arch, Path(weights).expanduser(), published)
    if like:
        raise UsageError(
            f"open_clip:{path} is no file of weights, and takes no like={like}.",
            "A published tag brings its own preprocessing.",
        )
    if "/" in weights or weights.endswith(_WEIGHTS):
        raise DataError(f"There is no file '{weights}'.", _FORM)
    if not published:
        raise unknown_name(f"tag of {arch}", weights, tags)
    return _Source(
        arch,
        [_fetched(arch, weights)],
        weights,
        {"arch": library.get_model_config(arch), **_prepared_by(published)},
    )


@lru_cache(maxsize=64)
def _fetched(arch: str, tag: str) -> Path:
    """The published weights of a tag, requested once."""
    library = _library()
    try:
        return Path(library.download_pretrained(_published(library, arch, tag)))
    # its errors come from several network libraries
    except Exception as error:
        raise BackendError(
            f"The weights {arch}/{tag} cannot be fetched: {words_of(error)}.",
            "Give a file or a folder instead.",
        ) from error


def _published(library: Any, arch: str, tag: str) -> dict[str, Any]:
    return dict(library.get_pretrained_cfg(arch, tag))


def _in_folder(folder: Path, like: str, revision: str) -> _Source:
    if like:
        raise UsageError(
            f"'{folder}' is a folder, and takes no like={like}.",
            "Its open_clip_config.json says how pictures are prepared.",
        )
    refuse_other_folder(folder)
    config = folder / "open_clip_config.json"
    with told(f"{config} cannot be read", _FOLDER):
        settings = json.loads(config.read_text("utf-8"))
        stated = set(settings["model_cfg"]) and set(settings.get("preprocess_cfg") or {})
    # open_clip itself decides which of them it reads
    files = sorted(
        path for path in folder.iterdir() if path.suffix in (".safetensors", ".bin", ".pth")
    )
    if not files:
        raise DataError(f"'{folder}' holds no weights.", _FOLDER)
    lacking = [name for name in ("mean", "std") if name not in stated]
    warning = (
        f"{config} does not say how pictures are prepared ({', '.join(lacking)}): what "
        "OpenAI's CLIP did is assumed. "
    ) + _WRONG
    prompts = [path for path in [folder / FILE] if path.is_file()]
    all_files = files + settings_of(folder) + prompts
    return _Source(
        f"local-dir:{folder}",
        all_files,
        folder=folder,
        revision=revision,
        warnings=(warning,) if lacking else (),
    )


_WRONG = "If the model was trained with another preprocessing, its vectors are wrong."


def _in_file(library: Any, arch: str, file: Path, like: Mapping[str, Any]) -> _Source:
    if file.suffix not in _WEIGHTS:
        raise DataError(f"'{file}' is not a file of weights.", f"Accepted: {', '.join(_WEIGHTS)}.")
    config = {"arch": library.get_model_config(arch), **_prepared_by(like)}
    if like:
        return _Source(arch, [file], str(file), config)
    tags = library.list_pretrained_tags_by_model(arch)
    assumed = _prepared_by({})
    other = sorted(tag for tag in tags if _prepared_by(_published(library, arch, tag)) != assumed)
    warning = (
        f"'{file}' does not say how pictures are prepared: what OpenAI's CLIP did is assumed. "
        + _WRONG
    )
    warning += (
        f" Published weights of {arch} with another: {', '.join(other)}; choose one with like=TAG."
        if other
        else ""
    )
    return _Source(arch, [file], str(file), config, warnings=(warning,))


def _prepared_by(published: Mapping[str, Any]) -> dict[str, Any]:
    """Preprocessing and activation of published weights; without any, open_clip's defaults."""
    from open_clip.transform import PreprocessCfg

    preparing = {name: published.get(name) or getattr(PreprocessCfg, name) for name in _PREPARING}
    return {
        "preprocess": {n: list(v) if isinstance(v, tuple) else v for n, v in preparing.items()},
        "quick": bool(published.get("quick_gelu")),
    }


@lru_cache(maxsize=4)
def _loaded(path: str, like: str, device: str, files: tuple[Any, ...]) -> Loaded:
    """The model behind a path; ``files`` distinguishes one state of its files from the next."""
    library = _library()
    source = _source(path, like)
    place = device_of(device)
    with _silent(), told(f"'{path}' cannot be read as a model of open_clip", _FORM):
        model = library.create_model(
            source.model,
            pretrained=source.pretrained,
            force_quick_gelu=bool(source.config.get("quick")),
            force_preprocess_cfg=source.config.get("preprocess"),
            require_pretrained=True,
            weights_only=True,
        )
        tokenizer = library.get_tokenizer(source.model)
        transform = library.transform.image_transform_v2(
            library.transform.PreprocessCfg(**model.visual.preprocess_cfg), is_train=False
        )
    facts = {
        "family": type(model).__name__,
        "revision": source.revision,
        "preprocessing": "pil",
        "libraries": versions("open_clip_torch", "torch", "torchvision", "pillow"),
    }
    return _OpenClipModel(
        model.to(place).eval(),
        tokenizer,
        transform,
        facts,
        source.warnings,
        _prompt(source, model, place),
    )


def _prompt(source: _Source, model: Any, place: Any) -> Any:
    """The prompt of a model's folder, on its device; None where it has none."""
    tokens = None if source.folder is None else read_prompt(source.folder)
    if tokens is None:
        return None
    import torch

    width = getattr(table_of(model), "embedding_dim", None)
    if width != tokens.shape[1]:
        raise DataError(
            (
                f"The prompt of '{source.folder}' has {tokens.shape[1]} dimensions, the "
                f"model's tokens {width}."
            ),
            _FOLDER,
        )
    return torch.from_numpy(tokens).to(place)


@contextmanager
def _silent() -> Iterator[None]:
    """Silence open_clip's remarks, which go to the root logger."""
    # what matters of the remarks is checked here and reported in ``about``
    before = logging.root.manager.disable
    logging.disable(max(before, logging.WARNING))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _recipe(settings: Mapping[str, Any]) -> PixelRecipe | None:
    """The plain recipe that open_clip's settings describe, if there is one."""
    size = (
        settings["size"] if isinstance(settings["size"], (tuple, list)) else (settings["size"],) * 2
    )
    if settings["resize_mode"] not in ("shortest", "squash") or (
        settings["resize_mode"] == "shortest" and size[0] != size[1]
    ):
        return None
    square = (int(size[0]), int(size[1]))
    shape: tuple[int, int] | int = square[0] if settings["resize_mode"] == "shortest" else square
    crop = square if isinstance(shape, int) else None
    filters = {"bilinear": 2, "bicubic": 3, "random": 3}
    mean, std = (tuple(float(v) for v in settings[name]) for name in ("mean", "std"))
    return PixelRecipe(
        shape, filters[settings["interpolation"]], crop, 1 / 255, mean, std, rounds=True
    )
