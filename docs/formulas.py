"""The LaTeX of a metric's formula as HTML with sub- and superscripts: readable offline, in a
browser or on a code host.

Only what the formulas use is known. An unknown command raises, so that a new formula is either
translated or noticed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}_^]|\s+|.")
_SYMBOLS = {
    r"\le": " ≤ ",
    r"\neq": " ≠ ",
    r"\in": " ∈ ",
    r"\cap": " ∩ ",
    r"\to": " → ",
    r"\exists": "∃ ",
    r"\emptyset": "∅",
    r"\epsilon": "ϵ",
    r"\varepsilon": "ε",
    r"\lfloor": "⌊",
    r"\rfloor": "⌋",
    r"\|": " ‖ ",
    r"\{": "{",
    r"\}": "}",
    r"\,": " ",
    r"\quad": " &nbsp; ",
    "-": "−",
    "'": "′",
    "*": "∗",
}
_OPERATORS = {r"\sum": "Σ", r"\max": "max", r"\min": "min", r"\ln": "ln", r"\log": "log"}
_DROPPED = {r"\left", r"\right"}
_HALF = {("1", "2"): "½"}


@dataclass
class Piece:
    """A part of a formula: its HTML, and whether it is a fraction, an operator, a factor, or only
    space and punctuation.
    """

    html: str
    kind: str


def as_html(latex: str) -> str:
    """The formula as one line of HTML.

    >>> as_html(r"\\frac{n_g}{k}")
    'n<sub>g</sub> / k'
    """
    pieces, rest = _pieces(_TOKEN.findall(latex))
    if rest:
        raise ValueError(f"'{latex}' closes a brace it did not open")
    return _joined(pieces)


def _pieces(tokens: list[str]) -> tuple[list[Piece], list[str]]:
    """The pieces up to the end or the closing brace, and what follows it."""
    found: list[Piece] = []
    while tokens:
        head, tokens = tokens[0], tokens[1:]
        if head == "}":
            return found, tokens
        if head in "_^":
            text, tokens = _argument(tokens)
            tag = "sub" if head == "_" else "sup"
            found[-1].html += f"<{tag}>{text}</{tag}>"
        elif head == "{":
            inner, tokens = _pieces(tokens)
            found.append(Piece(_joined(inner), "factor"))
        elif head in (r"\frac", r"\tfrac"):
            top, tokens = _argument(tokens)
            bottom, tokens = _argument(tokens)
            found.append(_fraction(top, bottom))
        elif head in (r"\mathrm", r"\text"):
            text, tokens = _verbatim(tokens)
            found.append(Piece(escape(text), "factor"))
        elif head in _OPERATORS:
            found.append(Piece(_OPERATORS[head], "operator"))
        elif head not in _DROPPED:
            found.append(_symbol(head))
    return found, []


def _argument(tokens: list[str]) -> tuple[str, list[str]]:
    """One argument: a braced group, or a single token."""
    while tokens and tokens[0].isspace():
        tokens = tokens[1:]
    if tokens[0] == "{":
        pieces, rest = _pieces(tokens[1:])
        return _joined(pieces), rest
    return _joined([_symbol(tokens[0])]), tokens[1:]


def _verbatim(tokens: list[str]) -> tuple[str, list[str]]:
    end = tokens.index("}")
    return "".join(tokens[1:end]), tokens[end + 1 :]


def _symbol(token: str) -> Piece:
    if token in _SYMBOLS:
        html = _SYMBOLS[token]
        return Piece(html, "factor" if html.strip() in ("ϵ", "ε", "∅", "′", "∗") else "space")
    if token.startswith("\\"):
        raise ValueError(f"docs/formulas.py does not know {token}")
    return Piece(escape(token), "factor" if token.isalnum() or token in "[|(" else "space")


def _fraction(top: str, bottom: str) -> Piece:
    if (top, bottom) in _HALF:
        return Piece(_HALF[top, bottom], "factor")
    return Piece(f"{_grouped(top)} / {_grouped(bottom)}", "fraction")


def _grouped(html: str) -> str:
    """The text in brackets where it is more than one symbol with its indices."""
    bare = re.sub(r"<(sub|sup)>.*?</\1>", "", html)
    return html if re.fullmatch(r".′?|[A-Za-z]+\([^()]*\)|\|[^|]*\|", bare) else f"({html})"


def _joined(pieces: list[Piece]) -> str:
    """The pieces in a row; a fraction beside another factor is bracketed, operators keep their
    distance.
    """
    words = [p for p in pieces if p.html.strip()]
    text = ""
    for piece in pieces:
        html = piece.html
        if piece.kind == "fraction":
            at = next(i for i, word in enumerate(words) if word is piece)
            beside = [words[i] for i in (at - 1, at + 1) if 0 <= i < len(words)]
            html = f"({html})" if any(b.kind != "space" for b in beside) else html
        text += html
        if piece.kind in ("operator", "fraction"):
            text += " "
    text = re.sub(r" +([,)])", r"\1", re.sub(r"\s+", " ", text)).strip()
    return re.sub(r"(\b(?:log|ln)(?:<sub>\w+</sub>)?) \(", r"\1(", text)
