"""Small saved files of every kind, and what is done with one that was loaded."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import novikoff as nv

Examples = list[tuple[Any, Any]]


class Specimen(NamedTuple):
    """A saved file, and rounds like those it comes from."""

    name: str
    data: bytes
    use: Callable[[Path, Examples], None]
    examples: Examples


def _dense(labels: tuple[Any, ...] = (-1, 1)) -> Examples:
    rng = np.random.default_rng(1)
    rows = rng.integers(-4, 5, (24, 3)) / 2
    return [(x, labels[int(abs(x.sum() * 2)) % len(labels)]) for x in rows]


def _separable() -> Examples:
    return [(x, 1 if x[0] >= 0 else -1) for x, _ in _dense()]


def _sparse() -> Examples:
    return [((np.flatnonzero(x), x[np.flatnonzero(x)]), y) for x, y in _dense()]


def _named(labels: tuple[Any, ...] = (0, 1)) -> Examples:
    return [({f"é{k % 7}": 1.0, f"b{k % 3}": 0.5, "c": "d"}, labels[k % len(labels)])
            for k in range(12)]  # fmt: skip


def _sentences() -> Examples:
    return [(["the", "cat", "sat"], ["D", "N", "V"]), (["a", "dog"], ["D", "N"]),
            (["cat", "ran"], ["N", "V"])] * 2  # fmt: skip


def _trees() -> Examples:
    return [([("the", "D"), ("cat", "N"), ("sat", "V")], [2, 3, 0]),
            ([("dogs", "N"), ("run", "V")], [2, 0])] * 2  # fmt: skip


def _points() -> Examples:
    return [(k % 4, 1 if k % 4 == 2 else -1) for k in range(6)]


def _bits() -> Examples:
    return [((0, 1, 1), 1), ((1, 0, 0), -1), ((1, 1, 0), 1)]


def _crossed() -> list[nv.Transform]:
    return [nv.Scale(), nv.Cross("c", "b1", "é1"), nv.Cross("é2", "c", bits=3)]


def _runs() -> Iterator[tuple[str, nv.Learner, Examples, dict[str, Any]]]:
    words, weighted = ("ham", "spam"), {"class_weights": {1: 2.0}}
    yield "perceptron", nv.Perceptron(bias=1.0), _dense(), {}
    yield "perceptron, words", nv.Perceptron(), _named(words), {"positive": "spam"}
    yield "perceptron, hashed", nv.Perceptron(hashing=nv.Hashing(6)), _named(), weighted
    yield "perceptron, sparse", nv.Perceptron(ties="mistake"), _sparse(), {}
    yield (
        "perceptron, scaled",
        nv.Perceptron(transforms=[nv.Scale(), nv.Normalize()]),
        _sparse(),
        {},
    )
    yield "perceptron, crossed", nv.Perceptron(transforms=_crossed()), _named(), {}
    yield "averaged", nv.AveragedPerceptron(), _named(), {}
    yield "voted", nv.VotedPerceptron(bias=0.5), _dense(), {}
    yield "voted, few", nv.VotedPerceptron(max_voters=2), _named(), {}
    yield "multiclass", nv.MulticlassPerceptron(bias=1.0), _dense(("a", "b", "c")), {}
    yield "multiclass, named", nv.MulticlassPerceptron(), _named((1, "b", 2.5)), {}
    yield "minnow", nv.Minnow(0.5), _dense(), {}
    yield "balanced minnow", nv.BalancedMinnow(0.5, bias=1.0), _named(), {}
    yield "modified", nv.ModifiedPerceptron(0.3, seed=7), _separable(), {}
    yield "ellipsoid", nv.EllipsoidHalving(), _separable(), {}
    yield "centroid", nv.CentroidHalving(seed=1, samples=16), _separable(), {}
    yield "kernel", nv.KernelPerceptron(nv.rbf(0.5)), _dense(), {}
    yield "kernel, budget", nv.KernelPerceptron(nv.polynomial(2), bias=1.0, budget=4), _named(), {}
    yield "kernel, classes", nv.MulticlassKernelPerceptron(nv.linear), _dense(("a", "b", "c")), {}
    yield "kernel, rest", nv.OneVsRestKernelPerceptron(nv.rbf(1.0)), _dense(("a", "b")), {}
    yield "consistent", nv.Consistent(nv.singletons(4)), _points(), {}
    yield "halving", nv.Halving(nv.thresholds(5)), [(k, 1 if k >= 3 else -1) for k in range(5)], {}
    yield "iterated", nv.IteratedHalving(nv.singletons(4)), _points(), {}
    yield "optimal", nv.StandardOptimal(nv.singletons(4)), _points(), {}
    yield "grid", nv.Halving(nv.grid_halfspaces(2, 1.0, 1.0, 1.0)), [((0.5, 0.5), 1)], {}
    yield "elimination", nv.Elimination(3), _bits(), {}
    yield "chains", nv.StructuredPerceptron(nv.Chains("w[0]", columns=("w",))), _sentences(), {}
    yield "trees", nv.StructuredPerceptron(nv.Trees()), _trees(), {}
    yield "classes", nv.StructuredPerceptron(nv.Classes((0, 1))), _classes(), {}


def _classes() -> Examples:
    return [({"a": 1, "b": k % 3}, k % 2) for k in range(6)]


def _regret() -> Iterator[tuple[str, nv.RegretLearner]]:
    yield "hedge", nv.Hedge(3, horizon=50)
    yield "hedge, anytime", nv.Hedge(3)
    yield "hedge, pool", nv.Hedge([nv.Perceptron(), nv.Minnow(0.5)])
    yield "randomized majority", nv.RandomizedWeightedMajority(3)
    yield "majority", nv.WeightedMajority(3)
    yield "exp3", nv.Exp3(3, seed=2)
    yield "exp3-ix", nv.Exp3IX(3, horizon=40)
    yield "exp3.p", nv.Exp3P(3, 0.1)


def specimens(folder: Path) -> Iterator[Specimen]:
    """Yield a file of every kind."""
    path = folder / "specimen"
    for name, learner, examples, options in _runs():
        run = nv.Run(learner, **options).play(examples)
        run.save(path)
        yield Specimen(f"{name}: run", _ordered(path), use_run, examples)
        run.learner.save(path)
        yield Specimen(f"{name}: learner", _ordered(path), use_learner, examples)
        run.hypothesis().save(path)
        yield Specimen(f"{name}: hypothesis", _ordered(path), use_hypothesis, examples)
    for name, chooser in _regret():
        played = _played(chooser)
        played.save(path)
        yield Specimen(f"{name}: run", _ordered(path), use_regret_run, [])
        if isinstance(chooser, nv.Exp3):
            chooser.ticket()
        chooser.save(path)
        yield Specimen(f"{name}: learner", _ordered(path), use_regret_learner, [])
    for name, stream in _streams():
        nv.cache(stream, path)
        yield Specimen(f"{name}: cache", path.read_bytes(), use_cache, [])
    run = nv.play(nv.Perceptron(), _separable(), digest=True)
    nv.certify(run).save(path)
    yield Specimen("certificate", path.read_bytes(), use_certificate, _separable())


def _ordered(path: Path) -> bytes:
    """Return a saved file with its header in one order, which is another in every process."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8 : 8 + size]), sort_keys=True).encode()
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


