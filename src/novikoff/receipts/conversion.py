"""From online to batch: what a run says about examples it has not seen.

Every theorem here needs examples drawn independently from one distribution. err(h) is the chance
that h is wrong on one more example; h_t is the learner's hypothesis in round t.
"""

import itertools
import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novikoff import _core
from novikoff.decimal_contexts import decimals
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners import Learner
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run
from novikoff.quick_records import record
from novikoff.receipts.counted_rounds import counted_rounds
from novikoff.receipts.error_bounds import checked_share, mixture_bound, upward
from novikoff.streams import Rounds, Stream, as_stream

if TYPE_CHECKING:  # most runs need only their error bound
    from fractions import Fraction

_STOPPING = 0x73746F70  # keeps the draw of the stopping time apart from the learner's own draws


class Stopped(NamedTuple):
    """The hypothesis after the rounds of ``ledger``, the first rounds of a sample."""

    hypothesis: Hypothesis
    ledger: Ledger
    sample: int
    promise: str


@record(frozen=True, kw_only=True)
class Tested:
    """The hypothesis that passed after ``index`` others had failed, and the examples used."""

    __test__ = False  # pytest would take the name for a test
    hypothesis: Hypothesis
    index: int
    examples: int
    epsilon: float
    delta: float
    promise: str
    mistake_bound: float

    @property
    def allowed(self) -> int | None:
        """Σ_{i≤B} n_i, the most examples that a learner with B mistakes needs; None without B."""
        tests = range(0 if self.mistake_bound == math.inf else math.floor(self.mistake_bound) + 1)
        sizes = (_test_size(i, self.epsilon, self.delta) for i in tests)
        return sum(sizes) + self.hypothesis.multiclass if tests else None

    @property
    def exceeded(self) -> bool:
        """Whether more hypotheses failed than B allows; the promised error holds anyway."""
        return self.index > self.mistake_bound


class ErrorBound(NamedTuple):
    """``value`` for a hypothesis drawn uniformly from h_1..h_T, ``vote`` for their vote."""

    value: float
    vote: float
    delta: float
    rounds: int
    mistakes: int
    along: tuple[tuple[int, int, float], ...]  # rounds, mistakes, value; all hold at once
    assumes: tuple[str, ...]

    def __repr__(self) -> str:
        """Leave out what is long: the bounds along the run, and what they assume."""
        return (
            f"ErrorBound(value={self.value}, vote={self.vote}, delta={self.delta}, "
            f"rounds={self.rounds}, mistakes={self.mistakes}, …)"
        )


class LeaveOneOut(NamedTuple):
    """``value`` for a hypothesis drawn uniformly from h_1..h_{m+1}, ``vote`` for their vote."""

    value: float
    vote: float
    estimated: bool
    rounds: int
    mistakes: int
    assumes: tuple[str, ...]


class ExpectedLoss(NamedTuple):
    """``value`` is an unbiased estimate of a bound on the expected loss of a mean."""

    value: float
    rounds: int
    assumes: tuple[str, ...]


