"""ONNX Runtime: the one place where it is loaded, always on the processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def open_session(model: bytes | Path, *, threads: int | None = None) -> Any:
    """A model ready to be run; several threads may use it at once.

    Its errors share no base class: who opens a file of a user's catches them all.

    Args:
        model: The file, or its bytes.
        threads: How many it may use; all cores by default.
    """
    import onnxruntime

    # What the user's own program loaded before us had no switch yet.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    # Between two runs its threads would spin, and take the cores from drawing or decoding pictures.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # 3 is errors alone: remarks on single nodes of a graph say nothing to who asks for a search.
    options.log_severity_level = 3
    if threads is not None:
        options.intra_op_num_threads = options.inter_op_num_threads = threads
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
