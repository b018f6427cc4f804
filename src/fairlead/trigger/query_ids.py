"""Query ids read as what was asked: a run names its queries, and often by their words."""

from __future__ import annotations


def is_text(name: str) -> bool:
    """Whether an id may be the words of a query: not without letters, nor one word of ASCII that is
    a single letter or has a digit in it.

    >>> [is_text(name) for name in ("nurse", "female-ceo", "top 10 doctors", "看護師2")]
    [True, True, True, True]
    >>> [is_text(name) for name in ("q", "q1", "301", "9f86d081")]
    [False, False, False, False]
    """
    if not any(c.isalpha() for c in name):
        return False
    one_word = name.isascii() and len(name.split()) == 1
    return not (one_word and (len(name.strip()) == 1 or any(c.isdigit() for c in name)))
