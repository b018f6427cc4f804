"""Captions of portraits: always the occupation, the rest where somebody would mention it."""

from __future__ import annotations

import numpy as np

from fairlead.phantom.people import Person

_FRAMES = (
    "a photo of {}",
    "a drawing of {}",
    "a portrait of {}",
    "a picture of {}",
    "{}",
    "this is {}",
    "{} at work",
)
_GENDERED = {
    "female": ("a female {o}", "a {o}, a woman", "a woman working as a {o}", "a woman {o}"),
    "male": ("a male {o}", "a {o}, a man", "a man working as a {o}", "a man {o}"),
}
_SKIN = {
    "light": ("light skinned", "fair skinned"),
    "medium": ("medium skinned", "olive skinned"),
    "tan": ("tan skinned", "brown skinned"),
    "dark": ("dark skinned", "deep skinned"),
}


def query(occupation: str) -> str:
    """The neutral query of an occupation, in the form SISPI uses."""
    return articled(f"a photo of a {occupation}")


def explicit(occupation: str, gender: str) -> str:
    """A query that asks for a presentation: ``a photo of a female nurse``."""
    return articled(f"a photo of a {gender} {occupation}")


def caption(
    person: Person, rng: np.random.Generator, *, gender: float = 0.4, skin: float = 0.3
) -> str:
    """A caption; ``gender`` and ``skin`` are the chances that each is mentioned.

    Captions of androgynous portraits never mention theirs.
    """
    phrase = "a {o}"
    # Training passes 0 or 1: it has settled beforehand what a caption tells.
    if person.gender_label is not None and rng.random() < gender:
        phrase = _one(_GENDERED[person.gender_label], rng)
    phrase = phrase.format(o=person.occupation)
    if rng.random() < skin:
        words = _one(_SKIN[person.skin_group], rng)
        if rng.random() < 0.6:
            # The first article only: "a nurse, a woman" has two.
            phrase = phrase.replace("a ", f"a {words} ", 1)
        else:
            phrase = f"{phrase} with {words.removesuffix(' skinned')} skin"
    # Articles come last: only now is it known what word follows each "a".
    return articled(_one(_FRAMES, rng).format(phrase))


def of_culture(concept: str, culture: str, rng: np.random.Generator) -> str:
    """A caption of a thing that names the culture it is drawn in: ``a picture of a thai house``."""
    # The last two frames are for people: a house is not at work.
    return articled(_one(_FRAMES[:5], rng).format(f"a {culture} {concept}"))


def articled(text: str) -> str:
    """``a`` before vowels becomes ``an``."""
    words = text.split(" ")
    pairs = zip(words, [*words[1:], ""], strict=True)
    return " ".join(
        "an" if word == "a" and after[:1] in "aeiou" and after else word for word, after in pairs
    )


def _one(words: tuple[str, ...], rng: np.random.Generator) -> str:
    return words[int(rng.random() * len(words))]
