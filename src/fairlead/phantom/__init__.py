"""The phantom: an embedded world whose inside is known, to calibrate metrics and mitigations on.
Never evidence about a real model.
"""
