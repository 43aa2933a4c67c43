"""Certifying reads the data only as often as the mathematics requires."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.cli import learning, main
from novikoff.playing.passes import stream_for
from novikoff.receipts import conversion
from novikoff.reports import facts
from novikoff.streams import FileStream
from novikoff.streams.stream import Rounds, Wrapped
from novikoff.theory import Theorem

RNG = np.random.default_rng(5)
X = RNG.standard_normal((40, 3)).round(2)
ROWS: list[Any] = [(x, 1 if x[0] - x[1] > 0 else -1) for x in X]
WORDS: list[Any] = [(["the", "dog"], ["D", "N"]), (["a", "dog", "barks"], ["D", "N", "V"])] * 3
POINTS: list[Any] = [(int(t), 1 if t % 2 else -1) for t in RNG.integers(0, 8, 20)]


class Counting(Wrapped):
    """A stream that counts how often its rounds are asked for."""

    readings = 0

    def blocks(self) -> Iterator[Rounds]:
        self.readings += 1
        yield from self.stream.blocks()


CASES: dict[str, tuple[Callable[[], nv.Learner], list[Any], int, int]] = {
    # a learner, its rounds, readings of bounds and of certify.
    # A comparator depends on all rows: they are read once, kept, and given to the verifier too.
    "perceptron": (nv.Perceptron, ROWS, 1, 1),
    "multiclass": (nv.MulticlassPerceptron, ROWS, 1, 1),
    "minnow": (lambda: nv.BalancedMinnow(0.1), ROWS, 1, 1),
    "kernel": (lambda: nv.KernelPerceptron(nv.rbf(0.5)), ROWS, 1, 1),
    "structured": (lambda: nv.StructuredPerceptron(nv.Chains("w[0]")), WORDS, 1, 1),
    # A class needs none of the rows; whether they are those that were played, the mistakes of the
    # best hypothesis and the verifier all take the ones that are kept.
    "halving": (lambda: nv.Halving(nv.thresholds(7)), POINTS[:1], 1, 1),
    "iterated": (lambda: nv.IteratedHalving(nv.parities(3)), POINTS, 1, 1),
}


@pytest.mark.parametrize("name", CASES)
def test_a_receipt_reads_the_rounds_so_often(name: str) -> None:
    """Playing reads them once; bounds and certify, each alone, as often as stated above."""
    make, rows, bounding, certifying = CASES[name]
    learner = make()
    run = nv.play(learner, rows)
    for ask, readings in ((nv.bounds, bounding), (nv.certify, certifying)):
        stream = Counting(stream_for(learner, rows))
        ask(run, stream)
        assert stream.readings == readings


def test_a_theorem_without_a_comparator_reads_the_rounds_twice() -> None:
    """Once for the digest and the finest digit of any value, once to replay the run exactly."""
    stream = Counting(stream_for(nv.Perceptron(), ROWS))
    nv.certify(nv.play(nv.Perceptron(), ROWS), stream, "progressive")
    assert stream.readings == 2
    labels = [y for _, y in ROWS]
    stream = Counting(nv.stream(X, labels))
    nv.certify(nv.margin(X, labels), stream)
    assert stream.readings == 2


@pytest.mark.parametrize("theorem", ["novikoff", "hinge", "hinge-tight", "freund-schapire", "run"])
def test_only_the_theorem_that_is_asked_for_is_evaluated(
    theorem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``certify(theorem=…)`` computes one bound, and the path of comparators that it lies on."""
    evaluated, evaluate = [], Theorem.evaluate

    def counted(self: Theorem, evidence: Any) -> nv.Bound:
        evaluated.append(self.id)
        return evaluate(self, evidence)

    run = nv.play(nv.Perceptron(), ROWS)
    least = {bound.theorem: bound.value for bound in nv.bounds(run)}
    monkeypatch.setattr(Theorem, "evaluate", counted)
    certificate = nv.certify(run, theorem=theorem)
    assert evaluated == [theorem]
    assert certificate.bound == pytest.approx(least[theorem], rel=1e-9)


def test_learn_with_certificate_and_report_reads_its_file_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once to learn; once more, kept in memory, for the comparator, the digest and the replay."""
    readings, blocks = [], FileStream.blocks

    def counted(self: FileStream) -> Iterator[Rounds]:
        readings.append(self.name)
        return blocks(self)

    data = tmp_path / "rows.svm"
    lines = (f"{y} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) for x, y in ROWS)
    data.write_text("\n".join(lines))
    monkeypatch.setattr(FileStream, "blocks", counted)
    out = [str(tmp_path / name) for name in ("c.json", "r.html", "m.model")]
    words = ["learn", str(data), "--certify", out[0], "--report", out[1], "--save", out[2]]
    assert main(words) == 0
    assert len(readings) == 2
    monkeypatch.undo()
    assert main(["verify", out[0], str(data)]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("labels", "options", "times"),
    [
        ("-1 1", "", 1),
        ("ham spam", "", 1),
        ("a b c", "", 2),
        ("a b c", "--labels a,b,c", 1),
        ("ham spam", "--on-bad skip", 2),
        ("ham spam", "--learner adaptive-gradient", 2),
    ],
)
def test_learn_reads_its_file_once_unless_it_must_find_all_labels(
    labels: str, options: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two labels in the first block are taken for all; the look at them is no reading."""
    readings, blocks = [], FileStream.blocks

    def counted(self: FileStream) -> Iterator[Rounds]:
        readings.append(self.name)
        return blocks(self)

    data, names = tmp_path / "rows.txt", labels.split()
    data.write_text("".join(f"{names[t % len(names)]}\tword{t % 7}\n" for t in range(60)))
    monkeypatch.setattr(FileStream, "blocks", counted)
    assert main(["learn", str(data), *options.split(), "--save", str(tmp_path / "m")]) == 0
    assert len(readings) == times
    run = nv.Run.load(tmp_path / "m")
    assert (run.ledger.rounds, len(run.labels.known)) == (60, len(names))


def test_learn_bounds_the_error_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal, the report and its remarks show one and the same bound."""
    asked, bound = [], conversion.error_bound

    def counted(ledger: nv.Ledger, delta: float = 0.05) -> Any:
        asked.append(delta)
        return bound(ledger, delta)

    for module in (learning, facts):
        monkeypatch.setattr(module, "error_bound", counted)
    data = tmp_path / "rows.svm"
    data.write_text("1 1:1\n-1 2:1\n" * 20)
    out = [str(tmp_path / name) for name in ("r.html", "m.model")]
    assert main(["learn", str(data), "--report", out[0], "--save", out[1]]) == 0
    assert asked == [0.05]
