"""Small objects that lie about: the same in every culture."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.marks import crown, poly

# Where the thing stands, too; its half-width of about 75 leaves both corners free.
_FLOOR = 214.0


def oddment(c: Canvas, kind: str, variant: int) -> None:
    """Draw a small object at the left or right of the floor."""
    x = 34.0 if variant % 2 else 222.0
    if kind == "stones":
        for dx, r, tone in ((0, 9, "a8a59e"), (11, 6, "bdb9b0"), (-9, 5, "969189")):
            c.disc(x + dx, _FLOOR - r * 0.55, r, ink(tone), tall=r * 0.7)
    elif kind == "plant":
        crown(c, x, _FLOOR - 26, 10, ink("6fa05c"))
        poly(
            c,
            ink("a8725a"),
            x - 9,
            _FLOOR - 17,
            x + 9,
            _FLOOR - 17,
            x + 6.5,
            _FLOOR + 1,
            x - 6.5,
            _FLOOR + 1,
        )
        c.bar(x - 10.5, _FLOOR - 19, x + 10.5, _FLOOR - 14, ink("b98469"), 1.5)
    elif kind == "cat":
        _cat(c, x, ink("6e6259") if variant % 4 < 2 else ink("c99a63"))
    elif kind == "ball":
        c.disc(x, _FLOOR - 9, 10, ink("d98a6a"))
        c.disc(x - 3, _FLOOR - 12, 4, lighter(ink("d98a6a"), 40))
    elif kind == "fruit":
        for dx, dy, tone in ((-7, 0, "d9a441"), (7, 0, "cf6f4f"), (0, -10, "e0b552")):
            c.disc(x + dx, _FLOOR - 6 + dy, 7, ink(tone))
    elif kind == "jug":
        jug = ink("b08a6c")
        c.shape(
            f"M {x - 5} {_FLOOR - 30} L {x + 5} {_FLOOR - 30} C {x + 5} {_FLOOR - 22} "
            f"{x + 13} {_FLOOR - 18} {x + 8} {_FLOOR} "
            f"L {x - 8} {_FLOOR} C {x - 13} {_FLOOR - 18} {x - 5} {_FLOOR - 22} {x - 5} "
            f"{_FLOOR - 30}",
            jug,
        )
        c.bar(x - 7, _FLOOR - 32, x + 7, _FLOOR - 28, darker(jug, 16), 2)


def _cat(c: Canvas, x: float, fur: tuple[int, int, int]) -> None:
    y = _FLOOR
    c.line(((x + 8, y - 3), (x + 17, y - 6), (x + 15, y - 16)), 4, fur)
    c.shape(
        (
            f"M {x - 9} {y} C {x - 11} {y - 14} {x - 5} {y - 22} {x} {y - 22} C {x + 6} "
            f"{y - 22} {x + 12} {y - 10} {x + 10} {y}"
        ),
        fur,
    )
    c.disc(x - 2, y - 26, 8, fur, tall=7)
    poly(c, fur, x - 9, y - 28, x - 8, y - 37, x - 3, y - 31)
    poly(c, fur, x + 5, y - 28, x + 4, y - 37, x - 1, y - 31)
