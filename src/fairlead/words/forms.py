"""Inflected forms of a word: plurals by rule, so that banks hold each word once.

Irregular forms stand in the banks themselves.
"""

from __future__ import annotations

_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "wife": "wives",
    "foot": "feet",
    "goose": "geese",
    "mouse": "mice",
    "tooth": "teeth",
    "person": "persons",
    "lady": "ladies",
}


def forms(word: str, language: str) -> tuple[str, ...]:
    """The word itself first, then its plurals.

    >>> forms("waitress", "en"), forms("doctora", "es"), forms("Ärztin", "de"), forms("ممرضة", "ar")
    (('waitress', 'waitresses'), ('doctora', 'doctoras'), ('Ärztin', 'Ärztinnen'), ('ممرضة',
    'ممرضات'))
    """
    # languages without a rule name every form in their banks
    plural = ""
    if language in _RULES:
        plural = _RULES[language](word)
    if plural and plural != word:
        return (word, plural)
    return (word,)


def _english(word: str) -> str:
    head, _, last = word.rpartition(" ")
    for end, plural in _IRREGULAR.items():
        if last == end or (
            end in ("man", "woman", "wife", "child")
            and last.endswith(end)
            and last not in ("human", "german", "roman")
        ):
            return f"{head} {last[: -len(end)]}{plural}".strip()
    if last.endswith(("s", "x", "z", "ch", "sh")):
        plural = last + "es"
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        plural = last[:-1] + "ies"
    else:
        plural = last + "s"
    return f"{head} {plural}".strip()


def _spanish(word: str) -> str:
    if " " in word or word.endswith("s"):
        return ""
    if word[-1] in "aeiouáéó":
        return word + "s"
    bare = word
    if word[-1] in "ns":
        # the accent marked the last syllable, which the ending makes the last but one
        bare = word.translate(str.maketrans("áéíóú", "aeiou"))
    if bare.endswith("z"):
        return bare[:-1] + "ces"
    return bare + "es"


def _french(word: str) -> str:
    if " " in word or word[-1] in "sxz":
        return ""
    if word.endswith(("au", "eu")):
        return word + "x"
    return word + "s"


def _german(word: str) -> str:
    if word.endswith("in") and len(word) > 5:
        return word + "nen"
    # other endings have plurals that no short rule gives: they stand in the bank
    if word.endswith("er"):
        return word + "n"
    return ""


def _arabic(word: str) -> str:
    if word.endswith("ة") and " " not in word:
        return word[:-1] + "ات"
    return ""


_RULES = {"en": _english, "es": _spanish, "fr": _french, "de": _german, "ar": _arabic}
