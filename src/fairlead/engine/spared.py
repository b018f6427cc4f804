"""What is written never takes the place of what is read: one guard, asked before any work by every
door, for every verb of the table.

Which fields of a plan may name a file is told by their types, and which are written by ``Cli``; no
verb has a list of its own. What a field names is followed: into the addresses and arguments of text
forms at any depth, and to the pictures that a table names, the tables beside vectors, and the
inputs of an audit that is run again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from fairlead.engine.galleries import open_collection
from fairlead.engine.mitigations import parts, split_groups
from fairlead.engine.plan import Cli, Plan
from fairlead.engine.projections import Saved
from fairlead.errors import FairleadError, UsageError
from fairlead.protocols import registry
from fairlead.protocols.spec import Spec, parse
from fairlead.store import archives, embedded, pictures
from fairlead.store.embedding import INDEXES, WRITTEN
from fairlead.store.label_writing import about_place
from fairlead.store.manifest_file import MANIFEST, read_manifest
from fairlead.store.sources import captions
from fairlead.store.sources.choose import is_given, read_given

_PLAIN = (str, int, float, bool, NoneType)
_PICTURES = pictures.SUFFIXES | pictures.UNSUPPORTED
# What a folder of a collection is read for, besides pictures and the captions beside them.
_TABLES = frozenset({".tar", ".npy", ".parquet"})
# Nothing reads a page, so one may stand in any folder.
_PAGES = frozenset({".html", ".htm"})
_HINT = "Choose another path."


@dataclass(frozen=True)
class Written:
    """A place that is written.

    Attributes:
        place: As the user names it.
        field: The field of the plan that names it; empty where the door does.
        about: Whether a note on who gave the labels is written beside it.
    """

    place: str
    field: str = ""
    about: bool = False


@dataclass(frozen=True)
class _Named:
    """A path that was named, and whether a text form named it, as the address of an adapter."""

    path: str
    in_spec: bool = False


def spare(plan: type[Plan], values: Mapping[str, Any], *more: Written, reads: Any = ()) -> None:
    """Refuse a plan whose output would take the place of anything it reads, or of another output.

    Args:
        plan: Tells which fields are written, and which may name a file.
        values: The fields by name, as they were given.
        *more: Outputs of the door, besides those of the plan.
        reads: Paths that the door reads, besides those of the plan.

    Raises:
        UsageError: Where something would be lost.
    """
    written = [*_written(plan, values), *more]
    for number, one in enumerate(written):
        if one.about:
            # Refuses a file of somebody else's at the name of the note.
            about_place(one.place)
        if any(_same(_real(one.place), _real(other.place)) for other in written[:number]):
            raise UsageError(f"{one.place} is given twice; it would be lost.", _HINT)
    # A file that is not there yet cannot be lost.
    there = [one for one in written if _real(one.place).exists()]
    for one in there:
        for name in readable(plan):
            if name != one.field:
                _refuse(one, _by_value(values.get(name)))
        _refuse(one, (named for path in reads for named in _by_value(path)))


def _refuse(out: Written, named: Iterable[_Named]) -> None:
    place, here = _real(out.place), Path.cwd()
    for one in named:
        read = _real(one.path)
        if _same(read, place) or (place.is_file() and _is_behind(place, read, one)):
            raise UsageError(f"{out.place} is an input of this command; it would be lost.", _HINT)
        # A folder is replaced as a whole, with all that is in it; the one we are in never is.
        if place in read.parents and read.exists() and place not in (here, *here.parents):
            raise UsageError(
                f"{out.place} holds {one.path}, an input of this command; it would be lost.", _HINT
            )


def _written(plan: type[Plan], values: Mapping[str, Any]) -> Iterator[Written]:
    for name, cli in plan.outputs().items():
        value = values.get(name)
        if isinstance(value, (str, os.PathLike)):
            yield Written(os.fspath(value), name, cli.about)


@cache
def readable(plan: type[Plan]) -> tuple[str, ...]:
    """The fields of a plan that may name a file: those that hold more than words and numbers."""
    fields = {name: (Cli.of(field), field) for name, field in plan.model_fields.items()}
    return tuple(
        name
        for name, (cli, field) in fields.items()
        if not cli.writes and (cli.file or cli.kinds or not _is_plain(field.annotation))
    )


def _is_plain(annotation: Any) -> bool:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return True
    if origin is Annotated:
        return _is_plain(inner[0])
    if inner:
        return all(_is_plain(one) for one in inner if one is not Ellipsis)
    return annotation in _PLAIN


def _by_value(value: Any) -> Iterator[_Named]:
    """What a value of a plan names: a path, a text form, an object that has one, several of them,
    or files by name. Data itself names nothing.
    """
    if isinstance(value, os.PathLike):
        yield from _followed(_Named(os.fspath(value)))
    elif isinstance(value, str):
        yield from _by_text(value)
        # Files by name come from the command line as NAME=FILE.
        yield from _by_text(value.partition("=")[2])
    elif isinstance(getattr(value, "spec", None), Spec):
        yield from _by_spec(value.spec)
    elif isinstance(value, (tuple, list)):
        # A list of lines or of scored documents may be long, and names no file.
        for one in value[:_SEVERAL]:
            yield from _by_value(one)
    elif isinstance(value, dict) and len(value) <= _SEVERAL:
        yield from _by_value([one for one in value.values() if isinstance(one, (str, os.PathLike))])


_SEVERAL = 1_000


def _by_text(text: str) -> Iterator[_Named]:
    if not text:
        return
    if not _is_choice(text):
        yield from _followed(_Named(text))
    own, choices = None, list[str]()
    try:
        own, choices = split_groups(text)[1], parts(text)
    except UsageError:
        # Brackets in the name of a file.
        choices = [text]
    yield from _by_text(own or "")
    for choice in choices:
        try:
            spec = parse(choice)
        except (FairleadError, ValueError):
            continue
        yield from _by_spec(spec)


def _by_spec(spec: Spec) -> Iterator[_Named]:
    address = spec.address
    if address:
        yield from _followed(_Named(address, in_spec=True))
        yield from _by_text(address)
        # A name of an architecture may stand before the path, as in open_clip:ViT-B-32/FILE.
        if not _real(address).exists():
            yield from _followed(_Named(address.partition("/")[2], in_spec=True))
    for _, value in spec.args:
        # A bare word is a setting far more often than a folder: faiss(kind=hnsw).
        if isinstance(value, str) and (not value.isidentifier() or _real(value).is_file()):
            yield from _followed(_Named(value, in_spec=True))
            yield from _by_text(value)


def _is_choice(text: str) -> bool:
    """Whether a text is the name of an adapter, and so no file of that name."""
    return text == Saved.name or registry.is_known(text)


def _followed(named: _Named) -> Iterator[_Named]:
    """A path, and what the inputs of an audit name, where it is the folder of one."""
    if not named.path:
        return
    yield named
    manifest = _real(named.path) / MANIFEST
    if not manifest.is_file():
        return
    try:
        about = read_manifest(manifest)
    except (OSError, ValueError, RecursionError):
        return
    plan = about.get("plan")
    if about.get("command") == "audit" and isinstance(plan, dict):
        # No further: folders that name each other would go in a circle.
        for value in plan.values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and not (_real(text) / MANIFEST).is_file():
                    yield from _by_text(text)


def _is_behind(place: Path, read: Path, named: _Named) -> bool:
    """Whether a file is read where another file or a folder was named."""
    inside = read in place.parents
    if inside and read.is_dir() and _is_read_in(read, place, in_spec=named.in_spec):
        return True
    if "{" in named.path and not read.exists():
        return _is_quietly(lambda: place in map(_real, archives.expanded(os.fspath(read))))
    if not read.exists() or place.suffix.lower() in _PAGES:
        return False
    # To open a collection takes time, which only an output that may be part of one is worth.
    if is_given(read):
        return _is_quietly(lambda: place in map(_real, read_given(read).files))
    if place.suffix.lower() not in _PICTURES:
        return False
    return _is_quietly(lambda: _shows(read, place))


def _is_read_in(folder: Path, place: Path, *, in_spec: bool) -> bool:
    """Whether a folder is read for a file in it."""
    suffix, name = place.suffix.lower(), place.name
    if suffix in _PAGES:
        return False
    if embedded.is_embedded(folder):
        below = place.relative_to(folder).parts
        return below[0] == INDEXES or (len(below) == 1 and name in WRITTEN)
    if in_spec or (folder / MANIFEST).is_file():
        return True
    if suffix in captions.SIDECARS:
        return any(
            one.suffix.lower() in _PICTURES and name in captions.beside(one, frozenset({name}))
            for one in place.parent.iterdir()
        )
    return suffix in _PICTURES | _TABLES or name.lower() in captions.TABLES


def _shows(read: Path, place: Path) -> bool:
    """Whether a file is one of the pictures of a collection."""
    images = open_collection(read).images or ()
    return any(
        os.path.basename(archive) == place.name and _same(_real(archive), place)
        for archive in (archives.split(image)[0] for image in images)
    )


def _is_quietly(asked: Callable[[], bool]) -> bool:
    """What is asked; no, where what would be read cannot be: the command itself says why."""
    try:
        return asked()
    except (FairleadError, OSError):
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        # Links, .. and letters in another case are more names of the same file.
        return one == other or os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def _real(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(os.path.realpath(os.path.expanduser(path)))
    except (OSError, ValueError):
        # A text with a NUL in it is no path.
        return Path(os.devnull) / "no path"
