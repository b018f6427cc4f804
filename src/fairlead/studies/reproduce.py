"""``reproduce``: the published numbers of the source papers, computed live.

Each has a verdict and the reason for it.

Numbers printed in the papers come with the package; nothing else is needed, except for the rows
that say so. The whole ledger takes about fifteen seconds on two cores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlead.errors import UsageError, unknown_name
from fairlead.protocols import Progress
from fairlead.studies.ledger import cultures, fa_ir, feng_shah, languages, pbm, sispi
from fairlead.studies.ledger.rows import Ledger, LedgerRow, Verdict
from fairlead.studies.ledger.settings import SOURCES, LedgerSettings, Section
from fairlead.types.ragged import Array

__all__ = ["PAPERS", "RUNS", "Ledger", "LedgerRow", "Verdict", "reproduce"]

RUNS = 5_000
"""Runs of each random cell by default: five times those of Feng & Shah, so that what noise is left
is mostly theirs.
"""
# Verdicts of random rows rest on an estimated standard deviation, which fewer runs do not give.
FEWEST_RUNS = 20

PAPERS: dict[str, str] = {
    "feng-shah": "Feng, Shah: Has CEO gender bias really been fixed? (AAAI 2022)",
    "pbm": (
        "Kong, Yuan, Hao, Henao: Mitigating test-time bias for fair image retrieval (NeurIPS 2023)"
    ),
    "sispi": "Gomez: Measuring text-image retrieval fairness with synthetic data (SIGIR 2025)",
    "perspectival": (
        "Saengsuksiran et al.: Evaluating perspectival biases in cross-modal retrieval "
        "(arXiv 2510.26861)"
    ),
}
_SECTIONS: dict[str, tuple[Section, ...]] = {
    "feng-shah": feng_shah.SECTIONS + fa_ir.SECTIONS,
    "pbm": pbm.SECTIONS,
    "sispi": sispi.SECTIONS,
    "perspectival": languages.SECTIONS + cultures.SECTIONS,
}


def reproduce(
    papers: Sequence[str] | None = None,
    *,
    runs: int | None = None,
    seed: int = 0,
    labels: Mapping[str, Mapping[str, Array]] | None = None,
    progress: Progress | None = None,
) -> Ledger:
    """Compute the ledger of published numbers.

    Args:
        papers: Keys of ``PAPERS``; all by default.
        runs: Runs of each random cell, ``RUNS`` by default; noise estimates follow it.
        seed: Of all random streams; the same seed gives the same ledger.
        labels: Group counts from label files the user has obtained, ``{"occupation1": {"gender":
            (queries, 3)}}``; they turn some rows that need data into computed ones.
        progress: Told after each section.
    """
    chosen = list(PAPERS)
    if papers is not None:
        chosen = list(dict.fromkeys(papers))
    for paper in chosen:
        if paper not in PAPERS:
            raise unknown_name("paper", paper, PAPERS)
    if runs is None:
        runs = RUNS
    settings = _settings(runs, seed, labels or {})
    # papers in the order that was asked for, each once
    sections = [section for paper in chosen for section in _SECTIONS[paper]]
    rows: list[LedgerRow] = []
    for done, (name, make) in enumerate(sections, start=1):
        rows += make(settings)
        if progress is not None:
            progress(name, done, len(sections))
    return Ledger(tuple(rows), {paper: PAPERS[paper] for paper in chosen}, settings.runs, seed)


def _settings(runs: int, seed: int, labels: Mapping[str, Mapping[str, Array]]) -> LedgerSettings:
    if runs < FEWEST_RUNS:
        raise UsageError(
            f"{runs} runs are too few to estimate their noise.", f"Give at least {FEWEST_RUNS}."
        )
    for name in labels:
        if name not in SOURCES:
            raise unknown_name("set of labels", name, SOURCES)
    return LedgerSettings(runs, seed, labels)
