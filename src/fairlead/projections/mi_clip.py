"""``mi_clip``: the dimensions that say most about the attribute are set to 0, everywhere.

    MI(x_d, g) = sum over bins of p ln p - the same of both margins
    p = 64 x 64 joint histogram, smoothed by a Gaussian (sigma 1)

Dimensions are sorted by MI and the first m are kept, in queries and items. Vectors are not brought
to unit length again. Wang, Liu, Wang: Are gender-neutral queries really gender-neutral? (EMNLP
2021). The number has two published readings: in Wang's code 400 of 512 are kept; PBM (Kong et al.,
NeurIPS 2023) "clips 312" of 512, which leaves 200. ``reading`` says which one ``dims`` or ``share``
means.

Ours: any number of groups; MI is taken on reference items, where both papers took it on what they
measured. The kept dimensions are an orthogonal projection, so changing the query alone gives
exactly the same scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.projections.linear import Linear
from fairlead.projections.reference import Reference, enough
from fairlead.protocols.spec import Configured
from fairlead.types.ragged import Array

BINS = 64
_TINY = float(np.finfo(float).eps)
_SHARES = {"kept": 400 / 512, "dropped": 312 / 512}


@dataclass(frozen=True)
class MIClip(Configured):
    """Dimensions that say most about the attribute are left out.

    ``dims`` counts those that are kept or, with ``reading=dropped``, those that are left out;
    ``share`` says it as a share of all.
    Without either it is the published share: 400 of 512 kept, or 312 of 512 dropped.
    """

    dims: int | None = None
    reading: Literal["kept", "dropped"] = "kept"
    share: float | None = None

    name: ClassVar[str] = "mi_clip"
    summary: ClassVar[str] = "The dimensions that say most about the attribute are left out."
    source: ClassVar[str] = (
        "Wang, Liu, Wang: Are gender-neutral queries really gender-neutral? (EMNLP "
        "2021); as a baseline in PBM (2023)"
    )
    blind_spot: ClassVar[str] = (
        "Looks at one dimension at a time: what several say together stays. What else the "
        "dropped dimensions say is lost, "
        "so relevance falls and bias may rise."
    )
    promise: ClassVar[str] = (
        "Kept dimensions are as they were, the others 0. Query alone: exact, the same scores."
    )
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "share",
        (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2),
    )

    def validate(self) -> None:
        if self.dims is not None and self.share is not None:
            raise UsageError("mi_clip got dims and share.", "Give one of the two.")
        if self.dims is not None and self.dims < 1:
            raise UsageError(
                f"mi_clip(dims={self.dims}) counts no dimension.", "Give a whole number from 1."
            )
        if self.share is not None and not 0 < self.share < 1:
            raise UsageError(
                f"mi_clip(share={self.share:g}) is no part of the dimensions.",
                "Give a number between 0 and 1.",
            )

    def fit(self, reference: Reference) -> Linear:
        """The dimensions to keep, as a diagonal of 1 and 0."""
        items, codes = reference.labelled(self)
        dimensions = items.shape[1]
        information = np.array(
            [mutual_information(column, codes, len(reference.names)) for column in items.T]
        )
        kept = np.zeros(dimensions)
        # stable: equal dimensions go by their number, on every machine
        kept[np.argsort(information, kind="stable")[: self._kept(dimensions)]] = 1
        return Linear(kept, kept, notes=enough(self, len(items), dimensions))

    def restore(self, arrays: Mapping[str, Array]) -> Linear:
        """The map that a file keeps."""
        return Linear.restored(arrays)

    def _kept(self, dimensions: int) -> int:
        if self.dims is not None and self.dims >= dimensions:
            raise UsageError(
                (
                    f"{self} counts {self.dims} of {dimensions} dimensions, so nothing is "
                    f"{'left out' if self.reading == 'kept' else 'kept'}."
                ),
                f"Give fewer than {dimensions}, or a share: mi_clip(share=0.5).",
            )
        share = _SHARES[self.reading] if self.share is None else self.share
        if self.dims is None:
            count = int(np.clip(round(share * dimensions), 1, dimensions - 1))
        else:
            count = self.dims
        if self.reading == "kept":
            return count
        return dimensions - count


def mutual_information(values: Array, codes: Array, groups: int) -> float:
    """MI of a dimension and the group, in nats.

    Both are cut into 64 bins from least to most, and the joint histogram is smoothed.
    """
    # both axes are cut from least to most
    ranges = [_span(values), (0, max(groups - 1, 1))]
    joint = smoothed(np.histogram2d(values, codes, bins=BINS, range=ranges)[0])
    # no cell may be empty: its logarithm is taken
    joint += _TINY
    joint /= joint.sum()
    return float(_entropy(joint.sum(0)) + _entropy(joint.sum(1)) - _entropy(joint))


def smoothed(joint: Array) -> Array:
    """A histogram smoothed by a Gaussian (sigma 1, cut at 4), with nothing beyond its edges."""
    taps = np.exp(-0.5 * np.arange(-4, 5) ** 2.0)
    taps /= taps.sum()
    # the Gaussian is separable: two passes give the two-dimensional one
    for axis in (0, 1):
        joint = np.apply_along_axis(np.convolve, axis, joint, taps, mode="same")
    return joint


def _span(values: Array) -> tuple[float, float]:
    low = float(values.min())
    high = float(values.max())
    if high > low:
        return (low, high)
    return (low - 0.5, high + 0.5)


def _entropy(shares: Array) -> float:
    return float(-(shares * np.log(shares)).sum())
