"""A learner and its family are added from outside: nothing of the package is touched."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.receipts.family import FAMILIES, Family, Question, register
from novikoff.theory import theorem as theory

ROWS: list[Any] = [([2.0, -0.5], 1), ([-1.0, -3.0], -1), ([0.25, 0.0], 1), ([-4.0, 9.0], -1)] * 3


class SignPerceptron(nv.Learner):
    """w ← w + y sgn(x) on a mistake."""

    family: ClassVar[str] = "toy"

    def __init__(self) -> None:
        self.w, self._rounds = np.zeros(2), 0

    @property
    def parameters(self) -> dict[str, Any]:
        return {}

    @property
    def rounds(self) -> int:
        return self._rounds

    def predict(self, x: Any, /) -> int:
        return 1 if self.w @ np.sign(x) >= 0 else -1

    def update(self, x: Any, y: int, /) -> None:
        if self.predict(x) != y:
            self.w += y * np.sign(x)
        self._rounds += 1

    def hypothesis(self) -> nv.Halfspace:
        return nv.Halfspace(self.w)

    def state(self) -> dict[str, Any]:
        return {"w": self.w, "counts": np.array([self._rounds])}

    def restore(self, state: dict[str, Any]) -> None:
        self.w, self._rounds = state["w"], int(state["counts"][0])


def _bounds(question: Question) -> list[nv.Bound]:
    """Evaluate the toy theorem with the weights that were learned, if they separate the rounds."""
    w, least, radius2 = question.run.learner.w, np.inf, 0.0
    for rounds in question.stream.blocks():
        signs = np.array([np.sign(rounds.rows.row(t)) for t in range(len(rounds.rows))])
        least = min(least, float((np.array(rounds.labels) * (signs @ w)).min()))
        radius2 = max(radius2, float((signs**2).sum(axis=1).max()))
    evidence = {"radius2": radius2, "norm2": float(w @ w), "margin": least}
    bound = theory.named("toy-signs").evaluate(evidence)
    comparator = {"w": [[j, float(v)] for j, v in enumerate(w)]}
    return [nv.Bound(bound.theorem, bound.value, question.run.ledger.mistakes, None, comparator)]


class Replayed(verifier.Perceptron):
    """The verifier's part: the perceptron's arithmetic on the signs of the values."""

    theorems = ("toy-signs",)
    separated = "toy-signs"

    def rounds(self) -> Iterator[tuple[Any, Any]]:
        for y, (places, values) in self.data:
            yield y, (places, [(v > 0) - (v < 0) for v in values])


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the toy: its theorem, its family and its verifier part."""
    statement = "M ≤ R²‖w‖²/γ² on the signs of x, where γ = min_t y_t w·sgn(x_t) > 0"
    monkeypatch.setitem(verifier.THEOREMS, "toy-signs", verifier.Theorem(statement))
    monkeypatch.setitem(verifier.LEARNERS, "SignPerceptron", Replayed)
    monkeypatch.setitem(verifier.PARAMETERS, "SignPerceptron", {})

    @theory.theorem("toy-signs", "novikoff1962", families=("toy",))
    def toy_signs(radius2: float, norm2: float, margin: float) -> Fraction:
        """Proof: as for `novikoff`.

        Tight: as for `novikoff`.
        """
        theory.require(margin > 0, "toy-signs", "a margin above 0", margin)
        return Fraction(radius2) * Fraction(norm2) / Fraction(margin) ** 2

    register(Family("toy", _bounds))
    yield
    del theory.REGISTRY["toy-signs"], FAMILIES["toy"]


@pytest.mark.usefixtures("toy")
def test_a_family_added_from_outside_has_bounds_and_certificates_that_verify() -> None:
    """Four places are enough: a learner, a theorem, a family record and a verifier part."""
    run = nv.play(SignPerceptron(), ROWS, passes=2)
    (bound,) = nv.bounds(run)
    assert (bound.theorem, bound.holds) == ("toy-signs", True)
    assert bound.observed == run.mistakes > 0
    certificate = nv.certify(run)
    assert (certificate.theorem, certificate.bound) == ("toy-signs", bound.value)
    assert nv.verify(certificate, ROWS).verified
    other = [(x, -y) for x, y in ROWS]
    assert not nv.verify(certificate, other).verified


@pytest.mark.usefixtures("toy")
def test_a_toy_run_is_refused_for_the_usual_reasons() -> None:
    """What every labelled run must be, such as begun fresh, is checked for every family."""
    run = nv.play(SignPerceptron(), ROWS)
    with pytest.raises(nv.HypothesisError, match="a theorem about SignPerceptron \\(toy-signs\\)"):
        nv.certify(run, theorem="novikoff")
    with pytest.raises(nv.HypothesisError, match="begun on a used learner"):
        nv.certify(nv.Run(run.learner).play(ROWS))
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, [(x, -y) for x, y in ROWS])


def test_a_learner_without_a_family_is_refused_by_name() -> None:
    """The learner names a family; without its record there are no bounds."""
    run = nv.play(SignPerceptron(), ROWS)
    with pytest.raises(nv.HypothesisError, match=r"got SignPerceptron\. Certify another run"):
        nv.bounds(run)
