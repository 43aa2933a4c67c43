"""Files to models: 100,000 rows of 75 features as text and as a cache, against VW and scikit-learn.

Vowpal Wabbit (its command line, through ``vowpal-wabbit-next``) reads the same numbers in its own
text, and its own cache. It learns by another rule: the ratio compares the time, not the model.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import vowpal_wabbit_next as vw
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron

import novikoff as nv
from benchmarks.documents import documents
from benchmarks.startup import compiled
from benchmarks.table import Row
from benchmarks.timing import compare


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder)
        _write(files)
        svm, text = files / "data.svm", files / "data.vw"
        yield compare("svmlight text → model, VW", 4, _vw(text), _ours(svm), turns=5)
        yield compare("svmlight text → model, VW, one thread", None, _vw(text), _ours(svm, 1), 5)
        command = _command(svm)
        yield compare("the same as commands", None, _vw_command(text), command, 5)
        yield compare("svmlight text → model, scikit-learn", 40, _sklearn(svm), _ours(svm), turns=3)
        logistic = _vw(text, "--loss_function", "logistic")
        yield compare(
            "svmlight text → Blend, VW logistic", 2, logistic, _ours(svm, None, nv.Blend), 5
        )
        cache = files / "data.cache"
        _vw(text, "--cache_file", str(cache))()
        nv.cache(nv.read(svm), files / "data.arrow")
        peer = _vw(text, "--cache_file", str(cache))
        yield compare("binary cache → model, VW's cache", 8, peer, _ours(files / "data.arrow"), 7)


def _write(files: Path) -> None:
    X, y = documents(100_000, 47_000, 76, 0.15)
    with open(files / "data.svm", "w") as svm, open(files / "data.vw", "w") as text:
        for t in range(X.shape[0]):
            row = slice(X.indptr[t], X.indptr[t + 1])
            pairs = zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True)
            features = " ".join(f"{j + 1}:{v:.6g}" for j, v in pairs)
            label = "+1" if y[t] else "-1"
            svm.write(f"{label} {features}\n")
            text.write(f"{label} | {features}\n")


def _vw(text: Path, *more: str) -> Any:
    arguments = _arguments(text, *more)
    return lambda: vw.run_cli_driver(arguments)


def _arguments(text: Path, *more: str) -> list[str]:
    return ["-d", str(text), "--quiet", "-b", "18", "--noconstant", *more]


def _ours(
    path: Path, threads: int | None = None, make: Callable[[], nv.Learner] = nv.Perceptron
) -> Any:
    return lambda: nv.play(make(), nv.read(path, threads=threads))


def _command(path: Path) -> Any:
    """``novikoff learn`` as a process of its own, from compiled files; the run it stands for."""
    found: nv.Run = _ours(path)()

    def run() -> nv.Run:
        arguments = [
            sys.executable,
            "-m",
            "novikoff",
            "learn",
            str(path),
            "--learner",
            "perceptron",
        ]
        subprocess.run(arguments, check=True, capture_output=True, env=compiled())
        return found

    return run


def _vw_command(text: Path) -> Any:
    program = f"import vowpal_wabbit_next as vw; vw.run_cli_driver({_arguments(text)!r})"
    command = [sys.executable, "-c", program]
    return lambda: subprocess.run(command, check=True, env=compiled())


def _sklearn(path: Path) -> Any:
    def run() -> Any:
        X, y = load_svmlight_file(str(path))
        X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
        model = Perceptron(max_iter=1, tol=None, shuffle=False, fit_intercept=False, n_jobs=1)
        return model.fit(X, y)

    return run
