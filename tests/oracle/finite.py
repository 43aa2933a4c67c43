"""Learners of finite classes, and disjunctions by elimination."""

from fractions import Fraction
from typing import Any

from oracle.claim import Claim, Outcome, fields, progressive, rounds_of
from oracle.data import Data, Vector
from oracle.reals import Surd, Value, is_whole, require

Space = tuple[int, ...]
"""A version space: the numbers of the hypotheses in it."""


def finite(claim: Claim, data: Data) -> Outcome:
    """Play a learner that keeps V = {h : h has every label so far}."""
    table = _table(claim.parameters["H"])
    points = [_point(x, claim.parameters["H"]["cube"], len(table[0])) for x in data.xs]
    everyone: Space = tuple(range(len(table)))
    spaces, mistakes = [everyone], list[int]()
    for t in rounds_of(claim.passes, len(points), mistakes, lambda: spaces[-1]):
        x, y = points[t % len(points)], "+" if data.ys[t % len(points)] > 0 else "-"
        if PREDICTIONS[claim.learner](table, spaces[-1], x) != y:
            mistakes.append(t + 1)
        V = tuple(h for h in spaces[-1] if table[h][x] == y)
        if not V:
            require(claim.learner == "IteratedHalving", "no hypothesis has every label")
        spaces.append(V or everyone)
    if claim.theorem == "progressive":
        value = progressive(len(points), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value)
    fields(claim.evidence, set())
    labels = ["+" if y > 0 else "-" for y in data.ys]
    errors = [sum(row[x] != y for x, y in zip(points, labels, strict=True)) for row in table]
    return Outcome(mistakes, Surd(Fraction(_bound(claim, table, min(errors)))))


def _bound(claim: Claim, table: list[str], fewest: int) -> int:
    depth = len(table).bit_length() - 1
    return {
        "consistent": len(table) - 1,
        "halving": depth,
        "littlestone": littlestone(table, tuple(range(len(table)))),
        "iterated-halving": (depth + 1) * claim.passes * fewest + depth,
    }[claim.theorem]


def littlestone(table: list[str], V: Space) -> int:
    """Ldim(∅) = −1, Ldim({h}) = 0, else max over splitting x of 1 + min over the two parts."""
    if len(V) <= 1:
        return len(V) - 1
    best = 0
    for x in range(len(table[0])):
        plus, minus = _parts(table, V, x)
        if plus and minus:
            best = max(best, 1 + min(littlestone(table, plus), littlestone(table, minus)))
    return best


def _parts(table: list[str], V: Space, x: int) -> tuple[Space, Space]:
    plus = tuple(h for h in V if table[h][x] == "+")
    return plus, tuple(h for h in V if table[h][x] == "-")


def _first(table: list[str], V: Space, x: int) -> str:
    return table[V[0]][x]


def _majority(table: list[str], V: Space, x: int) -> str:
    plus, minus = _parts(table, V, x)
    return "+" if len(plus) >= len(minus) else "-"


def _optimal(table: list[str], V: Space, x: int) -> str:
    plus, minus = _parts(table, V, x)
    return "+" if littlestone(table, plus) >= littlestone(table, minus) else "-"


PREDICTIONS = {
    "Consistent": _first,
    "Halving": _majority,
    "IteratedHalving": _majority,
    "StandardOptimal": _optimal,
}


def _table(H: Any) -> list[str]:
    """Return the table of a class: distinct rows of signs, all of one length."""
    require(isinstance(H, dict) and H.keys() == {"table", "points", "cube"}, "H is no class")
    table, names, cube = H["table"], H["points"], H["cube"]
    require(isinstance(table, list) and table, "the table has no rows")
    signs = all(isinstance(row, str) and set(row) <= {"+", "-"} for row in table)
    require(signs and len({len(row) for row in table}) == 1, "the table has no signs")
    require(len(set(table)) == len(table), "a hypothesis appears twice")
    count = len(table[0])
    require(count >= 1, "the class has no points")
    named = isinstance(names, list) and all(isinstance(name, str) for name in names)
    distinct = named and len(set(names)) == len(names) == count
    require(names is None or distinct, "the points' names are not one for each")
    right = is_whole(cube, 0, 62) and count == 2 ** int(cube) if cube is not None else True
    require(right, "the points are not those of the cube")
    return list(table)


def _point(x: Vector, cube: int | None, count: int) -> int:
    """Return the number of the point that a row stands for."""
    require(all(v == 1 for v in x.values()), "a row is no point")
    if cube is None:
        require(len(x) == 1 and max(x) < count, "a row is no point")
        return max(x)
    require(all(j < cube for j in x), "a row is no point of the cube")
    return sum(2**j for j in x)


def elimination(claim: Claim, data: Data) -> Outcome:
    """Play the disjunction of the literals that no negative row has made true."""
    d, monotone = int(claim.parameters["d"]), claim.parameters["monotone"]
    for x in data.xs:
        require(all(v == 1 and j < d for j, v in x.items()), "a row is no vector of the cube")
    signs = (True,) if monotone else (True, False)
    shown = min(d, data.facts["dimension"] + 1)  # one stands for all that are 0 in every row
    literals = {(j, sign) for j in range(shown) for sign in signs}
    true = [{(j, s) for j, s in literals if (j in x) == s} for x in data.xs]
    left, mistakes = set(literals), list[int]()
    for t in rounds_of(claim.passes, len(true), mistakes, lambda: len(left)):
        y = data.ys[t % len(true)]
        if (1 if left & true[t % len(true)] else -1) != y:
            mistakes.append(t + 1)
        if y < 0:
            left.difference_update(true[t % len(true)])
    if claim.theorem == "progressive":
        value = progressive(len(true), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value)
    fields(claim.evidence, set())
    held = all((1 if left & found else -1) == y for found, y in zip(true, data.ys, strict=True))
    require(held, "no disjunction has every label")
    return Outcome(mistakes, _allowed(d, monotone))


def _allowed(d: int, monotone: bool) -> Value:
    return Surd(Fraction(d if monotone else d + 1))
