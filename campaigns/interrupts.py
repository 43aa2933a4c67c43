"""Interruptions at every step of small runs: all that a run holds agrees with its rounds.

A step is a place where Python hears signals: the beginning of a function, the end of a call, a
jump back. At the n-th of them either Ctrl-C comes, or an exception that nothing holds back; then
the run is as an uninterrupted one after as many rounds, it is saved and loaded, and goes on to the
same end.
"""

import dis
import gc
import random
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import novikoff as nv
from novikoff.playing import slices

SMALL = 160
_HOME = str(Path(nv.__file__).parent)
_AFTER = ("CALL", "RESUME", "JUMP_BACKWARD")


class Stop(BaseException):
    """What an alarm raises, of which nobody knows."""


class Case(NamedTuple):
    """A run, its stream, and how it is played."""

    learner: Callable[[], Any]
    stream: Callable[[], Any]
    options: dict[str, Any] = {}  # noqa: RUF012
    hard: bool = True
    """Whether any exception may come at any step, not only a signal."""


@cache
def _steps(code: CodeType) -> frozenset[int]:
    """Return the places of a function before which Python has just looked for signals."""
    found, before = set(), ""
    for one in dis.get_instructions(code):
        if before.startswith(_AFTER) or one.is_jump_target:
            found.add(one.offset)
        before = one.opname
    return frozenset(found)


class Steps:
    """Counts steps inside the library, and acts at one of them."""

    def __init__(self, at: int | None = None, act: Callable[[], None] = lambda: None) -> None:
        self.count, self.at, self.act = 0, at, act

    def _local(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode" and frame.f_lasti in _steps(frame.f_code):
            self.count += 1
            if self.count == self.at:
                self.act()
        return self._local

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_HOME):
            return None
        frame.f_trace_opcodes = True
        return self._local

    def __enter__(self) -> "Steps":
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)


def _raise_stop() -> None:
    raise Stop


def _press() -> None:
    signal.raise_signal(signal.SIGINT)


def _words(rng: random.Random, count: int) -> Iterator[tuple[str, list[str]]]:
    for _ in range(count):
        words = [rng.choice("abcdefghijklmnop") * rng.randrange(1, 4) for _ in range(4)]
        yield rng.choice(("ham", "spam")), words


def cases(folder: Path) -> dict[str, Case]:
    """Return runs of every kind, each of some dozen rounds."""
    rng = random.Random(3)
    rows = [(label, words) for label, words in _words(rng, 30)]
    text = folder / "mail.txt"
    text.write_text("".join(f"{label}\t{' '.join(words)}\n" for label, words in rows))
    named = [(dict.fromkeys(words, 1.0), label == "spam") for label, words in rows]
    classes = [(dict.fromkeys(words, 1.0), words[0][0] > "h" and words[1][0]) for _, words in rows]
    classes = [(x, y or "first") for x, y in classes]
    X = np.array([[len(w) - 2.0 for w in words] + [1.0] for _, words in rows])
    y = np.array([1 if words[0] < words[1] else -1 for _, words in rows])
    tagged = [(words, [w[0].upper() if w[0] < "d" else "O" for w in words]) for _, words in rows]
    losses = np.random.default_rng(1).random((40, 5)).round(2)
    read = lambda: nv.read(text, "text", positive="spam")  # noqa: E731
    chains = lambda: nv.StructuredPerceptron(nv.Chains("w[0] w[-1]"))  # noqa: E731
    points = [(int(t * 7 % 8), 1 if t * 7 % 8 == 5 else -1) for t in range(30)]
    return {
        "text": Case(nv.Perceptron, read),
        "text, passes": Case(nv.AveragedPerceptron, read, {"passes": 3}),
        "named": Case(nv.VotedPerceptron, lambda: named),
        "classes": Case(nv.MulticlassPerceptron, lambda: classes),
        "classes, until clean": Case(
            nv.MulticlassPerceptron, lambda: classes, {"until_clean": True}
        ),
        "dense": Case(lambda: nv.Perceptron(bias=1.0), lambda: nv.stream(X, y)),
        "structured": Case(chains, lambda: tagged),
        "structured, until clean": Case(chains, lambda: tagged, {"until_clean": True}),
        "kernel": Case(
            lambda: nv.KernelPerceptron(nv.polynomial(2)), lambda: nv.stream(X, y), hard=False
        ),
        "centres": Case(nv.EllipsoidHalving, lambda: nv.stream(X[:2], y[:2]), hard=False),
        "halving": Case(lambda: nv.Halving(nv.singletons(8)), lambda: points, hard=False),
        "experts": Case(lambda: nv.Hedge(5), lambda: losses, hard=False),
    }


