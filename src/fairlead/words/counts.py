"""Counts in English sentences: the noun and the verb that go with a number."""

from __future__ import annotations

from fairlead.words.forms import forms


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "query"), counted(2_000, "query"), counted(0, "judged query")
    ('1 query', '2,000 queries', '0 judged queries')
    """
    return f"{count:,} {agreeing(count, noun, many(noun))}"


def part_of(count: int, total: int, noun: str) -> str:
    """A number out of a total.

    >>> part_of(1, 2, "text"), part_of(1, 1, "text")
    ('1 of 2 texts', '1 of 1 text')
    """
    return f"{count:,} of {counted(total, noun)}"


def agreeing(count: int, one: str, more: str) -> str:
    """The words that agree with a number: ``agreeing(cut, "was", "were")``."""
    return one if count == 1 else more


def many(noun: str) -> str:
    """The plural of a noun.

    >>> many("index"), many("query"), many("label")
    ('indexes', 'queries', 'labels')
    """
    return forms(noun, "en")[-1]
