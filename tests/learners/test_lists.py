"""A list or a tuple of numbers is the vector that it spells, for every learner."""

from typing import Any

import numpy as np
import pytest

import novikoff as nv
from cases import CASES, Case, labels

every_learner = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)


class Odd(float):
    """A number whose methods are the user's."""


def _played(case: Case) -> tuple[nv.Run, Any]:
    rng = np.random.default_rng(3)
    X = rng.integers(-9, 10, (60, 5)) / 10
    run = nv.play(case.make(), nv.stream(X, labels(case, rng, X @ rng.standard_normal(5))))
    return run, rng.integers(-3, 4, (40, 5))


@every_learner
def test_lists_and_tuples_predict_as_their_vector(case: Case) -> None:
    run, Z = _played(case)
    for z in Z:
        expected = run.predict_one(z.astype(np.float64))
        mixed = [float(z[0]), *z[1:].tolist()]
        subclass = [Odd(z[0]), *z[1:].tolist()]
        for x in (z.tolist(), tuple(z.tolist()), z.astype(float).tolist(), mixed, subclass):
            assert run.predict_one(x) == expected, x


@every_learner
def test_a_list_that_is_no_vector_is_refused_as_before(case: Case) -> None:
    run, _ = _played(case)
    for x in ([1.0, 2.0, 3.0, 4.0, float("nan")], [1, 2, 3, 4, float("inf")], [1.0, 2.0],
              [1.0, 2.0, 3.0, 4.0, "five"], [1, 2, 3, 4, 2**53 + 1]):  # fmt: skip
        with pytest.raises(nv.InputError, match=r"^(x|row 1): expected"):
            run.predict_one(x)
