"""``zeroshot_prompt``: the group whose word, before the query, is nearest to the picture.

    label(v, c) = argmax over {"Female " + c, "Male " + c, c} of cos(v, t),   for the query c; the
    last is the N/A class

Where the query has a frame ("a photo of a nurse"), the word stands behind it ("a photo of a Female
nurse"). Source: PBM (Kong et al., NeurIPS 2023), its zero-shot prompt predictor, with the empty
prompt of its Appendix E as N/A.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairlead.annotators import prompts as prompting
from fairlead.annotators.prompts import TEMPERATURE, Neutral
from fairlead.errors import DataError, UsageError
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import Collection, Groups, Queries, Sets
from fairlead.types.ragged import Array

_DEFAULTS = {
    "gender": ("Female {}", "Male {}", "{}"),
    "skin": ("Dark-skinned {}", "Fair-skinned {}", "{}"),
}
# What may stand before the query itself.
_FRAME = re.compile(
    r"^(?P<frame>(?:an?|the)\s+(?:[\w-]+\s+)?(?:photo|photograph|picture|image|portrait)\s+of\s+)"
    r"(?:(?P<article>an?|the|one)\s+)?",
    re.I,
)


@dataclass(frozen=True)
class ZeroshotPrompt(Configured):
    """The group whose word, put before the query, is nearest to the picture; ``{}`` in a prompt is
    the query.

    The parameters are those of ``zeroshot_embedding``. It labels the candidates of queries, not a
    collection alone.
    """

    prompts: str = ""
    groups: str = ""
    neutral: Neutral = "unknown"
    soft: bool = False
    temperature: float = TEMPERATURE
    model: str = ""

    name: ClassVar[str] = "zeroshot_prompt"
    reaches: ClassVar[Reach] = Reach(nests={"model": "encoder"})
    source: ClassVar[str] = "PBM (Kong et al. 2023), zero-shot prompt"
    needs: ClassVar[frozenset[str]] = frozenset({"encoder", "queries"})
    blind_spot: ClassVar[str] = (
        "Shares the encoder's associations with the query itself: a model that sees few "
        "male nurses labels few."
    )

    def validate(self) -> None:
        prompting.check(self)
        if self.prompts and not all("{}" in part for part in prompting.split(self.prompts)):
            raise UsageError(
                "zeroshot_prompt(prompts=...) has a prompt without {}, where the query stands.",
                "E.g. Female {}|Male {}|{}.",
            )

    @property
    def sees_with(self) -> str:
        """The model that it names."""
        return self.model

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """Those with prompts of their own; if prompts were given, whatever is asked for."""
        return prompting.known(self, _DEFAULTS)

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """Always refused: without queries there is nothing to label."""
        prompting.choose(self, attribute, _DEFAULTS)
        hint = (
            "It mitigates in an audit, and labels with annotate --query TEXT; elsewhere take "
            "zeroshot_embedding."
        )
        raise UsageError(f"{self} labels candidates of queries, and there is none.", hint)

    def of_candidates(
        self,
        collection: Collection,
        attribute: str,
        queries: Queries,
        candidates: Sets,
        encoder: Any = None,
    ) -> Groups:
        """Labels of the candidates of each query, in their order."""
        chosen_prompts = prompting.choose(self, attribute, _DEFAULTS)
        if queries.texts is None:
            raise DataError(
                f"{self} needs queries in words.", "Take zeroshot_embedding for queries by picture."
            )
        # Queries share candidates; every picture is looked at once.
        rows, place = np.unique(candidates.rows, return_inverse=True)
        images = None
        if collection.images is not None:
            images = [collection.images[row] for row in rows]
        texts = [
            filled(prompt, query) for query in queries.texts for prompt in chosen_prompts.texts
        ]
        text_vectors = prompting.text_vectors(self, texts, encoder).reshape(
            len(queries), len(chosen_prompts.texts), -1
        )
        image_vectors = prompting.image_vectors(self, images, encoder)
        cosines: Array = np.empty((len(place), len(chosen_prompts.texts)))
        for query, vectors in enumerate(text_vectors):
            part = slice(int(candidates.offsets[query]), int(candidates.offsets[query + 1]))
            cosines[part] = image_vectors[place[part]] @ vectors.T
        return prompting.labels(self, attribute, chosen_prompts, cosines, encoder)


def filled(prompt: str, query: str) -> str:
    """A prompt with a query in it; words before the query go after its frame.

    >>> filled("Female {}", "nurse")
    'Female nurse'
    >>> filled("Female {}", "a photo of an engineer"), filled("{}", "a photo of an engineer")
    ('a photo of a Female engineer', 'a photo of an engineer')
    """
    match = _FRAME.match(query)
    if match is None or prompt.strip() == "{}":
        return prompt.replace("{}", query)
    words = prompt.replace("{}", query[match.end() :])
    article = match["article"] or ""
    # The word in front of the query may begin otherwise: an engineer, a Female engineer.
    if article.lower() in ("a", "an"):
        article = "a"
        if words[:1].lower() in "aeiou":
            article = "an"
    if article:
        words = f"{article} {words}"
    return match["frame"] + words
