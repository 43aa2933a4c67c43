"""What the theorems allow for a structured run."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from novikoff import _core
from novikoff.comparators.structured_comparators import Direction
from novikoff.errors import HypothesisError
from novikoff.playing.run import Run, play
from novikoff.receipts import objectives
from novikoff.streams import Stream
from novikoff.theory import Bound, named

_MORE_PASSES = 30  # in search of weights that separate

# Of a = R²‖w‖², Σ hinge and Σ hinge² over all passes.
_OBJECTIVES: dict[str, Callable[[float, float, float], float]] = {
    "hinge-tight": lambda a, loss, _: objectives.hinge_tight(a, loss),
    "hinge": lambda a, loss, _: objectives.hinge(a, loss),
    "freund-schapire": lambda a, _, squares: objectives.freund_schapire(a, squares),
}


def structured_bounds(run: Run, source: Stream) -> list[Bound]:
    """Evaluate the theorems with weights that were learned, each scaled for the theorem.

    They are the run's last weights, their average, and the last ones of a run that went on. How
    much better others are is not known.
    """
    measured = _Measured(run, source)
    found = []
    for theorem in _OBJECTIVES:
        candidates = measured.scaled(theorem)
        best = min(candidates, key=lambda one: measured.bound(theorem, *one).value)
        found.append(measured.bound(theorem, *best))
        if theorem == "hinge-tight":
            found.append(measured.bound("run", *best))
    wide = [one for one in measured.directions if len(one.bounded) and one.bounded.min() > 0]
    separating = [measured.bound("structured", one, Fraction(1)) for one in wide]
    found += sorted(separating, key=lambda bound: bound.value)[:1]
    if not all(bound.holds for bound in found):  # which no run does that keeps to its rule
        raise HypothesisError(
            "bounds: expected a problem whose best(w, x) scores no less than y, got one that gives "
            "a worse output. The theorems speak of exact ones alone."
        )
    return found


class _Measured:
    """A run's rounds, and the weights it is compared with."""

    def __init__(self, run: Run, source: Stream) -> None:
        learner: Any = run.learner
        X: list[Any] = []
        y: list[Any] = []
        for rounds in source.blocks():
            X += learner.fitting(rounds.rows).rows
            y += rounds.labels
        more = play(learner.fresh(), source, until_clean=True, max_passes=_MORE_PASSES).learner
        engines = ((learner.features, True), (learner.features, False), (more.features, True))
        self.directions = []
        for engine, last in engines:
            h = engine.hypothesis(last)
            self.directions.append(Direction.of(h.whole, engine.margins(h, X, y)))
        self.passes = run.ledger.rounds // len(X)
        self.mistakes = (run.ledger.mistake_rounds - 1) % len(X)
        self.known = {
            "radius2": round(run.ledger.radius**2),
            "mistake_energy": round(run.ledger.mistake_energy),
            "mistakes": run.mistakes,
        }

    def scaled(self, theorem: str) -> list[tuple[Direction, Fraction]]:
        """Return each direction with the scale that suits a theorem."""
        objective, passes = _OBJECTIVES[theorem], self.passes
        radius2 = self.known["radius2"]

        def value(norm2: float, hinge: float, hinge2: float) -> float:
            return objective(radius2 * norm2, passes * hinge, passes * hinge2)

        return [(one, one.scaled(value)) for one in self.directions]

    def bound(self, theorem: str, one: Direction, scale: Fraction) -> Bound:
        """Evaluate a theorem with a multiple of some weights, exactly."""
        hinge, hinge2 = one.losses(scale)
        evidence = self.known | {
            "norm2": scale**2 * one.norm2,
            "margin": scale * int(one.bounded.min(initial=_core.NO_OTHER)),
            "hinge": self.passes * hinge,
            "hinge2": self.passes * hinge2,
            "mistake_hinge": one.losses(scale, self.mistakes)[0],
        }
        value = named(theorem).evaluate(evidence).value
        return Bound(theorem, value, self.known["mistakes"], None, {"w": one.entries(scale)})
