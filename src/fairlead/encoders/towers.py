"""What encoders on torch share: the device, the precision, arrays stacked and moved once, one
forward pass without gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any, Literal

import numpy as np

from fairlead.errors import BackendError, UsageError, words_of
from fairlead.types.ragged import Array

Precision = Literal["auto", "fp32", "fp16", "bf16"]
_HALVES = {"fp16": "float16", "bf16": "bfloat16"}


def device_of(choice: str) -> Any:
    """The torch device of a choice; ``auto`` takes a GPU where there is one (cuda, then mps)."""
    import torch

    works = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if choice == "auto":
        return torch.device(next(name for name, fine in works.items() if fine))
    try:
        device = torch.device(choice)
    except RuntimeError as error:
        raise UsageError(
            f"'{choice}' is not a device.", "Accepted: auto, cpu, cuda, cuda:1, mps."
        ) from error
    if not works.get(device.type, False) or (
        device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count()
    ):
        raise UsageError(
            f"This machine has no device '{choice}'.",
            f"It has {', '.join(name for name, fine in works.items() if fine)}.",
        )
    return device


def precision_of(choice: Precision, device: Any) -> str:
    """``fp32``, ``fp16`` or ``bf16``: what ``auto`` means on a device."""
    if choice != "auto":
        return choice
    if device.type == "cuda":
        return "bf16"
    return "fp32"


def moved(rows: Sequence[Mapping[str, Array]], device: Any) -> dict[str, Any]:
    """Arrays of equal shape stacked into tensors (rows, ...) and moved once; through pinned memory
    where the device is a GPU.
    """
    import torch

    tensors = {}
    for key, first in rows[0].items():
        kind = torch.from_numpy(np.empty(0, first.dtype)).dtype
        stacked = torch.empty(
            (len(rows), *first.shape), dtype=kind, pin_memory=device.type == "cuda"
        )
        np.stack([row[key] for row in rows], out=stacked.numpy())
        tensors[key] = stacked.to(device, non_blocking=True)
    return tensors


def ahead(make: Callable[[Any], Any], parts: Sequence[Any], device: Any) -> Iterator[Any]:
    """``make(part)`` for each part, in order; where the device is a GPU, on a thread that is one
    part ahead of who asks.
    """
    if device.type != "cuda" or len(parts) < 2:
        yield from map(make, parts)
        return
    yield from one_ahead(make, parts)


def one_ahead(make: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
    """``make(part)`` for each part, in order, on a thread that is one part ahead: starting a
    model's work takes Python's time too.
    """
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(make, parts[0])
        for part in parts[1:]:
            made, waiting = waiting, pool.submit(make, part)
            yield made.result()
        yield waiting.result()


def forward(
    call: Callable[..., Any], inputs: Mapping[str, Any], precision: Precision, device: Any
) -> Array:
    """Float32 of what ``call(**inputs)`` gives: without gradients, with autocast where the
    precision is a half one.
    """
    return forwards(call, [inputs], precision, device)


def forwards(
    call: Callable[..., Any], parts: Iterable[Mapping[str, Any]], precision: Precision, device: Any
) -> Array:
    """The same for parts, one after the other: a GPU works on one while the next is stacked, and is
    waited for at the end only.
    """
    return begun(call, parts, precision, device)()


def begun(
    call: Callable[..., Any], parts: Iterable[Mapping[str, Any]], precision: Precision, device: Any
) -> Callable[[], Array]:
    """The same, begun: what it gives waits for the numbers, while a GPU works on them and on what
    is begun after.
    """
    import torch

    half = _HALVES.get(precision_of(precision, device))
    if half is None:
        casting = nullcontext()
    else:
        casting = torch.autocast(device.type, dtype=getattr(torch, half))
    with _told(device), torch.inference_mode(), casting:
        # copied as soon as they are there, into pinned memory: asked for later, they would wait for
        # what was begun after them
        given = (
            torch.cat([call(**inputs) for inputs in parts])
            .float()
            .to("cpu", non_blocking=device.type == "cuda")
        )
        done = torch.cuda.current_stream(device).record_event() if device.type == "cuda" else None

    def wait() -> Array:
        with _told(device):
            if done is not None:
                done.synchronize()
            return given.numpy()

    return wait


@contextmanager
def _told(device: Any) -> Iterator[None]:
    """What torch raises in a forward pass, in our words."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        raise BackendError(
            f"The device {device} is out of memory.", "Give a smaller batch, as in (batch=16)."
        ) from error
    except (RuntimeError, ValueError) as error:
        raise BackendError(f"The model failed on its inputs: {words_of(error)}.") from error
