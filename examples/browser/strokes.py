#!/usr/bin/env python3
"""Generate strokes that look hand-drawn, as training data for shapes.

    strokes.py --strokes 1500 --seed 1 > strokes.csv

Each stroke is a shape drawn without lifting the pen, as rows `id, dx, dy, up, shape` of a table: dx
and dy are the direction of one step of the pen. All steps have the same length, so that neither the
speed of the hand nor the rate of the mouse matters. The last row has up = 1: the pen is lifted.
page.js turns drawings into the same steps; see `follow`.

Points are complex numbers: the real part points right, the imaginary part down. Shapes are centred
at 0 and about 1 in size; the sheet is 1 wide and 1 high.
"""
from __future__ import annotations

import argparse
import cmath
import math
import random
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

STEP = 1 / 48  # Length of a step of the pen, in widths of the sheet; as in page.js.
DENSE = 160  # Number of points of a shape before it becomes a stroke.

Points = list[complex]
Draw = random.Random


def along(corners: Points) -> Points:
    """Return points at equal distances on the path through `corners`."""
    lengths = [abs(b - a) for a, b in zip(corners, corners[1:])]
    gap = sum(lengths) / (DENSE - 1)
    points, edge, left = [], 0, 0.0
    for _ in range(DENSE):
        while edge < len(lengths) - 1 and left > lengths[edge]:
            left -= lengths[edge]
            edge += 1
        share = min(left / lengths[edge], 1) if lengths[edge] else 0
        points.append(corners[edge] + share * (corners[edge + 1] - corners[edge]))
        left += gap
    return points


def curve(function: Callable[[float], complex], turns: float = 1) -> Points:
    """Return the path of a function of an angle that makes this many turns."""
    return along([function(2 * math.pi * turns * i / DENSE) for i in range(DENSE + 1)])


def closed(ring: Points, draw: Draw, start: int | None = None) -> Points:
    """Go round once from `start` or a random point, and stop a little before or after it."""
    if start is None:
        start = draw.randrange(DENSE)
    way = 1 + max(-0.10, min(0.12, draw.gauss(0, 0.035)))
    return [ring[(start + i) % (DENSE - 1)] for i in range(round((DENSE - 1) * way))]


def shaken(corners: Points, size: float, draw: Draw) -> Points:
    """Return the corners, each moved a little."""
    return [c + size * complex(draw.gauss(0, 1), draw.gauss(0, 1)) for c in corners]


def turned(points: Points, degrees: float) -> Points:
    return [p * cmath.rect(1, math.radians(degrees)) for p in points]


def any_way(draw: Draw) -> float:
    """Return any angle, more often one along the sheet's sides."""
    if draw.random() < 0.5:
        return draw.uniform(-180, 180)
    return draw.choice((0, 90, 180, 270)) + draw.gauss(0, 8)


def some_way(draw: Draw) -> float:
    """Return mostly the direction of writing; sometimes down or left."""
    return draw.choice((0, 0, 0, 90, 180)) + draw.gauss(0, 10)


def polygon(corners: Points, shake: float, draw: Draw) -> Points:
    """Draw a closed polygon from one of its corners, sometimes from a side."""
    corners = shaken(corners, shake, draw)
    first = draw.randrange(len(corners))
    ring = corners[first:] + corners[: first + 1]
    return closed(along(ring), draw, draw.randrange(DENSE) if draw.random() < 0.15 else 0)


def line(draw: Draw) -> Points:
    bend = draw.gauss(0, 0.03)
    places = [i / DENSE - 0.5 for i in range(DENSE + 1)]
    return turned([x + bend * 1j * (1 - 4 * x * x) for x in places], any_way(draw))


def circle(draw: Draw) -> Points:
    flat = draw.uniform(0.72, 1)
    ellipse = curve(lambda a: complex(math.cos(a), flat * math.sin(a)) / 2)
    return closed(turned(ellipse, draw.uniform(0, 180)), draw)


def triangle(draw: Draw) -> Points:
    corners = [complex(0, -0.55), complex(0.5, 0.35), complex(-0.5, 0.35)]
    if draw.random() < 0.2:  # Right-angled.
        corners = [complex(-0.45, -0.5), complex(0.5, 0.4), complex(-0.45, 0.4)]
    return turned(
        polygon(corners, 0.06, draw), draw.choice((0, 0, 90, 180, 270)) + draw.gauss(0, 10)
    )


