"""The code of a portrait: who is drawn. ``scenes`` resolves it into what is drawn, ``drawing``
draws it.

Skin colours are the ten swatches of the Monk Skin Tone Scale (Ellis Monk, Google, 2022; published
for open use). Gender is *perceived presentation in the drawing*; androgynous drawings mix the cues
of both and are labelled unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from fairlead.errors import UsageError, unknown_name
from fairlead.phantom.occupations import OCCUPATIONS, SLOTS, VISIBLE, Occupation
from fairlead.phantom.scenes import DrawnScene, Look, Presentation, look_of, presentation_of

Gender = Literal["female", "male", "androgynous"]
GENDERS: tuple[str, ...] = get_args(Gender)

TONES: tuple[str, ...] = (
    "#f6ede4",
    "#f3e7db",
    "#f7ead0",
    "#eadaba",
    "#d7bd96",
    "#a07e56",
    "#825c43",
    "#604134",
    "#3a312a",
    "#292420",
)
"""The ten Monk skin tones; tone ``t`` is ``TONES[t - 1]``."""

SKIN_GROUPS: Mapping[str, tuple[int, ...]] = {
    "light": (1, 2, 3),
    "medium": (4, 5),
    "tan": (6, 7),
    "dark": (8, 9, 10),
}
"""The four skin groups and their tones."""

__all__ = [
    "GENDERS",
    "OCCUPATIONS",
    "SKIN_GROUPS",
    "SLOTS",
    "TONES",
    "VISIBLE",
    "DrawnScene",
    "Gender",
    "Look",
    "Occupation",
    "Person",
    "Presentation",
    "scene",
    "unprotected",
]


@dataclass(frozen=True)
class Person:
    """One portrait: all that decides the picture.

    People with the same occupation and seed form a matched set: they differ in presentation and
    skin only.

    Attributes:
        occupation: A name of ``OCCUPATIONS``.
        gender: Perceived presentation: ``"female"``, ``"male"``, or ``"androgynous"`` (labelled
            unknown).
        tone: Monk skin tone, 1..10.
        seed: Decides all else; any whole number from 0.

    >>> Person("nurse", "male", 7, 42).key
    'nurse/male/7/42'
    """

    occupation: str
    gender: Gender
    tone: int
    seed: int

    def __post_init__(self) -> None:
        if self.occupation not in OCCUPATIONS:
            raise unknown_name("occupation", str(self.occupation), OCCUPATIONS)
        if self.gender not in GENDERS:
            raise unknown_name("presentation", str(self.gender), GENDERS)
        if not _whole(self.tone) or not 1 <= self.tone <= len(TONES):
            raise UsageError(
                f"Tone {self.tone!r} is not a Monk skin tone.",
                "Give a whole number from 1 (lightest) to 10 (darkest).",
            )
        if not _whole(self.seed) or self.seed < 0:
            raise UsageError(f"Seed {self.seed!r} cannot be used.", "Give a whole number from 0.")

    @classmethod
    def of(cls, key: str) -> Person:
        """The person of a key: ``Person.of(person.key) == person``."""
        parts = key.split("/")
        # isdigit() alone lets "²" pass, which int() cannot read.
        if len(parts) != 4 or not all(p.isascii() and p.isdigit() for p in parts[2:]):
            raise UsageError(
                f"'{key}' is not the key of a portrait.",
                "A key reads occupation/gender/tone/seed: 'nurse/female/4/17'.",
            )
        return cls(parts[0], cast(Gender, parts[1]), int(parts[2]), int(parts[3]))

    @property
    def key(self) -> str:
        """The person as text: ``occupation/gender/tone/seed``."""
        return f"{self.occupation}/{self.gender}/{self.tone}/{self.seed}"

    @property
    def gender_label(self) -> str | None:
        """The label of the drawing: ``"female"``, ``"male"``, or None (unknown) where it is
        androgynous.
        """
        if self.gender == "androgynous":
            return None
        return self.gender

    @property
    def skin_group(self) -> str:
        """The skin group of the tone."""
        return next(name for name, tones in SKIN_GROUPS.items() if self.tone in tones)


def scene(person: Person) -> DrawnScene:
    """Everything that decides the picture.

    The unprotected part is a function of (occupation, seed) alone, the presentation of (gender,
    seed) alone, the skin of the tone alone: no cue of gender depends on the occupation or the tone,
    and no cue of the occupation on gender or tone.
    """
    return DrawnScene(
        look_of(person.occupation, person.seed),
        presentation_of(person.gender, person.seed),
        TONES[person.tone - 1],
    )


def unprotected(person: Person) -> dict[str, object]:
    """The unprotected attributes: equal for everyone with the same occupation and seed."""
    return look_of(person.occupation, person.seed).as_dict()


def _whole(value: object) -> bool:
    # True is a whole number to Python, and would be tone 1.
    return isinstance(value, int) and not isinstance(value, bool)
