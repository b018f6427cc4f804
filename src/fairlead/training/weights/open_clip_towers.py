"""The towers of a model of open_clip, as a copy, written the way open_clip writes a model.

That is a config and safetensors.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fairlead.encoders.folders import settings_of
from fairlead.encoders.open_clip import OpenCLIP
from fairlead.encoders.open_clip_prompt import FILE, prompt_before, table_of, with_places
from fairlead.encoders.towers import device_of
from fairlead.errors import UsageError
from fairlead.phantom.references import is_drawing, pixels

_CONFIG = "open_clip_config.json"
_WEIGHTS = "open_clip_model.safetensors"
# Drawings are shown to it with so many pixels a side.
_SIDE = 224


class OpenClipTowers:
    """The two towers of a model of open_clip; all but its scale of similarities can learn."""

    def __init__(self, encoder: OpenCLIP) -> None:
        self.encoder, self.loaded = encoder, encoder.loaded
        if self.loaded.prompt is not None:
            raise UsageError(
                f"{encoder} has a prompt before its texts, and is not trained on.",
                "Start from the model it was made from.",
            )
        if encoder.decode == "gpu":
            raise UsageError(
                f"{encoder} decodes files for embedding only.", "Leave out decode=gpu to train it."
            )
        self.device = device_of(encoder.device)
        self.model = copy.deepcopy(self.loaded.model).to(self.device).float().eval()
        self.temperature = float(1 / self.model.logit_scale.detach().exp().clamp(max=100.0))
        self.picture_modules = (self.model.visual,)
        self.text_modules = (_Rest(self.model),)
        self.token_width = int(getattr(table_of(self.model), "embedding_dim", 0))

    @property
    def world(self) -> None:
        """None: it knows no drawn world."""
        return None

    def pictures(self, images: Sequence[Any]) -> Tensor:
        opened = [pixels([image], _SIDE)[0] if is_drawing(image) else image for image in images]
        prepared = [next(iter(self.encoder.prepare(image).values())) for image in opened]
        return torch.from_numpy(np.stack(prepared))

    def tokens(self, texts: Sequence[str]) -> Tensor:
        with self.loaded.reading:
            return self.loaded.tokenizer(list(texts))  # type: ignore[no-any-return]

    def see(self, pictures: Tensor) -> Tensor:
        numbers = pictures if pictures.is_floating_point() else self.loaded.recipe.numbers(pictures)
        return nn.functional.normalize(self.model.encode_image(numbers), dim=-1)

    def read(self, tokens: Tensor, prompt: Tensor | None = None) -> Tensor:
        if prompt is None:
            return nn.functional.normalize(self.model.encode_text(tokens), dim=-1)
        with prompt_before(self.model, prompt):
            return nn.functional.normalize(
                self.model.encode_text(with_places(tokens, len(prompt))), dim=-1
            )

    def settle(self, prompt: Tensor | None) -> Tensor | None:
        if prompt is None:
            return None
        return prompt.detach()

    def write(self, folder: Path, prompt: Tensor | None) -> None:
        from safetensors.torch import save_file

        path = Path(self.encoder.path.removeprefix("local-dir:")).expanduser()
        for file in settings_of(path) if path.is_dir() else ():
            # a model may have a tokenizer of its own
            shutil.copyfile(file, folder / file.name)
        (folder / _CONFIG).write_text(
            json.dumps(self.encoder.settings(), indent=1, sort_keys=True), "utf-8"
        )
        save_file(
            {
                name: value.detach().cpu().clone().contiguous()
                for name, value in self.model.state_dict().items()
            },
            folder / _WEIGHTS,
        )
        if prompt is not None:
            np.save(folder / FILE, prompt.detach().cpu().numpy())

    def spec(self, place: str) -> str:
        return str(OpenCLIP(place))


class _Rest(nn.Module):
    """Everything in a model but its image tower: the text tower, in whatever module it is."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        seeing = {id(weight) for weight in model.visual.parameters()}
        scale = {
            id(value)
            for value in (model.logit_scale, getattr(model, "logit_bias", None))
            if value is not None
        }
        self.weights = nn.ParameterList(
            [w for w in model.parameters() if id(w) not in seeing | scale]
        )
