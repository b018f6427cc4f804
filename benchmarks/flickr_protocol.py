"""The COCO and Flickr30k protocol on Flickr8k with ``lite``: ``python benchmarks/flickr_protocol.py
--data DIR [--classifier FILE]``.

Prints the tables of docs/flickr8k.md: plain search, MI-clip in both readings, PBM as released and
by Algorithm 1, FairExpec and ``levelled``; signed Bias in both forms, AbsBias and Recall at 1, 5
and 10, each with half of its 95 % interval over queries. DIR holds ``flickr8k`` as docs/lite.md
says. Rerankers see what a classifier says of the image features, trained on the training split with
the captions' labels; it is kept at FILE, and trained where there is none yet. Settings are chosen
on the dev split; the tables are of the test split.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.annotators.mlp import ABSENT, MLP
from fairlead.annotators.mlp_file import read_classifier
from fairlead.benchmarks.flickr8k import METRICS, SHOWN, Flickr8k
from fairlead.commands.train_attribute import train_attribute
from fairlead.encoders.lite import Lite
from fairlead.indexes.exact import Exact
from fairlead.projections.reference import Reference, labelled
from fairlead.protocols import registry
from fairlead.rerankers.levelled import Levelled
from fairlead.statistics import targets
from fairlead.statistics.intervals import aggregate, interval
from fairlead.training.photos import read_flickr
from fairlead.types import Embeddings, Groups, Ranking, Study
from fairlead.types.evidence import Evidence, Labelled

PRICES, CHANCES, BANDS, WINDOWS = (
    (0.3, 0.5, 0.7, 0.9, 1.1, 1.4, 1.7, 2.0, 2.5, 3.0),
    (0.0, 1.0),
    (0.0, 0.25, 0.5),
    (0, 40),
)
"""Settings of ``levelled`` among which the dev split chooses."""
PLAIN, PBM, EACH = "plain", "pbm", "each K"
LEVEL = "AbsBias@10"
"""What methods are held level by."""
R1_LOSS = 0.03
"""What ``levelled`` may lose of R@1."""
Lists = Mapping[int, Ranking]
"""The list that is measured at each K."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description="The COCO and Flickr30k protocol on Flickr8k with lite."
    )
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="folder with flickr8k"
    )
    parser.add_argument(
        "--classifier",
        type=Path,
        metavar="FILE",
        help="classifier of gender (.npz), trained and kept where it is not there",
    )
    parser.add_argument(
        "--architecture",
        default="linear",
        choices=("linear", "paper", "released"),
        help="of a classifier that is trained",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of every random choice (0)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        classifier = args.classifier or Path(folder) / "gender.npz"
        if not classifier.is_file():
            train(args.data, classifier, architecture=args.architecture, seed=args.seed)
        dev, test = (world(args.data, split, classifier) for split in ("dev", "test"))
        chosen = choose(dev, args.seed)
        found = measured(test, methods(test, args.data, chosen, args.seed))
        print(
            f"Log loss of the labels on the dev split: {loss(args.data, dev, classifier):.3f}\n\nOn the test split: {right(test)}"
        )
        print(f"\nChosen on the dev split: {chosen}")
        tables(found)
        tossed = ", ".join(f"{coins(test, k):.3f} at {k}" for k in SHOWN)
        print(f"\nAbsBias of the plain lists if a coin decided on each known gender: {tossed}.")
        verdict(found)
        level(test, found, [chosen, Levelled()], args.seed)
    return 0


@dataclass(frozen=True, eq=False)
class World:
    """A split as ``lite`` ranks it: the study, vectors of its queries, the index, the plain
    ranking, and labels by whom they are for.

    ``seen`` are the classifier's shares, with unknown where no gender is named; ``forced`` leaves
    that class out, as PBM's code does.
    """

    study: Study
    queries: Embeddings
    index: Exact
    plain: Ranking
    seen: Groups
    forced: Groups

    def evidence(self, ranking: Ranking, groups: Groups) -> Evidence:
        """A ranking with labels."""
        relevant, name = self.study.queries.relevant, groups.attribute
        return Evidence(
            ranking,
            self.study.queries.ids,
            {name: Labelled(groups, targets.uniform(groups))},
            relevant,
        )


def train(
    data: Path,
    classifier: Path,
    *,
    architecture: str = "linear",
    seed: int = 0,
    steps_factor: float = 1.0,
) -> None:
    """Train the classifier that rerankers see by: female, male or neither, from features of the
    training split.
    """
    photos, true = (
        read_flickr(data, "train"),
        Flickr8k(str(data), "train").study().collection.groups["gender"],
    )
    assert true.codes is not None
    with tempfile.TemporaryDirectory() as folder:
        features, labels = Path(folder) / "features.npy", Path(folder) / "labels.csv"
        np.save(features, photos.features.mean(1))
        with labels.open("w", newline="") as file:
            csv.writer(file).writerows(
                [("gender",), *((true.names[c] if c >= 0 else ABSENT,) for c in true.codes)]
            )
        about: dict[str, Any] = {
            "encoder": "lite_tower(mirror=true)",
            "seed": seed,
            "steps_factor": steps_factor,
        }
        train_attribute(features, labels, "gender", architecture=architecture, **about).write(
            classifier
        )


def world(data: Path, split: str, classifier: Path) -> World:
    """A split, ranked."""
    study, photos, encoder = Flickr8k(str(data), split).study(), read_flickr(data, split), Lite()
    index, queries = Exact(), encoder.texts(study.queries.texts or (), "query")
    index.add(encoder.seen(photos.features[:, 0]))
    seen, forced = (
        MLP(str(classifier), **how).of_vectors(photos.features.mean(1))
        for how in ({}, {"soft": False, "applicable": True})
    )
    return World(study, queries, index, index.search(queries, len(study.collection)), seen, forced)


def methods(test: World, data: Path, chosen: Levelled, seed: int) -> dict[str, Lists]:
    """Every row of the table."""
    train = Flickr8k(str(data), "train").study().collection.groups["gender"]
    items, codes = labelled(Lite().seen(read_flickr(data, "train").features[:, 0]), train)
    reference = Reference("gender", train.names, items, codes)
    found: dict[str, Lists] = {PLAIN: one(test.plain)}
    for text in ("mi_clip", "mi_clip(reading=dropped)"):
        fit = registry.make("projection", text).fit(reference)
        found[text] = one(test.index.search(fit(test.queries), len(test.study.collection)))
    released = "pbm(variant=released,first=male)"
    found[released] = one(shown(test, released, seed, groups=test.forced))
    for text in (PBM, "fairexpec", str(chosen)):
        each = {k: shown(test, text, seed, k) for k in SHOWN}
        found |= {text: one(each[SHOWN[-1]]), f"{text}, {EACH}": each}
    return found


def one(ranking: Ranking) -> Lists:
    """One list, cut at each K."""
    return dict.fromkeys(SHOWN, ranking)


def shown(
    split: World, text: str, seed: int, k: int = SHOWN[-1], groups: Groups | None = None
) -> Ranking:
    """What a reranker shows of the plain ranking."""
    seen = split.evidence(split.plain, split.seen if groups is None else groups)
    ranking: Ranking = registry.make("reranker", text)(seen, k, seed)
    return ranking


@dataclass(frozen=True, eq=False)
class Measured:
    """Numerators and denominators (queries,) of each method and metric."""

    parts: Mapping[tuple[str, str], tuple[Any, Any]]

    @property
    def methods(self) -> Sequence[str]:
        """The rows."""
        return list(dict.fromkeys(method for method, _ in self.parts))

    def mean(self, method: str, metric: str) -> float:
        """The figure of a method."""
        above, below = self.parts[method, metric]
        return float(above.sum() / below.sum())

    def half(self, method: str, metric: str, other: str | None = None) -> float:
        """Half of the 95 % interval over queries, of a figure or of its paired difference to
        another method's.
        """
        above, below = self.parts[method, metric]
        above = above if other is None else above - self.parts[other, metric][0]
        reach = interval(above, below, rng=np.random.default_rng(0), within=(-1.0, 1.0))
        return (reach.high - reach.low) / 2


def measured(split: World, rows: Mapping[str, Lists], metrics: Sequence[str] = METRICS) -> Measured:
    """Every method by every metric, with the labels of the captions."""
    made = {text: registry.make("metric", text) for text in metrics}
    true, parts = split.study.collection.groups["gender"], {}
    for method, lists in rows.items():
        for text, metric in made.items():
            parts[method, text] = aggregate(
                *metric(split.evidence(lists[metric.k], true)), metric.aggregate
            )
    return Measured(parts)


def choose(dev: World, seed: int) -> Levelled:
    """The setting that keeps most of R@10 (then of R@5) among those that are no more biased at 10
    than PBM, all on the dev split.

    Where there is none, the least biased one.
    """
    bound = figures(dev, PBM, seed)[LEVEL]
    ranked = []
    for price, chance, band, window in product(PRICES, CHANCES, BANDS, WINDOWS):
        setting = Levelled(price=price, chance=chance, band=band, window=window)
        found = figures(dev, str(setting), seed)
        kept = found[LEVEL] <= bound
        worth = (found["Recall@10"], found["Recall@5"]) if kept else (-found[LEVEL], 0.0)
        ranked.append(((kept, *worth, -setting.price), setting))
    return max(ranked, key=lambda pair: pair[0])[1]


def figures(split: World, text: str, seed: int) -> dict[str, float]:
    """AbsBias@10 and recall of one list of a reranker."""
    metrics = (LEVEL, *METRICS[-len(SHOWN) :])
    found = measured(split, {text: one(shown(split, text, seed))}, metrics)
    return {metric: found.mean(text, metric) for metric in metrics}


def loss(data: Path, dev: World, classifier: Path) -> float:
    """Log loss of the classifier's three classes, by which its architecture was chosen."""
    known, true = read_classifier(classifier), dev.study.collection.groups["gender"]
    assert true.codes is not None
    shares = known.shares(read_flickr(data, "dev").features.mean(1))
    place = [known.classes.index(true.names[code] if code >= 0 else ABSENT) for code in true.codes]
    return float(-np.log(shares[np.arange(len(place)), place]).mean())


def right(split: World) -> str:
    """How often the classifier is right."""
    true, seen = split.study.collection.groups["gender"].codes, split.seen
    said = np.where(
        seen.share.max(1) > np.maximum(1 - seen.share.sum(1), 0), seen.share.argmax(1), -1
    )
    assert true is not None
    known = true >= 0
    told = split.forced.codes[known] == true[known]  # type: ignore[index]
    return f"{(said == true).mean():.3f} right of three, {told.mean():.3f} of the two where captions name one"


def coins(split: World, k: int) -> float:
    """Expected AbsBias@k of the plain lists if the gender of each image where it is known were the
    toss of a coin.
    """
    codes = split.study.collection.groups["gender"].codes
    assert codes is not None
    known = (
        (codes[split.plain.rows.reshape(len(split.study.queries), -1)[:, :k]] >= 0).sum(1).tolist()
    )
    return (
        float(np.mean([n * comb(n - 1, (n - 1) // 2) / 2 ** (n - 1) if n else 0.0 for n in known]))
        / k
    )


def tables(found: Measured) -> None:
    """The figures, with half of their intervals."""
    for title, forms in (
        ("AbsBias and Recall", ("AbsBias", "Recall")),
        ("Bias, signed: over K, and over known", METRICS[3:9:3]),
    ):
        names = [form.partition("@")[0] for form in forms]
        columns = [f"{name}@{k}" for name in names for k in SHOWN]
        print(f"\n**{title}**\n\n| | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}")
        for method in found.methods:
            cells = [f"{found.mean(method, c):.3f} ± {found.half(method, c):.3f}" for c in columns]
            print(
                f"| `{method.removesuffix(', ' + EACH)}`{', ' + EACH if EACH in method else ''} | {' | '.join(cells)} |"
            )


def verdict(found: Measured) -> dict[str, bool]:
    """Say whether ``levelled`` keeps R@1, R@5 and R@10 at PBM's AbsBias@10, with paired intervals."""
    ours = next(m for m in found.methods if m.startswith("levelled") and EACH not in m)
    asked = [
        (LEVEL, PBM, 0.0, -1),
        ("Recall@1", PLAIN, -R1_LOSS, 1),
        ("Recall@5", PBM, 0.0, 1),
        ("Recall@10", PBM, 0.0, 1),
    ]
    kept = {}
    print(
        f"\n**{ours} beside the others, pairwise**\n\n| | difference | queries that differ | asked | |\n| --- | ---: | ---: | --- | --- |"
    )
    for metric, other, bound, sign in asked:
        gap, half = (
            found.mean(ours, metric) - found.mean(other, metric),
            found.half(ours, metric, other),
        )
        kept[metric] = sign * gap >= sign * bound - 1e-9
        changed = int((found.parts[ours, metric][0] != found.parts[other, metric][0]).sum())
        word = f"{'at least' if sign > 0 else 'at most'} {bound:+.2f} | {'kept' if kept[metric] else 'missed'}"
        print(f"| {metric}, to `{other}` | {gap:+.3f} ± {half:.3f} | {changed} | {word} |")
    return kept


def level(test: World, found: Measured, settings: Sequence[Levelled], seed: int) -> None:
    """Recall of ``levelled`` at exactly PBM's AbsBias@10, between the prices on either side of it."""
    columns = METRICS[-len(SHOWN) :]
    bias = found.mean(PBM, LEVEL)
    print(
        f"\n**Recall at {LEVEL} = {bias:.3f}**\n\n| | price | {' | '.join(columns)} |\n| --- | ---: |{' ---: |' * len(columns)}"
    )
    print(f"| `{PBM}` | | {' | '.join(f'{found.mean(PBM, c):.3f}' for c in columns)} |")
    for setting in settings:
        curve = [figures(test, str(replace(setting, price=price)), seed) for price in PRICES]
        order = np.argsort([point[LEVEL] for point in curve])
        at = [curve[n][LEVEL] for n in order]
        inside = at[0] <= bias <= at[-1]
        values = [[PRICES[n] for n in order], *([curve[n][c] for n in order] for c in columns)]
        price, *recall = (
            f"{np.interp(bias, at, v):.3f}" if inside else "not reached" for v in values
        )
        print(
            f"| `levelled(chance={setting.chance:g},band={setting.band:g},window={setting.window})` | {price} | {' | '.join(recall)} |"
        )


if __name__ == "__main__":
    raise SystemExit(main())
