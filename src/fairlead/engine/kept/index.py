"""The index of a gallery: built once, kept, and found again by the next search.

An index of our own vectors lies beside them; one of vectors that another program made, or that lie
where we may not write, lies in the cache folder. Either way it belongs to the fingerprint of the
vectors, so that it is made anew when they change.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from fairlead.engine.galleries import Gallery
from fairlead.engine.kept.records import forget, is_recorded, record
from fairlead.engine.kept.vectors import alone
from fairlead.engine.shelf import recall
from fairlead.errors import BackendError, UsageError
from fairlead.protocols import Index, KeptIndex, registry
from fairlead.store import embedded
from fairlead.store.embedding import INDEXES
from fairlead.store.places import cache_folder
from fairlead.store.versions import version_of
from fairlead.types import Groups

_SLUG = 40
"""Letters of an index's text in the name of its folder; file systems limit the length of a name."""


def searched_index(index: Index, gallery: Gallery, by: Mapping[str, Groups]) -> tuple[Index, int]:
    """The index that answers for a gallery, and how many of its rows were there already.

    Args:
        index: What was asked for; it is filled, unless the gallery brings an index of its own.
        gallery: The items with their vectors.
        by: The labels it fetches by.

    Raises:
        UsageError: Where another index was asked for than the one a gallery brings.
    """
    if gallery.index is None:
        return index, fill(index, gallery, by)
    if isinstance(index, KeptIndex):
        raise UsageError(
            f"{gallery.index} is searched where it lies, so {index} has nothing to do.",
            "Leave out the index.",
        )
    return gallery.index.labelled(by), len(gallery.collection)


def fill(index: Index, gallery: Gallery, by: Mapping[str, Groups]) -> int:
    """Give an index the vectors it does not hold yet, with the labels it fetches by, and keep it;
    says how many rows were there already.
    """
    if not isinstance(index, KeptIndex):
        _add(index, gallery, by, 0)
        return 0
    spot, mine = place(index, gallery, by), owner(gallery, by)
    # What is whole is opened at once, also while others wait for the lock.
    if is_recorded(spot) and (held := index.open(spot, mine)) == len(gallery.collection):
        return held
    with alone(_locked_folder(gallery), "making an index of"):
        if not is_recorded(spot):
            # What was kept for an earlier state of these vectors will never be asked again.
            forget(_home(gallery), keep=_state(gallery))
        held = index.open(spot, mine)
        if held < len(gallery.collection):
            _refuse_changed(gallery)
            _add(index, gallery, by, held)
            # The record first: killed in between, a record of nothing is left, never an unknown
            # index.
            record(spot, index, mine)
            index.keep(spot, mine)
    return held


def _add(index: Index, gallery: Gallery, by: Mapping[str, Groups], held: int) -> None:
    """Give an index the vectors and labels from a row on."""
    if held == len(gallery.collection):
        return
    vectors, labels = gallery.embeddings, by
    if held:
        rest = np.arange(held, len(gallery.collection))
        vectors = vectors.take(rest)
        labels = {name: groups.take(rest) for name, groups in by.items()}
    index.add(vectors, labels)


def _locked_folder(gallery: Gallery) -> Path:
    """What is locked while an index is made."""
    # Its vectors where they are ours, so that none are removed on request meanwhile, and stay in
    # an index that nobody lets go of.
    if gallery.folder is not None and _writable(gallery.folder):
        return gallery.folder
    return _home(gallery)


def _refuse_changed(gallery: Gallery) -> None:
    """Refuse to keep an index of vectors that are not in their folder any more."""
    if gallery.folder is None:
        return
    if embedded.read_manifest(gallery.folder)["fingerprint"] != _state(gallery):
        raise BackendError(
            f"{gallery.folder} was changed by another process since it was opened.",
            "Run this again.",
        )


def owner(gallery: Gallery, by: Mapping[str, Groups]) -> str:
    """Who an index belongs to: the vectors, and the labels it fetches by."""
    # An index of another version belongs to nobody, so it is made anew.
    stamp = f"{gallery.fingerprint} {version_of('index')}"
    digest = hashlib.sha256(stamp.encode())
    for name, labels in by.items():
        assert labels.codes is not None
        digest.update(name.encode() + b"|".join(n.encode() for n in labels.names))
        digest.update(labels.codes.tobytes())
    return digest.hexdigest()[:16]


def place(index: Index, gallery: Gallery, by: Mapping[str, Groups]) -> Path:
    """The folder of an index of a gallery."""
    text = str(index)
    slug = "".join(c if c.isalnum() else "-" for c in text[:_SLUG]).strip("-")
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    return _home(gallery) / _state(gallery) / f"{slug}-{mark}-{owner(gallery, by)}"


def recall_of(
    index: Index, gallery: Gallery, depth: int, by: Mapping[str, Groups]
) -> dict[str, float]:
    """The share of what exact search finds that an index finds too: in all, and of each group
    (minorities are lost first).
    """
    # Items ask, for there are no queries yet; they make easier ones than sentences do.
    rows = np.random.default_rng(0).permutation(len(gallery.collection))[:200]
    queries, exact = gallery.embeddings.take(np.sort(rows)), registry.make("index", "exact")
    # Without its own index, so that ``exact`` is filled and not refused.
    fill(exact, replace(gallery, folder=None, index=None), by)
    shares = {"all": recall(index.search(queries, depth), exact.search(queries, depth))}
    for name, labels in by.items():
        mine, true = (one.search(queries, depth, name) for one in (index, exact))
        shares |= {
            group: recall(mine, true, labels, code) for code, group in enumerate(labels.names)
        }
    return shares


def _home(gallery: Gallery) -> Path:
    """The folder of all indexes of a gallery: beside its vectors where these are ours."""
    if gallery.folder is not None and _writable(gallery.folder):
        return gallery.folder / INDEXES
    source = gallery.manifest.get("source", {})
    name = f"{gallery.folder}\0{source.get('path')}\0{gallery.manifest.get('side')}"
    return cache_folder() / INDEXES / hashlib.sha256(name.encode()).hexdigest()[:24]


def _state(gallery: Gallery) -> str:
    """The name of what its vectors are now: that of the whole, also where items are left out."""
    return str(gallery.manifest.get("fingerprint", gallery.fingerprint))


def _writable(folder: Path) -> bool:
    """Whether we may write into a folder, and its lock beside it."""
    return os.access(folder, os.W_OK) and os.access(folder.absolute().parent, os.W_OK)
