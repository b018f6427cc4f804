"""Laws that every projection keeps, one function each; a broken law raises AssertionError.

A plug-in's test calls ``all_laws`` with its projection and, where it likes, with a reference of its
own; ``small_reference`` makes a random one.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.projections.reference import Reference
from fairlead.protocols.registry import make
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

NEEDS = frozenset({"items", "prompts", "pairs", "wordings"})
WIDTH = 9
_SAID = ("summary", "source", "blind_spot", "promise")


def small_reference(seed: int, width: int = WIDTH) -> Reference:
    """A reference of everything a projection may need: two or three groups, 80 items."""
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(2, 4))
    codes = np.arange(80) % groups
    items = rng.normal(size=(80, width)) + rng.normal(size=(groups, width))[codes]
    prompts = rng.normal(size=(groups, width))
    pairs = rng.normal(size=(4, groups, width))
    return Reference("g", tuple(f"g{n}" for n in range(groups)), items, codes, prompts, pairs)


def small_queries(
    seed: int, reference: Reference, dtype: type = np.float32, width: int = WIDTH
) -> tuple[Embeddings, Array]:
    """Six queries of unit length, and (6, groups, width) vectors of their wordings."""
    rng = np.random.default_rng([seed, 1])
    vectors = rng.normal(size=(6, width))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Embeddings(vectors.astype(dtype)), rng.normal(size=(6, len(reference.names), width))


def all_laws(projection: Any, seed: int = 0) -> None:
    """Every law below, on one random reference."""
    reference = small_reference(seed)
    queries, variants = small_queries(seed, reference)
    has_a_text_form(projection)
    says_what_it_is(projection)
    same_again_and_arguments_stay(projection, reference, queries, variants)
    batch_is_one_by_one(projection, reference, queries, variants)
    numbers_stay_of_their_kind(projection, seed)
    kept_arrays_are_the_same(projection, reference, queries, variants)
    other_widths_are_refused(projection, reference)
    missing_material_is_told(projection)


def has_a_text_form(projection: Any) -> None:
    """The text form builds an equal, equally hashed projection."""
    again = make("projection", str(projection))
    assert again == projection and hash(again) == hash(projection)


def says_what_it_is(projection: Any) -> None:
    """It says in one line each what it does, promises, cannot see, and where it is from.

    Its ``knob``, if it has one, can be turned.
    """
    for name in _SAID:
        text = getattr(projection, name)
        assert text.strip() and "\n" not in text, f"{projection} does not say its {name}"
    assert projection.needs <= NEEDS
    knob, values = getattr(projection, "knob", ("", ()))
    # a frontier sweeps these values, and must not stop at one that is refused
    for value in values if knob else ():
        dataclasses.replace(type(projection)(), **{knob: value})


def same_again_and_arguments_stay(
    projection: Any, reference: Reference, queries: Embeddings, variants: Array
) -> None:
    """Fitted twice, it gives the same vectors and writes into no argument."""
    fields = (reference.items, reference.codes, reference.prompts, reference.pairs)
    # copies, since an array that is written into would still equal itself
    handed = [array for array in (*fields, queries.vectors, variants) if array is not None]
    before = [array.copy() for array in handed]
    first, second = (projection.fit(reference)(queries, variants).vectors for _ in range(2))
    np.testing.assert_array_equal(first, second)
    for array, copy in zip(handed, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def batch_is_one_by_one(
    projection: Any, reference: Reference, queries: Embeddings, variants: Array
) -> None:
    """A query's vector does not depend on the others; no queries give none, of the same width."""
    fitted = projection.fit(reference)
    whole = fitted(queries, variants).vectors
    for row in (3, 0, 5):
        one = fitted(queries.take(np.array([row])), variants[row : row + 1]).vectors
        np.testing.assert_array_equal(one[0], whole[row])
    none = fitted(queries.take(np.array([], int)), variants[:0]).vectors
    assert none.shape == (0, queries.vectors.shape[1])


def numbers_stay_of_their_kind(projection: Any, seed: int = 0) -> None:
    """Vectors of 32 and 64 bits keep their type, those of 16 get 32 bits; all are finite."""
    reference = small_reference(seed)
    fitted = projection.fit(reference)
    for dtype, answer in ((np.float16, np.float32), (np.float32,) * 2, (np.float64,) * 2):
        queries, variants = small_queries(seed, reference, dtype)
        vectors = fitted(queries, variants).vectors
        assert vectors.dtype == answer and vectors.shape == queries.vectors.shape
        assert np.isfinite(vectors).all()


def kept_arrays_are_the_same(
    projection: Any, reference: Reference, queries: Embeddings, variants: Array
) -> None:
    """The arrays that a file keeps make the same map again."""
    fitted = projection.fit(reference)
    restored = projection.restore(fitted.arrays())
    assert restored.dimensions == fitted.dimensions == queries.vectors.shape[1]
    np.testing.assert_array_equal(
        restored(queries, variants).vectors, fitted(queries, variants).vectors
    )


def other_widths_are_refused(projection: Any, reference: Reference) -> None:
    """Vectors of another length than it was fitted on are refused."""
    fitted = projection.fit(reference)
    short = Embeddings(np.ones((1, 4), np.float32))
    assert _refuses(lambda: fitted(short, np.ones((1, len(reference.names), 4))))


def missing_material_is_told(projection: Any) -> None:
    """A fit without the material it needs is refused."""
    assert _refuses(lambda: projection.fit(Reference("g", ("a", "b"))))


def _refuses(call: Any) -> bool:
    try:
        call()
    except UsageError:
        return True
    return False
