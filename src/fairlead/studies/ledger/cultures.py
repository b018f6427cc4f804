"""Perspectival biases (2025), text to image: self-preference by country.

Its correlation with the silhouette is here too. Table 11 prints win shares whose integer counts can
be recovered, so Tables 2 and 8 follow. Table 8 gives Table 7 up to its rounding.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from fairlead.metrics.self_preference import SelfPreference
from fairlead.statistics.targets import uniform
from fairlead.statistics.wilson import wilson
from fairlead.studies.ledger.rows import (
    Claim,
    LedgerRow,
    exactly,
    half_unit,
    needs_data,
    printed,
    with_noise,
    within,
)
from fairlead.studies.ledger.settings import LedgerSettings, Section
from fairlead.studies.ledger.tables import numbers, table
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array

PAPER = "perspectival"
ROLES = ("sem", "cul", "non")
COUNTRIES = tuple(r["country"] for r in table("perspectival_table9"))
COLQWEN = (
    "Needs the win shares by country: Table 11 prints none for this model. Or the 3XCM "
    "images (CC BY-NC-SA 4.0) and the model."
)
ROUNDINGS = 4_000
"""Draws of what rounded numbers may have been."""
_MODELS = [r["model"] for r in table("perspectival_table2")]
_ORDERS = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1]])


def _cells(name: str, metric: str) -> dict[str, list[float]]:
    return {r["model"]: numbers(r, COUNTRIES) for r in table(name) if r["metric"] == metric}


@cache
def samples() -> tuple[int, ...]:
    """Trials of each country.

    Each is the printed number, or the nearest one whose integer win counts give every percentage of
    Table 11.
    """
    shares = np.array([numbers(r, COUNTRIES) for r in table("perspectival_table11")])
    stated = [int(r["samples"]) for r in table("perspectival_table9")]
    return tuple(_fitting(shares[:, at], n) for at, n in enumerate(stated))


def _fitting(percent: Array, stated: int) -> int:
    # the printed number first, then the nearest ones
    for off in sorted(range(-5, 6), key=abs):
        n = stated + off
        # Percentages are printed with two digits, so a whole number of wins lies within half a
        # unit.
        if (np.abs(100 * np.round(percent * n / 100) / n - percent) < 0.00501).all():
            return n
    return stated


@cache
def trials(model: str) -> tuple[Evidence, Array]:
    """Forced choices with the wins Table 11 implies, and the country of each.

    The winner stands first.
    """
    percent = np.array([_cells("perspectival_table11", role)[model] for role in ROLES])
    wins = np.round(percent * np.array(samples()) / 100).astype(int)
    country, winner = np.divmod(np.repeat(np.arange(wins.size), wins.T.ravel()), len(ROLES))
    groups = Groups("role", ROLES, codes=np.arange(3))
    ranking = Ranking(
        3 * np.arange(len(winner) + 1),
        _ORDERS[winner].ravel(),
        np.tile([3.0, 2.0, 1.0], len(winner)),
    )
    ids = tuple(map(str, range(len(winner))))
    return Evidence(ranking, ids, {"role": Labelled(groups, uniform(groups))}), country


def _pooled(model: str, part: str) -> tuple[float, Array]:
    """The pooled value over all trials, and over those of each country."""
    evidence, country = trials(model)
    over, under = SelfPreference(part=part)(evidence)  # type: ignore[arg-type]
    by = [np.bincount(country, x, len(COUNTRIES)) for x in (over, under)]
    return float(over.sum() / under.sum()), by[0] / by[1]


def pooled(settings: LedgerSettings) -> list[LedgerRow]:
    """Table 2 from Table 11."""
    rows = []
    known = _cells("perspectival_table11", "sem")
    for record in table("perspectival_table2"):
        model, (sem, cul, _, sp) = record["model"], numbers(record, (*ROLES, "SP"))
        claim_of_line = Claim(
            PAPER, "Table 2", f"SP of {model}, from its own line", sp, 2, "M_cul / M_sem"
        )
        rows.append(exactly(claim_of_line, cul / sem))
        if model not in known:
            rows.append(
                needs_data(
                    Claim(
                        PAPER, "Table 2", f"{model}, wins", f"{sem}, {cul}", method="SelfPreference"
                    ),
                    COLQWEN,
                )
            )
            continue
        method = "SelfPreference, pooled over the trials of Table 11"
        claim = Claim(PAPER, "Table 2", f"SP of {model}, from Table 11", sp, 2, method)
        rows.append(exactly(claim, _pooled(model, "sp")[0], "Pooled over trials, 11,723 of them."))
        rows += [_share(model, role, float(record[role])) for role in ROLES]
    return [*rows, _unpooled()]


def _share(model: str, role: str, value: float) -> LedgerRow:
    ours = 100 * _pooled(model, role)[0]
    method = f"SelfPreference(part={role}), pooled over the trials of Table 11, percent"
    claim = Claim(PAPER, "Table 2", f"M_{role} of {model}, from Table 11", value, 2, method)
    if printed(ours, 2) == printed(value, 2):
        return exactly(claim, ours)
    # Both numbers are rounded, ours by what it is made from.
    reach = 0.005 + half_unit(claim)
    return within(
        claim,
        ours,
        (ours - reach, ours + reach),
        "The printed percentages of Table 11 are rounded to ±.005, and so is this one.",
    )


def _unpooled() -> LedgerRow:
    """What Table 2 would print if SP were the mean of the countries."""
    ours = float(_pooled("CLIP-L/14", "sp")[1].mean())
    claim = Claim(
        PAPER,
        "Table 2",
        "SP of CLIP-L/14 if countries were averaged",
        2.88,
        2,
        "mean of SelfPreference by country",
        "reference",
    )
    return exactly(
        claim,
        ours,
        "The paper prints .80, so SP is pooled over trials, not averaged over countries.",
    )


def countries(settings: LedgerSettings) -> list[LedgerRow]:
    """Table 8's SP by country from Table 11."""
    return [
        _country(model, country, value, float(ours))
        for model, values in _cells("perspectival_table8", "SP").items()
        for country, value, ours in zip(COUNTRIES, values, _pooled(model, "sp")[1], strict=True)
    ]


