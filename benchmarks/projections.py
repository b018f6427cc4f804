"""Mitigations on vectors, alone and before ``pbm``, on the phantom of dose 1: ``python
benchmarks/projections.py [--galleries N]``.

Prints the table of docs/projections.md: the gallery of matched sets (``phantom``), and skewed
galleries (``phantom:skewed``), where queries that name no group stand apart from those that ask for
one. Projections are fitted beside what is measured, and rerankers see labels, with
the same annotator: one label in ten is wrong.

With ``--data DIR`` (a folder with ``fairface/images`` and ``fairface/labels.csv``, as docs/lite.md
says) it prints the second table: ``lite`` on real faces, fitted on every other face and measured on
the rest, with queries that name no group.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from pathlib import Path

import numpy as np

import fairlead
from fairlead.engine.projections import train_projection

METHODS = (
    "",
    "mi_clip",
    "mi_clip(reading=dropped)",
    "orthogonal",
    "orthogonal(span=differences)",
    "calibrated",
    "bend",
    "leace",
    "inlp",
    "inlp(rounds=16)",
)
MODEL, LABELS = "phantom(dose=1)", "noisy(accuracy=0.9)"
FACES = (
    "mi_clip",
    "mi_clip(reading=dropped)",
    "orthogonal",
    "calibrated",
    "bend",
    "leace(shrinkage=0.1)",
    "inlp",
)
QUERIES = (
    "doctor", "nurse", "engineer", "teacher", "chief executive", "cleaner", "criminal", "boss", "scientist", "lawyer", "secretary",
    "driver", "smart person", "friendly person", "rich person", "poor person", "strong person", "kind person", "honest person",
    "lazy person",
)  # fmt: skip
SHOWN = 50
Means = dict[tuple[str, str, str], list[float]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Mitigations on vectors, alone and before pbm.")
    parser.add_argument(
        "--galleries", type=int, default=5, metavar="N", help="skewed galleries (5)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with fairface: measure lite on real faces instead",
    )
    args = parser.parse_args()
    if args.data is not None:
        return faces(args.data / "fairface")
    variants = [
        v for method in METHODS for v in ((method or "plain"), f"{method}+pbm" if method else "pbm")
    ]
    means: Means = {}
    measured("phantom", 20, means)
    for first in range(args.galleries):
        measured(f"phantom:skewed(first={first})", 10, means)
    print(
        "| mitigation | matched: excess NDKL@20 | skewed: excess NDKL@10 | skewed: nDCG@10 | asks for a group: nDCG@10 |"
    )
    print("| --- | ---: | ---: | ---: | ---: |")
    columns = [
        ("all", "NDKL@20"),
        ("neutral", "NDKL@10"),
        ("neutral", "nDCG@10"),
        ("explicit", "nDCG@10"),
    ]
    for variant in variants:
        figures = [float(np.mean(means[variant, part, metric])) for part, metric in columns]
        print(
            f"| `{variant}` | "
            + " | ".join(f"{'+' if n < 2 and x > 0 else ''}{x:.3f}" for n, x in enumerate(figures))
            + " |"
        )
    return 0


def measured(benchmark: str, k: int, means: Means) -> None:
    """Add the excess of NDKL and the nDCG of every variant, for each kind of query."""
    texts = [
        t
        for method in METHODS
        for t in ((method,) if method else ()) + ((f"{method}+pbm",) if method else ("pbm",))
    ]
    metrics = (f"NDKL@{k}", f"nDCG@{k}")
    found = fairlead.audit(
        MODEL,
        benchmark,
        attribute="gender",
        metric=metrics,
        mitigate=tuple(texts),
        mitigate_groups=LABELS,
    )
    for row in (*found.result.rows, *found.result.split):
        if (row.tag is None) != (benchmark == "phantom"):
            continue
        asks = (row.tag or {}).get("asks", "all")
        part = "explicit" if asks in ("female", "male") else asks
        value = row.excess if row.attribute is not None else row.mean
        means.setdefault((str(row.variant), part, row.metric), []).append(value)


def faces(data: Path) -> int:
    """Print what projections do to lite on faces they were not fitted on."""
    with (data / "labels.csv").open(encoding="utf-8") as file:
        labels = {
            Path(row["file"]).name: {"gender": row["gender"].lower()}
            for row in csv.DictReader(file)
        }
    with tempfile.TemporaryDirectory() as folder:
        halves = [Path(folder, name) for name in ("fitted", "measured")]
        for half in halves:
            half.mkdir()
        for number, name in enumerate(sorted(labels)):
            (halves[number % 2] / name).symlink_to((data / "images" / name).resolve())
        files = {spec: str(Path(folder, f"{number}.npz")) for number, spec in enumerate(FACES)}
        for spec, file in files.items():
            train_projection(
                spec, model="lite", collection=str(halves[0]), attribute="gender", groups=labels
            ).write(file)
        texts = [f"a photo of {'an' if q[0] in 'aeiou' else 'a'} {q}" for q in QUERIES]
        mitigate = tuple(f"fitted:{file}" for file in files.values())
        metrics = (f"AbsBias@{SHOWN}", f"NDKL@{SHOWN}")
        found = fairlead.search(*texts, model="lite", collection=str(halves[1]), groups=labels, mitigate=mitigate, metric=metrics, k=SHOWN,
                                attribute="gender", trigger=False)  # fmt: skip
    print(f"| mitigation | excess AbsBias@{SHOWN} | excess NDKL@{SHOWN} |\n| --- | ---: | ---: |")
    for place, spec in enumerate(("plain", *FACES)):
        rows = [answer.variants[place].metrics for answer in found.results]
        print(
            f"| `{spec}` | "
            + " | ".join(f"{np.mean([r[m].excess for r in rows]):+.3f}" for m in range(2))
            + " |"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