def square(draw: Draw) -> Points:
    high = draw.uniform(0.6, 1) / 2
    corners = [complex(-0.5, -high), complex(0.5, -high), complex(0.5, high), complex(-0.5, high)]
    return turned(
        polygon(corners, 0.04, draw), draw.choice((0, 0, 0, 90, 90, 45)) + draw.gauss(0, 6)
    )


def star(draw: Draw) -> Points:
    """Draw a pentagram."""
    corners = [cmath.rect(0.55, math.radians(-90 + 144 * i)) for i in range(5)]
    return turned(polygon(corners, 0.045, draw), draw.gauss(0, 12))


def heart(draw: Draw) -> Points:
    """Draw a heart from the dent or the tip, sometimes from elsewhere."""
    deep, plump = draw.uniform(0.7, 1.4), draw.uniform(0.85, 1.1)

    def outline(a: float) -> complex:
        high = 13 * math.cos(a) - 5 * deep * math.cos(2 * a) - 2 * math.cos(3 * a) - math.cos(4 * a)
        return complex(plump * 16 * math.sin(a) ** 3, -high) / 32

    start = round(draw.choice((0, DENSE / 2)) + draw.gauss(0, 2))
    if draw.random() < 0.15:
        start = draw.randrange(DENSE)
    return turned(closed(curve(outline), draw, start), draw.gauss(0, 8))


def infinity(draw: Draw) -> Points:
    """Draw a figure eight, lying or upright."""
    high, uneven = draw.uniform(0.4, 0.75), draw.gauss(0, 0.12)
    path = curve(
        lambda a: complex(math.cos(a), high * math.sin(2 * a)) / 2 * (1 + uneven * math.cos(a))
    )
    return turned(closed(path, draw), draw.choice((0, 90)) + draw.gauss(0, 10))


def spiral(draw: Draw) -> Points:
    """Draw a spiral outwards or inwards, in either direction."""
    turns, inner, power = draw.uniform(1.6, 4), draw.uniform(0, 0.12), draw.uniform(0.8, 1.2)
    full = 2 * math.pi * turns
    path = curve(lambda a: cmath.rect(inner + (0.5 - inner) * (a / full) ** power, a), turns)
    if draw.random() < 0.5:
        path = [p.conjugate() for p in path]
    return turned(path, draw.uniform(0, 360))


def wave(draw: Draw) -> Points:
    humps, high, start = draw.uniform(1.5, 4), draw.uniform(0.2, 0.45), draw.uniform(0, 7)
    full = 2 * math.pi * humps
    path = curve(lambda a: complex(a / full - 0.5, high * math.sin(a + start) / humps), humps)
    return turned(path, some_way(draw))


def zigzag(draw: Draw) -> Points:
    edges, high = draw.choice((3, 4, 4, 5, 5, 6, 7, 8)), draw.uniform(0.15, 0.45)
    side = draw.choice((-high, high))
    corners = [complex(i / edges - 0.5, side * (-1) ** i) for i in range(edges + 1)]
    return turned(along(shaken(corners, 0.12 / edges, draw)), some_way(draw))


def check(draw: Draw) -> Points:
    """Draw a check mark: a short stroke down, a long one up."""
    corners = [complex(-0.4, 0.05), complex(-0.12, 0.4), complex(0.5, -0.5)]
    if draw.random() < 0.3:
        corners[2] += complex(draw.uniform(-0.1, 0.2), draw.uniform(-0.2, 0.2))
    return turned(along(shaken(corners, 0.06, draw)), draw.gauss(0, 6))


def arrow(draw: Draw) -> Points:
    """Draw the shaft, a barb, back to the tip, the other barb; or barb to barb to tip."""
    size, opening = draw.uniform(0.2, 0.42), math.radians(draw.uniform(28, 52))
    tip, side = complex(0.5, 0), draw.choice((-1, 1))
    one, other = tip - cmath.rect(size, side * opening), tip - cmath.rect(size, -side * opening)
    head = [tip, one, tip, other] if draw.random() < 0.8 else [tip, one, other, tip]
    return turned(along(shaken([-tip] + head, 0.025, draw)), any_way(draw))


SHAPES = {
    shape.__name__: shape
    for shape in (
        line,
        circle,
        triangle,
        square,
        star,
        heart,
        infinity,
        spiral,
        wave,
        zigzag,
        check,
        arrow,
    )
}
ONE_WAY = ("check", "arrow")  # The others are drawn from either end.


