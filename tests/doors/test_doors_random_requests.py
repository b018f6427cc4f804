"""Random requests on random small files: answered or refused, never our fault, and every answer
follows its schema.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fairlead.protocols.registry import entries

CHUNKS = 6
NAMES = {
    "query": ["q1", "q2", "q3", "q4"],
    "item": [*"abcdefghij"],
    "gain": ["0", "1", "2"],
    "rank": ["1", "2", "3", "4"],
    "gender": ["female", "male", "female", "male", "", "not-applicable"],
    "skin": ["x", "y", "z"],
    "gender=female": ["0", "1", "0.5", "0.2"],
    "gender=male": ["0", "0.5", ""],
    "block": ["p", "r", ""],
}
LABELS = (
    ["gender"],
    ["gender", "skin"],
    ["gender=female", "gender=male"],
    ["query", "gender"],
    ["gender", "block"],
    ["skin"],
)
TARGETS = ("0,1,0.5,0.25,0.25", "0.3,0.7,0,0.5,0.5", "0.5,0.5,0.4,0.4,0.2", "0.4,0.4,1,0,0")
ODD = ("", "nan", "inf", "-1", "2", "é", "NA", "unknown", '"')


def _table(rng: random.Random, columns: list[str], rows: int, keys: tuple[str, ...]) -> str:
    seen, lines = set(), [",".join(columns)]
    for _ in range(rows):
        values = {
            c: f"{rng.random():.2f}" if c == "score" else rng.choice(NAMES[c]) for c in columns
        }
        if rng.random() < 0.002:
            values[rng.choice(columns)] = rng.choice(ODD)
        key = tuple(values.get(k) for k in keys)
        if key not in seen or rng.random() < 0.001:
            lines.append(",".join(values.values()))
        seen.add(key)
    return "\n".join(lines) + "\n"


def _files(rng: random.Random) -> tuple[dict[str, str], list[str]]:
    labels = ["item", *rng.choice(LABELS)]
    shares = rng.choice(TARGETS).split(",")
    groups = ("gender,female", "gender,male", "skin,x", "skin,y", "skin,z")
    files = {
        "run.csv": _table(rng, ["query", "item", "score"], rng.randint(1, 40), ("query", "item")),
        "old.csv": _table(rng, ["query", "item", "score"], rng.randint(1, 40), ("query", "item")),
        "labels.csv": _table(
            rng,
            labels,
            60 if rng.random() < 0.8 else 6,
            ("item", "query") if "query" in labels else ("item",),
        ),
        "qrels.csv": _table(rng, ["query", "item", "gain"], 12, ("query", "item")),
        "target.csv": "query,attribute,group,share\n"
        + "".join(f"*,{g},{s}\n" for g, s in zip(groups, shares, strict=True)),
        "clusters.csv": "query,cluster\nq1,u\nq2,u\nq3,v\nq4,w\n",
    }
    return files, labels


def _metric(rng: random.Random) -> str:
    name = rng.choice(sorted(entries("metric")))
    if name == "SelfPreference":
        return f"SelfPreference(semantic=x,cultural=y,unrelated=z,part={rng.choice(['sp', 'sem', 'cul', 'non', 'errors'])})"
    group = {"Bias": "positive", "Skew": "group", "Exposure": "group"}.get(name)
    chosen = (
        f"({group}={rng.choice(['female', 'male', 'x'])})"
        if group
        else rng.choice(["", "(over=relevant)"])
        if name == "NDKL"
        else ""
    )
    return f"{name}{chosen}{rng.choice(['', '@1', '@3', '@10'])}"


def _request(rng: random.Random, labels: list[str]) -> list[str]:
    command = rng.choice(["score", "score", "score", "rerank", "check"])
    words = [command, "run.csv", "--groups", "labels.csv"]

    def maybe(chance: float, *more: str) -> None:
        if rng.random() < chance:
            words.extend(more)

    maybe(0.4, "--target", rng.choice(["target.csv", "pool", "relevant"]))
    maybe(0.6, "--qrels", "qrels.csv")
    maybe(0.2, "--attribute", rng.choice(["gender", "skin", "gender*skin"]))
    maybe(0.2, "--ties", "stable")
    maybe(0.8 if "block" in labels else 0.0, "--blocks", "block")
    if command == "score":
        words += [part for _ in range(rng.randint(1, 3)) for part in ("--metric", _metric(rng))]
        maybe(0.3, "--against", "old.csv")
        maybe(0.3, "--null", rng.choice(["order", "gallery", "target"]))
        maybe(0.2, "--interval", "percentile")
        maybe(0.2, "--clusters", "clusters.csv")
        maybe(0.2, "--detect", "0.1")
        maybe(0.2, "-o", "out.html")
    if command == "rerank":
        words += [
            "--mitigate",
            rng.choice(sorted(entries("reranker"))),
            "-k",
            rng.choice(["1", "2", "5", "20"]),
            "-o",
            "new.csv",
        ]
    if command != "check":
        maybe(0.3, "--unknown", rng.choice(["own-group", "spread"]))
    return words


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_request_is_answered_or_refused(
    chunk, tmp_path, monkeypatch, door, schema_faults, count
):
    monkeypatch.chdir(tmp_path)
    answered = 0
    for number in range(count(25, 500)):
        rng = random.Random(1_000_000 * chunk + number)
        files, labels = _files(rng)
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        words = _request(rng, labels)
        answer = door("--debug", *words, "--json")
        told = f"chunk {chunk}, number {number}: fairlead {' '.join(words)}\n{answer.err}"
        assert answer.code in (0, 2, 4), told
        assert (
            schema_faults(words[0] if answer.code == 0 else "error", json.loads(answer.out)) == []
        ), told
        assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")], told
        answered += answer.code == 0
        if answer.code == 0 and number % 3 == 0 and words[0] != "rerank":
            assert door(*words).code == 0, told
    assert answered > 3
