"""SISPI (SIGIR 2025): the tables need the images; the levels to read them against do not.

NDKL of the query's own 256 relevant images, uniform target over 2 genders, 4 ethnicities or 8
intersections.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fairlead.metrics.ndkl import NDKL
from fairlead.statistics.nulls import null_of
from fairlead.studies.ledger.rows import Claim, LedgerRow, exactly, holding, needs_data, with_noise
from fairlead.studies.ledger.settings import LedgerSettings, Section, listed
from fairlead.studies.ledger.tables import table, unavailable
from fairlead.types.ragged import Array

PAPER = "sispi"
SIZE = 256
GROUPS = {"gender": 2, "ethnicity": 4, "joint": 8}
QUERIES = 194
REFERENCE_DRAWS = 2_000
THRESHOLD_DRAWS = 20_000
"""Draws behind the reference levels; those of the thresholds were not recorded and are taken to be
20,000.
"""

# Not in the paper: levels and thresholds of balanced lists, computed once apart from this package.
_ROUND_ROBIN = (0.0176, 0.0490, 0.1005)
_SORTED = (0.4668, 0.7860, 1.0002)
_RANDOM = ((0.0347, 0.0140), (0.0866, 0.0191), (0.1630, 0.0225))
_THRESHOLDS = {"95 %": (0.063, 0.123, 0.204), "Bonferroni over 194 queries": (0.113, 0.187, 0.271)}
_LEVELS = {"95 %": 0.95, "Bonferroni over 194 queries": 1 - 0.05 / QUERIES}
_HAND = {"MF": (1, 0), "FMFM": (0, 1, 0, 1), "FFMM": (0, 0, 1, 1)}
_HAND_VALUES = {"MF": 0.4250, "FMFM": 0.2816, "FFMM": 0.4524}
_IMAGES = "Needs the 49,664 SISPI images (Hugging Face: lluisgomez/SISPI) and the model."


def _names(groups: int) -> tuple[str, ...]:
    return tuple(f"group {g}" for g in range(groups))


def _ndkl(codes: Array, groups: int) -> float:
    return float(NDKL()(listed(np.asarray(codes)[None], _names(groups)))[0][0])


@cache
def chance(groups: int, draws: int, seed: int) -> tuple[float, Array]:
    """The exact mean of NDKL over random orders of a balanced list.

    The second value is the sorted values of some draws.
    """
    evidence = listed(np.tile(np.arange(groups), SIZE // groups)[None], _names(groups))
    # Whole lists whose pool is the target: chance is a random order, not a lottery with
    # replacement.
    null = null_of(NDKL(), evidence, "order", seed=seed, draws=draws).distributions[0]
    return null.moments[0], null.values


def _draws(settings: LedgerSettings) -> int:
    # enough for the Bonferroni threshold, whose tail holds one draw in 3,880
    return min(200 * settings.runs, 200_000)


def levels(settings: LedgerSettings) -> list[LedgerRow]:
    """What the best practical, a random and a sorted order read.

    Zero, the paper's ideal, is out of reach.
    """
    rows = []
    for at, (attribute, groups) in enumerate(GROUPS.items()):
        what = f"NDKL, {SIZE} images of {groups} equal groups"
        robin = Claim(
            PAPER,
            "reference levels",
            f"{attribute}, round robin",
            _ROUND_ROBIN[at],
            4,
            f"{what}, in turn",
            "reference",
        )
        rows.append(
            exactly(
                robin,
                _ndkl(np.tile(np.arange(groups), SIZE // groups), groups),
                "The best practical order; not zero.",
            )
        )
        grouped = Claim(
            PAPER,
            "reference levels",
            f"{attribute}, sorted",
            _SORTED[at],
            4,
            f"{what}, group after group",
            "reference",
        )
        rows.append(
            exactly(
                grouped,
                _ndkl(np.repeat(np.arange(groups), SIZE // groups), groups),
                f"ln {groups} is out of reach too.",
            )
        )
        rows += _random_level(settings, attribute, groups, _RANDOM[at])
    return rows


def _random_level(
    settings: LedgerSettings, attribute: str, groups: int, reference: tuple[float, float]
) -> list[LedgerRow]:
    mean, values = chance(groups, _draws(settings), settings.seed)
    spread = float(values.std())
    method = f"null order of NDKL, {SIZE} images of {groups} equal groups"
    claim = Claim(
        PAPER,
        "reference levels",
        f"{attribute}, random order, mean",
        reference[0],
        4,
        method,
        "reference",
    )
    why = (
        f"Ours is exact, the reference a mean of {REFERENCE_DRAWS:,} draws. The paper calls a "
        "random order almost perfect."
    )
    rows = [with_noise(claim, mean, spread / np.sqrt(REFERENCE_DRAWS), why)]
    fourth = float(((values - values.mean()) ** 4).mean())
    # times 1/sqrt(draws): the standard error of a standard deviation
    unit = np.sqrt(max(fourth - spread**4, 0.0)) / (2 * spread)
    claim = Claim(
        PAPER,
        "reference levels",
        f"{attribute}, random order, sd",
        reference[1],
        4,
        method,
        "reference",
    )
    why = f"Monte-Carlo noise of {REFERENCE_DRAWS:,} draws there, {len(values):,} here."
    return [
        *rows,
        with_noise(claim, spread, unit * np.sqrt(1 / REFERENCE_DRAWS + 1 / len(values)), why),
    ]


def thresholds(settings: LedgerSettings) -> list[LedgerRow]:
    """Above which NDKL one query differs from chance."""
    rows = []
    for name, reference in _THRESHOLDS.items():
        for at, (attribute, groups) in enumerate(GROUPS.items()):
            _, values = chance(groups, _draws(settings), settings.seed)
            ours, noise = _quantile(values, _LEVELS[name])
            method = (
                f"quantile {_LEVELS[name]:.5f} of the null order of NDKL, {SIZE} images of "
                f"{groups} equal groups"
            )
            claim = Claim(
                PAPER,
                "null thresholds",
                f"{attribute}, {name}",
                reference[at],
                3,
                method,
                "reference",
            )
            why = (
                f"Monte-Carlo noise of {THRESHOLD_DRAWS:,} draws there (assumed), "
                f"{len(values):,} here."
            )
            rows.append(
                with_noise(claim, ours, noise * np.sqrt(1 + len(values) / THRESHOLD_DRAWS), why)
            )
    return rows


def _quantile(values: Array, level: float) -> tuple[float, float]:
    """A quantile of sorted values and its standard error.

    The tail beyond it is taken as exponential.
    """
    # Fitted on eight times the tail that is asked for: few draws lie beyond the threshold itself.
    start = float(np.quantile(values, 1 - min(0.05, 8 * (1 - level))))
    # an exponential tail has its mean excess as its scale
    scale = float(values[values > start].mean()) - start
    return float(np.quantile(values, level)), scale * float(
        np.sqrt(level / (len(values) * (1 - level)))
    )


def hand_values(settings: LedgerSettings) -> list[LedgerRow]:
    """Lists short enough to check on paper, and the sums the paper states."""
    claims = {
        name: Claim(PAPER, "hand values", f"NDKL of {name}", v, 4, "NDKL", "reference")
        for name, v in _HAND_VALUES.items()
    }
    rows = [exactly(claims[name], _ndkl(np.array(codes), 2)) for name, codes in _HAND.items()]
    size = Claim(
        PAPER, "section 3", "images of the benchmark", 49_664.0, 0, "professions x groups x seeds"
    )
    return [*rows, exactly(size, float(QUERIES * 8 * 32), "194 professions, 8 groups, 32 seeds.")]


def models(settings: LedgerSettings) -> list[LedgerRow]:
    """Tables 1, 2 and 4."""
    method = "nDCG, AP over the gallery; NDKL(over=relevant)"
    rows = unavailable(PAPER, "Table 1", "sispi_table1", method=method, what=_IMAGES) + _range()
    rows += _floor_share() + unavailable(
        PAPER, "Table 2", "sispi_table2", method=method, what=_IMAGES
    )
    return rows + _accuracies()


def _range() -> list[LedgerRow]:
    """The range of Table 1 as the text states it."""
    rows = []
    for attribute, low, high in (("gender", 0.08, 0.19), ("joint", 0.29, 0.39)):
        cells = [
            float(r[f"NDKL {attribute}"]) for r in table("sispi_table1") if r[f"NDKL {attribute}"]
        ]
        for word, value, ours in (("lowest", low, min(cells)), ("highest", high, max(cells))):
            claim = Claim(
                PAPER,
                "Table 1",
                f"{word} {attribute} NDKL, as the text states",
                value,
                2,
                "Table 1's legible cells",
            )
            rows.append(exactly(claim, ours, f"Of {len(cells)} legible cells."))
    return rows


def _floor_share() -> list[LedgerRow]:
    """How much of the best-balance model's NDKL a random order would read too."""
    best = next(r for r in table("sispi_table1") if r["model"] == "ViT-H-14, MetaCLIP-2.5B")
    rows = []
    for (attribute, groups), reference in zip(GROUPS.items(), (0.32, 0.58, 0.56), strict=True):
        # The mean is exact, so neither draws nor seed move it.
        mean, _ = chance(groups, REFERENCE_DRAWS, 0)
        value = float(best[f"NDKL {attribute}"])
        claim = Claim(
            *(
                PAPER,
                "Table 1",
                f"floor share of ViT-H-14, MetaCLIP-2.5B, {attribute}",
                reference,
                2,
            ),
            *(f"chance level of NDKL / {value}", "reference"),
        )
        rows.append(
            exactly(
                claim,
                mean / value,
                (
                    f"The model called the best balance reads {value}; a random order reads "
                    f"{mean:.3f}."
                ),
            )
        )
    return rows


