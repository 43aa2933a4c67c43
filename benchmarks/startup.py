"""The start of the command line: whole commands, in processes of their own.

The peer of a command is Python that imports NumPy and ends. All run from compiled files, as an
installed package does. ``python -m benchmarks.startup`` also prints what takes longest to import.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.table import Row
from benchmarks.timing import timed

TURNS = 15
COMMANDS = {
    "novikoff --version": ["--version"],
    "novikoff --help": ["--help"],
    "novikoff learn": ["learn", "rows.svm", "--save", "blend.model"],
    "novikoff learn, perceptron": ["learn", "rows.svm", "--learner", "perceptron", "--save", "m"],
    "novikoff predict": ["predict", "blend.model", "rows.svm"],
}
_LONG = 5_000  # microseconds that a module may take on its own
_NOVIKOFF = [sys.executable, "-m", "novikoff"]
_NUMPY = [sys.executable, "-c", "import numpy"]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder, "rows.svm"))
        commands = {name: [*_NOVIKOFF, *words] for name, words in COMMANDS.items()}
        for command in commands.values():
            _seconds(command, folder)
        times: dict[str, list[float]] = {name: [] for name in ("numpy", *commands)}
        for _ in range(TURNS):
            times["numpy"].append(_seconds(_NUMPY, folder))
            for name, command in commands.items():
                times[name].append(_seconds(command, folder))
        for name in commands:
            work = f"{name}, next to importing NumPy"
            yield timed(work, None, times["numpy"], times[name])
        slow = slowest(folder)
        work = f"slowest module of ours to import, next to {_LONG / 1000:g} ms"
        yield timed(work, 1, [_LONG / 1e6], [slow[1] / 1e6], slow[0])


def slowest(folder: str) -> tuple[str, int]:
    """Return the module of ours that takes longest, and its microseconds, the least of some."""
    least: dict[str, int] = {}
    command = [sys.executable, "-X", "importtime", *_NOVIKOFF[1:], *COMMANDS["novikoff learn"]]
    for _ in range(5):
        done = subprocess.run(
            command, cwd=folder, env=compiled(), capture_output=True, text=True, check=True
        )
        for own, name in re.findall(
            r"^import time: +(\d+) \|.*\| +(novikoff\S*)$", done.stderr, re.M
        ):
            least[name] = min(int(own), least.get(name, int(own)))
    return max(least.items(), key=lambda one: one[1])


def _seconds(command: list[str], folder: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, env=compiled(), capture_output=True, check=True)
    return time.perf_counter() - began


def compiled() -> dict[str, str]:
    """Return an environment in which Python keeps what it compiles."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _write(path: Path) -> None:
    """Write 300 rows of 5 features."""
    lines = []
    for x in np.random.default_rng(0).standard_normal((300, 5)).round(3).tolist():
        pairs = " ".join(f"{j + 1}:{value}" for j, value in enumerate(x))
        lines.append(f"{1 if x[0] - x[1] > 0.05 else -1} {pairs}\n")
    path.write_text("".join(lines))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as here:
        _write(Path(here, "rows.svm"))
        print(*slowest(here))
