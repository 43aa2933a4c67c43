"""A perceptron that goes on from a model: its state, and the comparator of `hinge-resumed`.

A comparator is a sum α p + β w_1 of one for a new perceptron and the first weights. Any w gives a
bound; the search only makes it small.
"""

import hashlib
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from novikoff.comparators.histogram import histogram, margins_of
from novikoff.comparators.scaling import Scaled, near_one
from novikoff.comparators.soft_margin import Found, Path, Rows, pairs
from novikoff.playing.run import Run
from novikoff.receipts import objectives
from novikoff.receipts.family import Question
from novikoff.receipts.reread_rounds import coded
from novikoff.receipts.separation import TOLERANCE
from novikoff.theory import Bound, named
from novikoff.types import FloatArray

_FRONT = 8  # places of saved weights before those of the features; the last is the constant's
_HALVINGS = 30
_MOST = Fraction(2) ** 1000  # far from where floats end
Weights = dict[int, Fraction]


def weights_of(run: Run) -> Weights:
    """Return the exact weights other than 0, by feature; −1 is the constant one."""
    state = run.learner.state()
    high = state["weights"].tolist()
    found = {j - _FRONT: Fraction(high[j]) for j in np.flatnonzero(state["weights"]).tolist()}
    slots, parts = state["remainder_slots"].tolist(), state["remainder_parts"].tolist()
    for slot, part in zip(slots, parts, strict=True):
        found[slot - _FRONT] = found.get(slot - _FRONT, Fraction(0)) + Fraction(part)
    return {j: w for j, w in found.items() if w}


def state_hash(run: Run) -> str:
    """Return SHA-256 over a line "i n e" for each weight n·2^e other than 0: n odd, in hex.

    Features ascend; the constant one is 2⁶⁴ − 1.
    """
    lines = []
    for i, w in sorted((j % 2**64, w) for j, w in weights_of(run).items()):
        n, below = w.numerator, w.denominator.bit_length() - 1
        twos = (n & -n).bit_length() - 1
        lines.append(f"{i} {n >> twos:x} {twos - below}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def resumed_bounds(question: Question) -> list[Bound]:
    """Return the bound of ``hinge-resumed`` with the best comparator found."""
    run = question.run
    assert run.start is not None
    if not question.about("hinge-resumed"):
        return []
    scaled = near_one(coded(run, question.stream), run.learner.bias)
    rows = Rows(scaled.blocks, scaled.bias)
    first = weights_of(run.start)
    passes = run.ledger.rounds // rows.count
    found = _best(question, rows, _as_found(rows, scaled, first), passes)
    best = scaled.restorable(rows, found)
    original = scaled.original(best)
    exact = {int(j): Fraction(w) for j, w in pairs(original)}
    # x·2^s, w·2^−s and w_1·2^s have the margins and the products of x, w and w_1.
    square = sum((w * w for w in first.values()), Fraction(0)) * Fraction(4) ** scaled.shift
    evidence = {
        "radius2": rows.radius2,
        "norm2": best.norm2,
        "hinge": passes * best.hinge,
        "start_product": sum((w * first.get(j, 0) for j, w in exact.items()), Fraction(0)),
        "start_norm2": square,
    }
    value = named("hinge-resumed").evaluate(evidence).value
    comparator = {"w": pairs(original)}
    margins = histogram(margins_of(rows, best))
    return [Bound("hinge-resumed", value, run.mistakes, None, comparator, margins)]


def _as_found(rows: Rows, scaled: Scaled, first: Weights) -> Found:
    """Return w_1, rounded, as a comparator of the scaled rounds; unknown features are left out."""
    w, bias_weight = np.zeros(rows.columns), 0.0
    for j, weight in first.items():
        shifted = weight * Fraction(2) ** scaled.shift
        value = float(shifted) if abs(shifted) < _MOST else 0.0  # any comparator gives a bound
        if 0 <= j < rows.columns:
            w[j] = value
        elif j < 0:
            bias_weight = value
    return rows.measured(w, bias_weight)


def _best(question: Question, rows: Rows, first: Found, passes: int) -> Found:
    """Return the sum of a comparator on the path and w_1 that makes the bound about least."""
    r2 = rows.radius2
    start = min(max(passes / r2, 1e-60), 1e60) if r2 > 0 else 1.0
    path = Path(rows, False, TOLERANCE, question.watch)
    tight, _ = path.best(lambda n, loss: objectives.hinge_tight(r2 * n, passes * loss), start)
    own, given = margins_of(rows, tight), margins_of(rows, first)
    gram = np.array([[_dot(a, b) for b in (tight, first)] for a in (tight, first)])

    def value(alpha: float, beta: float) -> float:
        at = np.array([alpha, beta])
        norm2, product = float(at @ gram @ at), float(at @ gram[1])
        hinge = passes * float(np.maximum(0.0, 1.0 - alpha * own - beta * given).sum())
        a, b, c = r2 * norm2, gram[1, 1] * norm2, hinge - product
        square = a * a / 4 + a * c + b
        return float(c + a / 2 + np.sqrt(max(square, 0.0)))

    alpha, beta = _descended(value, 1.0, 1.0 / max(float(np.abs(given).max(initial=0.0)), 1e-300))
    return rows.measured(
        alpha * tight.w + beta * first.w,
        alpha * float(tight.bias_weight) + beta * float(first.bias_weight),
    )


def _dot(a: Found, b: Found) -> float:
    return float(a.w @ b.w) + float(a.bias_weight) * float(b.bias_weight)


def _descended(
    value: Callable[[float, float], float], alpha: float, beta: float
) -> tuple[float, float]:
    """Return a place with a small value: steps of two sizes, halved when none helps."""
    steps: FloatArray = np.array([alpha, beta])
    places = [(0.0, 0.0), (alpha, 0.0), (0.0, beta), (alpha, beta)]
    best = min(places, key=lambda at: value(*at))
    least = value(*best)
    for _ in range(_HALVINGS):
        around = [
            (best[0] + i * steps[0], best[1] + j * steps[1]) for i in (-1, 0, 1) for j in (-1, 0, 1)
        ]
        found = min(around, key=lambda at: value(*at))
        if value(*found) < least:
            best, least = (float(found[0]), float(found[1])), value(*found)
        else:
            steps = steps / 2
    return best
