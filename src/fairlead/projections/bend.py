"""``bend``: for each query, its wordings for the groups and its scores of the groups become alike.

    1. q1 = off(prompts, differences of the query's wordings) q
    2. q* = argmax <q*, q1>  with |q*| = 1 and <q*, mu_g> = <q*, mu_0> for all groups g
          = q1 off span(mu_g - mu_0), to unit length

Wordings are "a photo of a female nurse" and so on for "a photo of a nurse"; mu_g is the mean of the
``nearest`` reference items of group g. Source: Gerych, Zhang, Hamidieh, Pan, Sharma, Hartvigsen,
Ghassemi: BendVLM (NeurIPS 2024), which solves step 2 by SLSQP; on the sphere its optimum is the
projection above. As in the authors' code, step 1 also removes the groups' prompts
(``local=prompts``) and 100 items are nearest.

Only queries change, so the stored index stays right. A query by picture has no wordings: for it
step 1 removes the prompts alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.projections.linear import refuse_other_dimensions
from fairlead.projections.orthogonal import refuse_bad_texts
from fairlead.projections.reference import Reference, off
from fairlead.protocols.spec import Configured
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

Local = Literal["prompts", "differences", "none"]


@dataclass(frozen=True)
class Bend(Configured):
    """For each query: what its wordings for the groups differ in is removed, then its mean scores
    of the groups are made equal.

    ``nearest`` reference items of each group are looked at. ``local`` is what step 1 removes: the
    groups' prompts and the differences of the query's wordings, the differences alone, or nothing.
    ``prompts`` are those of ``orthogonal``.
    """

    nearest: int = 100
    local: Local = "prompts"
    prompts: str = ""

    name: ClassVar[str] = "bend"
    summary: ClassVar[str] = (
        "For each query: its wordings for the groups become alike, then its mean scores "
        "of the groups."
    )
    source: ClassVar[str] = (
        "Gerych et al.: BendVLM, test-time mitigation of vision-language embeddings (NeurIPS 2024)"
    )
    blind_spot: ClassVar[str] = (
        "Equal on the reference items nearest to the query, not on the collection: as good "
        "as they are like it. "
        "A query that asks for a group is heard less."
    )
    promise: ClassVar[str] = (
        "Unit length; the mean score of the nearest reference items is the same for all "
        "groups. Query alone: exact."
    )
    needs: ClassVar[frozenset[str]] = frozenset({"items", "prompts", "wordings"})
    knob: ClassVar[tuple[str, tuple[float, ...]]] = ("nearest", (5, 10, 20, 50, 100, 200))

    def validate(self) -> None:
        refuse_bad_texts(self, "prompts")
        if self.nearest < 1:
            raise UsageError(
                f"bend(nearest={self.nearest}) looks at no item.", "Give a whole number from 1."
            )

    def fit(self, reference: Reference) -> Bent:
        """Nothing is learnt: the reference is kept."""
        # the nearest items depend on the query, so all of them are kept
        items, codes = reference.labelled(self)
        notes = self._few(reference.names, codes)
        return Bent(
            self.nearest,
            self.local,
            items.astype(np.float32),
            codes.astype(np.int16),
            reference.texts(self),
            notes,
        )

    def _few(self, names: Sequence[str], codes: Array) -> tuple[str, ...]:
        """A note where a group has fewer items than are looked at.

        Then these items are the nearest to every query.
        """
        counts = np.bincount(codes, minlength=len(names)).tolist()
        few = ", ".join(
            f"{name} {count}"
            for name, count in zip(names, counts, strict=True)
            if 0 < count < self.nearest
        )
        if not few:
            return ()
        note = (
            f"{self} looks at the {self.nearest} nearest items of each group; there are fewer "
            f"to choose from: {few}."
        )
        return (note,)

    def restore(self, arrays: Mapping[str, Array]) -> Bent:
        """The projection that a file keeps."""
        restored = Bent(
            self.nearest, self.local, arrays["items"], arrays["codes"], arrays["prompts"]
        )
        if (
            restored.items.ndim != 2
            or restored.codes.shape != restored.items.shape[:1]
            or restored.prompts.shape[1:] != restored.items.shape[1:]
        ):
            raise ValueError("its arrays do not fit together")
        return restored


@dataclass(frozen=True, eq=False)
class Bent:
    """Reference items (items, dimensions) with their codes, and prompts (texts, dimensions)."""

    nearest: int
    local: Local
    items: Array
    codes: Array
    prompts: Array
    notes: tuple[str, ...] = ()

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return int(self.items.shape[1])

    def __call__(self, queries: Embeddings, variants: Array | None = None) -> Embeddings:
        """Queries for the stored items.

        Args:
            queries: (queries, dimensions) vectors.
            variants: (queries, groups, dimensions) vectors of the queries worded for each group;
                NaN where a query has no words.
        """
        refuse_other_dimensions(queries, self.dimensions)
        if queries.offsets is not None:
            raise UsageError(
                "bend needs one vector for each query; this model gives many.",
                "Take another --model.",
            )
        originals = np.asarray(queries.vectors, np.float64)
        bent = [
            self._bent(query, None if variants is None else np.asarray(variants[n], np.float64))
            for n, query in enumerate(originals)
        ]
        vectors = np.stack(bent) if bent else originals
        return Embeddings(vectors.astype(np.result_type(queries.vectors.dtype, np.float32)))

    def arrays(self) -> dict[str, Array]:
        """What a file keeps."""
        return {"items": self.items, "codes": self.codes, "prompts": self.prompts}

    def _bent(self, query: Array, wordings: Array | None) -> Array:
        removed = [self.prompts] if self.local == "prompts" else []
        # a query by picture has no words, and so NaN in place of wordings
        if self.local != "none" and wordings is not None and np.isfinite(wordings).all():
            removed.append(wordings[1:] - wordings[:1])
        start = query if not removed else off(np.concatenate(removed), len(query)) @ query
        # the nearest items are those of the query that step 1 left
        return equalised(start / max(float(np.linalg.norm(start)), 1e-12), self._means(start))

    def _means(self, query: Array) -> Array:
        """(groups, dimensions) mean of the nearest items of each group that has any.

        Items of equal score are taken in their order.
        """
        scores = self.items @ query
        parts = [np.flatnonzero(self.codes == group) for group in np.unique(self.codes)]
        best = [rows[np.argsort(-scores[rows], kind="stable")[: self.nearest]] for rows in parts]
        return np.stack([self.items[rows].mean(0, dtype=np.float64) for rows in best])


def equalised(query: Array, means: Array) -> Array:
    """The unit vector nearest to a query that scores all (groups, dimensions) means alike."""
    nearest = off(means[1:] - means[:1], len(query)) @ query
    return nearest / max(float(np.linalg.norm(nearest)), 1e-12)
