"""The groups of items according to several raters together."""

from __future__ import annotations

import numpy as np

from fairlead.errors import unknown_name
from fairlead.protocols.spec import parse
from fairlead.statistics.consensus import Majority
from fairlead.statistics.raters import DawidSkene
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups
from fairlead.types.answers import Answers
from fairlead.words.counts import agreeing

METHODS: dict[str, type[Majority | DawidSkene]] = {"majority": Majority, "dawid-skene": DawidSkene}


def method_of(text: str) -> Majority | DawidSkene:
    """The aggregation that a text names, e.g. ``dawid-skene(weight=10)``."""
    spec = parse(text)
    if spec.name not in METHODS:
        raise unknown_name("aggregation", spec.name, METHODS)
    return METHODS[spec.name].from_spec(spec)


def human_groups(answers: Answers, method: Majority | DawidSkene) -> Groups:
    """The groups of items according to the raters: hard by majority, soft by Dawid-Skene.

    An item is not applicable where that is more probable than all groups together. Where it is less
    probable, its mass is unknown, as is that of unsure answers. An item without answers is unknown.
    """
    task = answers.task
    consensus = method(answers)
    source = source_of(answers, method)
    groups = len(task.groups)
    # more than all else together, so that no group has to be weighed against it
    absent = consensus.share[:, groups] > 0.5
    if consensus.hard:
        codes = np.where(consensus.share.any(1), consensus.share.argmax(1), UNKNOWN)
        codes = np.where(absent, NOT_APPLICABLE, codes)
        return Groups(task.attribute, task.groups, codes=codes, source=source)
    shares = np.where(absent[:, None], 0.0, consensus.share[:, :groups])
    return Groups(task.attribute, task.groups, soft=shares, not_applicable=absent, source=source)


def source_of(answers: Answers, method: Majority | DawidSkene) -> str:
    """Who says so: how many raters an item has, and how their answers were combined."""
    given = answers.given[answers.given > 0]
    if not len(given):
        return f"human(0 raters, {method})"
    low = int(given.min())
    high = int(given.max())
    count = str(low) if low == high else f"{low}-{high}"
    return f"human({count} {agreeing(high, 'rater', 'raters')}, {method})"
