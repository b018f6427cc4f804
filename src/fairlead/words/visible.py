"""Text as it may be shown: characters that steer a terminal or reorder a line stand as escapes.

Ids, queries, captions, names of files and errors come from the files of others. Everything that is
printed, drawn on a page or written as JSON goes through ``visible`` at the door.
"""

from __future__ import annotations

import re

# C0 but for tab and line feed, DEL and C1; what Unicode calls Bidi_Control; line and paragraph
# separators; deprecated and annotating controls; halves of surrogates, which no UTF-8 can hold.
# Joiners, soft hyphens and the tags of flags belong to ordinary text and are not among them.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb"
    "\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""The text with such characters as ``\u`` escapes: in JSON they mean the same as before.

    >>> print(visible("a\x1b[2Jb"), visible("שלום, مرحبا 👩‍🚀"))
    a\u001b[2Jb שלום, مرحبا 👩‍🚀
    """
    return _STEERING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
