"""Which kind of source a path is."""

from __future__ import annotations

import os
from pathlib import Path

from fairlead.errors import UsageError
from fairlead.store import archives
from fairlead.store.formats import SUFFIXES
from fairlead.store.sources import clip_retrieval, npy
from fairlead.store.sources.entries import Source
from fairlead.store.sources.folder import folder_source, natural, scan
from fairlead.store.sources.given import LAYOUTS, Given, Side
from fairlead.store.sources.table import table_source
from fairlead.store.sources.webdataset import webdataset_source

ACCEPTED = (
    "Give a folder of images, a table (.csv, .tsv, .jsonl, .parquet), tar archives, or what "
    "'fairlead embed' wrote."
)


def is_given(path: str | Path) -> bool:
    """Whether a path holds vectors that another program made, in a layout that is known."""
    place = os.path.expanduser(str(path))
    return clip_retrieval.is_output(place) or npy.is_vectors(place)


def read_given(path: str | Path, side: Side | None = None) -> Given:
    """The vectors of such a path, with what they are of.

    Args:
        path: The folder or the file.
        side: Whether those of pictures or of captions are read, where there are both.

    Raises:
        DataError: Where files are missing, or do not fit together.
    """
    place = os.path.expanduser(str(path))
    if clip_retrieval.is_output(place):
        # both may be there; a collection is searched for its pictures unless captions are meant
        if side is None and not Path(place, "img_emb").is_dir():
            side = "texts"
        return clip_retrieval.read_output(place, side or "images")
    return npy.read_vectors(place)


def find_source(path: str | Path) -> Source:
    """The entries behind a path.

    The path is a folder of images or of tar archives, a table, a tar, or a pattern such as
    ``shard-{000..005}.tar``.

    Raises:
        UsageError: Where there is nothing, or nothing that is known.
        DataError: Where a table is malformed.
    """
    place = os.path.realpath(os.path.expanduser(str(path)))
    if os.path.isdir(place):
        return _of_folder(place)
    if "{" in place and not os.path.exists(place):
        return _of_pattern(place)
    if not os.path.exists(place):
        raise UsageError(f"There is no file or folder {path}.", ACCEPTED)
    if not os.path.isfile(place):
        raise UsageError(f"{path} is neither a file nor a folder.", ACCEPTED)
    if place.lower().endswith((".tar", *archives.COMPRESSED)):
        # A single archive that cannot be read is refused here. Among several it is one fault more.
        archives.opened(place)
        return webdataset_source(place, os.path.dirname(place), [os.path.basename(place)])
    unzipped = place
    if place.lower().endswith(".gz"):
        unzipped = place[: -len(".gz")]
    # a TREC file is a table too, but one that names neither pictures nor captions
    if SUFFIXES.get(Path(unzipped).suffix.lower(), "trec") == "trec":
        raise UsageError(f"{path} is no table and no archive.", ACCEPTED)
    return table_source(place)


def _of_folder(place: str) -> Source:
    contents = scan(place)
    if contents.pictures:
        return folder_source(place, contents)
    if contents.archives:
        return webdataset_source(place, place, contents.archives)
    if any(name.lower().endswith(".npy") for names in contents.others.values() for name in names):
        raise UsageError(f"{place} holds vectors in a layout that is not known.", LAYOUTS)
    other_files = sum(len(names) for names in contents.others.values())
    raise UsageError(
        f"There is no image in {place}: {other_files:,} other files, no tar archive.", ACCEPTED
    )


def _of_pattern(place: str) -> Source:
    names = sorted(dict.fromkeys(archives.expanded(place)), key=natural)
    for name in names:
        if not os.path.isfile(name):
            raise UsageError(
                f"There is no archive {name}.",
                f"{place} names {len(names)} of them; all must be there.",
            )
    root = os.path.dirname(place.partition("{")[0])
    return webdataset_source(place, root, [os.path.relpath(name, root) for name in names])
