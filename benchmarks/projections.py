"""Mitigations on vectors, alone and before ``pbm``, on the phantom of dose 1: ``python benchmarks/projections.py [--galleries N]``.

Prints the table of docs/projections.md: the gallery of matched sets (``phantom``), and skewed galleries (``phantom:skewed``), where queries
that name no group stand apart from those that ask for one. Projections are fitted beside what is measured, and rerankers see labels, with
the same annotator: one label in ten is wrong.
"""

from __future__ import annotations

import argparse

import numpy as np

import fairlead

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
Means = dict[tuple[str, str, str], list[float]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Mitigations on vectors, alone and before pbm.")
    parser.add_argument("--galleries", type=int, default=5, metavar="N", help="skewed galleries (5)")
    args = parser.parse_args()
    variants = [v for method in METHODS for v in ((method or "plain"), f"{method}+pbm" if method else "pbm")]
    means: Means = {}
    measured("phantom", 20, means)
    for first in range(args.galleries):
        measured(f"phantom:skewed(first={first})", 10, means)
    print("| mitigation | matched: excess NDKL@20 | skewed: excess NDKL@10 | skewed: nDCG@10 | asks for a group: nDCG@10 |")
    print("| --- | ---: | ---: | ---: | ---: |")
    columns = [("all", "NDKL@20"), ("neutral", "NDKL@10"), ("neutral", "nDCG@10"), ("explicit", "nDCG@10")]
    for variant in variants:
        figures = [float(np.mean(means[variant, part, metric])) for part, metric in columns]
        print(f"| `{variant}` | " + " | ".join(f"{'+' if n < 2 and x > 0 else ''}{x:.3f}" for n, x in enumerate(figures)) + " |")
    return 0


def measured(benchmark: str, k: int, means: Means) -> None:
    """Add the excess of NDKL and the nDCG of every variant, for each kind of query."""
    texts = [t for method in METHODS for t in ((method,) if method else ()) + ((f"{method}+pbm",) if method else ("pbm",))]
    metrics = (f"NDKL@{k}", f"nDCG@{k}")
    found = fairlead.audit(MODEL, benchmark, attribute="gender", metric=metrics, mitigate=tuple(texts), mitigate_groups=LABELS)
    for row in (*found.result.rows, *found.result.split):
        if (row.tag is None) != (benchmark == "phantom"):
            continue
        asks = (row.tag or {}).get("asks", "all")
        part = "explicit" if asks in ("female", "male") else asks
        value = row.excess if row.attribute is not None else row.mean
        means.setdefault((str(row.variant), part, row.metric), []).append(value)


if __name__ == "__main__":
    raise SystemExit(main())
