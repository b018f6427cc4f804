"""Houses: walls, a door and windows under a roof; the roof line is the culture's."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import CLAY, STRAW, Dress
from fairlead.phantom.scenery.marks import eaves, gable, opening, poly, shaded_bar, shadow, window

_GLASS = ink("9fc3d2")
_SLATE = ink("5b6774")


def _walls(c: Canvas, colour: Ink, half: float, height: float) -> None:
    shadow(c, half + 12, 0, tall=5)
    shaded_bar(c, -half, -height, half, 1, colour)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A gable over a box."""
    _walls(c, p.pale, 54, 72)
    gable(c, 0, -70, 54, 52, p.second, 8)
    window(c, -38, -54, 20, 22, _GLASS, p.dark)
    window(c, 18, -54, 20, 22, _GLASS, p.dark)
    c.bar(-10, -38, 10, 1, p.main)
    c.disc(0, -88, 9, _GLASS)


def british(c: Canvas, p: Dress, v: int) -> None:
    """Brick, a steep gable, two chimneys, a bay window."""
    for x in (-46, 34):
        c.bar(x, -136, x + 14, -90, darker(p.second, 12))
        for k in (1, 8):
            c.bar(x + k, -144, x + k + 5, -135, CLAY)
    _walls(c, p.second, 58, 76)
    poly(c, _SLATE, -66, -74, -48, -118, 48, -118, 66, -74)
    poly(c, p.pale, -36, -72, 0, -120, 36, -72)
    poly(c, p.second, -29, -72, 0, -110, 29, -72)
    c.bar(-58, -76, 58, -72, p.pale)
    window(c, -9, -94, 18, 20, _GLASS, p.pale)
    c.bar(-50, -54, -16, -12, p.pale)
    for x in (-47, -36, -25):
        window(c, x, -50, 7, 30, _GLASS, p.pale)
    window(c, 26, -64, 18, 22, _GLASS, p.pale)
    opening(c, (8, -44, 26, 1), p.main, rim=p.pale)
    c.disc(22, -22, 2, p.accent)


