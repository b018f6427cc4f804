"""Towers as ONNX files: exported in evaluation mode, weights stored in half precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from fairlead.training.towers import LENGTH, ImageTower, TextTower


def export(tower: ImageTower | TextTower, path: Path) -> None:
    """Write a tower; its weights must already be rounded to half precision (``towers.rounded``)."""
    tower.eval()  # otherwise normalisation layers are exported as in training
    example = torch.zeros(2, 64, 64, 3, dtype=torch.uint8) if isinstance(tower, ImageTower) else torch.ones(2, LENGTH, dtype=torch.int64)
    program = torch.onnx.export(tower, (example,), dynamo=True, dynamic_shapes=({0: torch.export.Dim("n")},), verbose=False)
    assert program is not None
    import onnx

    model = _halved(program.model_proto)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def _halved(model: Any) -> Any:
    """The model with its large float weights stored as half precision and cast where they are used."""
    from onnx import TensorProto, helper, numpy_helper

    graph, casts = model.graph, []
    for weight in list(graph.initializer):
        values = numpy_helper.to_array(weight)
        if weight.data_type != TensorProto.FLOAT or values.size < 64:
            continue
        stored = numpy_helper.from_array(values.astype(np.float16), weight.name + "_half")
        casts.append(helper.make_node("Cast", [stored.name], [weight.name], to=TensorProto.FLOAT))
        graph.initializer.remove(weight)
        graph.initializer.append(stored)
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    return model