def _country(model: str, country: str, value: float, ours: float) -> LedgerRow:
    claim = Claim(
        PAPER,
        "Table 8",
        f"SP of {model}, {country}",
        value,
        2,
        f"SelfPreference over the trials of {country} in Table 11",
    )
    if printed(ours, 2) == printed(value, 2):
        return exactly(claim, ours)
    why = (
        f"Within one unit of the last printed digit: the wins of Table 11 give {ours:.4f}, "
        f"which prints {ours:.2f}."
    )
    return within(claim, ours, (ours - 0.01, ours + 0.01), why, holds="consistent")


def errors(settings: LedgerSettings) -> list[LedgerRow]:
    """The cultural share of errors, which SP mixes with not reading the language.

    Its chance level is .5.
    """
    rows = []
    # The numbers of trials that fit Table 11, not those printed: see the misprints.
    total = sum(samples())
    for record in table("perspectival_table2"):
        _, cul, non = numbers(record, ROLES)
        ours = cul / (cul + non)
        size = round(total * (cul + non) / 100)
        low, high = wilson(ours, size)
        side = "no preference shown"
        if low > 0.5:
            side = "pulled to the culture"
        elif high < 0.5:
            side = "pulled away from it"
        method = "SelfPreference(part=errors) from Table 2"
        model = record["model"]
        claim = Claim(
            PAPER, "cultural share of errors", model, _SHARES[model], 3, method, "reference"
        )
        why = (
            f"Wilson 95 % interval [{low:.3f}, {high:.3f}] over {size:,} errors; chance is "
            f".5: {side}."
        )
        rows.append(exactly(claim, ours, why))
        if model in _INTERVALS:
            claim = Claim(
                PAPER,
                "cultural share of errors",
                f"{model}, interval",
                _INTERVALS[model],
                None,
                method,
                "reference",
            )
            rows.append(exactly(claim, f"{low:.3f} to {high:.3f}", why))
    return rows


# Not in the paper: computed once, apart from this package, from its Table 2, to hold ours against.
_SHARES = {
    "XLM-R-L/14": 0.473,
    "XLM-R-B/16plus": 0.500,
    "Jina-E-v4": 0.579,
    "ColQwen2.5-v0.2": 0.611,
    "ColQwen2.5-3B-M": 0.640,
    "GME-Qwen2-2B": 0.699,
    "ColQwen2.5-7B-M": 0.716,
    "Chinese-CLIP-L/14": 0.726,
    "GME-Qwen2-7B": 0.733,
    "CLIP-L/14": 0.836,
}
_INTERVALS = {
    "XLM-R-B/16plus": "0.474 to 0.525",
    "Jina-E-v4": "0.553 to 0.604",
    "GME-Qwen2-7B": "0.712 to 0.753",
}


