"""Query ids read as what was asked: a run names its queries, and often by their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairlead.trigger.decision import Decision
from fairlead.trigger.trigger import Trigger

_NO_WORDS = "no-words"


def decide_ids(
    trigger: Trigger, ids: Sequence[str], attribute: str, groups: Sequence[str] = ()
) -> tuple[Decision, ...]:
    """Decide on the queries of a run, whose ids are read as what was asked.

    Ids that are plainly no text, such as numbers and hashes, say nothing of what was asked: they
    are ``unsure`` for want of words, unless they are on the list to leave alone.

    >>> [d.rule for d in decide_ids(Trigger(), ["female_CEO", "nurse", "q17"], "gender")]
    ['explicit', 'neutral', 'no-words']
    """
    read = [
        at for at, text in enumerate(ids) if is_text(text) or trigger.leave.match(text) is not None
    ]
    decisions = trigger([_spaced(ids[at]) for at in read], attribute, groups)
    by_place = dict(zip(read, decisions, strict=True))
    return tuple(
        replace(by_place[at], query=text)
        if at in by_place
        else Decision.by(_NO_WORDS, text, attribute)
        for at, text in enumerate(ids)
    )


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


def _spaced(name: str) -> str:
    """An id with spaces between its words."""
    return name if len(name.split()) > 1 else name.replace("_", " ")
