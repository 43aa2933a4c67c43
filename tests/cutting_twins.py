"""CentroidHalving's cut in plain Python: the operations that every CPU carries out.

Python's floats round each operation once, and its loops add in the order in which they run.
"""

import math
from dataclasses import dataclass, field
from itertools import starmap

from novikoff import _core

Row = list[float]


def added(terms: Row) -> float:
    """((t₀ + t₁) + t₂) + …"""
    total = terms[0] if terms else 0.0
    for term in terms[1:]:
        total += term
    return total


def dot(a: Row, b: Row) -> float:
    return added([u * v for u, v in zip(a, b, strict=True)])


@dataclass
class Draws:
    """Numbers by (seed, series, place)."""

    seed: int
    series: int
    place: int = 0

    def uniform(self) -> float:
        self.place += 1
        return _core.draw_unit(self.seed, self.series, self.place - 1)

    def normal(self) -> float:
        self.place += 1
        return _core.draw_normal(self.seed, self.series, self.place - 1)

    def direction(self, size: int, shape: list[Row] | None = None) -> Row:
        g = [self.normal() for _ in range(size)]
        if shape is not None:
            g = [dot(g, row) for row in shape]
        length = math.sqrt(dot(g, g))
        return [v / length if length > 0 else 0.0 for v in g]


@dataclass
class Cone:
    """What is left after some cuts."""

    seed: int
    points: list[Row]
    normals: list[Row] = field(default_factory=list)
    centre: Row = field(default_factory=list)

    def cut(self, a: Row) -> None:
        length = math.sqrt(dot(a, a))
        normal = [v / length for v in a]
        draws, points = Draws(self.seed, len(self.normals) + 1), self.points
        if not self.normals:
            points = [[-v for v in p] if dot(p, normal) < 0 else p for p in points]
        self.normals.append(normal)
        floors = [0.0] * len(self.normals)
        while True:
            sides = [dot(p, normal) for p in points]
            enough = sum(side >= 0 for side in sides) >= 0.1 * len(sides)
            floors[-1] = 0.0 if enough else sorted(sides)[3 * len(sides) // 4]
            shape = spread(points)
            inside = [p for p, side in zip(points, sides, strict=True) if side >= floors[-1]]
            points = [
                p if side >= floors[-1] else inside[int(draws.uniform() * len(inside))]
                for p, side in zip(points, sides, strict=True)
            ]
            walls = list(zip(self.normals, floors, strict=True))
            points, mean = walked(points, walls, shape, draws)
            if enough:
                self.points, self.centre = points, mean
                return


def ball(seed: int, count: int, size: int) -> Cone:
    draws = Draws(seed, 0)
    return Cone(seed, [draws.direction(size + 2)[:size] for _ in range(count)])


def walked(
    points: list[Row], walls: list[tuple[Row, float]], shape: list[Row], draws: Draws
) -> tuple[list[Row], Row]:
    count, size = len(points), len(points[0])
    steps = 10 + 2 * size
    mean, rooms = [0.0] * size, [[0.0]]
    for step in range(steps):
        if step % 16 == 0:
            rooms = [[max(dot(p, n) - floor, 0.0) for n, floor in walls] for p in points]
        ways = [draws.direction(size, shape) for _ in points]
        rates = [[dot(way, n) for n, _ in walls] for way in ways]
        ends = list(starmap(chord, zip(points, ways, rooms, rates, strict=True)))
        along = [low + draws.uniform() * (high - low) + 0.0 for low, high in ends]
        points = [
            [v + s * u for v, u in zip(p, way, strict=True)]
            for p, way, s in zip(points, ways, along, strict=True)
        ]
        rooms = [
            [max(r + s * rate, 0.0) for r, rate in zip(room, some, strict=True)]
            for room, some, s in zip(rooms, rates, along, strict=True)
        ]
        if step >= steps // 2:
            for j in range(size):
                mean[j] += added([p[j] for p in points]) / count / (steps - steps // 2)
    return points, mean


def chord(p: Row, way: Row, room: Row, rates: Row) -> tuple[float, float]:
    middle = -dot(p, way)
    half = math.sqrt(middle * middle + max(1 - dot(p, p), 0.0))
    stops = list(zip(room, rates, strict=True))
    low = max([middle - half, *(-r / rate for r, rate in stops if rate > 0)])
    high = min([middle + half, *(-r / rate for r, rate in stops if rate < 0)])
    return min(low, 0.0), max(high, 0.0)


def spread(points: list[Row]) -> list[Row]:
    count, size = len(points), len(points[0])
    columns = [[p[j] for p in points] for j in range(size)]
    apart = [[v - added(column) / count for v in column] for column in columns]
    S = [[dot(a, b) / count for b in apart] for a in apart]
    least = 2.0**-40 * max(added([S[j][j] for j in range(size)]), 2.0**-900)
    L = [[0.0] * size for _ in range(size)]
    for j in range(size):
        pivot = math.sqrt(max(S[j][j] - dot(L[j][:j], L[j][:j]), 0.0) + least)
        for i in range(j, size):
            L[i][j] = (S[i][j] - dot(L[i][:j], L[j][:j])) / pivot
    return L
