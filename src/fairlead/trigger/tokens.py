"""Text to tokens: one form for case, accents, width and spelling variants.

Tokens keep what the writing itself tells: capitals, possessives, breaks, inclusive forms. Hyphens
and apostrophes separate, so that ``dark-skinned`` and ``dark skinned`` are the same.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 10_000
"""Characters that are read; nobody searches with more."""
SHORT = frozenset(
    (
        "dr",
        "mr",
        "mrs",
        "ms",
        "mx",
        "st",
        "prof",
        "sgt",
        "lt",
        "rev",
        "jr",
        "sr",
        "sra",
        "srta",
        "dra",
        "m",
        "mme",
        "mlle",
        "pr",
    )
)
"""Words that a full stop belongs to."""
INCLUSIVE = "\ue000"
"""Marks a word that was written for all genders (``Lehrer*innen``)."""
_CJK = r"\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_PICTURE = r"\u2600-\u27bf\u2b50\u2b55\u231a-\u23ff\U0001f1e6-\U0001faff"
_LETTER = rf"(?![{_CJK}])[\w\u0300-\u036f\u0900-\u0963\u0966-\u097f\u064b-\u0652\u0670\ue000]"
_TOKEN = re.compile(
    rf"(?P<emoji>[{_PICTURE}](?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d[{_PICTURE}])*)"
    rf"|(?P<cjk>[{_CJK}]+(?:·[{_CJK}]+)*)"
    rf"|(?P<word>(?:{_LETTER})+)(?P<own>['’ʼ][sS](?!\w)|(?<=[sS])['’](?!\w))?"
    r"|(?P<and>&)"
    r"|(?P<join>['’ʼ‑-](?=\w))"
    r"|(?P<break>[^\s])"
)
_GERMAN = re.compile(r"(?<=[a-zäöüß])(?:[*:_·]|/-?|\(-?)(in|innen)\b\)?|(?<=[a-zäöüß])I(n|nnen)\b")
_CUT = re.compile(
    rf"(?<=[^\W\d_{_CJK}]{{3}})(?:·\w+)+"
    r"|(?<=\w{3})/-?(?:as?|os?|es?|trice|euse|ne|rice)\b"
    r"|(?<=\w{3})\((?:a|e|ne|se)\)(?=s?\b)"
)


@dataclass(frozen=True)
class Token:
    """One word, one run of Chinese or Japanese, or one emoji.

    Attributes:
        text: In the one form words are compared in.
        written: As it was asked.
        kind: ``word``, ``cjk`` or ``emoji``.
        capital: Whether it begins with a capital letter.
        apart: Whether punctuation stands before it.
        possessive: Whether it was written with 's.
        inclusive: Whether it was written for all genders.
    """

    text: str
    written: str
    kind: str = "word"
    capital: bool = False
    apart: bool = False
    possessive: bool = False
    inclusive: bool = False


def tokens(text: str) -> list[Token]:
    """The tokens of a text, of its first ``LONGEST`` characters.

    >>> [t.text for t in tokens("Ärztin, Women's shoes")]
    ['arztin', 'women', 'shoes']
    """
    # composed first: the patterns below are written in composed letters
    shown = unicodedata.normalize("NFC", text[:LONGEST])
    shown = _CUT.sub(INCLUSIVE, _GERMAN.sub(_joined, shown)).replace("_", " ").replace("@s", "os")
    result: list[Token] = []
    apart = False
    for match in _TOKEN.finditer(shown):
        kind = match.lastgroup
        if kind in ("break", "join"):
            short = match[0] == "." and result and result[-1].text in SHORT
            apart = apart or (kind == "break" and not short)
            continue
        written = match["word"] or match[0]
        inclusive = INCLUSIVE in written
        written = written.replace(INCLUSIVE, "")
        if not written:
            continue
        group = "word" if match["word"] or match["and"] else str(kind)
        for part in folded(written) if group == "word" else (written,):
            result.append(
                Token(
                    part,
                    written,
                    group,
                    written[:1].isupper(),
                    apart,
                    match["own"] is not None,
                    inclusive,
                )
            )
            apart = False
    return result


def _joined(match: re.Match[str]) -> str:
    return (match[1] or f"i{match[2]}") + INCLUSIVE


@lru_cache(maxsize=65536)
def folded(word: str) -> tuple[str, ...]:
    """The form of a word that is compared: no case, no accents, one spelling.

    Arabic articles and joined words are taken off.

    >>> folded("MÉDICO"), folded("والطبيب")
    (('medico',), ('و', 'طبيب'))
    """
    plain = unicodedata.normalize("NFKC", word).casefold()
    decomposed = unicodedata.normalize("NFD", plain)
    # only these marks are accents; those of Arabic and Hindi are letters of the word
    if any("\u0300" <= c <= "\u036f" for c in decomposed):
        plain = unicodedata.normalize(
            "NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
        )
    if any("\u0600" <= c <= "\u06ff" for c in plain):
        return _arabic(plain)
    if any("\u0900" <= c <= "\u097f" for c in plain):
        plain = "".join(c for c in unicodedata.normalize("NFD", plain) if c != "\u093c").replace(
            "\u0901", "\u0902"
        )
    return (plain,)


def _arabic(word: str) -> tuple[str, ...]:
    """An Arabic word without vowel marks, with alef in one form.

    The article and joined prepositions are off; a joined 'and' becomes a word of its own.
    """
    bare = "".join(c for c in word if not "\u064b" <= c <= "\u0652" and c not in "\u0640\u0670")
    bare = bare.translate(str.maketrans("أإىٱ", "اايا"))
    before: tuple[str, ...] = ()
    if bare.startswith("وال") and len(bare) > 4:
        before = ("و",)
        bare = bare[1:]
    # at least two letters must be left, or the article is part of the word
    for article in ("بال", "كال", "فال", "لل", "ال"):
        if bare.startswith(article) and len(bare) - len(article) >= 2:
            bare = bare[len(article) :]
            break
    return (*before, bare)
