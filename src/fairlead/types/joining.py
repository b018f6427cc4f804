"""Joining: two values of one attribute meet by the names of their groups, never by position.

Names are the same where they are spelled the same. Names that differ in case only are joined too,
and a note says so. A name that has no partner while the other side has one left over, such as
``woman`` beside ``female``, is an error, because the two may well mean the same: a map
(``--map woman=female``) says whether they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.types.groups import Groups
from fairlead.types.ragged import Array

ABSENT = -1
"""The place of a name that the other side lacks."""


def places(
    names: Sequence[str],
    known: Sequence[str],
    *,
    attribute: str,
    whose: str = "the labels",
    others: str = "the known labels",
) -> tuple[Array, list[str]]:
    """(names,) the place of each name among the known ones, ``ABSENT`` where they lack it; and
    notes.

    Args:
        names: Groups of one value.
        known: Groups of the other.
        attribute: What both label, for messages.
        whose: What the first value is called in messages.
        others: What the second value is called in messages.

    Raises:
        DataError: Where each side has a group that the other lacks, or they share none.
    """
    at, notes = [], []
    for name in names:
        place = _place(name, names, known)
        if place != ABSENT and known[place] != name:
            notes.append(f"'{name}' of {whose} is taken for '{known[place]}' of {others}.")
        at.append(place)
    lost = [name for name, place in zip(names, at, strict=True) if place == ABSENT]
    lacking = [name for place, name in enumerate(known) if place not in at]
    if lost and (lacking or len(lost) == len(names)):
        raise _unmatched(attribute, (whose, names, lost), (others, known, lacking or list(known)))
    return np.array(at, np.int64), notes


def joined(
    groups: Groups,
    names: Sequence[str],
    *,
    whole: bool = False,
    whose: str = "",
    others: str = "the known labels",
) -> tuple[Groups, list[str]]:
    """The labels with exactly these groups, in this order; and notes.

    >>> labels = Groups.of("gender", ["Woman", "Man"])
    >>> joined(labels, ("man", "woman"))[0].codes.tolist()
    [1, 0]

    Args:
        groups: Labels of one attribute.
        names: The groups of the other value. One that the labels lack has nobody in it.
        whole: Whether the labels may lack none.
        whose: What the labels are called in messages; their source by default.
        others: What the other value is called in messages.

    Raises:
        DataError: For a group that the other value does not have.
    """
    whose, names = whose or groups.source, tuple(names)
    at, notes = places(groups.names, names, attribute=groups.attribute, whose=whose, others=others)
    lost = [name for name, place in zip(groups.names, at, strict=True) if place == ABSENT]
    lacking = [name for place, name in enumerate(names) if place not in at]
    if lost or (whole and lacking):
        first, second = (lost or list(groups.names), lacking or list(names))
        raise _unmatched(groups.attribute, (whose, groups.names, first), (others, names, second))
    if groups.names == names:
        return groups, notes
    renamed = groups.mapped({name: names[p] for name, p in zip(groups.names, at, strict=True)})
    return _with_names(renamed, lacking).in_order(names), notes


def matched(
    groups: Groups, names: Sequence[str], *, whose: str = "", others: str = "the known labels"
) -> tuple[Groups, list[str]]:
    """The labels under the names of others, with every group of both; and notes.

    A group that one side alone has stays, or has nobody in it: labels that guess often know groups
    that nobody in a small table belongs to.

    >>> labels = Groups.of("age", ["Old", "young", "baby"])
    >>> matched(labels, ("old", "young"))[0].names
    ('baby', 'old', 'young')

    Args:
        groups: Labels of one attribute.
        names: The groups of the other value.
        whose: What the labels are called in messages; their source by default.
        others: What the other value is called in messages.

    Raises:
        DataError: Where each side has a group that the other lacks, or they share none.
    """
    whose, names = whose or groups.source, tuple(names)
    at, notes = places(groups.names, names, attribute=groups.attribute, whose=whose, others=others)
    spelled = {
        name: names[place]
        for name, place in zip(groups.names, at, strict=True)
        if place != ABSENT and names[place] != name
    }
    if spelled:
        groups = groups.mapped(spelled)
    lacking = [name for place, name in enumerate(names) if place not in at]
    return _with_names(groups, lacking), notes


def _with_names(groups: Groups, extra: Sequence[str]) -> Groups:
    """The labels with more groups, with nobody in them."""
    if not extra:
        return groups
    names = (*groups.names, *extra)
    if groups.soft is None:
        return replace(groups, names=names)
    nobody = np.zeros((len(groups), len(extra)))
    return replace(groups, names=names, soft=np.hstack([groups.soft, nobody]))


def _place(name: str, names: Sequence[str], known: Sequence[str]) -> int:
    """The place of a name: spelled alike, else the only one that differs in case alone."""
    if name in known:
        return list(known).index(name)
    alike = [place for place, other in enumerate(known) if other.casefold() == name.casefold()]
    # Where both sides have several spellings of a name, nobody can know which is which.
    twins = [other for other in names if other.casefold() == name.casefold()]
    return alike[0] if len(alike) == len(twins) == 1 else ABSENT


_Side = tuple[str, Sequence[str], Sequence[str]]


def _unmatched(attribute: str, one: _Side, other: _Side) -> DataError:
    """The error for two values of an attribute that have different groups."""
    whose, names, lost = one
    others, known, lacking = other
    listed = " or ".join(f"--map {lost[0]}={name}" for name in lacking[:2])
    return DataError(
        f"The groups of '{attribute}' are {', '.join(names)} for {whose}, and "
        f"{', '.join(known)} for {others}.",
        f"They are joined by name. Say which group is which, e.g. {listed}.",
    )


def read_map(texts: Sequence[str]) -> dict[str, str]:
    """What ``OLD=NEW`` and ``ATTRIBUTE:OLD=NEW`` say: new names by ``OLD`` or ``ATTRIBUTE:OLD``.

    >>> read_map(["woman=female", "role:man=actor"])
    {'woman': 'female', 'role:man': 'actor'}

    Raises:
        UsageError: For a text of another form, or a group that is given two names.
    """
    found: dict[str, str] = {}
    for text in texts:
        old, sign, new = (part.strip() for part in text.partition("="))
        if not sign or not old.rpartition(":")[2].strip() or not new:
            raise UsageError(
                f"--map {text} names no two groups.",
                "Write OLD=NEW, e.g. woman=female, or ATTRIBUTE:OLD=NEW.",
            )
        if found.setdefault(old, new) != new:
            raise UsageError(
                f"--map gives '{old}' two names, {found[old]} and {new}.", "Keep one of the two."
            )
    return found


def renames_of(rename: Mapping[str, str], attribute: str) -> dict[str, str]:
    """The part of a map that holds for one attribute; what names the attribute comes first.

    >>> renames_of({"woman": "female", "role:man": "actor", "man": "male"}, "role")
    {'woman': 'female', 'man': 'actor'}
    """
    lead = f"{attribute}:"
    general = {old: new for old, new in rename.items() if ":" not in old}
    own = {old.removeprefix(lead): new for old, new in rename.items() if old.startswith(lead)}
    return general | own


def renamed(
    groups: Mapping[str, Groups], rename: Mapping[str, str], name: str
) -> dict[str, Groups]:
    """Labels of several attributes under their new names.

    Args:
        groups: Labels of each attribute.
        rename: New names, as ``read_map`` gives them.
        name: What the labels are called in messages.

    Raises:
        UsageError: For a new name of a group that no attribute has: it would change nothing.
    """
    refuse_idle(rename, groups.values(), name)
    return {key: mapped(one, rename) for key, one in groups.items()}


def mapped(groups: Groups, rename: Mapping[str, str]) -> Groups:
    """The labels under their new names, as far as they have the old ones; those of an intersection
    are made of the names of its parts.

    >>> crossed = Groups.of("gender*skin", ["woman*dark", "man*light"])
    >>> mapped(crossed, {"woman": "female"}).names
    ('female*dark', 'man*light')
    """
    parts = [renames_of(rename, part) for part in groups.attribute.split("*")]
    wanted = {}
    for name in groups.names:
        pieces = name.split("*") if len(parts) > 1 else [name]
        if len(pieces) == len(parts):
            new = (one.get(piece, piece) for one, piece in zip(parts, pieces, strict=True))
            wanted[name] = "*".join(new)
    return groups.mapped(wanted) if any(old != new for old, new in wanted.items()) else groups


def refuse_idle(rename: Mapping[str, str], labels: Iterable[Groups], name: str) -> None:
    """Refuse a new name of a group that no labels have, neither by the old name nor by the new.

    Args:
        rename: New names, as ``read_map`` gives them.
        labels: All labels that are read.
        name: What they are called in messages.
    """
    every = list(labels)
    for old, new in rename.items():
        attribute, _, group = old.rpartition(":")
        looked = [one for one in every if attribute in ("", *one.attribute.split("*"))]
        known = {part for one in looked for name in one.names for part in name.split("*")}
        # Several old names may get one new name, which then need not be there itself.
        siblings = {o.rpartition(":")[2] for o, n in rename.items() if n == new}
        if not known & {group, new, *siblings}:
            listed = ", ".join(sorted(known)) or "none of these attributes"
            raise UsageError(
                f"--map {old}={new}: {name} has no group '{group}'.", f"It has {listed}."
            )
