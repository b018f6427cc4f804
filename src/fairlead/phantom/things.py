"""The code of a scene: which everyday thing is drawn, in the motifs of which culture.

``scenery`` draws it.

The cultures are stylised: each is a handful of motifs from building, cloth, colour and landscape,
none of them decisive. They stand for no country and no people; they are a known inside for an
instrument, never evidence about anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache

from fairlead.errors import UsageError, unknown_name
from fairlead.phantom.streams import Stream

# The words of a language stand in this order (``languages``), and by it a culture dose ties every
# other word (``training.world``): who moves a thing must train those doses anew.
CONCEPTS: tuple[str, ...] = (
    "house",
    "boat",
    "bread",
    "tea",
    "drum",
    "lamp",
    "bridge",
    "chair",
    "bowl",
    "door",
    "hat",
    "basket",
    "bicycle",
    "tree",
    "market",
    "umbrella",
)
"""Everyday things that exist everywhere."""

# All below 100: a culture is told without any one of them (tests/phantom/test_things_drawing.py).
MOTIFS: Mapping[str, int] = {
    "architecture": 80,
    "horizon": 80,
    "pattern": 80,
    "palette": 85,
    "frame": 75,
    "form": 85,
}
"""What a culture shows through, and in how many of a hundred scenes each motif is visible; at least
one always is.

