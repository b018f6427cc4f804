"""Divergences between group shares, with every convention of the literature as a parameter."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.types.ragged import Array

Base = Literal["e", "2"]
Smooth = Literal["replace", "second", "log", "add", "normalise", "clip"]


def kl(
    p: Array, q: Array, *, eps: float = 0.0, smooth: Smooth = "replace", base: Base = "e"
) -> Array:
    """KL(p || q) over the last axis, with 0 log 0 = 0.

    It is infinite where q is 0 and p is not, unless ``eps`` says otherwise.

    ``replace`` puts eps for zeros of q; ``second`` adds it to q; ``log`` adds it to both inside the
    logarithm only (PyPI ``reranking``, 1e-12); ``add`` adds it to both throughout (FairRankTune,
    1e-7); ``normalise`` adds it and renormalises; ``clip`` keeps both in [eps, 1 - eps]. Smoothed
    shares need not sum to one, so the value may fall below 0 by the order of eps; without eps it
    never does.
    """
    inner = p
    outer = q
    weight = p
    if eps:
        inner, outer, weight = _smoothed(p, q, eps, smooth)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(weight > 0, weight * (np.log(inner) - np.log(outer)), weight * 0.0)
    total = terms.sum(-1)
    if not eps:
        # rounding alone can bring an exact divergence below 0; a smoothed one may truly be there
        total = np.maximum(total, 0.0)
    if base == "2":
        total = total / np.log(2)
    return total


def _smoothed(p: Array, q: Array, eps: float, smooth: Smooth) -> tuple[Array, Array, Array]:
    """Both arguments of the logarithm, and the weight before it."""
    if smooth == "replace":
        return p, np.where(q == 0, eps, q), p
    if smooth == "second":
        return p, q + eps, p
    if smooth == "log":
        return p + eps, q + eps, p
    if smooth == "clip":
        p = np.clip(p, eps, 1 - eps)
        q = np.clip(q, eps, 1 - eps)
    else:
        p = p + eps
        q = q + eps
    if smooth == "normalise":
        p = p / p.sum(-1, keepdims=True)
        q = q / q.sum(-1, keepdims=True)
    return p, q, p


def checked_eps(name: str, eps: float) -> None:
    """Refuse an epsilon that is not a small share."""
    if not 0 <= eps < 0.5:
        raise UsageError(
            f"{name}(eps=...) got {eps!r}.", "Accepted: a share from 0 (no smoothing) to below 0.5."
        )


def js(p: Array, q: Array, *, base: Base = "2") -> Array:
    """Jensen-Shannon divergence over the last axis; in [0, 1] for base 2."""
    middle = (p + q) / 2
    value = (kl(p, middle, base=base) + kl(q, middle, base=base)) / 2
    most = 1.0 if base == "2" else np.log(2)
    return np.minimum(value, most)


def tv(p: Array, q: Array) -> Array:
    """Total variation distance over the last axis, in [0, 1]."""
    return np.minimum(np.abs(p - q).sum(-1) / 2, 1.0)
