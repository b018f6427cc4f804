"""Mitigations on vectors, fitted on reference material and applied to queries alone.

So a stored index is used as it is.
"""
