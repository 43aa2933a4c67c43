"""Five paths through the package: which modules a user's call passes, and how often it changes.

``python -m benchmarks.paths``. Counts, not times: they are the same on every machine.
"""

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

import novikoff as nv
from novikoff import cli


class Walk:
    """What a call passed: the modules of the package, in order, and the files it opened."""

    def __init__(self) -> None:
        self.modules: list[str] = []
        self.opened: list[str] = []

    def _enter(self, frame: FrameType, event: str, _: object) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if event == "call" and module.startswith("novikoff"):
            self.modules.append(module)

    def take(self, path: Callable[[], object]) -> "Walk":
        """Walk a path and return what it passed."""
        sys.setprofile(self._enter)
        try:
            path()
        finally:
            sys.setprofile(None)
        return self

    def __str__(self) -> str:
        changes = sum(a != b for a, b in zip(self.modules, self.modules[1:], strict=False))
        return (
            f"{len(set(self.modules))} modules, {changes} changes of module, "
            f"{len(self.modules)} calls"
        )


_walks: list[Walk] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _walks and isinstance(arguments[0], (str, bytes)):
        _walks[-1].opened.append(os.fsdecode(arguments[0]))


def _arrays() -> str:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 20))
    y = np.where(X[:, 0] > 0, 1, -1)

    def play() -> object:
        return nv.play(nv.Perceptron(), nv.stream(X, y))

    play()  # what is imported or made once is no part of the path
    return f"play on arrays: {Walk().take(play)}"


def _command() -> str:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        data, written = Path(folder, "rows.svm"), Path(folder, "report.html")
        lines = []
        for x in rng.standard_normal((500, 5)).round(3).tolist():
            pairs = " ".join(f"{i + 1}:{v}" for i, v in enumerate(x))
            lines.append(f"{1 if x[0] - x[1] > 0.05 else -1} {pairs}\n")
        data.write_text("".join(lines))
        certificate = Path(folder, "certificate.json")
        words = ["learn", str(data), "--certify", str(certificate), "--report", str(written)]
        words += ["--save", str(Path(folder, "model"))]
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            cli.main(words)
            walk = Walk()
            _walks.append(walk)
            walk.take(lambda: cli.main(words))
            _walks.pop()
        readings = walk.opened.count(str(data))
        return f"learn --certify --report: {walk}, {readings} readings of the file"


def _dict() -> str:
    run = nv.Run(nv.Perceptron())
    x = {"a": 1.0, "b": 2.0}
    first = Walk().take(lambda: run.learn(x, 1))
    second = Walk().take(lambda: run.learn(x, 1))
    return f"one dict: {len(first.modules)} calls, then {len(second.modules)}"


def _kernel() -> str:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 4))
    y = np.where((X**2).sum(axis=1) > 4, 1, -1)

    def play() -> object:
        return nv.play(nv.KernelPerceptron(nv.rbf(0.5)), nv.stream(X, y))

    play()
    return f"a kernel run of 50 rows: {Walk().take(play)}"


def _hedge() -> str:
    losses = np.random.default_rng(0).random((30, 4))

    def play() -> object:
        return nv.play(nv.Hedge(4), losses)

    play()
    return f"30 rounds of Hedge: {Walk().take(play)}"


if __name__ == "__main__":
    sys.addaudithook(_audit)
    for path in (_arrays, _command, _dict, _kernel, _hedge):
        print(path())
