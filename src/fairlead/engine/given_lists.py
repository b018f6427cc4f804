"""The candidates of a list as they come from a program: ids, scores and labels in any form, read
into evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.statistics import targets
from fairlead.store import order as ordering
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups, Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.groups import ABSENT, NO_LABEL, in_range
from fairlead.types.ragged import Array, offsets_of

_MOST = float(np.finfo(np.float32).max)
"""The largest score: rankings hold single precision."""
_FORMS = (
    "Give whole numbers (items,), shares (items, groups), a name for each, or {group: share} "
    "for each."
)


@dataclass(frozen=True, eq=False)
class LabelReader:
    """Reads the labels of candidates, whatever their form.

    Attributes:
        attribute: What is labelled.
        given: The groups in the caller's order, by which codes and columns count.
    """

    attribute: str
    given: tuple[str, ...]

    @classmethod
    def of(cls, attribute: str, groups: Sequence[str]) -> LabelReader:
        """A reader of the labels of some groups."""
        names = tuple(groups)
        if isinstance(groups, str):
            # A word is not its letters; it is refused below as a single group.
            names = (groups,)
        if len(names) < 2 or len(set(names)) < len(names):
            raise UsageError(
                f"'{attribute}' has the groups {', '.join(map(str, names)) or 'none'}.",
                "Name two or more that differ.",
            )
        if ABSENT in names:
            raise UsageError(
                f"'{ABSENT}' is no group of '{attribute}'.",
                "It is the label of items that the attribute does not apply to.",
            )
        return cls(attribute, names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The groups in order of their names, so that the caller's order changes nothing."""
        return tuple(sorted(self.given))

    @cached_property
    def nobody(self) -> Groups:
        """The groups of no item."""
        return Groups(self.attribute, self.names, codes=np.empty(0, np.int16))

    @cached_property
    def _columns(self) -> Array | None:
        """(groups,) the caller's place of each group; None where both orders are one."""
        if self.names == self.given:
            return None
        return np.array([self.given.index(name) for name in self.names])

    @cached_property
    def _codes(self) -> dict[Any, int]:
        """The code of every label that a list of names can hold."""
        none: dict[Any, int] = dict.fromkeys((None, *NO_LABEL), UNKNOWN)
        special = none | {ABSENT: NOT_APPLICABLE}
        return special | {name: code for code, name in enumerate(self.names)}

    def ordered(self, target: Target) -> Target:
        """A target of the groups as given, in the order of their names."""
        if target.shares.shape != (1, len(self.given)) or np.isnan(target.shares).any():
            raise UsageError(
                f"The target {target.name} has shares of shape {target.shares.shape}.",
                f"Give one share for each of {', '.join(self.given)}.",
            )
        if self._columns is None:
            return target
        return replace(target, shares=target.shares[:, self._columns])

    def read(self, ids: Sequence[Any], labels: Any) -> Groups:
        """The groups of candidates.

        Raises:
            UsageError: For another number of labels than ids, or a group that is not known.
            DataError: For codes or shares that are none.
        """
        groups = self._read(ids, labels)
        if len(groups) != len(ids):
            raise UsageError(
                f"There are {len(groups)} labels of '{self.attribute}' for {len(ids)} ids.",
                "Give one for each.",
            )
        return groups

    def _read(self, ids: Sequence[Any], labels: Any) -> Groups:
        if isinstance(labels, np.ndarray):
            if labels.dtype.kind in "iuf":
                return self._of_numbers(labels)
            return self._of_labels(labels.tolist())
        if isinstance(labels, Groups):
            return self._by_name(labels)
        if isinstance(labels, Mapping):
            # Only candidates are looked up: a service keeps one table of its whole collection.
            return self._of_labels([labels.get(name) for name in ids])
        return self._of_labels(list(labels))

    def _by_name(self, groups: Groups) -> Groups:
        """Groups of these names, whatever their order; names that they lack have nobody."""
        if groups.names == self.names:
            return groups
        for name in groups.names:
            if name not in self.names:
                raise self._unknown(name)
        places = np.array([self.names.index(name) for name in groups.names])
        if groups.codes is not None:
            codes = np.where(groups.codes >= 0, places[groups.codes], groups.codes)
            return Groups(self.attribute, self.names, codes=codes, source=groups.source)
        soft = np.zeros((len(groups), len(self.names)))
        soft[:, places] = groups.share
        absent = groups.not_applicable
        return Groups(
            self.attribute, self.names, soft=soft, not_applicable=absent, source=groups.source
        )

    def _of_numbers(self, numbers: Array) -> Groups:
        """Hard codes (items,) or soft shares (items, groups) in the caller's order."""
        # An empty list of labels comes as floats, which are no codes.
        if not numbers.size:
            numbers = np.empty(len(numbers), np.int16)
        if numbers.ndim == 2:
            shares = numbers
            if self._columns is not None and numbers.shape[1] == len(self.given):
                shares = numbers[:, self._columns]
            return Groups(self.attribute, self.names, soft=shares)
        if self._columns is not None:
            return self._by_name(Groups(self.attribute, self.given, codes=numbers))
        # Codes that are plainly good skip the checks of ``Groups``, which would take their time on
        # every call; all else goes through them for their messages.
        small = len(self.names) < 1 << 15 and numbers.ndim == 1 and numbers.dtype.kind == "i"
        if not small or not in_range(numbers, len(self.names)):
            return Groups(self.attribute, self.names, codes=numbers)
        codes = numbers.astype(np.int16)
        return self.nobody.with_items(codes == NOT_APPLICABLE, codes=codes)

    def _of_labels(self, labels: list[Any]) -> Groups:
        """One label for each item: a name, nothing, or {group: share}."""
        # One pass that fails is quicker than asking every label what it is.
        codes = self._codes
        try:
            numbers = np.fromiter(map(codes.__getitem__, labels), np.int16, len(labels))
        except (KeyError, TypeError):
            return self._of_mixed(labels)
        return self.nobody.with_items(numbers == NOT_APPLICABLE, codes=numbers)

    def _of_mixed(self, labels: list[Any]) -> Groups:
        """The same where not every label is a name."""
        labels = [None if _is_nan(label) else label for label in labels]
        plain = [label for label in labels if label is not None]
        if all(isinstance(label, (int, float, list, tuple, np.ndarray)) for label in plain):
            return self._of_numbers(_numbers(labels, self.attribute))
        if not any(isinstance(label, Mapping) for label in plain):
            return self._of_known(labels)
        soft, absent = np.zeros((len(labels), len(self.names))), np.zeros(len(labels), np.bool_)
        for item, label in enumerate(labels):
            shares = label
            if not isinstance(label, Mapping):
                shares = {label: 1.0}
            for name, share in shares.items():
                code = self._code(name)
                if code >= 0:
                    soft[item, code] = _share(share, self.attribute)
                absent[item] |= code == NOT_APPLICABLE
        return Groups(self.attribute, self.names, soft=soft, not_applicable=absent)

    def _of_known(self, labels: list[Any]) -> Groups:
        codes = [self._code(label) for label in labels]
        return Groups(self.attribute, self.names, codes=np.array(codes, np.int16))

    def _code(self, name: Any) -> int:
        """The code of one label."""
        try:
            return self._codes[name]
        except (KeyError, TypeError):
            raise self._unknown(name) from None

    def _unknown(self, name: Any) -> UsageError:
        return unknown_name(f"group of '{self.attribute}'", str(name), self.names)


