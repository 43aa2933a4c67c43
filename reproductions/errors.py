"""How well, not how fast: ``python -m reproductions.errors FOLDER``.

Plays four fifths of each set once in a random order, predicting every round before learning from
it, and then measures the error on the remaining fifth. The neighbours' usual online learners have
default settings: Vowpal Wabbit's and river's logistic regression, scikit-learn's ``SGDClassifier``
with the log loss.
"""

import sys
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from reproductions.sets import BINARY, Set

Features = dict[Hashable, float]
SETS = ("a9a", "w8a", "ijcnn1", "mushrooms", "splice", "spam_corpus", "sms_spam, words")
HEAD = (
    "| set | rows learned | online: ours | online: VW | online: river | held out: ours "
    "| held out: VW | held out: river | held out: scikit-learn |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def line(name: str, rounds: Set) -> str:
    """Learn from four fifths, and count the errors on the rest."""
    X, y = rounds
    order = np.random.default_rng(0).permutation(len(y))
    X, y, known = X[order], y[order], len(y) * 4 // 5
    train, test = (X[:known], y[:known]), (X[known:], y[known:])
    ours, theirs = novikoff(train, test), [play(train, test) for play in (vw, river)]
    online = [ours[0], *(found[0] for found in theirs)]
    left_out = [ours[1], *(found[1] for found in theirs), scikit_learn(train, test)]
    shown = " | ".join(f"{100 * error:.2f}" for error in online + left_out)
    return f"| {name} | {known:,} | {shown} |"


def novikoff(train: Set, test: Set) -> tuple[float, float]:
    """Play ours: online it errs as the perceptron does; the average predicts the rest."""
    run = nv.play(nv.AveragedPerceptron(bias=1.0), nv.stream(*train))
    return run.ledger.error_rate, float(np.mean(run.predict(test[0]) != test[1]))


def vw(train: Set, test: Set) -> tuple[float, float]:
    """Play ``--loss_function logistic``."""
    import vowpal_wabbit_next as wabbit

    workspace: Any = wabbit.Workspace(["--loss_function=logistic", "--quiet", "-b", "24"])
    parser = wabbit.TextFormatParser(workspace)

    def learn(x: Features, label: int) -> float:
        return float(workspace.predict_then_learn_one(parser.parse_line(_text(x, label))))

    def predict(x: Features) -> float:
        return float(workspace.predict_one(parser.parse_line(_text(x, None))))

    return _played(learn, predict, train, test)


def _text(x: Features, label: int | None) -> str:
    return f"{label or ''} | " + " ".join(f"{j}:{v:.17g}" for j, v in x.items())


def river(train: Set, test: Set) -> tuple[float, float]:
    """Play ``linear_model.LogisticRegression()``."""
    from river.linear_model import LogisticRegression

    model = LogisticRegression()

    def predict(x: Features) -> float:
        return 1.0 if model.predict_one(x) else -1.0

    def learn(x: Features, label: int) -> float:
        found = predict(x)
        model.learn_one(x, label > 0)
        return found

    return _played(learn, predict, train, test)


def scikit_learn(train: Set, test: Set) -> float:
    """Fit one pass of ``SGDClassifier(loss="log_loss")``."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss", random_state=0)
    model.partial_fit(*train, classes=[-1, 1])
    return float(np.mean(model.predict(test[0]) != test[1]))


def _played(
    learn: Callable[[Features, int], float],
    predict: Callable[[Features], float],
    train: Set,
    test: Set,
) -> tuple[float, float]:
    online = [(learn(x, y) >= 0) != (y > 0) for x, y in _dicts(train)]
    left_out = [(predict(x) >= 0) != (y > 0) for x, y in _dicts(test)]
    return float(np.mean(online)), float(np.mean(left_out))


def _dicts(rounds: Set) -> Iterator[tuple[Features, int]]:
    """Yield every row as a dict, with its label."""
    X, y = rounds
    for x, label in zip(X, y, strict=True):
        columns = x.indices if hasattr(x, "indices") else np.flatnonzero(x)
        values = x.data if hasattr(x, "indices") else x[columns]
        yield dict(zip(columns.tolist(), values.tolist(), strict=True)), int(label)


if __name__ == "__main__":
    print(HEAD)
    for name in SETS:
        print(line(name, BINARY[name](Path(sys.argv[1]))), flush=True)
