"""Classes of Boolean functions on cubes {0,1}^d, each function once."""

import itertools
import math
from collections.abc import Iterable, Iterator

import numpy as np

from novikoff.classes.finite_class import FiniteClass
from novikoff.errors import parameter, whole

_LARGEST = 2**27  # signs in a table
_WEIGHTS = {1: 1, 2: 1, 3: 2, 4: 3, 5: 5}  # no halfspace on {0,1}^d needs larger ones
Function = int  # bit i is its value at point i


def conjunctions(d: int, monotone: bool = False) -> FiniteClass:
    """Return all ANDs of literals of d variables, and the one that is never true.

    There are 3^d + 1 of them, or 2^d if ``monotone`` leaves out negations.

    >>> len(conjunctions(3)), len(conjunctions(3, monotone=True))
    (28, 8)
    """
    d = _checked("conjunctions", d, 3)
    monotone = _flag(monotone)
    x, all_points = _variables(d)
    found = [] if monotone else [(0, "false")]
    for signs in _choices(d, monotone):
        value = all_points
        for j, sign in enumerate(signs):
            value &= x[j] if sign > 0 else ~x[j] & all_points if sign < 0 else all_points
        found.append((value, " ∧ ".join(_literals(signs)) or "true"))
    return _class(found, d, f"conjunctions({d}{', monotone' * monotone})")


def disjunctions(d: int, monotone: bool = False) -> FiniteClass:
    """Return all ORs of literals of d variables, and the one that is always true.

    There are 3^d + 1 of them, or 2^d if ``monotone`` leaves out negations.

    >>> len(disjunctions(3)), len(disjunctions(3, monotone=True))
    (28, 8)
    """
    d = _checked("disjunctions", d, 3)
    monotone = _flag(monotone)
    x, all_points = _variables(d)
    found = [] if monotone else [(all_points, "true")]
    for signs in _choices(d, monotone):
        value = 0
        for j, sign in enumerate(signs):
            value |= x[j] if sign > 0 else ~x[j] & all_points if sign < 0 else 0
        found.append((value, " ∨ ".join(_literals(signs)) or "false"))
    return _class(found, d, f"disjunctions({d}{', monotone' * monotone})")


def decision_lists(d: int, rules: int | None = None) -> FiniteClass:
    """Return all lists "if literal then sign, …, else sign" of d variables.

    ``rules`` limits how many literals a list may test; by default d, which gives all lists.

    >>> len(decision_lists(2)), len(decision_lists(2, rules=1))
    (14, 6)
    """
    d = _checked("decision_lists", d, 12)
    x, all_points = _variables(d)
    most = d if rules is None else whole("rules", rules, 0)
    known = {all_points: "+", 0: "−"}
    newest = dict(known)
    tests = [(x[j], f"x{j + 1}") for j in range(d)]
    tests += [(~x[j] & all_points, f"¬x{j + 1}") for j in range(d)]
    for _ in range(most):
        longer: dict[Function, str] = {}
        for (value, text), (test, literal) in itertools.product(newest.items(), tests):
            for sign, result in (("+", value | test), ("−", value & ~test)):
                if result not in known and result not in longer:
                    longer[result] = f"{literal} → {sign}, {text}"
        known |= longer
        newest = longer
    title = f"decision_lists({d}{'' if rules is None else f', rules={rules}'})"
    return _class(known.items(), d, title)


def parities(d: int) -> FiniteClass:
    """Return all parities of d variables: +1 if an even number of some of the variables is 1.

    There are 2^d of them, the characters (−1)^{a·x}.

    >>> len(parities(3))
    8
    """
    d = _checked("parities", d, 2)
    x, all_points = _variables(d)
    found = []
    for a in range(1 << d):
        value = all_points
        for j in range(d):
            value ^= x[j] if a >> j & 1 else 0
        found.append((value, "{" + ", ".join(f"x{j + 1}" for j in range(d) if a >> j & 1) + "}"))
    return _class(found, d, f"parities({d})")


def halfspaces(d: int) -> FiniteClass:
    """Return all halfspaces of the cube with d variables, d up to 5.

    They are the sets {x : w·x ≥ b}: 4, 14, 104, 1,882 and 94,572 of them for d from 1 to 5. Whole
    weights up to 1, 1, 2, 3 and 5 make them all (the numbers are muroga1970's).

    >>> [len(halfspaces(d)) for d in (1, 2, 3)]
    [4, 14, 104]
    """
    d = whole("d", d, 1, max(_WEIGHTS), "There are too many beyond.")
    reach = range(-_WEIGHTS[d], _WEIGHTS[d] + 1)
    weights = sorted(itertools.product(reach, repeat=d), key=lambda w: sum(map(abs, w)))
    points = (np.arange(1 << d)[:, None] >> np.arange(d)) & 1
    scores = np.array(weights) @ points.T
    simplest: dict[Function, tuple[int, int]] = {}  # the first weights, and −b for the largest b
    for b in range(int(scores.min()), int(scores.max()) + 2):
        bits = np.packbits(scores >= b, axis=1, bitorder="little")
        functions = np.pad(bits, ((0, 0), (0, 8 - bits.shape[1]))).view(np.uint64)[:, 0]
        for function, i in zip(*np.unique(functions, return_index=True), strict=True):
            one = int(i), -b
            simplest[int(function)] = min(one, simplest.get(int(function), one))
    found = sorted((i, b, function) for function, (i, b) in simplest.items())
    names = ((f, f"{_sum(weights[i])} ≥ {-b}".replace("-", "−")) for i, b, f in found)
    return _class(names, d, f"halfspaces({d})")


def _sum(weights: tuple[int, ...]) -> str:
    terms = [f"{w:+d}x{j + 1}".replace("1x", "x") for j, w in enumerate(weights) if w]
    return "".join(terms).removeprefix("+") or "0"


def _choices(d: int, monotone: bool) -> Iterator[tuple[int, ...]]:
    """Yield, for each variable, whether it is left out, taken, or taken negated."""
    return itertools.product((0, 1) if monotone else (0, 1, -1), repeat=d)


def _literals(signs: tuple[int, ...]) -> Iterator[str]:
    return (f"{'¬' * (sign < 0)}x{j + 1}" for j, sign in enumerate(signs) if sign)


def _checked(where: str, d: int, base: int) -> int:
    """Return d if a table of base^d functions on 2^d points is small enough."""
    largest = int(math.log(_LARGEST, 2 * base))
    return whole("d", d, 1, largest, f"A larger table of {where} would not fit.")


def _flag(monotone: bool) -> bool:
    if not isinstance(monotone, (bool, np.bool_)):
        raise parameter("monotone", "True or False", monotone)
    return bool(monotone)


def _variables(d: int) -> tuple[list[Function], Function]:
    """Return each variable as a function, and the one that is always true."""
    points = range(1 << d)
    x = [sum(1 << i for i in points if i >> j & 1) for j in range(d)]
    return x, (1 << len(points)) - 1


def _class(found: Iterable[tuple[Function, str]], d: int, title: str) -> FiniteClass:
    functions = dict(found)
    octets = max(1, (1 << d) // 8)
    data = b"".join(function.to_bytes(octets, "little") for function in functions)
    rows = np.frombuffer(data, np.uint8).reshape(len(functions), octets)
    bits = np.unpackbits(rows, axis=1, bitorder="little", count=1 << d).astype(np.int8)
    points = ["".join(str(i >> j & 1) for j in range(d)) for i in range(1 << d)]
    return FiniteClass(2 * bits - 1, points, list(functions.values()), cube=d, title=title)
