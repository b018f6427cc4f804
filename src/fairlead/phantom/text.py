"""Texts as bytes: what the phantom's text tower reads."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from fairlead.types.ragged import Array

LENGTH = 64


def byte_codes(texts: Sequence[str], length: int = LENGTH) -> Array:
    """(texts, length) int64 UTF-8 bytes of the lower-case texts, padded with 0 or cut."""
    codes = np.zeros((len(texts), length), np.int64)
    for row, text in enumerate(texts):
        # Composed first: an accent typed as a character of its own gives the same bytes.
        data = unicodedata.normalize("NFC", text).lower().encode("utf-8")[:length]
        codes[row, : len(data)] = np.frombuffer(data, np.uint8)
    return codes
