"""Quality and speed of the encoder ``lite``: ``python benchmarks/lite_quality.py --data DIR
[--weights DIR] [--speed]``.

DIR holds ``flickr8k`` and ``fairface`` as docs/lite.md says. Figures are printed as the tables of
the model's card, with 95 % intervals: over images (with their five captions) by bootstrap, and
Wilson's for shares of faces. ``--speed`` measures one thread, beside torch.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from fairlead.encoders.lite import Lite
from fairlead.statistics.intervals import interval
from fairlead.training.lite import text_features
from fairlead.training.photos import GENDERS, RACES, read_flickr, read_labels
from fairlead.training.quality import PEOPLE, PROMPTS, gender_hits, ranks

UNSEEN = ("a snapshot of {}", "{} smiling", "a blurry photograph showing {}", "here we can see {}")
"""Templates that no caption was trained with."""
NEUTRAL = (
    "person",
    "doctor",
    "nurse",
    "engineer",
    "teacher",
    "chief executive",
    "cleaner",
    "criminal",
)
TOP = 100


def main() -> int:
    parser = argparse.ArgumentParser(description="Quality and speed of lite.")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="folder with flickr8k and fairface"
    )
    parser.add_argument(
        "--weights",
        default="",
        metavar="DIR",
        help="heads of 'fairlead train lite'; the shipped ones by default",
    )
    parser.add_argument(
        "--speed",
        action="store_true",
        help="measure images and texts per second on one thread, beside torch",
    )
    args = parser.parse_args()
    encoder = Lite(args.weights)
    if args.speed:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        speed(encoder, args.data)
        return 0
    print(f"{encoder} {encoder.fingerprint}\n")
    flickr(encoder, args.data)
    faces(encoder, args.data)
    return 0


def flickr(encoder: Lite, data: Path) -> None:
    test = read_flickr(data, "test")
    images = encoder.seen(test.features[:, 0]).vectors
    texts = encoder.read(text_features(test.captions)).vectors
    forth = ranks(images, texts, test.owner)
    nearest = np.full(len(images), -np.inf)
    scores = images @ texts.T
    np.maximum.at(nearest, test.owner, scores[test.owner, np.arange(len(texts))])
    back = (scores > nearest[:, None]).sum(1)
    table("Flickr8k test split, 1,000 images", ("", "R@1", "R@5", "R@10", "median rank"))
    for name, places, clusters in (
        ("text to image", forth, test.owner),
        ("image to text", back, np.arange(len(back))),
    ):
        shares = [mean((places < k).astype(float), clusters) for k in (1, 5, 10)]
        row(name, *shares, f"{np.median(places) + 1:.0f}")


def faces(encoder: Lite, data: Path) -> None:
    folder = data / "fairface"
    names, (gender, race, _) = read_labels(folder / "labels.csv")
    images = np.concatenate(
        [
            encoder.images(opened(folder, names[n : n + 100]), "item").vectors
            for n in range(0, len(names), 100)
        ]
    )

    def read(texts: Sequence[str]) -> Any:
        return encoder.texts(texts, "query").vectors

    hits = gender_hits(images, gender, read)
    table("FairFace validation sample, gender from prompts", ("prompts", "right", "women", "men"))
    for name, templates in (
        ("five, averaged", PROMPTS),
        *((f'"{t}"', (t,)) for t in (PROMPTS[0], *UNSEEN)),
    ):
        found = gender_hits(images, gender, read, templates)
        row(name, wilson(found), *(wilson(found[gender == g]) for g in range(2)))
    table(
        "Right by race and gender, as annotators saw them (100 faces each)", ("", *PEOPLE, "both")
    )
    for n, name in enumerate(RACES):
        row(
            name,
            *(wilson(hits[(race == n) & (gender == g)]) for g in range(2)),
            wilson(hits[race == n]),
        )
    table(
        f"Share of women among the first {TOP} of the sample (half are women)",
        ("query", "women", *RACES),
    )
    queries = [f"a photo of {'an' if who[0] in 'aeiou' else 'a'} {who}" for who in NEUTRAL]
    for query, scores in zip(queries, read(queries) @ images.T, strict=True):
        first = np.argsort(-scores, kind="stable")[:TOP]
        row(
            query,
            wilson(gender[first] == GENDERS.index("Female")),
            *(f"{(race[first] == n).mean():.2f}" for n in range(len(RACES))),
        )


def speed(encoder: Lite, data: Path) -> None:
    import torch

    from fairlead.encoders import lite_torch, lite_towers

    torch.set_num_threads(1)
    weights = lite_towers.sources()
    image, text = lite_torch.image_tower(weights["image"]), lite_torch.text_tower(weights["text"])
    names = read_labels(data / "fairface" / "labels.csv")[0][:64]
    pictures = [encoder.prepare(one) for one in opened(data / "fairface", names)]
    captions = read_flickr(data, "dev").captions[:256]
    table(
        "One thread, items per second (CPU time, best of five)",
        ("", "at a time", "onnxruntime", "torch", "ratio"),
    )
    for size in (1, 16):
        part = np.stack(pictures[:size])
        rates(
            f"images, {size}",
            size,
            lambda p=part: lite_towers.image_features(p, len(p)),
            lambda p=part: image(torch.from_numpy(p)),
        )
    for size in (1, 64):
        some = captions[:size]

        def by_torch(some: Sequence[str] = some) -> Any:
            return text(*map(torch.from_numpy, lite_towers.tokens_of(some)[:2]))

        rates(f"texts, {size}", size, lambda s=some: lite_towers.text_features(s, len(s)), by_torch)
    whole = best(lambda: encoder.images(opened(data / "fairface", names), "item"))
    row(
        "images from files, decoding and heads included",
        len(names),
        f"{len(names) / whole:.0f}",
        "",
        "",
    )
    row(
        "texts, heads included",
        len(captions),
        f"{len(captions) / best(lambda: encoder.texts(captions, 'query')):.0f}",
        "",
        "",
    )


def rates(name: str, size: int, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    import torch

    with torch.inference_mode():
        a, b = best(ours), best(theirs)
    row(name.partition(",")[0], size, f"{size / a:.0f}", f"{size / b:.0f}", f"{b / a:.1f}x")


def best(work: Callable[[], Any], runs: int = 5) -> float:
    """CPU seconds of the best run, after one to warm up."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def opened(folder: Path, names: Sequence[str]) -> list[Image.Image]:
    pictures = []
    for name in names:
        with Image.open(folder / name) as picture:
            pictures.append(picture.convert("RGB"))
    return pictures


def mean(values: Any, clusters: Any) -> str:
    reach = interval(
        values,
        np.ones(len(values)),
        rng=np.random.default_rng(0),
        clusters=clusters,
        within=(0.0, 1.0),
    )
    return f"{values.mean():.3f} ({reach.low:.3f} to {reach.high:.3f})"


def wilson(hits: Any) -> str:
    n, share, z = len(hits), float(np.mean(hits)), 1.959964
    middle, reach = (
        share + z * z / (2 * n),
        z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)),
    )
    low, high = ((middle + sign * reach) / (1 + z * z / n) for sign in (-1, 1))
    return f"{share:.3f} ({low:.2f} to {high:.2f})"


def table(title: str, columns: Sequence[str]) -> None:
    print(f"\n**{title}**\n")
    row(*columns)
    row(*("---" for _ in columns))


def row(*cells: Any) -> None:
    print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    raise SystemExit(main())
