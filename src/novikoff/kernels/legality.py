"""Legality of kernels: a kernel is legal if its Gram matrices are positive semidefinite."""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from novikoff.errors import HypothesisError, InputError
from novikoff.kernels.kernel import UNIT, Kernel, as_kernel
from novikoff.types import FloatArray


class IllegalKernelError(HypothesisError):
    """Raised for a function that is not a kernel: some Gram matrix is not positive semidefinite."""

    points: list[FloatArray]
    """The points that show it."""
    eigenvalue: float
    """A negative eigenvalue of their Gram matrix; NaN if the matrix is not symmetric."""


def check_kernel(kernel: object, points: Iterable[npt.ArrayLike]) -> float:
    """Refuse a kernel that these points show to be illegal; return the least eigenvalue found.

    A legal kernel has symmetric, positive semidefinite Gram matrices on all points: the points
    given can refute a kernel, but never prove it legal. The check allows for rounding: an
    eigenvalue counts as negative below −8nu·max|K|, and ‖v‖² λ = v·Kv is then computed exactly.
    The error names the eigenvalue, and as few points as possible.

    >>> import novikoff as nv
    >>> nv.check_kernel(lambda x, z: float(x @ z) - 1, [[0.5], [2.0]])
    Traceback (most recent call last):
    novikoff.kernels.legality.IllegalKernelError: kernel: expected a positive semidefinite Gram \
matrix, got the eigenvalue -0.75 on the points [0.5]. No φ has K(x, z) = φ(x)·φ(z); take another.
    """
    found, rows = as_kernel(kernel), _checked_points(points)
    with np.errstate(all="ignore"):
        gram = np.array([[found(x, z) for z in rows] for x in rows])
    if not np.isfinite(gram).all():
        raise InputError(
            "points: expected kernel values within float64, got larger ones. Rescale the points."
        )
    _check_symmetry(gram, rows, found)
    values, vectors = np.linalg.eigh(gram)
    if not _is_negative(gram, values[0], vectors[:, 0]):
        return float(values[0])
    order = np.argsort(-np.abs(vectors[:, 0]), kind="stable")
    chosen, least = order, float(values[0])
    for count in range(1, len(rows)):  # as few points as possible
        part = np.sort(order[:count])
        inner = gram[np.ix_(part, part)]
        some, their = np.linalg.eigh(inner)
        if _is_negative(inner, some[0], their[:, 0]):
            chosen, least = part, float(some[0])
            break
    raise _refusal(
        f"a positive semidefinite Gram matrix, got the eigenvalue {least:.6g}",
        [rows[k] for k in np.sort(chosen)],
        least,
    )


def _checked_points(points: Iterable[npt.ArrayLike]) -> list[FloatArray]:
    try:
        rows = [np.asarray(p, np.float64) for p in points]
    except (TypeError, ValueError):
        raise InputError(
            f"points: expected vectors of numbers, got {points!r:.40}. Pass a list of them."
        ) from None
    if not rows:
        raise InputError("points: expected at least one, got none. Pass some vectors.")
    if len({row.shape for row in rows}) > 1 or rows[0].ndim > 1:
        raise InputError("points: expected vectors of one length, got several. Pad them with 0.")
    if not all(np.isfinite(row).all() for row in rows):
        raise InputError("points: expected finite numbers, got others. Drop those points.")
    return rows


def _check_symmetry(gram: FloatArray, rows: list[FloatArray], kernel: Kernel) -> None:
    lopsided = np.abs(gram - gram.T) > 8 * len(rows) * UNIT * np.abs(gram).max()
    if lopsided.any():
        i, j = (int(k) for k in np.argwhere(lopsided)[0])
        raise _refusal(
            f"K(x, z) = K(z, x), got {gram[i, j]!r} and {gram[j, i]!r}",
            [rows[i], rows[j]],
            float("nan"),
        )


def _is_negative(gram: FloatArray, eigenvalue: float, vector: FloatArray) -> bool:
    """Decide exactly whether v·Kv is negative, for an eigenvector v of a negative eigenvalue."""
    if eigenvalue >= -8 * len(gram) * UNIT * float(np.abs(gram).max()):
        return False
    v = [Fraction(float(c)) for c in vector]
    parts = (
        v[i] * v[j] * Fraction(float(gram[i, j])) for i in range(len(v)) for j in range(len(v))
    )
    return sum(parts, Fraction(0)) < 0


def _refusal(expected: str, points: list[FloatArray], eigenvalue: float) -> IllegalKernelError:
    shown = ", ".join(str(p.tolist()) for p in points[:5])
    more = "" if len(points) <= 5 else f" and {len(points) - 5} more"
    error = IllegalKernelError(
        f"kernel: expected {expected} on the points {shown}{more}. "
        "No φ has K(x, z) = φ(x)·φ(z); take another."
    )
    error.points, error.eigenvalue = points, eigenvalue
    return error