@dataclass(frozen=True, eq=False)
class CandidateList:
    """The candidates of one query.

    Attributes:
        ids: Their ids, as they were given.
        order: (n,) places in what was given, best score first.
        scores: (n,) float32 scores in this order.
        groups: Their groups, in the order they were given in.
        query: What was asked.
        background: Mean score of the collection, where it is known.
    """

    ids: Any
    order: Array
    scores: Array
    groups: Groups
    query: str
    background: float | None

    @classmethod
    def of(
        cls,
        ids: Sequence[Any],
        scores: Any,
        groups: Groups,
        query: str,
        background: float | None,
        seed: int,
    ) -> CandidateList:
        """Candidates by falling score; equal scores by a hash of seed, query and id."""
        given = _scores(scores, len(ids))
        if background is not None and not np.isfinite(background):
            raise DataError(f"The background score {background!r} is not a finite number.")
        # Without equal scores every sort gives the same order, and this one is the fastest.
        places = given.argsort()[::-1]
        falling = given.take(places)
        # NaN is neither above nor below, so it ends here too, and is refused.
        if not (falling[1:] < falling[:-1]).all():
            _refuse_infinite(given)
            places = _untied(given, ids, query, seed)
            falling = given.take(places)
        # Sorted, the first and the last score tell whether any is infinite or too large.
        if len(falling) and not (falling[-1] >= -_MOST and falling[0] <= _MOST):
            _refuse_infinite(given)
        places, falling = places.astype(np.int32), falling.astype(np.float32)
        return cls(ids, places, falling, groups, query, background)

    def __len__(self) -> int:
        return len(self.order)

    def named(self, places: list[int]) -> tuple[Any, ...]:
        """The ids at some places."""
        ids = self.ids
        if isinstance(ids, np.ndarray):
            return tuple(ids[places].tolist())
        return tuple([ids[place] for place in places])