def correlations(settings: LedgerSettings) -> list[LedgerRow]:
    """Table 7 from the rounded Table 8."""
    rows = []
    for column, metric, words in (("TSC", "TS", "text"), ("ISC", "IS", "image")):
        stated = {r["model"]: float(r[column]) for r in table("perspectival_table7")}
        average = stated.pop("Average")
        pearsons = {model: _pearsons(model, metric, settings) for model in stated}
        rows += [
            _correlation(Claim(PAPER, "Table 7", f"{column} of {m}", v, 2), pearsons[m], words)
            for m, v in stated.items()
        ]
        middle = np.mean(list(pearsons.values()), axis=0)
        rows.append(
            _correlation(
                Claim(PAPER, "Table 7", f"mean {column} of 7 models", average, 2), middle, words
            )
        )
        claim = Claim(
            PAPER,
            "Table 7",
            f"mean {column} of 7 models, from Table 7",
            average,
            2,
            "mean of the table's own lines",
        )
        rows.append(
            exactly(
                claim,
                float(np.mean(list(stated.values()))),
                "A mean of model correlations, not one correlation.",
            )
        )
        clip = Claim(
            PAPER, "Appendix I", f"{column} of CLIP-L/14", {"TSC": 0.827, "ISC": 0.550}[column], 3
        )
        rows.append(_correlation(clip, pearsons["CLIP-L/14"], words))
    return rows


def _correlation(claim: Claim, pearsons: Array, words: str) -> LedgerRow:
    claim = replace(
        claim, method=f"Pearson of SP and {words} silhouette over the 16 countries of Table 8"
    )
    ours = float(pearsons[0])
    spread = float(pearsons[1:].std())
    if printed(ours, claim.digits) == printed(claim.published, claim.digits):
        return exactly(claim, ours)
    return with_noise(
        claim,
        ours,
        spread,
        f"Rounding of the inputs: Table 8 within ±.005 moves it by {spread:.3f} (sd).",
    )


def _pearsons(model: str, metric: str, settings: LedgerSettings) -> Array:
    """Pearson of the rounded rows of Table 8, and of draws of what they may have been before
    rounding.

    Countries that share a language share their text silhouette, so those move together.
    """
    rows = np.array([_cells("perspectival_table8", m)[model] for m in ("SP", metric)])
    if metric == "TS":
        names = [r["language"] for r in table("perspectival_table9")]
    else:
        names = list(COUNTRIES)
    member = np.array([names.index(name) for name in names])
    errors = settings.stream(4, _MODELS.index(model), len(set(names))).uniform(
        -0.005, 0.005, (ROUNDINGS, 2, len(names))
    )
    # countries of one language share one rounded silhouette
    errors[:, 1] = errors[:, 1][:, member]
    x, y = np.moveaxis(np.concatenate([rows[None], rows + errors]), 1, 0)
    x = x - x.mean(1, keepdims=True)
    y = y - y.mean(1, keepdims=True)
    return (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1))


def misprints(settings: LedgerSettings) -> list[LedgerRow]:
    """Counts that do not agree with the paper's own tables."""
    images = [int(r["images"]) for r in table("perspectival_table10")]
    total = sum(samples())
    japan = samples()[COUNTRIES.index("JPN")]
    stated = sum(int(r["samples"]) for r in table("perspectival_table9"))

    def misprint(where: str, item: str, value: float, method: str) -> Claim:
        return Claim(PAPER, where, item, value, 0, method, "erratum")

    return [
        exactly(
            misprint("Table 10", "concepts (printed: 138)", 137.0, "lines of Table 10"),
            float(len(images)),
        ),
        exactly(
            misprint("Table 10", "entries (printed: 11,724)", 11_723.0, "sum of Table 10"),
            float(sum(images)),
        ),
        exactly(
            misprint(
                "Table 9",
                "Japan (printed: 944)",
                943.0,
                "n whose wins give every percentage of Table 11",
            ),
            float(japan),
        ),
        exactly(
            misprint(
                "Table 11", "trials (printed: 11,724)", 11_723.0, "sum of the n that fit Table 11"
            ),
            float(total),
        ),
        exactly(
            Claim(PAPER, "Table 9", "entries", 11_724.0, 0, "sum of Table 9"),
            float(stated),
            "One more than Tables 10 and 11 allow.",
        ),
    ]


SECTIONS: tuple[Section, ...] = (
    ("Perspectival: Table 2", pooled),
    ("Perspectival: Table 8", countries),
    ("Perspectival: errors", errors),
    ("Perspectival: Table 7", correlations),
    ("Perspectival: misprints", misprints),
)
