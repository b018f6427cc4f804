"""How a result of a saved run came about: enough to repeat it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead import __version__
from fairlead.engine.plan import LabelPlan
from fairlead.engine.recorded import Bench, file_behind
from fairlead.store.fingerprints import fingerprint


def manifest(command: str, plan: LabelPlan, bench: Bench, notes: Sequence[str]) -> dict[str, Any]:
    """How a result came about: enough to repeat it."""
    lengths = bench.evidence.ranking.lengths
    sources = {
        "run": plan.run,
        "groups": plan.groups,
        "qrels": plan.qrels,
        "target": plan.target,
        "against": getattr(plan, "against", None),
        "clusters": getattr(plan, "clusters", None),
        "label_sample": getattr(plan, "label_sample", None),
        "leave_out": plan.leave_out,
        "leave": getattr(plan, "leave", None),
    }
    return {
        "fairlead": __version__,
        "command": command,
        "plan": plan.described(),
        "inputs": {
            name: fingerprint(path)
            for name, value in sources.items()
            if (path := file_behind(value)) is not None
        },
        "run": {
            "queries": len(lengths),
            "entries": int(lengths.sum()),
            "ties": bench.run.ties,
            "depth": {
                "min": int(lengths.min()),
                "median": float(np.median(lengths)),
                "max": int(lengths.max()),
            },
        },
        "labels": {
            name: {
                "coverage": vars(c),
                "groups": list(bench.evidence.attributes[name].groups.names),
                "target": bench.evidence.attributes[name].target.name,
            }
            for name, c in bench.labels.coverage.items()
        },
        "collection_known": bench.evidence.pool is not None,
        "warnings": list(notes),
        **({} if bench.left is None else {"left_out": dict(bench.left)}),
    }
