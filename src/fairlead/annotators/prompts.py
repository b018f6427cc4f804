"""Prompts of zero-shot annotators: the names of groups, and the texts that stand for them.

Prompts are written ``one|two|neutral``: one for each group and, where there is one more, a neutral
one at the end, the N/A class of the paper (whose lists put it first). An item goes to the prompt
with the largest cosine; soft labels are

    share_g = exp(cos_g / temperature) / sum over all prompts of exp(cos / temperature)

so what the neutral prompt takes is unknown. The temperature is the only thing that can be
calibrated: with the default, .01, shares are those of a CLIP model as it was trained, and not
calibrated for your pictures; ``fairlead annotate evaluate`` says which temperature is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairlead.annotators.asked import cannot
from fairlead.errors import DataError, UsageError
from fairlead.protocols import Encoder, Role
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Embeddings, Groups
from fairlead.types.ragged import Array

Neutral = Literal["unknown", "not-applicable", "none"]
NAMES: Mapping[str, tuple[str, ...]] = {"gender": ("female", "male"), "skin": ("dark", "light")}
"""Groups of the attributes that have prompts of their own."""
# The scale that CLIP models were trained with.
TEMPERATURE = 0.01


@dataclass(frozen=True)
class Prompts:
    """The groups of an attribute with their texts; the neutral text, if there is one, is last."""

    names: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def neutral(self) -> bool:
        """Whether the last text is the neutral one."""
        return len(self.texts) > len(self.names)


def choose(annotator: Any, attribute: str, defaults: Mapping[str, tuple[str, ...]]) -> Prompts:
    """The prompts of an annotator for an attribute: those it was given, or its own.

    Raises:
        UsageError: Where it has none, or groups and prompts do not fit together.
    """
    if not annotator.prompts and attribute not in defaults:
        error = cannot(annotator, attribute, defaults)
        raise UsageError(
            error.message,
            f'{error.hint} For others give prompts="one|two|neutral" and groups="a|b".',
        )
    texts = split(annotator.prompts) or defaults[attribute]
    # Prompts of one's own for gender mean its usual groups; for other attributes a group is called
    # what its prompt says.
    usual = texts
    if attribute in NAMES and len(texts) - len(NAMES[attribute]) in (0, 1):
        usual = NAMES[attribute]
    names = split(annotator.groups) or usual
    if len(texts) - len(names) not in (0, 1) or len(names) < 2:
        hint = "Give one prompt for each group and, if you like, a neutral one at the end."
        raise UsageError(f"{annotator} has {len(texts)} prompts for {len(names)} groups.", hint)
    if annotator.neutral == "none":
        texts = texts[: len(names)]
    return Prompts(names, texts)


def split(text: str) -> tuple[str, ...]:
    """The parts of ``one|two|three``; none of an empty text."""
    if not text:
        return ()
    return tuple(part.strip() for part in text.split("|"))


def check(annotator: Any) -> None:
    """Refuse parameters that make no labels."""
    for name in ("prompts", "groups"):
        parts = split(getattr(annotator, name))
        if "" in parts or len(set(parts)) < len(parts):
            raise UsageError(
                f"{annotator.name}({name}=...) has an empty part, or one twice.",
                "Write them as one|two|three.",
            )
    if annotator.temperature <= 0:
        raise UsageError(
            f"{annotator.name}(temperature={annotator.temperature:g}) is not above 0.",
            f"CLIP's own is {TEMPERATURE:g}.",
        )


def image_vectors(annotator: Any, images: Sequence[str] | None, encoder: Encoder | None) -> Array:
    """(images, dimensions) unit vectors."""
    if images is None:
        raise DataError(
            f"{annotator} looks at pictures, and the collection has none.",
            "Give a collection of images.",
        )
    return _vectors(annotator, _seeing(annotator, encoder).images(images, "item"))


def text_vectors(
    annotator: Any, texts: Sequence[str], encoder: Encoder | None, role: Role = "query"
) -> Array:
    """(texts, dimensions) unit vectors.

    Raises:
        UsageError: Where the encoder reads no texts.
    """
    try:
        embeddings = _seeing(annotator, encoder).texts(texts, role)
    except (UsageError, DataError) as error:
        raise UsageError(
            (
                f"{annotator} compares pictures with texts, and {encoder} cannot give it "
                f"vectors of texts: {error.message}"
            ),
            "Take a model with a text tower, with --model or model=...",
        ) from error
    return _vectors(annotator, embeddings)


def _seeing(annotator: Any, encoder: Encoder | None) -> Encoder:
    if encoder is None:
        raise UsageError(
            f"{annotator} needs a model to see with.", "Name one with --model, e.g. hf:DIR."
        )
    return encoder


def _vectors(annotator: Any, embeddings: Embeddings) -> Array:
    if embeddings.offsets is not None:
        raise UsageError(
            f"{annotator} needs one vector for each picture and text; this model gives many.",
            "Take another --model.",
        )
    # Not every encoder gives unit vectors.
    vectors = np.asarray(embeddings.vectors, np.float64)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def labels(
    annotator: Any, attribute: str, prompts: Prompts, cosines: Array, encoder: Encoder | None
) -> Groups:
    """Groups from (items, prompts) cosines, hard or soft as the annotator says; ties go to the
    first prompt.
    """
    groups, source = len(prompts.names), f"{annotator} by {encoder}"
    absent = UNKNOWN
    if annotator.neutral == "not-applicable":
        absent = NOT_APPLICABLE
    best = cosines.argmax(1)
    if not annotator.soft:
        return Groups(
            attribute,
            prompts.names,
            codes=np.where(best < groups, best, absent).astype(np.int16),
            source=source,
        )
    # The neutral prompt takes part and is cut off: what it takes is what the rest lack to 1.
    shares = softmax(cosines / annotator.temperature)[:, :groups]
    neutral = (best == groups) & (absent == NOT_APPLICABLE)
    return Groups(
        attribute,
        prompts.names,
        soft=np.where(neutral[:, None], 0.0, shares),
        not_applicable=neutral,
        source=source,
    )


def softmax(values: Array) -> Array:
    """Shares (rows, columns) that sum to 1 in each row."""
    powers = np.exp(values - values.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def known(annotator: Any, defaults: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What an annotator can label without being told; nothing where it was given prompts."""
    if annotator.prompts:
        return ()
    return tuple(defaults)
