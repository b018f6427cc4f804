"""Mitigations on vectors: fitted on reference material, applied to queries alone, so that a stored
index is used as it is.
"""
