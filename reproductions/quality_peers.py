"""The neighbours, as they come: Vowpal Wabbit, river and scikit-learn play the same rounds.

Each predicts a round before it learns from it. After the first ``cut`` rounds it also predicts all
later rounds with its model as it is then: that is its held-out result. Nobody is tuned.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reproductions.quality_measures import Floats, Guesses, Labels
from reproductions.quality_sets import Rounds

DENSE = 1000  # columns: scikit-learn's scaler centres up to so many, which makes every row dense
RIVER_DENSE = 128  # columns: river's dicts hold zeros too, up to so many
RIVER_VALUES = 20_000_000  # river takes about 1 µs for each: more would take minutes
CERTAIN = 0.01  # VW's default has scores, not probabilities: (s + 1)/2, at least this from 0 and 1
SOURCE = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()  # read with the code that runs


class Played(NamedTuple):
    """The guesses of a learner before each round, and those of its frozen model."""

    progressive: Guesses | None
    held_out: Guesses


class Peer(NamedTuple):
    """A neighbour: how it plays, and the package that it comes from."""

    play: Callable[[Rounds, int], Played]
    package: str

    @property
    def version(self) -> str:
        """The version of the package and of this file: with another one, it plays again."""
        return f"{self.package} {version(self.package)}, {SOURCE}"


def versions() -> dict[str, str]:
    """Return the version of every package that plays."""
    packages = ("novikoff", *(peer.package for peer in (TWO | MANY).values()))
    return {package: version(package) for package in dict.fromkeys(packages)}


def lines(rounds: Rounds, labels: Labels) -> Iterator[str]:
    """Yield the rounds in VW's text format. VW takes a number as a name without hashing it."""
    X = rounds.X
    for t, label in enumerate(labels.tolist()):
        part = slice(X.indptr[t], X.indptr[t + 1])
        pairs = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
        yield f"{label} | " + " ".join([f"{j}:{v:.9g}" for j, v in pairs])


class Vw(NamedTuple):
    """VW for two classes: its options, and the probability that a score stands for."""

    options: list[str]
    probability: Callable[[Floats], Floats]

    def play(self, rounds: Rounds, cut: int) -> Played:
        """Play with 2²² weights: more than any set has features, so none collide."""
        import vowpal_wabbit_next as wabbit

        workspace = wabbit.Workspace([*self.options, "--quiet", "-b", "22"])
        parser = wabbit.TextFormatParser(workspace)
        texts = list(lines(rounds, rounds.y))
        learn, predict, parse = (
            workspace.predict_then_learn_one,
            workspace.predict_one,
            parser.parse_line,
        )
        before = [learn(parse(text)) for text in texts[:cut]]
        frozen = [predict(parse(text)) for text in texts[cut:]]
        before += [learn(parse(text)) for text in texts[cut:]]
        return Played(self.guesses(np.array(before)), self.guesses(np.array(frozen)))

    def guesses(self, scores: Floats) -> Guesses:
        """Return the guesses that these scores stand for."""
        return Guesses(np.where(scores >= 0, 1, -1), self.probability(scores))


def sigmoid(scores: Floats) -> Floats:
    """1/(1 + e^{−s})."""
    found: Floats = np.exp(-np.logaddexp(0, -scores))
    return found


def clipped(scores: Floats) -> Floats:
    """(s + 1)/2, kept away from 0 and 1."""
    return np.clip((scores + 1) / 2, CERTAIN, 1 - CERTAIN)


def vw_many(arguments: list[str], rounds: Rounds, cut: int) -> Played:
    """Play ``--oaa``; with ``--probabilities`` a prediction is a list of them."""
    import vowpal_wabbit_next as wabbit

    classes = int(rounds.y.max()) + 1
    workspace = wabbit.Workspace(["--oaa", str(classes), *arguments, "--quiet", "-b", "22"])
    parser, found = wabbit.TextFormatParser(workspace), []
    for t, line in enumerate(lines(rounds, rounds.y + 1)):
        example = parser.parse_line(line)
        if t < cut:
            workspace.learn_one(example)
        else:
            found.append(workspace.predict_one(example))
    if "--probabilities" not in arguments:
        return Played(None, Guesses(np.array(found, np.int64) - 1))
    shares = np.array(found, np.float64)
    return Played(None, Guesses(shares.argmax(axis=1), shares))


