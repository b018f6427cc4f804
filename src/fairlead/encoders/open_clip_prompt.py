"""Learnt tokens before the texts of a model of open_clip: ``prompt.npy`` in its folder.

``fairlead train mitigated`` writes it.

Places are kept for them behind the first token of every text, and what the model's own table of
tokens gives there is replaced. So any model of open_clip with such a table can have a prompt, and
its own code reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.types.ragged import Array

FILE = "prompt.npy"
# The token that keeps a place: any will do that is neither padding nor the end.
_PLACE = 1


def table_of(model: Any) -> Any:
    """The module that embeds tokens; None where the library hides it."""
    return getattr(model, "token_embedding", None) or getattr(
        getattr(model, "text", None), "token_embedding", None
    )


def with_places(tokens: Any, count: int) -> Any:
    """(texts, length) tokens with places after the first token; the rest is cut at the end."""
    import torch

    length = tokens.shape[1]
    places = torch.full((len(tokens), count), _PLACE, dtype=tokens.dtype, device=tokens.device)
    longer = torch.cat([tokens[:, :1], places, tokens[:, 1:]], 1)
    cut = longer[:, :length].clone()
    # models that look for the end of a text give it the highest number
    last = tokens.argmax(1)
    pushed_out = last + count >= length
    # the mark of the end must stay, even where it is pushed out
    cut[pushed_out, -1] = tokens[pushed_out, last[pushed_out]]
    return cut


@contextmanager
def prompt_before(model: Any, prompt: Any) -> Iterator[None]:
    """Put a prompt (tokens, width) in the places of every text while the block lasts."""

    def put(module: Any, given: Any, embedded: Any) -> Any:
        import torch

        count = len(prompt)
        rows = prompt.to(embedded.dtype)[None].expand(len(embedded), -1, -1)
        return torch.cat([embedded[:, :1], rows, embedded[:, 1 + count :]], 1)

    hook = table_of(model).register_forward_hook(put)
    try:
        yield
    finally:
        hook.remove()


def read_prompt(folder: Path) -> Array | None:
    """The prompt of a folder, (tokens, width) floats, where it has one."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        prompt = np.load(path, allow_pickle=False).astype(np.float32)
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} cannot be read as a prompt.",
            "Write it again with 'fairlead train mitigated prompt_array'.",
        ) from error
    if prompt.ndim != 2:
        raise DataError(
            f"{path} holds an array of {prompt.ndim} dimensions, not tokens.",
            "Write it again with 'fairlead train mitigated'.",
        )
    return prompt
