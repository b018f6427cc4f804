"""Calibration, tones and speed of the annotator ``face``: ``python benchmarks/face_quality.py
--data DIR``.

DIR holds the FairFace sample: ``fairface/labels.csv`` and ``fairface/images``. What makes the
    shares of gender and age honest is fitted on
one half of the faces (by a hash of their names) and measured on the other. ``--card`` prints the
tables of the annotator's card, as ``fairlead annotate evaluate`` has them, with an interval of the
detection rate too; ``--speed`` measures two processors.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from fairlead.annotators import face_ages
from fairlead.annotators.caption import Caption
from fairlead.annotators.face import TEMPERATURE, Face
from fairlead.annotators.face_chips import age
from fairlead.commands import annotate as annotating
from fairlead.engine.sight import Seeing
from fairlead.statistics.reliability import best_temperature, calibration_error, tempered
from fairlead.statistics.wilson import wilson
from fairlead.studies.annotation import AccuracyCell
from fairlead.types import Collection

SIZES = ((224, 224), (640, 480), (1024, 768), (4000, 3000))
SPREADS = np.arange(4, 16.01, 0.25)


def main() -> int:
    parser = argparse.ArgumentParser(description="Calibration, tones and speed of face.")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="folder with fairface"
    )
    parser.add_argument("--card", action="store_true", help="the tables of the card")
    parser.add_argument(
        "--speed", action="store_true", help="pictures a second alone, on two processors"
    )
    args = parser.parse_args()
    folder = args.data / "fairface"
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    items = Collection(
        tuple(row["file"] for row in rows), tuple(str(folder / row["file"]) for row in rows)
    )
    if args.speed or args.card:
        speed(items) if args.speed else card(folder)
        return 0
    fits = np.array([hashlib.sha256(row["file"].encode()).digest()[0] % 2 == 0 for row in rows])
    gender(items, rows, fits)
    ages(items, rows, fits)
    tones(items, rows)
    photographs(args.data / "flickr8k")
    return 0


def card(folder: Path) -> None:
    """Detection and accuracy in every cell, with Wilson's intervals."""
    made = [
        annotating.evaluate(folder, "face", folder / "labels.csv", one, by=["race", "gender"])
        for one in ("gender", "age")
    ]
    print(
        "| faces labelled | faces | face found | gender right | age group right |\n| --- | --- | --- | --- | --- |"
    )
    for cells in zip(*((one.overall, *one.cells) for one in made), strict=True):
        name, found = (
            cells[0].group.replace("*", ", ").replace("_", " or "),
            AccuracyCell("", cells[0].n, cells[0].n, cells[0].answered),
        )
        print(f"| {name} | {cells[0].n:,} | {' | '.join(shown(one) for one in (found, *cells))} |")
    for one in made:
        print(f"\n{one.attribute}: cells {one.gap:.2f} apart")


def shown(cell: AccuracyCell) -> str:
    low, high = wilson(cell.accuracy, cell.answered)
    return f"{cell.accuracy:.3f} ({low:.2f} to {high:.2f})".replace("0.", ".")


def gender(items: Collection, rows: list[dict[str, str]], fits: Any) -> None:
    raw = Face(calibrated=False)(items, "gender", Seeing()).share
    truth = np.array([("Female", "Male").index(row["gender"]) for row in rows])
    seen = raw.sum(1) > 0
    fit, rest = seen & fits, seen & ~fits
    best = best_temperature(raw[fit], truth[fit])
    told(f"gender: temperature {best:.3f} on {fit.sum()} faces; shipped {TEMPERATURE:g}")
    for name, shares in (
        ("as it is", raw),
        ("fitted", tempered(raw, best)),
        ("shipped", tempered(raw, TEMPERATURE)),
    ):
        print(
            f"  calibration error on the other {rest.sum()}, {name}: {calibration_error(shares[rest], truth[rest]):.3f}"
        )


