"""Assembly of what annotators see with: the encoder that is asked or the one they name, which takes
a collection's own references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.engine.galleries import Gallery, open_gallery
from fairlead.engine.pictures import open_image
from fairlead.engine.vectors import encoded, of_pictures, of_side
from fairlead.errors import DataError, UsageError
from fairlead.protocols import Annotator, Encoder, ModelAnnotator, Progress, Role, registry
from fairlead.protocols.encoder import capabilities
from fairlead.types import Embeddings, Study


@dataclass(frozen=True, eq=False)
class Seeing:
    """An encoder for references: those whose vectors are there already are looked up, others opened
    and encoded.

    Attributes:
        encoder: The model; None where only pictures are looked at.
        embeddings: Vectors that are there already.
        rows: The row of each reference among them.
        progress: Told how many pictures are looked at.
    """

    encoder: Encoder | None = None
    embeddings: Embeddings | None = None
    rows: Mapping[str, int] = field(default_factory=dict)
    progress: Progress | None = None

    def __str__(self) -> str:
        return str(self.encoder)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model."""
        return self._model.fingerprint

    def open(self, reference: str) -> Any:
        """The picture behind a reference, as a Pillow image."""
        return open_image(reference)

    def tell(self, label: str, done: int, total: int) -> None:
        """Report progress, where somebody listens."""
        if self.progress is not None:
            self.progress(label, done, total)

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) vectors."""
        return encoded(texts, self._model, side="texts", role=role).embeddings

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) vectors of references, or of pictures.

        Raises:
            DataError: Where a picture cannot be opened.
        """
        # Kept vectors are of references as items; anything else is looked at now.
        named = all(isinstance(image, str) for image in images)
        if not named or role != "item" or not len(images):
            return of_pictures(images, self._model, role)
        places = [self.rows.get(image, -1) for image in images]
        if self.embeddings is not None and min(places) >= 0:
            return self.embeddings.take(np.array(places, np.int64))
        made = encoded(images, self._model, side="images", role=role, progress=self.progress)
        for row, reason in made.skipped.items():
            raise DataError(
                f"{images[row]} cannot be used ({reason}), nor can {len(made.skipped) - 1:,} "
                "other pictures.",
                "Leave them out, or mend their files.",
            )
        return made.embeddings

    @property
    def _model(self) -> Encoder:
        if self.encoder is None:
            raise UsageError(
                "No model was given to see with.", "Name one with --model, e.g. hf:DIR."
            )
        return self.encoder


def model_of(annotator: Annotator) -> str:
    """The encoder that an annotator names; nothing where it takes the one that is asked."""
    if not isinstance(annotator, ModelAnnotator):
        return ""
    return annotator.sees_with


def unfit(annotators: Iterable[Any], encoder: Encoder | None) -> list[str]:
    """Why the models that annotators see with should not label, as their cards say; each reason
    once. Files, and annotators that need no model, give none.
    """
    seeing = [who for who in annotators if callable(who) and "encoder" in who.needs]
    against = [capabilities(sight(who, encoder).encoder).not_for for who in seeing]
    return list(dict.fromkeys(filter(None, against)))


def sight(
    annotator: Any,
    encoder: Encoder | None,
    study: Study | None = None,
    progress: Progress | None = None,
) -> Seeing:
    """What an annotator sees with: the model it names, or else the one that is asked.

    Args:
        annotator: Who looks.
        encoder: The model that is asked.
        study: What is looked at, where that is a study: the vectors of its pictures are then those
            that rank, and are made once.
        progress: Told how many pictures are looked at.
    """
    model = encoder
    if named := model_of(annotator):
        model = registry.make("encoder", named)
    looks = callable(annotator) and "encoder" in annotator.needs
    if study is None or model is None or not looks or study.modality != "text-to-image":
        return Seeing(model, progress=progress)
    made = of_side(study, model, "item", progress)
    images = study.collection.images or ()
    rows = {images[row]: place for place, row in enumerate(made.rows)}
    return Seeing(model, made.embeddings, rows, progress)


def sight_of_gallery(
    annotator: Annotator,
    source: str | Path,
    encoder: Encoder,
    gallery: Gallery,
    progress: Progress | None = None,
) -> Seeing:
    """What an annotator sees with, in a gallery: its vectors, or those of the model that the
    annotator names, embedded once and kept.
    """
    own = sight(annotator, encoder, progress=progress)
    assert own.encoder is not None
    if "encoder" not in annotator.needs:
        return own
    # Vectors of captions are no pictures, even where the model is the same.
    if own.encoder.fingerprint != encoder.fingerprint or gallery.manifest.get("side") == "texts":
        gallery = open_gallery(source, own.encoder, side="images", progress=progress)
    rows = {reference: row for row, reference in enumerate(gallery.collection.images or ())}
    return Seeing(own.encoder, gallery.embeddings, rows, progress)
