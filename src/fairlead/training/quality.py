"""How good ``lite`` is: ranks of the right image for each caption, and gender by prompts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fairlead.types.ragged import Array

PROMPTS = (
    "a photo of {}",
    "a portrait of {}",
    "a close-up photo of {}",
    "a picture of {}",
    "a face of {}",
)
PEOPLE = ("a woman", "a man")
"""The two that are told apart; in the order of ``photos.GENDERS``."""
_CAPTIONS = 1024


def ranks(images: Array, texts: Array, owner: Array) -> Array:
    """(texts,) how many images are nearer to a text than its own; 0 is the best."""
    places = []
    for start in range(0, len(texts), _CAPTIONS):
        scores = texts[start : start + _CAPTIONS] @ images.T
        own_scores = scores[np.arange(len(scores)), owner[start : start + _CAPTIONS], None]
        places.append((scores > own_scores).sum(1))
    return np.concatenate(places)


def gender_hits(
    images: Array,
    gender: Array,
    texts: Callable[[Sequence[str]], Array],
    templates: Sequence[str] = PROMPTS,
) -> Array:
    """(images,) whether the right prompts are nearer to a face, on average, than the wrong ones."""
    classes = np.stack(
        [texts([prompt.format(one) for prompt in templates]).mean(0) for one in PEOPLE]
    )
    return (images @ classes.T).argmax(1) == gender
