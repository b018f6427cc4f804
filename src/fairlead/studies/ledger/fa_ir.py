"""FA*IR's m-tables, the baseline of Feng & Shah, beside what fairsearchcore prints."""

from __future__ import annotations

from collections.abc import Sequence

from fairlead.rerankers.mtables import adjusted_alpha, adjusted_table, failure_probability, mtable
from fairlead.studies.ledger.rows import Claim, LedgerRow, Origin, exactly
from fairlead.studies.ledger.settings import LedgerSettings, Section

PAPER = "feng-shah"
# k, p and alpha of the example, and of Feng & Shah's lists.
_README = (20, 0.25, 0.1)
_README_TABLE = (0,) * 8 + (1,) * 6 + (2,) * 5 + (3,)
_SETTING = (200, 0.5, 0.1)


def _text(table: Sequence[int]) -> str:
    return ",".join(map(str, table))


def _claim(
    item: str, value: float | str, digits: int | None, method: str, origin: Origin = "reference"
) -> Claim:
    return Claim(PAPER, "FA*IR baseline", item, value, digits, method, origin)


def tables(settings: LedgerSettings) -> list[LedgerRow]:
    """The table Feng & Shah used, and the README's example."""
    return [*_used(), *_example()]


def _used() -> list[LedgerRow]:
    """The table Feng & Shah used."""
    setting = "k=200, p=.5, alpha=.1, nearest"
    table = adjusted_table(*_SETTING, "nearest")
    return [
        exactly(
            _claim("m-table, first 10 rows", "0,0,0,0,0,1,1,1,1,2", None, setting),
            _text(table[:10]),
            "The rule behind .142.",
        ),
        exactly(
            _claim("failure probability", 0.100683, 6, setting),
            failure_probability(table, 0.5),
            "Nearest to .1, and above it.",
        ),
        exactly(
            _claim("adjusted alpha", 0.015625, 6, setting),
            adjusted_alpha(*_SETTING, "nearest"),
            "1/64.",
        ),
    ]


def _example() -> list[LedgerRow]:
    """The example in the README of fairsearchcore."""
    setting = "k=20, p=.25, alpha=.1, unadjusted"
    example = mtable(*_README)
    published = _text(_README_TABLE)
    return [
        exactly(
            _claim("fairsearchcore README, m-table", published, None, setting, "code"),
            _text(example),
        ),
        exactly(
            _claim(
                "fairsearchcore README, failure probability",
                0.115175,
                6,
                f"{setting}, the first 19 of 20 rows",
                "code",
            ),
            failure_probability(example[:-1], 0.25),
            "Its loop stops one row short, so this is the value of 19 rows.",
        ),
        exactly(
            _claim(
                "failure probability of all 20 rows (README prints 0.115175)",
                0.146887,
                6,
                setting,
                "erratum",
            ),
            failure_probability(example, 0.25),
            "The exact value of the whole table.",
        ),
    ]


SECTIONS: tuple[Section, ...] = (("Feng & Shah: FA*IR", tables),)
