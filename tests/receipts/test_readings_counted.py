"""Certifying reads the data at most three times, the learner's own pass included."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import novikoff as nv
from novikoff.cli import main
from novikoff.learners import MixedStructuredPerceptron
from novikoff.receipts.family import FAMILIES, family_of
from novikoff.streams import Stream
from novikoff.streams.environments import Environment
from novikoff.streams.files.file_stream import FileStream
from novikoff.streams.stream import Wrapped

MOST = 3
RNG = np.random.default_rng(2)
SIGNS: list[Any] = [([1.0, 2.0], 1), ([1.0, -1.0], -1), ([-2.0, 0.25], -1)] * 4
REALS: list[Any] = [(x, 0.5 * y) for x, y in SIGNS]
CLASSES: list[Any] = [([1.0, 2.0], "a"), ([1.0, -1.0], "b"), ([-2.0, 0.25], "c")] * 4
BITS: list[Any] = [([1, 0, 1], 1), ([0, 0, 1], -1), ([1, 1, 0], 1)] * 3
POINTS: list[Any] = [(0, -1), (3, 1), (2, 1), (1, -1)]
WORDS: list[Any] = [(["the", "dog"], ["D", "N"]), (["a", "dog", "barks"], ["D", "N", "V"])] * 3
LOSSES = RNG.random((30, 3))
H = nv.thresholds(4)


class Case(NamedTuple):
    """A learner and rounds for it."""

    learner: Callable[[], Any]
    rounds: Any


CASES: dict[str, Case] = {
    "perceptron": Case(nv.Perceptron, SIGNS),
    "multiclass-perceptron": Case(nv.MulticlassPerceptron, CLASSES),
    "parameter-mixing": Case(lambda: nv.Perceptron().in_shards([6, 6]), SIGNS),
    "multiclass-parameter-mixing": Case(
        lambda: nv.MulticlassPerceptron().in_shards([6, 6], 3), CLASSES
    ),
    "structured-parameter-mixing": Case(
        lambda: MixedStructuredPerceptron([3, 3], nv.Chains("w[0]", tags=["D", "N", "V"])),
        WORDS,
    ),
    "minnow": Case(lambda: nv.Minnow(0.5), SIGNS),
    "kernel-perceptron": Case(lambda: nv.KernelPerceptron(nv.rbf(0.5)), SIGNS),
    "adaptive-gradient": Case(nv.AdaptiveGradient, SIGNS),
    "gradient-descent": Case(lambda: nv.GradientDescent(0.5), SIGNS),
    "coin-betting": Case(nv.CoinBetting, SIGNS),
    "blend": Case(nv.Blend, SIGNS),
    "class-blend": Case(nv.Blend, CLASSES),
    "frozen-mixture": Case(
        lambda: nv.FrozenMixture([nv.play(nv.Blend(), SIGNS[k::2]).hypothesis() for k in (0, 1)]),
        SIGNS,
    ),
    "frozen-class-mixture": Case(
        lambda: nv.FrozenClassMixture(
            [
                nv.play(nv.Blend(), CLASSES[k::2], labels=["a", "b", "c"]).hypothesis()
                for k in (0, 1)
            ]
        ),
        CLASSES,
    ),
    "forward-regression": Case(nv.ForwardRegression, REALS),
    "structured-perceptron": Case(lambda: nv.StructuredPerceptron(nv.Chains("w[0]")), WORDS),
    "consistent": Case(lambda: nv.Consistent(H), POINTS),
    "halving": Case(lambda: nv.Halving(H), POINTS),
    "standard-optimal": Case(lambda: nv.StandardOptimal(H), POINTS),
    "iterated-halving": Case(lambda: nv.IteratedHalving(H), POINTS),
    "elimination": Case(lambda: nv.Elimination(3), BITS),
    "weighted-majority": Case(lambda: nv.WeightedMajority(3, 0.5), LOSSES > 0.5),
    "randomized-weighted-majority": Case(
        lambda: nv.RandomizedWeightedMajority(3, 0.5, seed=1), LOSSES > 0.5
    ),
    "hedge": Case(lambda: nv.Hedge(3), LOSSES),
    "exp3": Case(lambda: nv.Exp3(3, horizon=30, seed=1), LOSSES),
    "exp3p": Case(lambda: nv.Exp3P(3, 0.1, horizon=30, seed=1), LOSSES),
    "exp3ix": Case(lambda: nv.Exp3IX(3, horizon=30, seed=1), LOSSES),
}


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Note each reading of a source of rounds; a stream around another has none of its own."""
    noted: list[object] = []
    for kind in _sources(Stream):
        _count(monkeypatch, kind, noted)
    return noted


