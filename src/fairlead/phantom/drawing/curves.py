"""Outlines as points, by +, -, *, / and square roots only.

These give the same digits on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from fairlead.types.ragged import Array

Point = tuple[float, float]
Points = tuple[Point, ...]

STEPS = 8
"""Straight pieces per curve."""

# How far along its tangents a quarter circle has its control points.
_KAPPA = 0.5522847498
# Sines are written out here and below: those of the math module may differ between machines.
_ARC = ((1.0, 0.0), (0.9239, 0.3827), (0.7071, 0.7071), (0.3827, 0.9239), (0.0, 1.0))
# Length and height of the arcs along the edge of hair, in units.
_BUMPS = {"wavy": (15.0, 1.7), "curly": (10.0, 3.0), "coily": (6.0, 1.7)}


@dataclass(frozen=True, eq=False)
class Outline:
    """A closed outline: an even number of corners. Compared by identity, because outlines are made
    once and kept.
    """

    points: Points

    @cached_property
    def xs(self) -> Array:
        """(corners,) horizontal places."""
        return np.array([x for x, _ in self.points])

    @cached_property
    def ys(self) -> Array:
        """(corners,) vertical places."""
        return np.array([y for _, y in self.points])


def outline(points: Iterable[Point]) -> Outline:
    """An outline of these corners; one is added on the closing edge where their number is odd."""
    corners = tuple(points)
    # Placed corners take even and odd rows by turns: an odd number would put two alike together.
    if len(corners) % 2:
        (ax, ay), (bx, by) = corners[-1], corners[0]
        corners += (((ax + bx) / 2, (ay + by) / 2),)
    return Outline(corners)


@lru_cache(maxsize=1 << 14)
def path(text: str) -> Outline:
    """An outline in SVG's words M, L, C and Q with absolute numbers.

    >>> path("M 0 0 L 4 0 L 4 3 L 0 3").points
    ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0))
    """
    return outline(_read(text))


@lru_cache(maxsize=1 << 14)
def half(text: str) -> Outline:
    """A symmetric outline from its right half, read from top to bottom; the axis is x = 0."""
    # A corner on the axis is its own mirror image and must not come twice.
    right = _read(text)
    return outline(right + [(-x, y) for x, y in reversed(right) if x])


@lru_cache(maxsize=1 << 14)
def smooth(points: Points) -> Outline:
    """A closed curve through the points (Catmull-Rom)."""
    n = len(points)
    out: list[Point] = []
    for i in range(n):
        out.append(points[i])
        out += _through(points[i - 1], points[i], points[(i + 1) % n], points[(i + 2) % n], 6)
    return outline(out)


@lru_cache(maxsize=1 << 12)
def cornered(points: Points) -> Outline:
    """The outline with these corners."""
    return outline(points)


@lru_cache(maxsize=16)
def oval(steps: int = 8) -> Points:
    """Points of the unit circle, so many in each quarter."""
    corners = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
    out: list[Point] = []
    for i, (u, v) in enumerate(corners):
        eu, ev = corners[(i + 1) % 4]
        out += _cubic(
            (u, v),
            (u + eu * _KAPPA, v + ev * _KAPPA),
            (eu + u * _KAPPA, ev + v * _KAPPA),
            (eu, ev),
            steps,
        )
    return tuple(out)


@lru_cache(maxsize=1 << 14)
def ellipse(x: float, y: float, rx: float, ry: float, steps: int = 6) -> Outline:
    """An ellipse about (x, y)."""
    return outline((x + u * rx, y + v * ry) for u, v in oval(steps))


@lru_cache(maxsize=1 << 14)
def rounded(x0: float, y0: float, x1: float, y1: float, radius: float) -> Outline:
    """A rectangle with round corners."""
    r = min(radius, (x1 - x0) / 2, (y1 - y0) / 2)
    out: list[Point] = []
    for x, y, sx, sy in (
        (x1 - r, y0 + r, 1, -1),
        (x1 - r, y1 - r, 1, 1),
        (x0 + r, y1 - r, -1, 1),
        (x0 + r, y0 + r, -1, -1),
    ):
        arc = [(x + sx * r * a, y + sy * r * b) for a, b in _ARC]
        out += reversed(arc) if sx * sy < 0 else arc
    return outline(out)


@lru_cache(maxsize=1 << 14)
def line(points: Points, width: float, end: float = -1.0) -> Outline:
    """A line drawn with a round pen, straight between two points, smooth through more.

    ``end`` is its width at the last point.
    """
    course = _course(points)
    last, n = (width if end < 0 else end), len(course)
    left: list[Point] = []
    right: list[Point] = []
    caps: list[list[Point]] = []
    for i, (x, y) in enumerate(course):
        (ax, ay), (bx, by) = course[max(i - 1, 0)], course[min(i + 1, n - 1)]
        tx, ty = _unit(bx - ax, by - ay)
        r = (width + (last - width) * i / (n - 1)) / 2
        left.append((x + ty * r, y - tx * r))
        right.append((x - ty * r, y + tx * r))
        if i in (0, n - 1):
            caps.append(_cap((x, y), (tx, ty) if i else (-tx, -ty), r))
    return outline((*left, *caps[1], *reversed(right), *caps[0]))


@lru_cache(maxsize=1 << 12)
def ring(shape: Outline, width: float) -> Outline:
    """A closed line along an outline: the outer edge, then the inner one backwards."""
    points = shape.points
    n = len(points)
    outer: list[Point] = []
    inner: list[Point] = []
    for i in range(n + 1):
        (ax, ay), (x, y), (bx, by) = points[(i - 1) % n], points[i % n], points[(i + 1) % n]
        tx, ty = _unit(bx - ax, by - ay)
        outer.append((x + ty * width / 2, y - tx * width / 2))
        inner.append((x - ty * width / 2, y + tx * width / 2))
    return outline((*outer, *reversed(inner)))


@lru_cache(maxsize=1 << 12)
def textured(shape: Outline, texture: str) -> Outline:
    """An outline with the edge of a hair texture: smooth, or rows of small arcs that bulge
    outwards.
    """
    if texture not in _BUMPS:
        return shape
    pitch, height = _BUMPS[texture]
    marks = _spaced(shape.points, pitch)
    n = len(marks)
    area = sum(marks[i - 1][0] * marks[i][1] - marks[i][0] * marks[i - 1][1] for i in range(n))
    # The sign of the area tells which way round the corners run, and so which side is outside.
    lift = height if area > 0 else -height
    out: list[Point] = []
    for i, (x, y) in enumerate(marks):
        ex, ey = marks[(i + 1) % n]
        nx, ny = _unit(ey - y, x - ex)
        for t in (0.0, 0.17, 0.5, 0.83):
            bulge = lift * 4 * t * (1 - t)
            out.append((x + (ex - x) * t + nx * bulge, y + (ey - y) * t + ny * bulge))
    return outline(out)


def _read(text: str) -> list[Point]:
    out: list[Point] = []
    for word in "MLCQ":
        text = text.replace(word, f"|{word}")
    for piece in text.split("|")[1:]:
        word, *numbers = piece.split()
        at = list(zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True))
        if word in "ML":
            out += at
        elif word == "C":
            for first, second, end in zip(at[::3], at[1::3], at[2::3], strict=True):
                out += _cubic(out[-1], first, second, end)
        else:
            for control, end in zip(at[::2], at[1::2], strict=True):
                out += _cubic(out[-1], _part(out[-1], control), _part(end, control), end)
    return out


def _part(start: Point, control: Point) -> Point:
    """The control point of a cubic curve from a quadratic one's: two thirds of the way to it."""
    return start[0] + (control[0] - start[0]) * 2 / 3, start[1] + (control[1] - start[1]) * 2 / 3


