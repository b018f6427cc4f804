"""Divergences between group shares, with every convention of the literature as a parameter."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fairlead.ragged import Array

Base = Literal["e", "2"]
Smooth = Literal["replace", "add", "normalise", "clip"]


def kl(p: Array, q: Array, *, eps: float = 0.0, smooth: Smooth = "replace", base: Base = "e") -> Array:
    """KL(p || q) over the last axis; 0 log 0 = 0; infinite where q is 0 and p is not, unless ``eps`` says otherwise.

    ``replace`` puts eps for zeros of q; ``add`` adds it to both; ``normalise`` adds and renormalises; ``clip`` keeps both in [eps, 1 - eps].
    """
    if eps > 0:
        p, q = _smoothed(p, q, eps, smooth)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * (np.log(p) - np.log(q)), p * 0.0)
    total = terms.sum(-1)
    return total / np.log(2) if base == "2" else total


def _smoothed(p: Array, q: Array, eps: float, smooth: Smooth) -> tuple[Array, Array]:
    if smooth == "replace":
        return p, np.where(q == 0, eps, q)
    if smooth == "clip":
        return np.clip(p, eps, 1 - eps), np.clip(q, eps, 1 - eps)
    p, q = p + eps, q + eps
    if smooth == "normalise":
        p, q = p / p.sum(-1, keepdims=True), q / q.sum(-1, keepdims=True)
    return p, q


def js(p: Array, q: Array, *, base: Base = "2") -> Array:
    """Jensen-Shannon divergence over the last axis; in [0, 1] for base 2."""
    middle = (p + q) / 2
    return np.maximum((kl(p, middle, base=base) + kl(q, middle, base=base)) / 2, 0.0)


def tv(p: Array, q: Array) -> Array:
    """Total variation distance over the last axis, in [0, 1]."""
    return np.abs(p - q).sum(-1) / 2
