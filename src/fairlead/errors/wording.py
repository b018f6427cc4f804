"""Wording shared by all errors: unknown names, errors of other libraries, several at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from fairlead.errors.tree import BackendError, DataError, FairleadError, UsageError

_CODE = re.compile("pickl|weights[ _-]?only", re.IGNORECASE)


def unknown_name(what: str, name: str, known: Iterable[str]) -> UsageError:
    """An error for a name that does not exist, with the nearest names that do."""
    names = sorted(known)
    # case is the commonest mistake, so names are compared without it
    by_lower = {n.lower(): n for n in names}
    near = [by_lower[n] for n in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    hint = f"Known: {', '.join(names) or 'none'}."
    if near:
        hint = f"Did you mean {' or '.join(near)}?"
    return UsageError(f"There is no {what} called '{name}'.", hint)


def words_of(error: BaseException) -> str:
    """What another library's error says, as the end of a sentence of ours.

    Only its first line is kept, and never its advice to load a file unsafely.

    >>> words_of(ValueError("It is short.")), words_of(KeyError("about"))
    ('It is short', "it has no 'about'")
    >>> words_of(ValueError("Load it with allow_pickle=True."))
    'it is no file of plain arrays'
    >>> words_of(ValueError("Weights only load failed. Re-run with `weights_only` set to `False`."))
    'it is no file of plain arrays'
    """
    text = str(error)
    # a KeyError says the key and nothing else
    if isinstance(error, KeyError):
        text = f"it has no {error}"
    # numpy advises allow_pickle, torch weights_only: both would run code from the file
    if _CODE.search(text):
        return "it is no file of plain arrays"
    # further lines of another library are advice, and may be bad advice
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first.rstrip(".") or type(error).__name__


def together(errors: list[FairleadError]) -> FairleadError:
    """Several faults as one error: the kind of the first one, the messages of all.

    A missing extra counts as a usage error here.
    """
    if len(errors) == 1:
        return errors[0]
    lines = "\n".join(f"  - {e}" for e in errors)
    kind = next((k for k in (DataError, BackendError) if isinstance(errors[0], k)), UsageError)
    return kind(f"{len(errors)} things are wrong:\n{lines}")
