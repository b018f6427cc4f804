"""How many images of each query show each group, from the label files that PBM used.

Users obtain these files themselves; we ship none.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from fairlead.errors import DataError
from fairlead.types.ragged import Array

# Each attribute's first and second group, in the words of either file.
_GROUPS = {"gender": ({"man", "male"}, {"woman", "female"}), "skin": ({"light"}, {"dark"})}


def read_counts(name: str, path: Path) -> dict[str, Array]:
    """For each attribute, (queries, 3) counts of its first group, its second group and neither.

    ``occupation1`` is a CSV with the columns ``search_term`` and ``image_gender``; ``occupation2``
    has no header and the columns occupation, file, gender, skin. Counts already made are read too:
    ``occupation, male, female, gender_na, light, dark, skin_na``.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"The labels of {name} cannot be read from {path}: {error}.",
            "Give the CSV file itself.",
        ) from error
    header = next(iter(lines), [])
    if {"occupation", "male", "female"} <= set(header):
        return _counted(header, lines[1:], path)
    if {"search_term", "image_gender"} <= set(header):
        query = header.index("search_term")
        label = header.index("image_gender")
        return {
            "gender": _tallied(
                [(line[query], line[label]) for line in _whole(lines[1:], len(header), path)],
                "gender",
                path,
            )
        }
    # occupation2 has no header: its first line is an image already
    if len(header) == 4 and header[2] in {"Male", "Female", "NA"}:
        whole = _whole(lines, 4, path)
        return {
            a: _tallied([(line[0], line[at]) for line in whole], a, path)
            for a, at in (("gender", 2), ("skin", 3))
        }
    raise DataError(
        f"{path} is not a label file of {name}: its first line is {','.join(header)[:80]!r}.",
        "Expected: search_term and image_gender columns, or occupation, file, gender, skin.",
    )


def _whole(lines: list[list[str]], width: int, path: Path) -> list[list[str]]:
    for number, line in enumerate(lines, start=1):
        if len(line) != width:
            raise DataError(
                f"{path}, data line {number}: {len(line)} cells where there should be {width}."
            )
    return lines


def _counted(header: list[str], lines: list[list[str]], path: Path) -> dict[str, Array]:
    columns = {"gender": ("male", "female", "gender_na"), "skin": ("light", "dark", "skin_na")}
    try:
        return {
            attribute: np.array([[int(line[header.index(c)]) for c in names] for line in lines])
            for attribute, names in columns.items()
            if set(names) <= set(header)
        }
    except (ValueError, IndexError) as error:
        raise DataError(f"{path} holds a count that is no whole number: {error}.") from error


def _tallied(pairs: Iterable[tuple[str, str]], attribute: str, path: Path) -> Array:
    first, second = _GROUPS[attribute]
    column = dict.fromkeys(first, 0) | dict.fromkeys(second, 1) | {"na": 2, "": 2}
    counts: dict[str, Counter[int]] = {}
    for query, label in pairs:
        word = label.strip().lower()
        if word not in column:
            words = ", ".join(sorted(first | second))
            raise DataError(
                f"{path} labels an image {label!r}.", f"Known labels of {attribute}: {words}, NA."
            )
        counts.setdefault(query, Counter())[column[word]] += 1
    return np.array([[c[0], c[1], c[2]] for c in counts.values()])