def evidence_of(
    lists: Sequence[CandidateList], target: Target | None, *, aligned: bool = False
) -> Evidence:
    """Lists of like labels as evidence; without a target each is held to the mix of its own
    candidates.

    With ``aligned`` the labels are gathered now, once, and stand as the ranking does.
    """
    one = lists[0]
    if len(lists) == 1:
        offsets = np.array([0, len(one)], np.int64)
        ranking, groups = Ranking.of_checked(offsets, one.order, one.scores), one.groups
    else:
        offsets = offsets_of(np.array([len(each) for each in lists]))
        rows = [each.order + first for each, first in zip(lists, offsets.tolist(), strict=False)]
        scores = np.concatenate([each.scores for each in lists])
        ranking = Ranking.of_checked(offsets, np.concatenate(rows).astype(np.int32), scores)
        groups = _joined(lists)
    if target is None:
        target = targets.pool(groups, Sets(ranking.offsets, ranking.rows))
    background = None
    if one.background is not None:
        background = np.array([each.background for each in lists], np.float64)
    # Gathered once here, instead of by every look of a reranker.
    if aligned:
        groups = groups.take(ranking.rows)
    labelled = Labelled(groups, target, aligned)
    return Evidence(
        ranking,
        tuple(each.query for each in lists),
        {groups.attribute: labelled},
        background=background,
    )


def _joined(lists: Sequence[CandidateList]) -> Groups:
    """The labels of several lists, one behind the other."""
    parts, first = [each.groups for each in lists], lists[0].groups
    absent = np.concatenate([part.not_applicable for part in parts])
    if first.codes is not None:
        return first.with_items(absent, codes=np.concatenate([part.codes for part in parts]))
    return first.with_items(absent, soft=np.concatenate([part.share for part in parts]))


def _scores(scores: Any, size: int) -> Array:
    """(n,) the scores as numbers."""
    try:
        given = np.asarray(scores, np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError("Scores must be numbers, one for each id.") from error
    if given.shape != (size,):
        raise UsageError(
            f"There are scores of shape {given.shape} for {size} ids.", "Give one for each."
        )
    return given


def _refuse_infinite(scores: Array) -> None:
    """Refuse scores that are no numbers, or too large for a ranking."""
    wrong = np.flatnonzero(~(np.abs(scores) <= _MOST))
    if len(wrong):
        raise DataError(
            f"The score of candidate {wrong[0]} is {scores[wrong[0]]:g}, which is not a finite "
            "number.",
            "Leave the candidate out, or give it a number.",
        )


def _untied(scores: Array, ids: Sequence[Any], query: str, seed: int) -> Array:
    """(n,) places by falling score, equal ones by a hash, as ``read_run`` orders a run."""
    places = np.argsort(-scores, kind="stable")
    ranked = scores[places]
    same = np.zeros(len(scores), np.bool_)
    np.equal(ranked[1:], ranked[:-1], out=same[1:])
    names, asked = [str(name) for name in ids], np.zeros(len(scores), np.int64)
    mixed = ordering.shuffled(same, asked, places, queries=(query,), items=names, seed=seed)
    return places[mixed]


def _numbers(labels: list[Any], attribute: str) -> Array:
    """Codes or rows of shares that stand in a list; what is missing is unknown."""
    rows = [label for label in labels if label is not None and not np.isscalar(label)]
    # Of codes the unknown one is -1, of shares a row without any.
    missing: Any = UNKNOWN
    if rows:
        missing = [0.0] * len(rows[0])
    try:
        return np.array([missing if label is None else label for label in labels])
    except ValueError as error:
        raise UsageError(f"The labels of '{attribute}' are of different forms.", _FORMS) from error


def _share(share: Any, attribute: str) -> float:
    try:
        return float(share)
    except (TypeError, ValueError) as error:
        raise DataError(f"The share {share!r} of '{attribute}' is not a number.") from error


def _is_nan(label: Any) -> bool:
    """Whether a label is what data frames put where there is none."""
    return isinstance(label, float) and label != label