def _course(points: Points) -> Points:
    n = len(points)
    if n < 3:
        return points
    out: list[Point] = []
    for i in range(n - 1):
        out.append(points[i])
        out += _through(
            points[max(i - 1, 0)], points[i], points[i + 1], points[min(i + 2, n - 1)], 4
        )
    return (*out, points[-1])


def _cap(at: Point, way: Point, radius: float) -> list[Point]:
    (x, y), (tx, ty) = at, way
    turn = ((0.866, 0.5), (0.5, 0.866), (0.0, 1.0), (-0.5, 0.866), (-0.866, 0.5))
    return [(x + (ty * a + tx * b) * radius, y + (-tx * a + ty * b) * radius) for a, b in turn]


def _unit(x: float, y: float) -> Point:
    # Where two points fall together, any length but 0 will do.
    length = math.sqrt(x * x + y * y) or 1.0
    return x / length, y / length


def _cubic(p: Point, q: Point, r: Point, s: Point, steps: int = STEPS) -> list[Point]:
    out = []
    for i in range(1, steps + 1):
        t = i / steps
        u = 1 - t
        # Products instead of powers: pow() need not round alike everywhere.
        a, b, c, d = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
        out.append(
            (a * p[0] + b * q[0] + c * r[0] + d * s[0], a * p[1] + b * q[1] + c * r[1] + d * s[1])
        )
    return out


def _through(o: Point, p: Point, q: Point, r: Point, steps: int) -> list[Point]:
    first = (p[0] + (q[0] - o[0]) / 6, p[1] + (q[1] - o[1]) / 6)
    second = (q[0] - (r[0] - p[0]) / 6, q[1] - (r[1] - p[1]) / 6)
    return _cubic(p, first, second, q, steps)[:-1]


def _spaced(points: Points, pitch: float) -> list[Point]:
    """Points at even distances along a closed outline."""
    ends = list(zip(points, (*points[1:], points[0]), strict=True))
    lengths = [
        math.sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1])) for a, b in ends
    ]
    count = max(8, int(sum(lengths) / pitch + 0.5))
    step, need = sum(lengths) / count, 0.0
    out: list[Point] = []
    for (a, b), length in zip(ends, lengths, strict=True):
        # Without the count, rounding might leave room for one point more at the very end.
        while need < length and len(out) < count:
            t = need / length
            out.append((a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t))
            need += step
        need -= length
    return out
