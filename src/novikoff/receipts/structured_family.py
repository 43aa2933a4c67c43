"""The family of the structured perceptron."""

from collections.abc import Callable
from fractions import Fraction

from novikoff import _core
from novikoff.comparators.structured_comparators import Direction
from novikoff.errors import HypothesisError
from novikoff.learners import StructuredPerceptron
from novikoff.learners.structured.structured_perceptron import as_problem
from novikoff.playing.play import play
from novikoff.playing.run import Run
from novikoff.receipts import objectives
from novikoff.receipts.family import (
    Family,
    Labels,
    Parameters,
    Question,
    register,
)
from novikoff.receipts.rereading import (
    Rereading,
    Sentences,
    plain_rows,
    replayable,
    understood,
)
from novikoff.streams import Stream, as_examples
from novikoff.structures import Chains
from novikoff.theory import Bound, named

MORE_PASSES = 30  # in search of separating weights

# Functions of a = R²‖w‖², Σ hinge and Σ hinge² over all passes.
_OBJECTIVES: dict[str, Callable[[float, float, float], float]] = {
    "hinge-tight": lambda a, loss, _: objectives.hinge_tight(a, loss),
    "hinge": lambda a, loss, _: objectives.hinge(a, loss),
    "freund-schapire": lambda a, _, squares: objectives.freund_schapire(a, squares),
}


def _bounds(question: Question) -> list[Bound]:
    """Evaluate the theorems with learned weights, scaled for each theorem.

    These are the run's last weights, their average, and the last weights of a run that went on.
    Nobody knows how much better other weights would be.
    """
    measured = _Measured(question.run, question.stream)
    found = []
    for theorem in _OBJECTIVES:
        alike = [theorem, *(["run"] if theorem == "hinge-tight" else [])]
        asked = [name for name in alike if question.about(name)]
        if asked:
            best = measured.best(theorem)
            found += [measured.bound(name, *best) for name in asked]
    if question.about("structured"):
        wide = [one for one in measured.directions if len(one.bounded) and one.bounded.min() > 0]
        separating = [measured.bound("structured", one, Fraction(1)) for one in wide]
        found += sorted(separating, key=lambda bound: bound.value)[:1]
    if not all(bound.holds for bound in found):  # a run that follows its rule never does this
        raise HypothesisError(
            "bounds: expected a problem whose best(w, x) scores no less than y, got one that gives "
            "a worse output. The theorems need an exact argmax."
        )
    return found


def _learner(run: Run) -> StructuredPerceptron:
    assert isinstance(run.learner, StructuredPerceptron)
    return run.learner


class _Measured:
    """A run's rounds, and the weights it is compared with."""

    def __init__(self, run: Run, source: Stream) -> None:
        learner = _learner(run)
        X: list[object] = []
        y: list[object] = []
        for rounds in source.blocks():
            X += learner.fitting(rounds.rows).rows
            y += rounds.labels
        again = play(learner.fresh(), source, until_clean=True, max_passes=MORE_PASSES)
        more = _learner(again)
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

    def best(self, theorem: str) -> tuple[Direction, Fraction]:
        """Return the weights and scale that give a theorem its smallest bound."""
        return min(self.scaled(theorem), key=lambda one: self.bound(theorem, *one).value)

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


def chains(run: Run) -> Parameters:
    """State the problem, if anybody can compute its features again."""
    problem = _learner(run).problem
    if not isinstance(problem, Chains) or problem.function is not None:
        raise HypothesisError(
            "certify: expected chains with templates of text, or features that are given, "
            f"which anybody can read again, got {problem!r}. Certify another run."
        )
    return run.ledger.parameters


def tags(run: Run, stream: Stream) -> Labels:
    """Name the tags of a run."""
    return {"tags": list(_learner(run).hypothesis().labels)}


def sentences(source: object, parameters: Parameters) -> Rereading | Sentences:
    """Return sentences with the features of their positions."""
    problem = understood(parameters, "problem", lambda found: as_problem(dict(found)))
    if not isinstance(problem, Chains):
        return plain_rows(source, parameters)
    return Sentences(replayable(as_examples(source)), problem)


register(
    Family(
        "structured-perceptron",
        _bounds,
        parameters=chains,
        labels=tags,
        rereading=sentences,
    )
)