def rounded(points: Points, width: int) -> Points:
    """Replace each point by the mean of its neighbours, as a quick hand cuts corners."""
    smooth = []
    for i in range(len(points)):
        reach = min(width, i, len(points) - 1 - i)
        smooth.append(sum(points[i - reach : i + reach + 1]) / (2 * reach + 1))
    return smooth


def by_hand(points: Points, draw: Draw) -> Points:
    """Squeeze, slant and bend the shape, round its corners, and add hooks at both ends."""
    wide, slant = math.exp(draw.gauss(0, 0.12)), draw.gauss(0, 0.08)
    points = [complex(p.real * wide + p.imag * slant, p.imag / wide) for p in points]
    for waves in (1, 1, 2, 2, 3, 3):
        size = cmath.rect(draw.gauss(0, 0.022) / waves**0.5, draw.uniform(0, 7))
        start, speed = draw.uniform(0, 7), waves * draw.uniform(4, 8) / DENSE
        points = [p + size * math.sin(start + speed * i) for i, p in enumerate(points)]
    points = rounded(points, draw.choice((0, 0, 1, 2, 3, 4)))
    if draw.random() < 0.2:
        points.insert(0, points[0] + cmath.rect(draw.uniform(0, 0.05), draw.uniform(0, 7)))
    if draw.random() < 0.15:
        points.append(points[-1] + cmath.rect(draw.uniform(0, 0.06), draw.uniform(0, 7)))
    return points


def straightness(points: Points, i: int) -> float:
    """Return 1 on a straight part of the path, less at a corner."""
    part = points[max(i - 3, 0) : i + 4]
    length = sum(abs(b - a) for a, b in zip(part, part[1:]))
    return abs(part[-1] - part[0]) / length if length else 1


def as_seen(points: Points, draw: Draw) -> Points:
    """Sample the path as a mouse or finger reports it: at a random size, in pixels, with tremor."""
    pixels = draw.uniform(280, 700)
    size = math.exp(draw.uniform(math.log(0.2), math.log(0.95)))
    tremor = draw.uniform(0, 1.3)
    hurry = draw.uniform(0.6, 3.2)  # Points of the shape from one report to the next.
    seen, at, shake = [], 0.0, 0j
    while at < len(points) - 1:
        i = int(at)
        shake = 0.7 * shake + tremor * complex(draw.gauss(0, 1), draw.gauss(0, 1))
        place = (points[i] + (at - i) * (points[i + 1] - points[i])) * size * pixels + shake
        seen.append(complex(round(place.real), round(place.imag)) / pixels)
        # Slow at the start and at corners.
        at += hurry * (0.25 + 0.75 * straightness(points, i) ** 4) * min(1, 0.3 + at / 15)
    return seen


def follow(points: Points) -> Iterator[complex]:
    """Yield the directions of the steps of a point that is pulled along on a string of one step."""
    at = points[0]
    for point in points[1:]:
        while abs(point - at) >= STEP:
            direction = (point - at) / abs(point - at)
            at += STEP * direction
            yield direction


def stroke(shape: str, draw: Draw) -> Points:
    """Return the steps of a stroke that is not too short."""
    while True:
        points = SHAPES[shape](draw)
        if shape not in ONE_WAY and draw.random() < 0.5:
            points = points[::-1]
        steps = list(follow(as_seen(by_hand(points, draw), draw)))
        if len(steps) >= 5:
            return steps


def write(shapes: list[str], strokes: int, seed: int, out: TextIO) -> None:
    """Write a table with this many strokes of each shape; the same seed gives the same table."""
    draw = random.Random(seed)
    out.write("id,dx,dy,up,shape\n")
    for number in range(strokes * len(shapes)):
        shape = shapes[number % len(shapes)]
        for step in stroke(shape, draw):
            out.write(f"{number},{step.real:.4f},{step.imag:.4f},0,{shape}\n")
        out.write(f"{number},0,0,1,{shape}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strokes", type=int, default=1500, help="strokes per shape (1500)")
    parser.add_argument("--shapes", default=",".join(SHAPES), help="comma-separated list (all)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    options = parser.parse_args()
    shapes = options.shapes.split(",")
    for shape in shapes:
        if shape not in SHAPES:
            parser.error(f"found shape {shape!r}, expected some of {', '.join(SHAPES)}")
    write(shapes, options.strokes, options.seed, sys.stdout)


if __name__ == "__main__":
    main()
