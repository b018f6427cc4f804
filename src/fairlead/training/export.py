"""Towers as ONNX files, with weights in half precision and no trace of the exporting machine."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fairlead.training.towers import LENGTH, ImageTower, TextTower

_OPSET = 18


def export(tower: ImageTower | TextTower, path: Path) -> None:
    """Write a tower; its weights must already be rounded to half precision (``towers.rounded``)."""
    import onnx

    model = _halved(_bare(_exported(tower)))
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _exported(tower: ImageTower | TextTower) -> Any:
    """The tower as the exporter writes it, not optimised."""
    # without this, normalisation layers are exported as in training
    tower.eval()
    shape, kind = (
        ((3, 64, 64, 3), torch.uint8)
        if isinstance(tower, ImageTower)
        else ((3, LENGTH), torch.int64)
    )
    # three of them: a batch of one would be taken for a constant
    example = torch.ones(shape, dtype=kind)
    batch = torch.export.Dim("n")
    # not optimised: folding normalisation into weights would take them off half precision
    with _quiet():
        program = torch.onnx.export(
            tower,
            (example,),
            dynamo=True,
            dynamic_shapes=({0: batch},),
            opset_version=_OPSET,
            optimize=False,
            verbose=False,
        )
    assert program is not None
    return program.model_proto


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


def _bare(model: Any) -> Any:
    """The model without the exporter's notes about its code and its machine."""
    import onnx

    graph = model.graph
    for part in (
        model,
        graph,
        *graph.node,
        *graph.initializer,
        *graph.input,
        *graph.output,
        *model.functions,
    ):
        for field in ("doc_string", "metadata_props"):
            part.ClearField(field)
    for function in model.functions:
        for node in function.node:
            node.ClearField("doc_string")
            node.ClearField("metadata_props")
    model.producer_name = "fairlead"
    model.producer_version = ""
    graph.name = "tower"
    model = onnx.inliner.inline_local_functions(model) if model.functions else model
    for number, node in enumerate(model.graph.node):
        node.name = f"{node.op_type}_{number}"
    return model


def _halved(model: Any) -> Any:
    """The model with its large float weights in half precision, cast where they are used."""
    from onnx import TensorProto, helper, numpy_helper

    graph, casts = model.graph, []
    for weight in list(graph.initializer):
        values = numpy_helper.to_array(weight)
        if weight.data_type != TensorProto.FLOAT or values.size < 64:
            continue
        stored = numpy_helper.from_array(values.astype(np.float16), weight.name + "_half")
        casts.append(
            helper.make_node(
                "Cast",
                [stored.name],
                [weight.name],
                to=TensorProto.FLOAT,
                name=f"{weight.name}_whole",
            )
        )
        graph.initializer.remove(weight)
        graph.initializer.append(stored)
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    # what was inferred before of weights that are halves now
    del graph.value_info[:]
    return model
