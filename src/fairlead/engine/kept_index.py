"""The index of a gallery: built once, kept, and found again by the next search."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from fairlead.engine.galleries import Gallery
from fairlead.engine.shelf import recall
from fairlead.protocols import Index, KeptIndex, registry
from fairlead.store.embedding import INDEXES
from fairlead.types import Groups


def fill(index: Index, gallery: Gallery, by: Mapping[str, Groups]) -> int:
    """Give an index the vectors it does not hold yet, with the labels it fetches by; says how many
    rows were there already.
    """
    held = 0
    if isinstance(index, KeptIndex) and gallery.folder is not None:
        held = index.open(place(index, gallery, by), owner(gallery, by))
    if held < len(gallery.collection):
        rest = np.arange(held, len(gallery.collection))
        vectors = gallery.embeddings.take(rest) if held else gallery.embeddings
        index.add(
            vectors, {name: labels.take(rest) if held else labels for name, labels in by.items()}
        )
    return held


def owner(gallery: Gallery, by: Mapping[str, Groups]) -> str:
    """Who an index belongs to: the vectors, and the labels it fetches by."""
    digest = hashlib.sha256(gallery.fingerprint.encode())
    for name, labels in by.items():
        assert labels.codes is not None
        digest.update(name.encode() + b"|".join(n.encode() for n in labels.names))
        digest.update(labels.codes.tobytes())
    return digest.hexdigest()[:16]


def place(index: Index, gallery: Gallery, by: Mapping[str, Groups]) -> Path:
    """The folder of an index beside its vectors."""
    assert gallery.folder is not None
    slug = "".join(c if c.isalnum() else "-" for c in str(index)).strip("-")
    return gallery.folder / INDEXES / f"{slug}-{owner(gallery, by)}"


def recall_of(
    index: Index, gallery: Gallery, depth: int, by: Mapping[str, Groups]
) -> dict[str, float]:
    """The share of what exact search finds that an index finds too: in all, and of each group
    (minorities are lost first).
    """
    rows = np.random.default_rng(0).permutation(len(gallery.collection))[:200]
    queries, exact = gallery.embeddings.take(np.sort(rows)), registry.make("index", "exact")
    fill(exact, replace(gallery, folder=None), by)
    shares = {"all": recall(index.search(queries, depth), exact.search(queries, depth))}
    for name, labels in by.items():
        mine, true = (one.search(queries, depth, name) for one in (index, exact))
        shares |= {
            group: recall(mine, true, labels, code) for code, group in enumerate(labels.names)
        }
    return shares
