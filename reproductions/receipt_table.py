"""What receipts say on real sets: ``python -m reproductions.receipt_table FOLDER [SET …]``.

Plays Blend once over every set of the quality table, finds its bounds, writes the certificate of
the least, and lets the stand-alone verifier check it on an svmlight file. A line has, in units of
log loss over all rounds: predicting the frequency of each label (known in hindsight), Blend's own,
what its theorem allows, and below what no fixed weights get, with their penalty; the error in % of
always guessing the most frequent label and of Blend; and what ``progressive`` allows a hypothesis
drawn from the run with probability 95 %.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import novikoff as nv
from novikoff import verifier
from reproductions import quality_sets as sets

HEAD = (
    "| set | rounds | frequencies | Blend | allowed | ratio | no weights below | guess % | Blend % "
    "| at most % | theorem | verify |\n|" + "---|" * 12
)
WORTH = 1.5
"""A receipt is worth reading if no more than so many times the loss is allowed."""


def entropy(y: object) -> float:
    """Return the loss of predicting the frequency of each label in all rounds."""
    _, counts = np.unique(np.asarray(y), return_counts=True)
    return float(-(counts * np.log(counts / counts.sum())).sum())


class Line(NamedTuple):
    """What is known of one set."""

    name: str
    rounds: int
    frequencies: float
    own: float
    allowed: float
    least: float | None
    guess: float
    error: float
    error_bound: float
    theorem: str
    seconds: float

    @property
    def ratio(self) -> float:
        """How many times its own loss the learner is allowed."""
        return self.allowed / self.own

    def __str__(self) -> str:
        least = "–" if self.least is None else f"{self.least:.0f}"
        return (
            f"| {self.name} | {self.rounds} | {self.frequencies:.0f} | {self.own:.0f} | "
            f"{self.allowed:.0f} | {self.ratio:.2f} | {least} | {100 * self.guess:.2f} | "
            f"{100 * self.error:.2f} | {100 * self.error_bound:.2f} | {self.theorem} | "
            f"{self.seconds:.0f} s |"
        )


def line(name: str, rounds: sets.Rounds, folder: Path) -> Line:
    """Play one pass, certify the least bound, and let the verifier check it on a file."""
    run = nv.play(nv.Blend(), nv.stream(rounds.X, rounds.y))
    ledger = run.ledger
    found = nv.bounds(run)
    certificate = nv.certify(run, found=found)
    certificate.save(folder / "certificate.json")
    data = folder / "data.svm"
    write(rounds, data)
    seconds = verified(name, folder / "certificate.json", data)
    counts = np.unique(rounds.y, return_counts=True)[1]
    return Line(
        name,
        ledger.rounds,
        entropy(rounds.y),
        ledger.loss,
        found[0].value,
        found[0].least,
        1 - counts.max() / counts.sum(),
        ledger.error_rate,
        nv.error_bound(ledger).value,
        certificate.theorem,
        seconds,
    )


def write(rounds: sets.Rounds, path: Path) -> None:
    """Write the rounds as svmlight, every number so that reading it gives the same float."""
    X = rounds.X
    with path.open("w", encoding="ascii") as file:
        for t, label in enumerate(rounds.y.tolist()):
            part = slice(X.indptr[t], X.indptr[t + 1])
            pairs = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            print(label, *(f"{j + 1}:{v!r}" for j, v in pairs), file=file)


def verified(name: str, certificate: Path, data: Path) -> float:
    """Let the stand-alone verifier check a certificate; return the seconds of CPU it took."""
    alone = [sys.executable, "-I", verifier.__file__, str(certificate), str(data)]
    began = time.perf_counter()
    done = subprocess.run(alone, capture_output=True, check=False)
    if done.returncode or not json.loads(done.stdout)["verified"]:
        raise SystemExit(f"{name}: {done.stdout.decode()} {done.stderr.decode()}")
    return time.perf_counter() - began


def main(folder: Path, names: list[str]) -> None:
    """Print the table, and for how many sets the ratio is small."""
    print(HEAD)
    found: list[Line] = []
    for name in names or sets.SOURCES:
        with tempfile.TemporaryDirectory() as room:
            found.append(line(name, sets.load(name, folder), Path(room)))
        print(found[-1], flush=True)
    worth = sum(one.ratio < WORTH for one in found)
    print(f"\nAllowed / own is below {WORTH} on {worth} of {len(found)} sets.")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
