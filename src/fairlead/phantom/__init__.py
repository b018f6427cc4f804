"""The phantom: an embedded world whose inside is known, to calibrate metrics and mitigations.

It is never evidence about a real model.
"""
