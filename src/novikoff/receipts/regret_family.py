"""The families of learners with experts or arms, one theorem each."""

from collections.abc import Callable

import numpy as np

from novikoff import verifier
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.playing.run import Run
from novikoff.receipts.family import (
    Evidence,
    Family,
    Labels,
    Parameters,
    Question,
    positive,
    register,
)
from novikoff.receipts.reread_rounds import kept
from novikoff.streams import Stream
from novikoff.streams.blocks.block import DenseBlock
from novikoff.streams.environments import Environment, as_environment
from novikoff.theory import Bound, named
from novikoff.types import FloatArray

DELTA = 0.05
"""The δ of theorems that hold with probability 1 − δ, if the learner has no δ of its own."""

Measures = dict[str, float | int | bool | None]
Measured = Callable[[Run, int, float, float | None], tuple[str, Measures]]
"""(run, rounds, δ, the best loss if it is not the ledger's) → the theorem and its evidence."""


def regret_bounds(run: Run, delta: float = DELTA) -> list[Bound]:
    """Return what the learner's theorem allows, next to what was observed.

    The theorem decides what is observed: mistakes, expected mistakes, expected regret, the
    pseudo-regret of this one run, or regret.
    """
    check_regret_run(run)
    theorem, evidence = _measured(run)(run, run.ledger.rounds, delta, None)
    return [named(theorem).evaluate(evidence)]


def bound_line(run: Run, delta: float = DELTA) -> list[float]:
    """Return what the theorem allows at the rounds of the run's checkpoints.

    A bound on mistakes becomes one on regret by subtracting the losses of the best.
    """
    check_regret_run(run)
    points, measured = run.ledger.checkpoints, _measured(run)
    found = []
    for n, loss, regret in zip(points.rounds, points.loss, points.regret, strict=True):
        theorem, evidence = measured(run, int(n), delta, round(loss - regret))
        value = named(theorem).evaluate(evidence).value
        found.append(value - (loss - regret) if "best_mistakes" in evidence else value)
    return found


def check_regret_run(run: Run) -> None:
    """Refuse a run that no theorem covers."""
    learner, ledger = run.learner, run.ledger
    reasons = {
        "a run of at least one round": ledger.rounds > 0,
        "a run from the learner's first round": ledger.began_fresh,
        "the same experts or arms from the first round on": learner.joined == 0,
        "each loss before the next draw": not learner.delayed,
        "no round of the learner outside its run": learner.rounds == ledger.rounds,
    }
    if learner.last_round is not None:
        within = ledger.rounds <= learner.last_round
        reasons[f"at most the {learner.last_round} rounds of the horizon"] = within
    for expected, holds in reasons.items():
        if not holds:
            raise HypothesisError(
                f"bounds: expected {expected}, got {ledger.rounds} rounds of {ledger.learner} "
                "otherwise. The theorems say nothing here."
            )


def _vote(run: Run, rounds: int, delta: float, best: float | None) -> tuple[str, Measures]:
    measures = _majority(run, round(run.ledger.best_loss if best is None else best))
    return "weighted-majority", measures | {"mistakes": run.ledger.mistakes}


def _draw(run: Run, rounds: int, delta: float, best: float | None) -> tuple[str, Measures]:
    measures = _majority(run, run.ledger.best_loss if best is None else best)
    return "randomized-weighted-majority", measures | {"mistakes": run.ledger.expected_loss}


def _majority(run: Run, best: float) -> Measures:
    return {"experts": run.ledger.size, "beta": run.learner.beta, "best_mistakes": best}


def _hedge(run: Run, rounds: int, delta: float, best: float | None) -> tuple[str, Measures]:
    learner, ledger = run.learner, run.ledger
    measures: Measures = {
        "experts": ledger.size,
        "rounds": rounds,
        "regret": ledger.expected_regret,
    }
    return "hedge-anytime" if learner.anytime else "hedge", measures | {"eta": learner.rate}