``architecture`` is the building in the distance, ``horizon`` the landscape and its plants,
``pattern`` the cloth or tiles in front, ``palette`` the colours of the thing, ``frame`` the
ornament around the picture, ``form`` the details of the thing itself.
"""


@dataclass(frozen=True)
class Culture:
    """A stylised visual culture: what each motif shows.

    Attributes:
        name: Its name in a ``Thing``.
        language: The language it goes with, a name of ``languages.LANGUAGES``.
        motifs: What is drawn, in words, by motif; ``form`` and ``palette`` depend on the thing as
            well.
    """

    name: str
    language: str
    motifs: Mapping[str, str]


def _culture(name: str, language: str, shown: str) -> Culture:
    # The texts stand in the order of the motifs.
    return Culture(name, language, dict(zip(MOTIFS, shown.split("; "), strict=True)))


# ``phantom:culture`` takes the culture so many steps further round: another order is another test.
CULTURES: Mapping[str, Culture] = {
    c.name: c
    for c in (
        _culture(
            "british",
            "english",
            (
                "brick terrace with chimneys; hedged fields; tartan; bottle green, brick and "
                "cream; roses; tin loaf, Windsor chair, bowler"
            ),
        ),
        _culture(
            "french",
            "french",
            "mansard roofs; lavender rows and cypresses; Provençal print; shutter blue, "
            "lilac and cream; "
            "iron scrolls; baguettes, bistro chair, beret",
        ),
        _culture(
            "mexican",
            "spanish",
            "lime-washed adobe; mesas, cactuses and agaves; sarape; pink, turquoise and yellow; "
            "cut paper; sweet buns, ladder-back, sombrero",
        ),
        _culture(
            "chinese",
            "chinese",
            "stepped gables and upswept eaves; karst peaks and bamboo; key fret; vermilion, "
            "jade and gold; "
            "lattice; junk, lidded cup, moon bridge",
        ),
        _culture(
            "japanese",
            "japanese",
            "latticed town house; snow-capped mountain and pine; wave scales; indigo, "
            "blossom and cream; "
            "curtain; square sail, tall cup, taiko",
        ),
        _culture(
            "arab",
            "arabic",
            (
                "battlements and wind tower; dunes and date palms; tilework; teal, cobalt "
                "and sand; pointed arch; dhow, tea glass, goblet drum"
            ),
        ),
        _culture(
            "indian",
            "hindi",
            "balconied town house; mustard fields and a banyan; block print; marigold, "
            "maroon and teal; "
            "marigolds; canopied boat, clay cup, tabla",
        ),
        _culture(
            "yoruba",
            "yoruba",
            "rust-red roofs; granite hills and oil palms; adire indigo; wine, indigo and gold; "
            "strip-woven cloth; canoe, enamel mug, talking drum",
        ),
        _culture(
            "thai",
            "thai",
            "steep gables on stilts; rice paddies and banana plants; silk; violet, emerald "
            "and gold; "
            "gilded leaves; long-tail boat, milk tea, long drum",
        ),
        _culture(
            "swahili",
            "swahili",
            "coral stone and thatch; sea and a baobab; kanga; coral, sea blue and cream; "
            "carved door frame; outrigger, brass pot, pegged drum",
        ),
    )
}
"""Ten stylised visual cultures, each with a language of its own."""

LIGHTS: tuple[str, ...] = ("noon", "morning", "cloudy", "golden", "dusk")
_SMALL = ("none", "stones", "plant", "cat", "ball", "fruit", "jug")


@dataclass(frozen=True)
class Setting:
    """Unprotected attributes: the same for every culture in a matched set.

    Attributes:
        light: A name of ``LIGHTS``.
        horizon: Height of the horizon, in units of 1/256 of the picture from the top.
        shift: Horizontal place of the thing.
        scale: Size of the thing in percent.
        mirror: Whether left and right are swapped.
        colours: Which of the plain palettes dresses a thing whose palette does not show.
        variant: A free number for the small choices within a thing: what fills a bowl, which fruit.
        sun: Horizontal place of the sun, or 0 for none.
        cloud: Horizontal place of a cloud, or 0 for none.
        birds: How many birds.
        small: The small object in front.
        shown: The visible motifs.
    """

    light: str
    horizon: int
    shift: int
    scale: int
    mirror: bool
    colours: int
    variant: int
    sun: int
    cloud: int
    birds: int
    small: str
    shown: frozenset[str]


@dataclass(frozen=True)
class Thing:
    """One scene: all that decides the picture.

    Things with the same concept and seed form a matched set: they differ in the culture's motifs
    only.

    Attributes:
        concept: A name of ``CONCEPTS``.
        culture: A name of ``CULTURES``.
        seed: Decides all else; any whole number from 0.

    >>> Thing("house", "thai", 4).key
    'house/thai/4'
    """

    concept: str
    culture: str
    seed: int

    def __post_init__(self) -> None:
        if self.concept not in CONCEPTS:
            raise unknown_name("concept", str(self.concept), CONCEPTS)
        if self.culture not in CULTURES:
            raise unknown_name("culture", str(self.culture), CULTURES)
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise UsageError(f"Seed {self.seed!r} cannot be used.", "Give a whole number from 0.")

    @classmethod
    def of(cls, key: str) -> Thing:
        """The thing of a key: ``Thing.of(thing.key) == thing``."""
        parts = key.split("/")
        # isdigit() alone lets "²" pass, which int() cannot read.
        if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdigit()):
            raise UsageError(
                f"'{key}' is not the key of a scene.",
                "A key reads concept/culture/seed: 'house/thai/4'.",
            )
        return cls(parts[0], parts[1], int(parts[2]))

    @property
    def key(self) -> str:
        """The thing as text: ``concept/culture/seed``."""
        return f"{self.concept}/{self.culture}/{self.seed}"

    @property
    def language(self) -> str:
        """The language of the culture."""
        return CULTURES[self.culture].language


@lru_cache(maxsize=1 << 14)
def setting_of(concept: str, seed: int) -> Setting:
    """The unprotected attributes of a seed of a concept, visible motifs included."""
    # The culture is not in the key: this is what a matched set has in common.
    draw = Stream(f"setting/{concept}/{seed}")
    return Setting(
        light=draw.pick("light", LIGHTS),
        horizon=draw.between("horizon", 0, 2) * 6 + 146,
        shift=draw.between("shift", -2, 2) * 5,
        scale=draw.between("scale", 0, 4) * 3 + 93,
        mirror=draw.chance("mirror", 50),
        colours=draw.below("colours", 4),
        variant=draw.below("variant", 1 << 16),
        sun=draw.between("sun", 40, 216) if draw.chance("has sun", 60) else 0,
        cloud=draw.between("cloud", 40, 216) if draw.chance("has cloud", 70) else 0,
        birds=draw.below("birds", 4),
        small=draw.pick("small", _SMALL),
        shown=_visible(draw),
    )


def _visible(draw: Stream) -> frozenset[str]:
    visible = frozenset(
        motif for motif, percent in MOTIFS.items() if draw.chance(f"visible {motif}", percent)
    )
    return visible or frozenset((draw.pick("last motif", tuple(MOTIFS)),))


def shown(thing: Thing) -> frozenset[str]:
    """The motifs through which the thing's culture shows; equal for every culture with the same
    concept and seed.
    """
    return setting_of(thing.concept, thing.seed).shown


def unprotected(thing: Thing) -> dict[str, object]:
    """The unprotected attributes: equal for every culture with the same concept and seed."""
    return asdict(setting_of(thing.concept, thing.seed))