def _played(learner: Any) -> nv.Run:
    run = nv.Run(learner)
    if getattr(learner, "pool", None) is not None:
        return run.play(_dense())
    return run.play(np.random.default_rng(3).integers(0, 2, (40, 3)))


def _streams() -> Iterator[tuple[str, Any]]:
    yield "numbered", _dense()
    rows, y = map(list, zip(*_named(("ham", "spam")), strict=True))
    yield "named", nv.stream(rows, y, positive="spam")
    yield "mixed", _named((1, "b", 2.5))
    X = np.array([x for x, _ in _dense()])
    yield "weighted", nv.stream(X, [y for _, y in _dense()], weights=np.arange(len(X)) / 2)


def use_run(path: Path, examples: Examples) -> None:
    """Do with a run what its owner would."""
    run = nv.Run.load(path)
    ledger = run.ledger
    _ = repr(run), ledger.error_rate, ledger.recent_error_rate, ledger.checkpoints
    _ = [getattr(ledger, name) for name in ledger.measures]
    run.save(path)
    run = copy.deepcopy(nv.Run.load(path))
    _each(
        lambda: run.predict_one(examples[0][0]),
        lambda: run.learn(*examples[0]),
        lambda: run.play(examples[:3]),
        lambda: run.predict([x for x, _ in examples[:2]]),
        lambda: _use_hypothesis(run.hypothesis(), examples),
    )
    run.save(path)
    nv.Run.load(path)


