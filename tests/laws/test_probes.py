"""The rules of probes, over one that is written here: the laws notice what breaks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from fairlead.testing import probe_laws
from fairlead.types import Queries

ASKED = Queries(("a", "b"), texts=("a photo of a nurse", "a judge"), tags={"language": ("en",) * 2})


@dataclass(frozen=True)
class Reworded:
    """Every query by a function of its number and its text."""

    reword: Callable[[int, str], tuple[str, ...]]

    def __call__(self, queries: Queries) -> Queries:
        pairs = [
            (f"{name}/{n}", text)
            for number, (name, own) in enumerate(zip(queries.ids, queries.texts, strict=True))
            for n, text in enumerate(self.reword(number, own))
        ]
        return Queries(tuple(p[0] for p in pairs), texts=tuple(p[1] for p in pairs))


def test_probe_that_rewords_each_query_keeps_the_laws() -> None:
    probe_laws(Reworded(lambda _, text: (text, text.upper(), f"{text}, please")), ASKED)


@pytest.mark.parametrize(
    "reword",
    [lambda _, text: (), lambda number, text: (f"{number} {text}",), lambda _, text: (" ",)],
)
def test_probe_that_breaks_a_law_is_noticed(reword) -> None:
    with pytest.raises(AssertionError):
        probe_laws(Reworded(reword), ASKED)