def river_two(scaled: bool, dense: bool, rounds: Rounds, cut: int) -> Played:
    """Play logistic regression on dicts of the values other than 0, or of all with ``dense``."""
    from river import base, compose, linear_model, preprocessing

    model: base.Classifier | compose.Pipeline = linear_model.LogisticRegression()
    if scaled:
        model = compose.Pipeline(preprocessing.StandardScaler(), model)
    rows = list(dicts(rounds, dense=dense))
    labels = (rounds.y > 0).tolist()

    def probability(x: dict[Hashable, float]) -> float:
        return float(model.predict_proba_one(x).get(True, 0.5))

    def learned(t: int) -> float:
        found = probability(rows[t])
        model.learn_one(rows[t], labels[t])
        return found

    before = [learned(t) for t in range(cut)]
    frozen = [probability(x) for x in rows[cut:]]
    before += [learned(t) for t in range(cut, len(rows))]
    return Played(_from(before), _from(frozen))


def _from(found: list[float]) -> Guesses:
    p = np.array(found, np.float64)
    return Guesses(np.where(p >= 0.5, 1, -1), p)


def dicts(rounds: Rounds, *, dense: bool) -> Iterator[dict[Hashable, float]]:
    """Yield every row as a dict, with its zeros or without them."""
    X = rounds.X
    for t in range(len(rounds.y)):
        if dense:
            yield dict(enumerate(X[t].toarray()[0].tolist()))
        else:
            part = slice(X.indptr[t], X.indptr[t + 1])
            yield dict(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True))


def sgd_many(standard: bool, rounds: Rounds, cut: int) -> Played:
    """Play one pass of ``SGDClassifier(loss="log_loss")`` on columns scaled as the training part.

    They have mean 0 and deviation 1 with ``standard``, and otherwise 1 as the largest |x|.
    """
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    dense = rounds.X.shape[1] <= DENSE
    X = rounds.X.toarray() if dense else rounds.X
    scaler = StandardScaler(with_mean=dense) if standard else MaxAbsScaler()
    known = scaler.fit_transform(X[:cut])
    model = SGDClassifier(loss="log_loss", random_state=0)
    model.partial_fit(known, rounds.y[:cut], classes=np.arange(int(rounds.y.max()) + 1))
    later = scaler.transform(X[cut:])
    return Played(None, Guesses(model.predict(later), model.predict_proba(later)))


VW = "vowpal-wabbit-next"
LOGISTIC = ["--loss_function=logistic"]
TWO: dict[str, Peer] = {
    "VW logistic": Peer(Vw(LOGISTIC, sigmoid).play, VW),
    "VW default": Peer(Vw([], clipped).play, VW),
    "river plain": Peer(partial(river_two, False, False), "river"),
    "river scaled": Peer(partial(river_two, True, False), "river"),
    "river dense": Peer(partial(river_two, True, True), "river"),
}
MANY: dict[str, Peer] = {
    "VW oaa": Peer(partial(vw_many, []), VW),
    "VW oaa logistic": Peer(partial(vw_many, [*LOGISTIC, "--probabilities"]), VW),
    "SGD standard": Peer(partial(sgd_many, True), "scikit-learn"),
    "SGD max-abs": Peer(partial(sgd_many, False), "scikit-learn"),
}


def plays(name: str, rounds: Rounds) -> bool:
    """Say whether a neighbour plays this set: river only if it can do so in minutes."""
    rows, columns = rounds.X.shape
    if name == "river dense":
        return bool(columns <= RIVER_DENSE and rows * columns <= RIVER_VALUES)
    return not name.startswith("river") or len(rounds.X.data) <= RIVER_VALUES
