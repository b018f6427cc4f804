"""What an emoji shows, read from its Unicode code points.

It shows a person with a gender, age or skin tone, a part of a body, or a thing.
"""

from __future__ import annotations

_FEMALE = frozenset("👩👧👵👸💃🤱🤰🧕👭👰♀🚺")
_MALE = frozenset("👨👦👴🤴🕺👬🤵🧔🎅♂🚹")
_CHILD, _OLD = frozenset("👶🧒👧👦🍼"), frozenset("👵👴🧓")
_PERSONS = (
    frozenset(
        "🧑👤👥👪👫👮👷💂🕵👲👳🧍🧎🏃🚶🙋🙅🙆🤷🤦💁🙇🏄🏊🚴🚵🤸⛹🏋🏌🏇⛷🏂🤹🧘🧖🧗🤼🤽🤾👯🧏🫂🤶💏💑🧑🚣🛀🛌"
    )
    | _FEMALE
    | _MALE
    | _CHILD
    | _OLD
)
_BODY = frozenset(
    "👍👎👏🙏✋🤚🖐✌🤞🤟🤘👌🤏👈👉👆👇☝✊👊🤛🤜🙌👐🤲🤝💪🦵🦶👂👃👀👁👅👄💋🫶🖖🤙✍💅🦷🧠👣💇💆🤳"
)
_THING_RANGES = (
    (0x1F300, 0x1F3FA),
    (0x1F400, 0x1F43F),
    (0x1F680, 0x1F6B2),
    (0x1F4A0, 0x1F4FF),
    (0x1F500, 0x1F56F),
    (0x1F950, 0x1F9AF),
    (0x1F9B0, 0x1F9CF),
    (0x1F9E0, 0x1F9FF),
    (0x1FA70, 0x1FAFF),
    (0x2600, 0x2604),
    (0x1F6D0, 0x1F6FF),
    (0x1F700, 0x1F7FF),
)


def shown(emoji: str) -> tuple[tuple[str, str], ...]:
    """What an emoji shows, as pairs of kind and group in the words of the lexicon.

    It is empty where the emoji says nothing.

    >>> shown("👩🏿‍💻")
    (('person', ''), ('gender', 'female'), ('skin', ''))
    """
    # joined emoji are several code points, each of which says something
    parts = set(emoji)
    meanings: list[tuple[str, str]] = []
    if parts & _PERSONS:
        meanings.append(("person", ""))
    if parts & _FEMALE:
        meanings.append(("gender", "female"))
    if parts & _MALE:
        meanings.append(("gender", "male"))
    if parts & _CHILD:
        meanings.append(("age", "child"))
    if parts & _OLD:
        meanings.append(("age", "old"))
    # the five Fitzpatrick modifiers
    if any("\U0001f3fb" <= c <= "\U0001f3ff" for c in emoji):
        meanings.append(("skin", ""))
    if meanings and not parts & _PERSONS:
        return (*meanings, ("setting", ""))
    if meanings or not parts & _BODY:
        return tuple(meanings) or (
            (("thing", ""),) if any(a <= ord(emoji[0]) <= b for a, b in _THING_RANGES) else ()
        )
    return (("setting", ""),)