def use_learner(path: Path, examples: Examples) -> None:
    """Do with a learner what its owner would."""
    learner: Any = nv.Learner.load(path)
    _ = repr(learner), learner.rounds
    labels = (
        {y: k for k, y in enumerate(dict.fromkeys(y for _, y in examples))}
        if (learner.multiclass)
        else {}
    )
    x, y = examples[0]
    code = labels[y] if learner.multiclass else y if isinstance(y, list) or y in (-1, 1) else 1
    _each(
        lambda: learner.predict(x),
        lambda: learner.update(x, code),
        lambda: learner.predict(x),
        lambda: _use_hypothesis(learner.hypothesis(), examples),
    )
    learner.save(path)
    nv.Learner.load(path)


def use_hypothesis(path: Path, examples: Examples) -> None:
    """Do with a hypothesis what its owner would."""
    h = nv.Hypothesis.load(path)
    _use_hypothesis(h, examples)
    h.save(path)
    nv.Hypothesis.load(path)


def _use_hypothesis(h: Any, examples: Examples) -> None:
    _ = repr(h)
    X = [x for x, _ in examples[:3]]
    whole = [np.asarray(X)] if isinstance(X[0], np.ndarray) else [X]
    _each(
        lambda: h(X[0]),
        lambda: h.predict(*whole),
        lambda: h.scores(*whole),
        lambda: h.top(3) if hasattr(h, "top") else None,
        lambda: copy.deepcopy(h)(X[0]),
    )


def use_regret_run(path: Path, _: Examples) -> None:
    """Do with a run of experts or arms what its owner would."""
    run = nv.Run.load(path)
    ledger = run.ledger
    _each(lambda: repr(run), lambda: (ledger.regret, ledger.loss, ledger.checkpoints))
    run.save(path)
    run = nv.Run.load(path)
    _each(lambda: _played_on(run), lambda: copy.deepcopy(run.ledger).regret)
    run.save(path)
    nv.Run.load(path)


def _played_on(run: nv.Run) -> None:
    pool = getattr(run.learner, "pool", None)
    run.play(_dense()[:4] if pool is not None else np.eye(3, dtype=int))


def use_regret_learner(path: Path, _: Examples) -> None:
    """Do with a learner of experts or arms what its owner would."""
    learner: Any = nv.RegretLearner.load(path)
    x = _dense()[0][0]
    if hasattr(learner, "choose") and hasattr(learner, "tickets"):
        _each(
            learner.probabilities,
            lambda: [learner.update(ticket, 0.5) for ticket in learner.tickets],
            lambda: learner.update(learner.choose(), 0.5),
            lambda: learner.join(1.0),
        )
    else:
        advice = x if learner.pool is not None else [1, -1, 1]
        _each(
            learner.probabilities,
            lambda: learner.predict(advice),
            lambda: learner.update(advice, 1),
            lambda: learner.join(1.0),
        )
    learner.save(path)
    nv.RegretLearner.load(path)


def use_cache(path: Path, _: Examples) -> None:
    """Play a cache, as a learner of two labels and as one of classes would.

    A learner has a weight for every number up to the largest: a feature 2^31 is read, not learned.
    """
    stream = nv.read(path, "arrow")
    if max(rounds.rows.columns for rounds in stream.blocks()) > 2**16:
        return
    _each(
        lambda: nv.play(nv.MulticlassPerceptron(), stream, digest=True),
        lambda: nv.play(nv.Perceptron(), stream),
        lambda: nv.play(nv.Perceptron(hashing=nv.Hashing(5)), stream),
        lambda: nv.cache(stream, path.with_suffix(".again")),
    )


def use_certificate(path: Path, examples: Examples) -> None:
    """Read a certificate and verify it."""
    found = nv.Certificate.load(path)
    _ = repr(found)
    nv.verify(found, examples)


def _each(*steps: Callable[[], Any]) -> None:
    """Take every step, whatever the library refuses of the others."""
    for step in steps:
        try:
            step()
        except nv.NovikoffError as error:
            if for_memory(error):
                raise


def for_memory(error: BaseException | None) -> bool:
    """Say whether there was too little memory, whatever was made of that."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__context__
    return False
