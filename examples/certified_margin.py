"""A margin that a referee can check: python examples/certified_margin.py [FOLDER]

You claim that some weights separate the two labels of a table. The referee has the table, the
verifier, which is one file of plain Python, and no reason to trust you. FOLDER is where the table
and the certificate are written.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import novikoff as nv
from novikoff import verifier
from novikoff.types import FloatArray


def rows(seed: int = 4) -> tuple[FloatArray, FloatArray]:
    """Return whole numbers of either sign that some weights separate."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (400, 6)).astype(float)
    score = X @ [2.0, -1.0, 0.0, 1.0, -3.0, 1.0]
    far = abs(score) >= 3
    return X[far], np.sign(score[far])


def write(table: Path, X: FloatArray, y: FloatArray) -> None:
    """Write the rows as an svmlight file."""
    with open(table, "w", encoding="utf-8") as file:
        for row, label in zip(X, y, strict=True):
            print(f"{label:+.0f}", *(f"{i}:{v:g}" for i, v in enumerate(row, 1)), file=file)


def verdict(certificate: Path, table: Path) -> str:
    """Return what the referee sees: the verifier runs alone and prints JSON."""
    command = [sys.executable, verifier.__file__, str(certificate), str(table)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    said = json.loads(done.stdout)
    return "verified" if said["verified"] else f"refused, because {said['reason']}"


def main(arguments: list[str]) -> None:
    """Write the table and the certificate, and check them as the referee does."""
    folder = Path(arguments[0] if arguments else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    X, y = rows()
    found = nv.margin(X, y)
    low, high = found.interval
    print(f"{len(y)} rows with {X.shape[1]} columns")
    print(f"largest margin: at least {low:.6f}, at most {high:.6f}")
    certificate, table = folder / "margin.json", folder / "table.svm"
    nv.certify(found, nv.stream(X, y)).save(certificate)
    write(table, X, y)
    print(f"the referee checks the claim: {verdict(certificate, table)}")
    y[0] = -y[0]
    write(table, X, y)
    print(f"one label is changed: {verdict(certificate, table)}")


if __name__ == "__main__":
    main(sys.argv[1:])
