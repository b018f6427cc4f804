"""What encoders on torch share: device, precision, stacked arrays, forward passes."""

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
    """``fp32``, ``fp16`` or ``bf16``: the meaning of ``auto`` on a device."""
    if choice != "auto":
        return choice
    if device.type == "cuda":
        return "bf16"
    return "fp32"


def moved(rows: Sequence[Mapping[str, Array]], device: Any) -> dict[str, Any]:
    """Arrays of equal shape, stacked into tensors (rows, ...) and moved once."""
    import torch

    tensors = {}
    for key, first in rows[0].items():
        kind = torch.from_numpy(np.empty(0, first.dtype)).dtype
        # memory that is pinned moves to a GPU without waiting
        stacked = torch.empty(
            (len(rows), *first.shape), dtype=kind, pin_memory=device.type == "cuda"
        )
        np.stack([row[key] for row in rows], out=stacked.numpy())
        tensors[key] = stacked.to(device, non_blocking=True)
    return tensors


def ahead(make: Callable[[Any], Any], parts: Sequence[Any], device: Any) -> Iterator[Any]:
    """Yield ``make(part)`` in order; with a GPU, a thread is one part ahead."""
    if device.type != "cuda" or len(parts) < 2:
        yield from map(make, parts)
        return
    yield from one_ahead(make, parts)


def one_ahead(make: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
    """Yield ``make(part)`` in order, on a thread that is one part ahead."""
    # starting a model's work takes Python's time too
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(make, parts[0])
        for part in parts[1:]:
            ready, waiting = waiting, pool.submit(make, part)
            yield ready.result()
        yield waiting.result()


def forward(
    call: Callable[..., Any], inputs: Mapping[str, Any], precision: Precision, device: Any
) -> Array:
    """The float32 output of ``call(**inputs)``: no gradients, autocast if half precision."""
    return forwards(call, [inputs], precision, device)


def forwards(
    call: Callable[..., Any], parts: Iterable[Mapping[str, Any]], precision: Precision, device: Any
) -> Array:
    """The same for several parts, joined."""
    return begun(call, parts, precision, device)()


def begun(
    call: Callable[..., Any], parts: Iterable[Mapping[str, Any]], precision: Precision, device: Any
) -> Callable[[], Array]:
    """The same, begun: call the result to wait for the numbers."""
    import torch

    half = _HALVES.get(precision_of(precision, device))
    if half is None:
        casting = nullcontext()
    else:
        casting = torch.autocast(device.type, dtype=getattr(torch, half))
    with _told(device), torch.inference_mode(), casting:
        # copied into pinned memory as soon as they are there: a later copy would wait for the work
        # that was begun after this
        numbers = (
            torch.cat([call(**inputs) for inputs in parts])
            .float()
            .to("cpu", non_blocking=device.type == "cuda")
        )
        finished = (
            torch.cuda.current_stream(device).record_event() if device.type == "cuda" else None
        )

    def wait() -> Array:
        with _told(device):
            if finished is not None:
                finished.synchronize()
            return numbers.numpy()

    return wait


@contextmanager
def _told(device: Any) -> Iterator[None]:
    """Report torch's errors in a forward pass in our words."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        raise BackendError(
            f"The device {device} is out of memory.", "Give a smaller batch, as in (batch=16)."
        ) from error
    except (RuntimeError, ValueError) as error:
        raise BackendError(f"The model failed on its inputs: {words_of(error)}.") from error