def _bandit(theorem: str, regret: Callable[[Run], float]) -> Measured:
    """Return the measures of a theorem about arms, with this observed regret."""

    def measured(run: Run, rounds: int, delta: float, best: float | None) -> tuple[str, Measures]:
        last = run.learner.last_round
        return theorem, {
            "arms": run.ledger.size,
            "rounds": last or rounds,
            "anytime": last is None,
            "regret": regret(run),
            "delta": run.ledger.parameters.get("delta", delta),
        }

    return measured


_MEASURES: dict[str, Measured] = {
    "weighted-majority": _vote,
    "randomized-weighted-majority": _draw,
    "hedge": _hedge,
    "exp3": _bandit("exp3", lambda run: run.ledger.pseudo_regret),
    "exp3p": _bandit("exp3p", lambda run: run.ledger.regret),
    "exp3ix": _bandit("exp3ix", lambda run: run.ledger.regret),
}


def _measured(run: Run) -> Measured:
    return _MEASURES[run.learner.family]


def _bounds(question: Question) -> list[Bound]:
    return regret_bounds(question.run)


def _check(run: Run) -> None:
    check_regret_run(run)


def _check_theorem(run: Run, theorem: str) -> None:
    own = regret_bounds(run)[0].theorem
    if theorem != own:
        raise parameter("theorem", f"{own}, that of {run.ledger.learner}", theorem)


def _environment(run: Run, given: object) -> Stream:
    """Return the losses or the advice played, if the run played them whole and nothing else."""
    source = run.stream if given is None else as_environment(given)
    if source is None or run.streams > 1 or run.ledger.rounds != source.rounds:
        raise InputError(
            "certify: expected a run of one environment or matrix, played whole, got another. "
            "Play it from the first round: nv.play(learner, losses)."
        )
    return source


def _same_losses(run: Run, source: Stream) -> Stream:
    """Read the rounds once and keep them; refuse losses that do not add up to those of the run."""
    found = kept(source)
    if _has_losses(found) and not _played(run, found):
        raise InputError(
            "certify: expected the losses that were played, got others. Leave the matrix as it is."
        )
    return found


def _has_losses(source: Stream) -> bool:
    """Say whether the rows are losses; otherwise they are the advice of experts."""
    return isinstance(source.origin, Environment)


def _played(run: Run, source: Stream) -> bool:
    totals: FloatArray = np.zeros(run.ledger.size)
    for rounds in source.blocks():
        rows = rounds.rows
        assert isinstance(rows, DenseBlock)
        if rows.columns != run.ledger.size:
            return False
        totals += run.learner.unit_losses(rows.values).sum(axis=0, dtype=np.float64)
    return bool(np.allclose(totals, run.ledger.losses, rtol=1e-9, atol=1e-9))


def _parameters(run: Run) -> Parameters:
    """State the parameters of numbered experts or arms; rows of losses have no constant feature."""
    parameters = run.ledger.parameters
    if isinstance(parameters.get("experts"), list):
        raise HypothesisError(
            "certify: expected numbered experts, got a list of learners. Certify the advice: play "
            "their predictions as nv.stream(advice, outcomes)."
        )
    return {**parameters, "bias": None}


def _evidence(question: Question, bound: Bound) -> Evidence:
    """State what the rows are; also δ and the expectation over draws, if the theorem needs them."""
    rows = "losses" if _has_losses(question.stream) else "advice"
    wanted = verifier.LEARNERS[question.run.ledger.learner].evidence
    found: Evidence = {"rows": rows, "delta": DELTA, "expected": None}
    return {name: value for name, value in found.items() if name in wanted}


def _labels(run: Run, source: Stream) -> Labels:
    return positive(1 if _has_losses(source) else run.labels.table[-1])


register(
    *(
        Family(
            name,
            _bounds,
            check=_check,
            check_theorem=_check_theorem,
            stream=_environment,
            rounds=_same_losses,
            parameters=_parameters,
            evidence=_evidence,
            labels=_labels,
        )
        for name in _MEASURES
    )
)