def random_stopping(
    learner: Learner, stream: object, *, epsilon: float, mistake_bound: float, seed: int
) -> Stopped:
    """Stop a learner after a random number of rounds, so that its expected error is at most ε.

    The theorem ``random-stopping``: E[err] ≤ ε for h_{τ+1}, τ uniform in 0..m−1 and m = ⌈B/ε⌉.

    Needs i.i.d. examples and a fresh learner that makes at most B mistakes on any of their
    sequences: E[err(h_{τ+1})] = E[M_m]/m ≤ B/m, over examples and τ, a function of the seed. It
    plays τ rounds but reads m examples, so that τ does not decide whether a stream is too short.
    The promise is about the learner at that moment; its hypothesis has weights rounded once, and 0
    for unseen features (except Minnow). With many classes it plays one more round, to know a class.

    >>> import itertools, novikoff as nv
    >>> examples = itertools.cycle([((1, 0), 1), ((0, 1), -1)])  # stands for i.i.d. draws
    >>> stopped = random_stopping(nv.Perceptron(), examples, epsilon=0.1, mistake_bound=1, seed=7)
    >>> stopped.sample, stopped.ledger.rounds, stopped.promise
    (10, 2, 'E[err] ≤ 0.1')
    """
    source, epsilon, bound = (
        as_stream(stream),
        checked_share("epsilon", epsilon),
        _mistakes(mistake_bound),
    )
    if _online(learner).rounds:
        raise parameter("learner", "one that has seen nothing", learner, "Pass learner.fresh().")
    if not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise parameter("seed", "a whole number from 0 to 2^64 − 1", seed)
    size = max(1, math.ceil(bound / type(bound)(epsilon)))
    if size >= 2**62:
        raise parameter("epsilon", "a larger one, for a sample below 2^62", epsilon)
    sample, played = size + learner.multiclass, _drawn(int(seed), size) + learner.multiclass
    if source.rounds is not None and source.rounds < sample:
        raise _too_short(source, sample, source.rounds)
    examples = _examples(source)
    run = Run(learner, positive=source.positive, labels=source.declared)
    run.play(itertools.islice(examples, played))
    read, rest = learner.rounds, itertools.islice(examples, sample - played)
    for read, (x, y, *_) in enumerate(rest, played + 1):
        run.labels.encode([y], read)  # so that the hypothesis can name labels it has not met
        _introduce(learner, x)
    if read < sample:
        raise _too_short(source, sample, read)
    _mistakes(mistake_bound, run.mistakes)
    return Stopped(run.hypothesis(), run.ledger, sample, f"E[err] ≤ {epsilon}")


def controlled_testing(
    learner: Learner,
    sampler: object,
    *,
    epsilon: float,
    delta: float,
    mistake_bound: float = math.inf,
) -> Tested:
    """Learn until a hypothesis passes a test that promises an error of at most ε.

    The theorem ``controlled-testing``: with probability ≥ 1 − δ, err ≤ ε for the hypothesis
    returned. Hypothesis i = 0, 1, … is tested on n_i = ⌈ln(1/δ_i)/ε⌉ fresh examples,
    δ_i = δ/(i+2)². If it makes no error, it is returned; at its first error the learner learns that
    example and the next test begins. Needs i.i.d. examples, and nothing of the learner: a
    hypothesis with err > ε passes with probability (1 − ε)^{n_i} ≤ δ_i. If the learner makes at
    most B mistakes, Σ_{i≤B} n_i examples are enough. A sampler that ends within a test is refused;
    on endless noisy examples no hypothesis may ever pass. With many classes, the learner learns the
    first example, to know a class.

    >>> import itertools, novikoff as nv
    >>> sampler = itertools.cycle([((1, 0), 1), ((0, 1), -1)])  # stands for i.i.d. draws
    >>> found = controlled_testing(
    ...     nv.Perceptron(), sampler, epsilon=0.1, delta=0.05, mistake_bound=1)
    >>> found.index, found.examples, found.allowed, found.promise
    (1, 54, 96, 'with probability at least 1 − 0.05: err ≤ 0.1')
    """
    source, epsilon, delta = (
        as_stream(sampler),
        checked_share("epsilon", epsilon),
        checked_share("delta", delta),
    )
    _mistakes(0 if mistake_bound == math.inf else mistake_bound)
    run = Run(_online(learner), positive=source.positive, labels=source.declared)
    index = passed = used = 0
    size, frozen = _test_size(0, epsilon, delta), None
    for used, (x, y, *weight) in enumerate(_examples(source), 1):
        code = run.labels.encode([y], used)[0]
        if learner.multiclass and learner.rounds == 0:
            run.learn(x, y, *weight)
            continue
        passed += 1
        try:
            _introduce(learner, x)
            frozen = frozen or learner.hypothesis()
            wrong = frozen(x) != code
        except InputError as error:
            raise InputError(f"example {used}: {error}") from None
        if wrong:
            run.learn(x, y, *weight)
            index, passed, frozen = index + 1, 0, None
            size = _test_size(index, epsilon, delta)
        elif passed == size:
            promise = f"with probability at least 1 − {delta}: err ≤ {epsilon}"
            return Tested(
                hypothesis=run.hypothesis(),
                index=index,
                examples=used,
                epsilon=epsilon,
                delta=delta,
                promise=promise,
                mistake_bound=mistake_bound,
            )
    raise _too_short(source, used + size - passed, used)


