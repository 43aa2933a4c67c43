"""``novikoff demo`` and ``bench``."""

import contextlib
import errno
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from novikoff import verifier
from novikoff.cli import main
from novikoff.cli.answers import print_json
from novikoff.cli.plans.story_plans import BenchPlan, DemoPlan
from novikoff.demo import GeneratedStream, write_cells, write_mail, write_new_mail
from novikoff.errors import InputError
from novikoff.learners import AveragedPerceptron, Blend, Learner, Perceptron
from novikoff.playing.play import play
from novikoff.playing.run import Run
from novikoff.streams import Rounds, Stream, read

_LINES, _PER_LINE = 100_000, 40


def demo(plan: DemoPlan) -> int:
    """Tell the whole story with the commands that a user would type."""
    folder = Path(plan.folder)
    _make(folder)
    page = folder / "report.html" if find_spec("matplotlib") else None
    certificate = folder / "mail.certificate.json"
    cells = _cell_steps(folder) if find_spec("sklearn") else []
    remarks = [] if cells else [_NO_CELLS]
    if not plan.json:
        print("\n".join(remarks), end="\n" if remarks else "")
    codes = []
    for story, command in [*cells, *_mail_steps(folder, certificate, page)]:
        if not plan.json:
            print(f"\n{story}\n$ {command}" if story else f"$ {command}", flush=True)
        code, said = _ran(shlex.split(command), plan.json)
        codes.append(code)
        remarks += said
    speeds = [_speed(learner) for learner in (Blend(), Perceptron())]
    if plan.json:
        found = {"report": page and str(page), "certificate": str(certificate), "codes": codes}
        print_json(found, remarks)
        return max(codes)
    print(
        "\nSpeed, making the rounds included: {:.1f} million sparse rounds/s; "
        "the perceptron's: {:.1f} million.".format(*speeds)
    )
    if page:
        print(f"\nOpen {page} in a browser: that is the receipt.")
    else:
        print("\nThere is no page to open: it needs matplotlib (pip install matplotlib).")
    return max(codes)


