"""What the theorems allow for a run with experts or arms."""

from typing import Any

import numpy as np

from novikoff import verifier
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate, certificate_of_losses
from novikoff.streams.environments import Environment, as_environment
from novikoff.theory import Bound, named

ROWS = 4096
DELTA = 0.05
"""Of the theorems that hold with probability 1 − δ, where the learner has none of its own."""


def regret_bounds(run: Run, delta: float = DELTA) -> list[Bound]:
    """Return what the learner's theorem allows, beside what was observed.

    Observed is the theorem's own measure: mistakes, expected mistakes, expected regret,
    pseudo-regret of this one run, or regret.
    """
    check_regret_run(run)
    theorem, evidence = _evidence(run, run.ledger.rounds, delta)
    return [named(theorem).evaluate(evidence)]


def bound_line(run: Run, delta: float = DELTA) -> list[float]:
    """Return what the theorem allows at the rounds of the run's checkpoints.

    A bound on mistakes is one on losses: less those of the best, as the ledger has them.
    """
    check_regret_run(run)
    points = run.ledger.checkpoints
    found = []
    for n, loss, regret in zip(points.rounds, points.loss, points.regret, strict=True):
        theorem, evidence = _evidence(run, int(n), delta, round(loss - regret))
        value = named(theorem).evaluate(evidence).value
        found.append(value - (loss - regret) if "majority" in theorem else value)
    return found


def certify_regret(
    run: Run, stream: Any = None, theorem: str | None = None, delta: float = DELTA
) -> Certificate:
    """Return the certificate of a run's theorem on the losses, or the advice, that were played.

    Of weighted majority the run is replayed and its mistakes are proved; of Hedge and the
    randomised vote, the expectation over their draws; of bandits, what the theorem states.
    """
    check_regret_run(run)
    source = run.environment if stream is None else as_environment(stream)
    if source is None or run.streams > 1 or run.ledger.rounds != source.rounds:
        raise InputError(
            "certify: expected a run of one environment or matrix, played whole, got another. "
            "Play it from the first round: nv.play(learner, losses)."
        )
    if isinstance(run.ledger.parameters.get("experts"), list):
        raise HypothesisError(
            "certify: expected numbered experts, got a list of learners. Certify the advice: play "
            "their predictions as nv.stream(advice, outcomes)."
        )
    own = regret_bounds(run, delta)[0].theorem
    if theorem not in (None, own):
        raise parameter("theorem", f"{own}, that of {run.ledger.learner}", theorem)
    if isinstance(source, Environment) and not _played(run, source):
        raise InputError(
            "certify: expected the losses that were played, got others. Leave the matrix as it is."
        )
    evidence: dict[str, Any] = {"rows": "losses" if isinstance(source, Environment) else "advice"}
    if "delta" in verifier.LEARNERS[run.ledger.learner].evidence:
        evidence["delta"] = delta
    return certificate_of_losses(run, source, own, evidence)


def _played(run: Run, source: Environment) -> bool:
    """Tell whether the losses of an environment add up to those of a run."""
    if source.columns != run.ledger.size:
        return False
    pieces = (source.losses(start, start + ROWS) for start in range(0, source.rounds, ROWS))
    totals = sum(run.learner.unit_losses(piece).sum(axis=0, dtype=np.float64) for piece in pieces)
    return bool(np.allclose(totals, run.ledger.losses, rtol=1e-9, atol=1e-9))


def check_regret_run(run: Run) -> None:
    """Refuse a run that no theorem speaks of."""
    learner, ledger = run.learner, run.ledger
    reasons = {
        "a run of at least one round": ledger.rounds > 0,
        "a run from the learner's first round": ledger.began_fresh,
        "the same experts or arms from the first round on": learner.joined == 0,
        "each loss before the next draw": not getattr(learner, "delayed", False),
        "no round of the learner outside its run": learner.rounds == ledger.rounds,
    }
    horizon = getattr(learner, "horizon", None)
    if horizon is not None and ledger.learner != "Hedge":
        reasons[f"at most the {horizon} rounds of the horizon"] = ledger.rounds <= horizon
    for expected, holds in reasons.items():
        if not holds:
            raise HypothesisError(
                f"bounds: expected {expected}, got {ledger.rounds} rounds of {ledger.learner} "
                "otherwise. The theorems say nothing here."
            )


def _evidence(
    run: Run, rounds: int, delta: float, best_loss: int | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the theorem of a run and its measures after so many rounds."""
    learner, ledger = run.learner, run.ledger
    best = round(ledger.best_loss) if best_loss is None else best_loss
    if ledger.learner == "WeightedMajority":
        majority = {"experts": ledger.size, "beta": learner.beta, "best_mistakes": best}
        return "weighted-majority", majority | {"mistakes": ledger.mistakes}
    if ledger.learner == "RandomizedWeightedMajority":
        exactly = ledger.best_loss if best_loss is None else best_loss
        majority = {"experts": ledger.size, "beta": learner.beta, "best_mistakes": exactly}
        return "randomized-weighted-majority", majority | {"mistakes": ledger.expected_loss}
    if ledger.learner == "Hedge":
        measures = {"experts": ledger.size, "rounds": rounds, "regret": ledger.expected_regret}
        theorem = "hedge-anytime" if learner.anytime else "hedge"
        return theorem, measures | {"eta": learner.rate}
    measures = {
        "arms": ledger.size,
        "rounds": learner.horizon or rounds,
        "anytime": learner.horizon is None,
        "regret": ledger.pseudo_regret if ledger.learner == "Exp3" else ledger.regret,
        "delta": getattr(learner, "delta", delta),
    }
    return {"Exp3": "exp3", "Exp3P": "exp3p", "Exp3IX": "exp3ix"}[ledger.learner], measures
