"""Drawings of the phantom's people: flat, procedural, the same bytes everywhere."""

from fairlead.phantom.drawing.portrait import LARGEST, SMALLEST, draw, draw_many, paint, reach

__all__ = ["LARGEST", "SMALLEST", "draw", "draw_many", "paint", "reach"]
