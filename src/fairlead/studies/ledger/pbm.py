"""PBM (NeurIPS 2023): what follows from printed numbers and from the public labels.

The rows of models need CLIP and the images.
"""

from __future__ import annotations

import numpy as np

from fairlead.metrics.abs_bias import AbsBias
from fairlead.metrics.recall import Recall
from fairlead.rerankers.pbm import PBM
from fairlead.studies.ledger.rows import Claim, LedgerRow, exactly, needs_data, with_noise
from fairlead.studies.ledger.settings import SOURCES, LedgerSettings, Section, listed
from fairlead.studies.ledger.tables import line, numbers, table, unavailable
from fairlead.types import UNKNOWN, Ranking, Relevant
from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array, offsets_of

PAPER = "pbm"
SHOWN, OCCUPATIONS, IMAGES = 100, 45, 3_262
"""Images shown; queries and relevant images of Occupation 1."""
# Mean P@100 as the authors' notebook prints it.
_NOTEBOOK = {"CLIP": 0.422667, "PBM supervised": 0.364889}
_RANDOM = (
    ("occupation1", "Occupation 1", "gender"),
    ("occupation2", "Occupation 2", "gender"),
    ("occupation2", "Occupation 2", "skin"),
)
_MODELS = (
    "Needs CLIP ViT-B/16 and the images of Occupation 1 (Kay et al. 2015) and Occupation 2 "
    "(Celis & Keswani 2020)."
)
_CAPTIONED = (
    "Needs the test images and captions of MS-COCO and Flickr30k, their gender labels, and "
    "the model."
)


def models(settings: LedgerSettings) -> list[LedgerRow]:
    """The models of Tables 1, 2 and 4."""
    method = "AbsBias@100, Recall@100"
    lines = [r for r in table("pbm_table1") if r["method"] != "Random Selection"]
    rows = [
        needs_data(Claim(PAPER, "Table 1", r["method"], line(r), method=method), _MODELS)
        for r in lines
    ]
    rows += unavailable(
        PAPER, "Table 2", "pbm_table2", method="Bias(positive=male)@k, Recall@k", what=_CAPTIONED
    )
    return rows + unavailable(PAPER, "Table 4", "pbm_table4", method=method, what=_MODELS)


def recalls(settings: LedgerSettings) -> list[LedgerRow]:
    """Recall is micro: it follows from the mean precision that the authors' notebook prints."""
    rows = []
    stated = {r["method"]: r["Occupation 1 gender Recall@100"] for r in table("pbm_table1")}
    for method, precision in _NOTEBOOK.items():
        # a mean precision over lists of one length gives the number of hits exactly
        hits = round(precision * OCCUPATIONS * SHOWN)
        item = f"{method}, Recall@100, Occupation 1"
        claim = Claim(
            PAPER,
            "Table 1",
            item,
            float(stated[method]),
            1,
            f"Recall@100 of {hits:,} hits in 45 lists of 100, percent",
        )
        over, under = Recall(k=SHOWN)(_judged(hits))
        ours = 100 * float(over.sum() / under.sum())
        why = (
            f"The notebook's mean P@100 of {precision} is {hits:,} hits of {IMAGES:,} "
            f"relevant images: {ours:.2f}. Pooled over queries."
        )
        rows.append(exactly(claim, ours, why))
    return rows


def _judged(hits: int) -> Evidence:
    """45 lists of 100 with this many relevant images in all.

    How they fall on the lists does not matter to a pooled recall.
    """
    spread = np.arange(OCCUPATIONS)
    hits_of, sizes = (
        total // OCCUPATIONS + (spread < total % OCCUPATIONS) for total in (hits, IMAGES)
    )
    rows = np.arange(2 * SHOWN * OCCUPATIONS).reshape(OCCUPATIONS, 2 * SHOWN)
    ranking = Ranking.of(rows[:, :SHOWN].tolist())
    relevant = np.concatenate(
        [row[SHOWN - h : SHOWN - h + n] for row, h, n in zip(rows, hits_of, sizes, strict=True)]
    )
    return Evidence(
        ranking, tuple(map(str, spread)), relevant=Relevant(offsets_of(sizes), relevant)
    )


def balanced(settings: LedgerSettings) -> list[LedgerRow]:
    """With true labels of a pool without neutral images, pbm shows as many of each group.

    The scores do not matter.
    """
    rng = settings.stream(2, 0)
    # The published mix, with enough of both groups for fifty places each.
    codes = rng.permuted(np.tile(np.repeat([0, 1], [610, 390]), (OCCUPATIONS, 1)), axis=1)
    evidence = listed(codes, ("male", "female"), label="occupation")
    shown = evidence.with_ranking(PBM()(evidence, SHOWN, settings.seed))
    claim = Claim(
        PAPER,
        "Table 1",
        "PBM ground truth, AbsBias@100, Occupation 1",
        0.0,
        4,
        "AbsBias@100 of pbm, 45 random orders of a 61:39 pool",
    )
    return [
        exactly(
            claim,
            float(AbsBias(k=SHOWN)(shown)[0].mean()),
            "Does not depend on the scores while both groups last.",
        )
    ]


