"""Rows of the ledger: a published number, ours, and a verdict.

The verdict is computed from the two, never written by hand.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

Verdict = Literal["exact", "within-noise", "bounded", "consistent", "needs-data", "differs"]
Origin = Literal["paper", "code", "reference", "erratum"]
Value = float | str | None

# From what needs no explanation to what needs one; the worst of all rows is the ledger's.
SEVERITY: tuple[Verdict, ...] = (
    "exact",
    "within-noise",
    "bounded",
    "consistent",
    "needs-data",
    "differs",
)
STANDARD_ERRORS = 3.0
"""How many standard errors of the difference count as noise."""


@dataclass(frozen=True)
class Claim:
    """A published number: where it stands, what it says, how a reader can compute it.

    Attributes:
        paper: Short name, a key of ``PAPERS``.
        table: Table, figure or section.
        item: Which number of it.
        published: The number as printed.
        digits: Decimals printed; None for text.
        method: Metric and reranker in their text form, and the data.
        origin: ``paper`` printed there; ``code`` printed by public code; ``reference`` not printed
            but recorded by an independent script to read the paper's numbers against; ``erratum``
            the corrected value of a misprint, which ``item`` quotes.
    """

    paper: str
    table: str
    item: str
    published: Value
    digits: int | None = None
    method: str = ""
    origin: Origin = "paper"


@dataclass(frozen=True)
class LedgerRow(Claim):
    """A claim with our number and the verdict.

    Attributes:
        ours: Our number.
        verdict: ``exact`` ours rounds to the printed digits; ``within-noise`` the difference is
            noise of a kind ``why`` names; ``bounded`` only a bound follows, and it holds;
            ``consistent`` agrees in its reading, not in every digit; ``needs-data`` cannot be
            computed from what is published; ``differs`` none of these.
        why: What the verdict rests on.
        noise: Standard error of the difference, where it is random.
        bounds: Where the printed number must lie, given ours.
    """

    ours: Value = None
    verdict: Verdict = "differs"
    why: str = ""
    noise: float | None = None
    bounds: tuple[float, float] | None = None

    @property
    def difference(self) -> float | None:
        """Ours minus published, where both are numbers."""
        if isinstance(self.ours, float) and isinstance(self.published, float):
            return self.ours - self.published
        return None

    @property
    def errors(self) -> float | None:
        """The difference in standard errors, where it is random."""
        if self.difference is None or not self.noise:
            return None
        return self.difference / self.noise

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        row = asdict(self) | {"difference": self.difference, "errors": self.errors}
        if self.bounds is not None:
            row["bounds"] = list(self.bounds)
        return row


def printed(value: Value, digits: int | None) -> str:
    """A value with a number of decimals, as a paper would print it."""
    if value is None:
        return ""
    if isinstance(value, str) or digits is None:
        return str(value)
    # Adding 0 turns -0.0, which no paper prints, into 0.0.
    return f"{round(value, digits) + 0.0:.{digits}f}"


def exactly(claim: Claim, ours: float | str, why: str = "") -> LedgerRow:
    """``exact`` where ours prints the same, else ``differs``."""
    # Compared as printed: ours may have more digits, and text is compared like numbers.
    same = printed(ours, claim.digits) == printed(claim.published, claim.digits)
    return _row(claim, ours, _if(same, "exact"), why or "Rounds to the printed digits.")


def with_noise(claim: Claim, ours: float, noise: float, why: str) -> LedgerRow:
    """``within-noise`` where the difference is at most three standard errors, else ``differs``.

    The rounding of the print counts as noise too.
    """
    # the print is rounded, which adds noise of its own
    noise = math.hypot(noise, rounding(claim))
    low = ours - STANDARD_ERRORS * noise
    high = ours + STANDARD_ERRORS * noise
    return within(claim, ours, (low, high), why, noise=noise)


def within(
    claim: Claim,
    ours: float,
    bounds: tuple[float, float],
    why: str,
    *,
    holds: Verdict = "within-noise",
    noise: float | None = None,
) -> LedgerRow:
    """The verdict ``holds`` where the published number lies in the bounds, else ``differs``."""
    assert isinstance(claim.published, float)
    inside = bounds[0] <= claim.published <= bounds[1]
    return _row(claim, ours, _if(inside, holds), why, noise=noise, bounds=bounds)


def holding(
    claim: Claim, ours: Value, true: bool, why: str, *, holds: Verdict = "consistent"
) -> LedgerRow:
    """The verdict ``holds`` where a statement about the number is true, else ``differs``."""
    return _row(claim, ours, _if(true, holds), why)


def _if(holds: bool, verdict: Verdict) -> Verdict:
    """A verdict where it holds, else ``differs``."""
    if holds:
        return verdict
    return "differs"


def needs_data(claim: Claim, what: str) -> LedgerRow:
    """A number that cannot be computed from what is published.

    ``what`` says which data it needs and where they are.
    """
    return _row(claim, None, "needs-data", what)


def rounding(claim: Claim) -> float:
    """Standard deviation of the error made by printing so few digits."""
    if claim.digits is None:
        return 0.0
    # A rounded number is off by anything up to half a unit, each alike: the variance of that is
    # unit² / 12.
    return 10.0**-claim.digits / math.sqrt(12)


def half_unit(claim: Claim) -> float:
    """Half a unit of the last printed digit."""
    if claim.digits is None:
        return 0.0
    return 0.5 * 10.0**-claim.digits


def _row(claim: Claim, ours: Value, verdict: Verdict, why: str, **rest: Any) -> LedgerRow:
    # numpy scalars would not be JSON
    if isinstance(ours, (int, float)):
        ours = float(ours)
    if verdict == "differs":
        why = f"Does not hold here: {why}"
    return LedgerRow(**vars(claim), ours=ours, verdict=verdict, why=why, **rest)


@dataclass(frozen=True)
class Ledger:
    """Every published number with its verdict.

    Attributes:
        rows: In the order of the papers and their tables.
        papers: Short names and citations of the papers looked at.
        runs: Runs of each random cell.
        seed: The seed of all random streams.
    """

    rows: tuple[LedgerRow, ...]
    papers: dict[str, str]
    runs: int
    seed: int

    columns: ClassVar[tuple[str, ...]] = (
        "paper",
        "table",
        "item",
        "published",
        "ours",
        "verdict",
        "why",
    )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each verdict."""
        counted = Counter(row.verdict for row in self.rows)
        return {verdict: counted[verdict] for verdict in SEVERITY}

    @property
    def worst(self) -> Verdict:
        """The most severe verdict of all rows."""
        return max((row.verdict for row in self.rows), key=SEVERITY.index, default="exact")

    @property
    def furthest(self) -> LedgerRow | None:
        """The random row whose difference is the most standard errors."""
        random = [row for row in self.rows if row.errors is not None]
        return max(random, key=lambda row: abs(row.errors or 0.0), default=None)

    def having(self, *verdicts: Verdict) -> tuple[LedgerRow, ...]:
        """The rows with one of the verdicts."""
        return tuple(row for row in self.rows if row.verdict in verdicts)

    def cells(self) -> list[tuple[str, ...]]:
        """The rows as text, one cell for each of ``columns``.

        Our numbers have two digits more than the paper prints.
        """
        rows = list[tuple[str, ...]]()
        for row in self.rows:
            digits = row.digits
            # Counts are whole numbers and text has no digits; two more would say nothing.
            if digits:
                digits += 2
            numbers = printed(row.published, row.digits), printed(row.ours, digits)
            rows.append((row.paper, row.table, row.item, *numbers, row.verdict, row.why))
        return rows

    def summary(self) -> list[dict[str, Any]]:
        """One record for each table: how many of its rows have each verdict."""
        tables: dict[tuple[str, str], Counter[str]] = {}
        for row in self.rows:
            tables.setdefault((row.paper, row.table), Counter())[row.verdict] += 1
        return [
            {"paper": p, "table": t, "rows": c.total(), **{v: c[v] for v in SEVERITY}}
            for (p, t), c in tables.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The ledger as plain values, ready for JSON."""
        rows = [row.to_dict() for row in self.rows]
        return {
            "papers": dict(self.papers),
            "runs": self.runs,
            "seed": self.seed,
            "counts": self.counts,
            "worst": self.worst,
            "rows": rows,
        }
