"""Streams that aim at ties and at the edges of grids, against twins in fractions.

An opponent knows the exact weights. It picks values that leave a float, a double or two doubles,
and often turns one of them so that w·x is 0 or as close to it as floats allow. Every form of the
stream, with pauses to save and load, must make the mistakes of the twin and end with its sums.
"""

import math
import pickle
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nv
from novikoff import _core
from novikoff.learners.feature_learner import Ties
from twins import BIAS, Vector, dot
from weighted_twins import Classes, Exponential, Halfspace, Twin

SMALL = 60
_ROUNDS, _COLUMNS = 40, 11
_WIDE = 140_000  # features, from which floats hold weights that lie on a grid
_FRONT = 8  # slots of a saved state before the features

Row = dict[int, float]
Value = Callable[[random.Random], float]


def _near(exponent: int) -> Value:
    """Return whole numbers around a power of two, where a float, a double or a pair ends."""
    return lambda draw: draw.choice((-1.0, 1.0)) * (2.0**exponent + draw.randint(-2, 2))


def _on_grid(bits: int, step: int) -> Value:
    return lambda draw: math.ldexp(draw.randint(-(2**bits), 2**bits), step)


VALUES: dict[str, Value] = {
    "ones": lambda draw: 1.0,
    "counts": lambda draw: float(draw.randint(-3, 9)),
    "quarters": lambda draw: draw.randint(-9, 9) / 4,
    "edge of floats": _near(23),
    "past floats": _near(24),
    "fine floats": _on_grid(20, -100),
    "finer than floats": _on_grid(20, -101),
    "float32": lambda draw: float(np.float32(draw.gauss(0, 1))),
    "edge of doubles": _near(50),
    "past doubles": _near(53),
    "finest grid": _on_grid(30, -1000),
    "finer": _on_grid(30, -1001),
    "doubles": lambda draw: draw.gauss(0, 1),
    "decimals": lambda draw: draw.randint(-9, 9) / 10,
    "scales": lambda draw: draw.gauss(0, 1) * 2.0 ** draw.randint(-60, 60),
    "edge of pairs": lambda draw: draw.gauss(0, 1) * 2.0 ** draw.choice((-52, 50, 51)),
    "subnormal": lambda draw: draw.randint(-9, 9) * 5e-324,
    "least": lambda draw: draw.gauss(0, 1) * 1e-160,
    "huge": lambda draw: draw.gauss(0, 1) * 1e300,
    "mixed": lambda draw: draw.choice((1.0, 2.0**53, 2.0**-60, -0.1, 1e300, 5e-324, -1e-200)),
}
MODERATE = ["ones", "counts", "quarters", "edge of floats", "float32", "doubles", "decimals"]
MILD = (1.0, 1.0, 0.5, 3.0, 0.1, 0.0)
WILD = (*MILD, 1e-90, 1e90, 2.0**-40)


@dataclass(frozen=True)
class Case:
    """A stream, what the twin made of it, and how to make the learner."""

    make: Callable[[], Any]
    twin: Twin
    features: int
    bias: float | None
    rows: list[Row]
    labels: list[int]
    weights: list[float] | None
    mistakes: list[int]


def campaign(size: int, seed: int) -> dict[str, int]:
    """Play ``size`` streams in every form."""
    mistakes = forms = 0
    for number in range(size):
        where = f"near_ties: case {number} of seed {seed}"
        draw = random.Random(f"{seed} {number}")
        with _listed(draw.random() < 0.5):
            case = drawn(draw)
            for form in _forms(case, draw):
                _check(case, form, draw, where)
                forms += 1
        mistakes += len(case.mistakes)
    return {"streams": size, "forms": forms, "mistakes": mistakes}


@contextmanager
def _listed(early: bool) -> Iterator[None]:
    """List the weights of many classes early, if wanted."""
    before = _core.list_weights_from(100, 8) if early else None
    try:
        yield
    finally:
        if before is not None:
            _core.list_weights_from(*before)


