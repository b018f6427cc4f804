"""What mitigation on weights does to a model: bias and relevance of every model, and paired
differences to the first.

    python benchmarks/weights.py "phantom(dose=1)" 'phantom(dose=1.0,weights="adversarial-0")' ...

Two protocols: the portraits of ``phantom`` (matched sets, ``fairlead audit``) and the galleries of
    ``phantom:skewed`` (``fairlead
frontier``), in which balance costs relevance and queries also ask for a group by name.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import numpy as np

BIAS, SHOWN = "AbsBias@20", "nDCG@20"
DRAWS = 10_000


def command(*words: str) -> dict:
    """What a command of fairlead answers as JSON."""
    line = [sys.executable, "-c", "from fairlead.cli.main import main; main()", *words, "--json"]
    return json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def audited(model: str, seeds: int) -> tuple[dict[str, dict], dict[str, float]]:
    """Metrics by name, and bias by query."""
    found = command(
        "audit", "--model", model, "--benchmark", f"phantom(seeds={seeds})", "--attribute", "gender"
    )
    values = {
        row["query"]: row["value"]
        for row in found["per_query"]
        if row["metric"] == BIAS and row["attribute"] == "gender"
    }
    return {row["metric"]: row for row in found["metrics"]}, values


def explored(model: str, repeats: int) -> tuple[dict, dict, float]:
    """The plain row of a frontier, the row of pbm on top, and the accuracy of queries that ask for
    a group by name.
    """
    found = command(
        "frontier",
        "--model",
        model,
        "--benchmark",
        "phantom:skewed",
        "--mitigate",
        "pbm(theta=1)",
        "--repeats",
        str(repeats),
    )
    rows = {row["method"]: row for row in found["rows"]}
    asked = next(row["plain"] for row in found["explicit"] if row["metric"] == "nDCG")
    return rows["plain"], rows["pbm(theta=1)"], asked


def difference(ours: dict[str, float], first: dict[str, float]) -> str:
    """The mean difference over queries with its interval, by drawing queries again."""
    apart = np.array([ours[query] - first[query] for query in first])
    drawn = np.random.default_rng(0).choice(apart, (DRAWS, len(apart))).mean(1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return f"{apart.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def main() -> None:
    """Print a line for every model as soon as it is measured."""
    parser = argparse.ArgumentParser(
        description="Bias and relevance of models that were trained on."
    )
    parser.add_argument("models", nargs="+", metavar="SPEC")
    parser.add_argument("--repeats", type=int, default=5, help="Skewed galleries.")
    parser.add_argument("--seeds", type=int, default=16, help="Matched sets of every occupation.")
    choices = parser.parse_args()
    first = None
    for model in choices.models:
        metrics, values = audited(model, choices.seeds)
        first = values if first is None else first
        bias, shown = metrics[BIAS], metrics[SHOWN]
        plain, mitigated, asked = explored(model, choices.repeats)
        print(model)
        print(f"  phantom         {BIAS} {bias['mean']:.3f} [{bias['ci'][0]:.3f}, {bias['ci'][1]:.3f}], chance {bias['null']['mean']:.3f}, "
              f"to the first {difference(values, first)}; {SHOWN} {shown['mean']:.3f}, AP {metrics['AP']['mean']:.3f}")  # fmt: skip
        for name, row in (("plain", plain), ("pbm", mitigated)):
            print(f"  skewed, {name:6s}  AbsBias@10 {row['bias']['AbsBias']:.3f} (excess {row['bias']['AbsBias_excess']:+.3f}), "
                  f"nDCG@10 {row['relevance']['nDCG']:.3f}")  # fmt: skip
        print(f"  skewed, explicit nDCG@10 {asked:.3f}", flush=True)


if __name__ == "__main__":
    main()
