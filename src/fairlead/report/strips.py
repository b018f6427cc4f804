"""Strips of results: the first pictures or captions of a query, plain and mitigated, each with a
ribbon that names its group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

COLOURS = 8
"""Groups that have a colour of their own on the page; further ones take turns."""


@dataclass(frozen=True)
class StripItem:
    """One result: the ``data:`` address of a picture, or a caption; and the number of its group,
    None being unknown.
    """

    image: str
    group: int | None
    text: str = ""


@dataclass(frozen=True)
class StripLine:
    """The first results of one variant; of a forced choice also who wins it."""

    variant: str
    items: tuple[StripItem, ...]
    winner: str = ""


@dataclass(frozen=True)
class Strip:
    """The first results of one query in several variants, and the names of the groups.

    ``picture`` is the ``data:`` address of a query that is a picture; ``about`` says what is known
    of the query.
    """

    query: str
    attribute: str
    groups: tuple[str, ...]
    lines: tuple[StripLine, ...]
    picture: str = ""
    about: str = ""


def letters(groups: Sequence[str]) -> list[str]:
    """A short mark for each group: initials where they differ, numbers where they do not.

    >>> letters(["female", "male"]), letters(["female*light", "male*light"])
    (['F', 'M'], ['FL', 'ML'])
    >>> letters(["man", "male"])
    ['1', '2']
    """
    initials = ["".join(word[0] for word in re.findall(r"\w+", name)).upper() for name in groups]
    if len(set(initials)) == len(groups) and all(1 <= len(mark) <= 3 for mark in initials):
        return initials
    return [str(number + 1) for number in range(len(groups))]


def tally(line: StripLine, groups: Sequence[str]) -> str:
    """How many of a line appear to be of which group, in words; of a forced choice, who wins it."""
    if line.winner:
        return f"{line.winner} wins"
    found = Counter(item.group for item in line.items)
    # Of few groups one that nobody shows is news; of many it would fill the line with zeros.
    parts = [
        f"{found[number]} {name}"
        for number, name in enumerate(groups)
        if found[number] or len(groups) <= COLOURS // 2
    ]
    if found[None]:
        parts.append(f"{found[None]} unknown")
    return ", ".join(parts)
