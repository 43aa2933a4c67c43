"""SOL's experiment on MNIST: ``python -m reproductions.sol FOLDER``.

Pixels scaled to [0, 1], ten shuffles of the 60,000 training images, one pass each, accuracy on the
10,000 test images, mean ± standard deviation (Wu et al., SOL, 2016). Its perceptron is
our multiclass one: w_y ← w_y + x, w_ŷ ← w_ŷ − x.
"""

import sys
from pathlib import Path
from statistics import mean, stdev

import numpy as np

import novikoff as nv
from reproductions.sets import images

SHUFFLES = 10


def accuracies(folder: Path) -> tuple[list[float], list[float]]:
    """Return the test accuracy of each shuffle, and its online error."""
    pixels, digits = images(folder, "train")
    unseen, answers = images(folder, "t10k")
    X, held_out = pixels / np.float32(255), unseen / np.float32(255)
    right, errors = [], []
    for seed in range(SHUFFLES):
        order = np.random.default_rng(seed).permutation(len(digits))
        run = nv.play(nv.MulticlassPerceptron(), nv.stream(X[order], digits[order]))
        right.append(float(np.mean(run.predict(held_out) == answers)))
        errors.append(run.ledger.error_rate)
    return right, errors


if __name__ == "__main__":
    right, errors = accuracies(Path(sys.argv[1]))
    print("| learner | test accuracy | mistakes per round, while learning |\n|---|---|---|")
    print("| SOL, perceptron (published) | 0.867 ± 0.016 | |")
    print(
        f"| `MulticlassPerceptron` | {mean(right):.3f} ± {stdev(right):.3f} | "
        f"{mean(errors):.3f} ± {stdev(errors):.3f} |"
    )
