"""``caption``: the gender that the words of a caption name, as the COCO and Flickr30k protocols
read it.

    female  if some word names a woman or a girl and none a man or a boy
    male    the other way round
    unknown if both or none are named

Words come from the banks of ``fairlead.words``, in nine languages. The captions are read, never the
pictures.
Source: Zhao et al. 2017 and Hendricks et al. 2018 for the rule; the words are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairlead.annotators.asked import cannot
from fairlead.errors import DataError, UsageError
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import UNKNOWN, Collection, Groups
from fairlead.words import LANGUAGES
from fairlead.words.gendered import FEMALE, MALE, gender_of

_NAMES = (FEMALE, MALE)


@dataclass(frozen=True)
class Caption(Configured):
    """The gender that a caption's words name; both or none is unknown. ``language`` is theirs."""

    language: str = "en"

    name: ClassVar[str] = "caption"
    reaches: ClassVar[Reach] = Reach()
    source: ClassVar[str] = "Zhao et al. 2017, Hendricks et al. 2018 (the rule)"
    needs: ClassVar[frozenset[str]] = frozenset({"captions"})
    blind_spot: ClassVar[str] = (
        "Knows what the writer of the caption chose to say, which is not the same for all groups."
    )

    def validate(self) -> None:
        if self.language not in LANGUAGES:
            raise UsageError(
                f"caption(language={self.language}) has no words.",
                f"Known: {', '.join(LANGUAGES)}.",
            )

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """Gender alone."""
        return ("gender",)

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """Hard labels of the captions."""
        if attribute != "gender":
            raise cannot(self, attribute, self.attributes(collection))
        if collection.texts is None:
            raise DataError(
                f"{self} reads captions, and the collection has none.",
                "Put them beside the pictures, or in captions.csv.",
            )
        codes = np.array([self._code(text) for text in collection.texts], np.int16)
        return Groups(attribute, _NAMES, codes=codes, source=str(self))

    def _code(self, text: str) -> int:
        # Both is an answer of the word banks too, but no group: the protocols call it unknown.
        named = gender_of(text, self.language)
        if named in _NAMES:
            return _NAMES.index(named)
        return UNKNOWN
