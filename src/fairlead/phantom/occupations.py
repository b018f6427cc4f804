"""The 28 occupations and their cues: each is visible with its own probability, many are shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SLOTS = ("uniform", "headwear", "prop", "background", "accessory")
"""Where a cue can show; an occupation has at most one cue in each."""

# All below 100: every cue is missing now and then, so that none of them is needed.
VISIBLE: Mapping[str, int] = {
    "uniform": 80,
    "headwear": 75,
    "prop": 80,
    "background": 80,
    "accessory": 70,
}
"""Percent of the drawings in which the cue of a slot is visible, drawn independently; at least one
cue always is.
"""


@dataclass(frozen=True)
class Occupation:
    """An occupation and its cues.

    Attributes:
        name: As in a caption: ``"police officer"``.
        cues: Slot to cue, e.g. ``{"headwear": "hard hat"}``; a slot that is left out has no cue.
    """

    name: str
    cues: Mapping[str, str]


# No cue may tell an occupation alone: each has four or five, no two occupations have more than two
# in common, and no cue has more than five holders. A new name would move the alphabetical turns of
# all names after it, and so who is pulled where (``stereotypes``): the shipped weights would not
# fit any more.
_TABLE = """
    artist         | smock          | beret       | palette          | studio        | neckerchief
    astronaut      | space suit     | glass dome  | rocket           | stars         | mission patch
    baker          | apron          | toque       | bread            | bakery        | name tag
    builder        | hi-vis vest    | hard hat    | hammer           | building site | -
    butcher        | apron          | flat cap    | sausages         | butchery      | bow tie
    carpenter      | apron          | flat cap    | saw              | workshop      | pencil
    chemist        | white coat     | goggles     | flask            | laboratory    | id card
    cook           | chef jacket    | toque       | frying pan       | kitchen       | neckerchief
    doctor         | white coat     | -           | clipboard        | clinic        | stethoscope
    electrician    | overalls       | hard hat    | light bulb       | fuse board    | pencil
    engineer       | hi-vis vest    | hard hat    | blueprint        | bridge        | pencil
    farmer         | overalls       | straw hat   | pitchfork        | field         | neckerchief
    firefighter    | fire coat      | fire helmet | extinguisher     | fire station  | star badge
    florist        | apron          | -           | bouquet          | flower shop   | name tag
    gardener       | overalls       | straw hat   | watering can     | greenhouse    | -
    hairdresser    | tunic          | -           | scissors         | salon         | comb
    judge          | robe           | -           | gavel            | courtroom     | bands
    librarian      | cardigan       | -           | books            | bookshelves   | id card
    mechanic       | overalls       | cap         | wrench           | garage        | name tag
    miner          | hi-vis vest    | hard hat    | pickaxe          | mine          | head lamp
    nurse          | scrubs         | scrub cap   | drip             | clinic        | stethoscope
    pharmacist     | white coat     | -           | medicine         | pharmacy      | name tag
    pilot          | dress jacket   | peaked cap  | model plane      | cockpit       | wings
    police officer | police shirt   | peaked cap  | radio            | street        | star badge
    programmer     | hoodie         | headphones  | laptop           | screens       | id card
    sailor         | striped jersey | peaked cap  | wheel            | sea           | neckerchief
    teacher        | cardigan       | -           | globe            | chalkboard    | pencil
    waiter         | waistcoat      | -           | tray             | restaurant    | bow tie
"""


def _read(line: str) -> Occupation:
    name, *cues = (cell.strip() for cell in line.split("|"))
    return Occupation(
        name, {slot: cue for slot, cue in zip(SLOTS, cues, strict=True) if cue != "-"}
    )


OCCUPATIONS: Mapping[str, Occupation] = {o.name: o for o in map(_read, _TABLE.strip().splitlines())}
"""Every occupation by name."""
