"""What each table of one's own data must hold, record by record, and what it must agree with."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.store.faults import Checked, CheckedRecord
from fairlead.store.groups import LabelColumns
from fairlead.store.qrels import GAIN_ALIASES
from fairlead.store.queries import QueryColumns
from fairlead.store.runs import ITEM_ALIASES, QUERY_ALIASES
from fairlead.store.sources.entries import DRAWN, IMAGE_ALIASES, resolved
from fairlead.types.arrays import slack_of_rounding
from fairlead.types.groups import ABSENT, NO_LABEL

BLOCKS = ("blocks", "block")
"""Columns of a table of labels that name matched sets."""
ROLE, ROLES = "role", ("sem", "cul", "non")
"""The attribute of a forced choice, and its groups: same meaning, same culture, neither."""
_SPELLED = "Spell it as the collection does."
_ASKED = "Spell it as the queries do."
# Sums are equal up to this; beyond it, shares may still be rounded.
_EXACT = 1e-6
# What a sum of few numbers is off by in floating point.
_ROUNDING = 1e-9
_NO_SHARE = NO_LABEL | {ABSENT}


@dataclass
class KnownNames:
    """The names in the tables checked so far.

    Attributes:
        items: Ids of the collection.
        queries: Ids of the queries.
        groups: Names of the groups of each attribute that a table labels.
    """

    items: dict[str, None] = field(default_factory=dict)
    queries: dict[str, None] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)

    def rename(self, names: Mapping[str, str]) -> None:
        """Go on with new names of groups: ``woman`` of every attribute, or ``gender:woman``."""
        self.groups = {
            attribute: {names.get(f"{attribute}:{old}", names.get(old, old)) for old in groups}
            for attribute, groups in self.groups.items()
        }


def check_queries(checked: Checked, known: KnownNames, path: Path) -> None:
    """Check that every query has an id of its own, asks something, and has its picture."""
    try:
        columns = QueryColumns.of(checked.header)
    except DataError as error:
        checked.add(None, error.message, error.hint)
        return
    first: dict[str, CheckedRecord] = {}
    for record in checked.records:
        name = record.cells.get(columns.id)
        if name is None:
            checked.add(record, f"the {columns.id} is empty.", "Give every query one.")
        elif name in first:
            where = f"line {first[name].line}"
            checked.add(record, f"the query '{name}' stands on {where} already.", "Ask it once.")
        else:
            first[name] = record
        # A table in which some ask in words and others by picture has two modalities, and an audit
        # has one.
        for column in {columns.text, columns.image} - {None, columns.id}:
            if column not in record.cells:
                checked.add(record, f"the {column} is empty.", "Every query asks in the same way.")
        _check_picture(checked, record, columns.image, path)
    known.queries = dict.fromkeys(first)


def _check_picture(checked: Checked, record: CheckedRecord, column: str | None, path: Path) -> None:
    image = record.cells.get(column or "")
    if image is None:
        return
    reference, fault = resolved(image, str(path.resolve().parent))
    if fault is not None:
        checked.add(record, fault[1])
        return
    # Drawings of the phantom and members of archives are no files of their own.
    is_file = not reference.startswith(DRAWN) and ".tar::" not in reference
    if is_file and not os.path.isfile(reference):
        checked.add(record, f"there is no picture '{image}'.", "Paths start at the table's folder.")


def check_labels(checked: Checked, known: KnownNames) -> None:
    """Check that labels are of existing items and do not contradict each other; check shares."""
    header = checked.header
    item = header.find("item", ITEM_ALIASES) or header.find("image", IMAGE_ALIASES)
    if item is None:
        columns = ", ".join(header.columns)
        checked.add(None, f"{header.name} has no column 'item': it has {columns}.", "Name it so.")
        return
    query = header.find("query", QUERY_ALIASES)
    blocks = next((name for name in BLOCKS if name in header.columns), None)
    try:
        layout = LabelColumns.of(header, item, query, blocks)
    except DataError as error:
        checked.add(None, error.message, error.hint)
        return
    _check_items(checked, known, item)
    _check_twice(checked, layout)
    for attribute, shares in layout.soft.items():
        known.groups[attribute] = set(shares)
        for record in checked.records:
            _check_shares(checked, record, attribute, shares)
    for attribute in layout.plain:
        values = {record.cells.get(attribute, "") for record in checked.records}
        known.groups[attribute] = values - _NO_SHARE


def _check_items(checked: Checked, names: KnownNames, column: str) -> None:
    """Check that every record names an item; missing items are reported once."""
    strange: list[CheckedRecord] = []
    for record in checked.records:
        name = record.cells.get(column)
        if name is None:
            checked.add(record, f"the {column} is empty.", "Every line labels an item.")
        elif name not in names.items:
            strange.append(record)
    if not strange or not names.items:
        return
    name = strange[0].cells[column]
    hint = _nearest("item", name, names.items) or _SPELLED
    if len(strange) == len(checked.records):
        example = next(iter(names.items))
        checked.add(
            strange[0],
            f"'{name}' is not in the collection, nor is any other item of this table.",
            f"{_SPELLED} It has '{example}'.",
        )
        return
    message = f"'{name}' is not in the collection{_others(strange)}."
    # Labels of some other items do no harm; a table that fits nowhere is the wrong one.
    checked.add(strange[0], message, hint, grave=False)


def _others(strange: Sequence[CheckedRecord]) -> str:
    """How many records more have the same fault, as the end of a sentence."""
    if len(strange) == 1:
        return ""
    return f", nor are {len(strange) - 1} others"


def _check_twice(checked: Checked, layout: LabelColumns) -> None:
    """Check that an item has the same labels wherever it occurs."""
    first: dict[tuple[str, ...], CheckedRecord] = {}
    keys = [column for column in (layout.item, layout.query) if column is not None]
    labels = [name for attribute in layout.attributes for name in layout.columns(attribute)]
    for record in checked.records:
        key = tuple(record.cells.get(column, "") for column in keys)
        before = first.setdefault(key, record)
        for label in labels:
            one = before.cells.get(label, "")
            other = record.cells.get(label, "")
            if one != other:
                message = f"'{key[0]}' has {label} '{other}', and '{one}' on line {before.line}."
                checked.add(record, message, "Keep one of the two.")


def _check_shares(
    checked: Checked, record: CheckedRecord, attribute: str, columns: Mapping[str, str]
) -> None:
    shares: list[float] = []
    for column in columns.values():
        text = record.cells.get(column, "")
        share: float | None = 0.0
        if text not in _NO_SHARE:
            share = _number(text)
        if share is None or not 0 <= share <= 1:
            checked.add(record, f"{column} is '{text}'.", "A share is a number from 0 to 1.")
            return
        shares.append(share)
    total = sum(shares)
    if total > 1 + _EXACT and not _are_rounded(shares, decimals=2):
        hint = "They sum to at most 1; the rest is unknown."
        checked.add(record, f"the shares of '{attribute}' sum to {total:g}.", hint)


def check_candidates(checked: Checked, known: KnownNames) -> None:
    """Check that queries and items exist, and that a forced choice has one of each role."""
    columns = _columns(checked, {"query": QUERY_ALIASES, "item": ITEM_ALIASES})
    if columns is None:
        return
    query, item = columns
    # Every query has an entry, so that one without candidates is found.
    lists: dict[str, dict[str, CheckedRecord]] = {name: {} for name in known.queries}
    for record in checked.records:
        asking = record.cells.get(query, "")
        name = record.cells.get(item, "")
        if name not in known.items:
            hint = _nearest("item", name, known.items) or _SPELLED
            checked.add(record, f"'{name}' is not in the collection.", hint)
        if asking not in lists:
            hint = _nearest("query", asking, known.queries) or _ASKED
            checked.add(record, f"there is no query '{asking}'.", hint)
        elif name in lists[asking]:
            line = lists[asking][name].line
            checked.add(record, f"'{name}' is a candidate of '{asking}' on line {line} already.")
        else:
            lists[asking][name] = record
    for asking, records in lists.items():
        if not records:
            checked.add(None, f"{checked.header.name}: the query '{asking}' has no candidate.")
        elif ROLE in checked.header.columns:
            _check_roles(checked, asking, list(records.values()))


def _check_roles(checked: Checked, asking: str, records: Sequence[CheckedRecord]) -> None:
    roles = [record.cells.get(ROLE, "") for record in records]
    for record, role in zip(records, roles, strict=True):
        if role not in ROLES:
            checked.add(record, f"the role is '{role}'.", f"Roles are {', '.join(ROLES)}.")
    # Told only where all roles are spelled right: a misspelt one is lacking too.
    lacking = [role for role in ROLES if role not in roles]
    if lacking and set(roles) <= set(ROLES):
        hint = f"A forced choice has one of each: {', '.join(ROLES)}."
        checked.add(records[0], f"the query '{asking}' has no '{lacking[0]}'.", hint)


def check_qrels(checked: Checked, known: KnownNames) -> None:
    """Check that gains are numbers; missing queries and items are reported once."""
    roles = {"query": QUERY_ALIASES, "item": ITEM_ALIASES, "gain": GAIN_ALIASES}
    columns = _columns(checked, roles)
    if columns is None:
        return
    query, item, gain = columns
    gains: dict[tuple[str, str], CheckedRecord] = {}
    for record in checked.records:
        text = record.cells.get(gain, "")
        if _number(text) is None:
            checked.add(record, f"the gain is '{text}'.", "Write 0 for what is not relevant.")
        key = (record.cells.get(query, ""), record.cells.get(item, ""))
        before = gains.setdefault(key, record)
        if before.cells.get(gain) != record.cells.get(gain):
            message = f"'{key[1]}' is judged for '{key[0]}' on line {before.line}, differently."
            checked.add(record, message, "Keep one of the two.")
    for column, there, what in ((query, known.queries, "query"), (item, known.items, "item")):
        _check_there(checked, column, there, what)
    judged = {asking for asking, _ in gains}
    for asking in known.queries:
        if asking not in judged:
            message = f"{checked.header.name} judges nothing for the query '{asking}'."
            checked.add(None, message, grave=False)


def _check_there(checked: Checked, column: str, there: Mapping[str, None], what: str) -> None:
    strange = [record for record in checked.records if record.cells.get(column) not in there]
    if strange and there:
        name = strange[0].cells.get(column, "")
        hint = _nearest(what, name, there)
        message = f"the {what} '{name}' is not there{_others(strange)}."
        checked.add(strange[0], message, hint, grave=len(strange) == len(checked.records))


def check_targets(checked: Checked, known: KnownNames) -> None:
    """Check that stated shares are of labelled groups and sum to one."""
    roles: dict[str, tuple[str, ...]] = {"query": QUERY_ALIASES}
    columns = _columns(checked, {**roles, "attribute": (), "group": (), "share": ()})
    if columns is None:
        return
    lists: dict[tuple[str, str], dict[str, float]] = {}
    last: dict[tuple[str, str], CheckedRecord] = {}
    for record in checked.records:
        asking, name, group, text = (record.cells.get(column, "") for column in columns)
        value = _number(text)
        if value is None or not 0 <= value <= 1:
            checked.add(record, f"the share is '{text}'.", "A share is a number from 0 to 1.")
            continue
        _check_stated(checked, record, known, (asking, name, group))
        shares = lists.setdefault((asking, name), {})
        if group in shares:
            checked.add(record, f"the share of '{group}' is stated twice.", "Keep one of the two.")
        shares[group] = value
        last[asking, name] = record
    for (asking, name), shares in lists.items():
        total = math.fsum(shares.values())
        if abs(total - 1) > _EXACT and not _are_rounded(tuple(shares.values()), decimals=3):
            message = f"the shares of '{name}' for query '{asking}' sum to {total:.6g}."
            checked.add(last[asking, name], message, "They sum to 1.")
        absent = sorted(known.groups.get(name, set()) - set(shares))
        if absent:
            message = f"'{name}' for query '{asking}' has no share of '{absent[0]}'."
            checked.add(last[asking, name], message, "Give every group one; 0 is allowed.")


def _check_stated(
    checked: Checked, record: CheckedRecord, names: KnownNames, stated: tuple[str, str, str]
) -> None:
    """Check that the query, the attribute and the group of a stated share exist."""
    asking, name, group = stated
    if asking != "*" and asking not in names.queries:
        hint = _nearest("query", asking, names.queries) or f"{_ASKED} * stands for all."
        checked.add(record, f"there is no query '{asking}'.", hint)
    # Without a table of labels nothing is known to compare with; the collection may have labels of
    # its own.
    if names.groups and name not in names.groups:
        hint = _nearest("attribute", name, names.groups)
        checked.add(record, f"nobody labels '{name}'.", hint)
    elif names.groups and group not in names.groups[name]:
        hint = _nearest("group", group, names.groups[name])
        checked.add(record, f"no item is labelled '{group}' of '{name}'.", hint)


def _columns(checked: Checked, roles: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The columns of these roles; reports one that is missing."""
    try:
        return [checked.header.need(role, aliases) for role, aliases in roles.items()]
    except DataError as error:
        checked.add(None, error.message, error.hint)
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    # float takes nan, inf and 1_000; no table means them.
    if math.isfinite(value) and "_" not in text:
        return value
    return None


def _are_rounded(shares: Sequence[float], *, decimals: int) -> bool:
    """Whether shares sum to 1 but for the decimals that they were written with."""
    # The rules of the readers, for labels (2) and for targets (3): what they take is no fault.
    row = np.array([shares])
    return bool(abs(row.sum() - 1) <= slack_of_rounding(row, decimals)[0] + _ROUNDING)


def _nearest(kind: str, name: str, names: Mapping[str, object] | set[str]) -> str:
    """The known name that may be meant, as a hint; empty where none is near."""
    # Every name is compared with every known one for a hint; in a large collection that takes
    # longer than the check.
    if len(names) > 100_000:
        return ""
    hint = unknown_name(kind, name, list(names)).hint
    if hint.startswith("Did"):
        return hint
    return ""