def error_bound(ledger: Ledger | Run, delta: float = 0.05) -> ErrorBound:
    """Bound the error on new examples by the mistakes of a run, without a test set.

    The theorem ``progressive-mixture``: with probability ≥ 1 − δ, at all T, (1/T) Σ err(h_t)
    ≤ the value. That mean is the error of a hypothesis drawn uniformly from h_1..h_T. Their vote
    errs at most twice as often, because half of them err if it does (for the vote of
    ``VotedPerceptron.hypothesis()``, h_2..h_{T+1}, add 2/T); nothing is promised for an average of
    weights. Needs i.i.d. examples, none seen before its round: a second pass or a batch learner is
    refused. A used learner is fine, because h_t must only be made before round t; nobody can check
    that it began with other examples (``assumes``). Abstentions count as mistakes, as early as
    possible, so that the bound covers an h_t that is made to answer. With many classes round 1
    counts as a mistake too: no class is known yet.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Perceptron(), [((1, 0), 1), ((0, 1), -1)] * 500)
    >>> found = error_bound(run.ledger)
    >>> found.rounds, found.mistakes, round(found.value, 4), round(found.vote, 4)
    (1000, 1, 0.0082, 0.0165)
    """
    return _error_bound(*counted_rounds(ledger, "progressive-mixture"), delta)


def last_error_bound(ledger: Ledger, delta: float = 0.05) -> ErrorBound:
    """Return ``error_bound`` with ``along`` for the last round alone, which takes less time."""
    counted, assumes = counted_rounds(ledger, "progressive-mixture")
    return _error_bound(counted[-1:], assumes, delta)


def _error_bound(
    counted: list[tuple[int, int]], assumes: tuple[str, ...], delta: float
) -> ErrorBound:
    along = tuple((t, m, mixture_bound(m, t, delta)) for t, m in counted)
    total, made, value = along[-1]
    return ErrorBound(value, min(1.0, 2 * value), float(delta), total, made, along, assumes)


def leave_one_out(ledger: Ledger | Run, mistake_bound: float | None = None) -> LeaveOneOut:
    """Estimate the error on new examples by the mistakes of a run, in expectation.

    The theorem ``leave-one-out``: E[err] ≤ E[M_{m+1}]/(m+1) for h drawn uniformly from
    h_1..h_{m+1}.

    Their vote errs at most twice as often (``VotedPerceptron`` after m rounds leaves h_1 out: times
    (m+1)/m). Needs i.i.d. examples and one pass of m + 1 rounds. The value is M/(m+1), the run's
    unbiased estimate, or B/(m+1) with a mistake bound. It refuses what ``error_bound`` refuses,
    averaged weights, which have no such guarantee, and a vote that forgets.

    >>> import novikoff as nv
    >>> run = nv.play(nv.VotedPerceptron(), [((1, 0), 1), ((0, 1), -1)] * 500)
    >>> found = leave_one_out(run.ledger)
    >>> found.value, found.vote, found.estimated
    (0.001, 0.002, True)
    """
    counted, assumes = counted_rounds(ledger, "leave-one-out")
    total, made = counted[-1]
    bound = _mistakes(made if mistake_bound is None else mistake_bound, ledger.mistakes)
    value = min(1.0, upward(bound / total))
    return LeaveOneOut(value, min(1.0, 2 * value), mistake_bound is None, total, made, assumes)


