"""A scene and captions: does it find captions of all languages, or of those common on the web?

Image to text, after Saengsuksiran et al. (arXiv 2510.26861). A query is a scene: a thing drawn in
the motifs of a culture. The gallery holds every thing in every language and wording; all captions
of the drawn thing are relevant. ``resource`` puts High and Medium languages on one side and Low on
the other, as published, half of the gallery each. Captions of one thing in one wording are a
matched set: they say the same in ten languages. All scenes of a thing rank the same captions, so
they are one cluster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.phantom.card import CARD
from fairlead.phantom.languages import LANGUAGES, tier
from fairlead.phantom.references import refer
from fairlead.phantom.things import CONCEPTS, CULTURES, Thing
from fairlead.types import Collection, Groups, Queries, Relevant, Study
from fairlead.types.ragged import offsets_of

SEEDS = 4
"""Scenes of each thing in each culture, by default."""


def study(name: str, seeds: Sequence[int]) -> Study:
    """The question of which languages a picture finds."""
    collection, concepts, blocks = _captions()
    scenes = [
        Thing(concept, culture, seed)
        for concept in CONCEPTS
        for seed in seeds
        for culture in CULTURES
    ]
    rows = [np.flatnonzero(concepts == s.concept) for s in scenes]
    tags = {
        "concept": tuple(s.concept for s in scenes),
        "culture": tuple(s.culture for s in scenes),
        "own_resource": tuple(resource(s.language) for s in scenes),
    }
    queries = Queries(
        tuple(s.key for s in scenes),
        images=tuple(refer(s) for s in scenes),
        relevant=Relevant(offsets_of(np.array([len(r) for r in rows])), np.concatenate(rows)),
        tags=tags,
    )
    metrics = ("LBKL@10", "DLBKL@10", "Bias(positive=high)@10", "nDCG@10", "Hit@5")
    return Study(
        name,
        collection,
        queries,
        metrics,
        k=10,
        blocks=blocks,
        modality="image-to-text",
        attributes=("resource",),
        by=("own_resource", "culture"),
        clusters="concept",
        kinds=("language",),
        card=CARD,
    )


def resource(language: str) -> str:
    """``high`` for a language of the published tiers High and Medium, ``low`` for the tier Low."""
    if tier(language) == "Low":
        return "low"
    return "high"


def _captions() -> tuple[Collection, np.ndarray, np.ndarray]:
    """Every thing in every language and wording, what each caption names, and its matched set."""
    # As many as the language with the fewest has: more wordings of one language would make it more
    # common.
    wordings = range(min(len(spoken.templates) for spoken in LANGUAGES.values()))
    wordings_used = [
        (c, w, language) for c in CONCEPTS for w in wordings for language in LANGUAGES.values()
    ]
    languages = [language.name for _, _, language in wordings_used]
    groups = {
        "resource": Groups.of(
            "resource", [resource(name) for name in languages], names=("high", "low")
        ),
        "language": Groups.of("language", languages, names=tuple(LANGUAGES)),
    }
    texts = tuple(
        language.templates[w].format(language.phrases[c]) for c, w, language in wordings_used
    )
    collection = Collection(
        tuple(f"{c}/{language.name}/{w}" for c, w, language in wordings_used),
        texts=texts,
        groups=groups,
    )
    # Captions that say the same in ten languages: chance exchanges them and nothing else.
    blocks = np.unique([f"{c}/{w}" for c, w, _ in wordings_used], return_inverse=True)[1]
    return collection, np.array([c for c, _, _ in wordings_used]), blocks