def _sources(kind: Any) -> Iterator[type[Stream]]:
    for one in kind.__subclasses__():
        if not issubclass(one, Wrapped) and one.__name__ != "PointStream":
            yield one
            yield from _sources(one)


def _count(monkeypatch: pytest.MonkeyPatch, kind: type[Stream], noted: list[object]) -> None:
    """An environment is read from its first loss on, whoever asks; any other by its blocks."""
    name = "losses" if issubclass(kind, Environment) else "blocks"
    if name not in vars(kind) or kind is Environment:
        return
    asked = vars(kind)[name]

    def counted(self: Any, *where: int) -> Any:
        if where[:1] in ((), (0,)):
            noted.append(self)
        return asked(self, *where)

    monkeypatch.setattr(kind, name, counted)


def _source(run: nv.Run) -> object:
    """The stream that a run has played, without those around it."""
    stream: Any = run.stream
    while isinstance(stream, Wrapped):
        stream = stream.stream
    return stream


def test_the_table_has_every_family_with_certificates() -> None:
    assert family_of(nv.Perceptron()) is FAMILIES["perceptron"]
    assert CASES.keys() == {name for name, family in FAMILIES.items() if not family.inexact}


@pytest.mark.parametrize("name", CASES)
def test_a_run_and_its_certificate_read_the_rounds_so_often(
    name: str, readings: list[object]
) -> None:
    learner, rounds = CASES[name]
    run = nv.play(learner(), rounds)
    assert run.learner.family == name
    certificate = nv.certify(run)
    source = _source(run)
    unseen = isinstance(source, nv.Replay) and name != "weighted-majority"  # its matrix was played
    assert 2 <= readings.count(source) + unseen <= MOST
    again = nv.Replay(rounds) if isinstance(rounds, np.ndarray) else rounds
    start = run if name.startswith("frozen-") else None  # whose certificate begins from its model
    assert nv.verify(certificate, again, start=start).verified
    readings.clear()
    found = nv.certify(run, found=nv.bounds(run))
    assert found.text == certificate.text
    assert readings.count(_source(run)) <= 2


def _svmlight(path: Path) -> Any:
    path.write_text("".join(f"{y} 1:{x[0]} 2:{x[1]}\n" for x, y in SIGNS))
    return nv.read(path, format="svmlight")


def _csv(path: Path) -> Any:
    path.write_text("a,b,label\n" + "".join(f"{x[0]},{x[1]},{y}\n" for x, y in SIGNS))
    return nv.read(path, format="csv")


def _text(path: Path) -> Any:
    path.write_text("".join(f"{y}\tword{x[0]:.0f} other{x[1]:.0f}\n" for x, y in SIGNS))
    return nv.read(path, format="text")


def _vowpal_wabbit(path: Path) -> Any:
    path.write_text("".join(f"{y} | a:{x[0]} b:{x[1]}\n" for x, y in SIGNS))
    return nv.read(path, format="vw")


def _json(path: Path) -> Any:
    lines = [{"label": y, "a": x[0], "b": x[1]} for x, y in SIGNS]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return nv.read(path, format="jsonl")


def _cache(path: Path) -> Any:
    nv.cache(nv.stream([x for x, _ in SIGNS], [y for _, y in SIGNS]), path)
    return nv.read(path)


def _arrays(path: Path) -> Any:
    return nv.stream(np.array([x for x, _ in SIGNS]), [y for _, y in SIGNS])


SOURCES = {one.__name__[1:]: one for one in (
    _svmlight, _csv, _text, _vowpal_wabbit, _json, _cache, _arrays,
)}  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["perceptron", "blend", "kernel-perceptron"])
def test_every_source_is_read_so_often(
    name: str, source: str, readings: list[object], tmp_path: Path
) -> None:
    stream = SOURCES[source](tmp_path / "rounds")
    readings.clear()
    run = nv.play(CASES[name].learner(), stream)
    certificate = nv.certify(run)
    assert 2 <= readings.count(stream) <= MOST
    if isinstance(stream, FileStream):
        assert stream.readings == readings.count(stream)  # what the command line says
    assert nv.verify(certificate, stream).verified


@pytest.mark.parametrize(("passes", "said"), [(1, "twice"), (2, "3 times")])
def test_the_command_line_says_how_often(
    passes: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # the model and the certificate are written here
    path = tmp_path / "d.svm"
    _svmlight(path)
    learn = ["learn", str(path), "--learner", "perceptron", "--passes", str(passes), "--certify"]
    assert main(learn) == 0
    assert f".certificate.json (read the data {said})\n" in capsys.readouterr().out
    assert main([*learn, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["readings"] == passes + 1
