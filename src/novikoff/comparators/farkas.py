"""Farkas' witnesses: whole weights a ≥ 0, not all 0, with Σ a_t y_t x_t = 0. No w separates."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from novikoff import _core
from novikoff.comparators.geometry import Matrix, Rows, as_wholes, unit
from novikoff.learners import Perceptron
from novikoff.learners.learner import Slice
from novikoff.types import AnyArray, FloatArray, IntArray

_LIMB, _LARGEST = (
    20,
    2**22,
)  # bits, and a limit for primes: sums of 2^11 products are exact
_MOST_ROWS, _MOST_ENTRIES = 2000, 10_000_000
_MOST_BITS = 900
_PASSES = 200


@dataclass(frozen=True)
class Witness:
    """Rows of X, from 0, and a weight a_t ≥ 1 for each, with Σ a_t y_t x_t = 0 exactly."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Proposal:
    """A w, whether it separates (exactly), and a dual point a ≥ 0 on some rows."""

    w: FloatArray
    rows: IntArray
    weights: FloatArray
    separates: bool = False


def plain_witness(rows: Rows) -> Witness | None:
    """Return a row that is 0, or two equal rows with opposite labels, if there are any."""
    zero = np.flatnonzero(rows.norms == 0)
    if len(zero):
        return Witness((int(zero[0]),), (1,))
    keys = _keys(rows)
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    differ = rows.signs[order[1:]] != rows.signs[order[:-1]]
    for k in np.flatnonzero(same & differ):
        pair = np.sort(order[k : k + 2])
        if vanishes(rows.take(pair), [1, 1]):
            return Witness((int(pair[0]), int(pair[1])), (1, 1))
    return None


def plain_separator(rows: Rows, wide: int) -> Proposal | None:
    """Return what a perceptron soon separates rows of more than ``wide`` features with."""
    learner, tally = Perceptron("mistake", rows.bias), _core.Tally()
    every = Slice(rows.block, rows.signs.astype(np.int8), None, 0, len(rows))
    for _ in range(_PASSES if rows.columns > wide else 0):
        mistakes = tally.mistakes
        learner.play_rows(every, tally)
        if tally.mistakes == mistakes and not learner.core.saturated():
            h, w = learner.hypothesis(), np.zeros(rows.columns)
            w[-1] = h.bias_weight
            w[: len(h.w)] = h.w
            found = Proposal(unit(w), np.zeros(0, np.int64), np.zeros(0), separates=True)
            return None if len(rows.failing(found.w)) else found
    return None


def _keys(rows: Rows) -> AnyArray:
    """Return a key for each row, the same for equal rows: Σ_j c_j · bits of x_tj, mod 2^64."""
    random = np.random.default_rng(0)
    factors = random.integers(0, 2**64, rows.columns, np.uint64, endpoint=False) | np.uint64(1)
    keys: AnyArray = np.zeros(len(rows), np.uint64)
    if rows.dense:
        step = max(100_000 // max(rows.columns, 1), 1)
        for start in range(0, len(rows), step):
            keys[start : start + step] = _bits(rows.matrix[start : start + step]) @ factors
        return keys
    starts = rows.matrix.indptr
    terms = _bits(rows.matrix.data) * factors[rows.matrix.indices]
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))
    return np.asarray(sums[starts[1:]] - sums[starts[:-1]])


def _bits(values: FloatArray) -> AnyArray:
    """Return the bits of floats, −0 as 0; mix the high bits into the low, which are often all 0."""
    bits = (values + 0.0).view(np.uint64)
    return bits ^ (bits >> np.uint64(44))


def witness(rows: Rows, found: Proposal) -> Witness | None:
    """Make weights exact that nearly solve Σ a_t z_t = 0; None if that fails."""
    sizes = found.weights * rows.norms[found.rows]
    supports = [sizes > share * sizes.max(initial=0.0) for share in (1e-9, 0.0)]
    for support in supports if (supports[0] != supports[1]).any() else supports[:1]:
        some = found.rows[support]
        Z = rows.take(some)
        exact = _exact_weights(Z, found.weights[support])
        if exact is not None and vanishes(Z, exact):
            pairs = sorted((int(t), a) for t, a in zip(some, exact, strict=True) if a)
            return Witness(tuple(t for t, _ in pairs), tuple(a for _, a in pairs))
    return None


