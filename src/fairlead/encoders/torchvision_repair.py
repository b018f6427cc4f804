"""A way round a torchvision that cannot be imported beside a torch built for the CPU.

Its compiled operators link libraries of CUDA, which that torch does not bring, so they never load,
and the import stops with "operator torchvision::nms does not exist". Image models need only its
transforms: with those operators declared, and no more, torchvision imports, and with it open_clip
and transformers. Its detection operators and codecs stay dead. Call ``repair_torchvision()`` before
the first import of any library that imports torchvision.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from threading import Lock
from typing import Any

_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_SYMPTOM = "operator torchvision::"
# A library of operators lives as long as its object.
_declared: list[Any] = []
_lock = Lock()


def repair_torchvision() -> None:
    """Make torchvision importable where it fails for this very reason; else do nothing."""
    with _lock:
        if "torchvision" in sys.modules or importlib.util.find_spec("torchvision") is None:
            return
        try:
            importlib.import_module("torchvision")
        except RuntimeError as error:
            if _SYMPTOM not in str(error):
                raise
            from torch.library import Library

            for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
                # left behind by the failed import
                del sys.modules[name]
            library = Library("torchvision", "FRAGMENT")
            for schema in _SCHEMAS:
                library.define(schema)
            _declared.append(library)
            importlib.import_module("torchvision")
