"""The family of the structured perceptron in shards: chains whose weights are mixed."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff.comparators.structured_comparators import Direction
from novikoff.learners import Chain, MixedStructuredPerceptron, StructuredPerceptron
from novikoff.learners.structured.engine import Engine
from novikoff.learners.structured.mixed_structured import UNIT
from novikoff.playing.play import play
from novikoff.playing.run import Run
from novikoff.receipts import objectives
from novikoff.receipts.family import Family, Question, register
from novikoff.receipts.structured_family import MORE_PASSES, chains, sentences, tags
from novikoff.streams import Stream
from novikoff.theory import Bound, named

_THEOREM = "parameter-mixing"


def _bounds(question: Question) -> list[Bound]:
    """Evaluate the theorem with learned weights, scaled to make the bound small.

    These are the run's last weights, their average, and the last weights of one learner of all
    sentences. Nobody knows how much better other weights would be.
    """
    if not question.about(_THEOREM):
        return []
    measured = _measured(question.run, question.stream)
    found = [measured.bound(one, one.scaled(measured.value)) for one in measured.directions]
    return [min(found, key=lambda bound: bound.value)]


@dataclass(frozen=True)
class _Measured:
    """A run, and the weights it is compared with."""

    run: Run
    learner: MixedStructuredPerceptron
    passes: int
    directions: list[Direction]

    @property
    def _radius2(self) -> int:
        return round(self.run.ledger.radius**2)

    def value(self, norm2: float, hinge: float, _: float) -> float:
        """Return the bound, but for the rounding of the means, which changes it little."""
        shards = len(self.learner.shards)
        loss = self.passes * hinge / shards
        return shards * objectives.hinge_tight(self._radius2 * norm2, loss)

    def bound(self, one: Direction, scale: Fraction) -> Bound:
        """Evaluate the theorem with a multiple of some weights, exactly."""
        moved, unit, grown = self.learner.means.moved_by(UNIT)
        hinge, _ = one.losses(scale)
        evidence = {
            "radius2": self._radius2,
            "norm2": scale**2 * one.norm2,
            "hinge": self.passes * hinge,
            "shards": len(self.learner.shards),
            "rounding_product": scale * unit * self._product(one, moved.tolist()),
            "rounding_norm2": grown,
        }
        value = named(_THEOREM).evaluate(evidence).value
        return Bound(_THEOREM, value, self.run.mistakes, None, {"w": one.entries(scale)})

    def _product(self, one: Direction, moved: list[int]) -> int:
        """Return w·Δ in whole numbers; Δ has the moves first, w has them last."""
        count = len(self.learner.problem.tags or ())
        cut = (count + 1) * count
        rows = np.array(moved[cut:] + moved[:cut], np.int64).reshape(-1, count).T
        places = np.nonzero(rows)
        pairs = zip(one.weights[places].tolist(), rows[places].tolist(), strict=True)
        return sum(v * d for v, d in pairs)


def _measured(run: Run, source: Stream) -> _Measured:
    learner = run.learner
    assert isinstance(learner, MixedStructuredPerceptron)
    X: list[object] = []
    y: list[object] = []
    for rounds in source.blocks():
        X += learner.fitting(rounds.rows).rows
        y += rounds.labels
    alone = StructuredPerceptron(learner.problem, averaged=False)
    again = play(alone, source, until_clean=True, max_passes=MORE_PASSES).learner.features
    pairs: list[tuple[Engine[Chain], Chain]] = [
        (learner.features, learner.hypothesis(last=True)),
        (learner.features, learner.hypothesis()),
        (again, again.hypothesis()),
    ]
    directions = [Direction.of(h.whole, engine.margins(h, X, y)) for engine, h in pairs]
    return _Measured(run, learner, run.ledger.rounds // len(X), directions)


register(
    Family(
        "structured-parameter-mixing",
        _bounds,
        parameters=chains,
        labels=tags,
        rereading=sentences,
    )
)