def _make(folder: Path) -> None:
    """Make the folder that all files of the demo are written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise InputError(
            f"{folder}: expected a folder to write to, got: {error.strerror}. Name another with "
            "--folder FOLDER."
        ) from None


_NO_CELLS = (
    "The demo leaves out the real data, because scikit-learn ships them: pip install scikit-learn."
)


def _cell_steps(folder: Path) -> list[tuple[str, str]]:
    """Return what to say and what to run about real data on their raw scales."""
    file, unseen = write_cells(folder)
    model = folder / "breast_cancer.model"
    return [
        ("566 tumours, each with 30 measurements between 0 and 4,254, as scikit-learn ships them.\n"
         "Nothing is scaled or tuned, and each diagnosis is predicted before it is shown.",
         f"novikoff learn {file} --label diagnosis --save {model}"),
        ("A perceptron on the same rows:",
         f"novikoff learn {file} --label diagnosis --compare blend,perceptron"),
        ("What counts for and against malignant, per unit of a column:",
         f"novikoff inspect {model} --top 5"),
        ("Three tumours it has not seen, with probabilities (the last one is benign):",
         f"novikoff predict {model} {unseen} --probabilities"),
    ]  # fmt: skip


def _mail_steps(folder: Path, certificate: Path, page: Path | None) -> list[tuple[str, str]]:
    """Return what to say and what to run about mail, from the messages to the receipt."""
    file, unseen = write_mail(folder), write_new_mail(folder)
    model, exported = folder / "mail.model", folder / "mail.svm"
    alone = shutil.copy(verifier.__file__, folder)
    drawn = f" --report {page}" if page else ""
    return [
        ("5,000 made-up messages, one in fifty with the wrong label. The same command learns\n"
         "words; the certificate says how much it lost, and how much its theorem allows.",
         f"novikoff learn {file} --save {model} --certify {certificate}{drawn}"),
        ("What it has learned:", f"novikoff inspect {model} --top 8"),
        ("Two new messages:", f"novikoff predict {model} {unseen} --format text --probabilities"),
        ("Anybody can check the certificate, on the messages themselves:",
         f"novikoff verify {certificate} {file}"),
        ("or without this library: one file of plain Python replays every round on their numbers.",
         f"novikoff export {file} --output {exported}"),
        ("", f"python {alone} {certificate} {exported}"),
    ]  # fmt: skip


def _speed(learner: Learner) -> float:
    """Return how many million generated rounds a learner plays in a second."""
    began = time.perf_counter()
    rounds = play(learner, GeneratedStream()).ledger.rounds
    return rounds / (time.perf_counter() - began) / 1e6


def _ran(command: list[str], quiet: bool) -> tuple[int, list[str]]:
    """Run a command; return its code, and its remarks if it runs quietly."""
    program, *arguments = command
    if program == "python":
        said = subprocess.run(
            [sys.executable, "-I", *arguments], check=False, capture_output=True, text=True
        )
        if not quiet:
            print(said.stdout + said.stderr, end="")
        return said.returncode, []
    if not quiet:
        return main(arguments), []
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main([*arguments, "--json"])
    return code, list(json.loads(out.getvalue() or "{}").get("remarks", []))


def bench(plan: BenchPlan) -> int:
    """Measure this machine: a pass in memory and a pass over a file."""
    rounds = list(GeneratedStream().blocks())
    found: dict[str, float | None] = {}
    for learner in (Perceptron(), AveragedPerceptron()):
        seconds = _best(partial(_played, learner, rounds))
        found[f"{type(learner).__name__}_rounds_per_second"] = GeneratedStream().rounds / seconds
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.svm"
        _write(file)
        size = file.stat().st_size
        ours = _best(lambda: play(Perceptron(), read(file)))
        found["svmlight_bytes_per_second"] = size / ours
        peer = _peer(file)
        found["scikit_learn_bytes_per_second"] = None if peer is None else size / peer
    print_json(found) if plan.json else _show(found)
    return 0


def _played(learner: Learner, rounds: list[Rounds]) -> Run:
    return play(learner.fresh(), _Kept(rounds))


class _Kept(Stream):
    """Rounds that are in memory."""

    replayable = True

    def __init__(self, kept: list[Rounds]) -> None:
        self.kept = kept

    def blocks(self) -> Iterator[Rounds]:
        """Yield them."""
        return iter(self.kept)


def _best(call: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def _write(file: Path) -> None:
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(1, 50_000, (_LINES, _PER_LINE)), axis=1) * _PER_LINE
    columns += np.arange(_PER_LINE)  # each once
    values = np.round(rng.random((_LINES, _PER_LINE)), 5)
    labels = rng.choice(["+1", "-1"], _LINES)
    with open(file, "w") as out:
        for label, row, numbers in zip(labels, columns.tolist(), values.tolist(), strict=True):
            pairs = " ".join(f"{j}:{v}" for j, v in zip(row, numbers, strict=True))
            out.write(f"{label} {pairs}\n")


def _peer(file: Path) -> float | None:
    try:
        from sklearn.datasets import load_svmlight_file
        from sklearn.linear_model import SGDClassifier
    except ImportError:
        return None
    began = time.perf_counter()
    X, y = load_svmlight_file(str(file))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # all it takes
    SGDClassifier(loss="perceptron").partial_fit(X, y, classes=[-1, 1])
    return time.perf_counter() - began


def _show(found: dict[str, float | None]) -> None:
    for name, speed in found.items():
        kind, _, unit = name.removesuffix("_per_second").rpartition("_")
        shown = "not installed" if speed is None else f"{speed / 1e6:,.1f} million {unit}/s"
        print(f"{kind.replace('_', ' '):<20} {shown}")