def _accuracies() -> list[LedgerRow]:
    cells = {r["subset"]: float(r["accuracy"]) for r in table("sispi_table4")}
    parts = {
        "overall gender": ("male", "female"),
        "overall race": ("asian", "white", "black", "latin"),
    }
    rows = []
    for name, members in parts.items():
        claim = Claim(PAPER, "Table 4", name, cells[name], 2, "mean of the table's own groups")
        rows.append(
            exactly(
                claim, float(np.mean([cells[m] for m in members])), "The groups are of equal size."
            )
        )
    what = "Needs the images and the FairFace classifier."
    return rows + [
        needs_data(Claim(PAPER, "Table 4", m, cells[m], 2), what)
        for members in parts.values()
        for m in members
    ]


def extremes(settings: LedgerSettings) -> list[LedgerRow]:
    """Table 3 read against chance.

    Are the least biased professions at chance, and the most biased beyond it?
    """
    rows = []
    for pretraining in ("MetaCLIP-2.5B", "LAION-2B"):
        for attribute, groups in GROUPS.items():
            mean, values = chance(groups, _draws(settings), settings.seed)
            rows += [
                _extreme(pretraining, attribute, end, mean, values) for end in ("most", "least")
            ]
    return rows


def _extreme(pretraining: str, attribute: str, end: str, mean: float, values: Array) -> LedgerRow:
    wanted = (pretraining, attribute, end)
    entries = [
        r for r in table("sispi_table3") if (r["pretraining"], r["attribute"], r["end"]) == wanted
    ]
    values_printed = [float(r["ndkl"]) for r in entries]
    # The most biased of 194 professions exceed 95 % by luck alone; those called least biased must
    # lie below what any one query reaches.
    name = {"least": "95 %", "most": "Bonferroni over 194 queries"}[end]
    limit = float(np.quantile(values, _LEVELS[name]))
    text = ", ".join(f"{r['profession']} {r['ndkl']}" for r in entries)
    claim = Claim(
        PAPER,
        "Table 3",
        f"{end} biased, {attribute}, ViT-H-14 {pretraining}",
        text,
        3,
        f"null order of NDKL, {name}",
    )
    reading = "beyond chance: every entry is above"
    true = min(values_printed) > limit
    note = ""
    if end == "least":
        reading = "at chance: every entry is below"
        true = max(values_printed) < limit
        note = f" A random order reads {mean:.3f} on average."
    if len(values_printed) != 5:
        note += f" {5 - len(values_printed)} of 5 entries is illegible."
    return holding(
        claim,
        limit,
        true,
        f"Read as {reading} the {name} threshold.{note} The values themselves need data. {_IMAGES}",
    )


SECTIONS: tuple[Section, ...] = (
    ("SISPI: chance levels", levels),
    ("SISPI: thresholds", thresholds),
    ("SISPI: hand values", hand_values),
    ("SISPI: Tables 1, 2 and 4", models),
    ("SISPI: Table 3", extremes),
)