def vanishes(Z: Matrix, weights: list[int]) -> bool:
    """Say whether a ≥ 0, not all 0, and Σ a_t z_t = 0, in whole numbers."""
    if min(weights) < 0 or not any(weights):
        return False
    if isinstance(Z, np.ndarray):
        rows, columns = np.nonzero(Z)
        values = Z[rows, columns]
    else:
        entries = Z.tocoo()
        (rows, columns), values = entries.coords, entries.data
    sums = [0] * Z.shape[1]
    wholes, _ = as_wholes(values)
    for t, j, whole in zip(rows.tolist(), columns.tolist(), wholes, strict=True):
        sums[j] += weights[t] * whole
    return not any(sums)


def _exact_weights(Z: Matrix, guess: FloatArray) -> list[int] | None:
    """Return whole weights near a multiple of the guess with Σ a_t z_t = 0, if there are any."""
    active = np.flatnonzero(abs(Z).sum(axis=0))
    if not 0 < len(guess) <= _MOST_ROWS or len(guess) * len(active) > _MOST_ENTRIES:
        return None
    Z = Z[:, active] if isinstance(Z, np.ndarray) else Z.tocsc()[:, active].toarray()
    scaled, powers = _as_whole_rows(Z)
    if scaled is None:
        return None
    sizes = guess * np.abs(Z).max(axis=1)
    order = np.argsort(-sizes, kind="stable")  # the smallest ones stay free
    found = _kernel(scaled[order].T, np.ldexp(guess, powers)[order])
    if found is None:
        return None
    shifts = (powers.max() - powers[order]).tolist()
    shifted = [b << shift for b, shift in zip(found, shifts, strict=True)]
    common = math.gcd(*shifted)
    weights = dict(zip(order.tolist(), shifted, strict=True))
    return [weights[t] // common for t in range(len(weights))]


def _as_whole_rows(Z: FloatArray) -> tuple[FloatArray | None, IntArray]:
    """Scale columns, then rows, by powers of two to whole numbers; return the rows' powers too."""
    mantissas, exponents = np.frexp(Z)
    wholes = np.ldexp(mantissas, 53).astype(np.int64)
    _, zeros = np.frexp((wholes & -wholes).astype(np.float64))
    lowest = np.where(Z != 0, exponents - 54 + zeros, 10_000)
    columns = lowest.min(axis=0)
    powers = (lowest - columns).min(axis=1)
    if (exponents - columns - powers[:, None])[Z != 0].max() > _MOST_BITS:
        return None, powers
    halves = np.ldexp(Z, -columns // 2)  # in two steps, so that both stay within float64
    return np.ldexp(halves, -columns - (-columns // 2) - powers[:, None]), powers


def _kernel(M: FloatArray, guess: FloatArray) -> list[int] | None:
    """Return whole b with M b = 0; columns that others do not determine stay near the guess.

    M b = 0 is M[I,J] b_J = −M[I,F] b_F for all independent rows I and columns J, and the other
    columns F, whose b is chosen; b_J follows exactly.
    """
    prime = _prime_below(min(math.isqrt(2**52 // max(M.shape)), _LARGEST))
    pivots, inverse = _exchanged(np.fmod(M, prime), prime)
    rows, columns = [i for i, _ in pivots], [j for _, j in pivots]
    free = sorted(set(range(M.shape[1])) - set(columns))
    if not free:
        return None  # independent modulo a prime, hence independent
    least = guess[free].min()
    chosen = [int(b) for b in np.rint(guess[free] / least * (1 if len(free) == 1 else 2**20))]
    if not columns:
        return chosen
    right = [-sum(int(M[i, j]) * b for j, b in zip(free, chosen, strict=True)) for i in rows]
    solved = _lifted(M[np.ix_(rows, columns)], inverse, prime, right)
    if solved is None:
        return None
    numerators, denominator = solved
    found = dict(zip(columns, numerators, strict=True))
    found |= {j: b * denominator for j, b in zip(free, chosen, strict=True)}
    return [found[j] for j in range(len(found))]


def _exchanged(T: FloatArray, prime: int) -> tuple[list[tuple[int, int]], FloatArray]:
    """Exchange y_i for x_j in y = T x, modulo the prime, while there are pivots.

    Returns the pivots (i, j) and the inverse of their rows and columns of T. Sums stay below 2^53,
    so that only the row and the column of the pivot are reduced.
    """
    pivots: list[tuple[int, int]] = []
    unused = np.ones(len(T), bool)
    buffer = np.empty_like(T)
    for j in range(T.shape[1]):
        T[:, j] = np.mod(T[:, j], prime)
        candidates = np.flatnonzero((T[:, j] != 0) & unused)
        if not len(candidates):
            continue
        i = int(candidates[0])
        inverse = pow(int(T[i, j]), -1, prime)
        row = np.mod(np.mod(T[i], prime) * inverse, prime)
        column = T[:, j].copy()
        row[j] = column[i] = 0
        T -= np.multiply(column[:, None], row, out=buffer)
        T[:, j] = np.mod(column * inverse, prime)
        T[i] = -row
        T[i, j] = inverse
        unused[i] = False
        pivots.append((i, j))
    block = T[np.ix_([i for i, _ in pivots], [j for _, j in pivots])]
    return pivots, np.mod(block, prime)


def _lifted(
    A: FloatArray, inverse: FloatArray, prime: int, right: list[int]
) -> tuple[list[int], int] | None:
    """Solve A x = b in fractions with one denominator, digit by digit in base p (Dixon 1982)."""
    limbs = _limbs(A)
    kind = np.int64 if len(limbs) == 1 and max(map(abs, right)) < 2**62 else object
    residual = np.array(right, kind)
    # Hadamard: no determinant of A, or of A with b for a column, has more bits
    bits = np.log2(np.maximum(np.hypot.reduce(A, axis=0), 1)).sum() + math.log2(
        1 + sum(map(abs, right))
    )
    steps = int((2 * bits + 64) / math.log2(prime)) + 2
    found, power, digits = np.zeros(len(A), object), 1, []
    attempt = 3
    for step in range(1, steps + 1):
        digit = np.fmod(inverse @ (residual % prime).astype(np.float64), prime)
        product = sum(
            (limb @ digit).astype(np.int64).astype(kind) << _LIMB * k
            for k, limb in enumerate(limbs)
        )
        residual = (residual - product) // prime
        digits.append(digit.astype(np.int64).astype(object))
        if step < min(attempt, steps):
            continue
        found, power = found + _joined(digits, prime) * power, prime**step
        digits, attempt = [], step * 3 // 2
        fractions = _fractions(found.tolist(), power)
        if fractions is not None:
            return fractions
    return None


def _joined(digits: list[AnyArray], base: int) -> AnyArray:
    """Return Σ_k digit_k · base^k, by halves."""
    while len(digits) > 1:
        if len(digits) % 2:
            digits = [*digits, np.zeros_like(digits[0])]
        pairs = zip(digits[::2], digits[1::2], strict=True)
        digits, base = [low + high * base for low, high in pairs], base * base
    return digits[0]


def _limbs(A: FloatArray) -> list[FloatArray]:
    """Split whole numbers into digits of base 2^20, lowest first, each with the number's sign."""
    limbs = []
    while A.any():
        higher = np.trunc(A / 2**_LIMB)
        limbs.append(A - higher * 2**_LIMB)
        A = higher
    return limbs


def _fractions(values: list[int], modulus: int) -> tuple[list[int], int] | None:
    """Return small numerators and one denominator that equal the values modulo the modulus."""
    bound = math.isqrt(modulus >> 21)
    numerators: list[int] = []
    denominator = 1
    for value in values:
        scaled = value * denominator % modulus
        scaled -= modulus if scaled > modulus // 2 else 0
        if abs(scaled) > bound:
            scaled, factor = _fraction(scaled % modulus, modulus, bound)
            denominator *= factor
            numerators = [numerator * factor for numerator in numerators]
            if not factor or denominator > bound:
                return None
        numerators.append(scaled)
    return numerators, denominator


def _fraction(value: int, modulus: int, bound: int) -> tuple[int, int]:
    """Return (n, d) with n ≡ d·value, |n| and d at most the bound, by Euclid; (0, 0) for none."""
    above, below, before, factor = modulus, value, 0, 1
    while below > bound:
        quotient = above // below
        above, below = below, above - quotient * below
        before, factor = factor, before - quotient * factor
    if not 0 < abs(factor) <= bound:
        return 0, 0
    return (below, factor) if factor > 0 else (-below, -factor)


def _prime_below(limit: int) -> int:
    """Return the largest prime below the limit."""
    return next(
        n for n in itertools.count(limit - 1, -1) if all(n % k for k in range(2, math.isqrt(n) + 1))
    )
