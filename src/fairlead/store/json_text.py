"""JSON that somebody gave us, parsed in one place, so that every reader refuses the same.

Python's own reader follows lists and records until its stack ends, and accepts half characters
(lone surrogates), which no file can be written with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from fairlead.store.limits import NESTING

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_OPENING, _CLOSING = b"[{", b"]}"


def parsed(text: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a JSON text.

    Args:
        text: The text, or its UTF-8.
        pairs: Makes a record of its names and values, as for ``json.loads``.

    Raises:
        ValueError: Where it is no JSON, holds half a character, or is nested too deep.
    """
    if isinstance(text, bytes):
        text = text.decode()
    if text.count("[") + text.count("{") > (most := NESTING.value) and _depth(text) > most:
        raise ValueError(
            f"it has more than {most:,} {NESTING.what} ({NESTING.variable} allows more)"
        )
    try:
        value = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError:
        raise
    except ValueError:
        # Python turns no more than some thousand digits into a whole number
        value = json.loads(text, object_pairs_hook=pairs, parse_int=float)
    if _SURROGATE.search(text) is not None and not _is_whole(value):
        raise ValueError("it holds half a character (a lone surrogate)")
    return value


def _is_whole(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def _depth(text: str) -> int:
    """How many lists and records stand within each other."""
    marks = np.frombuffer(_STRING.sub("", text).encode("utf-8", "replace"), np.uint8)
    steps = np.isin(marks, np.frombuffer(_OPENING, np.uint8)).astype(np.int8)
    steps -= np.isin(marks, np.frombuffer(_CLOSING, np.uint8))
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))
