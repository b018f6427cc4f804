"""``mlp``: a trained classifier on an encoder's vectors, with calibrated shares.

    share = softmax(log(mean over members of softmax(f_m(v))) / T)

f is the paper's network (three layers of 512 with batch normalisation and ReLU), that of its
released code (three of 64, ReLU) or a linear one; ``fairlead train attribute`` trains it and fits T
on a part that was held out. Its card says on what, and how well per group.
Source: PBM (Kong et al., NeurIPS 2023), its supervised predictor, and Table 5 for the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairlead.annotators.asked import cannot
from fairlead.annotators.mlp_file import Classifier, read_classifier
from fairlead.errors import DataError, UsageError
from fairlead.protocols.reach import Reach
from fairlead.protocols.registry import vetted
from fairlead.protocols.spec import Configured
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Collection, Groups
from fairlead.types.ragged import Array

ABSENT = "not-applicable"


@dataclass(frozen=True)
class MLP(Configured):
    """A trained classifier on the vectors of an encoder, from a file of ``fairlead train
    attribute``.

    Labels are ``soft`` and ``calibrated`` unless you say otherwise; below ``confident`` an item is
    unknown. ``applicable`` leaves out the class of items without the attribute, as the paper's code
    does. ``model`` is the encoder; by default the one the file names.
    """

    path: str
    soft: bool = True
    calibrated: bool = True
    confident: float = 0.0
    applicable: bool = False
    model: str = ""

    name: ClassVar[str] = "mlp"
    addressed: ClassVar[str | None] = "path"
    reaches: ClassVar[Reach] = Reach(nests={"model": "encoder"})
    source: ClassVar[str] = "PBM (Kong et al. 2023), supervised predictor"
    needs: ClassVar[frozenset[str]] = frozenset({"encoder"})
    blind_spot: ClassVar[str] = (
        "As uneven as its card says, and calibrated for pictures like those it was "
        "trained on alone."
    )

    def validate(self) -> None:
        if not 0 <= self.confident <= 1:
            raise UsageError(
                f"mlp(confident={self.confident:g}) is no share.", "Give a number between 0 and 1."
            )

    @property
    def sees_with(self) -> str:
        """The encoder that it names, or that of its file."""
        if self.model:
            return self.model
        named = str(self._classifier.about["encoder"])
        # A classifier that was trained on vectors of nobody knows whom names none.
        if not named:
            return ""
        return vetted("encoder", named, self.path)

    @property
    def _classifier(self) -> Classifier:
        return read_classifier(self.path)

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """The attribute for which it was trained."""
        return (str(self._classifier.about["attribute"]),)

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """Labels of the pictures."""
        if attribute not in self.attributes(collection):
            raise cannot(self, attribute, self.attributes(collection))
        if collection.images is None:
            raise DataError(
                f"{self} looks at pictures, and the collection has none.",
                "Give a collection of images.",
            )
        if encoder is None:
            raise UsageError(
                f"{self} needs a model to see with.", "Name one with --model or model=..."
            )
        return self.of_vectors(
            encoder.images(collection.images, "item").vectors, f"{self} by {encoder}"
        )

    def of_vectors(self, vectors: Array, source: str = "") -> Groups:
        """Labels of (items, features) vectors of the encoder."""
        classifier = self._classifier
        if vectors.shape[1] != classifier.features:
            was = classifier.about["encoder"] or "an encoder it does not name"
            raise UsageError(
                (
                    f"{self} reads {classifier.features} numbers an image, of {was}; got "
                    f"{vectors.shape[1]}."
                ),
                "Take that --model.",
            )
        shares = classifier.shares(vectors, calibrated=self.calibrated)
        names = list(classifier.classes)
        absent = np.zeros(len(shares))
        if ABSENT in names:
            absent = shares[:, names.index(ABSENT)]
        groups = [place for place, name in enumerate(names) if name != ABSENT]
        shares = shares[:, groups]
        if self.applicable:
            shares, absent = shares / shares.sum(1, keepdims=True), np.zeros(len(shares))
        not_applicable = absent > shares.max(1)
        unsure = shares.max(1) < self.confident
        attribute = str(classifier.about["attribute"])
        source = source or str(self)
        groups_named = tuple(names[g] for g in groups)
        if not self.soft:
            codes = np.where(
                not_applicable, NOT_APPLICABLE, np.where(unsure, UNKNOWN, shares.argmax(1))
            )
            return Groups(attribute, groups_named, codes=codes.astype(np.int16), source=source)
        # Shares of an unsure item would still move a balanced list; it is to be unknown.
        certain = np.where((not_applicable | unsure)[:, None], 0.0, shares)
        return Groups(
            attribute, groups_named, soft=certain, not_applicable=not_applicable, source=source
        )
