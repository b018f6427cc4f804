"""Laws that every encoder keeps, one function each; a broken law raises AssertionError.

A plug-in's test makes its encoder, some texts and images that differ from each other, and calls
``all_laws``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead.protocols import Counting, Preparing, Role
from fairlead.protocols.registry import make
from fairlead.protocols.spec import Configured
from fairlead.types import Embeddings

# A network adds up in another order where a batch has another size, in single precision.
TOLERANCE = 1e-5
_ROLES: tuple[Role, Role] = ("query", "item")


def all_laws(
    encoder: Any, texts: Sequence[str], images: Sequence[Any], *, unit: bool = True
) -> None:
    """Every law below; ``unit``: whether its vectors have length 1.

    An encoder that reads no texts is given none.
    """
    has_a_text_form(encoder)
    says_what_it_is(encoder)
    for role in _ROLES:
        gives_one_row_each(encoder, texts, images, role, unit=unit)
        batch_is_one_by_one(encoder, texts, images, role)
        order_is_free(encoder, texts, images, role)
    nothing_gives_nothing(encoder, texts, images)
    arguments_stay(encoder, texts, images)
    if isinstance(encoder, Preparing):
        prepared_is_the_same(encoder, images)


def has_a_text_form(encoder: Any) -> None:
    """The text form builds an equal, equally hashed encoder; a copy is equal too."""
    if isinstance(encoder, Configured):
        again = make("encoder", str(encoder))
        assert again == encoder and hash(again) == hash(encoder), f"{encoder} reads back as {again}"
    assert copy.copy(encoder) == encoder


def says_what_it_is(encoder: Any) -> None:
    """The fingerprint stays; ``about``, where there is one, is plain data with warnings."""
    first = encoder.fingerprint
    assert isinstance(first, str) and first
    assert copy.copy(encoder).fingerprint == first == encoder.fingerprint
    if isinstance(encoder, Counting):
        facts = encoder.about()
        json.dumps(facts)
        assert facts["fingerprint"] == first
        assert all(isinstance(warning, str) for warning in facts["warnings"])


def gives_one_row_each(
    encoder: Any, texts: Sequence[str], images: Sequence[Any], role: Role, *, unit: bool = True
) -> None:
    """Finite float32 vectors, one per item or by offsets; texts and images share one space."""
    results = [embed(items, role) for embed, items in _sides(encoder, texts, images)]
    for embeddings, (_, items) in zip(results, _sides(encoder, texts, images), strict=True):
        assert len(embeddings) == len(items)
        assert embeddings.vectors.ndim == 2
        assert embeddings.vectors.dtype == np.float32
        assert np.isfinite(embeddings.vectors).all()
        if unit:
            np.testing.assert_allclose(
                np.linalg.norm(embeddings.vectors, axis=1), 1, atol=TOLERANCE
            )
        if embeddings.offsets is not None:
            assert embeddings.offsets[0] == 0 and embeddings.offsets[-1] == len(embeddings.vectors)
            assert (np.diff(embeddings.offsets) > 0).all()
        assert np.ptp(_first(embeddings), axis=0).max() > TOLERANCE, (
            "different items have different vectors"
        )
    # without texts, both are the images
    of_texts, of_images = results[0], results[-1]
    assert of_texts.vectors.shape[1] == of_images.vectors.shape[1]
    assert (of_texts.offsets is None) == (of_images.offsets is None)


def batch_is_one_by_one(
    encoder: Any, texts: Sequence[str], images: Sequence[Any], role: Role
) -> None:
    """An item's vectors do not depend on the items beside it."""
    for embed, items in _sides(encoder, texts, images):
        alone = [embed([item], role) for item in items]
        together = embed(items, role)
        _same(together.vectors, np.concatenate([one.vectors for one in alone]))
        if together.offsets is not None:
            np.testing.assert_array_equal(
                np.diff(together.offsets), [len(one.vectors) for one in alone]
            )


def order_is_free(encoder: Any, texts: Sequence[str], images: Sequence[Any], role: Role) -> None:
    """Items in another order have the same vectors, also twice."""
    for embed, items in _sides(encoder, texts, images):
        rows = np.array([*range(len(items))[::-1], 0])
        _same(
            embed([items[row] for row in rows], role).vectors, embed(items, role).take(rows).vectors
        )


def nothing_gives_nothing(encoder: Any, texts: Sequence[str], images: Sequence[Any]) -> None:
    """No items give no vectors, of the same dimensions."""
    for embed, items in _sides(encoder, texts, images):
        some, none = embed(items, "query"), embed([], "query")
        assert len(none) == 0
        assert none.vectors.shape == (0, some.vectors.shape[1])
        assert (none.offsets is None) == (some.offsets is None)


def arguments_stay(encoder: Any, texts: Sequence[str], images: Sequence[Any]) -> None:
    """Arguments are not written into."""
    before = list(texts), [_content(image) for image in images]
    for embed, items in _sides(encoder, texts, images):
        embed(items, "query")
    assert before == (list(texts), [_content(image) for image in images])


def prepared_is_the_same(encoder: Any, images: Sequence[Any]) -> None:
    """Images prepared ahead have the same vectors as images."""
    ahead = encoder.prepared([encoder.prepare(image) for image in images], "item")
    _same(ahead.vectors, encoder.images(images, "item").vectors)


def _sides(
    encoder: Any, texts: Sequence[str], images: Sequence[Any]
) -> list[tuple[Any, Sequence[Any]]]:
    """Its ways to encode, with their items; texts only where there are some."""
    return [*([(encoder.texts, texts)] if texts else []), (encoder.images, images)]


def _first(embeddings: Embeddings) -> Any:
    if embeddings.offsets is None:
        return embeddings.vectors
    return embeddings.vectors[embeddings.offsets[:-1]]


def _content(image: Any) -> Any:
    if isinstance(image, str):
        return image
    return np.asarray(image).tobytes()


def _same(first: Any, second: Any) -> None:
    np.testing.assert_allclose(first, second, rtol=0, atol=TOLERANCE)