def drawn(draw: random.Random) -> Case:
    """Draw a learner and a stream against it."""
    bias = draw.choice((None, None, 1.0, 0.1, -(2.0**-30)))
    make, twin = _drawn_learner(draw, bias)
    features = draw.choice((_COLUMNS, _COLUMNS, _WIDE))
    columns = sorted(draw.sample(range(features), _COLUMNS))
    names = MODERATE if isinstance(twin, Exponential) else list(VALUES)
    kinds = draw.choices(names, k=draw.randint(1, 3))
    weighted = draw.random() < 0.4
    scales = MILD if isinstance(twin, Exponential) else draw.choice((MILD, WILD))
    rows, labels, weights, mistakes = [], [], [], []
    for t in range(1, _ROUNDS + 1):
        kind = VALUES[kinds[t * len(kinds) // (_ROUNDS + 1)]]
        row = _opposing(draw, kind, columns, twin.contested(draw), bias)
        x = _exact(row, bias)
        weight = draw.choice(scales) if weighted else 1.0
        products = [abs(weight * float(v)) for v in x.values()]
        if not all(2.0**-960 <= p < math.inf for p in products):
            weight = 1.0  # others would be refused
        y = twin.label(draw, x)
        if twin.learn(x, y, Fraction(weight), t):
            mistakes.append(t)
        rows.append(row)
        labels.append(y)
        weights.append(weight)
    given = weights if weighted else None
    return Case(make, twin, features, bias, rows, labels, given, mistakes)


def _drawn_learner(draw: random.Random, bias: float | None) -> tuple[Callable[[], Any], Twin]:
    ties: Ties = draw.choice(("positive", "mistake"))
    voters = draw.choice((None, 1, 3))
    eta = draw.choice((0.5, 0.01, 3.0))
    averaged = draw.random() < 0.5
    learners: list[tuple[Callable[[], Any], Twin]] = [
        (lambda: nv.Perceptron(ties, bias), Halfspace(ties)),
        (lambda: nv.AveragedPerceptron(ties, bias), Halfspace(ties)),
        (lambda: nv.VotedPerceptron(ties, bias, voters), Halfspace(ties)),
        (lambda: nv.MulticlassPerceptron(bias, averaged=averaged), Classes(3)),
        (lambda: nv.MulticlassPerceptron(bias, averaged=averaged), Classes(40)),
        (lambda: nv.Minnow(eta, bias), Exponential(eta)),
        (lambda: nv.BalancedMinnow(eta, bias), Exponential(eta, balanced=True)),
    ]
    return draw.choice(learners)


def _exact(row: Row, bias: float | None) -> Vector:
    x = {j: Fraction(v) for j, v in row.items()}
    return x if bias is None else x | {BIAS: Fraction(bias)}


def _opposing(
    draw: random.Random, value: Value, columns: list[int], w: Vector, bias: float | None
) -> Row:
    """Return a row, often one whose score is as close to 0 as one value can bring it."""
    row = {j: value(draw) for j in columns if draw.random() < 0.6}
    turned = [j for j in row if w.get(j)]
    if turned and draw.random() < 0.6:
        j = draw.choice(turned)
        rest = dot(w, _exact({i: v for i, v in row.items() if i != j}, bias))
        wanted = -rest / w[j]
        if abs(wanted) < Fraction(1e300):
            near = float(wanted)
            row[j] = draw.choice((near, near, math.nextafter(near, 9), math.nextafter(near, -9)))
    return {j: v for j, v in row.items() if v}


def _forms(case: Case, draw: random.Random) -> list[str]:
    """Name some forms of the stream."""
    forms = ["csr", "csr int64", "pairs", "dicts", "unsorted"]
    if case.features == _COLUMNS:
        forms += ["dense", "dense, columns first"]
    if all(abs(v) < 1e38 and float(np.float32(v)) == v for row in case.rows for v in row.values()):
        forms += ["csr float32"] + ["dense float32"] * (case.features == _COLUMNS)
    return draw.sample(forms, 3)


def _matrix(case: Case, kind: str, draw: random.Random) -> Any:
    starts = np.cumsum([0] + [len(row) for row in case.rows])
    orders = [draw.sample(list(row), len(row)) if kind == "unsorted" else row for row in case.rows]
    indices = np.array([j for order in orders for j in order], dtype=np.int64)
    values = np.array(
        [row[j] for row, order in zip(case.rows, orders, strict=True) for j in order], dtype=float
    )
    width = np.int64 if kind == "csr int64" else np.int32
    X = sp.csr_array((len(case.rows), case.features))
    X.data = values.astype(np.float32) if "float32" in kind else values
    X.indices, X.indptr = indices.astype(width), starts.astype(width)
    if not kind.startswith("dense"):
        return X
    dense = X.toarray()
    return np.asfortranarray(dense) if "columns" in kind else dense


def _part(case: Case, form: str, X: Any, part: slice) -> Any:
    """Return some rounds as a stream."""
    labels = case.labels[part]
    weights = None if case.weights is None else case.weights[part]
    if form == "dicts":
        rows: Any = [{str(j): v for j, v in row.items()} for row in case.rows[part]]
        return nv.stream(rows, labels, weights=weights)
    return nv.stream(X[part], labels, weights=weights)


def _check(case: Case, form: str, draw: random.Random, where: str) -> None:
    """Play the stream in pieces, with pauses to save and load between them."""
    run = nv.Run(case.make(), labels="open" if isinstance(case.twin, Classes) else (-1, 1))
    X = None if form in ("dicts", "pairs") else _matrix(case, form, draw)
    cuts = sorted({0, _ROUNDS, *draw.choices(range(_ROUNDS), k=draw.randint(0, 4))})
    for first, last in pairwise(cuts):
        if form == "pairs":
            for t in range(first, last):
                row = case.rows[t]
                pair = np.array(list(row), dtype=np.int64), np.array(list(row.values()))
                weight = 1.0 if case.weights is None else case.weights[t]
                run.learn(pair, case.labels[t], weight)
        else:
            run.play(_part(case, form, X, slice(first, last)))
        if draw.random() < 0.4:
            run = pickle.loads(pickle.dumps(run))  # a saved run has the same state
    assert run.ledger.mistake_rounds.tolist() == case.mistakes, f"{where}: mistakes of {form}"
    _check_ledger(case, run.ledger, f"{where}: {form}")
    if form != "dicts":
        _check_sums(case, run.learner, f"{where}: sums of {form}")


def _check_ledger(case: Case, ledger: Any, where: str) -> None:
    squares = [sum((v * v for v in _exact(r, case.bias).values()), Fraction(0)) for r in case.rows]
    energy = sum((squares[t - 1] for t in case.mistakes), Fraction(0))
    largest = max((abs(v) for r in case.rows for v in r.values()), default=0.0)
    assert ledger.radius_inf == max(largest, abs(case.bias or 0.0)), f"{where}: radius_inf"
    assert _close(ledger.radius, max(squares), root=True), f"{where}: radius"
    assert _close(ledger.mistake_energy, energy), f"{where}: mistake_energy"
    if not isinstance(case.twin, Exponential):
        norms = case.twin.w.values() if isinstance(case.twin, Classes) else [case.twin.w]
        norm2 = sum((dot(w, w) for w in norms), Fraction(0))
        assert _close(ledger.weight_norm, norm2, root=True), f"{where}: weight_norm"


def _close(found: float, expected: Fraction, root: bool = False) -> bool:
    """Say whether a float is within 1e-12 of a number or of its root, whatever its size."""
    if found == math.inf:
        return expected > Fraction(1e308) ** (2 if root else 1)
    value, error = Fraction(found), Fraction(1, 10**12)
    least = Fraction(2.0**-1070)
    low, high = value * (1 - error) - least, value * (1 + error) + least
    if root:
        return (low <= 0 or low * low <= expected) and expected <= high * high
    return low <= expected <= high


def _check_sums(case: Case, learner: Any, where: str) -> None:
    """Compare the sums in the saved state with the twin's."""
    state = learner.state()
    assert _saved_sums(state, "weights", "remainder") == _sums(case.twin), where
    if isinstance(learner, nv.VotedPerceptron) and isinstance(case.twin, Halfspace):
        voters = case.twin.voters
        most = learner.max_voters or len(voters)
        forgotten = voters[-most - 1][0] if most < len(voters) else Vector()
        expected = {(j, 0): v for j, v in forgotten.items() if v}
        assert _saved_sums(state, "base", "base") == expected, f"{where}: base"
        _check_votes(case, learner, f"{where}: votes")


def _saved_sums(state: Any, name: str, below: str) -> dict[tuple[int, int], Fraction]:
    """Return the sums of a saved state that are not 0, by feature and column."""
    if "listed_dimension" in state:
        ends, high = state["listed_ends"], state["listed_weights"]
        columns = np.searchsorted(ends, np.arange(len(high)), side="right")
        features = state["listed_features"]
    else:
        high = state[name]
        features, columns = np.divmod(np.arange(len(high)), int(state["counts"][1]))
        features -= _FRONT
    slots = [*np.flatnonzero(high), *state[f"{below}_slots"]]
    parts = [*high[np.flatnonzero(high)], *state[f"{below}_parts"]]
    found: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for slot, part in zip(slots, parts, strict=True):
        found[int(features[slot]), int(columns[slot])] += Fraction(float(part))
    return {place: v for place, v in found.items() if v}


def _check_votes(case: Case, learner: Any, where: str) -> None:
    """Compare the votes of a voted perceptron, if floats hold its weights."""
    assert isinstance(case.twin, Halfspace)
    if any(abs(v) > Fraction(1e300) for v in case.twin.w.values()):
        return
    most = learner.max_voters or len(case.twin.voters)
    votes = [case.twin.vote(_exact(row, case.bias), most, _ROUNDS) for row in case.rows]
    X = _matrix(case, "csr", random.Random(0))
    assert learner.hypothesis().scores(X).tolist() == votes, where


def _sums(twin: Twin) -> dict[tuple[int, int], Fraction]:
    if isinstance(twin, Classes):
        return {(j, k): v for k, w in twin.w.items() for j, v in w.items() if v}
    w = twin.theta if isinstance(twin, Exponential) else twin.w
    return {(j, 0): v for j, v in w.items() if v}
