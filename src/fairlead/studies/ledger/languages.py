"""Perspectival biases (2025), image to text: LBKL and DLBKL of language groups.

The groups are High and Medium resource against Low.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fairlead.metrics.dlbkl import DLBKL
from fairlead.metrics.lbkl import LBKL
from fairlead.statistics import sequences
from fairlead.studies.ledger.rows import Claim, LedgerRow, exactly, half_unit, within
from fairlead.studies.ledger.settings import LedgerSettings, Section
from fairlead.studies.ledger.tables import Record, table, unavailable
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array

PAPER = "perspectival"
GROUPS = ("High+Medium", "Low")
SHARE = 15 / 36
"""15 of the 36 languages of Crossmodal-3600 have High or Medium resources (Table 3)."""
CAPTIONS = np.array([30, 42])
"""Two captions of an image in each language."""
_FIGURE = {
    "CLIP-L/14, H H H H L": ((0, 0, 0, 0, 1), 0.2231, 0.3927),
    "XLM-R-B/16plus, L L L H M": ((1, 1, 1, 0, 0), 0.0204, 0.1106),
}
# Not in the paper: what a retriever that cannot see languages would read, by depth and eps;
# computed apart from this package, to hold ours against.
_BINOMIAL = {
    1e-7: {5: 0.676, 10: 0.109, 25: 0.037, 50: 0.025, 99: 0.020},
    1e-8: {5: 0.768, 10: 0.114},
    1e-10: {5: 0.952, 10: 0.125},
}
_HYPERGEOMETRIC = {
    1e-7: {5: 0.607, 10: 0.087},
    1e-8: {5: 0.689, 10: 0.090},
    1e-10: {5: 0.852, 10: 0.097},
}
_DATA = (
    "Needs the images and captions of Crossmodal-3600 (google/crossmodal-3600, CC BY 4.0) "
    "and the model."
)


def _measure(metric: LBKL | DLBKL, codes: Array, target: Sequence[float] = (0.5, 0.5)) -> Array:
    """(lists,) values of lists of group codes (lists, length)."""
    lists, length = codes.shape
    shares = np.broadcast_to(np.array(target), (lists, len(target)))
    return metric.measure(
        Lists(np.arange(lists), np.full(lists, length), shares, GROUPS, codes=codes)
    )[0]


def worked_example(settings: LedgerSettings) -> list[LedgerRow]:
    """Figure 12 fixes the conventions: two groups, P = (.5, .5), natural logarithm."""
    rows = []
    for name, (codes, plain, discounted) in _FIGURE.items():
        for metric, value in ((LBKL(k=5), plain), (DLBKL(k=5), discounted)):
            ours = float(_measure(metric, np.array([codes]))[0])
            other = float(_measure(metric, np.array([codes]), (SHARE, 1 - SHARE))[0])
            why = (
                "P = (.5, .5) over High+Medium and Low; with the gallery's 15 : 21 it would "
                f"print {other:.4f}."
            )
            rows.append(
                exactly(
                    Claim(PAPER, "Figure 12", f"{metric} of {name}", value, 4, str(metric)),
                    ours,
                    why,
                )
            )
    return rows


def epsilon(settings: LedgerSettings) -> list[LedgerRow]:
    """The unpublished epsilon is bounded: a mean cannot exceed what a list of one group reads."""
    rows = []
    clip = next(r for r in table("perspectival_table5") if r["model"] == "CLIP-L/14")
    for metric in (LBKL(k=5), DLBKL(k=5)):
        value = float(clip[str(metric)])
        most = float(_measure(metric, np.zeros((1, 5), int))[0])
        # Solved for eps: a list of one group reads ln .5 - .5 ln eps.
        bound = math.exp(2 * (math.log(0.5) - value))
        method = f"{metric} of a list of one group"
        claim = Claim(PAPER, "Table 5", f"{metric} of CLIP-L/14", value, 3, method)
        why = (
            f"A list of one group reads ln .5 - .5 ln eps, so eps <= {bound:.2g}; at our "
            f"default, {metric.eps:g}, it reads {most:.2f}."
        )
        rows.append(within(claim, most, (0.0, most + half_unit(claim)), why, holds="bounded"))
        limit = Claim(
            PAPER,
            "Table 5",
            f"largest eps by {metric}",
            "2.5e-07",
            method=method,
            origin="reference",
        )
        rows.append(exactly(limit, f"{bound:.1e}", "What the printed mean leaves possible."))
    return rows


def blind(settings: LedgerSettings) -> list[LedgerRow]:
    """What a retriever that cannot see languages reads: the floor of the metric."""
    rows = []
    for law, levels in (("binomial", _BINOMIAL), ("hypergeometric", _HYPERGEOMETRIC)):
        for eps, values in levels.items():
            rows += [_level(law, eps, k, value) for k, value in values.items()]
    limit = Claim(
        PAPER,
        "language-blind level",
        "limit for long lists",
        0.0141,
        4,
        "KL((.5, .5) || (15/36, 21/36))",
        "reference",
    )
    ends = _measure(LBKL(), np.repeat([0, 1], [15, 21])[None])
    return [
        *rows,
        exactly(limit, float(ends[0]), "Not zero, because P is not the gallery's share."),
        *_floor(),
    ]


def _level(law: str, eps: float, k: int, value: float) -> LedgerRow:
    metric = LBKL(eps=eps, k=k)
    drawn = f"15 : 21, {law}"
    if law == "hypergeometric":
        drawn += " over 72 captions"
    claim = Claim(
        PAPER,
        "language-blind level",
        f"{metric}, {law}",
        value,
        3,
        f"mean of {metric} over {drawn}",
        "reference",
    )
    best = _best()
    beside = ""
    # The paper prints it at some depths only.
    if f"LBKL@{k}" in best:
        beside = f" XLM-R-B/16plus, called near zero, prints {best[f'LBKL@{k}']}."
    return exactly(claim, _expected(law, eps, k), f"Set by eps and by P, not by the model.{beside}")


def _best() -> Record:
    records = [
        r
        for name in ("perspectival_table1", "perspectival_table5")
        for r in table(name)
        if r["model"] == "XLM-R-B/16plus"
    ]
    return {name: value for record in records for name, value in record.items()}


def _expected(law: str, eps: float, k: int) -> float:
    """Mean of LBKL@k when languages fall by chance.

    It is exact, over the counts of High+Medium captions.
    """
    # A gallery so large that captions of a language never run out, or the captions of one image.
    limits = CAPTIONS
    if law == "binomial":
        limits = np.array([k, k])
    counts = sequences.outcomes(limits, k)
    assert counts is not None
    if law == "binomial":
        weights = sequences.multinomial_weights(counts, np.array([SHARE, 1 - SHARE]))
    else:
        weights = sequences.hypergeometric_weights(counts, CAPTIONS)
    # LBKL does not see the order, so one list stands for all of its counts.
    codes = (np.arange(k) >= counts[:, :1]).astype(np.int16)
    return float(weights @ _measure(LBKL(eps=eps, k=k), codes))


def _floor() -> list[LedgerRow]:
    """The least biased model beside a language-blind retriever.

    It holds for any eps in 1e-8..1e-7 and for both laws.
    """
    rows = []
    best = _best()
    for k in (5, 10):
        levels = [
            _expected(law, eps, k) for law in ("binomial", "hypergeometric") for eps in (1e-7, 1e-8)
        ]
        low = min(levels)
        high = max(levels)
        where = {5: "Table 5", 10: "Table 1"}[k]
        claim = Claim(
            PAPER,
            where,
            f"LBKL@{k} of XLM-R-B/16plus",
            float(best[f"LBKL@{k}"]),
            3,
            f"language-blind LBKL@{k}, eps 1e-8 to 1e-7",
        )
        why = (
            f"At the floor: a language-blind retriever reads {low:.3f} to {high:.3f}, so "
            "'near zero' is the metric's own level."
        )
        rows.append(within(claim, float(np.mean(levels)), (low, high), why, holds="consistent"))
    return rows


def models(settings: LedgerSettings) -> list[LedgerRow]:
    """Tables 1 and 5."""
    rows = unavailable(
        PAPER,
        "Table 1",
        "perspectival_table1",
        method="Hit@5, LBKL@10, DLBKL@10, nDCG@10",
        what=_DATA,
    )
    return rows + unavailable(
        PAPER, "Table 5", "perspectival_table5", method="LBKL@k, DLBKL@k", what=_DATA
    )


SECTIONS: tuple[Section, ...] = (
    ("Perspectival: Figure 12", worked_example),
    ("Perspectival: Tables 1 and 5", models),
    ("Perspectival: epsilon", epsilon),
    ("Perspectival: language-blind levels", blind),
)
