"""The structured perceptron."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Parameters, Slice
from novikoff.learners.structured.chain_engine import ChainEngine
from novikoff.learners.structured.engine import Engine
from novikoff.learners.structured.output_engines import PlainEngine, TreeEngine
from novikoff.streams import Block, ExampleBlock, Outputs, Stream, as_examples
from novikoff.streams.labels.declared import Declared
from novikoff.structures import Chains, Problem, Trees
from novikoff.types import AnyArray, FloatArray, Label

if TYPE_CHECKING:
    from novikoff.learners.structured.mixed_structured import MixedStructuredPerceptron


class StructuredPerceptron(Learner):
    """The perceptron for outputs of many parts: the tags of a sentence, or a tree.

    w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake, ŷ = argmax_z w·Φ(x, z)   (collins2002, Fig. 1).

    A mistake is a round whose ŷ is not y, whatever the number of parts that differ. The ledger's
    radius is max ‖Φ(x, y) − Φ(x, ŷ)‖ over the updates. Counts are whole numbers, and so are
    weights and scores: no decision is rounded. ``averaged`` makes ``hypothesis()`` the average of
    the weights after each round; it predicts online with the current ones.

    ``problem`` says what x, y and Φ are: ``Chains`` for sentences and their tags, ``Trees`` for
    dependency trees, ``Classes``, or any ``Problem``.

    >>> import novikoff as nv
    >>> rounds = [(["they", "run"], ["PRON", "VERB"]), (["dogs", "run"], ["NOUN", "VERB"])]
    >>> run = nv.play(nv.StructuredPerceptron(nv.Chains("w[0]")), rounds, until_clean=True)
    >>> run.mistakes, run.predict_one(["they", "run"])
    (3, ['PRON', 'VERB'])
    """

    family: ClassVar[str] = "structured-perceptron"
    direct: ClassVar[bool] = False
    outputs: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = False
    plays_blocks: ClassVar[bool] = True

    def __init__(self, problem: object, averaged: bool = True) -> None:
        self.problem = as_problem(problem)
        if not isinstance(averaged, bool):
            raise parameter("averaged", "True or False", averaged)
        self.averaged = averaged
        self.features: Engine[Any] = _engine(self.problem, averaged)
        """The weights, with what the problem makes of them."""

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        plain = {"kind": type(self.problem).__name__, **self.problem.arguments}
        return {"problem": plain, "averaged": self.averaged}

    @property
    def unmixed(self) -> str:  # type: ignore[override]
        """Why its weights cannot be mixed, if it is played in shards: "whose …"."""
        return "" if isinstance(self.problem, Chains) else "whose outputs are not chains"

    def with_shards(
        self, rows: Iterable[int], labels: Sequence[Label]
    ) -> "MixedStructuredPerceptron":
        """Return a learner of shards with so many sentences each, and these tags in all."""
        from novikoff.learners.structured.mixed_structured import MixedStructuredPerceptron

        plain = {**as_problem(self.problem).arguments, "tags": [*map(str, labels)]}
        return MixedStructuredPerceptron(rows, Chains.of(plain), self.averaged)

    def fresh(self) -> Self:
        """Return a learner of the same problem that has seen nothing."""
        return type(self)(self.problem, self.averaged)

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self.features.rounds

    @property
    def dimension(self) -> int:
        """How many features have appeared."""
        return self.features.dimension

    @property
    def weight_norm(self) -> float:
        """The length of the weights, ‖w‖."""
        return math.sqrt(self.features.norm2)

    @property
    def nbytes(self) -> int:
        """The memory the learner holds."""
        return self.features.nbytes

    def predict(self, x: object, /) -> Any:
        """Return the output predicted for x; changes nothing."""
        return self.features.predict(x)

    def update(self, x: object, y: object, /) -> None:
        """Learn that the output of x is y."""
        self.learn_row(ExampleBlock([x]), y, _core.Tally(), None)

    def stream_of(self, source: object) -> Stream:
        """Take a stream as it is, and any iterable of (x, y) as a stream of examples."""
        return as_examples(source)

    def block_of(self, x: object) -> ExampleBlock:
        """Take one x as a block of one example."""
        return ExampleBlock([x])

    def label_map(self, positive: Label | None, labels: Declared) -> Outputs:
        """Return the label map, which leaves outputs as they are."""
        if positive is not None:
            raise parameter("positive", "None with a structured learner", positive)
        return Outputs().declared(labels) if labels else Outputs()

    def declare(self, tally: _core.Tally) -> None:
        """Declare no measures beyond the counts."""

    def fix_form(self, block: Block) -> None:
        """Do nothing: the problem says what an example is."""

    def learn_row(
        self, block: Block, code: object, tally: _core.Tally, weights: FloatArray | None
    ) -> object:
        """Play the one round of a block of one row; return the prediction."""
        assert isinstance(block, ExampleBlock)
        outputs = [code]
        if self.features.expect(block, outputs) == 0:
            raise InputError(f"x: {self.features.fault(block.rows[0], code)}")
        prediction = self.features.predict(block.rows[0])
        self.features.play(block, outputs, 0, 1, tally)
        return prediction

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        block, y, _, start, stop = rows
        assert isinstance(block, ExampleBlock)
        done = self.features.play(block, y, start, stop, tally)
        if done < stop:
            block.reason = self.features.fault(block.rows[done], y[done])
        return done

    def fitting(self, block: Block) -> ExampleBlock:
        """Return the block if it holds examples of a structure."""
        if not isinstance(block, ExampleBlock):
            raise InputError(
                "stream: expected examples of a structure, got rows of features. Pass pairs of a "
                "sentence and its tags, or read a file of columns: nv.read(path, 'conll')."
            )
        return block

    def checked_weights(self, weights: object, count: int) -> FloatArray:
        """Refuse weights, because every update has weight 1."""
        raise InputError(
            "weights: expected none, got some: StructuredPerceptron has whole numbers for weights. "
            "Play without them."
        )

    def hypothesis(self) -> Hypothesis:
        """Return the average of the weights, or the last ones if it is not averaged."""
        found: Hypothesis = self.features.hypothesis()
        return found

    @classmethod
    def knows_labels(cls, parameters: Mapping[str, object]) -> bool:
        """Say whether the problem has its tags from the start: ``Chains(tags=…)``."""
        problem = parameters["problem"]
        return not isinstance(problem, Mapping) or problem.get("tags", ()) is not None

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return self.features.state()

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        self.features.restore(state)


def as_problem(problem: object) -> Chains | Problem:
    """Take a problem, or its arguments as plain data."""
    if isinstance(problem, dict):
        arguments = dict(problem)
        kind = arguments.pop("kind", None)
        if kind == "Chains":
            return Chains(**arguments)
        if kind in Problem.kinds:
            return Problem.kinds[kind](**arguments)
    if isinstance(problem, (Chains, Problem)):
        return problem
    raise parameter("problem", "nv.Chains(…), nv.Trees() or another Problem", problem)


def _engine(problem: Chains | Problem, averaged: bool) -> Engine[Any]:
    if isinstance(problem, Chains):
        return ChainEngine(problem, averaged)
    if isinstance(problem, Trees) and type(problem) is Trees:
        return TreeEngine(problem, averaged)
    return PlainEngine(problem, averaged)