def expected_loss(ledger: Ledger) -> ExpectedLoss:
    """Estimate the loss on new examples of a model that averages the states of a run.

    The theorem ``jensen``: E[risk] ≤ E[L]/T for the mean of hypotheses drawn uniformly from
    h_1..h_T.

    That is the model of ``Blend(freeze="snapshots")``, the mean of the probabilities of sixteen
    states. The value is L/T, the run's mean loss, an unbiased estimate of the right side; the
    expectation is over examples and draws. Needs i.i.d. examples, one pass and no weights. The last
    state alone has no such guarantee and is refused: ``test`` it on fresh rows.

    >>> import novikoff as nv
    >>> rounds = [((1, 0), 1), ((0, 1), -1)] * 500
    >>> run = nv.play(nv.Blend(freeze="snapshots"), rounds)
    >>> expected_loss(run.ledger).value == run.ledger.mean_loss
    True
    """
    counted, assumes = counted_rounds(ledger, "jensen")
    for fault, expected, got in (
        (not hasattr(ledger, "loss"), "a learner with a loss", ledger.learner),
        (ledger.weighted, "rounds that weigh the same", "weights of rounds"),
        (
            ledger.parameters.get("freeze") != "snapshots",
            "a mean of hypotheses, as of Blend(freeze='snapshots')",
            f"the last one of {ledger.learner}",
        ),
    ):
        if fault:
            raise HypothesisError(
                where="jensen", expected=expected, got=got, remedy="Test the model on fresh rows."
            )
    return ExpectedLoss(ledger.mean_loss, counted[-1][0], assumes)


def _examples(source: Stream) -> Iterator[tuple[Any, ...]]:
    for rounds in source.blocks():
        rows, labels, weights, _ = Rounds(*rounds)
        columns = (labels,) if weights is None else (labels, weights)
        yield from ((rows.row(t), *(c[t] for c in columns)) for t in range(len(rows)))


def _introduce(learner: Learner, x: object) -> None:
    """Tell a learner the form of its examples, so that h_1 exists before any round."""
    if learner.rounds == 0:
        learner.introduce(x)


def _online(learner: Learner) -> Learner:
    ours = isinstance(learner, Learner) and learner.direct and not learner.batch
    if not ours or learner.averages(learner.parameters):
        expected = "one of this library's that predicts with its hypothesis(), made from the past"
        raise parameter("learner", expected, learner, "Use Perceptron.")
    return learner


def _test_size(index: int, epsilon: float, delta: float) -> int:
    """n_i = ⌈ln((i+2)²/δ)/ε⌉, exactly: ln is irrational here, so some precision decides."""
    share, most = Decimal.from_float(delta), Decimal.from_float(epsilon)
    for digits in itertools.count(30, 30):
        up, down = (decimals(digits, r) for r in (ROUND_CEILING, ROUND_FLOOR))
        low, high = (c.ln(c.divide((index + 2) ** 2, share)) for c in (down, up))
        high = up.divide(up.next_plus(high), most)
        if math.ceil(down.divide(down.next_minus(low), most)) == math.ceil(high):
            break
    return math.ceil(high)


def _drawn(seed: int, below: int) -> int:
    """Return a whole number from 0 to below − 1, uniform over seeds."""
    limit = 2**64 - 2**64 % below  # larger words would favour small numbers
    words = (w for k in itertools.count() for w in _core.philox([k, 0, 0, 0], [seed, _STOPPING]))
    return next(word for word in words if word < limit) % below


def _mistakes(bound: float, made: int = 0) -> "Fraction":
    from fractions import Fraction

    if not (isinstance(bound, Real) and made <= bound < math.inf):
        raise parameter("mistake_bound", f"a number of at least {made}, the mistakes made", bound)
    return Fraction(int(bound) if isinstance(bound, (int, np.integer)) else float(bound))


def _too_short(source: Stream, wanted: int, got: int) -> InputError:
    missing = f"expected {wanted} examples, got {got}: {wanted - got} are missing"
    return InputError(f"{source.name}: {missing}, and nothing is promised. Draw more.")
