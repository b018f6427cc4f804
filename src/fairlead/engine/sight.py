"""Assembly of what annotators see with: the encoder that is asked or the one they name, which takes
a collection's own references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.engine.galleries import Gallery, open_gallery, open_image
from fairlead.errors import UsageError
from fairlead.protocols import Annotator, Encoder, Progress, Role, registry
from fairlead.types import Embeddings
from fairlead.types.ragged import offsets_of

_BATCH = 256


@dataclass(frozen=True, eq=False)
class Seeing:
    """An encoder for references: those whose vectors are there already are looked up, others opened
    and encoded.

    Attributes:
        encoder: The model; None where only pictures are looked at.
        embeddings: Vectors that are there already.
        rows: The row of each reference among them.
        progress: Told how many pictures are looked at, by annotators that open them.
    """

    encoder: Encoder | None = None
    embeddings: Embeddings | None = None
    rows: Mapping[str, int] = field(default_factory=dict)
    progress: Progress | None = None

    def __str__(self) -> str:
        return str(self.encoder)

    @property
    def fingerprint(self) -> str:
        """That of the model."""
        return self._model.fingerprint

    def open(self, reference: str) -> Any:
        """The picture behind a reference, as a Pillow image."""
        return open_image(reference, None)  # type: ignore[arg-type]  # an encoder may prefer the reference

    def tell(self, label: str, done: int, total: int) -> None:
        """Say how far one is."""
        if self.progress is not None:
            self.progress(label, done, total)

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) vectors."""
        return self._model.texts(texts, role)

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) vectors of references, or of pictures."""
        places = [self.rows.get(image, -1) if isinstance(image, str) else -1 for image in images]
        if self.embeddings is not None and role == "item" and min(places, default=0) >= 0:
            return self.embeddings.take(np.array(places, np.int64))
        parts = [
            self._model.images(
                [open_image(image, self._model) for image in images[start : start + _BATCH]], role
            )
            for start in range(0, max(len(images), 1), _BATCH)
        ]
        sizes = [np.diff(part.offsets) for part in parts if part.offsets is not None]
        return Embeddings(
            np.concatenate([part.vectors for part in parts]),
            offsets_of(np.concatenate(sizes)) if sizes else None,
        )

    @property
    def _model(self) -> Encoder:
        if self.encoder is None:
            raise UsageError(
                "No model was given to see with.", "Name one with --model, e.g. hf:DIR."
            )
        return self.encoder


def model_of(annotator: Annotator) -> str:
    """The encoder that an annotator names; nothing where it takes the one that is asked."""
    return str(getattr(annotator, "sees_with", ""))


def unfit(annotators: Iterable[Any], encoder: Encoder | None) -> list[str]:
    """What the cards of the models that annotators see with say against such use, each once; files
    and those who see nothing are passed.
    """
    seeing = [who for who in annotators if callable(who) and "encoder" in who.needs]
    return list(
        dict.fromkeys(
            said
            for who in seeing
            if (said := str(getattr(sight(who, encoder).encoder, "not_for", "")))
        )
    )


def sight(annotator: Any, encoder: Encoder | None) -> Seeing:
    """What an annotator sees with, where no vectors are at hand."""
    named = model_of(annotator)
    return Seeing(registry.make("encoder", named) if named else encoder)


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
    own = sight(annotator, encoder)
    assert own.encoder is not None
    if "encoder" not in annotator.needs:
        return own
    if own.encoder.fingerprint != encoder.fingerprint or gallery.manifest.get("side") == "texts":
        gallery = open_gallery(source, own.encoder, side="images", progress=progress)
    rows = {reference: row for row, reference in enumerate(gallery.collection.images or ())}
    return Seeing(own.encoder, gallery.embeddings, rows)
