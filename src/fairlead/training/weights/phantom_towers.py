"""The phantom's towers, from their ONNX files back into torch, and out again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from fairlead.encoders.towers import device_of
from fairlead.errors import UsageError
from fairlead.phantom.encoder import PhantomEncoder, pictures_of, weights_file
from fairlead.phantom.text import byte_codes
from fairlead.training.export import export
from fairlead.training.towers import ImageTower, TextTower, rounded
from fairlead.training.world import Dose

# The same as in the phantom's own training.
_TEMPERATURE = 0.07
# What the export adds to the name of a weight that it keeps in half precision.
_HALF = "_half"


class Prompted(nn.Module):
    """A text tower that reads a prompt before every text."""

    def __init__(self, text: TextTower, prompt: Tensor) -> None:
        super().__init__()
        self.text, self.prompt = text, nn.Parameter(prompt)

    def forward(self, codes: Tensor) -> Tensor:
        """(n, WIDTH) unit vectors."""
        return prompted(self.text, codes, self.prompt)


def prompted(text: TextTower, codes: Tensor, prompt: Tensor) -> Tensor:
    """(n, WIDTH) unit vectors of byte codes with a prompt (tokens, 48) before them."""
    before = prompt[None].expand(codes.shape[0], -1, -1)
    present = torch.cat(
        [torch.ones_like(codes[:, : prompt.shape[0]], dtype=torch.bool), codes > 0], 1
    )
    return text.pooled(torch.cat([before, text.bytes(codes)], 1), present)


class PhantomTowers:
    """The two towers of a phantom of a trained dose."""

    def __init__(self, encoder: PhantomEncoder) -> None:
        names = encoder.text_towers
        if len(names) != 1:
            raise UsageError(
                f"{encoder} stands between two trained text towers, so there is none to train on.",
                "Give a dose of 0, 0.5 or 1.",
            )
        self.encoder, self.name = encoder, names[0]
        self.device = device_of("auto")
        self.image = _restored(ImageTower(), encoder, "image").to(self.device)
        self.text = _restored(TextTower(), encoder, self.name).to(self.device)
        self.picture_modules = (self.image,)
        self.text_modules = (self.text,)
        self.temperature = _TEMPERATURE
        self.token_width = int(self.text.bytes.embedding_dim)

    @property
    def world(self) -> Dose:
        """The phantom's own, at the dose it was trained with."""
        kind, dose = self.encoder.kind, self.encoder.dose
        if kind == "language":
            return Dose(language=dose)
        if kind == "culture":
            return Dose(culture=dose)
        return Dose(people=dose, kind=kind)

    def pictures(self, images: Sequence[Any]) -> Tensor:
        return torch.from_numpy(pictures_of(images))

    def tokens(self, texts: Sequence[str]) -> Tensor:
        return torch.from_numpy(byte_codes(texts))

    def see(self, pictures: Tensor) -> Tensor:
        return self.image(pictures)  # type: ignore[no-any-return]

    def read(self, tokens: Tensor, prompt: Tensor | None = None) -> Tensor:
        # padding only costs time
        codes = tokens[:, : max(1, int((tokens > 0).sum(1).max()))]
        if prompt is None:
            return self.text(codes)
        return prompted(self.text, codes, prompt)

    def settle(self, prompt: Tensor | None) -> Tensor | None:
        rounded(self.image)
        rounded(self.text)
        if prompt is None:
            return None
        return prompt.detach().half().float()

    def write(self, folder: Path, prompt: Tensor | None) -> None:
        text = self.text if prompt is None else Prompted(self.text, prompt.cpu())
        export(self.image.cpu(), folder / "image.onnx")
        export(text.cpu(), folder / f"{self.name}.onnx")

    def spec(self, place: str) -> str:
        return str(PhantomEncoder(self.encoder.dose, self.encoder.kind, place))


def _restored(tower: Any, encoder: PhantomEncoder, name: str) -> Any:
    """A tower with the weights from its file."""
    from onnx import load_from_string, numpy_helper

    stored = load_from_string(weights_file(encoder.weights, name)).graph.initializer
    weights = {
        one.name.removesuffix(_HALF): torch.from_numpy(numpy_helper.to_array(one).astype("float32"))
        for one in stored
    }
    if any(key.startswith("text.") for key in weights):
        raise UsageError(
            f"{encoder} has a prompt before its texts, and is not trained on.",
            "Start from the model it was made from.",
        )
    expected = tower.state_dict()
    # numbers of batches seen, which no file keeps
    counted = {key: value for key, value in expected.items() if not value.is_floating_point()}
    tower.load_state_dict(
        {
            **counted,
            **{
                key: weights[key].reshape(expected[key].shape)
                for key in expected
                if key not in counted
            },
        }
    )
    return tower.eval()