def random_selection(settings: LedgerSettings) -> list[LedgerRow]:
    """Table 1's first line: K images drawn with replacement from the relevant ones."""
    record = next(r for r in table("pbm_table1") if r["method"] == "Random Selection")
    rows = []
    for at, (name, title, attribute) in enumerate(_RANDOM):
        published = float(record[f"{title} {attribute} AbsBias@100"])
        method = "AbsBias@100 of 100 draws with replacement from the relevant images"
        claim = Claim(
            PAPER,
            "Table 1",
            f"Random Selection, AbsBias@100, {title} {attribute}",
            published,
            4,
            method,
        )
        counts = settings.labels.get(name, {}).get(attribute)
        if counts is None:
            rows.append(needs_data(claim, _wanted(name, title)))
            continue
        values, known = _drawn(counts, settings, at)
        spread = float(values.std(ddof=1))
        why = (
            f"The paper's line is taken as one draw (sd {spread:.3f}); ours is the mean of "
            f"{len(values):,}."
        )
        # Where some are unlabelled, the row tells the two readings of the denominator apart.
        if counts[:, 2].any():
            why += f" Over labelled images only it would be {known:.3f}."
        rows.append(
            with_noise(
                claim, float(values.mean()), spread * float(np.sqrt(1 + 1 / len(values))), why
            )
        )
    return rows


def _drawn(counts: Array, settings: LedgerSettings, key: int) -> tuple[Array, float]:
    """(runs,) AbsBias@100 of random selections, averaged over queries.

    The second value is its mean if N/A images did not count in K.
    """
    rng = settings.stream(2, 1, key)
    runs = settings.runs
    shown = np.zeros(runs)
    known = 0.0
    for counts_of_query in counts:
        # With replacement, as the paper draws: a query may have fewer than 100 relevant images.
        drawn = rng.multinomial(SHOWN, counts_of_query / counts_of_query.sum(), size=runs)
        codes = np.repeat(
            np.tile(np.array([0, 1, UNKNOWN], np.int16), runs), drawn.ravel()
        ).reshape(runs, SHOWN)
        lists = Lists(
            np.arange(runs),
            np.full(runs, SHOWN),
            np.full((runs, 2), 0.5),
            ("first", "second"),
            codes=codes,
        )
        shown += AbsBias(k=SHOWN).measure(lists)[0]
        known += float(np.nanmean(AbsBias(denominator="known", k=SHOWN).measure(lists)[0]))
    return shown / len(counts), known / len(counts)


def sensitivities(settings: LedgerSettings) -> list[LedgerRow]:
    """Table 3's ratios from its own columns, and the sentence about them."""
    rows = []
    cells = []
    for record in table("pbm_table3"):
        for attribute, over, under in (("gender", "male", "female"), ("skin", "light", "dark")):
            a, b, ratio = numbers(record, (over, under, f"rho {attribute}"))
            cells += [a, b]
            item = f"rho of {record['method']}, {attribute}"
            rows.append(
                exactly(
                    Claim(PAPER, "Table 3", item, ratio, 2, f"sensitivity of {over} / of {under}"),
                    a / b,
                )
            )
        item = f"sensitivities of {record['method']}"
        text = ", ".join(f"{n} {record[n]}" for n in ("male", "female", "light", "dark"))
        rows.append(needs_data(Claim(PAPER, "Table 3", item, text), _MODELS))
    rows.append(
        exactly(
            Claim(PAPER, "Table 3", "mean sensitivity", 0.90, 2, "mean of Table 3"),
            float(np.mean(cells)),
        )
    )
    least = Claim(
        PAPER,
        "Table 3",
        "least sensitivity (printed: no lower than 0.81)",
        0.78,
        2,
        "least of Table 3",
        "erratum",
    )
    return [*rows, exactly(least, min(cells), "Dark skin, by word embedding.")]


def misprints(settings: LedgerSettings) -> list[LedgerRow]:
    """The mix of Occupation 1, as printed and as labelled."""
    ratio = _misprint(
        "section 4",
        "male:female in Occupation 1 (printed: 61:49)",
        "61:39",
        None,
        "shares sum to 100",
    )
    bias = _misprint(
        "section 3", "bias of the pool of Occupation 1 (printed: 0.4)", 0.22, 2, "Bias of 61:39"
    )
    return [
        exactly(ratio, f"61:{100 - 61}"),
        exactly(bias, (61 - 39) / 100, "The other of the two printed numbers contradicts it."),
        *_labelled_mix(settings),
    ]


def _labelled_mix(settings: LedgerSettings) -> list[LedgerRow]:
    """The mix of Occupation 1 by its own labels, where the user has them."""
    claims = (
        _misprint(
            "section 4",
            "share of men in Occupation 1, percent (printed: 61:49)",
            61.1,
            1,
            "image_gender",
        ),
        _misprint(
            "section 3",
            "bias of Occupation 1, from the labels (printed: 0.4)",
            0.221,
            3,
            "image_gender",
        ),
    )
    if "occupation1" not in settings.labels:
        what = _wanted("occupation1", "Occupation 1")
        return [needs_data(claim, what) for claim in claims]
    men, women, _ = (int(n) for n in settings.labels["occupation1"]["gender"].sum(0))
    values = (100 * men / (men + women), (men - women) / (men + women))
    return [
        exactly(claim, value, f"{men:,} men and {women:,} women.")
        for claim, value in zip(claims, values, strict=True)
    ]


def _misprint(where: str, item: str, value: float | str, digits: int | None, method: str) -> Claim:
    return Claim(PAPER, where, item, value, digits, method, "erratum")


def _wanted(name: str, title: str) -> str:
    return f"Needs the labels of {title}: {SOURCES[name]}; give them with --labels {name}=FILE."


SECTIONS: tuple[Section, ...] = (
    ("PBM: random selection", random_selection),
    ("PBM: recall", recalls),
    ("PBM: balance", balanced),
    ("PBM: models", models),
    ("PBM: sensitivities", sensitivities),
    ("PBM: misprints", misprints),
)