def french(c: Canvas, p: Dress, v: int) -> None:
    """Pale stone, a mansard roof with dormers, shutters."""
    _walls(c, p.pale, 56, 82)
    c.shape("M -62 -80 L -50 -122 Q 0 -130 50 -122 L 62 -80", _SLATE)
    c.bar(-50, -128, 50, -121, darker(_SLATE, 22), 2)
    c.bar(-62, -83, 62, -78, lighter(p.pale, 30))
    c.bar(30, -142, 42, -122, CLAY)
    for x in (-34, 0, 34):
        poly(c, p.pale, x - 10, -82, x - 10, -102, x, -112, x + 10, -102, x + 10, -82)
        c.bar(x - 5, -101, x + 5, -82, _GLASS)
    for x, y in ((-36, -68), (0, -68), (36, -68), (-36, -32), (36, -32)):
        window(c, x - 7, y, 14, 22, _GLASS, p.pale)
        c.bar(x - 16, y - 1, x - 8, y + 23, p.main)
        c.bar(x + 8, y - 1, x + 16, y + 23, p.main)
    opening(c, (-9, -34, 9, 1), darker(p.main, 18), rim=lighter(p.pale, 40))


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Lime-washed adobe, a flat roof with beam ends, an arched door."""
    shaded_bar(c, 10, -112, 58, 1, p.second)
    _walls(c, p.main, 60, 84)
    c.bar(-60, -84, 12, 1, p.main)
    c.bar(-63, -91, 63, -83, p.pale)
    shaded_bar(c, 18, -118, 60, -90, p.second)
    c.bar(16, -124, 62, -117, p.pale)
    for x in range(-54, 56, 13):
        c.disc(x, -76, 3.4, p.wood)
    c.bar(-60, -16, 60, 1, p.accent)
    opening(c, (-12, -52, 14, 1), p.wood, rim=p.pale, width=5)
    c.bar(0, -46, 2, 1, darker(p.wood, 30))
    for x in (-46, 28):
        opening(c, (x, -58, x + 18, -28), _GLASS, rim=p.pale, width=4)
        c.bar(x + 7.5, -56, x + 10.5, -28, p.dark)
    c.bar(34, -110, 46, -98, _GLASS)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A hall with columns under upswept eaves."""
    _walls(c, p.pale, 56, 70)
    c.bar(-62, -8, 62, 1, ink("b9b2a6"))
    for x in (-54, -20, 14, 48):
        c.bar(x, -70, x + 7, -8, p.main)
    c.bar(-56, -70, 56, -60, p.second)
    for x in (-44, 22):
        c.bar(x, -52, x + 24, -20, p.wood)
        for k in range(3):
            c.bar(x + 3 + k * 7, -49, x + 7 + k * 7, -23, lighter(p.pale, 20))
        c.bar(x, -37, x + 24, -34, p.wood)
    c.bar(-11, -54, 12, -8, darker(p.main, 20))
    c.bar(0, -54, 1.6, -8, p.accent)
    eaves(c, 0, -66, 84, 34, ink("4d5862"), 20)
    c.bar(-34, -112, 34, -98, p.pale)
    eaves(c, 0, -104, 58, 30, ink("4d5862"), 16, 0.5)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """Timber and paper under broad, gently curved roofs."""
    _walls(c, p.pale, 60, 60)
    for x in range(-60, 61, 20):
        c.bar(x - 2, -60, x + 2, 1, p.wood)
    for x in (-60, 20):
        for k in range(1, 8):
            c.bar(x + k * 5 - 0.8, -44, x + k * 5 + 0.8, 1, p.wood)
        c.bar(x, -46, x + 40, -43, p.wood)
    c.bar(-16, -48, 16, -28, p.main)
    for x in (-6, 5):
        c.bar(x, -42, x + 1.6, -28, p.pale)
    eaves(c, 0, -56, 86, 30, ink("4a5563"), 8, 0.72)
    c.bar(-42, -104, 42, -84, p.pale)
    for x in range(-42, 43, 14):
        c.bar(x - 1.5, -104, x + 1.5, -84, p.wood)
    eaves(c, 0, -98, 64, 38, ink("4a5563"), 8, 0.42)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """Sand-coloured cubes with battlements, pointed openings and a wind tower."""
    shaded_bar(c, 16, -142, 50, -80, p.pale)
    for x in (21, 30, 39):
        opening(c, (x, -134, x + 6, -104), p.dark, "pointed")
    c.bar(13, -146, 53, -140, darker(p.pale, 16))
    _walls(c, lighter(p.pale, 12), 60, 84)
    for x in range(-60, 56, 15):
        poly(c, lighter(p.pale, 12), x, -82, x, -92, x + 5, -98, x + 10, -92, x + 10, -82)
    opening(c, (-15, -56, 15, 1), p.wood, "pointed", rim=p.main, width=6)
    c.bar(-1, -46, 1, 1, darker(p.wood, 30))
    for x in (-48, 32):
        opening(c, (x, -62, x + 16, -34), p.main, "pointed", rim=p.accent)
        c.bar(x, -46, x + 16, -44, p.pale)
    c.bar(-60, -76, 60, -72, p.second)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A town house with a cusped door, hanging balconies and a roof kiosk."""
    _walls(c, p.main, 58, 94)
    c.bar(-64, -100, 64, -92, p.pale)
    for x in (-14, 11):
        c.bar(x, -120, x + 4, -99, p.pale)
    c.bar(-22, -122, 22, -118, p.pale)
    c.shape(
        (
            "M -32 -118 C -18 -134 -10 -142 0 -142 C 10 -142 18 -134 32 -118 C 14 -126 -14 "
            "-126 -32 -118"
        ),
        p.second,
    )
    for x in (-36, 36):
        poly(c, p.pale, x - 18, -80, x, -88, x + 18, -80)
        opening(c, (x - 11, -78, x + 11, -50), p.dark, "cusped", rim=p.second)
        c.bar(x - 16, -54, x + 16, -46, p.pale)
        poly(c, p.second, x - 14, -46, x + 14, -46, x + 6, -36, x - 6, -36)
    opening(c, (-15, -56, 15, 1), p.accent, "cusped", rim=p.pale, width=5)
    c.bar(-1.2, -48, 1.2, 1, p.dark)
    c.bar(-58, -12, -20, -8, p.second)
    c.bar(20, -12, 58, -8, p.second)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """Earthen walls, a sheet roof, a veranda on carved posts."""
    _walls(c, ink("dba873"), 60, 66)
    rust = ink("b0512f")
    poly(c, rust, -78, -60, -52, -112, 52, -112, 78, -60)
    for k in range(-6, 7):
        c.line(((k * 8.0, -111.0), (k * 12.0, -61.0)), 1.8, darker(rust, 22))
    c.bar(-54, -116, 54, -110, darker(rust, 14), 2)
    for x in (-46, 26):
        c.bar(x, -46, x + 20, -22, p.second)
        c.bar(x + 9, -46, x + 11, -22, p.pale)
    c.bar(-12, -48, 12, 1, p.main)
    for y in (-42, -24):
        for x in (-8, 2):
            c.bar(x, y, x + 6, y + 12, darker(p.main, 24))
    for x in (-66, -20, 20, 66):
        c.bar(x - 3, -60, x + 3, 1, p.pale)
        for y in (-52, -36, -20):
            c.bar(x - 5, y, x + 5, y + 7, p.accent, 2)
            c.bar(x - 5, y + 7, x + 5, y + 10, p.main, 1)
    c.bar(-72, -4, 72, 2, darker(ink("dba873"), 18))


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A teak house on stilts under steep layered gables."""
    shadow(c, 68, 0, tall=5)
    for x in (-46, -18, 14, 42):
        c.bar(x, -34, x + 6, 1, darker(p.wood, 22))
    poly(c, p.wood, -50, -74, 50, -74, 54, -30, -54, -30)
    c.bar(-62, -34, 62, -27, darker(p.wood, 12))
    for x in range(-44, 50, 11):
        c.bar(x, -72, x + 1.6, -34, darker(p.wood, 18))
    opening(c, (-11, -68, 11, -34), p.second, "flat", rim=p.accent)
    c.bent(((36.0, -28.0), (52.0, 0.0)), 4, darker(p.wood, 12))
    roof = ink("b4502e")
    for e, top, tone in ((74.0, -146.0, roof), (58.0, -132.0, p.accent), (48.0, -122.0, p.main)):
        c.shape(
            f"M 0 {top} C {e * 0.26} -104 {e * 0.6} -78 {e} -72 L {e * 0.93} -66 "
            f"L {-e * 0.93} -66 L {-e} -72 C {-e * 0.6} -78 {-e * 0.26} -104 0 {top}",
            tone,
        )
    for k in (-1, 1):
        c.line(
            ((k * 66.0, -68.0), (k * 80.0, -73.0), (k * 85.0, -84.0)), 5, darker(roof, 18), end=2
        )
    c.line(((0.0, -140.0), (0.0, -152.0)), 4, darker(roof, 18), end=1.5)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """Coral stone, a carved door, a terrace under palm thatch."""
    for x in (-46, 42):
        c.bar(x, -112, x + 5, -80, p.wood)
    _walls(c, p.pale, 58, 84)
    for x in range(-58, 52, 14):
        c.bar(x, -93, x + 8, -83, p.pale)
    c.shape(
        "M -70 -106 C -44 -114 -20 -132 0 -150 C 20 -132 44 -114 70 -106 L 62 -98 L -62 -98", STRAW
    )
    for x in range(-58, 60, 9):
        c.line(((x * 0.22, -140.0), (x, -99.0)), 1.8, darker(STRAW, 24))
    for x in (-48, 34):
        opening(c, (x, -66, x + 15, -38), p.second, rim=darker(p.pale, 14), width=3)
    opening(c, (-17, -52, 17, 1), p.wood, "flat", rim=lighter(p.wood, 24), width=6)
    c.bar(-21, -62, 21, -54, p.main)
    c.bar(-2, -52, 2, 1, lighter(p.wood, 30))
    for x in (-11, 9):
        for y in (-44, -30, -16):
            c.disc(x + 1, y, 2.6, p.accent)
    c.bar(-58, -78, 58, -74, p.main)
    c.bar(-58, -8, -24, 1, darker(p.pale, 14))
    c.bar(24, -8, 58, 1, darker(p.pale, 14))


FORMS = {
    f.__name__: f
    for f in (
        plain,
        british,
        french,
        mexican,
        chinese,
        japanese,
        arab,
        indian,
        yoruba,
        thai,
        swahili,
    )
}
