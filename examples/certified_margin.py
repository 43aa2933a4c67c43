"""A margin that a referee can check: python examples/certified_margin.py [FOLDER]

You claim that a table is linearly separable. The referee has the table, one file of plain Python,
and no reason to trust you.
"""

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


def told(command: list[str]) -> str:
    """Return what a command prints."""
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def main(arguments: list[str]) -> None:
    """Write the table and the certificate, and check them as the referee does."""
    folder = Path(arguments[0] if arguments else tempfile.mkdtemp())
    X, y = rows()
    found = nv.margin(X, y)
    low, high = found.interval
    print(f"{len(y)} rows; margin between {low:.6f} and {high:.6f}")
    nv.certify(found, nv.stream(X, y)).save(folder / "margin.json")
    with open(folder / "table.svm", "w", encoding="utf-8") as table:
        for row, label in zip(X, y, strict=True):
            print(f"{label:+.0f}", *(f"{i}:{v:g}" for i, v in enumerate(row, 1)), file=table)
    files = [str(folder / "margin.json"), str(folder / "table.svm")]
    referee = [sys.executable, verifier.__file__, *files]
    print("the referee:", told(referee))
    text = (folder / "table.svm").read_text()
    (folder / "table.svm").write_text(("-" if text[0] == "+" else "+") + text[1:])  # one label
    print("one label changed:", told(referee))


if __name__ == "__main__":
    main(sys.argv[1:])
