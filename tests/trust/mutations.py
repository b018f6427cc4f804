"""Tables of every kind and form, and what may become of them on the way: for readers that agree."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

ROWS = 40
KINDS = ("runs", "labels", "soft", "targets", "qrels")
FORMS = ("csv", "tsv", "jsonl", "trec", "parquet")
ITEMS = [f"item{n}" for n in range(12)]
QUERIES = ["q1", "q2", "a nurse", "größe"]


def rows_of(kind: str, chance: random.Random) -> list[dict[str, Any]]:
    """Sound rows."""
    pairs = [(q, i) for q in QUERIES for i in ITEMS][:ROWS]
    if kind == "runs":
        return [{"query": q, "item": i, "score": round(9 - n / 7, 3)} for n, (q, i) in enumerate(pairs)]  # fmt: skip
    if kind == "qrels":
        return [{"query": q, "item": i, "gain": n % 3} for n, (q, i) in enumerate(pairs)]
    if kind == "targets":
        return [{"query": q, "attribute": "gender", "group": g, "share": 0.5} for q in ("*", *QUERIES) for g in ("f", "m")]  # fmt: skip
    rows: list[dict[str, Any]] = []
    for n, item in enumerate(ITEMS):
        if kind == "soft":
            rows.append({"item": item, "gender=f": n / 16, "gender=m": 1 - n / 16, "no": "x"})
        else:
            label = chance.choice(["f", "m", "", "unknown", "a, b", 'say "x"'])
            rows.append({"item": item, "gender": label, "year": n % 3, "note": "two\nlines" * (n == 5)})  # fmt: skip
    return rows


def _cell(value: Any, separator: str, quoted: bool) -> str:
    text = str(value)
    if quoted or any(mark in text for mark in (separator, '"', "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text


def written(kind: str, form: str, chance: random.Random) -> bytes:
    """A sound table as the bytes of a file."""
    rows = rows_of(kind, chance)
    if form == "jsonl":
        spaced = chance.random() < 0.3
        separators = (", ", ": ") if spaced else (",", ":")
        return "".join(json.dumps(r, separators=separators, ensure_ascii=spaced) + "\n" for r in rows).encode()  # fmt: skip
    if form == "trec":
        if kind == "qrels":
            return "".join(f"{r['query'].replace(' ', '_')} 0 {r['item']} {r['gain']}\n" for r in rows).encode()  # fmt: skip
        return "".join(f"{r['query'].replace(' ', '_')} Q0 {r['item']} {n} {r['score']} t\n" for n, r in enumerate(rows, 1)).encode()  # fmt: skip
    separator = {"csv": ",", "tsv": "\t"}[form]
    quoted, end = chance.random() < 0.3, chance.choice(["\n", "\n", "\r\n"])
    lines = [separator.join(_cell(v, separator, quoted) for v in values) for values in [list(rows[0]), *(r.values() for r in rows)]]  # fmt: skip
    return (chance.choice(["", "", "\ufeff"]) + end.join(lines) + chance.choice(["", end])).encode()


TOKENS = [
    b'"', b'"', b'""', b',"', b'",', b'"\n', b'\n"', b"\n", b"\n\n", b"\r", b"\r\n", b"\0", b",",
    b"\t", b" ", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", "é".encode(), "\u2028".encode(),
    "\xa0".encode(), b"\x0b", b"\x0c", b"\x1c", b"\x85", b"nan", b"NaN", b"nan(1)", b"inf", b"Inf",
    b"-Infinity", b"1_0", b"0x1p3", b"1e999", b"", b"-", b"null", b"true", b"{}", b"[]", b"{", b"}",
    b"[", b"]", b"}{", b"}\n{", b"} {", b"}\r{", b':', b"\\", b'\\"', b"\\ud800", b"\\udc00",
    b"\\u0000", b"\\ud83d\\ude00", b"'", b"#", b";", b"/*", b"x" * 300, b"9" * 30, b"9" * 5000,
    b"[" * 300 + b"]" * 300, b'{"a":' * 300 + b"1" + b"}" * 300, b'"a":1,', b'"item":"z",', b"NA",
    b"1.0", b"1", b"=", b'{"query": "q", "item": "z", "score": null}\n', b"query", b"item",
    b'{"item": 3}\n', b'{"item": 0.5, "gender": 0.5, "year": 0.1}\n', b'{}\n', b"   \n", b'""\n',
]  # fmt: skip


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The bytes after some accidents."""
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 5])):
        content = _hit(content, chance)
    return content


def _hit(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    stop = min(len(content), at + chance.choice([1, 1, 2, 5, 30]))
    kind = chance.randrange(9)
    if kind < 3:
        return content[:at] + chance.choice(TOKENS) + content[at:]
    if kind == 3:
        return content[:at] + chance.choice(TOKENS) + content[stop:]
    if kind == 4:
        return content[:at] + content[stop:]
    if kind == 5:
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    lines = content.split(b"\n")
    line = chance.randrange(len(lines))
    if kind == 6:
        lines.insert(chance.randrange(len(lines) + 1), lines[line])
    elif kind == 7:
        # at the edge of a value, where accidents do most
        parts = lines[line].split(b",")
        place = chance.randrange(len(parts))
        token = chance.choice(TOKENS)
        parts[place] = chance.choice([token, token + parts[place], parts[place] + token])
        lines[line] = b",".join(parts)
    else:
        return content[:at]
    return b"\n".join(lines)


def file_of(folder: Path, kind: str, form: str, content: bytes, chance: random.Random) -> Path:
    """The bytes as a file, now and then compressed, in one piece, in two, or damaged."""
    name = f"{kind}.{form}"
    if chance.random() < 0.2:
        name += ".gz"
        half = chance.randrange(len(content) + 1)
        parts = chance.choice([[content], [content[:half], content[half:]]])
        content = b"".join(gzip.compress(part, 1) for part in parts)
        if chance.random() < 0.3:
            content = mutated(content, chance)
    place = folder / name
    place.write_bytes(content)
    return place


def records(form: str, text: str) -> int:
    """How many records a sound text holds, by another reading than the readers'."""
    text = text.removeprefix("\ufeff")
    if form in ("jsonl", "trec"):
        return sum(bool(line.strip()) for line in text.split("\n"))
    # of CSV: the line ends outside quotes, which begin where a value does; without the header
    separator = {"csv": ",", "tsv": "\t"}[form]
    count, inside, quoted, line, before = 0, False, False, "", "\n"
    for mark in text + "\n":
        if mark == '"' and (inside or before in (separator, "\n") or (before == '"' and quoted)):
            inside = not inside
            quoted = True
        elif mark in (separator, "\n"):
            quoted = False
        if mark == "\n" and not inside:
            count += bool(line.strip(' \t\r\n\v\f"')) or separator in line
            line = ""
        else:
            line += mark
        before = mark
    return count - 1