def _begun(case: Case) -> Any:
    learner = case.learner()
    return nv.Run(learner, digest=isinstance(learner, nv.Learner))


def _shown(run: Any) -> dict[str, Any]:
    """Return all that a run holds, apart from where it was interrupted."""
    metadata, arrays = run.ledger.state()
    arrays = arrays | run.learner.state()
    metadata |= {"known": list(run.labels.known)}
    if getattr(run.learner, "named", False):
        names = run.learner.features
        metadata |= {"names": names.names(len(names))}
    about = {name: repr(value) for name, value in metadata.items() if name != "parameters"}
    return about | {name: (a.shape, a.tobytes()) for name, a in arrays.items()}


def _play(run: Any, case: Case, stream: Any, progress: Any = None) -> None:
    run.play(stream, **case.options, progress=progress)


def _reference(case: Case) -> dict[int, dict[str, Any]]:
    """Return what the run is after each round."""
    run = _begun(case)
    found = {0: _shown(run)}

    def take(_: Any) -> None:
        run._state()  # brings all up to date, as a save on the way does
        found[run.ledger.rounds] = _shown(run)

    with _short_slices(1):
        _play(run, case, case.stream(), take)
    found[run.ledger.rounds] = _shown(run)
    return found


def _same(found: dict[str, Any], wanted: dict[str, Any], where: str, but: tuple[str, ...]) -> None:
    for name in found.keys() | wanted.keys():
        same = name in but or found.get(name) == wanted.get(name)
        assert same, f"{where}: {name} is {found.get(name)}, not {wanted.get(name)}"


def _finish(run: Any, case: Case, done: int) -> None:
    if run.unfinished is not None:
        run.go_on(case.stream())
    elif done == 0:
        _play(run, case, case.stream())


def interrupted(case: Case, act: Callable[[], None], at: int, where: str, folder: Path) -> bool:
    """Interrupt a run at one step, and look at what is left; say whether it was cut short."""
    reference = known(case)
    run, stream, whole = _begun(case), case.stream(), max(reference)
    with suppress(KeyboardInterrupt, Stop), Steps(at, act):
        _play(run, case, stream, lambda _: None)
    done: int = run.ledger.rounds
    assert done in reference, f"{where}: stopped after {done} rounds, which is no boundary"
    but = ("ledger.checkpoints", "ledger.probabilities")  # made at every stop
    _same(_shown(run), reference[done], where, but)
    run.save(folder / "run")
    again = type(run).load(folder / "run")
    _same(_shown(again), reference[done], f"{where}, loaded", but)
    for one, more in ((run, but), (again, (*but, "digest"))):
        _finish(one, case, done)
        _same(_shown(one), reference[whole], f"{where}, gone on with", more)
    return done < whole


_known: dict[int, dict[int, dict[str, Any]]] = {}


def known(case: Case) -> dict[int, dict[str, Any]]:
    """Return the reference of a case, made once."""
    if id(case) not in _known:
        _known[id(case)] = _reference(case)
    return _known[id(case)]


def counted(case: Case) -> int:
    """Return how many steps a run has."""
    run, stream = _begun(case), case.stream()
    with Steps() as steps:
        _play(run, case, stream, lambda _: None)
    return steps.count


@contextmanager
def _short_slices(values: int) -> Iterator[None]:
    """Play a few rows a slice, or one alone, whatever the clock says."""
    before = slices._FIRST, slices._SECONDS
    slices._FIRST, slices._SECONDS = values, -1.0
    try:
        yield
    finally:
        slices._FIRST, slices._SECONDS = before


@contextmanager
def _files_left_open() -> Iterator[None]:
    """Say nothing of files that an exception left to the collector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()


def campaign(size: int, seed: int) -> dict[str, int]:
    """Interrupt runs of every kind at ``size`` of their steps, evenly spread."""
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as made, _short_slices(12), _files_left_open():
        folder = Path(made)
        all_cases = cases(folder)
        ways = [(name, hard) for name, case in all_cases.items() for hard in (True, False)]
        ways = [(name, hard) for name, hard in ways if all_cases[name].hard or not hard]
        for k, (name, hard) in enumerate(ways):
            case, act = all_cases[name], _raise_stop if hard else _press
            known(case)
            total = counted(case)
            share = min(total, size // len(ways) + (k < size % len(ways)))
            start = random.Random(seed * 1000 + k).random()
            for j in range(share):
                at = 1 + int((j + start) * total / share) % total
                where = f"{name}, {'exception' if hard else 'Ctrl-C'} at step {at} of {total}"
                cut = interrupted(case, act, at, where, folder)
                seen["cut short" if cut else "finished first"] += 1
    _known.clear()
    return dict(seen)