def ages(items: Collection, rows: list[dict[str, str]], fits: Any) -> None:
    expected = np.array([np.nan if one is None else one[0] for one in _expected(items)])
    names = list(face_ages.bounds_of(face_ages.FAIRFACE))
    truth = np.array([names.index(row["age"]) for row in rows])
    seen = np.isfinite(expected)
    fit, rest = seen & fits, seen & ~fits

    def shares(spread: float, which: Any) -> Any:
        with spread_of(spread):
            return np.array(
                [
                    face_ages.shares_of_age(one, face_ages.FAIRFACE, calibrated=True)
                    for one in expected[which]
                ]
            )

    loss = [
        -np.log(np.maximum(shares(s, fit)[np.arange(fit.sum()), truth[fit]], 1e-12)).mean()
        for s in SPREADS
    ]
    best = float(SPREADS[int(np.argmin(loss))])
    told(f"age: spread {best:g} years on {fit.sum()} faces; shipped {face_ages.SPREAD:g}")
    for name, spread in (("as it is", 0.01), ("fitted", best), ("shipped", face_ages.SPREAD)):
        made = shares(spread, rest)
        print(
            f"  calibration error on the other {rest.sum()}, {name}: {calibration_error(made, truth[rest]):.3f}"
        )
    near = np.abs(np.array([int(s.argmax()) for s in shares(best, seen)]) - truth[seen]) <= 1
    print(f"  right or one group off: {near.mean():.3f} of {seen.sum()}")


def tones(items: Collection, rows: list[dict[str, str]]) -> None:
    found = Face(tones=True)(items, "skin", Seeing()).codes
    assert found is not None
    told(
        f"skin: a tone for {(found >= 0).mean():.3f} of the faces; not validated, for nothing here is labelled by tone"
    )
    for race in sorted({row["race"] for row in rows}):
        own = np.array([row["race"] == race for row in rows])
        known = found[own & (found >= 0)] + 1
        counts = " ".join(f"{n:4d}" for n in np.bincount(known, minlength=11)[1:])
        print(
            f"  {race:<16} answered {(found[own] >= 0).mean():.2f}  median tone {np.median(known):.0f}  1 to 10: {counts}"
        )


def photographs(folder: Path) -> None:
    """Ordinary photographs, where there are some: gender against what their captions name."""
    files = (
        sorted((folder / "images_sample").glob("*.jpg"))
        if (folder / "captions.tsv").is_file()
        else []
    )
    if not files:
        return
    said: dict[str, list[str]] = {}
    for line in (folder / "captions.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        said.setdefault(line.partition("\t")[0], []).append(line.partition("\t")[2])
    captions = Collection(
        tuple(map(str, range(5 * len(files)))),
        texts=tuple(t for file in files for t in said[file.name][:5]),
    )
    each = Caption()(captions, "gender").codes.reshape(-1, 5)  # type: ignore[union-attr]
    truth = np.array(
        [next(iter(set(row[row >= 0])), -1) if len(set(row[row >= 0])) == 1 else -1 for row in each]
    )
    share = Face()(
        Collection(tuple(file.name for file in files), tuple(map(str, files))), "gender", Seeing()
    ).share
    answered = share.sum(1) > 0
    both = answered & (truth >= 0)
    told(
        f"photographs: {len(files)}, of which {answered.sum()} have a main face and {(truth >= 0).sum()} captions of one gender"
    )
    right = int((share.argmax(1) == truth)[both].sum())
    print(
        f"  right of the {both.sum()} with both: {shown(AccuracyCell('', int(both.sum()), int(both.sum()), right))}"
    )
    for code, name in enumerate(("female", "male")):
        own = int((truth == code).sum())
        print(
            f"  captions name {name}: {own}, main face found in {shown(AccuracyCell('', own, own, int(((truth == code) & answered).sum())))}"
        )


def speed(items: Collection) -> None:
    """Of pictures in memory, so that opening them is not measured; work is that of all processors
    together.
    """
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    Face()(Collection(items.ids[:8], items.images[:8]), "age", Seeing())  # type: ignore[index]
    for width, height in SIZES:
        some = [
            Image.open(one).convert("RGB").resize((width, height))
            for one in (items.images or ())[:40]
        ]
        many = Collection(tuple(map(str, range(len(some)))), tuple(some))  # type: ignore[arg-type]
        for attribute in ("gender", "age", "skin"):
            start, worked = time.perf_counter(), time.process_time()
            Face()(many, attribute, Seeing())
            seconds, worked = time.perf_counter() - start, time.process_time() - worked
            print(
                f"{width} x {height} {attribute}: {len(some) / seconds:.0f} a second, {1000 * worked / len(some):.0f} ms of work each"
            )


class _Keep(Face):
    """Gives the expected age instead of shares."""

    def _age(self, picture: Any, points: Any) -> Any:
        return np.array([age(picture, points)])


def _expected(items: Collection) -> list[Any]:
    made = _Keep()
    return made._read_all(items.images or (), made._age, Seeing())


@contextmanager
def spread_of(spread: float) -> Iterator[None]:
    kept, face_ages.SPREAD = face_ages.SPREAD, spread
    try:
        yield
    finally:
        face_ages.SPREAD = kept


def told(text: str) -> None:
    print(f"\n{text}")


if __name__ == "__main__":
    raise SystemExit(main())
