"""What ``learn`` prints, for its reader and as JSON."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from commands import Call

LEARNT: dict[str, Callable[[], Any]] = {"": nv.Blend, "--learner perceptron": nv.Perceptron}
"""What ``learn`` plays by default, and a learner that has no loss."""
by_default_and_without_a_loss = pytest.mark.parametrize("options", LEARNT)


@by_default_and_without_a_loss
def test_learn_says_what_it_did(call: Call, options: str) -> None:
    out = call(f"learn a.svm {options}").out
    run = nv.play(LEARNT[options](), nv.read("a.svm"))
    counts = run.ledger.rounds_by_label
    loss = ""
    if hasattr(run.ledger, "loss"):
        entropy = -sum(n / 300 * math.log(n / 300) for n in counts.values())
        loss = f", mean loss {run.ledger.loss / 300:.4f} (label frequencies alone: {entropy:.4f})"
    found = re.fullmatch(
        r"wrong on ([\d.]+)% of 300 rounds; always guessing (-?1) is wrong on ([\d.]+)%\n"
        r"(\w+) on a.svm \(svmlight\): (\d+) mistakes in 300 rounds \(([\d.]+)%\)"
        + re.escape(loss)
        + r", 8 features, [\d.]+ s\nerror of a hypothesis drawn from the run: at most (0\.\d{4}) "
        r"with probability 0.95, if the rounds are independent draws and the learner was chosen "
        r"before they were seen\n",
        out,
    )
    assert found, out
    assert counts[int(found[2])] == max(counts.values())
    assert float(found[3]) == pytest.approx(100 * min(counts.values()) / 300, abs=0.005)
    assert (found[4], int(found[5])) == (type(run.learner).__name__, run.mistakes)
    assert found[1] == found[6]
    assert float(found[6]) == pytest.approx(100 * run.ledger.error_rate, abs=0.005)
    value = nv.error_bound(run.ledger).value
    assert value <= float(found[7]) <= value + 1e-4, "rounded upward"


KEYS = {
    "rounds", "mistakes", "error_rate", "dimension", "radius", "seconds", "labels", "learner",
    "bounds", "digest", "error_bound", "remarks",
}  # fmt: skip
MORE = {
    "abstentions", "parameters", "passes", "converged", "format", "skipped", "model", "decided",
    "certificate", "report", "prediction_error_rate", "loss", "mean_loss", "served", "held_out",
    "readings", "first_pass",
    "baseline", "beats_baseline",
}  # fmt: skip


@by_default_and_without_a_loss
def test_learn_prints_the_keys_that_are_promised(call: Call, options: str) -> None:
    """The keys that are promised, and some more; receipts are there when they are asked for."""
    found = call(f"learn a.svm {options} --json").json
    assert set(found) == KEYS | MORE
    run = nv.play(LEARNT[options](), nv.read("a.svm"), digest=True)
    assert (found["bounds"], found["digest"]) == ([], None)
    assert (found["rounds"], found["mistakes"], found["dimension"]) == (300, run.mistakes, 8)
    assert found["error_rate"] == run.ledger.error_rate
    assert found["loss"] == getattr(run.ledger, "loss", None)
    assert found["radius"] == run.ledger.radius
    assert (found["labels"], found["learner"]) == ([-1, 1], type(run.learner).__name__)
    assert set(found["error_bound"]) == {"value", "delta", "assumes"}
    assert call(f"learn a.svm {options} --digest --json").json["digest"] == run.ledger.digest
    found = call(f"learn a.svm {options} --bounds --json").json
    assert found["digest"] == run.ledger.digest
    expected = [b.theorem for b in nv.bounds(run)]
    assert [b["theorem"] for b in found["bounds"]] == expected != []
    bounded = getattr(run.ledger, "loss", run.mistakes)
    assert all(b["holds"] and b["value"] >= bounded for b in found["bounds"])
    assert not list(Path().glob("*.model")), "nothing is written that nobody asked for"
