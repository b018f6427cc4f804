"""Fitted projections as a file: plain arrays and a card in JSON; nothing is unpickled.

``FILE.npz`` holds the arrays of the fitted projection, ``about`` (bytes of JSON: its text form,
model and fingerprint, attribute, groups, how many items, from where) and ``seen``: a number for
each item it was fitted on, so that it is noticed when the same are measured. Equal projections give
equal bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, words_of
from fairlead.store.arrays_file import read_arrays
from fairlead.store.atomic import atomic
from fairlead.store.json_text import parsed
from fairlead.store.shapes import TORN
from fairlead.store.versions import refuse_misshapen, refuse_other, version_of
from fairlead.types.ragged import Array

HINT = "Give a file that 'fairlead train projection' wrote."


@dataclass(frozen=True, eq=False)
class Kept:
    """What a file holds: a card, the arrays of the projection, and (items,) numbers of its items.

    The items are those that it was fitted on; their numbers are sorted.
    """

    about: Mapping[str, Any]
    arrays: Mapping[str, Array]
    seen: Array


def numbers_of(ids: Sequence[str]) -> Array:
    """(ids,) sorted numbers that stand for ids."""
    digests = b"".join(hashlib.blake2b(name.encode(), digest_size=8).digest() for name in ids)
    return np.unique(np.frombuffer(digests, np.uint64))


def write_projection(path: str | Path, kept: Kept) -> None:
    """Write a file (``.npz``), whole or not at all."""
    about = json.dumps(
        {**kept.about, "form": version_of("projection")}, ensure_ascii=False, sort_keys=True
    )
    arrays = {
        "about": np.frombuffer(about.encode(), np.uint8),
        "seen": kept.seen,
        **{f"fitted.{n}": a for n, a in kept.arrays.items()},
    }
    with atomic(path) as file, file.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def read_projection(path: str | Path) -> Kept:
    """What a file holds.

    Raises:
        DataError: If there is no such file, or it is not what ``fairlead train projection`` writes.
    """
    place = Path(path).expanduser()
    try:
        arrays = read_arrays(place)
        about = parsed(bytes(arrays["about"]))
        refuse_other("projection", about.get("form"), place)
        refuse_misshapen("projection", about, place)
        own = {
            name.removeprefix("fitted."): array
            for name, array in arrays.items()
            if name.startswith("fitted.")
        }
        return Kept(about, own, np.asarray(arrays["seen"], np.uint64).reshape(-1))
    except FileNotFoundError as error:
        raise DataError(f"There is no file {place}.", HINT) from error
    except TORN as error:
        raise DataError(
            f"{place} cannot be read as a projection: {words_of(error)}.", HINT
        ) from error
