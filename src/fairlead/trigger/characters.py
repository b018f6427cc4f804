"""Chinese and Japanese characters: traditional ones as common ones, and names by their form.

A dot stands between the parts of a name from abroad, and a surname before a title.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from fairlead.words import bank, names

_FOREIGN = re.compile(
    r"[\u30a1-\u30fa\u30fc]{2,}(?:[・·=][\u30a1-\u30fa\u30fc]{2,})+"
    r"|[\u4e00-\u9fff]{1,6}(?:·[\u4e00-\u9fff]{1,6})+"
)
_BEFORE = frozenset("的和与在跟是叫找")


@lru_cache(maxsize=1024)
def simplified(text: str) -> str:
    """The text in the characters of the banks, with the same length.

    A text without traditional characters stays the same.

    >>> simplified("護士"), simplified("nurse")
    ('护士', 'nurse')
    """
    return text.translate(_common())


@cache
def _common() -> dict[int, str]:
    return {ord(pair[0]): pair[1] for pair in bank("zh")["traditional"]}


def name_in_characters(text: str, start: int = 0) -> str:
    """The name that begins at a place of a text, empty where none does.

    >>> name_in_characters("王医生在医院"), name_in_characters("玛丽·居里")
    ('王医生', '玛丽·居里')
    >>> name_in_characters("医生")
    ''
    """
    match = _FOREIGN.match(text, start)
    if match is not None:
        return match[0]
    chinese, japanese = _patterns()
    # titles and surnames of the banks are in common characters
    common = simplified(text)
    match = chinese.match(common, start) if not start or common[start - 1] in _BEFORE else None
    match = match or japanese.match(text, start)
    if match is None:
        return ""
    return text[match.start() : match.end()]


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    listed = names()
    chinese = f"(?:{'|'.join(listed['zh_surnames'])})(?:{'|'.join(listed['zh_titles'])})"
    longest = sorted(listed["ja_surnames"], key=len, reverse=True)
    titles = sorted(listed["ja_titles"], key=len, reverse=True)
    return re.compile(chinese), re.compile(f"(?:{'|'.join(longest)})(?:{'|'.join(titles)})")
