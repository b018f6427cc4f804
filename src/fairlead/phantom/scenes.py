"""What a portrait shows: the unprotected look, and the presentation.

The look follows from (occupation, seed), the presentation from (gender, seed).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache

from fairlead.phantom.occupations import OCCUPATIONS, SLOTS, VISIBLE
from fairlead.phantom.streams import Stream


@dataclass(frozen=True)
class Look:
    """Unprotected attributes: the same for every group in a matched set.

    Attributes:
        age: ``young``, ``middle`` or ``senior``.
        face: Overall proportions of the face.
        glasses: Kind of frame, or ``none``.
        expression: ``calm``, ``smile`` or ``grin``.
        gaze: Horizontal shift of the iris, -1..1.
        eyes: Colour of the iris.
        hair_colour: One palette for all tones.
        texture: ``straight``, ``wavy``, ``curly`` or ``coily``.
        tilt: Lean of the head in thousandths, positive to the right.
        scale: Framing in percent.
        shift: Horizontal place of the sitter.
        side: Side of the prop: 1 right, -1 left.
        lit: Side the light comes from: 1 right, -1 left.
        light: ``warm``, ``neutral`` or ``cool``: colours the room, never the skin.
        backdrop: Palette of the room.
        garment: Plain clothes: ``sweater``, ``shirt``, ``blouson``.
        fabric: Colour of the plain clothes.
        cues: (slot, cue) of every visible cue.
        tints: (slot, number) a free number per slot that chooses the cue's colours.
    """

    age: str
    face: str
    glasses: str
    expression: str
    gaze: int
    eyes: str
    hair_colour: str
    texture: str
    tilt: int
    scale: int
    shift: int
    side: int
    lit: int
    light: str
    backdrop: str
    garment: str
    fabric: str
    cues: tuple[tuple[str, str], ...]
    tints: tuple[tuple[str, int], ...]

    def as_dict(self) -> dict[str, object]:
        """The attributes by name."""
        return asdict(self)

    def cue(self, slot: str) -> str:
        """The visible cue of a slot, or nothing."""
        return dict(self.cues).get(slot, "")

    def tint(self, slot: str) -> int:
        """The number that chooses the colours of a slot."""
        return dict(self.tints)[slot]


@dataclass(frozen=True)
class Presentation:
    """Presentation cues: several, none decisive.

    Attributes:
        hair: Cut.
        jaw: ``soft`` or ``strong``.
        neck: ``slim`` or ``broad``.
        brows: ``arched`` or ``straight``.
        lashes: ``long`` or ``short``.
        lips: ``tinted`` or ``natural``.
        beard: ``none``, ``stubble``, ``moustache``, ``short`` or ``full``.
        neckline: ``scoop``, ``crew`` or ``collar``.
        earrings: ``none``, ``stud`` or ``drop``.
    """

    hair: str
    jaw: str
    neck: str
    brows: str
    lashes: str
    lips: str
    beard: str
    neckline: str
    earrings: str

    @property
    def balance(self) -> int:
        """Cues read as feminine minus cues read as masculine."""
        return sum(_READS[name].get(value, 0) for name, value in asdict(self).items())


@dataclass(frozen=True)
class DrawnScene:
    """Everything that decides a picture: the unprotected look, the presentation, the skin."""

    look: Look
    presentation: Presentation
    skin: str


_LONG = ("long", "bob", "ponytail", "bun", "plaits", "cloud")
_SHORT = ("crop", "parted", "quiff", "cut", "fade")
_BETWEEN = ("pixie", "shag", "tapered")

# How each cue is commonly read: 1 feminine, -1 masculine, 0 neither. A convention of drawing, not
# a statement about anyone.
_READS: Mapping[str, Mapping[str, int]] = {
    "hair": {**dict.fromkeys(_LONG, 1), **dict.fromkeys(_SHORT, -1)},
    "jaw": {"soft": 1, "strong": -1},
    "neck": {"slim": 1, "broad": -1},
    "brows": {"arched": 1, "straight": -1},
    "lashes": {"long": 1, "short": -1},
    "lips": {"tinted": 1, "natural": -1},
    "beard": {"stubble": -1, "moustache": -1, "short": -1, "full": -1},
    "neckline": {"scoop": 1, "collar": -1},
    "earrings": {"stud": 1, "drop": 1},
}

# In how many of a hundred drawings a cue goes the way of its gender. All are below 100, so that no
# cue decides alone; all of them together do (tests/phantom/test_presentation.py).
_TYPICAL = {
    "hair": 86,
    "jaw": 88,
    "neck": 88,
    "brows": 88,
    "lashes": 86,
    "lips": 84,
    "neckline": 80,
}
_PAIRS = {
    "jaw": ("soft", "strong"),
    "neck": ("slim", "broad"),
    "brows": ("arched", "straight"),
    "lashes": ("long", "short"),
    "lips": ("tinted", "natural"),
}


@lru_cache(maxsize=1 << 14)
def look_of(occupation: str, seed: int) -> Look:
    """The unprotected look of a seed in an occupation."""
    # Neither gender nor tone is in the key: this is what a matched set has in common.
    draw = Stream(f"look/{occupation}/{seed}")
    age = draw.pick("age", ("young", "young", "middle", "middle", "senior"))
    greys = ("silver", "silver", "ash", "walnut")
    colours = ("black", "black", "espresso", "espresso", "walnut", "chestnut", "auburn", "honey")
    return Look(
        age=age,
        face=draw.pick("face", ("oval", "oval", "round", "long", "broad")),
        glasses=draw.pick("glasses", ("none",) * 6 + ("round", "square")),
        expression=draw.pick("expression", ("calm", "smile", "smile", "grin")),
        gaze=draw.between("gaze", -1, 1),
        eyes=draw.pick("eyes", ("umber", "umber", "chestnut", "chestnut", "hazel", "moss")),
        hair_colour=draw.pick("hair colour", greys if age == "senior" else colours),
        texture=draw.pick("texture", ("straight", "wavy", "curly", "coily")),
        # A few steps each, not a range: outlines are kept by the frame in which they were placed
        # (``canvas``), and so few frames come again and again.
        tilt=draw.between("tilt", -2, 2) * 24,
        scale=draw.between("scale", 0, 2) * 4 + 98,
        shift=draw.between("shift", -1, 1) * 5,
        side=1 if draw.chance("side", 50) else -1,
        lit=1 if draw.chance("lit", 50) else -1,
        light=draw.pick("light", ("warm", "neutral", "cool")),
        backdrop=draw.pick(
            "backdrop", ("sage", "sky", "sand", "lilac", "rose", "mist", "butter", "clay")
        ),
        garment=draw.pick("garment", ("sweater", "shirt", "blouson")),
        fabric=draw.pick(
            "fabric", ("brick", "ochre", "moss", "teal", "navy", "plum", "oat", "slate")
        ),
        cues=_visible(occupation, draw),
        # Large enough to be split into several choices (``palette.choose``).
        tints=tuple((slot, draw.below(f"tint {slot}", 1 << 16)) for slot in SLOTS),
    )


def _visible(occupation: str, draw: Stream) -> tuple[tuple[str, str], ...]:
    cues = tuple(OCCUPATIONS[occupation].cues.items())
    visible = tuple(
        (slot, cue) for slot, cue in cues if draw.chance(f"visible {slot}", VISIBLE[slot])
    )
    return visible or (cues[draw.below("last cue", len(cues))],)


@lru_cache(maxsize=1 << 14)
def presentation_of(gender: str, seed: int) -> Presentation:
    """The presentation of a seed: cues are drawn until their balance fits the gender.

    Female and male drawings keep a balance of at least four cues; androgynous ones stay within one
    of even.
    """
    # One or two attempts as a rule; the most in 3,000 seeds of each gender was 13.
    for attempt in range(1000):
        # The occupation is not in the key, so presentation says nothing about it.
        draw = Stream(f"presentation/{gender}/{seed}/{attempt}")
        if gender == "androgynous":
            presentation = _mixed(draw)
        else:
            presentation = _typical(draw, 0 if gender == "female" else 1)
        lean = presentation.balance if gender != "male" else -presentation.balance
        if (abs(lean) <= 1) if gender == "androgynous" else (lean >= 4):
            return presentation
    raise AssertionError("a balanced presentation turns up in a few attempts")


def _typical(draw: Stream, way: int) -> Presentation:
    ways = {
        name: way if draw.chance(f"{name} way", percent) else 1 - way
        for name, percent in _TYPICAL.items()
    }
    pairs = {name: options[ways[name]] for name, options in _PAIRS.items()}
    typical_cues = (_LONG, _SHORT)[way]
    grown = ("none", "none", "stubble", "stubble", "moustache", "short", "short", "full")
    studs = ("none", "none", "stud", "drop")
    return Presentation(
        # Hair that goes the other way has a cut between the two, never one of the other side.
        hair=draw.pick("hair", typical_cues if ways["hair"] == way else _BETWEEN),
        beard=draw.pick("beard", grown) if way == 1 else "none",
        neckline=draw.pick(
            "neckline", (("scoop", "scoop", "crew"), ("collar", "collar", "crew"))[ways["neckline"]]
        ),
        earrings=draw.pick("earrings", studs if way == 0 else ("none",) * 12 + ("stud",)),
        **pairs,
    )


def _mixed(draw: Stream) -> Presentation:
    pairs = {name: draw.pick(name, options) for name, options in _PAIRS.items()}
    return Presentation(
        # What is read one way stands beside its opposite, so that androgynous drawings lean neither
        # way in the mean.
        hair=draw.pick("hair", _BETWEEN * 3 + ("bob", "parted")),
        beard=draw.pick("beard", ("none",) * 5 + ("stubble",)),
        neckline=draw.pick("neckline", ("scoop", "crew", "crew", "collar")),
        earrings=draw.pick("earrings", ("none", "none", "none", "stud")),
        **pairs,
    )
