"""A run that goes on from another has bounds, or an error says why it has none."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import novikoff as nv
from cases import CASES
from novikoff.errors import NovikoffError

ROWS = [([1.0, 0.5], 0), ([0.3, -2.0], 1), ([1.0, 1.0], 0), ([-1.0, 0.2], 1)]
MAKERS: dict[str, Callable[[], Any]] = {
    **{case.name: case.make for case in CASES if not case.name.startswith("mixed-classes")},
    "members": lambda: nv.Blend(members=[nv.AdaptiveGradient(1.0), nv.BaseRate()]),
    "forward-regression": nv.ForwardRegression,
}


def played(run: Any) -> Any:
    for x, y in ROWS:
        run.learn(x, y)
    return run


def loaded(run: Any) -> Any:
    return nv.Run.from_contents(*run.contents())


@pytest.mark.parametrize("name", MAKERS)
def test_only_our_own_errors(name: str) -> None:
    learner = MAKERS[name]()
    classes = range(learner.classes or 2) if learner.multiclass else ()
    run = played(nv.Run(learner, labels=[*classes]))
    stream = nv.stream([x for x, _ in ROWS], [y for _, y in ROWS])
    on = played(run.continued())
    for one in (on, played(loaded(run).continued()), played(loaded(on).continued()), loaded(on)):
        for receipt in (nv.bounds, nv.certify):
            with suppress(NovikoffError):
                receipt(one, stream)
    with suppress(NovikoffError):
        nv.bounds(run.continued(), stream)  # of no round
    with suppress(NovikoffError):
        nv.certify(run.continued(), stream)


@pytest.mark.parametrize("name", ["members", "ellipsoid", "centroid"])
def test_a_run_from_a_model_needs_a_theorem_with_a_start(name: str) -> None:
    run = played(nv.Run(MAKERS[name]()))
    assert nv.bounds(run, nv.stream([x for x, _ in ROWS], [y for _, y in ROWS]))
    with pytest.raises(nv.HypothesisError, match="from the learner's first round, or one of"):
        nv.bounds(played(run.continued()))
