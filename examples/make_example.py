"""Write the example ranking that ships with the package: 24 occupations, 60 made-up pictures each,
a gallery of 1,800.

Half of the occupations carry a made-up stereotype of known size, the others none: an example, not
evidence about any real search.

    python examples/make_example.py src/fairlead/example
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

OCCUPATIONS = (
    "architect baker biologist builder carpenter cashier chemist cook dentist engineer farmer firefighter "
    "gardener judge librarian mechanic nurse painter pilot plumber sailor tailor teacher waiter"
).split()
STEREOTYPE = dict(
    zip(
        OCCUPATIONS[::2],
        (1.2, 0.8, 1.5, 1.0, -0.9, -1.4, 1.1, 0.7, 1.3, -1.6, 0.9, -1.0),
        strict=True,
    )
)
SKIN = ("dark", "light", "medium", "tan")
SHOWN, RELEVANT, GALLERY = 60, 40, 1800


def main(folder: Path) -> None:
    rng = np.random.default_rng(11)
    gender = rng.choice(
        ["female", "male", "", "not-applicable"], p=[0.45, 0.48, 0.05, 0.02], size=GALLERY
    ).astype(object)
    skin = rng.choice([*SKIN, ""], p=[0.22, 0.33, 0.22, 0.18, 0.05], size=GALLERY).astype(
        object
    )  # text of any length
    skin[gender == "not-applicable"] = "not-applicable"
    items = [f"picture-{number:04d}" for number in rng.permutation(GALLERY)]
    run, qrels = [], []
    for occupation in OCCUPATIONS:
        chosen = rng.choice(GALLERY, SHOWN, replace=False)
        relevant = np.isin(np.arange(SHOWN), rng.choice(SHOWN, RELEVANT, replace=False))
        pull = STEREOTYPE.get(occupation, 0.0) * (
            (gender[chosen] == "male") - (gender[chosen] == "female") * 1.0
        )
        scores = 0.24 + 0.04 * (1.5 * relevant + 0.6 * pull + rng.normal(size=SHOWN))
        for row in np.argsort(-scores):
            run.append((occupation, items[chosen[row]], f"{scores[row]:.5f}"))
        qrels += [(occupation, 0, items[i], 1) for i in chosen[relevant]]
    _write(folder / "run.csv", [("query", "item", "score"), *run])
    _write(
        folder / "labels.csv",
        [("item", "gender", "skin"), *sorted(zip(items, gender, skin, strict=True))],
    )
    (folder / "qrels.txt").write_text(
        "".join(f"{q} {z} {item} {gain}\n" for q, z, item, gain in qrels)
    )


def _write(path: Path, rows: list) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
