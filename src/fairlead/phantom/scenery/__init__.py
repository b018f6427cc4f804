"""Scenes of the phantom's second world: everyday things in the motifs of ten stylised cultures."""

from fairlead.phantom.scenery.compose import draw, draw_many

__all__ = ["draw", "draw_many"]
