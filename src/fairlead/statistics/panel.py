"""The groups of items as raters say together."""

from __future__ import annotations

import numpy as np

from fairlead.errors import unknown_name
from fairlead.protocols.spec import parse
from fairlead.statistics.consensus import Majority
from fairlead.statistics.raters import DawidSkene
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups
from fairlead.types.answers import Answers

METHODS: dict[str, type[Majority | DawidSkene]] = {"majority": Majority, "dawid-skene": DawidSkene}


def method_of(text: str) -> Majority | DawidSkene:
    """The aggregation a text names, e.g. ``dawid-skene(weight=10)``."""
    spec = parse(text)
    if spec.name not in METHODS:
        raise unknown_name("aggregation", spec.name, METHODS)
    return METHODS[spec.name].from_spec(spec)


def human_groups(answers: Answers, method: Majority | DawidSkene) -> Groups:
    """The groups of the items, as raters say together: hard by the majority, soft by Dawid-Skene.

    An item is not applicable where that is more probable than all else together; where it is less,
    its mass is unknown, as is that of unsure answers. An item without answers is unknown.
    """
    task, found, source = answers.task, method(answers), source_of(answers, method)
    groups = len(task.groups)
    absent = found.share[:, groups] > 0.5
    if found.hard:
        codes = np.where(found.share.any(1), found.share.argmax(1), UNKNOWN)
        codes = np.where(absent, NOT_APPLICABLE, codes)
        return Groups(task.attribute, task.groups, codes=codes, source=source)
    shares = np.where(absent[:, None], 0.0, found.share[:, :groups])
    return Groups(task.attribute, task.groups, soft=shares, not_applicable=absent, source=source)


def source_of(answers: Answers, method: Majority | DawidSkene) -> str:
    """Who says so: how many raters an item has, and how their answers were put together."""
    given = answers.given[answers.given > 0]
    low, high = (int(given.min()), int(given.max())) if len(given) else (0, 0)
    return f"human({low if low == high else f'{low}-{high}'} rater{'s' * (high != 1)}, {method})"
